"""The sentences that the players of the laboratory speak: each a format string of a real program, with the file in which it stands, or where it was seen.

The kernel's stand in kernel_lines.py; sentence_table.py has them all. A verb at the end after `: `, and `%w`, stand for another sentence; every other
verb stands for a value. `seen: ` begins the name of a public thread, of a file that was read in part, or "the run of 2026-11-22" (kubelet 1.36.3,
containerd 2.2.9, device plugin 0.20.0, toolkit 1.19.1 on a mock card).
"""

from __future__ import annotations

import re
from typing import NamedTuple

_VERB = re.compile(r"%(?:\[\d\])?[#+]?0?\d*[a-z]")
_WRAPPED = re.compile(r"%w|(?<=[:=] )%[vs]$|^%v$")
SEEN = "seen: "


class Sentence(NamedTuple):
    """A format string of a program. `source` is `repository@tag:path`, with `:line` where a log prints the line, or begins with `seen: `."""

    words: str
    source: str
    wraps: bool = True
    """Whether a verb at the end stands for another sentence, and not for a value."""
    value: str = ".*?"
    """The pattern of what stands for a verb."""

    def __call__(self, *values: object) -> str:
        """The sentence with these values, as Go formats them."""
        left = iter(values)
        return _VERB.sub(lambda verb: _formatted(verb[0], next(left)), self.words)

    @property
    def pattern(self) -> str:
        """The regular expression of the sentence, with a group for each verb."""
        return f"({self.value})".join(map(re.escape, re.split(_VERB, self.words)))

    def values_in(self, text: str) -> list[tuple[bool, str]] | None:
        """What stands for the verbs in a text, and whether it is another sentence; None if the text is not this sentence."""
        verbs = list(_VERB.finditer(self.words))
        found = re.fullmatch(self.pattern, text, re.DOTALL)
        wrapped = {each.start() for each in _WRAPPED.finditer(self.words)} if self.wraps else set()
        return [(verb.start() in wrapped, value) for verb, value in zip(verbs, found.groups(), strict=True)] if found else None

    def logged(self, level: str, *values: object) -> str:
        """The sentence in a log of klog, with the line of the source."""
        _, path, line = self.source.rsplit(":", 2)
        return klog(level, f"{path.rpartition('/')[2]}:{line}", self(*values))


def klog(level: str, place: str, text: str) -> str:
    """A line of klog."""
    return f"{level}1122 10:00:00.000000       1 {place}] {text}"


def _formatted(verb: str, value: object) -> str:
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"' if verb == "%q" else str(value)


# The kubelet
_KUBELET = "k8s.io/kubernetes@v1.36.3:pkg/kubelet/"
ERROR = Sentence("Error: %v", f"{_KUBELET}kuberuntime/kuberuntime_container.go")
NO_SANDBOX = Sentence("Failed to create pod sandbox: %v", f"{_KUBELET}kuberuntime/kuberuntime_manager.go")
RESTARTING = Sentence("Back-off restarting failed container %s in pod %s", f"{_KUBELET}kuberuntime/kuberuntime_manager.go")
BACK_OFF = Sentence("back-off %s restarting failed container=%s pod=%s", f"{_KUBELET}kuberuntime/kuberuntime_manager.go")
NOT_PULLED = Sentence("Failed to pull image %q: %v", f"{_KUBELET}images/image_manager.go")
PULLING_AGAIN = Sentence("Back-off pulling image %q", f"{_KUBELET}images/image_manager.go")
PULLED_BEFORE = Sentence(
    "Back-off pulling image %q: ErrImagePull: %v",
    f"{SEEN}k8s.io/kubernetes@v1.36.3 pkg/kubelet/images/image_manager.go, two formats in one",
)

# gRPC, containerd and runc
RPC = Sentence("rpc error: code = %s desc = %s", "google.golang.org/grpc@v1.81.1:internal/status/status.go")
_CRI = "github.com/containerd/containerd/v2@v2.2.9:internal/cri/"
NO_OCI_RUNTIME = Sentence("unable to get OCI runtime for sandbox %q: %w", f"{_CRI}server/sandbox_run.go")
NO_HANDLER = Sentence("no runtime for %q is configured", f"{_CRI}config/config.go")
NO_TASK = Sentence("failed to create containerd task: %w", f"{_CRI}server/container_start.go")
NOT_UNPACKED = Sentence("failed to pull and unpack image %q: %w", f"{_CRI}server/images/image_pull.go")
NO_SHIM_TASK = Sentence("failed to create shim task: %w", "github.com/containerd/containerd/v2@v2.2.9:core/runtime/v2/task_manager.go")
NO_OCI_CREATE = Sentence(
    "OCI runtime create failed: %s", f"{SEEN}NVIDIA/nvidia-container-toolkit#1239; containerd cmd/containerd-shim-runc-v2/process/init.go"
)
NOT_RESOLVED = Sentence("failed to resolve reference %q: %w", "github.com/containerd/containerd/v2@v2.2.9:client/pull.go")
NOT_FOUND = Sentence(
    "%s: not found", f"{SEEN}NVIDIA/gpu-operator#647; NVIDIA/nvidia-container-toolkit pkg/lookup/ldcache.go", wraps=False, value=r"\S+?"
)
_RUNC = "github.com/opencontainers/runc@v1.3.4:"
RUNC = Sentence("runc create failed: %w", f"{_RUNC}create.go")
NO_PROCESS = Sentence("unable to start container process: %w", f"{_RUNC}libcontainer/container_linux.go")
NO_INIT = Sentence("error during container init: %w", f"{_RUNC}libcontainer/process_linux.go")
HOOK = Sentence("error running %s hook #%d: %w", f"{_RUNC}libcontainer/configs/config.go")
HOOK_OUTPUT = Sentence("%w, stdout: %s, stderr: %s", f"{_RUNC}libcontainer/configs/config.go")
EXIT_STATUS = Sentence("exit status %d", f"{SEEN}os.ProcessState of Go, in NVIDIA/libnvidia-container#176")

# NVIDIA's container toolkit
_TOOLKIT = "github.com/NVIDIA/nvidia-container-toolkit@v1.19.1:"
NO_NVIDIA_RUNTIME = Sentence("failed to create NVIDIA Container Runtime: %v", f"{_TOOLKIT}internal/runtime/runtime.go")
NO_MODIFIER = Sentence("failed to construct OCI spec modifier: %v", f"{_TOOLKIT}internal/runtime/runtime_factory.go")
NO_AUTOMATIC = Sentence("failed to create the automatic CDI modifier: %w", f"{_TOOLKIT}internal/modifier/cdi.go")
NO_CDI_SPEC = Sentence("failed to generate CDI spec for mode %q: %w", f"{_TOOLKIT}internal/modifier/cdi.go")
NO_GENERATORS = Sentence("failed to construct device spec generators: %w", f"{_TOOLKIT}pkg/nvcdi/wrapper.go")
NO_NVML = Sentence("failed to initialize NVML: %w", f"{_TOOLKIT}pkg/nvcdi/lib-nvml.go")
OLD_FILTER = Sentence(
    "nvidia-container-cli: mount error: failed to add device rules: unable to generate new device filter program from existing programs: "
    "unable to create new device filters program: load program: invalid argument: last insn is not an exit or jmp",
    f"{SEEN}NVIDIA/libnvidia-container#176",
)

# NVML, by nvml.h's comments on nvmlReturn_t, and go-nvml where the library is not loaded
_NVML = f"{SEEN}nvmlErrorString: "
DRIVER_NOT_LOADED = Sentence("Driver Not Loaded", f"{_NVML}siderolabs/talos#9187")
OTHER_LIBRARY = Sentence("Driver/library version mismatch", f"{_NVML}intel/llvm#17614")
UNKNOWN_ERROR = Sentence("Unknown Error", f"{_NVML}NVIDIA/gpu-operator#485")

# NVIDIA's device plugin
_PLUGIN = "github.com/NVIDIA/k8s-device-plugin@v0.19.1:"
INVALID_LIST = Sentence("invalid --device-list-strategy option: %v", f"{_PLUGIN}cmd/nvidia-device-plugin/main.go")
INVALID_STRATEGY = Sentence("invalid strategy: %v", f"{_PLUGIN}api/config/v1/strategy.go", wraps=False)
UNHEALTHY = Sentence("XidCriticalError: Xid=%d on Device=%s; marking device as unhealthy.", f"{_PLUGIN}internal/rm/health.go:169")
MIXED_MIG = Sentence("all devices on the node must be configured with the same migEnabled value", f"{_PLUGIN}internal/rm/device_map.go")
MIG_TYPES = Sentence("more than one MIG device type present on node", f"{_PLUGIN}internal/rm/device_map.go")


# Talos
_SYSTEM = "siderolabs/talos@v1.13.9:internal/app/machined/pkg/system/"
HEALTHY = Sentence("Health check successful", f"{_SYSTEM}service_runner.go")
FINISHED = Sentence("Service finished successfully", f"{_SYSTEM}system.go")
STARTED = Sentence("Started task %s (PID %d) for container %s", f"{_SYSTEM}runner/containerd/containerd.go")
AWAITED = Sentence("Waiting for %s", f"{_SYSTEM}service_runner.go")
AWAITED_SERVICE = Sentence("service %q to be %q", f"{_SYSTEM}service_events.go")
AWAITED_FILE = Sentence("file %q to exist", "siderolabs/talos@v1.13.9:pkg/conditions/files.go")
FOREVER = Sentence("Error running %v, going to restart forever: %v", f"{_SYSTEM}runner/restart/restart.go")
UNTIL_SUCCESS = Sentence("Error running %s, going to restart until it succeeds: %v", f"{_SYSTEM}runner/restart/restart.go")
RUNNER = Sentence("Containerd(%v)", f"{_SYSTEM}runner/containerd/containerd.go")
TASK_FAILED = Sentence("task %q failed: exit code %d (last log %q)", f"{_SYSTEM}runner/containerd/containerd.go")
SERVICE_EVENT = Sentence("service[%s](%s): %s", f"{_SYSTEM}service_runner.go")
NOT_LOADING = Sentence(
    "error loading module %q: %w", "siderolabs/talos@v1.13.9:internal/app/machined/pkg/controllers/runtime/kernel_module_spec.go"
)
NO_MODULE = Sentence("module not found", f"{SEEN}siderolabs/talos#9187")
LOAD_FAILED = Sentence("load %s failed: %s", f"{SEEN}siderolabs/talos#7174")
ERRNO = tuple(Sentence(each, f"{SEEN}siderolabs/talos#7174") for each in ("no such device", "key was rejected by service"))
CONTROLLER_FAILED = Sentence(
    'controller failed {"component": "controller-runtime", "controller": "%s", "error": %q}', f"{SEEN}siderolabs/talos#9187"
)

# Programs in a pod
NOT_COMPATIBLE = Sentence('time=%s level=INFO source=%s msg="no compatible GPUs were discovered"', f"{SEEN}ollama/ollama#3211")
ON_THE_CPU = Sentence("inference compute id=cpu library=cpu", f"{SEEN}ollama/ollama#3211")
NO_CUDA = Sentence("ggml_cuda_init: failed to initialize CUDA: %s", f"{SEEN}ollama/ollama#3211", wraps=False)
TOO_OLD = Sentence(
    "RuntimeError: The NVIDIA driver on your system is too old (found version %d). "
    "Please update your GPU driver by downloading and installing a new version",
    f"{SEEN}public logs of PyTorch 2; torch/cuda/__init__.py of older releases",
)
CUDA_COUNT = Sentence("RuntimeError: Unexpected error from cudaGetDeviceCount(). Error %s", f"{SEEN}NVIDIA/nvidia-docker#1256 and #1294")
CUDA_ERROR = Sentence("torch.AcceleratorError: CUDA error: %s", f"{SEEN}NVIDIA/gpu-operator#2781", wraps=False)
