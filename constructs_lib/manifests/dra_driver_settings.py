"""What NVIDIA's DRA driver needs to be told on Talos, and the objects that belong beside it.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/tree/main/deployments/helm/dra-driver-nvidia-gpu
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import named, to_flag, to_text
from .._arguments.names import namespace_name
from .._arguments.plain_values import texts
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.mig import mig_profile
from ..upstream.charts import DRA_DRIVER
from ..upstream.charts.dra_driver_chart import CONSUMABLE_SINCE
from ..upstream.dra_driver_gates import gates_on
from ..upstream.gpu_resources import mig_resource
from ..upstream.talos_features import DRIVER_ROOT
from ..upstream.version import Version
from .chart_keys import chart_version, check_keys
from .chart_settings import ChartSettings, to_release_name, to_repository
from .claim_kubernetes import check_kubernetes, check_needed_gates, to_cluster_gates
from .claim_objects import DRIVER, RESOURCE_API, mig_class
from .dra_driver_overrides import check_arguments, check_gate_names, refuse, warn_of_overrides
from .objects import Manifest, Manifests, manifest, merged


def _to_profiles(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    return tuple(dict.fromkeys(mig_profile(argument, each) for each in texts(argument, value)))


def _to_namespace(value: str, argument: str = "") -> str:
    if value == "default":
        raise wrong(argument, "another than 'default'", value, "the chart refuses to be installed there")
    return namespace_name(argument, value)


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class DraDriverSettings(ChartSettings):
    """The checked arguments of a DRA driver; `DraDriver` documents each."""

    version: str = DRA_DRIVER.default_version
    kubernetes_version: str | None = None
    kubernetes_feature_gates: tuple[str, ...] = attrs.field(default=(), converter=to_cluster_gates)
    compute_domains: bool = attrs.field(default=False, converter=to_flag)
    mig_profiles: tuple[str, ...] = attrs.field(default=(), converter=_to_profiles)
    namespace: str = attrs.field(default=DRA_DRIVER.name, converter=_to_namespace)
    release_name: str = attrs.field(default=DRA_DRIVER.name, converter=to_release_name)
    repository: str = attrs.field(default=DRA_DRIVER.repository, converter=to_repository)
    chart: str = attrs.field(default=DRA_DRIVER.name, converter=to_text)

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
    def chart_values(self) -> dict[str, Any]:
        """The values for the chart, with the user's laid on last."""
        return merged(self._derived(), self.values)

    @property
    def _feature_gates(self) -> dict[str, bool]:
        return {gate: on for nodes in self.nodes if nodes.dra for gate, on in nodes.dra.driver_feature_gates.items()}

    def _kubernetes_gates(self) -> dict[str, str]:
        needed = {gate: f"share='{nodes.dra.share}'" for nodes in self.nodes if nodes.dra for gate in nodes.dra.kubernetes_feature_gates}
        if self.mig_profiles:
            needed["DRAExtendedResource"] = "'mig_profiles'"
        if "DynamicMIG" in gates_on(self.chart_values.get("featureGates", {})):
            needed["DRAPartitionableDevices"] = "the driver's DynamicMIG"
        return needed

    def _derived(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            # Where the driver's extension, and the libraries' folder with it, are on Talos; the plugin looks below it for bin/nvidia-smi and
            # lib64/libnvidia-ml.so.1 (hack/kubelet-plugin-prestart.sh; siderolabs/extensions nvidia-gpu, misc/glibc). Below / it would find
            # a symlink, which it doesn't follow, and no library.
            "nvidiaDriverRoot": DRIVER_ROOT,
            # The chart asks whether no device plugin is on these nodes.
            "gpuResourcesEnabledOverride": True,
            "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": self.compute_domains}},
            # Rendered without a cluster, the chart can't see which it serves.
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
        """What belongs beside the chart, in the order in which it is best applied."""
        companions = {"Namespace": self.namespace_object} if self.namespace_object else {}
        return companions | {f"DeviceClass-{profile}": mig_device_class(profile) for profile in self.mig_profiles}


def mig_device_class(profile: str) -> Manifest:
    """The class of a MIG profile's partitions, which also answers to the limit that the device plugin has for it."""
    ours = f"device.attributes['{DRIVER}']"
    expression = f"device.driver == '{DRIVER}' && {ours}.type == 'mig' && {ours}.profile == '{profile}'"
    spec = {"selectors": [{"cel": {"expression": expression}}], "extendedResourceName": mig_resource(profile)}
    return manifest(RESOURCE_API, "DeviceClass", mig_class(profile), spec=spec)


def _affinity(classes: tuple[GpuNodes, ...]) -> dict[str, Any]:
    """The nodes of any class; it takes the place of the chart's own, which wants labels of node feature discovery."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms: list[dict[str, Any]] = []
    for nodes in classes:
        if nodes.node_affinity:
            found = nodes.node_affinity["nodeAffinity"][required]["nodeSelectorTerms"]
        else:
            labels = nodes.node_selector.items()
            found = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in labels]}]
        terms += [term for term in found if term not in terms]
    return {"nodeAffinity": {required: {"nodeSelectorTerms": terms}}}


def _check_classes(classes: tuple[GpuNodes, ...]) -> None:
    for each in classes:
        if each.dra is None:
            raise wrong("nodes", "classes with 'dra'", each, "it says how pods share what they claim; such as GpuNodes(…, dra=Dra())")
    shares = [each.dra.consumable_shares for each in classes if each.dra]
    if len(set(shares)) > 1:
        hint = "the driver has one setting for the whole cluster; with 'memory' a claim without 'gpu_memory' has a GPU to itself"
        raise wrong("nodes", "of one 'shares'", [each.dra for each in classes], hint)


def _version(value: object, *, consumable: bool) -> Version:
    """A version that has the name of the chart, and what the nodes want of it."""
    version = chart_version(DRA_DRIVER, value)
    oldest = CONSUMABLE_SINCE if consumable else DRA_DRIVER.oldest
    if version < chart_version(DRA_DRIVER, oldest):
        why = "share='consumable' came with it" if consumable else "older ones have another name and address"
        raise wrong("version", f"at least '{oldest}'", str(version), why)
    return version
