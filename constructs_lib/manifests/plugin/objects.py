"""All objects of `StandaloneDevicePlugin`: the plugin, and the MPS daemon and GPU feature discovery where they are
wanted."""

from __future__ import annotations

from ..objects import MAIN, Manifests, labels, manifest
from .gpu_feature_discovery import access, feature_discovery
from .mps_control_daemon import mps_control_daemon
from .pod import config_map, device_plugin
from .settings import APPLICATION, DevicePluginSettings


def standalone_device_plugin(settings: DevicePluginSettings) -> Manifests:
    """The objects, in the order of application."""
    name, namespace = settings.name, settings.namespace
    marks = labels(APPLICATION, instance=name, component="device-plugin")
    # No Role: neither the plugin nor the MPS daemon calls the Kubernetes API.
    objects: Manifests = {
        "ServiceAccount": manifest("v1", "ServiceAccount", name, namespace=namespace, labels=marks),
        "ConfigMap": config_map(settings),
        MAIN: device_plugin(settings),
    }
    if settings.mps_control_daemon:
        objects["MpsControlDaemon"] = mps_control_daemon(settings, settings.mps_control_daemon)
    if settings.feature_discovery:
        objects |= access(settings)
        objects["FeatureDiscovery"] = feature_discovery(settings, settings.feature_discovery)
    return objects
