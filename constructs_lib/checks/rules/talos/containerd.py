"""Containerd fragments in node configurations: settings that containerd does not read, and wrong CDI folders."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ....observed.agents.agents import dra_drivers
from ....observed.model import Inputs, Path, at, known_str, known_text, mappings
from ....observed.model.talos_documents import RUNTIME, fragments, settings, spec_dirs
from ....observed.nodes.node_settings import talos_of
from ....observed.pods.workloads import workloads
from ....upstream.talos.features import CUSTOMIZATION_PATH
from ....upstream.talos.minors import Minors
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import plugin_release
from .._talos import once

_OLD_PLUGIN = "io.containerd.grpc.v1.cri"
# The keys of the old plugin that concern a runtime; no other key of a fragment is checked here.
_OF_RUNTIMES = {"containerd", "enable_cdi", "cdi_spec_dirs"}
_DEFAULT = "default_runtime_name"
_DEFAULT_PATH: Path = ("plugins", RUNTIME, "containerd", _DEFAULT)
_RUNTIMES: Path = ("plugins", RUNTIME, "containerd", "runtimes")
_NOT_THERE = "/usr/bin/nvidia-container-runtime"
# The folders that containerd reads by default, and that device plugins and Talos' own extension write to.
_PLUGINS_DIR = "/var/run/cdi"
_OWN_DIRS = {_PLUGINS_DIR, "/run/cdi"}
# No setting of containerd is nested as deep.
_DEEPEST = 20


_PATCH = """\
machine:
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
"""
_OUTSIDE = """\
        [plugins."io.containerd.cri.v1.runtime"]
          default_runtime_name = "nvidia"
"""
_INSIDE = """\
        [plugins."io.containerd.cri.v1.images"]
          discard_unpacked_layers = false
        [plugins."io.containerd.cri.v1.runtime"]
          [plugins."io.containerd.cri.v1.runtime".containerd]
            default_runtime_name = "nvidia"
"""


@Rule(
    id="TG081",
    claim="Settings of NVIDIA's runtime stand where containerd reads them",
    symptom="pods without runtimeClassName see no GPU although default_runtime_name is nvidia; fork/exec /usr/bin/nvidia-container-runtime",
    fix='Set default_runtime_name = "nvidia" in [plugins."io.containerd.cri.v1.runtime".containerd], and remove '
    "the runtime nvidia: the extension brings the runtime with /usr/local/bin/nvidia-container-runtime",
    source="siderolabs/talos hack/cri-plugin.part; siderolabs/extensions nvidia-gpu",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(_PATCH + _OUTSIDE),
    passing=Example(_PATCH + _INSIDE),
)
@once
def _unread(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        for path, text in fragments(config.at("documents")):
            if not isinstance(text, str) or ("nvidia" not in text and _DEFAULT not in text):
                continue
            if known_str(config.at("documents", *path[:-1], "path")) not in (None, CUSTOMIZATION_PATH):
                continue  # Talos takes no other file, whatever it says (TG075)
            for fault in _faults(text):
                yield Violation(Severity.WARNING, fault, config, ("documents", *path))


def _faults(text: str) -> Iterator[str]:
    """The settings of a fragment that have no effect, or break."""
    fragment = settings(text)
    if fragment is None:
        yield "the fragment is not valid TOML. Talos can't merge it into containerd's configuration"
        return
    values = list(_walk(fragment))
    ignored = [str(path[-1]) for path, _ in values if _OLD_PLUGIN in path and not _OF_RUNTIMES.isdisjoint(path)]
    if ignored:
        have = "has" if len(ignored) == 1 else "have"
        yield f'{" and ".join(ignored)} {have} no effect: plugins."{_OLD_PLUGIN}" is a key of containerd 1, and the containerd of Talos reads {RUNTIME}'
    for path, value in values:
        written = _written(path)
        if _OLD_PLUGIN in path:
            continue
        if path[-1] == _DEFAULT and path != _DEFAULT_PATH:
            yield f'{written} has no effect: containerd reads {_DEFAULT} only in plugins."{RUNTIME}".containerd'
        elif path[-1] == "runtime_type" and path[:-2] != _RUNTIMES:
            yield f'{written} has no effect: containerd reads runtimes only in plugins."{RUNTIME}".containerd.runtimes'
        elif path[-1] == "BinaryName" and value == _NOT_THERE and path[:-3] == _RUNTIMES:
            yield f"{written} is {value}, a file that no Talos has. Containers of this runtime don't start"


def _written(path: Path) -> str:
    return ".".join(f'"{key}"' if "." in str(key) else str(key) for key in path)


def _walk(table: Mapping[str, Any], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value that is not a table, with its path."""
    for key, value in table.items():
        if isinstance(value, Mapping) and len(path) < _DEEPEST:
            yield from _walk(value, (*path, key))
        else:
            yield (*path, key), value


_WRITER = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: gpu-driver, namespace: gpu-driver}
spec:
  template: {spec: {containers: [{name: main, image: example.com/gpu-driver:1}], volumes: [{name: cdi, hostPath: {path: /var/run/cdi}}]}}
---
apiVersion: v1
kind: Namespace
metadata: {name: gpu-driver, labels: {pod-security.kubernetes.io/enforce: privileged}}
"""
_DIRS = """\
        [plugins."io.containerd.cri.v1.runtime"]
          cdi_spec_dirs = ["/var/cdi/static", "/var/cdi/dynamic"]
"""


@Rule(
    id="TG085",
    claim="Up to Talos 1.12 cdi_spec_dirs keeps the folder to which DRA drivers and device plugins write CDI specs",
    symptom="unresolvable CDI devices; no CDI devices found",
    fix='Add "/var/run/cdi" to cdi_spec_dirs',
    source="siderolabs/talos hack/cri-plugin.part",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(f"{_PATCH}{_DIRS}{_WRITER}", talos="1.12"),
    # The plugin's default, envvar, writes no CDI specs.
    passing=Example(f"{_PATCH}{_DIRS}---\n{plugin_release()}", talos="1.12"),
    talos=Minors(until=12),
)
@once
def _other_dirs(inputs: Inputs) -> Iterator[Violation]:
    if not _uses_cdi(inputs):
        return
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        for path, text in fragments(config.at("documents")):
            folders = spec_dirs(text)
            if folders and _OWN_DIRS.isdisjoint(folders):
                message = (
                    f"cdi_spec_dirs is {', '.join(folders)}. containerd of Talos {talos} then does not read {_PLUGINS_DIR}, where drivers write "
                    "CDI specs (unresolvable CDI devices)"
                )
                fix = f"Set cdi_spec_dirs = {json.dumps([*folders, _PLUGINS_DIR])}"
                yield Violation(Severity.WARNING, message, config, ("documents", *path), fix=fix)


def _uses_cdi(inputs: Inputs) -> bool:
    """Whether something here writes CDI specs: a DRA driver, or a pod that mounts the folder of the specs."""
    volumes = (volume for workload in workloads(inputs) for _, volume in mappings(at(workload.spec, "volumes")))
    return bool(dra_drivers(inputs)) or any(known_text(at(each, "hostPath", "path")).rstrip("/") in _OWN_DIRS for each in volumes)
