"""The parts that install a chart: node feature discovery, the DRA driver, the GPU operator."""

from __future__ import annotations

import functools
from typing import Protocol

import attrs

from ..arguments.errors import wrong, wrong_kind
from ..arguments.fields import named
from ..manifests.charts.delivery import ArgoCd, Delivery, Flux, HelmTemplate
from ..manifests.charts.helm_release import HelmRelease
from ..manifests.charts.settings import ChartSettings
from ..manifests.dra.settings import DraDriverSettings
from ..manifests.objects import MAIN, Manifests
from ..manifests.operator.nfd_settings import NodeFeatureDiscoverySettings, check_beside_operator
from ..manifests.operator.settings import GpuOperatorSettings
from ..nodes.gpu_nodes import GpuNodes
from .app_registry import BRIDGE, DEVICE_PLUGIN, DRA_DRIVER, EXPORTER, FEATURES, NODE_FEATURE_DISCOVERY, OPERATOR, RUNTIME_CLASS, Place
from .part import Part, owned_by_operator


def to_delivery(value: Delivery | None, argument: str = "") -> Delivery:
    """The chosen delivery, or the default delivery."""
    rule = "a HelmTemplate, an ArgoCd or a Flux"
    if value is None:
        return HelmTemplate()
    if isinstance(value, type):
        raise wrong_kind(argument, rule, value, f"did you mean {value.__name__}()?")
    if not isinstance(value, Delivery):
        raise wrong_kind(argument, rule, value, "such as Flux()")
    return value


class _Delivered(Protocol):
    @property
    def delivery(self) -> Delivery: ...
    @property
    def release(self) -> HelmRelease: ...


def delivered(settings: _Delivered, main_kind: str) -> Manifests:
    """The objects that install the chart. A rendered chart has no main object of its own: the first object of
    `main_kind` becomes the main object."""
    rendered = settings.delivery.manifests(settings.release)
    main = next((key for key, manifest in rendered.items() if manifest["kind"] == main_kind), None)
    return {MAIN if key == main else key: manifest for key, manifest in rendered.items()}


def check_namespace(place: Place, settings: ChartSettings) -> None:
    """Refuse to make a namespace that another part of the app makes."""
    if settings.namespace_object and (same := place.same_object({"Namespace": settings.namespace_object})):
        hint = f"{same[1]} already makes the namespace '{settings.namespace}'; the second object would replace the first"
        raise wrong("create_namespace", "False where the app has the namespace", True, hint)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class DiscoveryArguments(NodeFeatureDiscoverySettings):
    """The checked arguments of `NodeFeatureDiscovery`, which documents each argument."""

    delivery: Delivery = attrs.field(default=None, converter=to_delivery)

    @property
    def rule_in_worker_config(self) -> bool:
        """Whether the rule is part of the worker's config."""
        return isinstance(self.delivery, Flux)


def _discovery_manifests(place: Place, settings: DiscoveryArguments) -> Manifests:
    for _ in place.neighbours(NODE_FEATURE_DISCOVERY):
        hint = "one NodeFeatureDiscovery labels every node of the cluster; give it all classes of nodes: nodes=[…, …]"
        raise wrong("nodes", "given to the one NodeFeatureDiscovery of this app", list(settings.nodes), hint)
    for operator in place.neighbours(OPERATOR):
        check_beside_operator(nfd=operator.nfd, gpu_present_rule=settings.gpu_present_rule)
    check_namespace(place, settings)
    manifests: Manifests = {}
    if settings.namespace_object:
        manifests["Namespace"] = settings.namespace_object
    manifests |= delivered(settings, "DaemonSet")
    if rule := settings.rule:
        if isinstance(settings.delivery, ArgoCd):
            # Without this option Argo CD applies nothing until the cluster knows the rule's kind, whose CRD the chart
            # brings.
            rule["metadata"]["annotations"] = {"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}
        manifests["GpuPresentRule"] = rule
    return manifests


NODE_FEATURE_DISCOVERY_PART = Part(
    "NodeFeatureDiscovery",
    DiscoveryArguments,
    _discovery_manifests,
    lambda settings: [(NODE_FEATURE_DISCOVERY, settings)],
    needs={"nodes": "node feature discovery tolerates the taints of the nodes"},
)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class DraDriverArguments(DraDriverSettings):
    """The checked arguments of `DraDriver`, which documents each argument."""

    delivery: Delivery = attrs.field(default=None, converter=to_delivery)


def _dra_driver_manifests(place: Place, settings: DraDriverArguments) -> Manifests:
    for _ in place.neighbours(DRA_DRIVER):
        hint = "a cluster has one DeviceClass gpu.nvidia.com; give all classes of nodes to one driver: nodes=[…, …]"
        raise wrong("nodes", "given to the one DraDriver of this app", list(settings.nodes), hint)
    hint = "the driver and the plugin would both allocate every GPU; give the class 'dra' and leave the plugin out, or give both classes different 'labels'"
    for _, theirs in place.overlapping(DEVICE_PLUGIN, settings.nodes):
        raise wrong("nodes", "classes that share no node with that of a StandaloneDevicePlugin of this app", theirs, hint)
    for _, theirs in place.overlapping(OPERATOR, settings.nodes, "plugin_classes"):
        raise wrong("nodes", "classes that share no node with an NvidiaGpuOperator that runs a device plugin", theirs, hint)
    check_namespace(place, settings)
    return settings.companions | delivered(settings, "DaemonSet")


DRA_DRIVER_PART = Part(
    "DraDriver",
    DraDriverArguments,
    _dra_driver_manifests,
    lambda settings: [(DRA_DRIVER, settings), *([(FEATURES, settings)] if settings.feature_gates else [])],
    needs={"nodes": "the driver's values follow from its nodes"},
)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuOperatorArguments(GpuOperatorSettings):
    """The checked arguments of `NvidiaGpuOperator`, which documents each argument."""

    delivery: Delivery = attrs.field(default=None, converter=to_delivery)


def _gpu_operator_manifests(place: Place, settings: GpuOperatorArguments) -> Manifests:
    for _ in place.neighbours(OPERATOR):
        hint = "a cluster has one ClusterPolicy; give all classes of nodes to one operator: nodes=[…, …]"
        raise wrong("nodes", "given to the one NvidiaGpuOperator of this app", list(settings.nodes), hint)
    check_namespace(place, settings)
    for discovery in place.neighbours(NODE_FEATURE_DISCOVERY):
        check_beside_operator(nfd=settings.nfd, gpu_present_rule=discovery.gpu_present_rule)
    for _, theirs in place.overlapping(BRIDGE, [each.nodes for each in settings.bridges]):
        hint = "the operator brings its own bridges; leave the ValidationBridge out"
        raise wrong("nodes", "classes that no ValidationBridge of this app has", theirs, hint)
    for runtime_class in place.neighbours(RUNTIME_CLASS):
        if runtime_class.name == settings.runtime_class:
            raise owned_by_operator(
                "values[operator.runtimeClass]", runtime_class.name, "a name that no NvidiaRuntimeClass of this app has"
            )
    _check_agents(place, settings)
    return settings.companions | delivered(settings, "ClusterPolicy")


def _unpartitioned(classes: tuple[GpuNodes, ...], place: Place) -> list[str]:
    """The errors for classes with partitions that have no plugin. The plugin may be made after the operator."""
    plugins = [plugin.nodes for plugin in place.neighbours(DEVICE_PLUGIN)]
    hint = (
        "the operator's MIG manager waits for systemd (NVIDIA/gpu-operator#2501), so nothing partitions the cards: add "
        "StandaloneDevicePlugin(…, nodes=…) of the class, or leave 'mig_devices' out where another tool partitions the cards"
    )
    return [
        str(wrong("nodes", "classes with 'mig_devices' that have a StandaloneDevicePlugin each", each, hint))
        for each in classes
        if not any(each.may_overlap(plugin) for plugin in plugins)
    ]


def _check_agents(place: Place, settings: GpuOperatorSettings) -> None:
    for plugin, theirs in place.overlapping(DEVICE_PLUGIN, settings.plugin_classes):
        hint = f"'{plugin.name}' advertises the same GPUs; leave that plugin out, or set devicePlugin.enabled in 'values' to False"
        raise wrong("nodes", "classes that no StandaloneDevicePlugin of this app has", theirs, hint)
    for _, theirs in place.overlapping(DRA_DRIVER, settings.plugin_classes):
        hint = "the operator's device plugin would allocate the same GPUs a second time; give the class with 'dra' to both constructs"
        raise wrong("nodes", "classes that share no node with those of the DraDriver", theirs, hint)
    for exporter, theirs in place.overlapping(EXPORTER, settings.nodes):
        if settings.runs_dcgm_exporter:
            hint = f"'{exporter.name}' exports the same metrics; leave that exporter out, or give values={{'dcgmExporter': {{'enabled': False}}}}"
            raise wrong("nodes", "classes that no DcgmExporter of this app has", theirs, hint)


NVIDIA_GPU_OPERATOR = Part(
    "NvidiaGpuOperator",
    GpuOperatorArguments,
    _gpu_operator_manifests,
    lambda settings: [(OPERATOR, settings), *((BRIDGE, bridge) for bridge in settings.bridges)],
    lambda settings: functools.partial(_unpartitioned, settings.partitioned_classes) if settings.partitioned_classes else None,
    needs={"nodes": "the operator's values follow from its nodes"},
)
