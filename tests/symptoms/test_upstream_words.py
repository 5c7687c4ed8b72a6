"""The words of NVIDIA's programs, of containerd and of the kubelet, as their sources format them: each release gets the right symptom first.

The format strings stand in tests/lab/sentences.py, with their files.
"""

import pytest

from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.symptom_table import all_symptoms

SEARCH = LogSearch(all_symptoms())
TASK = "Error: failed to create containerd task: failed to create shim task: OCI runtime create failed"
JIT = 'failed to create the automatic CDI modifier: failed to generate CDI spec for mode "auto"'
SPEC = "error starting plugins: error getting plugins: unable to create cdi spec file: failed to get CDI spec"

INVALID_MIG = "error building device map from config.resources: invalid MIG configuration"


def names(line: str) -> list[str]:
    return [match.symptom.name for match in SEARCH.search([(1, line)])]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('Failed to create pod sandbox: rpc error: code = Unknown desc = unable to get OCI runtime for sandbox "ab1": no runtime for "nvidia" is configured', "runtime-not-configured"),
        # The plugin without NVML: 0.17 and 0.18 under auto, then 0.19 and 0.20, and every release under nvml.
        ("Incompatible strategy detected auto", "nvml-missing"),
        ("If this is a GPU node, did you configure the NVIDIA Container Toolkit?", "nvml-missing"),
        ("error starting plugins: error getting plugins: unable to create plugins: failed to construct resource managers: invalid device discovery strategy", "nvml-missing"),
        ("Unsupported platform detected; defaulting to nvml", "nvml-missing"),
        ("Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND.", "nvml-missing"),
        ("If this is a GPU node, did you set the docker default runtime to `nvidia`?", "nvml-missing"),
        ("nvml init failed: ERROR_LIBRARY_NOT_FOUND", "nvml-missing"),
        # GPU feature discovery: 0.17.0, and 0.17.4 to 0.20.
        ("Unsupported strategy detected: auto using empty manager.", "nvml-missing"),
        ('"using empty manager" err="unsupported strategy auto"', "nvml-missing"),
        ("error starting plugins: unable to validate flags: invalid --device-list-strategy option: invalid strategy: envvars", "plugin-strategy"),
        # CDI: by the kubelet and containerd, by NVIDIA's runtime, and the plugin that writes a specification.
        ("failed to create containerd container: CDI device injection failed: unresolvable CDI devices k8s.device-plugin.nvidia.com/gpu=GPU-1", "cdi-unresolvable"),
        (f'{SPEC}: failed to generate CDI spec: failed to locate "libnvidia-ml.so.": libnvidia-ml.so.: not found', "cdi-spec-file"),
        (f"{SPEC}: failed to locate libcuda.so: pattern libcuda.so.*.* not found", "cdi-spec-file"),
        (f"{TASK}: {JIT}: failed to construct device spec generators: failed to initialize NVML: Driver Not Loaded", "driver-not-loaded"),
        (f"{TASK}: {JIT}: failed to construct device spec generators: failed to get device handle from UUID: ERROR_NOT_FOUND", "unknown-gpu"),
        (f"{TASK}: {JIT}: failed to construct device spec generators: failed to get device handle from UUID: Not Found", "unknown-gpu"),
        ("Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: unable to retrieve OCI runtime error (open log.json: no such file or directory): fork/exec /usr/local/bin/nvidia-container-runtime: no such file or directory", "runtime-program-missing"),
        ("Check failed. Has the NVIDIA GPU driver been set up? It is expected to be installed under NVIDIA_DRIVER_ROOT (currently set to '/')", "dra-driver-root"),
        ("XidCriticalError: Xid=79 on Device=GPU-1f2e3d4c; marking device as unhealthy.", "device-unhealthy"),
        ("unable to get device handle from UUID: Not Found; marking it as unhealthy", "device-unhealthy"),
        (f"{INVALID_MIG}: more than one MIG device type present on node", "mig-layout"),
        (f"{INVALID_MIG}: at least one device with migEnabled=true was not configured correctly: error visiting device: device 0 has no MIG devices configured", "mig-layout"),
        ("error building device map from config.resources: all devices on the node must be configured with the same migEnabled value", "mig-layout"),
        ("Error waiting for event: GPU is lost; Marking all devices as unhealthy", "device-unhealthy"),
        ("error starting plugins: unable to validate flags: CDI --device-list-strategy options are only supported on NVML-based systems", "nvml-missing"),
        # NVML's errors by go-nvml's names, where the library of the driver can't say them.
        ("nvml init failed: ERROR_DRIVER_NOT_LOADED", "driver-not-loaded"),
        ("failed to initialize NVML: ERROR_LIB_RM_VERSION_MISMATCH", "version-mismatch"),
        ("Error waiting for event: ERROR_GPU_IS_LOST", "fallen-off-the-bus"),
        ("error getting device handle for index '0': ERROR_INSUFFICIENT_POWER", "power-cables"),
        # The DRA driver: what it refuses, and what it waits for.
        ("error getting device major: error parsing '/proc/devices': unexpected regex match: []", "dra-device-major"),
        ('error applying GPU config: cannot apply MigDeviceConfig to device "gpu-0" of type "gpu" (request: gpu)', "dra-configuration"),
        ("claim ai/all:1b2c requests admin access with a device configuration, which is not supported", "dra-configuration"),
        ("error preparing devices for claim 1b2c: MPS control daemon is not yet ready: timed out waiting for the condition", "dra-mps-daemon"),
        ("/start: line 4: nvidia-smi: not found", "no-gpu-in-pod"),
        ("ash: nvidia-smi: not found", "no-gpu-in-pod"),
    ],
)  # fmt: skip
def test_the_words_of_each_release_get_the_symptom_first(line, expected):
    assert names(line)[:1] == [expected]


def test_a_driver_that_is_not_loaded_is_one_symptom():
    assert names("Failed to initialize NVML: Driver Not Loaded") == ["driver-not-loaded"]


@pytest.mark.parametrize(
    "line",
    [
        "W1122 10:00:00.000000       1 mounts.go:67] Could not locate nvidia-smi: nvidia-smi: not found",
        # The operator's validator looks at the host first, and then below hostPaths.driverInstallDir (cmd/nvidia-validator/main.go).
        "No pre-installed driver detected on the host: failed to find an executable 'nvidia-smi' on the host",
        "load_tensors:   CPU_Mapped model buffer size =   281.81 MiB",
        "nvidia-fabricmanager-wrapper: infiniband: found NVSwitch LPF device: mlx5_0",
        "pci 0000:05:00.0: 8.000 Gb/s available PCIe bandwidth, limited by 2.5 GT/s PCIe x4 link at 0000:00:01.2 (capable of 31.504 Gb/s with 8.0 GT/s PCIe x4 link)",
        "NCCL INFO NET/IB : No device found.",
        "couldn't find optional file",
        "Error: timeout",
        "error: already exists",
        "initialization error",
        "Ignoring the following XIDs for health checks: map[13:true 31:true 43:true 45:true 68:true 109:true]",
        "Skipping event {Device:{Handle:0xc0} EventType:8 EventData:109 GpuInstanceId:4294967295 ComputeInstanceId:4294967295}",
    ],
)
def test_the_words_of_a_plugin_that_works_are_no_symptom(line):
    assert names(line) == []


@pytest.mark.parametrize(
    "line", ["sh: nvidia-smi: not found", "/bin/sh: 1: nvidia-smi: not found", "bash: line 1: nvidia-smi: command not found"]
)
def test_a_shell_that_finds_no_nvidia_smi_is_a_pod_without_a_gpu(line):
    assert names(line)[:1] == ["no-gpu-in-pod"]
