"""`machine.files` that Talos refuses to write at boot: the node reboots in a loop."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...observed.model import Inputs, NodeConfig, Path, at, is_open, mappings
from ...observed.nodes.node_settings import talos_of
from ...upstream.talos.features import CUSTOMIZATION_PATH, DOCUMENTS
from ...upstream.talos.file_writes import ETC_FILE_KIND, FileOperation, etc_file_name, may_be_created
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._talos import once

_REFUSAL = "create operation not allowed outside of /var"
_PART = re.compile(r"/etc/cri/conf\.d/[^/]+\.part")


def _files(config: NodeConfig) -> Iterator[tuple[Path, object, object]]:
    """Every file with a known path and operation: its place in the configuration, its path and its operation."""
    for index, document in config.documents:
        if "kind" not in document:
            for number, file in mappings(at(document, "machine", "files")):
                name, operation = at(file, "path"), at(file, "op")
                if not is_open(name) and not is_open(operation):
                    yield ("documents", index, "machine", "files", number), name, operation


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
        yield Violation(
            severity=Severity.ERROR,
            message=f"{config.name} gets {CUSTOMIZATION_PATH} twice. The first entry is at {_where(config, entries[0])}. {effect}",
            about=config,
            path=entries[-1],
            fix=_IN_A_DOCUMENT if newer else None,
        )


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
                yield Violation(
                    severity=Severity.WARNING if is_part else Severity.ERROR,
                    message=f"{name} has op: create, and is outside of /var. Talos {effect}",
                    about=config,
                    path=(*path, "path"),
                    fix=_elsewhere(name, is_part=is_part, newer=_has_documents(config, inputs)),
                )
            elif operation is None:
                yield Violation(
                    severity=Severity.WARNING if config.scope == "patch" else Severity.ERROR,
                    message=f"{name} has no op. Talos fails at boot with 'unknown operation for file'",
                    about=config,
                    path=path,
                    fix="Set op: create, op: overwrite or op: append",
                )


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

RULES = (
    Rule(
        **WORDS["TG074"],
        severity=Severity.ERROR,
        check=_twice,
        failing=Example(yaml=_CLUSTER % ""),
        passing=Example(yaml=_CLUSTER % _DELETED),
    ),
    Rule(
        **WORDS["TG075"],
        severity=Severity.ERROR,
        check=_refused,
        failing=Example(yaml=_FILE % "/etc/nvidia-container-runtime/config.toml"),
        passing=Example(yaml=_FILE % "/var/lib/nvidia/config.toml"),
    ),
)
