"""The CUDA of an image against the driver of a class of nodes.

From Talos 1.12 on nothing checks an image before its start: a CUDA that is too new fails inside the container.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..arguments.errors import wrong
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.nvidia.card_names import WITHOUT_GSP, architecture
from ..upstream.nvidia.cuda_images import cuda_of
from ..upstream.nvidia.driver_branches import CUDA_FLOORS, CUDA_WITHOUT_GSP

ANY = 0
"""The key of an image that brings the libraries of several CUDA versions."""


def image_for(images: Mapping[int, str], nodes: GpuNodes) -> str:
    """The image with the newest CUDA that the driver and the card of the nodes run; the newest of all where the driver
    is not known."""
    runs = [major for major in images if major == ANY or not refusal(major, nodes)]
    return images[max(runs or images)]


def check_cuda(image: str, nodes: GpuNodes, images: Mapping[int, str]) -> None:
    """Refuse an image whose CUDA the driver or the card of the nodes can't run. An image that does not name its CUDA is
    not checked."""
    major = cuda_of(image) or next((each for each, known in images.items() if known == image), ANY)
    if major and (why := refusal(major, nodes)):
        others = [known for each, known in images.items() if each == ANY or not refusal(each, nodes)]
        hint = f"use {others[0]!r}" if others else _other_nodes(major)
        raise wrong("image", f"built with another CUDA than {major} on these nodes", image, f"{why}; {hint}")


def refusal(major: int, nodes: GpuNodes) -> str:
    """The reason why the nodes can't run images of a major version of CUDA. Empty if the nodes can, and where nobody
    knows."""
    if nodes.product is not None and architecture(nodes.product) in WITHOUT_GSP and major > max(CUDA_WITHOUT_GSP):
        return f"the libraries of CUDA {major} have no code for a {architecture(nodes.product)} card such as {nodes.product}"
    version, floor = nodes.talos_version.release.drivers.get(nodes.track), CUDA_FLOORS.get(major, 0)
    if version is None or int(version.partition(".")[0]) >= floor or not nodes.talos_version.is_known:
        return ""
    return f"CUDA {major} needs driver {floor} or newer, and the {nodes.track} driver of Talos {nodes.talos_version} is {version}"


def _other_nodes(major: int) -> str:
    return f"use a Talos with driver {CUDA_FLOORS[major]} or newer: 1.12 with driver_track='lts', or 1.13"
