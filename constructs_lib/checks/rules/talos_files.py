"""`machine.files`: what Talos refuses to write while it boots, which is a node that reboots for ever."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...upstream.talos_features import CUSTOMIZATION_PATH, DOCUMENTS
from ...upstream.talos_file_writes import FileOperation, may_be_created
from ..facts.node_settings import talos_of
from ..finding import Severity
from ..model import Inputs, NodeConfig, Path, at, is_open, mappings
from ..rule import Example, Found, Rule
from ._talos import once

_PART = re.compile(r"/etc/cri/conf\.d/[^/]+\.part")


def _files(config: NodeConfig) -> Iterator[tuple[Path, object, object]]:
    """The path of each file, and of its operation, as they are written and where both are known."""
    for index, document in config.documents:
        if "kind" not in document:
            for number, file in mappings(at(document, "machine", "files")):
                name, operation = at(file, "path"), at(file, "op")
                if not is_open(name) and not is_open(operation):
                    yield ("documents", index, "machine", "files", number), name, operation


@once
def _twice(inputs: Inputs) -> Iterator[Found]:
    for config in inputs.node_configs:
        found = [path for path, name, _ in _files(config) if name == CUSTOMIZATION_PATH]
        if len(found) < 2:  # noqa: PLR2004  # a pair is what the rule is about
            continue
        talos = talos_of(config, inputs)
        newer = talos is not None and talos.minor in DOCUMENTS
        then = "Talos reads the first alone" if newer else "it reboots over the second (EtcFileSpecs … already exists), and never comes up"
        yield Found(
            severity=Severity.ERROR,
            message=f"{config.name} gets {CUSTOMIZATION_PATH} twice, here and in {_where(config, found[0])}: {then}",
            about=config,
            path=found[-1],
        )


def _where(config: NodeConfig, path: Path) -> str:
    file = config.file_of(path) or config.file
    return f"line {config.line_of(path)} of {file}"


def _elsewhere(name: str, *, is_part: bool) -> str | None:
    if is_part:
        return f"Put it into {CUSTOMIZATION_PATH}, or from Talos 1.14 on into a CRICustomizationConfig"
    return (
        None
        if "nvidia-container-runtime" in name
        else "Create it below /var; a file of /etc that the image has is changed by op: overwrite"
    )


@once
def _refused(inputs: Inputs) -> Iterator[Found]:
    for config in inputs.node_configs:
        for path, name, operation in _files(config):
            if not isinstance(name, str) or name == CUSTOMIZATION_PATH:
                continue
            if operation == FileOperation.CREATE and not may_be_created(name):
                is_part = _PART.fullmatch(name) is not None
                then = f"only {CUSTOMIZATION_PATH} is read there" if is_part else "the node does not come up"
                yield Found(
                    severity=Severity.WARNING if is_part else Severity.ERROR,
                    message=f"{name} is to be created outside of /var, which Talos refuses while it boots: {then}",
                    about=config,
                    path=(*path, "path"),
                    fix=_elsewhere(name, is_part=is_part),
                )
            elif operation is None:
                yield Found(
                    severity=Severity.WARNING if config.scope == "patch" else Severity.ERROR,
                    message=f"{name} has no op, and Talos fails while booting: unknown operation for file",
                    about=config,
                    path=path,
                    fix="Write op: create, overwrite or append",
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
        id="TG074",
        claim=f"A node gets one {CUSTOMIZATION_PATH}",
        symptom="resource EtcFileSpecs.files.talos.dev(files/cri/conf.d/20-customization.part@undefined) already exists; the node reboots in a loop",
        severity=Severity.ERROR,
        fix="Put both contents into one, or remove the first with an entry of the same path and $patch: delete before the second",
        source="siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go",
        judge=_twice,
        failing=Example(yaml=_CLUSTER % ""),
        passing=Example(yaml=_CLUSTER % _DELETED),
    ),
    Rule(
        id="TG075",
        claim="Talos is told to create files in /var only",
        symptom='create operation not allowed outside of /var: "/etc/nvidia-container-runtime/config.toml"; the node reboots in a loop',
        severity=Severity.ERROR,
        fix="Leave it out: Talos 1.13 and newer read no configuration of the toolkit, older ones read /usr/local/etc/nvidia-container-runtime, which is in "
        "the image",
        source="siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go; siderolabs/talos#9550",
        judge=_refused,
        failing=Example(yaml=_FILE % "/etc/nvidia-container-runtime/config.toml"),
        passing=Example(yaml=_FILE % "/var/lib/nvidia/config.toml"),
    ),
)
