"""`machine.files` that Talos refuses to write, paths of an older Talos, and fragments that containerd does not read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ....arguments.patterns import pattern
from ....observed.agents.agents import dra_drivers
from ....observed.model import Inputs, NodeConfig, Path, at, is_open, known_str, known_text, mappings
from ....observed.model.talos_documents import OLD_RUNTIME, RUNTIME, fragments, settings, spec_dirs
from ....observed.nodes.node_settings import talos_of
from ....observed.pods.workloads import workloads
from ....upstream.talos.features import CONTAINERD_2, CUSTOMIZATION_PATH, DOCUMENTS, DRIVER_ROOT, LEGACY_LIBRARIES, LEGACY_ROOT
from ....upstream.talos.folders import ETC_FILE_KIND, FileOperation, etc_file_name, may_be_created
from ....upstream.talos.generations import CDI_LAYOUT, LEGACY_LAYOUT, has_legacy_root
from ...halves import talos_of_nodes
from ...rule import Example, Rule, Severity, Violation, Witness, set_to
from .._shared import each_node, once, plugin_release

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

_FRAGMENT = """\
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
    failing=Example(_FRAGMENT + _OUTSIDE),
    passing=Example(_FRAGMENT + _INSIDE),
    talos=CONTAINERD_2,
    without_talos=True,
)
@each_node
def _unread(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
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
    ignored = [str(path[-1]) for path, _ in values if OLD_RUNTIME in path and not _OF_RUNTIMES.isdisjoint(path)]
    if ignored:
        have = "has" if len(ignored) == 1 else "have"
        yield f'{" and ".join(ignored)} {have} no effect: plugins."{OLD_RUNTIME}" is a key of containerd 1, and the containerd of Talos reads {RUNTIME}'
    for path, value in values:
        written = ".".join(f'"{key}"' if "." in str(key) else str(key) for key in path)
        if OLD_RUNTIME in path:
            continue
        if path[-1] == _DEFAULT and path != _DEFAULT_PATH:
            yield f'{written} has no effect: containerd reads {_DEFAULT} only in plugins."{RUNTIME}".containerd'
        elif path[-1] == "runtime_type" and path[:-2] != _RUNTIMES:
            yield f'{written} has no effect: containerd reads runtimes only in plugins."{RUNTIME}".containerd.runtimes'
        elif path[-1] == "BinaryName" and value == _NOT_THERE and path[:-3] == _RUNTIMES:
            yield f"{written} is {value}, a file that no Talos has. Containers of this runtime don't start"


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
    claim=f"{LEGACY_LAYOUT.opening} cdi_spec_dirs keeps the folder to which DRA drivers and device plugins write CDI specs",
    symptom="unresolvable CDI devices; no CDI devices found",
    fix='Add "/var/run/cdi" to cdi_spec_dirs',
    source="siderolabs/talos hack/cri-plugin.part",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example(f"{_FRAGMENT}{_DIRS}{_WRITER}", talos="1.12"),
    # The plugin's default, envvar, writes no CDI specs.
    passing=Example(f"{_FRAGMENT}{_DIRS}---\n{plugin_release()}", talos="1.12"),
    talos=LEGACY_LAYOUT,
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


_REFUSAL = "create operation not allowed outside of /var"
_PART = pattern(r"/etc/cri/conf\.d/[^/]+\.part")


def _files(config: NodeConfig) -> Iterator[tuple[Path, object, object]]:
    """Every file with a known path and operation: its place in the configuration, its path and its operation."""
    for index, document in config.documents:
        if "kind" not in document:
            for number, file in mappings(at(document, "machine", "files")):
                name, operation = at(file, "path"), at(file, "op")
                if not is_open(name) and not is_open(operation):
                    yield ("documents", index, "machine", "files", number), name, operation


_CLUSTER = """\
clusterName: home
talosVersion: v1.12.6
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
    talosImageURL: factory.talos.dev/metal-installer/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    patches:
      - |
        machine:
          files:
%s            - path: /etc/cri/conf.d/20-customization.part
              op: create
              content: |
                [plugins."io.containerd.cri.v1.runtime".containerd]
                  default_runtime_name = "nvidia"
worker:
  patches:
    - |
      machine:
        files:
          - path: /etc/cri/conf.d/20-customization.part
            op: create
            content: |
              [plugins."io.containerd.cri.v1.images"]
                discard_unpacked_layers = false
"""
_DELETED = """\
            - path: /etc/cri/conf.d/20-customization.part
              $patch: delete
"""


@Rule(
    id="TG074",
    claim=f"A node gets one {CUSTOMIZATION_PATH}",
    symptom="resource EtcFileSpecs.files.talos.dev(files/cri/conf.d/20-customization.part@undefined) already "
    "exists; the node reboots in a loop",
    fix="Merge both contents into one entry, or remove the first by an entry with the same path and $patch: "
    "delete before the second. From Talos 1.14 on a CRICustomizationConfig takes the place of the entry",
    source="siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go",
    severity=Severity.ERROR,
    shown_by=Witness.TALOS,
    failing=Example(_CLUSTER % ""),
    passing=Example(_CLUSTER % _DELETED),
)
@each_node
def _twice(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    entries = [path for path, name, _ in _files(config) if name == CUSTOMIZATION_PATH]
    if len(entries) < 2:  # noqa: PLR2004  # a pair is what the rule is about
        return
    newer = _has_documents(config, inputs)
    effect = (
        "Talos reads only the first entry"
        if newer
        else "The node fails on the second entry (EtcFileSpecs … already exists), and reboots in a loop"
    )
    message = f"{config.name} gets {CUSTOMIZATION_PATH} twice. The first entry is at {_where(config, entries[0])}. {effect}"
    fix = _IN_A_DOCUMENT if newer else None
    yield Violation(Severity.ERROR, message, config, entries[-1], fix=fix, related=((config, entries[0]),))


def _has_documents(config: NodeConfig, inputs: Inputs) -> bool:
    talos = talos_of(config, inputs)
    return talos is not None and talos.minor in DOCUMENTS


_IN_A_DOCUMENT = "Move each content to a CRICustomizationConfig: Talos 1.14 and newer warn that .machine.files is deprecated"


def _where(config: NodeConfig, path: Path) -> str:
    file = config.file_of(path) or config.file
    return f"{file}:{config.line_of(path)}"


def _elsewhere(name: str, *, is_part: bool, newer: bool) -> str | None:
    if is_part and newer:
        return _IN_A_DOCUMENT
    if is_part:
        return f"Move the content to {CUSTOMIZATION_PATH}, or from Talos 1.14 on to a CRICustomizationConfig"
    if "nvidia-container-runtime" in name:
        return None
    if newer and (etc := etc_file_name(name)):
        return f"Move the file to a document: {{apiVersion: v1alpha1, kind: {ETC_FILE_KIND}, name: {etc}, contents: '…'}}"
    return "Set path to a file below /var. To change a file of /etc that the image has, set op: overwrite"


_FILE = """\
machine:
  files:
    - path: %s
      op: create
      permissions: 0o644
      content: |
        [nvidia-container-cli]
        no-cgroups = true
"""


@Rule(
    id="TG075",
    claim="machine.files creates files only below /var",
    symptom='create operation not allowed outside of /var: "/etc/nvidia-container-runtime/config.toml"; the node reboots in a loop',
    fix="Remove the file: Talos 1.13 and newer read no configuration of the toolkit, and older releases read "
    "/usr/local/etc/nvidia-container-runtime in the image",
    source="siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go; siderolabs/talos#9550",
    severity=Severity.ERROR,
    shown_by=Witness.TALOS,
    failing=Example(_FILE % "/etc/nvidia-container-runtime/config.toml"),
    passing=Example(_FILE % "/var/lib/nvidia/config.toml"),
)
@each_node
def _refused(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    for path, name, operation in _files(config):
        if not isinstance(name, str) or name == CUSTOMIZATION_PATH:
            continue
        if operation == FileOperation.CREATE and not may_be_created(name):
            is_part = _PART.fullmatch(name) is not None
            # A cluster with such a fragment is known, and not whether it ever booted.
            effect = (
                f"may refuse the file at boot ({_REFUSAL}), and reads only {CUSTOMIZATION_PATH} there"
                if is_part
                else f"refuses the file at boot ({_REFUSAL}), and the node reboots in a loop"
            )
            message = f"{name} has op: create, and is outside of /var. Talos {effect}"
            fix = _elsewhere(name, is_part=is_part, newer=_has_documents(config, inputs))
            yield Violation(Severity.WARNING if is_part else Severity.ERROR, message, config, (*path, "path"), fix=fix)
        elif operation is None:
            message = f"{name} has no op. Talos fails at boot with 'unknown operation for file'"
            fix = "Set op: create, op: overwrite or op: append"
            yield Violation(Severity.WARNING if config.scope == "patch" else Severity.ERROR, message, config, path, fix=fix)


_LIBRARY_PATH = "LD_LIBRARY_PATH"

_PATCH = """\
machine:
  files:
    - path: /var/lib/nvidia/ld.so.conf
      op: create
      content: /usr/local/%s
"""


@Rule(
    id="TG077",
    claim=f"{CDI_LAYOUT.opening} no node configuration names {LEGACY_ROOT}",
    symptom="after the upgrade to Talos 1.13 the node does not come up, or kubelet fails: no such file or directory: /usr/local/glibc",
    fix="Remove the path, or replace it by /usr/local/lib (libraries) and /usr/local/bin (programs)",
    source="https://github.com/siderolabs/extensions/commit/fdd02585; siderolabs/talos#13346",
    severity=Severity.ERROR,
    shown_by=Witness.TALOS,
    failing=Example(_PATCH % "glibc/usr/lib", talos="1.13"),
    passing=Example(_PATCH % "glibc/usr/lib", talos="1.12"),
    talos=CDI_LAYOUT,
)
@each_node
def _old_paths(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    talos = talos_of(config, inputs)
    if talos and has_legacy_root(talos.version):
        return
    for path, text in _texts(config):
        lines = [line for line in text.splitlines() if LEGACY_ROOT in line]
        if lines:
            alone = known_str(path[-1]) == _LIBRARY_PATH or all(_LIBRARY_PATH in line for line in lines)
            message = f"the node configuration names {LEGACY_ROOT}, a path that Talos {talos} no longer has" + (
                f". {_LIBRARY_PATH} finds nothing there"
                if alone
                else ". The driver is in /usr/local/lib and /usr/local/bin since Talos 1.13"
            )
            edits = set_to(f"{DRIVER_ROOT}/lib", safe=False) if text == LEGACY_LIBRARIES else ()
            severity, related = Severity.INFO if alone else Severity.ERROR, talos_of_nodes(inputs, config)
            yield Violation(severity, message, config, path, edits=edits, related=related)


def _texts(config: NodeConfig) -> Iterator[tuple[Path, str]]:
    for index, document in config.documents:
        yield from _strings(document, ("documents", index))


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _strings(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, (*path, index))
    elif text := known_text(value):
        yield path, text
