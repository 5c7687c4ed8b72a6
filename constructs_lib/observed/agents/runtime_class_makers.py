"""RuntimeClasses that the inputs create, and NVIDIA's operators and agents in one place for the rules."""

from __future__ import annotations

from ...upstream.charts.gpu_operator_chart import CDI_RUNTIME_CLASSES
from ..model import Inputs, KubernetesObject, is_unknown, question
from ..objects.helm_values import is_on
from ..objects.object_names import may_have
from .agents import Agent, agents, device_plugins, dra_drivers, exporters
from .operators import Operator, cdi_is_on, may_run_operator, operators

__all__ = [
    "Agent",
    "Operator",
    "agents",
    "cdi_is_on",
    "device_plugins",
    "dra_drivers",
    "exporters",
    "is_on",
    "may_make_runtime_class",
    "operators",
    "runtime_class_makers",
]


@question
def runtime_class_makers(inputs: Inputs) -> dict[str, list[Operator | KubernetesObject]]:
    """Every RuntimeClass with a readable name that something in the inputs creates, by name, with its creators.

    An operator creates its `operator.runtimeClass` unless it injects through NRI, and `CDI_RUNTIME_CLASSES`, too, while CDI is on.
    """
    makers: dict[str, list[Operator | KubernetesObject]] = {}
    for each in inputs.of_kind("RuntimeClass"):
        if isinstance(each.name, str):
            makers.setdefault(each.name, []).append(each)
    for operator in operators(inputs):
        name = operator.value("operator", "runtimeClass")
        if not operator.is_on("cdi", "nriPluginEnabled").is_yes and isinstance(name, str):
            makers.setdefault(name, []).append(operator)
            if not cdi_is_on(operator).is_no:
                for added in CDI_RUNTIME_CLASSES:
                    makers.setdefault(added, []).append(operator)
    return makers


def may_make_runtime_class(inputs: Inputs, name: str) -> bool:
    """Whether something in the inputs creates this RuntimeClass, or may."""
    running = operators(inputs)
    if name in inputs.outside_runtime_classes or name in runtime_class_makers(inputs) or may_have(inputs, "RuntimeClass", name, None):
        return True
    hidden = may_run_operator(inputs) and not running
    return hidden or any(is_unknown(each.value("operator", "runtimeClass")) for each in running)
