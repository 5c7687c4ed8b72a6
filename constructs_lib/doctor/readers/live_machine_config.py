"""The machine configuration of a node: the fields that GPUs depend on. Everything else, and so every secret, is left out when it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from .plain_yaml import UnreadableError, load
from .redaction import hide

_MACHINE = ("type", "kernel", "sysctls", "sysfs", "nodeLabels", "nodeTaints", "baseRuntimeSpecOverrides", "udev", "features")
_INSTALL = ("image", "extensions", "extraKernelArgs", "disk")
_DOCUMENTS = frozenset(
    [
        "KernelModuleConfig",
        "SysctlConfig",
        "SysfsConfig",
        "CRICustomizationConfig",
        "CRIBaseRuntimeSpecConfig",
        "PCIDriverRebindConfig",
        "UdevRulesConfig",
        "UnattendedInstallConfig",
        "KubeNodeConfig",
        "HostnameConfig",
        "SecurityProfileConfig",
    ]
)
_CRI = "/etc/cri/"
_DOCUMENT = re.compile(r"^---(?:[ \t].*)?$\n?", re.MULTILINE)


def config_of(spec: Any) -> str | None:
    """The text of the configuration without secrets, from the text or the mapping that talosctl prints. None if nothing can be read."""
    documents = [kept for each in _documents(spec) if (kept := _kept(each))]
    return yaml.safe_dump_all(documents, sort_keys=False) if documents else None


def _documents(spec: Any) -> Iterator[dict[str, Any]]:
    if isinstance(spec, Mapping):
        yield dict(spec)
    for text in _DOCUMENT.split(spec) if isinstance(spec, str) else ():
        try:
            body = load(text)
        except UnreadableError:
            continue
        if isinstance(body, dict):
            yield body


def _kept(body: dict[str, Any]) -> dict[str, Any]:
    if "kind" in body:
        return hide(body) if body["kind"] in _DOCUMENTS else {}
    machine = body.get("machine")
    if not isinstance(machine, dict):
        return {}
    kept = {key: machine[key] for key in _MACHINE if key in machine}
    install, files = machine.get("install"), machine.get("files")
    if isinstance(install, dict):
        kept["install"] = {key: install[key] for key in _INSTALL if key in install}
    if isinstance(files, list):
        kept["files"] = [each for each in files if isinstance(each, dict) and str(each.get("path", "")).startswith(_CRI)]
    return {"version": body.get("version"), "machine": hide(kept)}


def modules_of(text: str) -> dict[str, str]:
    """The kernel modules that a configuration loads, with their parameters: in `machine.kernel.modules`, or in KernelModuleConfig of Talos 1.14."""
    modules: dict[str, str] = {}
    for body in _documents(text):
        machine = body.get("machine")
        kernel = machine.get("kernel") if isinstance(machine, dict) else None
        listed = kernel.get("modules") if isinstance(kernel, dict) else None
        entries = [body] if body.get("kind") == "KernelModuleConfig" else listed if isinstance(listed, list) else []
        for each in entries:
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                given = each.get("parameters")
                modules[each["name"]] = " ".join(map(str, given)) if isinstance(given, list) else ""
    return modules
