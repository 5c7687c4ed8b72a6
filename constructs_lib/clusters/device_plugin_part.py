"""The part `StandaloneDevicePlugin`."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..manifests.objects import Manifests
from ..manifests.plugin.objects import standalone_device_plugin
from ..manifests.plugin.settings import DevicePluginSettings
from .app_registry import DEVICE_PLUGIN, DRA_DRIVER, OPERATOR, Place
from .part import Part, agent_namespace


def _manifests(place: Place, settings: DevicePluginSettings) -> Manifests:
    manifests = standalone_device_plugin(settings)
    _check_neighbours(place, settings)
    return manifests


def _check_neighbours(place: Place, settings: DevicePluginSettings) -> None:
    for other in place.neighbours(DEVICE_PLUGIN):
        if (settings.name, settings.namespace) == (other.name, other.namespace) and not settings.nodes.may_overlap(other.nodes):
            hint = "two plugins can't have objects of the same name; give each class of nodes, or each plugin, its own 'name'"
            raise wrong("name", "one that no other StandaloneDevicePlugin of this app has", settings.name, hint)
        if settings.nodes.may_overlap(other.nodes):
            hint = (
                "the kubelet listens to only one of two plugins on a node; give each class of nodes its own 'name', or different 'labels'"
            )
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, hint)
    for operator in place.neighbours(OPERATOR):
        if any(settings.nodes.may_overlap(theirs) for theirs in operator.plugin_classes):
            hint = "the operator runs its own device plugin on these nodes; leave this plugin out, or set devicePlugin.enabled in the operator's 'values' to False"
            raise wrong("nodes", "a class that no NvidiaGpuOperator of this app has", settings.nodes, hint)
    for driver in place.neighbours(DRA_DRIVER):
        if any(settings.nodes.may_overlap(theirs) for theirs in driver.nodes):
            hint = "the driver allocates the same GPUs a second time; give each class different 'labels', or its own 'name'"
            raise wrong("nodes", "a class that shares no node with those of the DraDriver", settings.nodes, hint)


STANDALONE_DEVICE_PLUGIN = Part(
    "StandaloneDevicePlugin",
    DevicePluginSettings,
    _manifests,
    lambda settings: [(DEVICE_PLUGIN, settings)],
    defaults={"namespace": agent_namespace},
    needs={"nodes": "a plugin runs on one class of GPU nodes"},
)
