"""All objects of the route without an operator: the plugin, and what its nodes' sharing and the user's wishes add to it."""

from __future__ import annotations

from .device_plugin_pod import config_map, device_plugin
from .device_plugin_settings import APPLICATION, DevicePluginSettings
from .gpu_feature_discovery import access, feature_discovery
from .mps_control_daemon import mps_control_daemon
from .objects import MAIN, Manifests, labels, manifest


def standalone_device_plugin(settings: DevicePluginSettings) -> Manifests:
    """The objects, in the order in which they are best applied."""
    name, namespace = settings.name, settings.namespace
    marks = labels(APPLICATION, instance=name, component="device-plugin")
    # No Role: neither the plugin nor the MPS daemon asks the API for anything.
    objects: Manifests = {
        "ServiceAccount": manifest("v1", "ServiceAccount", name, namespace=namespace, labels=marks),
        "ConfigMap": config_map(settings),
        MAIN: device_plugin(settings),
    }
    if settings.nodes.by_mps:
        objects["MpsControlDaemon"] = mps_control_daemon(settings)
    if settings.feature_discovery:
        objects |= access(settings)
        objects["FeatureDiscovery"] = feature_discovery(settings)
    return objects
