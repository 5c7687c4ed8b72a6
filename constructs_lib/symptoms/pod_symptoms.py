"""Symptoms of workloads: their start, their libraries, their memory."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.kubernetes.scheduler_words import INSUFFICIENT, UNMATCHED, UNTOLERATED
from ..upstream.talos.features import EXEC_BREAKS
from ..upstream.talos.generations import BY_CONTAINERD, CLASS_HANDLER, NRI_TOOLKIT
from .link import GAP, Link, Symptom

_ERROR_35 = ("CUDA driver version is insufficient for CUDA runtime version", "cudaErrorInsufficientDriver")
"""CUDA's words for a driver that is too old, and for a container without any driver.

Source: https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html, cudaErrorInsufficientDriver; cudart gives it where it
finds no libcuda, too (SeldonIO/seldon-core#4887)
"""

# fmt: off
POD_SYMPTOMS = (
    Symptom("runtime-not-configured", Link.STARTED, "containerd on the node has no runtime for the RuntimeClass",
        rank=1,
        # containerd/containerd@v2.2.9:internal/cri/config/config.go, and the second of podsandbox/sandbox_run.go
        phrases=('no runtime for "…" is configured', "failed to get sandbox runtime"),
        cause="This Talos lacks the RuntimeClass's handler (it has nvidia), or the node's image has no nvidia-container-toolkit extension",
        remedy=f"{CLASS_HANDLER.opening}: set handler: nvidia, and add siderolabs/nvidia-container-toolkit of the driver's track to the image. "
        f"{NRI_TOOLKIT.opening}: take runtimeClassName out of the pod",
        commands=(command("kubectl get runtimeclass"), command("talosctl --nodes ADDRESS get extensions")),
        source="NVIDIA/k8s-device-plugin#479; siderolabs/extensions nvidia-gpu/nvidia-container-toolkit",
        rules=("TG042", "TG106")),
    Symptom("mount-not-shared", Link.STARTED, "A pod sets mountPropagation for a folder that is not a shared mount", rank=1,
        # containerd/containerd@v2.2.9:internal/cri/opts/spec_linux_opts.go
        phrases=("is mounted on … but it is not a shared mount", "is mounted on … but it is not a shared or slave mount"),
        cause="A volume of the pod has mountPropagation (Bidirectional or HostToContainer): mounts below it are to be seen on both sides. The "
        "mount of the node that the path is on is private, so containerd refuses the container",
        remedy="Remove mountPropagation from volumes without mounts below them. On Talos: a folder of machine.kubelet.extraMounts needs "
        "the options bind, rshared, rw. On another system: mount --make-rshared for the mount that the message names",
        commands=(command("kubectl get pod POD -o yaml"), command("talosctl --nodes ADDRESS read /proc/self/mountinfo")),
        source="NVIDIA/gpu-operator#315; containerd/containerd internal/cri/opts/spec_linux_opts.go"),
    Symptom("runtime-of-others", Link.STARTED, "The node runs another container runtime than Talos does, and it has no handler for the RuntimeClass", rank=1,
        # cri-o/cri-o internal/oci; kubernetes/kubernetes@v1.23:pkg/kubelet/dockershim
        phrases=("failed to find runtime handler … from", 'RuntimeHandler "…" not supported'),
        cause="CRI-O or Docker prints this line, so the node does not run Talos. Install the toolkit there, and configure the runtime for "
        "it. CRI-O with NVIDIA's OCI hook needs no RuntimeClass",
        remedy="Configure the runtime of that node (nvidia-ctk runtime configure --runtime=crio), or let the pod go to Talos nodes by "
        "nodeSelector. With CRI-O's hook: take runtimeClassName out of the pod",
        commands=(command("kubectl get nodes -o wide"), command("kubectl get runtimeclass")),
        source="NVIDIA/gpu-operator#1298; NVIDIA/gpu-operator#236", rules=("TG042",)),
    Symptom("runtime-class-missing", Link.ADMITTED, "The RuntimeClass of the pod does not exist", rank=1,
        phrases=('RuntimeClass "…" not found', "pod rejected: RuntimeClass"),
        cause="Nothing in the cluster makes this RuntimeClass: a standalone device plugin does not, and the GPU operator does",
        remedy="Apply {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}",
        commands=(command("kubectl get runtimeclass"),),
        source="https://kubernetes.io/docs/concepts/containers/runtime-class/", rules=("TG041",)),
    Symptom("no-gpu-in-pod", Link.SEEN, "The program in the pod sees no GPU", rank=3, is_of_node=True,
        phrases=(
            "no compatible GPUs were discovered",
            "No compatible GPU found",
            "Found no NVIDIA driver on your system",
            "The NVIDIA Driver was not detected",
            "No platform detected, vLLM is running on UnspecifiedPlatform",
            "libcuda.so.1: cannot open shared object file",
            "Cannot load libcuda.so.1",
            "libcuda.so: cannot open shared object file",
            '"nvidia-smi": executable file not found in $PATH'),
        likely=(
            "No CUDA GPUs are available",
            "no CUDA-capable device is detected",
            "Failed to infer device type",
            "nvidia-smi: command not found",
            "sh: … nvidia-smi: not found",
            "ash: nvidia-smi: not found",
            ": line … nvidia-smi: not found"),  # without a shell it is a warning of agents that work
        possible=_ERROR_35,
        cause="The runtime injected neither the driver's libraries nor a card: the pod has no limit nvidia.com/gpu, "
        f"or {CLASS_HANDLER.when} no RuntimeClass nvidia (with a CDI strategy of the plugin, {BY_CONTAINERD.when}, it needs none), or the image of the node has the kernel modules without the "
        "container toolkit. Where libcuda is in the container (no CUDA-capable device), also a variable that names no card of the container "
        "(CUDA_VISIBLE_DEVICES), or a card that failed",
        remedy=f"Set resources.limits: {{nvidia.com/gpu: 1}} and, {CLASS_HANDLER.when}, runtimeClassName: nvidia in the pod spec, and recreate the pod",
        commands=(
            command("kubectl get pod POD -o yaml"), command("kubectl describe node NODE"),
            command("talosctl --nodes ADDRESS get extensions")),
        source="https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu; "
        "ollama/ollama#3211; NVIDIA/k8s-device-plugin#346",
        rules=("TG040", "TG041", "TG106", "TG051", "TG043")),
    Symptom("cuda-803", Link.SEEN,
        "libcuda in the container and the kernel modules have different versions (CUDA error 803)", rank=1, is_of_node=True,
        phrases=(
            "system has unsupported display driver / cuda driver combination",
            "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
            "cudaErrorSystemDriverMismatch"),
        likely=("Error 803",),
        cause="The program loads another libcuda than the node's driver has: from /usr/local/cuda/compat of the image, from "
        "LD_LIBRARY_PATH, or from a container older than the node's upgrade",
        remedy="Recreate the pod. If the error stays, take /usr/local/cuda/compat out of LD_LIBRARY_PATH, and remove "
        "libcuda from the image",
        commands=(
            command("kubectl exec POD -- sh -c 'ldconfig -p | grep libcuda; echo $LD_LIBRARY_PATH'"),
            command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")),
        source="NVIDIA/nvidia-docker#1256; https://docs.nvidia.com/deploy/cuda-compatibility/",
        rules=("TG080", "TG091")),
    Symptom("cuda-804", Link.SEEN,
        "The image is newer than the driver, and brings its own libcuda for data centre cards only (CUDA error 804)", rank=1,
        phrases=(
            "forward compatibility was attempted on non supported HW",
            "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
            "cudaErrorCompatNotSupportedOnDevice"),
        likely=("Error 804",),
        cause="The image is built with a newer CUDA than the driver has, and forward compatibility works on data "
        "centre cards only, not on GeForce",
        remedy="Use an image with an older CUDA, or a Talos with a newer driver: talos-gpu matrix --cuda MAJOR",
        commands=(command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version"),),
        source="https://docs.nvidia.com/deploy/cuda-compatibility/; NVIDIA/nvidia-docker#1294", rules=("TG091",)),
    Symptom("driver-too-old", Link.SEEN, "The driver of the node is older than the CUDA of the image",
        phrases=(
            "The NVIDIA driver on your system is too old",
            "requirement error: unsatisfied condition: cuda>=",
            "the provided PTX was compiled with an unsupported toolchain"),
        likely=_ERROR_35,
        cause="Each major version of CUDA has a lowest driver. The driver is part of Talos' release and track. CUDA error 35 also means that "
        "the container has no driver at all",
        remedy="Use an image with an older CUDA, or a Talos with a newer driver: talos-gpu matrix --cuda MAJOR",
        commands=(command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version"),),
        source="https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html; NVIDIA/nvidia-container-toolkit#152",
        rules=("TG091",)),
    Symptom("no-kernel-image", Link.SEEN, "The program of the image was not built for the architecture of the card",
        rank=1,
        phrases=(
            "no kernel image is available for execution on the device",
            "is not compatible with the current PyTorch installation",
            "CUDA_ERROR_NO_BINARY_FOR_GPU"),
        cause="The image's libraries have code for other architectures: Blackwell (sm_120) needs builds with CUDA "
        "12.8 or newer, and builds with CUDA 13 have left out Maxwell, Pascal and Volta. Driver and node are well",
        remedy="Use a tag of the image that is built for the card, such as one with cu128 or newer for Blackwell, or cu126 for Pascal",
        commands=(command("kubectl exec POD -- python -c 'import torch; print(torch.version.cuda, torch.cuda.get_arch_list())'"),),
        source="pytorch/pytorch#167244; Comfy-Org/ComfyUI#16438"),
    Symptom("vulkan-on-cpu", Link.SEEN, "Vulkan or OpenGL renders on the processor (llvmpipe)", rank=2,
        phrases=(
            "llvmpipe (LLVM",
            "deviceName = llvmpipe",
            "OpenGL renderer string: llvmpipe",
            "vkCreateInstance … libGLX_nvidia.so.0"),
        possible=("loader_scanned_icd_add: Could not get",),
        likely=("VK_ERROR_INCOMPATIBLE_DRIVER",),
        cause="The Vulkan loader finds no working NVIDIA driver. nvidia_icd.json is not in the container, the image lacks libraries that "
        "libGLX_nvidia links against, or up to Talos 1.11 NVIDIA_DRIVER_CAPABILITIES has no graphics. CUDA works all the same",
        remedy="Use an image with libvulkan1, libgl1, libglvnd0, libxext6 and libx11-6, and with nvidia_icd.json in "
        "/usr/share/vulkan/icd.d. Up to Talos 1.11 also set NVIDIA_DRIVER_CAPABILITIES=all",
        commands=(
            command("kubectl exec POD -- ls /usr/share/vulkan/icd.d /etc/vulkan/icd.d"),
            command("kubectl exec POD -- vulkaninfo --summary")),
        source="NVIDIA/nvidia-container-toolkit#16; NVIDIA/nvidia-container-toolkit#1952"),
    Symptom("video-libraries", Link.SEEN, "The container has no NVENC or NVDEC libraries", rank=1,
        phrases=(
            "Cannot load libnvidia-encode.so.1",
            "Cannot load libnvcuvid.so.1",
            "Failed loading nvcuvid",
            "libnvidia-encode.so.1: cannot open shared object file"),
        cause="Up to Talos 1.11 the runtime injects the video libraries only where NVIDIA_DRIVER_CAPABILITIES names "
        "video; the default is compute and utility",
        remedy="Set the variable NVIDIA_DRIVER_CAPABILITIES=compute,video,utility in the container, or upgrade to Talos 1.12 or newer",
        commands=(command("kubectl exec POD -- sh -c 'ldconfig -p | grep -e nvcuvid -e nvidia-encode; echo $NVIDIA_DRIVER_CAPABILITIES'"),),
        source="jellyfin-archive/jellyfin-metapackages#2; NVIDIA/nvidia-container-toolkit internal/config/image/capabilities.go",
        rules=("TG120",)),
    Symptom("video-encoder", Link.SEEN, "NVENC refuses the card (unsupported device)", rank=1,
        phrases=("OpenEncodeSessionEx failed: unsupported device", "No NVENC capable devices found"),
        likely=("No capable devices found",),
        cause="The card has no encoder (such as A100 and H100). Or the node has several cards: drivers 570 and 580 can refuse NVENC in a "
        "container that sees only some of them. Up to Talos 1.11 the container can also lack the video libraries",
        remedy="Use a card with NVENC. With several cards: give the container all cards of the node. Up to Talos 1.11 "
        "also set NVIDIA_DRIVER_CAPABILITIES=compute,video,utility",
        commands=(command("kubectl exec POD -- nvidia-smi"), command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")),
        source="NVIDIA/nvidia-container-toolkit#1249; NVIDIA/open-gpu-kernel-modules#826", rules=("TG120",)),
    Symptom("nvml-unknown-error", Link.SEEN, "A container has lost the right to open the device files",
        rank=2, is_of_node=True,
        phrases=(
            "/dev/nvidia0: Operation not permitted",
            "/dev/nvidiactl: Operation not permitted"),
        likely=("Failed to initialize NVML: Unknown Error",),
        cause="The device files came as a volume of the host, for which the container has no device rule, or the "
        "rules of a running container were written anew",
        remedy="Set resources.limits: {nvidia.com/gpu: 1} in place of the volume, and recreate the pod",
        commands=(command("kubectl get pod POD -o yaml"),),
        source="NVIDIA/gpu-operator#485; kubernetes/kubernetes#5607", rules=("TG060",)),
    Symptom("cuda-out-of-memory", Link.SEEN, "The memory of the GPU is full", rank=2,
        phrases=(
            "CUDA out of memory",
            "CUDA error: out of memory",
            "CUDA_ERROR_OUT_OF_MEMORY",
            "ggml_cuda … out of memory",
            "cudaMalloc failed: out of memory"),
        cause="The model is too large for the card, or pods share the card: time-slicing divides time, not memory. A "
        "pod without a limit nvidia.com/gpu may use the card of another pod, too",
        remedy="Lower the memory of the program (a smaller model or context, vLLM: --gpu-memory-utilization), or "
        "place the pods on different GPUs",
        commands=(command("kubectl exec POD -- nvidia-smi"), command("talos-gpu check --capacity PATH")),
        source="NVIDIA/k8s-device-plugin#87; https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#shared-access-to-gpus",
        rules=("TG097", "TG043", "TG044", "TG034"), alerts=("GpuMemoryNearlyFull",)),
    Symptom("shared-memory", Link.SEEN, "The shared memory of the container (/dev/shm) is too small", rank=2,
        phrases=(
            "NCCL WARN Error while creating shared memory segment",
            "NCCL WARN Error while attaching to shared memory segment",
            "NCCL WARN Call to posix_fallocate failed: No space left on device",
            "failed to extend /dev/shm/nccl- … No space left on device"),
        likely=("This might be caused by insufficient shared memory",),
        cause="Kubernetes gives a container 64 MiB at /dev/shm. Programs with several GPUs, and data loaders, need more",
        remedy="Mount a volume {emptyDir: {medium: Memory}} at /dev/shm",
        commands=(command("kubectl exec POD -- df -h /dev/shm"),),
        source="NVIDIA/nccl#525", rules=("TG103",)),
    Symptom("insufficient-gpus", Link.SCHEDULED, "No node that takes the pod has a free GPU",
        phrases=(
            f"{INSUFFICIENT}nvidia.com/gpu",
            f"{INSUFFICIENT}nvidia.com/mig-",
            f"{INSUFFICIENT}nvidia.com/gpu {GAP} {UNTOLERATED}",
            f"{INSUFFICIENT}nvidia.com/gpu {GAP} {UNMATCHED}",
            f"{UNTOLERATED} {GAP} {INSUFFICIENT}nvidia.com/gpu",
            f"{UNMATCHED} {GAP} {INSUFFICIENT}nvidia.com/gpu"),
        cause="All GPUs are taken (a rolling update keeps the old pod until the new one runs), the pod asks for more "
        "than one node has, or no node advertises GPUs. Other reasons in the line (affinity, a taint, memory) are those of the other nodes, which "
        "may have a free GPU",
        remedy="See what the node offers. With GPUs on offer: strategy: {type: Recreate}, fewer GPUs, or "
        "time-slicing. Without: see the log of the device plugin",
        commands=(
            command("kubectl get nodes -o custom-columns='NAME:.metadata.name,GPUS:.status.allocatable.nvidia\\.com/gpu'"),
            command("talos-gpu check --capacity PATH")),
        source="NVIDIA/k8s-device-plugin#430; https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy",
        rules=("TG048", "TG047", "TG095", "TG096", "TG098", "TG026"), alerts=("GpuPodPending", "GpuNodeLostGpus")),
    Symptom("untolerated-taint", Link.SCHEDULED, "The pod does not tolerate a taint of the GPU nodes",
        phrases=(f"{UNTOLERATED} {{nvidia.com/gpu",),
        likely=(UNTOLERATED,),
        cause="The pod does not tolerate a taint of the nodes; newer releases of Kubernetes don't name the taint. The "
        "pods of the device plugin and its discovery need the toleration, too",
        remedy="Add the taint's key, value and effect to tolerations",
        commands=(command("kubectl get nodes -o custom-columns='NAME:.metadata.name,TAINTS:.spec.taints'"),),
        source="NVIDIA/k8s-device-plugin#421; https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        rules=("TG053",), alerts=("GpuPodPending",)),
    Symptom("node-affinity", Link.SCHEDULED, "No node has the labels that the pod selects",
        phrases=(UNMATCHED,),
        cause="Nothing sets a label that the pod selects: node feature discovery or the GPU operator is absent, or "
        "the labels have changed with the release of Talos",
        remedy="Set the label in machine.nodeLabels (Talos 1.14: labels of KubeNodeConfig), or select a label that Talos sets",
        commands=(command("kubectl get nodes --show-labels"),),
        source="NVIDIA/k8s-device-plugin#1213", rules=("TG007", "TG049"), alerts=("GpuPodPending",)),
    Symptom("admission-error", Link.STARTED,
        "The kubelet refuses a pod, because the device plugin offers no GPU at that moment",
        phrases=(
            "Allocate failed due to requested number of devices unavailable for nvidia.com/",
            "no healthy devices present; cannot allocate unhealthy devices nvidia.com/"),
        likely=("no healthy devices present; cannot allocate unhealthy devices",),
        cause="The device plugin was not registered when the kubelet admitted the pod: after a reboot of the node, or "
        "a restart of the kubelet or the plugin. A node whose plugin stopped has capacity and nothing allocatable for five minutes; after a restart of "
        "the kubelet it has neither. A "
        'card is broken where this stays so beside a running plugin, or the kernel reports an XID. Other words after "Allocate failed due to" name another '
        "reason, such as a request for more than one shared GPU (TG046)",
        remedy="Delete the failed pod: its controller creates a new one, and a pod without a controller is to be "
        "created again. If new pods fail, too, see the log of the device plugin, and restart the kubelet (talosctl "
        "--nodes ADDRESS service kubelet restart)",
        commands=(command("kubectl describe pod POD"), command("kubectl describe node NODE")),
        source="kubernetes/kubernetes#125579; kubernetes/kubernetes#128043; kubernetes/kubernetes#130145"),
    Symptom("admission-refused", Link.STARTED, "The kubelet refused a pod that the scheduler had placed on its node", rank=5, is_general=True,
        possible=("UnexpectedAdmissionError",),
        cause="A part of the kubelet could not give the pod what it asks for: devices, processors, memory. The words behind the reason name the part; "
        "those of a device plugin of another vendor (a scheduler that found no device) are that vendor's",
        remedy="Read the message of the pod by talos-gpu why, and delete the failed pod: its controller creates a new one",
        commands=(command("kubectl describe pod POD"),),
        source="kubernetes/kubernetes pkg/kubelet/lifecycle/predicate.go; ray-project/kuberay#1414"),
    Symptom("request-of-shared-gpus", Link.STARTED, "A pod asks for more than one of GPUs that are shared",
        phrases=("maximum request size for shared resources is",),
        cause="The plugin shares each GPU, and its configuration refuses requests for more than one "
        "(failRequestsGreaterThanOne; always so with MPS)",
        remedy="Ask for nvidia.com/gpu: 1: more shares of a GPU give no more of the GPU",
        commands=(command("kubectl describe pod POD"),),
        source="NVIDIA/k8s-device-plugin#929; NVIDIA/k8s-device-plugin api/config/v1/sharing.go", rules=("TG046",)),
    Symptom("pod-security", Link.ADMITTED, "Pod Security refuses the pod",
        phrases=('violates PodSecurity "…": … hostPath volumes', 'violates PodSecurity "…": … privileged', 'violates PodSecurity "'),
        cause="Talos enforces the level baseline in every namespace except kube-system. NVIDIA's agents mount folders of the host, "
        "which that level forbids; a program with a limit nvidia.com/gpu needs no such volume",
        remedy="Set the label pod-security.kubernetes.io/enforce: privileged on the Namespace of the agents. In the pod of a program: a limit "
        "nvidia.com/gpu in place of the volume",
        commands=(command("kubectl get namespace NAMESPACE --show-labels"),),
        source="kvaps/kubectl-node-shell#58; siderolabs/talos pkg/machinery/config/generate/init.go",
        rules=("TG052",)),
    Symptom("post-start-hook", Link.STARTED, "A process that starts in a running GPU container crashes", rank=2,
        phrases=("ERROR: init 250 result=11",),
        cause=f"{EXEC_BREAKS.opening} the driver's libraries don't fit the container's for processes that start "
        "later: hooks, probes, the MPS server",
        remedy="Upgrade to Talos 1.13, or have no postStart hook, no exec probe and no MPS in GPU containers",
        commands=(command("talosctl --nodes ADDRESS version"),),
        source="siderolabs/extensions#940; NVIDIA/k8s-device-plugin#1614", rules=("TG050", "TG025")),
)
