"""The CUDA that an image is built with, by its name and tag."""

from __future__ import annotations

import re

from ..kubernetes.registries import split_reference
from .driver_branches import CUDA_13_IMAGES, CUDA_FLOORS

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
