"""`machine.files` that Talos refuses to write at boot, and paths of an older Talos in node configurations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....arguments.patterns import pattern
from ....observed.model import Inputs, NodeConfig, Path, at, is_open, known_str, known_text, mappings
from ....observed.nodes.node_settings import talos_of
from ....upstream.talos.features import (
    CDI_LAYOUT,
    CUSTOMIZATION_PATH,
    DOCUMENTS,
    DRIVER_ROOT,
    LEGACY_LIBRARIES,
    LEGACY_ROOT,
    has_legacy_root,
)
from ....upstream.talos.folders import ETC_FILE_KIND, FileOperation, etc_file_name, may_be_created
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._talos import once

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
    shown_by=Witness.NODE,
    failing=Example(_CLUSTER % ""),
    passing=Example(_CLUSTER % _DELETED),
)
@once
def _twice(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        entries = [path for path, name, _ in _files(config) if name == CUSTOMIZATION_PATH]
        if len(entries) < 2:  # noqa: PLR2004  # a pair is what the rule is about
            continue
        newer = _has_documents(config, inputs)
        effect = (
            "Talos reads only the first entry"
            if newer
            else "The node fails on the second entry (EtcFileSpecs … already exists), and reboots in a loop"
        )
        message = f"{config.name} gets {CUSTOMIZATION_PATH} twice. The first entry is at {_where(config, entries[0])}. {effect}"
        yield Violation(Severity.ERROR, message, config, entries[-1], fix=_IN_A_DOCUMENT if newer else None)


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
    shown_by=Witness.NODE,
    failing=Example(_FILE % "/etc/nvidia-container-runtime/config.toml"),
    passing=Example(_FILE % "/var/lib/nvidia/config.toml"),
)
@once
def _refused(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
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
    claim="From Talos 1.13 on no node configuration names /usr/local/glibc",
    symptom="after the upgrade to Talos 1.13 the node does not come up, or kubelet fails: no such file or directory: /usr/local/glibc",
    fix="Remove the path, or replace it by /usr/local/lib (libraries) and /usr/local/bin (programs)",
    source="https://github.com/siderolabs/extensions/commit/fdd02585; siderolabs/talos#13346",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_PATCH % "glibc/usr/lib", talos="1.13"),
    passing=Example(_PATCH % "glibc/usr/lib", talos="1.12"),
    talos=CDI_LAYOUT,
)
@once
def _old_paths(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        if talos and has_legacy_root(talos.version):
            continue
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
                yield Violation(Severity.INFO if alone else Severity.ERROR, message, config, path, edits=edits)


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
