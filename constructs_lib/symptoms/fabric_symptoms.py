"""Symptoms of the NVSwitch fabric: the fabric manager, NVLink's subnet manager, and what programs say without them."""

from __future__ import annotations

from ..arguments.commands import command
from .link import Link, Symptom
from .remedies import FABRIC_MANAGER_IMAGE

_SERVICES = command("talosctl --nodes ADDRESS services")
_LOG = command("talosctl --nodes ADDRESS logs ext-nvidia-fabricmanager")
_MODULES = command("talosctl --nodes ADDRESS read /proc/modules")
_VERSION = command("talosctl --nodes ADDRESS version")

# fmt: off
FABRIC_SYMPTOMS = (
    Symptom("fabric-manager-libz", Link.RUNTIME,
        "The fabric manager of Talos 1.13.0 does not start: libz.so.1 is missing", rank=1,
        phrases=("fabricmanager … libz.so.1: cannot open shared object file",),
        cause="The extension of Talos 1.13.0 has no libz.so.1. Without the fabric manager no program can use the GPUs "
        "of an NVSwitch machine",
        remedy=f"Upgrade the node to Talos 1.13.1 or newer: {FABRIC_MANAGER_IMAGE}",
        commands=(_LOG, _VERSION),
        source="siderolabs/extensions#1073", rules=("TG111",)),
    Symptom("fabric-not-ready", Link.RUNTIME, "The NVSwitch fabric is not ready (CUDA error 802)", rank=2,
        phrases=(
            "CUDA_ERROR_SYSTEM_NOT_READY",
            "cudaErrorSystemNotReady",
            "Error 802: system not yet initialized",
            "cuda runtime error (802)"),
        likely=("system not yet initialized",),
        cause="The machine has NVSwitches, and its fabric manager does not run, or has another version than the driver",
        remedy="Add siderolabs/nvidia-fabricmanager of the driver's track to the image. On B100, B200 and B300 load "
        "ib_umad, too: talos-gpu patch --fabric-manager",
        commands=(_SERVICES, _LOG),
        source="https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide; NVIDIA/gpu-operator#2781",
        rules=("TG078", "TG104")),
    Symptom("fabric-manager-nothing-to-do", Link.RUNTIME, "The fabric manager finds no NVSwitch", rank=1,
        phrases=("NV_WARN_NOTHING_TO_DO", "nvlsm: … umad_init: can't read ABI version"),
        # siderolabs/extensions@v1.13.9:nvidia-gpu/nvidia-fabricmanager/nvidia-fabricmanager-wrapper/{main,nvswitch}.go
        likely=(
            "umad_init: can't read ABI version",
            "is ib_umad module loaded",
            "nvidia-fabricmanager-wrapper: NVSwitch management disabled: no NVSwitch LPF device found",
            "nvidia-fabricmanager-wrapper: NVSwitch management disabled: failed to initialize libibumad",
            "No InfiniBand NVSwitch detected. On Blackwell HGX baseboards"),
        cause="NVLink 5 machines (B100, B200, B300) have their switches behind InfiniBand, and the module ib_umad is "
        "not loaded; or the machine has no NVSwitch. On NVSwitch machines before NVLink 5 (A100, H100, H200) the lines of the wrapper "
        "about InfiniBand are no fault",
        remedy="Add {name: ib_umad} to machine.kernel.modules. On a machine without NVSwitch take the extension out of the image",
        commands=(_MODULES, _LOG),
        source="siderolabs/extensions#717; siderolabs/docs#581", rules=("TG104",)),
    Symptom("fabric-management-port", Link.RUNTIME, "No port of the NVSwitches can be managed", rank=1,
        # siderolabs/extensions@v1.13.9:nvidia-gpu/nvidia-fabricmanager/nvidia-fabricmanager-wrapper/nvswitch.go
        phrases=(
            "nvidia-fabricmanager-wrapper: NVSwitch management disabled: failed to find a NVSwitch management port",
            "nvidia-fabricmanager-wrapper: infiniband: failed to get interface attributes",
            "nvidia-fabricmanager-wrapper: infiniband: failed to get port attributes"),
        cause="NVLink 5 switches appear as InfiniBand devices, and none has a port for the subnet manager (NVLSM). ib_umad or mlx5_ib is "
        "not loaded, or the port forbids a subnet manager. Early wrappers took such a port all the same",
        remedy="Load {name: ib_umad} and {name: mlx5_ib} by machine.kernel.modules, and use the fabric manager of the newest patch "
        "release of this Talos; the upgrade reboots the node, which ends its pods",
        commands=(_LOG, _MODULES, _VERSION),
        source="siderolabs/extensions#893; siderolabs/extensions#895", rules=("TG104",)),
    Symptom("fabric-subnet-manager", Link.RUNTIME, "The subnet manager of NVLink (nvlsm) does not run beside the fabric manager", rank=1,
        # siderolabs/extensions@v1.13.9:nvidia-gpu/nvidia-fabricmanager/nvidia-fabricmanager-wrapper/main.go
        phrases=(
            "nvidia-fabricmanager-wrapper: error waiting for socket",
            "nvidia-fabricmanager-wrapper: command … nvlsm … exited with code",
            "nvidia-fabricmanager-wrapper: failed to run command … nvlsm"),
        cause="The fabric manager of NVLink 5 talks to nvlsm by the socket fm_sm_ipc.socket, and nvlsm ended or did not open it: the "
        "lines that begin with nvlsm have the reason. The fabric stays In Progress, and CUDA "
        "fails with error 802",
        remedy="Read the lines of nvlsm before this one. Load ib_umad, and use modules, fabric manager and Talos of one release; then "
        "talosctl --nodes ADDRESS service ext-nvidia-fabricmanager restart",
        commands=(_LOG, _MODULES, command("kubectl exec POD -- nvidia-smi -q")),
        source="siderolabs/extensions nvidia-gpu/nvidia-fabricmanager/nvidia-fabricmanager-wrapper/main.go; siderolabs/extensions#893", rules=("TG104",)),
    Symptom("fabric-manager-config", Link.RUNTIME, "The fabric manager does not understand its configuration file", rank=1,
        phrases=("fabric manager config file item … has an invalid value",),
        cause="The extension's file and the fabric manager come from different releases, or the file lacks the topology of this "
        "baseboard. The extension is old, or was pinned by hand",
        remedy=f"Take the fabric manager of the release of Talos: {FABRIC_MANAGER_IMAGE}",
        commands=(_LOG, command("talosctl --nodes ADDRESS get extensions")),
        source="siderolabs/extensions#511", rules=("TG111",)),
    Symptom("fabric-manager-version", Link.RUNTIME, "The fabric manager has another version than the driver", rank=1,
        phrases=("fabric manager NVIDIA GPU driver interface version … don't match with driver version",),
        cause="Fabric manager and kernel modules must have exactly the same version: the image has extensions of two tracks, or of two "
        "releases",
        remedy=f"Use one track for modules, toolkit and fabric manager: {FABRIC_MANAGER_IMAGE}",
        commands=(command("talosctl --nodes ADDRESS get extensions"), command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")),
        source="https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide; NVIDIA/gpu-operator#356", rules=("TG080", "TG078")),
    Symptom("fabric-registration", Link.PLUGIN, "The cards are not registered with the NVLink fabric", rank=2,
        # kubernetes-sigs/dra-driver-nvidia-gpu@v0.4.0:cmd/compute-domain-kubelet-plugin/nvlib.go
        phrases=("NVLink fabric not attached", "NVLink fabric registration error"),
        likely=("unexpected number of unique ClusterUUIDs found on devices", "unexpected number of unique CliqueIDs found on devices"),
        cause="The DRA driver's part for ComputeDomains ends if a card of an NVLink machine is not attached to the fabric, or if the "
        "cards name several fabrics. The fabric manager does not run, or a card failed",
        remedy="Start the fabric manager first (siderolabs/nvidia-fabricmanager, ib_umad). On machines without multi-node NVLink switch "
        "the part off: resources.computeDomains.enabled: false",
        commands=(_LOG, command("kubectl exec POD -- nvidia-smi -q")),
        source="kubernetes-sigs/dra-driver-nvidia-gpu cmd/compute-domain-kubelet-plugin/nvlib.go", rules=("TG078", "TG104")),
)
