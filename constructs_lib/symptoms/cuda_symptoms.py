"""Symptoms in the words of CUDA and its libraries that name neither a card in trouble nor a driver that is missing."""

from __future__ import annotations

from ..arguments.commands import command
from .link import Link, Symptom

_SMI = command("kubectl exec POD -- nvidia-smi")
_POD = command("kubectl get pod POD -o yaml")
_KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e xid -e nvrm")
_LIBRARIES = command("kubectl exec POD -- sh -c 'ldconfig -p | grep -e libcuda -e ptxjit; echo $LD_LIBRARY_PATH'")
_ERRORS = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"

# fmt: off
CUDA_SYMPTOMS = (
    Symptom("cuda-stub", Link.SEEN, "The program loads the stub of libcuda that the image was built with", rank=1,
        phrases=("CUDA driver is a stub library", "CUDA_ERROR_STUB_LIBRARY", "cudaErrorStubLibrary"),
        cause="LD_LIBRARY_PATH, or the linker's cache of the image, has the CUDA toolkit's folder stubs before the folder with the "
        "driver's libraries. The stub is there to link against and can't run anything. Driver and node are well",
        remedy="Take /usr/local/cuda/lib64/stubs out of LD_LIBRARY_PATH and /etc/ld.so.conf.d of the image",
        commands=(_LIBRARIES,), source=f"NVIDIA/warp#219; {_ERRORS}"),
    Symptom("cuda-jit-compiler", Link.SEEN, "CUDA can't compile a kernel for the card when the program starts", rank=2,
        phrases=("PTX JIT compiler library not found", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "cudaErrorJitCompilerNotFound"),
        likely=("a PTX JIT compilation failed", "CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx"),
        cause="The image has code in the intermediate form (PTX), which the driver's libnvidia-ptxjitcompiler.so.1 compiles for the card. "
        "The library is not in the container or not in its search path (capability compute). Or the PTX needs a newer CUDA than the "
        "driver has, or another architecture than the card's",
        remedy="See whether ldconfig -p in the container lists libnvidia-ptxjitcompiler.so.1. Where it does: an image built for the card "
        "(talos-gpu matrix --product NAME), or for an older CUDA",
        commands=(_LIBRARIES, _SMI), source=f"NVIDIA/cutile-python#44; {_ERRORS}", rules=("TG120", "TG091")),
    Symptom("cuda-timeout", Link.SEEN, "The driver ended a kernel that ran too long", rank=2,
        likely=("the launch timed out and was terminated", "CUDA_ERROR_LAUNCH_TIMEOUT", "cudaErrorLaunchTimeout"),
        cause="On a card that drives a display the driver ends kernels after some seconds. On a card without one the same error follows a "
        "kernel or a card that hangs: XID 8 or another one of that time tells",
        remedy="Let the card have no display (nvidia-smi names Disp.A), and read the XID of that time in the log of the kernel",
        commands=(_SMI, _KERNEL_LOG), source=_ERRORS),
    Symptom("cuda-launch-resources", Link.SEEN, "A kernel wants more registers or threads than the card has", rank=2,
        likely=("too many resources requested for launch", "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources", "device kernel image is invalid", "CUDA_ERROR_INVALID_IMAGE"),
        cause="The program, or a library of its image, was built or tuned for another card. Driver and node are well",
        remedy="Use an image that is built for the architecture of the card, a newer release of the program, or smaller blocks",
        commands=(_SMI,), source=_ERRORS),
    Symptom("cuda-not-supported", Link.SEEN, "CUDA refuses a function on this card or in this container", rank=3,
        possible=("CUDA error: operation not supported", "cudaErrorNotSupported", "CUDA_ERROR_NOT_SUPPORTED", "CUDA error: named symbol not found", "CUDA error: operation not permitted", "CUDA_ERROR_NOT_PERMITTED"),
        cause="The program uses a function that the card, its mode or the driver lacks. Examples are a virtual GPU without unified "
        "memory, a partition (MIG) without access to other cards, MPS, a driver older than the program, or a card of another "
        "architecture. The line alone does not tell which",
        remedy="See by nvidia-smi whether the card is a vGPU or a partition, and compare the driver with the CUDA of the image: talos-gpu "
        "matrix --cuda MAJOR",
        commands=(_SMI, command("talosctl --nodes ADDRESS read /proc/driver/nvidia/version")), source=_ERRORS, rules=("TG091",)),
    Symptom("cublas-handle", Link.SEEN, "A library of CUDA's can't start, most often because the memory of the card is full", rank=3,
        likely=("CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"),
        possible=("CUBLAS_STATUS_NOT_INITIALIZED", "CUDNN_STATUS_NOT_INITIALIZED", "failed to create cublas handle", "Could not create cudnn handle", "CUBLAS_STATUS_EXECUTION_FAILED", "CUDNN_STATUS_EXECUTION_FAILED"),
        cause="cuBLAS and cuDNN take memory of the card when they start, and the program or others on the card have left none. The same "
        "words follow an earlier error of CUDA in the program, and a library of another version than the program",
        remedy="See by nvidia-smi how much memory is free when the program starts; lower its share (vLLM: --gpu-memory-utilization) or give "
        "programs different cards. With free memory: the first error of CUDA in the log, and the versions in the image",
        commands=(_SMI, command("kubectl logs POD"), command("talos-gpu check --capacity PATH")),
        source="ollama/ollama#5136; tensorflow/tensorflow#9489; pytorch/serve#1993", rules=("TG097", "TG044"), alerts=("GpuMemoryNearlyFull",)),
    Symptom("host-memory-pin", None, "The driver could not lock memory of a program for the card",
        # NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/os-mlock.c: after the pages could not be locked, the range is looked up as memory of a device
        possible=("Cannot map memory with base addr … and size of … pages",),
        cause="A program wanted to pin its memory (staging buffers, offloaded layers, NCCL, MPS), and the kernel did not lock the pages. "
        "The reason is the pod's memory limit or RLIMIT_MEMLOCK, no free memory on the node, or a forbidden address. Many programs "
        "go on without it, more slowly. Card and driver are well",
        remedy="Raise the memory limit of the pod, and look at the program's own error and for a line about memory of a cgroup near this one",
        commands=(command("talosctl --nodes ADDRESS dmesg | grep -i -e 'out of memory' -e 'Cannot map memory'"), _POD),
        source="NVIDIA/open-gpu-kernel-modules kernel-open/nvidia/os-mlock.c"),
)
