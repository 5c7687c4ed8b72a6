"""Nodes that hand NVIDIA's cards to virtual machines, and load NVIDIA's driver for the same cards, or an operator that does not hand the cards over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...observed.agents.operators import Operator, operators
from ...observed.model import Answer, Inputs, NodeConfig, Path, at, equals, is_among, known_list, known_str, mappings
from ...observed.nodes.node_extensions import modules
from ...upstream.nvidia.virtual_machines import (
    NVIDIA_VENDOR,
    PASSTHROUGH_WORKLOAD,
    REBIND_DRIVER,
    REBIND_KIND,
    VFIO_PCI,
    VGPU_WORKLOAD,
    WORKLOAD_LABEL,
)
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import operator_release
from ._talos import MODULES, OPEN, once, schematic, talconfig

_IDS = re.compile(rf"ids=(?:\S+,)?{NVIDIA_VENDOR}:", re.IGNORECASE)
_ARGUMENT = re.compile(rf"vfio[-_]pci\.ids=(?:\S+,)?{NVIDIA_VENDOR}:", re.IGNORECASE)


@once
def _both(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        if "nvidia" not in modules(config) or _is_rebound(config):
            continue
        bound = next(_bound(config), None)
        if bound:
            setting, path = bound
            yield Violation(
                severity=Severity.WARNING,
                message=f"{config.name} loads nvidia, and has {setting}. The module that loads first takes the cards. If nvidia loads "
                f"first, virtual machines get no card; if {VFIO_PCI} loads first, containers get no card with these ids",
                about=config,
                path=path,
            )
        if equals(at(config.labels, WORKLOAD_LABEL), PASSTHROUGH_WORKLOAD).is_yes and any(
            _hands_over(each).is_yes for each in operators(inputs)
        ):
            yield Violation(
                severity=Severity.WARNING,
                message=f"{config.name} loads nvidia, and has the label {WORKLOAD_LABEL}={PASSTHROUGH_WORKLOAD}. The operator's vfio-manager finds the driver "
                "('NVIDIA GPU driver is already pre-installed on the node') and does not bind the cards to vfio-pci. nvidia-sandbox-validator fails",
                about=config,
                path=(*config.paths.get("labels", ()), WORKLOAD_LABEL),
                fix=f"For virtual machines, remove NVIDIA's modules and extensions from the node. For containers, set {WORKLOAD_LABEL}: container",
            )


@once
def _ignored_label(inputs: Inputs) -> Iterator[Violation]:
    found = operators(inputs)
    if not found or not all(_hands_over(each).is_no for each in found):
        return
    for config in inputs.node_configs:
        value = at(config.labels, WORKLOAD_LABEL)
        if is_among(value, (PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD)).is_yes:
            yield Violation(
                severity=Severity.WARNING,
                message=f"{config.name} has the label {WORKLOAD_LABEL}={value}, but sandboxWorkloads.enabled of the GPU operator ({found[0].about.label}) is "
                "false. The operator ignores the label, prepares the node for containers, and hands no card to virtual machines",
                about=config,
                path=(*config.paths.get("labels", ()), WORKLOAD_LABEL),
            )


def _hands_over(operator: Operator) -> Answer:
    return operator.is_on("sandboxWorkloads", "enabled")


def _is_rebound(config: NodeConfig) -> bool:
    """Whether Talos gives a card, or may, to virtual machines after the modules are loaded."""
    return any(
        known_str(at(document, "kind")) == REBIND_KIND and not equals(at(document, "targetDriver"), REBIND_DRIVER).is_no
        for _, document in config.documents
    )


def _bound(config: NodeConfig) -> Iterator[tuple[str, Path]]:
    """The settings that bind NVIDIA's cards to vfio_pci: the module's parameters, and kernel arguments."""
    for path, module in _modules(config):
        if (known_str(at(module, "name")) or "").replace("-", "_") == VFIO_PCI:
            for number, parameter in enumerate(known_list(at(module, "parameters"))):
                if isinstance(parameter, str) and _IDS.match(parameter):
                    yield f"{VFIO_PCI} with {parameter}", (*path, "parameters", number)
    for argument in config.kernel_args or _installed_args(config):
        if isinstance(argument, str) and _ARGUMENT.match(argument):
            yield f"the kernel argument {argument}", config.paths["kernel_modules"]


def _modules(config: NodeConfig) -> Iterator[tuple[Path, object]]:
    for index, document in config.documents:
        if known_str(at(document, "kind")) == "KernelModuleConfig":
            yield ("documents", index), document
        elif "kind" not in document:
            for number, module in mappings(at(document, "machine", "kernel", "modules")):
                yield ("documents", index, "machine", "kernel", "modules", number), module


def _installed_args(config: NodeConfig) -> list[object]:
    """The kernel arguments of `machine.install`, also where the image's own arguments are not known."""
    return [
        each
        for _, document in config.documents
        if "kind" not in document
        for each in known_list(at(document, "machine", "install", "extraKernelArgs"))
    ]


_IMAGE = schematic(*OPEN)
_VFIO = MODULES.replace("]", ", {name: vfio_pci, parameters: ['ids=10de:2684,10de:22ba']}]")
# Two kinds of cards in one node: Talos hands the card at one address over after the modules are loaded.
_REBOUND = """\
    patches:
      - |
        apiVersion: v1alpha1
        kind: PCIDriverRebindConfig
        name: "0000:04:00.0"
        targetDriver: vfio-pci
"""
_LABELED = "    nodeLabels: {nvidia.com/gpu.workload.config: %s}\n---\n" + operator_release()

RULES = (
    Rule(
        **WORDS["TG109"],
        severity=Severity.WARNING,
        check=_both,
        failing=Example(yaml=talconfig(_IMAGE + _VFIO)),
        passing=Example(yaml=talconfig(_IMAGE + MODULES.replace("]", ", {name: vfio_pci}]") + _REBOUND)),
    ),
    Rule(
        **WORDS["TG114"],
        severity=Severity.WARNING,
        check=_ignored_label,
        failing=Example(yaml=talconfig(_LABELED % PASSTHROUGH_WORKLOAD)),
        passing=Example(yaml=talconfig(_LABELED % "container")),
    ),
)
