"""The programs of the GPU stack on a node: the kinds of agents, the commands and images of each, and the images of other vendors."""

from __future__ import annotations

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
OTHERS_PLUGIN = "device plugin of another project"

BY_THE_RUNTIME = frozenset({PLUGIN, GFD})
"""The agents that get the driver's library from NVIDIA's runtime: without the runtime they find no GPU. The DRA driver looks in `nvidiaDriverRoot`,
and the operator's other pods in the folder of the driver.

Source: NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go, cmd/gpu-feature-discovery/main.go at 1b826ac (2026-11-23)
"""

COMMANDS: dict[str, str | None] = {
    "nvidia-device-plugin": PLUGIN,
    "gpu-feature-discovery": GFD,
    "mps-control-daemon": MPS_DAEMON,
    "config-manager": None,
    "dcgm-exporter": EXPORTER,
    "nv-hostengine": DCGM,
    "gpu-kubelet-plugin": DRA,
    "compute-domain-kubelet-plugin": DRA,
    "compute-domain-controller": None,
    "compute-domain-daemon": None,
    "gpu-operator": OPERATOR,
    "nvidia-validator": VALIDATOR,
    "nvidia-mig-manager": MIG_MANAGER,
    "nvidia-driver": DRIVER,
    "nvidia-toolkit": TOOLKIT,
    "nfd-worker": NFD_WORKER,
    "nfd-master": NFD_MASTER,
    "nfd-gc": None,
    "nfd-topology-updater": None,
}
"""The kind of agent that a command is; None: a command beside the agents.

Source: NVIDIA/k8s-device-plugin cmd/ and deployments/container/Dockerfile at 1b826ac; NVIDIA/gpu-operator docker/Dockerfile and assets/ at a22dbf6;
the rendered charts of dra-driver-nvidia-gpu v0.5.0-dev and node-feature-discovery v0.19.0 (2026-11-23)
"""

IMAGES: dict[str, str] = {
    "k8s-device-plugin": PLUGIN,
    "gpu-feature-discovery": GFD,
    "dcgm-exporter": EXPORTER,
    "dra-driver-nvidia-gpu": DRA,
    "k8s-dra-driver-gpu": DRA,
    "node-feature-discovery": NFD_WORKER,
    "gpu-operator-validator": VALIDATOR,
    "k8s-mig-manager": MIG_MANAGER,
}
"""The agent that an image runs without a command, by a part of its name: copies in other registries often have words before or behind it.

Source: the values of the charts of nvidia-device-plugin v0.20.0, gpu-operator v26.7.0, dcgm-exporter 4.8.2, dra-driver-nvidia-gpu v0.5.0-dev and
node-feature-discovery v0.19.0 (2026-11-23)
"""

IMAGE_PATHS: dict[str, str] = {
    "gpu-operator": OPERATOR,
    "nvidia/driver": DRIVER,
    "k8s/container-toolkit": TOOLKIT,
    "cloud-native/dcgm": DCGM,
}
"""The agents whose image has a common word for a name, by the end of the whole path.

Source: deployments/gpu-operator/values.yaml of NVIDIA/gpu-operator at v26.7.0 (2026-11-23)
"""

CONTAINERS: dict[str, str] = {
    "nvidia-device-plugin-ctr": PLUGIN,
    "nvidia-device-plugin": PLUGIN,
    "gpu-feature-discovery-ctr": GFD,
    "gpu-feature-discovery": GFD,
    "mps-control-daemon-ctr": MPS_DAEMON,
    "nvidia-dcgm-exporter": EXPORTER,
    "nvidia-dcgm-ctr": DCGM,
    "nvidia-operator-validator": VALIDATOR,
    "nvidia-node-status-exporter": STATUS_EXPORTER,
    "nvidia-mig-manager": MIG_MANAGER,
    "nvidia-driver-ctr": DRIVER,
    "nvidia-container-toolkit-ctr": TOOLKIT,
}
"""The names that NVIDIA's charts and operator give to containers, also to those with an image of the user's own.

Source: deployments/helm/nvidia-device-plugin/templates of NVIDIA/k8s-device-plugin at 1b826ac; assets/ of NVIDIA/gpu-operator at a22dbf6 (2026-11-23)
"""

SHELLS = frozenset({"sh", "bash", "ash", "dash", "busybox", "tini", "dumb-init", "env", "exec"})
"""The programs that start another program, which a script or the image's own entry point names."""

OTHER_VENDORS = frozenset(
    {
        "rocm", "amd", "amdgpu", "intel", "habana", "habanalabs", "ascend", "huawei", "cambricon", "mthreads", "metax", "hygon", "iluvatar",
    }
)  # fmt: skip
"""The words of other vendors in the paths of images and the names of containers: their plugins and operators have the names of NVIDIA's.

Source: ROCm/k8s-device-plugin k8s-ds-amdgpu-dp.yaml (image rocm/k8s-device-plugin, container amdgpu-dp-cntr), ROCm/gpu-operator,
intel/intel-device-plugins-for-kubernetes (2026-11-23)
"""
