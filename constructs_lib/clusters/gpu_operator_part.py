"""The part `NvidiaGpuOperator`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named
from ..manifests.charts.delivery import Delivery
from ..manifests.objects import Manifests
from ..manifests.operator.settings import GpuOperatorSettings
from ..nodes.gpu_nodes import GpuNodes
from .app_registry import BRIDGE, DEVICE_PLUGIN, DRA_DRIVER, EXPORTER, NODE_FEATURE_DISCOVERY, OPERATOR, RUNTIME_CLASS, Place
from .chart_part import check_namespace, delivered, to_delivery
from .part import Part


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuOperatorArguments(GpuOperatorSettings):
    """The checked arguments of `NvidiaGpuOperator`, which documents each argument."""

    delivery: Delivery = attrs.field(default=None, converter=to_delivery)


def _manifests(place: Place, settings: GpuOperatorArguments) -> Manifests:
    _check_neighbours(place, settings)
    return settings.companions | delivered(settings, "ClusterPolicy")


def _announced(settings: GpuOperatorArguments) -> list[tuple[str, Any]]:
    return [(OPERATOR, settings), *((BRIDGE, bridge) for bridge in settings.bridges)]


def _at_synth(settings: GpuOperatorArguments) -> Callable[[Place], list[str]] | None:
    return functools.partial(_unpartitioned, settings.partitioned_classes) if settings.partitioned_classes else None


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


def _check_neighbours(place: Place, settings: GpuOperatorSettings) -> None:
    for _ in place.neighbours(OPERATOR):
        hint = "a cluster has one ClusterPolicy; give all classes of nodes to one operator: nodes=[…, …]"
        raise wrong("nodes", "given to the one NvidiaGpuOperator of this app", list(settings.nodes), hint)
    check_namespace(place, settings)
    for discovery in place.neighbours(NODE_FEATURE_DISCOVERY):
        from ..manifests.operator.nfd_settings import check_beside_operator

        check_beside_operator(nfd=settings.nfd, gpu_present_rule=discovery.gpu_present_rule)
    for theirs in place.neighbours(BRIDGE):
        for ours in settings.bridges:
            if ours.nodes.may_overlap(theirs.nodes):
                hint = "the operator brings its own bridges; leave the ValidationBridge out"
                raise wrong("nodes", "classes that no ValidationBridge of this app has", theirs.nodes, hint)
    for theirs in place.neighbours(RUNTIME_CLASS):
        if theirs.name == settings.runtime_class:
            from .runtime_class_part import owned_by_operator

            raise owned_by_operator("values[operator.runtimeClass]", theirs.name, "a name that no NvidiaRuntimeClass of this app has")
    _check_agents(place, settings)


def _check_agents(place: Place, settings: GpuOperatorSettings) -> None:
    for plugin in place.neighbours(DEVICE_PLUGIN):
        if any(each.may_overlap(plugin.nodes) for each in settings.plugin_classes):
            hint = f"'{plugin.name}' advertises the same GPUs; leave that plugin out, or set devicePlugin.enabled in 'values' to False"
            raise wrong("nodes", "classes that no StandaloneDevicePlugin of this app has", plugin.nodes, hint)
    for driver in place.neighbours(DRA_DRIVER):
        for theirs in driver.nodes:
            if any(each.may_overlap(theirs) for each in settings.plugin_classes):
                hint = (
                    "the operator's device plugin would allocate the same GPUs a second time; give the class with 'dra' to both constructs"
                )
                raise wrong("nodes", "classes that share no node with those of the DraDriver", theirs, hint)
    for exporter in place.neighbours(EXPORTER):
        if settings.runs_dcgm_exporter and any(each.may_overlap(exporter.nodes) for each in settings.nodes):
            hint = f"'{exporter.name}' exports the same metrics; leave that exporter out, or give values={{'dcgmExporter': {{'enabled': False}}}}"
            raise wrong("nodes", "classes that no DcgmExporter of this app has", exporter.nodes, hint)


NVIDIA_GPU_OPERATOR = Part(
    "NvidiaGpuOperator",
    GpuOperatorArguments,
    _manifests,
    _announced,
    _at_synth,
    needs={"nodes": "the operator's values follow from its nodes"},
)
