"""The options of a device plugin that know only some words, and what its CDI specs are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..._validate import did_you_mean
from ...manifests.device_plugin_strategies import DeviceDiscoveryStrategy, DeviceIDStrategy, DeviceListStrategy
from ...mig import MigStrategy
from ..finding import Severity
from ..questions.agents import GFD, Agent, device_plugins
from ..questions.plugin_options import (
    ALLOCATION_POLICY,
    DISCOVERY_STRATEGY,
    DRIVER_ROOT,
    ID_STRATEGY,
    LIST_STRATEGY,
    MIG_STRATEGY,
    PluginOption,
    options_of,
    plugin_options,
    strategies,
)
from ..read import Inputs, Path, Read, Unknown, mappings
from ..rule import Example, Found, Rule

_WORDS: dict[str, tuple[str, ...]] = {
    LIST_STRATEGY: tuple(map(str, DeviceListStrategy)),
    ID_STRATEGY: tuple(map(str, DeviceIDStrategy)),
    DISCOVERY_STRATEGY: tuple(map(str, DeviceDiscoveryStrategy)),
    MIG_STRATEGY: tuple(map(str, MigStrategy)),
    ALLOCATION_POLICY: ("distributed", "packed"),
}
# The flag of GPU feature discovery knows one more (cmd/gpu-feature-discovery/main.go).
_OF_DISCOVERY = (*_WORDS[DISCOVERY_STRATEGY], "vfio")
_FALLBACKS = ("named", "single", "empty")
# Where the plugin looks for the driver in its own container (api/config/v1/consts.go).
_CONTAINER_ROOT, _CONTAINER_ROOT_VARIABLES = "/driver-root", ("DRIVER_ROOT_CTR_PATH", "CONTAINER_DRIVER_ROOT")


def _unknown_words(inputs: Inputs) -> Iterator[Found]:
    for option in plugin_options(inputs):
        known = _OF_DISCOVERY if option.name == DISCOVERY_STRATEGY and option.kind == GFD else _WORDS.get(option.name)
        for word in _written(option) if known else ():
            if known and word not in known:
                yield _wrong(option, word, known)
    for plugin in device_plugins(inputs):
        fallbacks = plugin.value("config", "fallbackStrategies") if plugin.release else None
        for word in fallbacks if isinstance(fallbacks, list) else ():
            if word not in _FALLBACKS and not isinstance(word, Unknown):
                path = plugin.path("config", "fallbackStrategies")
                yield _unknown(
                    plugin.about, path, "config.fallbackStrategies", str(word), _FALLBACKS, Severity.ERROR, "unknown fallback strategy"
                )


def _written(option: PluginOption) -> list[Any]:
    """The words of an option. A config file has a list or one word: there a comma is a part of the word."""
    if isinstance(option.value, Unknown):
        return []
    if option.name == LIST_STRATEGY:
        return [str(option.value)] if option.in_file and isinstance(option.value, str) else strategies(option.value)
    return [str(option.value)] if isinstance(option.value, str | bool | int) else []


def _wrong(option: PluginOption, word: str, known: tuple[str, ...]) -> Found:
    said = {LIST_STRATEGY: "invalid strategy", MIG_STRATEGY: "unknown MIG strategy"}.get(option.name, f"invalid --{option.name} option")
    severity = Severity.ERROR if option.wins else Severity.WARNING
    if option.in_file and "," in word and all(each.strip() in known for each in word.split(",")):
        return Found(
            severity=severity,
            message=f"{option.written} is {word!r}, which a config file takes for one word: the plugin ends with '{said}: {word}'",
            about=option.about,
            path=option.path,
            fix=f"Write it as a list: [{', '.join(each.strip() for each in word.split(','))}]",
        )
    return _unknown(option.about, option.path, option.written, word, known, severity, said)


def _unknown(about: Read, path: Path, written: str, word: str, known: tuple[str, ...], severity: Severity, said: str) -> Found:
    then = "so the plugin ends with" if severity is Severity.ERROR else "which something else overrides; without that the plugin ends with"
    meant = did_you_mean(word, known)
    return Found(
        severity=severity,
        message=f"{written} is {word!r}, {then} '{said}: {word}'",
        about=about,
        path=path,
        fix=f"{meant[0].upper()}{meant[1:-1]}? The words are {', '.join(known)}" if meant else f"Use one of {', '.join(known)}",
    )


def _cdi_roots(inputs: Inputs) -> Iterator[Found]:
    for plugin in device_plugins(inputs):
        options = options_of(inputs, plugin, LIST_STRATEGY)
        if not any(word.startswith("cdi-") for option in options for word in strategies(option.value)):
            continue
        roots = options_of(inputs, plugin, DRIVER_ROOT)
        root = roots[0].value if roots else None
        if plugin.release:
            if root is None and plugin.complete:
                yield _no_root(plugin, options[0].path)
        elif not isinstance(root, Unknown):
            yield from _of_daemon_set(plugin, str(root or "/"), roots[0].path if roots else options[0].path)


def _of_daemon_set(plugin: Agent, root: str, path: Path) -> Iterator[Found]:
    inside = next(
        (str(each.get("value")) for _, each in mappings(plugin.container.get("env")) if each.get("name") in _CONTAINER_ROOT_VARIABLES),
        _CONTAINER_ROOT,
    )
    names = [each.get("name") for _, each in mappings(plugin.container.get("volumeMounts")) if each.get("mountPath") == inside]
    mounted = [volume.get("hostPath") for _, volume in mappings(plugin.spec.get("volumes")) if volume.get("name") in names]
    folder = mounted[0].get("path") if mounted and isinstance(mounted[0], dict) else None
    if not names:
        yield _no_root(plugin, path)
    elif isinstance(folder, str) and not isinstance(folder, Unknown) and (folder.rstrip("/") or "/") != (root.rstrip("/") or "/"):
        yield Found(
            severity=Severity.ERROR,
            message=f"NVIDIA_DRIVER_ROOT is {root}, and {inside} is the host's {folder}: the CDI specs name files on the host that are not there, "
            "and containers can't be created",
            about=plugin.about,
            path=path,
            fix=f"Set NVIDIA_DRIVER_ROOT to what is mounted at {inside}: {folder}",
        )


def _no_root(plugin: Agent, path: Path) -> Found:
    where = "nvidiaDriverRoot is not set" if plugin.release else f"nothing is mounted at {_CONTAINER_ROOT}"
    return Found(
        severity=Severity.WARNING,
        message=f"the device list strategy is CDI and {where}: the plugin finds no driver to describe, and its CDI specs name no library",
        about=plugin.about,
        path=path,
        fix="Set nvidiaDriverRoot: /"
        if plugin.release
        else f"Mount the host's / at {_CONTAINER_ROOT}, read-only, and set NVIDIA_DRIVER_ROOT=/",
    )


_RUNTIME_CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
"""
PLUGIN = f"""\
{_RUNTIME_CLASS}apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: nvidia-device-plugin, namespace: kube-system}}
spec:
  selector: {{matchLabels: {{app: nvidia-device-plugin}}}}
  template:
    metadata: {{labels: {{app: nvidia-device-plugin}}}}
    spec:
      runtimeClassName: nvidia
      nodeSelector: {{kubernetes.io/hostname: gpu-1}}
      containers:
        - name: nvidia-device-plugin-ctr
          image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0
          env:
            - {{name: DEVICE_LIST_STRATEGY, value: "%s"}}
"""
_ROOTS = """\
            - {{name: NVIDIA_DRIVER_ROOT, value: {}}}
          securityContext: {{privileged: true}}
          volumeMounts: [{{name: driver-root, mountPath: /driver-root, readOnly: true}}]
      volumes: [{{name: driver-root, hostPath: {{path: /}}}}]
"""
_CDI = PLUGIN % "cdi-annotations,cdi-cri"

RULES = (
    Rule(
        id="TG009",
        claim="The strategies of a device plugin are words that it knows",
        symptom="invalid --device-list-strategy option: invalid strategy: envvars; CrashLoopBackOff of nvidia-device-plugin",
        severity=Severity.ERROR,
        fix="Use one of the words that the plugin knows",
        source="NVIDIA/k8s-device-plugin api/config/v1/strategy.go",
        judge=_unknown_words,
        failing=Example(talos="1.12", yaml=PLUGIN % "envvars"),
        passing=Example(talos="1.13", yaml=_CDI + _ROOTS.format("/")),
    ),
    Rule(
        id="TG020",
        claim="A plugin that writes CDI specs sees the driver where it says that the host has it",
        symptom="failed to stat CDI host device; error mounting /usr/local/usr/local/lib/libcuda.so: no such file or directory",
        severity=Severity.ERROR,
        fix="Mount the host's / at /driver-root, and set NVIDIA_DRIVER_ROOT=/",
        source="https://github.com/proompteng/lab/commit/e1e5b38d; NVIDIA/k8s-device-plugin internal/cdi/cdi.go",
        judge=_cdi_roots,
        failing=Example(talos="1.13", yaml=_CDI + _ROOTS.format("/usr/local")),
        passing=Example(talos="1.13", yaml=_CDI + _ROOTS.format("/")),
    ),
)
