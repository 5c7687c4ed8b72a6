"""`ImageParts`: an image reference with its implied parts, as containerd reads it."""

from __future__ import annotations

from typing import NamedTuple

from ..upstream.kubernetes.registries import (
    DEFAULT_TAG,
    DOCKER_HUB,
    DOCKER_HUB_BEFORE,
    OFFICIAL_IMAGES,
    split_reference,
)
from .errors import Refusal
from .names import image_reference


class ImageParts(NamedTuple):
    """The registry and the path of an image, with its tag or its digest.

    Example:
        >>> print(ImageParts.parse("busybox"), ImageParts.parse("nvcr.io/nvidia/cuda:13.0.2-base-ubi9"))
        docker.io/library/busybox:latest nvcr.io/nvidia/cuda:13.0.2-base-ubi9
    """

    registry: str
    path: str
    tag: str
    digest: str

    @classmethod
    def parse(cls, written: str) -> ImageParts | None:
        """The parts of a reference. None for a text that is no reference."""
        try:
            image_reference("image", written)
        except Refusal:
            return None
        reference = split_reference(written)
        registry, path = split_name(reference.repository)
        return None if "$" in written else cls(registry, path, reference.tag, reference.digest)

    @property
    def name(self) -> str:
        """The whole name, without a tag and a digest."""
        return f"{self.registry}/{self.path}"

    @property
    def suffix(self) -> str:
        """The digest, or else the tag, with its mark. With a digest the runtime ignores the tag."""
        return f"@{self.digest}" if self.digest else f":{self.tag or DEFAULT_TAG}"

    def __str__(self) -> str:
        return f"{self.name}{self.suffix}"


def split_name(name: str) -> tuple[str, str]:
    """The registry and the path of a name without a tag."""
    registry, path = split_reference(name)[:2]
    registry = DOCKER_HUB if registry in ("", DOCKER_HUB_BEFORE) else registry
    return registry, f"{OFFICIAL_IMAGES}/{path}" if registry == DOCKER_HUB and "/" not in path else path


def is_floating(written: str) -> bool:
    """Whether an image has no tag, or the tag `latest`, and no digest: a restart may run another release."""
    reference = split_reference(written)
    return not reference.digest and reference.tag in ("", DEFAULT_TAG) and ImageParts.parse(written) is not None
