"""`OciImage`: a volume with the files of an image."""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named, to_image
from ...arguments.keywords import named_arguments
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.kubernetes.api import IMAGE_VOLUMES_SINCE
from .volume import Volume


@named_arguments()
@attrs.frozen(field_transformer=named)
class OciImage(Volume):
    """The files of an image, or of another artifact of an OCI registry, such as a model. The kubelet pulls the image,
    and the volume is read-only.

    Needs Kubernetes 1.35 or newer, which Talos runs from 1.12 on.

    Args:
        image: The image, with a tag or a digest.
        name: The volume's name, for several mounts of one volume and for the mounts of other containers. Default:
            derived from the mount path.
        sub_path: The folder of the image that is mounted. Default: the whole image.
        read_only: Whether the mount says that it is read-only; no container can write to the volume in any case.
            Default: False.

    Raises:
        TypeError, ValueError: `'image' must be …`; from `GpuWorkload` `'volumes[…]' must be …` for nodes whose Talos
            runs no such Kubernetes.

    Example:
        >>> OciImage("registry.example.com/models/qwen3-8b:1", sub_path="models").image
        'registry.example.com/models/qwen3-8b:1'

    https://kubernetes.io/docs/tasks/configure-pod-container/image-volumes/
    """

    image: str = attrs.field(converter=to_image)

    def source(self, claim: str) -> dict[str, Any]:
        """The volume without its name."""
        return {"image": {"reference": self.image}}

    def check(self, argument: str, nodes: GpuNodes) -> None:
        """Refuse nodes whose Talos runs no Kubernetes with image volumes."""
        newest = nodes.talos_version.release.kubernetes[1]
        if newest < IMAGE_VOLUMES_SINCE:
            hint = f"the kubelet mounts images from Kubernetes 1.{IMAGE_VOLUMES_SINCE} on, and the newest of Talos {nodes.talos_version} is 1.{newest}"
            raise wrong(argument, "another volume than an OciImage on these nodes", self, hint)
