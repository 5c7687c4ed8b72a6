"""The resources of Talos that talosctl prints as YAML, as JSON or as a table: what each says of its machine.

Of the machine configuration only the fields that GPUs depend on are kept, so no secret is. The types and fields:
siderolabs/talos pkg/machinery/resources at v1.14.0-rc.1, and LoadedKernelModules, which 1.11 to 1.13 have (2026-11-22).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....upstream.talos.node_services import NVSWITCH_PRODUCT
from ....yaml.load import LARGEST, YamlError, documents
from ....yaml.located import NO_LINE, Document, in_one_place
from ...model import NodeConfig, at, known_list, mappings
from ...model.evidence import Evidence
from ...model.talos_machine import Extension, Seen, Service, TalosMachine
from ..documents import pieces
from ..talos.documents import ACTIVE, LIVE_CONFIG, of_running_node
from .bundle_commands import NODENAMES
from .dump_builder import DumpBuilder
from .redaction import hide

_MACHINE = ("type", "kernel", "sysctls", "sysfs", "nodeLabels", "nodeTaints", "baseRuntimeSpecOverrides", "udev", "features")
_INSTALL = ("image", "extensions", "extraKernelArgs", "disk")
_DOCUMENTS = frozenset({
    "KernelModuleConfig", "SysctlConfig", "SysfsConfig", "CRICustomizationConfig", "CRIBaseRuntimeSpecConfig",
    "PCIDriverRebindConfig", "UdevRulesConfig", "UnattendedInstallConfig", "KubeNodeConfig", "HostnameConfig",
    "SecurityProfileConfig",
})  # fmt: skip
_CRI = "/etc/cri/"


def running_config(spec: Any, node: str, source: str) -> NodeConfig | None:
    """The configuration without secrets, from the text or the mapping that talosctl prints. None if nothing can be
    read.
    """
    place = (source, NO_LINE)
    kept = [in_one_place(body, place) for each in _documents(spec) if (body := _kept(each))]
    return next(of_running_node([Document(each, place) for each in kept], node), None)


def _documents(spec: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(spec, Mapping):
        yield spec
    for start, end, _ in pieces(spec, 1) if isinstance(spec, str) else ():
        try:
            yield from (each for each in documents(spec[start:end], LARGEST) if isinstance(each, Mapping))
        except YamlError:
            continue


def _kept(body: Mapping[str, Any]) -> Mapping[str, Any]:
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


def modules_of(config: NodeConfig) -> dict[str, str]:
    """The kernel modules that a configuration loads, with their parameters: in `machine.kernel.modules`, or in
    KernelModuleConfig of Talos 1.14.
    """
    modules: dict[str, str] = {}
    for _, body in config.documents:
        entries = (
            [body] if body.get("kind") == "KernelModuleConfig" else [each for _, each in mappings(at(body, "machine", "kernel", "modules"))]
        )
        for each in entries:
            if isinstance(each.get("name"), str):
                modules[each["name"]] = " ".join(map(str, known_list(each.get("parameters"))))
    return modules


EXTENSIONS = "ExtensionStatuses.runtime.talos.dev"
LOADED_MODULES = "LoadedKernelModules.runtime.talos.dev"
MODULE_STATUSES = "KernelModuleStatuses.runtime.talos.dev"
PCI_DEVICES = "PCIDevices.hardware.talos.dev"
_NVIDIA = "0x10de"
_DISPLAY = "0x03"
_MAKER = "siderolabs/"
_SYSCTL = "proc.sys."


def read_resource(body: Mapping[str, Any], node: str, source: str, builder: DumpBuilder) -> bool:
    """Read a resource as YAML or JSON has it. False if it is none."""
    metadata, spec = body.get("metadata"), body.get("spec")
    if not isinstance(metadata, Mapping) or not isinstance(metadata.get("type"), str):
        return False
    kind, name = metadata["type"], str(metadata.get("id", ""))
    node = str(body.get("node") or node)
    if kind == LIVE_CONFIG:
        _read_config(builder.machines.machine(node, source), name, spec, node, f"{kind}/{name} ({source})")
    elif isinstance(spec, Mapping):
        read_spec(kind, name, spec, node, source, builder)
    return True


def read_spec(kind: str, name: str, spec: Mapping[str, Any], node: str, source: str, builder: DumpBuilder, row: str = "") -> None:
    """Read the spec of a resource, from YAML or from the columns of a table."""
    names = _NAMES.get(kind)
    if names is not None:
        builder.machines.members.append(names(spec, node) - {""})
    if kind == NODENAMES and node and spec.get("nodename"):
        builder.machines.nodenames[node] = str(spec["nodename"])
    reader = _READERS.get(kind)
    if reader is None:
        return
    place = source if row else f"{kind}/{name} ({source})"
    reader(builder.machines.machine(node, source), Resource(name=name, spec=spec, source=place, row=row))


def read_empty(kind: str, node: str, source: str, builder: DumpBuilder) -> None:
    """Note that a machine has no resource of this type."""
    if kind in _EMPTY:
        builder.machines.machine(node, source).known(_EMPTY[kind])


_EMPTY = {
    EXTENSIONS: "extensions",
    LOADED_MODULES: "modules",
    "KernelModuleSpecs.runtime.talos.dev": "configured_modules",
    PCI_DEVICES: "pci",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """A resource of Talos as it was printed: as YAML and JSON, or as a row of a table."""

    name: str
    spec: Mapping[str, Any]
    source: str
    row: str = ""

    def get(self, *keys: str) -> str:
        """The text of the first of these fields that is set."""
        return next((str(value) for key in keys if (value := self.spec.get(key))), "")

    def words(self, text: str) -> Evidence:
        """The row of the table, or else this text."""
        return Evidence(text=self.row or text, source=self.source)

    def seen(self, value: str, text: str) -> Seen:
        """A value of the resource, with the row of the table or this text as its line."""
        return Seen(value=value, evidence=self.words(text))


def _read_extension(machine: TalosMachine, resource: Resource) -> None:
    metadata = resource.spec.get("metadata")
    found = metadata if isinstance(metadata, Mapping) else {}
    title, version = str(found.get("name") or "").removeprefix(_MAKER), str(found.get("version") or "")
    seen, extensions = resource.seen(version, f"{title} {version}"), machine.known("extensions")
    machine.extension_numbers[resource.name] = title
    if title == "schematic":
        machine.schematic = seen
    elif title and title != "modules.dep":
        extensions[title] = Extension(name=title, version=version, evidence=seen.evidence)


def _read_schematic(machine: TalosMachine, resource: Resource) -> None:
    if value := resource.get("schematicId"):
        machine.schematic = resource.seen(value, f"schematicId: {value}")


def _read_module(machine: TalosMachine, resource: Resource) -> None:
    state = resource.get("state")
    machine.known("modules")[resource.name.replace("-", "_")] = resource.seen(state, f"{resource.name} {state}")


def _read_configured(machine: TalosMachine, resource: Resource) -> None:
    given = resource.spec.get("parameters")
    parameters = " ".join(map(str, given)) if isinstance(given, list) else str(given or "")
    machine.known("configured_modules")[resource.name] = resource.seen(parameters, f"{resource.name} {parameters}".strip())


def _read_sysctl(machine: TalosMachine, resource: Resource) -> None:
    if resource.name.startswith(_SYSCTL):
        value = str(resource.spec.get("current", resource.spec.get("value", "")))
        machine.known("sysctls")[resource.name.removeprefix(_SYSCTL)] = resource.seen(value, f"{resource.name}: {value}")


def _read_security(machine: TalosMachine, resource: Resource) -> None:
    if "secureBoot" in resource.spec:
        value = str(resource.spec["secureBoot"]).lower()
        machine.is_secure_boot = resource.seen(value, f"secureBoot: {value}")


def _read_device(machine: TalosMachine, resource: Resource) -> None:
    devices, product = machine.known("pci"), resource.get("product", "product_id")
    vendor, kind = resource.get("vendor_id", "vendor").lower(), resource.get("class_id", "class")
    is_shown = kind.startswith(_DISPLAY) or kind.lower().startswith("display") or NVSWITCH_PRODUCT in product
    if is_shown and (vendor == _NVIDIA or "nvidia" in vendor):
        driver = f" driver {resource.get('driver')}" if resource.get("driver") else ""
        devices[resource.name] = resource.seen(product, f"{resource.name} {resource.get('vendor', 'vendor_id')} {product}{driver}")


def _read_service(machine: TalosMachine, resource: Resource) -> None:
    is_set = {key: str(resource.spec.get(key, "")).lower() == "true" for key in ("running", "healthy", "unknown")}
    text = ", ".join(f"{key}: {value}".lower() for key, value in is_set.items())
    service = Service(
        name=resource.name,
        state="Running" if is_set["running"] else "Waiting",
        health="?" if is_set["unknown"] else "OK" if is_set["healthy"] else "Fail",
        event="",
        evidence=resource.words(f"{resource.name}: {text}"),
    )
    machine.known("services").setdefault(resource.name, service)


def _read_version(machine: TalosMachine, resource: Resource) -> None:
    if value := resource.get("version").removeprefix("v"):
        machine.talos_version = resource.seen(value, f"version: v{value}")


def _read_config(machine: TalosMachine, name: str, spec: Any, node: str, source: str) -> None:
    config = running_config(spec, node, source)
    if config is None or (machine.config is not None and name != ACTIVE):
        return
    machine.config = config
    for module, parameters in modules_of(config).items():
        machine.known("configured_modules").setdefault(
            module, Seen(value=parameters, evidence=Evidence(text=f"name: {module}", source=source))
        )


_READERS: dict[str, Callable[[TalosMachine, Resource], None]] = {
    EXTENSIONS: _read_extension,
    LOADED_MODULES: _read_module,
    MODULE_STATUSES: _read_module,
    PCI_DEVICES: _read_device,
    "ImageFactorySchematics.runtime.talos.dev": _read_schematic,
    "KernelModuleSpecs.runtime.talos.dev": _read_configured,
    "KernelParamStatuses.runtime.talos.dev": _read_sysctl,
    "SecurityStates.talos.dev": _read_security,
    "Services.v1alpha1.talos.dev": _read_service,
    "Versions.runtime.talos.dev": _read_version,
}


def _named_by(key: str) -> Callable[[Mapping[str, Any], str], set[str]]:
    return lambda spec, node: {node, str(spec.get(key) or "")} if node else set()


def _member(spec: Mapping[str, Any], _: str) -> set[str]:
    given = spec.get("addresses")
    return {str(spec.get("hostname") or ""), *map(str, given if isinstance(given, list) else [])}


_NAMES: dict[str, Callable[[Mapping[str, Any], str], set[str]]] = {
    "Members.cluster.talos.dev": _member,
    NODENAMES: _named_by("nodename"),
    "NodeStatuses.kubernetes.talos.dev": _named_by("nodename"),
    "HostnameStatuses.net.talos.dev": _named_by("hostname"),
}
"""The names and addresses that a resource gives its machine, or another one."""
