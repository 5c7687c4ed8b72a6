"""The MPS control daemon, which lets several pods compute on one GPU at the same time.

https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0/cmd/mps-control-daemon
"""

from __future__ import annotations

from ..objects import Manifest, env, from_field
from .agent_pods import MpsControlDaemon
from .pod import CONFIG_FILE, CONFIG_MOUNT, MPS_MOUNTS, agent, config_volume, container, mps_volumes
from .settings import DevicePluginSettings


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
