"""What the charts of NVIDIA's make of a cluster, in one place for the rules: operators, plugins, exporters, DRA drivers, RuntimeClasses."""

from __future__ import annotations

from ..model import Inputs, KubernetesObject, Unknown, question
from .agents import Agent, agents, device_plugins, dra_drivers, exporters
from .helm_values import is_on
from .operators import Operator, cdi_is_on, operators

__all__ = [
    "Agent",
    "Operator",
    "agents",
    "cdi_is_on",
    "device_plugins",
    "dra_drivers",
    "exporters",
    "is_on",
    "operators",
    "runtime_class_makers",
]


@question
def runtime_class_makers(inputs: Inputs) -> dict[str, list[Operator | KubernetesObject]]:
    """Each RuntimeClass that something in the inputs makes, by its name, with what makes it.

    An operator makes its `operator.runtimeClass` unless it injects through NRI, and `nvidia-cdi` beside it while CDI is on.
    """
    found: dict[str, list[Operator | KubernetesObject]] = {}
    for each in inputs.of_kind("RuntimeClass"):
        found.setdefault(each.name, []).append(each)
    for operator in operators(inputs):
        name = operator.value("operator", "runtimeClass")
        if operator.is_on("cdi", "nriPluginEnabled") is not True and isinstance(name, str) and not isinstance(name, Unknown):
            found.setdefault(name, []).append(operator)
            if cdi_is_on(operator) is not False:
                found.setdefault("nvidia-cdi", []).append(operator)
    return found
