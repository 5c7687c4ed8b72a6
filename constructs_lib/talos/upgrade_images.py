"""The images of GPU containers that can't run on the driver of an upgrade."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from ..upstream.nvidia.driver_branches import CUDA_FLOORS

if TYPE_CHECKING:
    from ..observed.model import Inputs


def gpu_images(inputs: Inputs) -> tuple[str, ...]:
    """The images of the containers with GPUs, in the order of the manifests."""
    from ..observed.pods.workloads import gpu_workloads

    containers = (container for workload in gpu_workloads(inputs) for container in workload.containers if container.gpus)
    return tuple(dict.fromkeys(container.image for container in containers if _is_image(container.image)))


def _is_image(written: object) -> TypeGuard[str]:
    """Whether a text can be the name of an image."""
    return isinstance(written, str) and written.isprintable() and not any(map(str.isspace, written)) and written != ""


def image_lines(images: tuple[str, ...] | None, branch: int) -> list[str]:
    """Sentences about the images of the manifests: those that can't run on a driver branch, and those whose CUDA is not known."""
    if images is None:
        return []
    from ..observed.images.cuda_drivers import cuda_major

    known = {image: cuda_major(image) for image in images}
    blocked = [f"{image} (CUDA {major})" for image, major in known.items() if major is not None and CUDA_FLOORS.get(major, 0) > branch]
    silent = [image for image, major in known.items() if major is None]
    lines = [f"Of your manifests these images do not run on branch {branch}: {', '.join(blocked)}."] if blocked else [
        f"By name and tag every image of your manifests runs on branch {branch}." if known and not silent
        else f"By name and tag no image of your manifests needs a newer driver than {branch}."
    ]  # fmt: skip
    return [*lines, f"The name and tag of these images do not say their CUDA: {', '.join(silent)}."] if silent else lines
