"""Symptoms of programs: CUDA's errors, and programs that run without their GPU or do not fit on it."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.talos.generations import BY_CONTAINERD, CLASS_HANDLER
from .link import Link, Symptom

_POD = command("kubectl get pod POD -o yaml")
_SMI = command("kubectl exec POD -- nvidia-smi")
_DRIVER = command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")
_KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e xid -e nvrm")
_MODULES = command("talosctl --nodes ADDRESS read /proc/modules")
_GIVE = f"Set resources.limits: {{nvidia.com/gpu: 1}} and, {CLASS_HANDLER.when}, runtimeClassName: nvidia in the pod spec (with a CDI strategy of the plugin, {BY_CONTAINERD.when}, it needs none), and recreate the pod"

# fmt: off
APPLICATION_SYMPTOMS = (
    Symptom("runs-on-cpu", Link.SEEN, "The program computes on the processor, though it works with a GPU", rank=4, is_of_node=True,
        # ggml-org/llama.cpp src/llama-model.cpp; ollama/ollama discover/ and llm/; tensorflow/tensorflow stream_executor/cuda
        likely=(
            "offloaded 0 … layers to GPU",
            "offloading 0 repeating layers to GPU",
            "inference compute … id=cpu … library=cpu",
            "inference compute … library=cpu",
            "entering low vram mode … total vram … 0 B",
            "no usable GPU found, --gpu-layers option will be ignored",
            "llama.cpp was compiled without GPU support",
            "not compiled with GPU offload support",
            "ggml_cuda_init: no devices found",
            "Could not find cuda drivers on your machine, GPU will not be used",
            "kernel driver does not appear to be running on this host",
            "An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed",
            "No GPU/TPU found, falling back to CPU",
            "GPU not available, falling back to CPU",
            "Torch is not able to use GPU"),
        cause="The program starts without an error and is slow. It got no GPU or found no room on it, its image has no CUDA backend, or a "
        "setting gives it no layers (n-gpu-layers 0, num_gpu 0). The line proves where it computes, not why",
        remedy=f"See whether nvidia-smi in the container shows a card. Without: {_GIVE[0].lower()}{_GIVE[1:]}. With: an image with CUDA "
        "(a tag with cuda), the number of layers, and free memory on the card",
        commands=(_SMI, _POD), source="ggml-org/llama.cpp#7218; ollama/ollama#8623; otwld/ollama-helm#88", rules=("TG040", "TG041")),
    Symptom("build-without-cuda", Link.SEEN, "The program in the image was built without CUDA", rank=1,
        phrases=(
            "Torch not compiled with CUDA enabled",
            "This CTranslate2 package was not compiled with CUDA support",
            "Specified provider 'CUDAExecutionProvider' is not in available provider names"),
        cause="The image has the variant of a library for processors only: pip took a CPU wheel (always so on arm64 with many packages), "
        "or the tag is the CPU one. Driver and node are well",
        remedy="Use the tag of the image with CUDA, or install the library from its index for CUDA (such as "
        "download.pytorch.org/whl/cu128)",
        commands=(command("kubectl exec POD -- python -c 'import torch; print(torch.__version__, torch.version.cuda)'"),),
        source="pytorch/pytorch torch/cuda/__init__.py"),
    Symptom("cudnn-missing", Link.SEEN, "The image lacks a CUDA library that the program needs", rank=1,
        likely=(
            "Failed to create CUDAExecutionProvider",
            "Could not load library libcudnn_ops_infer.so",
            "Could not load library libcudnn_cnn_infer.so",
            "Unable to load any of {libcudnn_ops.so",
            "libcudnn.so … cannot open shared object file",
            "libcublas.so … cannot open shared object file",
            "libcublasLt.so … cannot open shared object file",
            "libcudart.so … cannot open shared object file",
            "libnvrtc.so … cannot open shared object file",
            "Cannot dlopen some GPU libraries"),
        cause="The driver brings libcuda only. cuDNN, cuBLAS, NVRTC and the CUDA runtime are of the image, and of the version that the "
        "program was built with. Node and driver are well",
        remedy="Use a base image nvidia/cuda:…-cudnn-runtime with the version in the library's name, or install the pip packages "
        "nvidia-cudnn-cu12 and nvidia-cublas-cu12",
        commands=(command("kubectl exec POD -- sh -c 'ldconfig -p | grep -e cudnn -e cublas; echo $LD_LIBRARY_PATH'"),),
        source="microsoft/onnxruntime onnxruntime/python/onnxruntime_pybind_state.cc; SYSTRAN/faster-whisper README.md"),
    Symptom("cuda-unknown", Link.SEEN, "CUDA can't be initialized, though NVML works (CUDA error 999)", rank=2, is_of_node=True,
        likely=(
            "CUDA unknown error - this may be due to an incorrectly set up environment",
            "ggml_cuda_init: failed to initialize CUDA: unknown error",
            "Call to cuInit results in UNKNOWN_CUDA_ERROR",
            "failed call to cuInit: CUDA_ERROR_UNKNOWN",
            "cuInit(0) failed -> CUDA_ERROR_UNKNOWN"),
        possible=("CUDA_ERROR_UNKNOWN", "code=30(cudaErrorUnknown)", "cudaErrorUnknown"),
        cause="nvidia-smi only needs /dev/nvidiactl, and CUDA also /dev/nvidia-uvm. The module nvidia_uvm is not loaded, its device file "
        "is not in the container, or the driver is in a bad state after an error",
        remedy="Load nvidia_uvm on the node (talos-gpu patch), and recreate the pod. With the module: look for an XID, and reboot the "
        "node, which ends its pods",
        commands=(_MODULES, command("talosctl --nodes ADDRESS ls /dev"), _KERNEL_LOG),
        source="ggml-org/llama.cpp#7218; pytorch/pytorch#159954; NVIDIA/k8s-device-plugin#319", rules=("TG071",)),
    Symptom("cuda-not-initialized", Link.SEEN, "CUDA's driver does not start in the container (CUDA error 3)", rank=3, is_of_node=True,
        likely=("ggml_cuda_init: failed to initialize CUDA: initialization error", "failed call to cuInit: CUDA_ERROR_NOT_INITIALIZED", "Call to cuInit results in CUDA_ERROR_NOT_INITIALIZED"),
        possible=("CUDA driver initialization failed, you might not have a CUDA gpu", "failed to initialize CUDA: initialization error"),
        cause="On a GB10 (DGX Spark) the kernel of some Talos releases lacks an option (CONFIG_ARM_SMMU_V3_SVA): nvidia-smi shows the "
        "card, and no program with CUDA starts. On other cards: a program that forks after it used CUDA, or an NVSwitch machine without "
        "its fabric manager",
        remedy="GB10: a release of Talos whose kernel has the option (talos-gpu matrix --product GB10 says what is known); the upgrade "
        "reboots the node, which ends its pods. Programs of Python: multiprocessing with spawn, not fork",
        commands=(_SMI, command("talosctl --nodes ADDRESS version"), _KERNEL_LOG),
        source="siderolabs/talos#14087; ggml-org/llama.cpp#7218"),
    Symptom("device-busy", Link.SEEN, "CUDA sees the card and gets no context on it (busy or unavailable)", rank=1,
        likely=(
            "CUDA-capable device(s) is/are busy or unavailable",
            "all CUDA-capable devices are busy or unavailable",
            "CUDA_ERROR_DEVICE_UNAVAILABLE",
            "cudaErrorDevicesUnavailable"),
        cause="The card is in the mode Exclusive_Process and a program holds it (MPS and the DRA driver set this mode). Or the "
        "card has too many MPS clients, its driver hangs, or a virtual GPU has no license (nvidia-smi -q: License Status). nvidia-smi "
        "names the mode and the programs",
        remedy="End the other program, or share the card by time-slicing in the mode Default. If the mode was not set on purpose, reboot "
        "the node, which ends its pods",
        commands=(command("kubectl exec POD -- nvidia-smi --query-gpu=compute_mode --format=csv"), _SMI, _KERNEL_LOG),
        source="NVIDIA/k8s-device-plugin#1118; NVIDIA/k8s-device-plugin#647", rules=("TG025",)),
    Symptom("illegal-memory-access", Link.SEEN, "A kernel of the program reads or writes outside its memory", rank=2,
        likely=(
            "an illegal memory access was encountered",
            "CUDA_ERROR_ILLEGAL_ADDRESS",
            "cudaErrorIllegalAddress",
            "an illegal instruction was encountered",
            "CUDA error: misaligned address",
            "CUDA error: unspecified launch failure",
            "CUDA_ERROR_LAUNCH_FAILED",
            "CUDA error: invalid program counter",
            "CUDA error: hardware stack error",
            "device-side assert triggered"),
        cause="The program, or a library of its image, is at fault: a bug, an index outside a tensor, a library for another "
        "architecture. The driver prints XID 13, 31 or 43 with the name of the program. Any other XID may be one of the memory or the "
        "card. The line itself proves neither",
        remedy="Read the XID of that time in the kernel log. 13, 31, 43: a newer image, and CUDA_LAUNCH_BLOCKING=1 for the place of the "
        "error. Others: give the line to talos-gpu why",
        commands=(_KERNEL_LOG, command("kubectl logs POD")),
        source="https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html; https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html", alerts=("GpuXidApplication",)),
    Symptom("device-ordinal", Link.SEEN, "The program asks for a card number that the container lacks", rank=1,
        phrases=("CUDA error: invalid device ordinal", "is larger than the number of available GPUs"),
        likely=("CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice"),
        cause="In the container the cards are numbered from 0: a pod with one GPU has only number 0, whichever card of the node that is. "
        "A setting (--device 1, CUDA_VISIBLE_DEVICES=1, tensor parallel size 2) wants more",
        remedy="Take the number out of the settings, or ask for as many GPUs by nvidia.com/gpu as the program wants",
        commands=(_SMI, _POD), source="https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html; vllm-project/vllm vllm/config/parallel.py", rules=("TG043",)),
    Symptom("card-too-old", Link.SEEN, "The card is too old for a type of numbers or a kernel of the program", rank=1,
        phrases=(
            "Bfloat16 is only supported on GPUs with compute capability of at least 8.0",
            "FlashAttention only supports Ampere GPUs or newer",
            "The quantization method … is not supported for the current GPU"),
        cause="bfloat16 and FlashAttention 2 need Ampere or newer, FP8 Ada or Hopper. Driver and node are well",
        remedy="Set the type to float16 (vLLM: --dtype half) and another attention, or another quantization; or place the pod on a node "
        "with a newer card",
        commands=(command("kubectl exec POD -- nvidia-smi --query-gpu=name,compute_cap --format=csv"),),
        source="vllm-project/vllm vllm/platforms/cuda.py; Dao-AILab/flash-attention README.md"),
    Symptom("model-too-large", Link.SEEN, "The model or its cache does not fit in the memory that the program may take", rank=2,
        # vllm-project/vllm vllm/v1/worker/gpu_worker.py, vllm/v1/core/kv_cache_utils.py
        phrases=(
            "No available memory for the cache blocks",
            "GiB KV cache is needed, which is larger than the available KV cache memory",
            "larger than the maximum number of tokens that can be stored in KV cache"),
        cause="After the weights too little of the card is left for the cache of the context. Nothing is wrong with card or node; other "
        "programs on a shared card count, too",
        remedy="Shorten the context (vLLM: --max-model-len), raise --gpu-memory-utilization where the card is the pod's own, take a "
        "smaller or quantized model, or more cards (--tensor-parallel-size)",
        commands=(_SMI, command("talos-gpu check --capacity PATH")), source="vllm-project/vllm#2248", rules=("TG097",), alerts=("GpuMemoryNearlyFull",)),
    Symptom("memory-of-others", Link.SEEN, "Another program holds the memory of the card that this one wants", rank=1,
        phrases=("on startup is less than desired GPU memory utilization",),
        cause="vLLM takes a share of the whole card, and other programs use part of it. These are pods that share the card, a pod without "
        "a limit, or the predecessor of this pod, still shutting down",
        remedy="Lower --gpu-memory-utilization to the share of this pod, give the programs different cards, or set strategy: {type: "
        "Recreate}",
        commands=(_SMI, command("talos-gpu check --capacity PATH")), source="vllm-project/vllm#20305", rules=("TG097", "TG044", "TG048"), alerts=("GpuMemoryNearlyFull",)),
    Symptom("nvenc-api", Link.SEEN, "ffmpeg is newer than the driver's NVENC", rank=1,
        phrases=("Driver does not support the required nvenc API version", "The minimum required Nvidia driver for nvenc is"),
        cause="ffmpeg was built for a newer NVENC than the driver of this Talos has. The line after names the driver that it needs",
        remedy="Use an image with an older ffmpeg, or a Talos with a newer driver (talos-gpu matrix)",
        commands=(_DRIVER,), source="FFmpeg/FFmpeg libavcodec/nvenc.c"),
    Symptom("nvenc-sessions", Link.SEEN, "The card takes no further encoding session", rank=2,
        likely=("OpenEncodeSessionEx failed: out of memory", "OpenEncodeSessionEx failed: incompatible client key"),
        cause="GeForce cards limit the encodings at a time (8 with recent drivers) for all programs of the machine; or the card's memory "
        "is full",
        remedy="End other encodings, lower the limit of simultaneous streams in the program, or use a card of the professional series",
        commands=(_SMI,), source="FFmpeg/FFmpeg libavcodec/nvenc.c; https://developer.nvidia.com/video-encode-decode-support-matrix"),
    Symptom("ffmpeg-no-cuda", Link.SEEN, "ffmpeg gets no CUDA device", rank=3, is_of_node=True,
        likely=(
            "No device available for decoder: device type cuda needed",
            "cu->cuInit(0) failed -> CUDA_ERROR_NO_DEVICE",
            "Could not dynamically load CUDA",
            "Failed to set value 'cuda' for option 'hwaccel'"),
        cause="The container has no card, or not the libraries of the driver: it has no limit nvidia.com/gpu or no RuntimeClass",
        remedy=_GIVE, commands=(_SMI, _POD), source="FFmpeg/FFmpeg libavutil/hwcontext_cuda.c", rules=("TG040", "TG041", "TG120")),
    Symptom("ollama-discovery", None, "ollama's search for GPUs failed or took too long",
        # ollama/ollama discover/ and ml/device.go
        possible=("failure during GPU discovery", "failed to finish discovery before timeout", "unable to load cuda driver library", "cuda driver library failed to get device context"),
        cause="ollama starts a runner that opens each card, and the runner ended or hung: the driver does not answer, its libraries "
        "don't fit the container, or the card is busy. At its start ollama then computes on the processor; later the line is harmless, "
        "and only the free memory is not measured anew",
        remedy="See whether nvidia-smi in the container shows the card, and set OLLAMA_DEBUG=1 for the runner's own words. With a card "
        "that hangs: look for an XID",
        commands=(_SMI, command("kubectl logs POD"), _KERNEL_LOG), source="ollama/ollama#8623; ollama/ollama#3211"),
    Symptom("ollama-memory", Link.SEEN, "ollama sees the card and can't read its memory", rank=3, is_of_node=True,
        # ollama/ollama gpu/gpu_info_nvml.c and gpu_info_cudart.c of 0.1.29 to 0.1.37: NVML's or CUDA's number stands after the colon; discover/gpu_info_nvcuda.c
        possible=("error looking up CUDA GPU memory", "device memory info lookup failure"),
        cause="The library answers with the error whose number ends the line, and ollama goes on with the processor. NVML's 4 is no "
        "permission: the container has a partition (MIG) and old releases of ollama ask for the whole card. 15 and 999: the card is lost or "
        "in a bad state",
        remedy="Use a newer ollama, and see whether nvidia-smi in the container shows a card or a partition. With 15 or 999: look for an XID",
        commands=(_SMI, _KERNEL_LOG), source="ollama/ollama#3647; NVIDIA/go-nvml pkg/nvml/return.go"),
)
