"""The programs of the GPU stack on a node: the kinds of agents, the commands and images of each, and the images of
other vendors."""

from __future__ import annotations

import enum

from ..charts.gpu_operator_chart import DEPLOY_LABEL, VALIDATOR_LABEL

_VALIDATOR = VALIDATOR_LABEL.removeprefix(DEPLOY_LABEL)


class AgentKind(enum.StrEnum):
    """The agents on whose work a GPU node depends, in words."""

    PLUGIN = "device plugin"
    GFD = "GPU feature discovery"
    MPS_DAEMON = "MPS control daemon"
    EXPORTER = "DCGM exporter"
    DRA = "DRA driver"
    NFD_WORKER = "NFD worker"
    NFD_MASTER = "NFD master"
    OPERATOR = "GPU operator"
    VALIDATOR = "operator validator"
    STATUS_EXPORTER = "node status exporter"
    DRIVER = "driver installer"
    TOOLKIT = "toolkit installer"
    MIG_MANAGER = "MIG manager"
    DCGM = "DCGM host engine"
    BRIDGE = "validation bridge"


BY_THE_RUNTIME = frozenset({AgentKind.PLUGIN, AgentKind.GFD})
"""The agents that get the driver's library from NVIDIA's runtime: without the runtime they find no GPU. The DRA driver
looks in `nvidiaDriverRoot`, and the operator's other pods in the folder of the driver.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go, cmd/gpu-feature-discovery/main.go at 1b826ac
(2026-11-23)
"""

COMMANDS: dict[str, AgentKind | None] = {
    "nvidia-device-plugin": AgentKind.PLUGIN,
    "gpu-feature-discovery": AgentKind.GFD,
    "mps-control-daemon": AgentKind.MPS_DAEMON,
    "config-manager": None,
    "dcgm-exporter": AgentKind.EXPORTER,
    "nv-hostengine": AgentKind.DCGM,
    "gpu-kubelet-plugin": AgentKind.DRA,
    "compute-domain-kubelet-plugin": AgentKind.DRA,
    "compute-domain-controller": None,
    "compute-domain-daemon": None,
    "gpu-operator": AgentKind.OPERATOR,
    "nvidia-validator": AgentKind.VALIDATOR,
    "nvidia-mig-manager": AgentKind.MIG_MANAGER,
    "nvidia-driver": AgentKind.DRIVER,
    "nvidia-toolkit": AgentKind.TOOLKIT,
    "nfd-worker": AgentKind.NFD_WORKER,
    "nfd-master": AgentKind.NFD_MASTER,
    "nfd-gc": None,
    "nfd-topology-updater": None,
}
"""The kind of agent that a command is; None: a command beside the agents.

Source: NVIDIA/k8s-device-plugin cmd/ and deployments/container/Dockerfile at 1b826ac; NVIDIA/gpu-operator
docker/Dockerfile and assets/ at a22dbf6; the rendered charts of dra-driver-nvidia-gpu v0.5.0-dev and
node-feature-discovery v0.19.0 (2026-11-23)
"""

IMAGES: dict[str, AgentKind] = {
    "k8s-device-plugin": AgentKind.PLUGIN,
    "gpu-feature-discovery": AgentKind.GFD,
    "dcgm-exporter": AgentKind.EXPORTER,
    "dra-driver-nvidia-gpu": AgentKind.DRA,
    "k8s-dra-driver-gpu": AgentKind.DRA,
    "node-feature-discovery": AgentKind.NFD_WORKER,
    f"gpu-{_VALIDATOR}": AgentKind.VALIDATOR,
    "k8s-mig-manager": AgentKind.MIG_MANAGER,
}
"""The agent that an image runs without a command, by a part of its name: copies in other registries often have words
before or behind it.

Source: the values of the charts of nvidia-device-plugin v0.20.0, gpu-operator v26.7.0, dcgm-exporter 4.8.2,
dra-driver-nvidia-gpu v0.5.0-dev and node-feature-discovery v0.19.0 (2026-11-23)
"""

IMAGE_PATHS: dict[str, AgentKind] = {
    "gpu-operator": AgentKind.OPERATOR,
    "nvidia/driver": AgentKind.DRIVER,
    "k8s/container-toolkit": AgentKind.TOOLKIT,
    "cloud-native/dcgm": AgentKind.DCGM,
}
"""The agents whose image has a common word for a name, by the end of the whole path.

Source: deployments/gpu-operator/values.yaml of NVIDIA/gpu-operator at v26.7.0 (2026-11-23)
"""

CONTAINERS: dict[str, AgentKind] = {
    "nvidia-device-plugin-ctr": AgentKind.PLUGIN,
    "nvidia-device-plugin": AgentKind.PLUGIN,
    "gpu-feature-discovery-ctr": AgentKind.GFD,
    "gpu-feature-discovery": AgentKind.GFD,
    "mps-control-daemon-ctr": AgentKind.MPS_DAEMON,
    "nvidia-dcgm-exporter": AgentKind.EXPORTER,
    "nvidia-dcgm-ctr": AgentKind.DCGM,
    f"nvidia-{_VALIDATOR}": AgentKind.VALIDATOR,
    "nvidia-node-status-exporter": AgentKind.STATUS_EXPORTER,
    "nvidia-mig-manager": AgentKind.MIG_MANAGER,
    "nvidia-driver-ctr": AgentKind.DRIVER,
    "nvidia-container-toolkit-ctr": AgentKind.TOOLKIT,
}
"""The names that NVIDIA's charts and operator give to containers, also to those with an image of the user's own.

Source: deployments/helm/nvidia-device-plugin/templates of NVIDIA/k8s-device-plugin at 1b826ac; assets/ of
NVIDIA/gpu-operator at a22dbf6 (2026-11-23)
"""

POD_NAMES: dict[str, AgentKind] = {
    "nvidia-device-plugin-validator": AgentKind.VALIDATOR,
    "nvidia-cuda-validator": AgentKind.VALIDATOR,
    _VALIDATOR: AgentKind.VALIDATOR,
    "mps-control-daemon": AgentKind.MPS_DAEMON,
    "gpu-feature-discovery": AgentKind.GFD,
    "nvidia-device-plugin": AgentKind.PLUGIN,
    "dcgm-exporter": AgentKind.EXPORTER,
    "nvidia-dcgm": AgentKind.DCGM,
    "nvidia-mig-manager": AgentKind.MIG_MANAGER,
    "nvidia-node-status-exporter": AgentKind.STATUS_EXPORTER,
    "nvidia-driver-daemonset": AgentKind.DRIVER,
    "nvidia-container-toolkit": AgentKind.TOOLKIT,
    "validation-bridge": AgentKind.BRIDGE,
    "dra-driver-nvidia-gpu": AgentKind.DRA,
    "nvidia-dra-driver-gpu": AgentKind.DRA,
    "node-feature-discovery-worker": AgentKind.NFD_WORKER,
    "node-feature-discovery-master": AgentKind.NFD_MASTER,
    "gpu-operator": AgentKind.OPERATOR,
}
"""The agent of a pod or a workload by words of its name, where nothing else of it is known. A longer name comes before
one that it has in it.

Source: assets/ and validator/manifests/ of NVIDIA/gpu-operator at a22dbf6; the rendered charts of nvidia-device-plugin
v0.20.0, dra-driver-nvidia-gpu v0.5.0-dev, dcgm-exporter 4.8.2 and node-feature-discovery v0.19.0, also as a dependency
of the operator (2026-11-28)
"""

SHELLS = frozenset({"sh", "bash", "ash", "dash", "busybox", "tini", "dumb-init", "env", "exec"})
"""The programs that start another program, which a script or the image's own entry point names.

Source: the commands of the pods in assets/ of NVIDIA/gpu-operator at a22dbf6, and of the chart of dra-driver-nvidia-gpu
v0.5.0-dev (2026-11-23)
"""

OTHER_VENDORS = frozenset(
    {
        "rocm", "amd", "amdgpu", "intel", "habana", "habanalabs", "ascend", "huawei", "cambricon", "mthreads", "metax", "hygon", "iluvatar",
    }
)  # fmt: skip
"""The words of other vendors in the paths of images and the names of containers: their plugins and operators have the
names of NVIDIA's.

Source: ROCm/k8s-device-plugin k8s-ds-amdgpu-dp.yaml (image rocm/k8s-device-plugin, container amdgpu-dp-cntr),
ROCm/gpu-operator, intel/intel-device-plugins-for-kubernetes (2026-11-23)
"""
