"""All objects of `StandaloneDevicePlugin`: the plugin, the MPS daemon, and GPU feature discovery."""

from __future__ import annotations

from ...upstream.nvidia.plugin_words import NODE_FEATURE_IMAGE, MigStrategy
from ..objects import MAIN, Manifest, Manifests, env, from_field, labels, manifest
from .agent_pods import FeatureDiscovery, MpsControlDaemon
from .pod import (
    CONFIG_FILE,
    CONFIG_MOUNT,
    MPS_MOUNTS,
    agent,
    config_map,
    config_volume,
    container,
    device_plugin,
    host_path,
    mps_volumes,
    word,
)
from .settings import APPLICATION, DevicePluginSettings

SUFFIX = "-gpu-feature-discovery"


def feature_discovery(settings: DevicePluginSettings, own: FeatureDiscovery) -> Manifest:
    """The DaemonSet; `own` are the settings of GPU feature discovery alone.

    Two of upstream's volumes are left out: the folder of feature files, in which nothing is written with the
    NodeFeature API, and the driver root, which upstream never mounts. The visible devices are set here; upstream relies
    on the defaults of its image.
    """
    discovery = container(settings, "gpu-feature-discovery-ctr", ["gpu-feature-discovery"], own.resources)
    variables = {
        "CONFIG_FILE": CONFIG_FILE,
        "DEVICE_DISCOVERY_STRATEGY": str(settings.device_discovery_strategy),
        "FAIL_ON_INIT_ERROR": word(settings.fail_on_init_error),
        # Older images write a file instead, into a folder that is not mounted here.
        **({} if settings.version and settings.version >= NODE_FEATURE_IMAGE else {"GFD_USE_NODE_FEATURE_API": "true"}),
        **({"GFD_SLEEP_INTERVAL": own.sleep_interval} if own.sleep_interval else {}),
        **({"GFD_NO_TIMESTAMP": "true"} if own.no_timestamp else {}),
        **({"NVIDIA_MIG_MONITOR_DEVICES": "all"} if settings.nodes.mig_strategy != MigStrategy.NONE else {}),
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
    }
    discovery |= {
        "env": [
            from_field("NODE_NAME", "spec.nodeName"),
            from_field("NAMESPACE", "metadata.namespace"),
            from_field("POD_NAME", "metadata.name"),
            *env(variables),
        ],
        # As upstream: only a privileged container can read a vGPU's information about its host.
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "host-sys", "mountPath": "/sys"}, CONFIG_MOUNT],
    }  # fmt: skip
    pod = {
        "serviceAccountName": account(settings),
        "containers": [discovery],
        "volumes": [host_path("host-sys", "/sys", "Directory"), config_volume(settings)],
    }
    argument = "feature_discovery[pod_spec]"
    return agent(settings, component="gpu-feature-discovery", suffix=SUFFIX, pod=pod, over=own.pod_spec, argument=argument)


def account(settings: DevicePluginSettings) -> str:
    """The name of the ServiceAccount, the Role and the RoleBinding."""
    return f"{settings.name}{SUFFIX}"


def access(settings: DevicePluginSettings) -> Manifests:
    """The permissions of GPU feature discovery: write the NodeFeature of its node, and read the pod that owns it, both
    in its own namespace.

    Upstream binds a ClusterRole, because its config sidecar watches nodes. There is no such sidecar here. Upstream also
    grants `list` and `watch` of NodeFeatures, which its code never calls (internal/lm/output.go).
    """
    marks = labels(APPLICATION, instance=settings.name, component="gpu-feature-discovery")
    name, namespace = account(settings), settings.namespace
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    return {
        "FeatureDiscoveryServiceAccount": manifest("v1", "ServiceAccount", name, namespace=namespace, labels=marks),
        "FeatureDiscoveryRole": manifest(
            "rbac.authorization.k8s.io/v1", "Role", name, namespace=namespace, labels=marks,
            rules=[
                {"apiGroups": ["nfd.k8s-sigs.io"], "resources": ["nodefeatures"], "verbs": ["get", "create", "update"]},
                {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
            ],
        ),
        "FeatureDiscoveryRoleBinding": manifest(
            "rbac.authorization.k8s.io/v1", "RoleBinding", name, namespace=namespace, labels=marks,
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}, subjects=[subject],
        ),
    }  # fmt: skip


def mps_control_daemon(settings: DevicePluginSettings, own: MpsControlDaemon) -> Manifest:
    """The DaemonSet. Upstream selects nodes by the label `nvidia.com/mps.capable` of GPU feature discovery; here the
    class of nodes selects them."""
    mounts = container(settings, "mps-control-daemon-mounts", ["mps-control-daemon", "mount-shm"], own.resources)
    mounts |= {
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "mps-root", "mountPath": "/mps", "mountPropagation": "Bidirectional"}],
    }
    daemon = container(settings, "mps-control-daemon-ctr", ["mps-control-daemon"], own.resources)
    daemon |= {
        "env": [
            from_field("NODE_NAME", "spec.nodeName"),
            *env({"CONFIG_FILE": CONFIG_FILE, "NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "compute,utility"}),
        ],
        "securityContext": {"privileged": True},
        "volumeMounts": [*MPS_MOUNTS, CONFIG_MOUNT],
    }
    pod = {
        "serviceAccountName": settings.name,
        "automountServiceAccountToken": False,
        # The daemon follows its clients' processes.
        "hostPID": True,
        "initContainers": [mounts],
        "containers": [daemon],
        "volumes": [*mps_volumes(), config_volume(settings)],
    }
    argument = "mps_control_daemon[pod_spec]"
    return agent(settings, component="mps-control-daemon", suffix="-mps-control-daemon", pod=pod, over=own.pod_spec, argument=argument)


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
