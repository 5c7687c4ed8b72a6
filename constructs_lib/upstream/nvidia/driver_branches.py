"""NVIDIA's kernel modules and driver branches in Talos' extensions, the cards that each branch runs, and the CUDA of
images."""

from __future__ import annotations

import re

from ..choice import Choice
from ..kubernetes.registries import split_reference
from ..talos.minors import Minors

_NAMED = r"(?<![a-z])cu(?:da)?[-_.:]?(1[1-9])(?:\.?(\d))?(?!\d)"


def cuda_of(image: str) -> int | None:
    """The major version of CUDA that an image is built with, by its name or tag, or by its vendor's statement. None
    where nothing says so."""
    major, _ = cuda_version(image) or (None, None)
    return major


def cuda_version(image: str) -> tuple[int, int | None] | None:
    """The version of CUDA that an image is built with, as `cuda_of` finds it; the minor version is None where only the
    major one is known."""
    reference = split_reference(image)
    match = re.search(_NAMED, f"{reference.name}:{reference.tag}".lower())
    if match:
        return int(match[1]), int(match[2]) if match[2] else None
    version = re.match(r"v?(\d+)\.(\d+)(?:\.(\d+))?", reference.tag)
    if version is None:
        return None
    number = tuple(int(each or 0) for each in version.groups())
    return next((cuda for since, cuda in CUDA_IMAGES.get(reference.name, ()) if number >= since), None)


def newest_cuda(branch: int) -> tuple[int, int] | None:
    """The newest CUDA of a driver branch; None for a branch older than the table."""
    return max((cuda for first, cuda in CUDA_OF_BRANCHES.items() if first <= branch), default=None)


class KernelModules(Choice):
    """The flavour of NVIDIA's kernel modules in the node's image.

    Source: NVIDIA/open-gpu-kernel-modules README.md at 595.45.04 (2026-11-20)
    """

    OPEN = "open"
    """The open modules: for Turing and newer, and the only ones for Blackwell and newer."""
    PROPRIETARY = "proprietary"
    """The proprietary modules: for Maxwell, Pascal and Volta, with a driver of at most 580. They work up to Hopper."""


class DriverTrack(Choice):
    """The driver branch of Talos' extensions in the node's image.

    Source: siderolabs/extensions nvidia-gpu/vars.yaml at v1.14.0, discussions/1325 and /1344 (2026-11-20)
    """

    LTS = "lts"
    """NVIDIA's long-term support branch."""
    PRODUCTION = "production"
    """NVIDIA's production branch, newer than `lts` but for Talos 1.12."""
    NEW_FEATURE = "new-feature"
    """NVIDIA's new feature branch, from Talos 1.15 on, with open kernel modules only."""


NEW_FEATURE = Minors(since=15)
"""The Talos releases with the track `new-feature`, which has open kernel modules only.

Source: siderolabs/extensions discussions/1325 and /1344 (2026-11-20)
"""

CUDA_FLOORS = {11: 450, 12: 525, 13: 580}
"""The oldest driver branch that runs images built with a major version of CUDA.

Source: https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html (2026-08-22)
"""

CUDA_WITHOUT_GSP = (11, 12)
"""The major versions of CUDA whose libraries have code for cards without a GSP: Maxwell, Pascal and Volta.

Source: https://docs.nvidia.com/cuda/archive/13.0.0/cuda-toolkit-release-notes/index.html (2026-11-22)
"""

CUDA_OF_BRANCHES = {
    525: (12, 0), 530: (12, 1), 535: (12, 2), 545: (12, 3), 550: (12, 4), 555: (12, 5), 560: (12, 6), 565: (12, 7), 570: (12, 8),
    575: (12, 9), 580: (13, 0), 590: (13, 1), 595: (13, 2),
}  # fmt: skip
"""The newest CUDA of each driver branch, as nvidia-smi prints it.

Source: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html, "CUDA Toolkit and Corresponding Driver Versions";
595: a node's nvidia-smi, lenaxia/talos-ops-prod c2b8e1df (2026-11-28)
"""

CUDA_IMAGES: dict[str, tuple[tuple[tuple[int, ...], tuple[int, int | None]], ...]] = {
    "vllm-openai": (((0, 20, 0), (13, None)), ((0, 11, 2), (12, 9)), ((0, 9, 0), (12, 8))),
    "tritonserver": (((26, 1, 0), (13, None)),),
}
"""The CUDA that images are built with from a version on, newest first, while their tags do not say so.

Source: vllm-project/vllm#42738, #18813, microsoft/VibeVoice#352, lenaxia/talos-ops-prod 94547afb;
triton-inference-server/server docs/introduction/compatibility.md (2026-11-28)
"""

CUDA_GUARDED = ("cuda", "vllm-openai", "sglang")
"""The images with the variable NVIDIA_REQUIRE_CUDA of NVIDIA's base image: the hook of the container toolkit starts no such
container on a card whose driver has an older CUDA, also of the same major version.

Source: nvidia/container-images/cuda dist/12.9.1/ubi9/base/Dockerfile; NVIDIA/nvidia-container-toolkit
cmd/nvidia-container-runtime-hook/container_config.go (2026-11-28)
"""

CUDA_GUARDED_SINCE = (12, 6)
"""The first CUDA whose images exempt no GeForce card. Cards of workstations and data centres are exempt on older branches.

Source: NVIDIA_REQUIRE_CUDA of the base images 12.6.3, 12.8.1 and 12.9.0 (2026-11-28)
"""

LAST_WITHOUT_GSP = 580
"""The last driver branch that runs cards without a GSP: Maxwell, Pascal and Volta.

Source: NVIDIA/open-gpu-kernel-modules README.md at 550.163.01 to 595.45.04 (2026-11-20)
"""

FIRST_BLACKWELL = 570
"""The first driver branch that runs Blackwell cards.

Source: NVIDIA/open-gpu-kernel-modules README.md at 550.163.01 to 595.45.04 (2026-11-20)
"""

FIRST_LATE_BLACKWELL = 580
"""The first driver branch that runs the later Blackwell chips: GB10, B300, GB300.

Source: NVIDIA/open-gpu-kernel-modules README.md at 570.133.07 to 595.45.04 (2026-11-20)
"""

FIRST_RUBIN = 615
"""The oldest driver branch that was seen to run a Rubin card.

Source: NVIDIA/k8s-test-infra deployments/nvml-mock/helm/nvml-mock/profiles/vr200.yaml, #872 (2026-11-20)
"""
