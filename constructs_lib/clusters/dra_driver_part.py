"""The part `DraDriver`."""

from __future__ import annotations

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named
from ..manifests.charts.delivery import Delivery
from ..manifests.dra.settings import DraDriverSettings
from ..manifests.objects import Manifests
from .app_registry import DEVICE_PLUGIN, DRA_DRIVER, OPERATOR, Place
from .chart_part import check_namespace, delivered, to_delivery
from .part import Part


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class DraDriverArguments(DraDriverSettings):
    """The checked arguments of `DraDriver`, which documents each argument."""

    delivery: Delivery = attrs.field(default=None, converter=to_delivery)


def _manifests(place: Place, settings: DraDriverArguments) -> Manifests:
    _check_neighbours(place, settings)
    check_namespace(place, settings)
    return settings.companions | delivered(settings, "DaemonSet")


def _check_neighbours(place: Place, settings: DraDriverSettings) -> None:
    for _ in place.neighbours(DRA_DRIVER):
        hint = "a cluster has one DeviceClass gpu.nvidia.com; give all classes of nodes to one driver: nodes=[…, …]"
        raise wrong("nodes", "given to the one DraDriver of this app", list(settings.nodes), hint)
    hint = "the driver and the plugin would both allocate every GPU; give the class 'dra' and leave the plugin out, or give both classes different 'labels'"
    for plugin in place.neighbours(DEVICE_PLUGIN):
        if any(each.may_overlap(plugin.nodes) for each in settings.nodes):
            raise wrong("nodes", "classes that share no node with that of a StandaloneDevicePlugin of this app", plugin.nodes, hint)
    for operator in place.neighbours(OPERATOR):
        for theirs in operator.plugin_classes:
            if any(each.may_overlap(theirs) for each in settings.nodes):
                raise wrong("nodes", "classes that share no node with an NvidiaGpuOperator that runs a device plugin", theirs, hint)


DRA_DRIVER_PART = Part(
    "DraDriver",
    DraDriverArguments,
    _manifests,
    lambda settings: [(DRA_DRIVER, settings)],
    needs={"nodes": "the driver's values follow from its nodes"},
)
