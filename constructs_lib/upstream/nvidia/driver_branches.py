"""NVIDIA's kernel modules and driver branches in Talos' extensions, the cards that each branch runs, and the CUDA of
images."""

from __future__ import annotations

import re

from ..choice import Choice
from ..kubernetes.registries import split_reference
from ..talos.minors import Minors

_NAMED = r"(?<![a-z])cu(?:da)?[-_.:]?(1[1-9])\d?(?!\d)"


def cuda_of(image: str) -> int | None:
    """The major version of CUDA that an image is built with, by its name or tag, or by its vendor's statement. None
    where nothing says so."""
    reference = split_reference(image)
    name, tag = reference.name, reference.tag
    match = re.search(_NAMED, f"{name}:{tag}".lower())
    if match:
        return int(match[1])
    version = re.match(r"v?(\d+)\.(\d+)", tag)
    is_since = version is not None and name in CUDA_13_IMAGES and (int(version[1]), int(version[2])) >= CUDA_13_IMAGES[name]
    return max(CUDA_FLOORS) if is_since else None


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

CUDA_13_IMAGES: dict[str, tuple[int, int]] = {"vllm-openai": (0, 20), "tritonserver": (26, 1)}
"""The images that are built with CUDA 13 from this version on, while their tags do not say so.

Source: vllm-project/vllm#42738, triton-inference-server/server docs/introduction/compatibility.md (2026-08-22)
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
