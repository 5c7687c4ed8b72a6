"""Symptoms of CUDA's Multi-Process Service (MPS), by which programs share a card: its daemon, its server, its clients."""

from __future__ import annotations

from ..arguments.commands import command
from .link import Link, Symptom

_DAEMONS = command("kubectl get pods --all-namespaces | grep mps")
_DAEMON_LOG = command("kubectl logs POD --all-containers   # of the MPS control daemon on the node")
_SMI = command("kubectl exec POD -- nvidia-smi")
_CONFIGS = command("kubectl get configmaps --all-namespaces | grep -i plugin")
_ON_TALOS = "Reports of MPS on Talos tell of failing daemons; in one report it worked with a custom command for the daemon"
_SHARE = "Share the card by time-slicing"

# fmt: off
MPS_SYMPTOMS = (
    Symptom("mps-daemon", Link.PLUGIN, "MPS does not run on the node", rank=1,
        phrases=(
            "error waiting for MPS daemon",
            "error checking MPS daemon health",
            "Failed to send command to MPS daemon",
            "MPS client failed to connect to the MPS control daemon",
            "nvidia-cuda-mps-server exited with status"),
        likely=("Cannot find MPS control daemon process", "nvidia-cuda-mps-control: command not found"),
        cause=f"The plugin waits for a control daemon. The daemon is missing, has failed, or is still starting. {_ON_TALOS}",
        remedy=f"{_SHARE}. With MPS: read the log of the control daemon on the node; the plugin tries again every 30 seconds",
        commands=(_DAEMONS, _DAEMON_LOG),
        source="NVIDIA/k8s-device-plugin#712; NVIDIA/k8s-device-plugin#1614", rules=("TG025",)),
    Symptom("mps-root-missing", Link.PLUGIN, "The device plugin has an MPS configuration and no folder for MPS", rank=1,
        # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:cmd/nvidia-device-plugin/main.go
        phrases=("using MPS requires --mps-root to be specified",),
        cause="The configuration has sharing.mps, and the plugin's DaemonSet was written by hand or is the static manifest: MPS needs "
        "MPS_ROOT, its volumes, and the control daemon, which only the Helm chart deploys beside the plugin. So the plugin ends at "
        "once",
        remedy="Share the card by time-slicing (sharing.timeSlicing). For MPS: deploy the plugin by NVIDIA's chart, which also runs the "
        "control daemon on nodes with the label nvidia.com/mps.capable",
        commands=(_CONFIGS, command("kubectl get daemonsets --all-namespaces -o yaml | grep -A1 MPS_ROOT")),
        source="NVIDIA/k8s-device-plugin#1132; NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go", rules=("TG025",)),
    Symptom("plugin-mps-config", Link.PLUGIN, "The device plugin refuses its MPS configuration", rank=1,
        # NVIDIA/k8s-device-plugin@v0.20.0:cmd/nvidia-device-plugin/main.go, cmd/mps-control-daemon/mps/device.go
        phrases=("using --mig-strategy=mixed is not supported with MPS", "MPS sharing is not supported for mig devices", "MPS sharing is not supported for MIG devices"),
        likely=("maximum allowed replicas exceeded",),
        cause="MPS shares whole cards only, and a card of Volta or newer takes 48 clients at most, an older one 16; with the strategy "
        f"mixed the plugin refuses MPS. {_ON_TALOS}",
        remedy=_SHARE,
        commands=(_CONFIGS,), source="NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go", rules=("TG025",)),
    Symptom("mps-daemon-start", Link.PLUGIN, "The MPS control daemon can't be started for a card", rank=1,
        # NVIDIA/k8s-device-plugin@v0.17.4 to v0.20.0:cmd/mps-control-daemon/{main,mps/daemon,mount/mount-shm}.go
        phrases=(
            "Failed to start MPS daemon",
            "error setting compute mode EXCLUSIVE_PROCESS",
            "error setting pinned memory limit for device",
            "error setting active thread percentage",
            "failed to start NVIDIA MPS command",
            'exec: "nvidia-cuda-mps-control": executable file not found in $PATH'),
        likely=("error setting SELinux context",),
        cause="The daemon's container has three steps, and one failed. It sets the SELinux label of its folder if the kernel has SELinux, "
        "sets the card to EXCLUSIVE_PROCESS by nvidia-smi, and starts nvidia-cuda-mps-control. The container has no driver "
        "(RuntimeClass nvidia), no privileges, or gets no MPS programs from the toolkit",
        remedy=f"{_SHARE}. With MPS: see that the pod of the daemon has the RuntimeClass of the plugin and is privileged",
        commands=(_DAEMON_LOG, _SMI), source="NVIDIA/k8s-device-plugin#1105; NVIDIA/k8s-device-plugin cmd/mps-control-daemon/mps/daemon.go", rules=("TG025",)),
    Symptom("mps-shell-missing", Link.STARTED, "The MPS daemon of a claim looks for a shell on the node, and Talos has none", rank=1,
        # kubernetes-sigs/dra-driver-nvidia-gpu:templates/mps-control-daemon.tmpl.yaml: chroot into the driver root up to 25.12; v0.4.0 tests for a shell first
        likely=("chroot: can't execute 'sh': No such file or directory", "chroot: failed to run command 'sh': No such file or directory"),
        cause="The DRA driver up to 25.12 starts the daemon by a shell in the folder of the driver (nvidiaDriverRoot), and neither the root "
        "of Talos nor /usr/local has one. From v0.4.0 on it needs no shell, and mounts below tmp and var/log of that folder, which can't be written on Talos",
        remedy="Share the card by time-slicing in the claim",
        commands=(command("kubectl get pods --namespace dra-driver-nvidia-gpu -o wide"), _DAEMON_LOG),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#889; kubernetes-sigs/dra-driver-nvidia-gpu templates/mps-control-daemon.tmpl.yaml", rules=("TG025",)),
    Symptom("mps-server", Link.SEEN, "The MPS server of a card ends at its start, so no program gets the card", rank=1,
        # Words of nvidia-cuda-mps-control and -server, whose source is closed: as public logs have them
        likely=("Control … Server encountered a fatal exception. Shutting down", "Legacy Server … Failed to start :"),
        possible=("Control … Server … exited with status",),
        cause="The control daemon runs, and starts a server for the first client's user. This server can't open the card. The daemon "
        "tries again for each client, and programs get CUDA errors (unknown error, busy, MPS connection failed). server.log has the "
        "reason: the container of the daemon has no libraries of the driver, another program holds the card in the mode "
        "EXCLUSIVE_PROCESS, its /dev/shm or its folder is not open to that user, or the server crashed (Talos 1.12: init 250). The "
        "program is well",
        remedy=f"Read server.log in the folder of CUDA_MPS_LOG_DIRECTORY. {_SHARE}",
        commands=(_DAEMON_LOG, _SMI, command("kubectl exec POD -- nvidia-smi --query-gpu=compute_mode --format=csv")),
        source="NVIDIA/k8s-device-plugin#685; NVIDIA/k8s-device-plugin#762; NVIDIA/k8s-device-plugin#1614", rules=("TG025",)),
    Symptom("mps-client", Link.SEEN, "A program with MPS loses its server", rank=1,
        phrases=(
            "the remote procedural call between the MPS server and the MPS client failed",
            "MPS server is not ready to accept new MPS client requests",
            "the hardware resources required to create MPS client have been exhausted",
            "the hardware resources required to support device connections have been exhausted",
            "CUDA_ERROR_MPS_CONNECTION_FAILED",
            "CUDA_ERROR_MPS_RPC_FAILURE",
            "CUDA_ERROR_MPS_SERVER_NOT_READY",
            "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED",
            "CUDA_ERROR_MPS_CLIENT_TERMINATED"),
        cause="MPS puts the programs of a card into one server: a crash of one program ends it for all, and a card takes 48 clients at "
        f"most. {_ON_TALOS}",
        remedy=_SHARE,
        commands=(_DAEMONS, _SMI),
        source="https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html", rules=("TG025",)),
)
