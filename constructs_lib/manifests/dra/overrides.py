"""The checks of a user's values for the DRA driver's chart: values that can't work on Talos are refused, other
overrides are warned of.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/deployments/helm/dra-driver-nvidia-gpu/values.yaml
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...arguments.errors import warn, wrong
from ...arguments.plain_values import flag, mapping
from ...arguments.spelling import did_you_mean
from ...nodes.dra import NO_MPS
from ...upstream.charts import gpu_operator_chart
from ...upstream.nvidia.dra_driver_gates import (
    EXCLUSIVE_BEFORE_0_5,
    EXCLUSIVE_GATES,
    GATES,
    GATES_OF_0_5,
    REQUIRED_GATES,
    gates_on,
    is_before_0_5,
)
from ...upstream.version import Version
from ..charts.user_values import ABSENT, at, overridden, refuse_what_helm_misreads

# The chart values that are arguments, each with its hint.
_ARGUMENTS = {
    "consumableShares": "set 'shares' on the nodes' Dra",
    "namespace": "set the argument 'namespace'",
    "resources.computeDomains.enabled": "set the argument 'compute_domains'",
}
_FLAGS = ("enabled", "gpuResourcesEnabledOverride", "allowDefaultNamespace", "create")

# The symptom in the cluster when a value that Talos needs is overridden.
_SYMPTOMS = {
    "nvidiaDriverRoot": "in any other folder the plugin's init container finds no nvidia-smi, and waits for ever",
    "gpuResourcesEnabledOverride": "the chart then refuses to be rendered",
    "resources.gpus.enabled": "nothing allocates the GPUs that pods claim",
    "resourceApiVersion": "from 1.36 on Kubernetes serves no other version by default",
    "kubeletPlugin.tolerations": "the plugin is not scheduled onto nodes with taints that it does not tolerate",
    "kubeletPlugin.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms": "the chart's own terms are "
    "labels of node feature discovery, which not every cluster has",
}
# Driver roots of other operating systems; no Talos has its driver there.
_OTHER_ROOTS = ("", "/", gpu_operator_chart.DRIVER_FOLDER)

_GATES_RULE = "a mapping of feature gates to True or False"


def check_arguments(values: Mapping[str, Any]) -> None:
    """Refuse a chart value that is an argument of `DraDriver` or of `Dra`."""
    for key, hint in _ARGUMENTS.items():
        if (value := at(values, key)) is not ABSENT:
            raise wrong("values", f"without {key}", value, hint)


def check_gate_names(values: Mapping[str, Any], driver: Version) -> None:
    """Refuse a feature gate that this version of the driver does not have: the driver would not start."""
    for gate in mapping("values[featureGates]", values.get("featureGates", {}), _GATES_RULE):
        if gate in GATES_OF_0_5 and is_before_0_5(driver):
            raise wrong("values[featureGates]", "made of feature gates that the driver has", gate, f"{gate} came with 0.5.0")
        if gate not in GATES:
            hint = did_you_mean(gate, GATES)
            raise wrong("values[featureGates]", "made of feature gates that the driver has", gate, hint)


def refuse(values: Mapping[str, Any], effective: Mapping[str, Any], needed_gates: Iterable[str], driver: Version) -> None:
    """Refuse values that can't work on Talos; `effective` are the values that the chart gets."""
    refuse_what_helm_misreads(values, flags=_FLAGS)
    root = at(values, "nvidiaDriverRoot")
    if root in _OTHER_ROOTS:
        hint = "Talos has its driver in /usr/local; with another driver root the plugin's init container waits for ever"
        raise wrong("values[nvidiaDriverRoot]", "'/usr/local' on Talos", root, hint)
    _refuse_gates(effective.get("featureGates", {}), needed_gates, driver)


def _refuse_gates(values: object, needed: Iterable[str], driver: Version) -> None:
    argument = "values[featureGates]"
    gates = mapping(argument, values, _GATES_RULE)
    for gate, value in gates.items():
        flag(f"{argument[:-1]}.{gate}]", value)
    on = gates_on(gates)
    for gate in needed:
        if gate not in on:
            raise wrong(argument, f"without {gate}: False", gates, f"the driver refuses the 'share' of these nodes' Dra without {gate}")
    if "MPSSupport" in on:
        raise wrong(argument, "without MPSSupport on Talos", gates, NO_MPS)
    exclusive = (*EXCLUSIVE_GATES, EXCLUSIVE_BEFORE_0_5) if is_before_0_5(driver) else EXCLUSIVE_GATES
    for first, second in exclusive:
        if {first, second} <= on:
            raise wrong(argument, f"without both {first} and {second}", gates, "the driver refuses to start with both")
    for gate, other in REQUIRED_GATES.items():
        if gate in on and other not in on:
            raise wrong(argument, f"with {other} where {gate} is on", gates, f"the driver refuses to start without {other}")
    if on.issuperset(EXCLUSIVE_BEFORE_0_5):
        first, second = EXCLUSIVE_BEFORE_0_5
        warn(
            f"'values' switches {first} and {second} on: a driver before 0.5.0 refuses to start with both, and it is not known whether "
            f"{driver} starts with both (kubernetes-sigs/dra-driver-nvidia-gpu#1266)"
        )


def warn_of_overrides(needed: Mapping[str, Any], effective: Mapping[str, Any]) -> None:
    """Warn of each value that Talos needs and that the user has overridden."""
    for name, wanted, got in overridden(needed, effective):
        override = f"'values' sets {name} to {got!r}, where these nodes need {wanted!r}"
        warn(f"{override}: {_SYMPTOMS[name]}" if name in _SYMPTOMS else override)
