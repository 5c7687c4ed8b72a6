"""The rules that a real node reproduces: the words that the node shows of each failing example, and the play that brings an example there."""

from __future__ import annotations

from dataclasses import dataclass

from example_plays import (
    Play,
    applied,
    asked,
    by_default,
    by_the_operator,
    cards_seen,
    filled,
    first_one_ends,
    linked,
    mounting,
    nvidia_smi,
    opened,
    served,
    validated_again,
    waiting_for_markers,
    with_a_gpu_pod,
    with_a_pod,
    with_its_cards,
    with_its_image,
    with_one_card,
    with_the_config_map,
    without_a_class,
)

EVERY_GPU = "nvidia-smi in a pod shows every GPU of the node"


@dataclass(frozen=True)
class Reproduction:
    """The words that the node shows of a failing example, and the play that brings an example there."""

    words: tuple[str, ...]
    play: Play


REPRODUCTIONS: dict[str, Reproduction] = {
    "TG001": Reproduction(("Init:0/1 of nvidia-device-plugin-daemonset", "waiting for nvidia container stack to be setup"), waiting_for_markers),
    "TG002": Reproduction(("Init:0/1 again", "waiting for nvidia container stack to be setup"), validated_again),
    "TG003": Reproduction(("CreateContainerError", "mkdir /usr/local/glibc: read-only file system"), mounting(lambda values: values["hostPaths"]["driverInstallDir"])),
    "TG006": Reproduction(("unable to create cdi spec file: ", "failed to locate libcuda.so"), by_the_operator),
    "TG008": Reproduction(('identifier is not a valid UUID or index: "/var/run/nvidia-container-devices"',), by_the_operator),
    "TG009": Reproduction(("invalid --device-list-strategy option: invalid strategy: envvars",), applied),
    "TG017": Reproduction(("feature gate DynamicMIG is currently mutually exclusive with PassthroughSupport",), applied),
    "TG018": Reproduction(("Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND",), applied),
    "TG020": Reproduction(('failed to stat CDI host device "/usr/local/dev/nvidia-modeset": no such file or directory',), with_a_gpu_pod),
    "TG022": Reproduction(("unable to parse config file", "number of replicas must be >= 2"), applied),
    "TG023": Reproduction(("Setting the 'rename' field in sharing.timeSlicing.resources is not yet supported in the config. Ignoring",), applied),
    "TG024": Reproduction(("specified config  does not exist",), applied),
    "TG025": Reproduction(("error waiting for MPS daemon",), applied),
    "TG026": Reproduction(("device plugin already connected: /var/lib/kubelet/device-plugins/nvidia-gpu.sock", "UnexpectedAdmissionError"), first_one_ends),
    "TG031": Reproduction(("nvidia-smi: not found, libnvidia-ml.so.1: not found",), applied),
    "TG040": Reproduction(("nvidia-smi: not found",), asked(nvidia_smi)),
    "TG042": Reproduction(("Failed to create pod sandbox: ", 'no runtime for "nvidia-cdi" is configured'), with_a_pod),
    "TG043": Reproduction((EVERY_GPU,), with_its_cards),
    "TG046": Reproduction(
        (
            "UnexpectedAdmissionError: ",
            'invalid allocation request for "nvidia.com/gpu": invalid request: maximum request size for shared resources is 1; found 2',
        ),
        served,
    ),
    "TG060": Reproduction(("/dev/nvidia0: Operation not permitted",), opened),
    "TG061": Reproduction(("CreateContainerError", 'failed to mkdir "/usr/local/glibc/usr/lib": mkdir /usr/local/glibc: read-only file system'), served),
    "TG064": Reproduction(("VLLM_PORT 'tcp://10.96.0.10:8000'",), linked),
    "TG065": Reproduction((EVERY_GPU,), asked(cards_seen)),
    "TG081": Reproduction(("pods without runtimeClassName see no GPU although default_runtime_name is nvidia",), without_a_class),
    "TG106": Reproduction(('no runtime for "nvidia" is configured',), with_its_image),
    "TG115": Reproduction(("nvidia-smi lists one GPU, in a pod with nvidia.com/gpu: 2",), with_one_card(asked(cards_seen))),
    "TG116": Reproduction(("nvidia.com/gpu: 1",), with_one_card(with_the_config_map)),
    "TG119": Reproduction(('failed to mkdir "/usr/local/vgpu": mkdir /usr/local/vgpu: read-only file system',), mounting(lambda release: release["spec"]["values"]["devicePlugin"]["libPath"])),
    "TG130": Reproduction(("OOMKilled",), filled),
    "TG136": Reproduction(
        (
            'no corresponding runtime configured in `containerd.runtimes` for `containerd` `default_runtime_name = "nvidia"',
            "container runtime is down",
        ),
        by_default,
    ),
}  # fmt: skip
