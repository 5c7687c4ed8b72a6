"""Two device plugins on one node: the kubelet listens to only one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nodes.gpu_nodes import GpuNodes
from ...upstream.charts.gpu_operator_chart import OPERANDS_LABEL, PLUGIN_LABEL
from ..facts.agents import Agent, device_plugins
from ..facts.node_labels import labels_of_nodes
from ..facts.node_overlap import are_apart, is_unrestricted
from ..facts.operators import operators
from ..finding import Severity
from ..model import Inputs
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import plugin_release

# The operator runs no plugin on a node with the value "false" of either label.
_SWITCHES = (PLUGIN_LABEL, OPERANDS_LABEL)
# pkg/kubelet/cm/devicemanager keeps one endpoint for a resource, the newest, and drops it when the pod of either plugin ends.
_TWICE = "The kubelet listens to the plugin that registered last, and nvidia.com/gpu drops to 0 when the pod of either plugin ends"


def _overlap(inputs: Inputs) -> Iterator[Violation]:
    plugins = device_plugins(inputs)
    if not _is_kept_off_by_labels(inputs):
        beside = [plugin for plugin in plugins if not _is_for_partitioned_nodes(inputs, plugin)]
        for operator in operators(inputs):
            for plugin in beside if operator.is_on("devicePlugin", "enabled").is_yes else ():
                everywhere = _is_everywhere(plugin)
                how = "runs on every GPU node, like" if everywhere else "may run on the same nodes as"
                yield Violation(
                    severity=Severity.ERROR if everywhere else Severity.WARNING,
                    message=f"the plugin {how} the device plugin of {operator.about.label}. {_TWICE}",
                    about=plugin.about,
                    path=plugin.base,
                    fix="Set devicePlugin.enabled: false in the operator's values, or remove this plugin",
                )
    for index, other in enumerate(plugins):
        others = [each for each in plugins[:index] if each.about is not other.about and are_apart(each.spec, other.spec).is_no]
        if others:  # the surest neighbour, whatever the order of the files
            yield _same_nodes(min(others, key=lambda each: (not _is_everywhere(each), each.about.label)), other)


def _same_nodes(one: Agent, other: Agent) -> Violation:
    everywhere = _is_everywhere(one) and _is_everywhere(other)
    return Violation(
        severity=Severity.ERROR if everywhere else Severity.WARNING,
        message=f"the plugin {'runs' if everywhere else 'may run'} on the same nodes as the device plugin of {one.about.label}. {_TWICE}",
        about=other.about,
        path=other.base,
    )


def _is_everywhere(plugin: Agent) -> bool:
    """Whether the plugin surely runs on every GPU node."""
    return is_unrestricted(plugin.spec) and plugin.complete


def _is_kept_off_by_labels(inputs: Inputs) -> bool:
    """Whether a label keeps the operator's plugin off some nodes, or may: a standalone plugin is for these nodes."""
    labels = labels_of_nodes(inputs)
    return any(labels.may_give(label, "false") for label in _SWITCHES)


def _is_for_partitioned_nodes(inputs: Inputs, plugin: Agent) -> bool:
    """Whether a standalone plugin may be for the described classes that the operator's plugin is kept off.

    `MachineConfigPatch(operator=True)` gives nodes with `mig_devices` the label. A plugin for every GPU node runs on the other classes too.
    """
    kept_off = [each for each in inputs.nodes if each.mig_devices is not None and each.node_labels.get(PLUGIN_LABEL, "false") == "false"]
    if is_unrestricted(plugin.spec) and len(kept_off) < len(inputs.nodes):
        return False
    return any(not are_apart(plugin.spec, _selection(each)).is_yes for each in kept_off)


def _selection(nodes: GpuNodes) -> dict[str, Any]:
    """The part of a pod's spec that selects a class of nodes."""
    return {"nodeSelector": nodes.node_selector, "affinity": nodes.node_affinity}


_EVERYWHERE = "{kubernetes.io/os: linux}"


def _two(one: str, other: str) -> str:
    return f"{plugin_release(name='one', nodes=one)}---\n{plugin_release(name='other', nodes=other)}"


RULES = (
    Rule(
        **WORDS["TG026"],
        severity=Severity.ERROR,
        check=_overlap,
        failing=Example(yaml=_two(_EVERYWHERE, _EVERYWHERE)),
        passing=Example(yaml=_two("{kubernetes.io/hostname: gpu-1}", "{kubernetes.io/hostname: gpu-2}")),
    ),
)
