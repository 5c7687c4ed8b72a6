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

    def values_in(self, text: str) -> list[tuple[bool, str]] | None:
        """What stands for the verbs in a text, and whether it is another sentence; None if the text is not this sentence."""
        verbs = list(_VERB.finditer(self.words))
        ends = [0, *(verb.end() for verb in verbs)]
        starts = [*(verb.start() for verb in verbs), len(self.words)]
        parts = [re.escape(self.words[end:start]) for end, start in zip(ends, starts, strict=True)]
        found = re.fullmatch(f"({self.value})".join(parts), text, re.DOTALL)
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
ALLOCATE_FAILED = Sentence("Allocate failed due to %v, which is unexpected", f"{_KUBELET}cm/admission/errors.go")
UNAVAILABLE = Sentence(
    "requested number of devices unavailable for %s. Requested: %d, Available: %d", f"{_KUBELET}cm/devicemanager/manager.go"
)
NONE_HEALTHY = Sentence("no healthy devices present; cannot allocate unhealthy devices %s", f"{_KUBELET}cm/devicemanager/manager.go")

# gRPC, containerd and runc
RPC = Sentence("rpc error: code = %s desc = %s", "google.golang.org/grpc@v1.81.1:internal/status/status.go")
_CRI = "github.com/containerd/containerd/v2@v2.2.9:internal/cri/"
NO_OCI_RUNTIME = Sentence("unable to get OCI runtime for sandbox %q: %w", f"{_CRI}server/sandbox_run.go")
NO_HANDLER = Sentence("no runtime for %q is configured", f"{_CRI}config/config.go")
NO_CONTAINER = Sentence("failed to create containerd container: %w", f"{_CRI}server/container_create.go")
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
NOT_INJECTED = Sentence("CDI device injection failed: %w", "github.com/containerd/containerd/v2@v2.2.9:pkg/cdi/oci_opt.go")
UNRESOLVABLE = Sentence("unresolvable CDI devices %s", "tags.cncf.io/container-device-interface@v1.1.0:pkg/cdi/cache.go")
_RUNC = "github.com/opencontainers/runc@v1.3.4:"
RUNC = Sentence("runc create failed: %w", f"{_RUNC}create.go")
NO_PROCESS = Sentence("unable to start container process: %w", f"{_RUNC}libcontainer/container_linux.go")
NO_INIT = Sentence("error during container init: %w", f"{_RUNC}libcontainer/process_linux.go")
HOOK = Sentence("error running %s hook #%d: %w", f"{_RUNC}libcontainer/configs/config.go")
HOOK_OUTPUT = Sentence("%w, stdout: %s, stderr: %s", f"{_RUNC}libcontainer/configs/config.go")
EXIT_STATUS = Sentence("exit status %d", f"{SEEN}os.ProcessState of Go, in NVIDIA/libnvidia-container#176")
NO_FILE = Sentence("fork/exec %s: no such file or directory", f"{SEEN}siderolabs/extensions#1019; os.PathError of Go")

# NVIDIA's container toolkit
_TOOLKIT = "github.com/NVIDIA/nvidia-container-toolkit@v1.19.1:"
NO_NVIDIA_RUNTIME = Sentence("failed to create NVIDIA Container Runtime: %v", f"{_TOOLKIT}internal/runtime/runtime.go")
NO_MODIFIER = Sentence("failed to construct OCI spec modifier: %v", f"{_TOOLKIT}internal/runtime/runtime_factory.go")
NO_AUTOMATIC = Sentence("failed to create the automatic CDI modifier: %w", f"{_TOOLKIT}internal/modifier/cdi.go")
NO_CDI_SPEC = Sentence("failed to generate CDI spec for mode %q: %w", f"{_TOOLKIT}internal/modifier/cdi.go")
NO_GENERATORS = Sentence("failed to construct device spec generators: %w", f"{_TOOLKIT}pkg/nvcdi/wrapper.go")
NO_NVML = Sentence("failed to initialize NVML: %w", f"{_TOOLKIT}pkg/nvcdi/lib-nvml.go")
NO_UUID = Sentence("failed to get device handle from UUID: %v", f"{_TOOLKIT}pkg/nvcdi/lib-nvml.go")
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
NO_LIBRARY = Sentence("ERROR_LIBRARY_NOT_FOUND", "github.com/NVIDIA/go-nvml@v0.13.0-1.0.20260212130905-92cf8c963449:pkg/nvml/return.go")

# NVIDIA's device plugin
_PLUGIN = "NVIDIA/k8s-device-plugin@v0.20.0:"
_FACTORY = f"{_PLUGIN}internal/plugin/factory.go"
_MANAGER = f"{_PLUGIN}cmd/nvidia-device-plugin/plugin-manager.go"
_MAIN = f"{_PLUGIN}cmd/nvidia-device-plugin/main.go"
_OLD_FACTORY = "github.com/NVIDIA/k8s-device-plugin@v0.18.2:internal/plugin/factory.go"
PLUGIN_FAILED = Sentence("error starting plugins: %v", _MAIN)
NO_PLUGINS = Sentence("error getting plugins: %v", _MAIN)
PLUGINS_FAILED = Sentence("unable to create plugins: %w", _MANAGER)
NO_MANAGERS = Sentence("failed to construct resource managers: %w", f"{_FACTORY}")
NVML_FAILED = Sentence("nvml init failed: %v", f"{_FACTORY}:107")
NVML_NOT_INITIALIZED = Sentence("Failed to initialize NVML: %v.", f"{_FACTORY}:99")
DOCKER_RUNTIME = Sentence("If this is a GPU node, did you set the docker default runtime to `nvidia`?", f"{_FACTORY}:100")
UNSUPPORTED_PLATFORM = Sentence("Unsupported platform detected; defaulting to nvml", f"{_MANAGER}:108")
NO_DEVICES = Sentence("No devices found. Waiting indefinitely.", f"{_MAIN}:416")
INVALID_FLAGS = Sentence("unable to validate flags: %v", _MAIN)
INVALID_LIST = Sentence("invalid --device-list-strategy option: %v", _MAIN)
INVALID_STRATEGY = Sentence("invalid strategy: %v", f"{_PLUGIN}api/config/v1/strategy.go", wraps=False)
UNHEALTHY = Sentence("XidCriticalError: Xid=%d on Device=%s; marking device as unhealthy.", f"{_PLUGIN}internal/rm/health.go:169")
NO_SPEC_FILE = Sentence("unable to create cdi spec file: %v", _MANAGER)
NO_SPEC = Sentence("failed to get CDI spec: %v", f"{_PLUGIN}internal/cdi/cdi.go")
MIXED_MIG = Sentence("all devices on the node must be configured with the same migEnabled value", f"{_PLUGIN}internal/rm/device_map.go")
MIG_TYPES = Sentence("more than one MIG device type present on node", f"{_PLUGIN}internal/rm/device_map.go")
_VENDORED = f"{_PLUGIN}vendor/github.com/NVIDIA/nvidia-container-toolkit/"
NO_COMMON = Sentence("failed to create discoverer for common entities: %v", f"{_VENDORED}pkg/nvcdi/lib-nvml.go")
NO_DRIVER_FILES = Sentence("failed to create discoverer for driver files: %v", f"{_VENDORED}pkg/nvcdi/common-nvml.go")
NO_VERSION = Sentence("failed to determine driver version (%q): %w", f"{_VENDORED}pkg/nvcdi/driver-nvml.go")
NOT_LOCATED = Sentence("failed to locate %q: %w", f"{_VENDORED}internal/lookup/root/root.go")
OLD_STRATEGY = Sentence("Incompatible strategy detected %v", f"{_OLD_FACTORY}:113")
OLD_HINT = Sentence("If this is a GPU node, did you configure the NVIDIA Container Toolkit?", f"{_OLD_FACTORY}:114")
OLD_DISCOVERY = Sentence("invalid device discovery strategy", _OLD_FACTORY)


def plugin_ends(error: str) -> str:
    """The last line of the plugin 0.20, main.go's klog.Error."""
    return klog("E", "main.go:198", PLUGIN_FAILED(error))


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
NO_CUDA_GPUS = Sentence("RuntimeError: No CUDA GPUs are available", f"{SEEN}NVIDIA/k8s-device-plugin#346")
TOO_OLD = Sentence(
    "RuntimeError: The NVIDIA driver on your system is too old (found version %d). "
    "Please update your GPU driver by downloading and installing a new version",
    f"{SEEN}public logs of PyTorch 2; torch/cuda/__init__.py of older releases",
)
CUDA_COUNT = Sentence("RuntimeError: Unexpected error from cudaGetDeviceCount(). Error %s", f"{SEEN}NVIDIA/nvidia-docker#1256 and #1294")
CUDA_ERROR = Sentence("torch.AcceleratorError: CUDA error: %s", f"{SEEN}NVIDIA/gpu-operator#2781", wraps=False)
