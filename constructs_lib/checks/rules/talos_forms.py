"""The two forms of Talos' configuration: fields under `machine`, and the documents that replace them from Talos 1.14 on."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs, at, equals, is_open, known_str
from ...observed.nodes.node_settings import talos_of
from ...upstream.talos.config_documents import CONFIG_DOCUMENTS_SINCE, CONFLICTING_FIELDS, INSTALL_KIND, RESERVED_NAMES
from ...upstream.talos.features import CUSTOMIZATION_PATH, DOCUMENTS
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._talos import once

_INSTALL_FIX = (
    "Move machine.install.image to installer.image of the UnattendedInstallConfig. A node upgraded from Talos 1.13 keeps machine.install and has no "
    "UnattendedInstallConfig"
)
_FIRST = {kind: minor for minor, kinds in CONFIG_DOCUMENTS_SINCE.items() for kind in kinds.split()}


@once
def _both(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        fields = [(index, document) for index, document in config.documents if "kind" not in document]
        for index, document in config.documents:
            kind = known_str(at(document, "kind")) or ""
            if kind in RESERVED_NAMES and equals(at(document, "name"), RESERVED_NAMES[kind]).is_yes:
                yield Violation(
                    severity=Severity.ERROR,
                    message=f"the name {document['name']} of the {kind} is reserved for {CUSTOMIZATION_PATH}. Talos refuses the configuration",
                    about=config,
                    path=("documents", index, "name"),
                    fix=f"Set another name on the {kind}",
                )
            for path in CONFLICTING_FIELDS.get(kind, ()):
                for place, field in fields:
                    value = at(field, *path)
                    if value is not None and not is_open(value):
                        yield Violation(
                            severity=Severity.ERROR,
                            message=f"{'.'.join(map(str, path))} and a{'n' if kind[0] in 'AEIOU' else ''} {kind} exclude each other. Talos refuses a configuration with "
                            "both",
                            about=config,
                            path=("documents", place, *path),
                            fix=_INSTALL_FIX if kind == INSTALL_KIND else "",
                        )


@once
def _unknown(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        talos = talos_of(config, inputs)
        newer = [
            (index, kind)
            for index, document in config.documents
            if talos is not None and _FIRST.get(kind := known_str(at(document, "kind")) or "", 0) > talos.minor
        ]
        if newer:
            kinds = list(dict.fromkeys(kind for _, kind in newer))
            yield Violation(
                severity=Severity.ERROR,
                message=f"{' and '.join(kinds)} exist{'s' if len(kinds) == 1 else ''} only from Talos 1.{_FIRST[kinds[0]]} on. Talos {talos} refuses the "
                "whole configuration",
                about=config,
                path=("documents", newer[0][0], "kind"),
            )


_DOCUMENT = """\
machine:
  kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]}
%s---
apiVersion: v1alpha1
kind: KubeNodeConfig
labels: {role: gpu}
---
apiVersion: v1alpha1
kind: SysctlConfig
params: {vm.nr_hugepages: "1024"}
"""
_MODULE = "apiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\n"

RULES = (
    Rule(
        **WORDS["TG086"],
        severity=Severity.ERROR,
        check=_both,
        failing=Example(yaml=_DOCUMENT % "  nodeLabels: {rack: a}\n", talos="1.14"),
        passing=Example(yaml=_DOCUMENT % "  sysctls: {vm.max_map_count: 262144}\n", talos="1.14"),
        talos=DOCUMENTS,
        without_talos=True,
    ),
    Rule(
        **WORDS["TG087"],
        severity=Severity.ERROR,
        check=_unknown,
        failing=Example(yaml=_MODULE, talos="1.13"),
        passing=Example(yaml=_MODULE, talos="1.14"),
    ),
)
