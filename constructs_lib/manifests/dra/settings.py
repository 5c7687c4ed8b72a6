"""The values of the DRA driver's chart on Talos, and the objects beside the chart.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/tree/main/deployments/helm/dra-driver-nvidia-gpu
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from ...arguments.errors import warn, wrong
from ...arguments.fields import named, to_flag
from ...arguments.kubernetes_versions import kubernetes_minor
from ...arguments.names import namespace_name
from ...arguments.plain_values import flag, mapping, texts
from ...arguments.spelling import did_you_mean
from ...nodes.dra import NO_MPS, NO_PASSTHROUGH
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.mig import mig_profile
from ...upstream.charts import DRA_DRIVER, gpu_operator_chart
from ...upstream.charts.dra_driver_chart import CONSUMABLE_SINCE
from ...upstream.kubernetes.api import DRA_SINCE
from ...upstream.kubernetes.dra_gates import DRA_GATES
from ...upstream.nvidia.dra_driver_gates import (
    EXCLUSIVE_BEFORE_0_5,
    GATES,
    GATES_OF_0_5,
    REQUIRED_GATES,
    gates_on,
    is_before_0_5,
)
from ...upstream.nvidia.gpu_resources import mig_resource
from ...upstream.talos.features import DRIVER_ROOT
from ...upstream.version import Version
from ..charts.settings import ChartSettings, to_chart, to_release_name, to_repository
from ..charts.user_values import ABSENT, at, chart_version, check_keys, overridden, refuse_what_helm_misreads
from ..objects import Manifest, Manifests, manifest
from .claim_objects import DRIVER, RESOURCE_API, mig_class

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

# The feature gates that can't work on Talos. Of each pair that the driver refuses (EXCLUSIVE_GATES) one is among them.
_NOT_ON_TALOS = {
    "MPSSupport": NO_MPS,
    "PassthroughSupport": NO_PASSTHROUGH,
    "DeviceMetadata": f"the driver refuses to start without PassthroughSupport, which can't work on Talos: {NO_PASSTHROUGH}",
}
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
            needs = "makes no partition" if gate == "DynamicMIG" else "refuses the 'share' of these nodes' Dra"
            raise wrong(argument, f"without {gate}: False", gates, f"the driver {needs} without {gate}")
    for gate, reason in _NOT_ON_TALOS.items():
        if gate in on:
            raise wrong(argument, f"without {gate} on Talos", gates, reason)
    first, second = EXCLUSIVE_BEFORE_0_5
    if {first, second} <= on and is_before_0_5(driver):
        raise wrong(argument, f"without both {first} and {second}", gates, "the driver refuses to start with both")
    for gate, other in REQUIRED_GATES.items():
        if gate in on and other not in on:
            raise wrong(argument, f"with {other} where {gate} is on", gates, f"the driver refuses to start without {other}")
    if {first, second} <= on:
        warn(
            f"'values' switches {first} and {second} on: a driver before 0.5.0 refuses to start with both, and it is not known whether "
            f"{driver} starts with both (kubernetes-sigs/dra-driver-nvidia-gpu#1266)"
        )


def warn_of_overrides(needed: Mapping[str, Any], effective: Mapping[str, Any]) -> None:
    """Warn of each value that Talos needs and that the user has overridden."""
    for name, wanted, got in overridden(needed, effective):
        override = f"'values' sets {name} to {got!r}, where these nodes need {wanted!r}"
        warn(f"{override}: {_SYMPTOMS[name]}" if name in _SYMPTOMS else override)


def check_kubernetes(value: object, classes: Iterable[GpuNodes]) -> int | None:
    """The minor version of a Kubernetes with claims that every class's Talos runs; None where none was given."""
    if value is None:
        return None
    minor = kubernetes_minor(value, DRA_SINCE)
    if minor < DRA_SINCE:
        hint = "older Kubernetes has no resource.k8s.io/v1, and has dynamic resource allocation off; upgrade Kubernetes first"
        raise wrong("kubernetes_version", f"at least '1.{DRA_SINCE}'", value, hint)
    for nodes in classes:
        known = nodes.talos_version.release.kubernetes_versions
        if f"1.{minor}" not in known:
            raise wrong("kubernetes_version", f"one that Talos {nodes.talos_version} runs, up to '{known[-1]}'", value)
    return minor


def to_cluster_gates(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """The feature gates that are switched on in the cluster, among the gates that claims need."""
    gates = texts(argument, value)
    for gate in gates:
        if gate not in DRA_GATES:
            rule = "a list of " + ", ".join(f"'{known}'" for known in DRA_GATES)
            raise wrong(argument, rule, gate, did_you_mean(gate, DRA_GATES))
    return tuple(gates)


def check_needed_gates(minor: int | None, switched_on: Iterable[str], needed: Mapping[str, str]) -> None:
    """Refuse a feature whose gate this Kubernetes has off; `needed` names the feature that needs each gate."""
    for gate, purpose in needed.items():
        since = DRA_GATES[gate].on_since
        if minor is not None and minor < since and gate not in switched_on:
            hint = f"or switch the feature gate {gate} on in the cluster, and name the gate in 'kubernetes_feature_gates'"
            raise wrong("kubernetes_version", f"at least '1.{since}' for {purpose}", f"1.{minor}", hint)


def _to_profiles(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    return tuple(dict.fromkeys(mig_profile(argument, each) for each in texts(argument, value)))


def _to_namespace(value: str, argument: str = "") -> str:
    if value == "default":
        raise wrong(argument, "another than 'default'", value, "the chart refuses this namespace")
    return namespace_name(argument, value)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class DraDriverSettings(ChartSettings):
    """The checked arguments of `DraDriver`, which documents each argument."""

    version: str = DRA_DRIVER.default_version
    kubernetes_version: str | None = None
    kubernetes_feature_gates: tuple[str, ...] = attrs.field(default=(), converter=to_cluster_gates)
    compute_domains: bool = attrs.field(default=False, converter=to_flag)
    mig_profiles: tuple[str, ...] = attrs.field(default=(), converter=_to_profiles)
    dynamic_mig: bool = attrs.field(default=False, converter=to_flag)
    namespace: str = attrs.field(default=DRA_DRIVER.name, converter=_to_namespace)
    release_name: str = attrs.field(default=DRA_DRIVER.name, converter=to_release_name)
    repository: str = attrs.field(default=DRA_DRIVER.repository, converter=to_repository)
    chart: str = attrs.field(default=DRA_DRIVER.name, converter=to_chart)

    def __attrs_post_init__(self) -> None:
        _check_classes(self.nodes)
        version = _version(self.version, consumable=any(nodes.dra and nodes.dra.consumable_shares for nodes in self.nodes))
        self._check_chart()
        given = self.given_values
        check_arguments(given)
        check_keys(DRA_DRIVER, given, version)
        if not DRA_DRIVER.is_newer_than_known(version):
            check_gate_names(given, version)
        refuse(given, self.chart_values, self._feature_gates, version)
        check_needed_gates(check_kubernetes(self.kubernetes_version, self.nodes), self.kubernetes_feature_gates, self._kubernetes_gates())
        warn_of_overrides(self._derived(), self.chart_values)

    @property
    def _feature_gates(self) -> dict[str, bool]:
        shares = {gate: on for nodes in self.nodes if nodes.dra for gate, on in nodes.dra.driver_feature_gates.items()}
        return shares | ({"DynamicMIG": True} if self.dynamic_mig else {})

    @property
    def feature_gates(self) -> tuple[str, ...]:
        """The feature gates among `kubernetes_feature_gates` that a known Kubernetes has off by default, for
        `ControlPlanePatch`, which adds those that they need."""
        if self.kubernetes_version is None:
            return ()
        minor = kubernetes_minor(self.kubernetes_version, DRA_SINCE)
        return tuple(gate for gate in dict.fromkeys(self.kubernetes_feature_gates) if minor < DRA_GATES[gate].on_since)

    @property
    def runtime_config(self) -> tuple[str, ...]:
        """The versions of APIs beside those that `ControlPlanePatch` adds for the gates."""
        return ()

    def _kubernetes_gates(self) -> dict[str, str]:
        needed = {
            gate: "'extended_resource' of 'dra'" if nodes.dra.extended_resource else f"share='{nodes.dra.share}'"
            for nodes in self.nodes
            if nodes.dra
            for gate in nodes.dra.kubernetes_feature_gates
        }
        if self.mig_profiles:
            needed["DRAExtendedResource"] = "'mig_profiles'"
        if "DynamicMIG" in gates_on(self.chart_values.get("featureGates", {})):
            needed["DRAPartitionableDevices"] = "the driver's DynamicMIG"
        return needed

    def _derived(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            # Talos has the driver's extension and its libraries below this folder. The plugin looks there for
            # bin/nvidia-smi and lib64/libnvidia-ml.so.1 (hack/kubelet-plugin-prestart.sh; siderolabs/extensions
            # nvidia-gpu, misc/glibc). Below / the plugin finds only a symlink, which it does not follow.
            "nvidiaDriverRoot": DRIVER_ROOT,
            # The chart demands this confirmation that no device plugin runs on these nodes.
            "gpuResourcesEnabledOverride": True,
            "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": self.compute_domains}},
            # Without a cluster the chart can't detect the API version.
            "resourceApiVersion": RESOURCE_API,
            "kubeletPlugin": {"tolerations": self.tolerations, "affinity": _affinity(self.nodes)},
        }
        if self._feature_gates:
            values["featureGates"] = self._feature_gates
        dra = self.nodes[0].dra
        if dra and dra.consumable_shares:
            values["consumableShares"] = dra.consumable_shares
        return values

    @property
    def companions(self) -> Manifests:
        """The objects beside the chart, in the order of application."""
        companions = {"Namespace": self.namespace_object} if self.namespace_object else {}
        return companions | {f"DeviceClass-{profile}": mig_device_class(profile) for profile in self.mig_profiles}


def mig_device_class(profile: str) -> Manifest:
    """The DeviceClass of the partitions of a MIG profile, also for the device plugin's extended resource."""
    ours = f"device.attributes['{DRIVER}']"
    expression = f"device.driver == '{DRIVER}' && {ours}.type == 'mig' && {ours}.profile == '{profile}'"
    spec = {"selectors": [{"cel": {"expression": expression}}], "extendedResourceName": mig_resource(profile)}
    return manifest(RESOURCE_API, "DeviceClass", mig_class(profile), spec=spec)


def _affinity(classes: tuple[GpuNodes, ...]) -> dict[str, Any]:
    """The node affinity for all classes, in place of the chart's own, which needs labels of node feature discovery."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms: list[dict[str, Any]] = []
    for nodes in classes:
        if nodes.node_affinity:
            class_terms = nodes.node_affinity["nodeAffinity"][required]["nodeSelectorTerms"]
        else:
            labels = nodes.node_selector.items()
            class_terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in labels]}]
        terms += [term for term in class_terms if term not in terms]
    return {"nodeAffinity": {required: {"nodeSelectorTerms": terms}}}


def _check_classes(classes: tuple[GpuNodes, ...]) -> None:
    for each in classes:
        if each.dra is None:
            raise wrong(
                "nodes", "classes with 'dra'", each, "'dra' says how pods share the GPUs that they claim; such as GpuNodes(…, dra=Dra())"
            )
    shares = [each.dra.consumable_shares for each in classes if each.dra]
    if len(set(shares)) > 1:
        hint = "the driver has one setting for the whole cluster; with shares='memory' a claim without 'gpu_memory' takes a whole GPU"
        raise wrong("nodes", "of one 'shares'", [each.dra for each in classes], hint)


def _version(value: object, *, consumable: bool) -> Version:
    """A version that has the chart's current name and supports what the nodes need."""
    version = chart_version(DRA_DRIVER, value)
    former = DRA_DRIVER.numbered_before
    if former and version >= chart_version(former, former.oldest):
        raise wrong(
            "version", f"at least '{DRA_DRIVER.oldest}'", str(version), f"this is a version of the chart's former name, {former.name}"
        )
    oldest = CONSUMABLE_SINCE if consumable else DRA_DRIVER.oldest
    if version < chart_version(DRA_DRIVER, oldest):
        hint = f"share='consumable' came with {oldest}" if consumable else "older charts have another name and address"
        raise wrong("version", f"at least '{oldest}'", str(version), hint)
    return version
