"""`ImageDigests`: the digest of each image; and `ImageCopies`: where an image is pulled from, and by which digest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..arguments.errors import wrong
from ..arguments.names import ImageParts
from ..arguments.plain_values import texts
from ..upstream.kubernetes.registries import DEFAULT_TAG, split_reference
from .registry_map import RegistryMap

_RULE = "references with a tag and a digest, such as 'docker.io/library/busybox:1.37.0@sha256:…', one a line"


class ImageDigests:
    """The checked lines of a file of digests: an image a line, with its tag and its digest. Empty lines and lines that
    begin with # are left out.

    Example:
        >>> digests = ImageDigests("digests", ["# by crane digest", f"busybox:1.37.0@sha256:{'0a' * 32}"])
        >>> digests.of("docker.io/library/busybox:1.37.0") == f"sha256:{'0a' * 32}"
        True
    """

    def __init__(self, argument: str, lines: Iterable[str]) -> None:
        """Check every line, and refuse two digests of one image."""
        self.argument = argument
        self._digests: dict[str, str] = {}
        for line in texts(argument, lines):
            written = line.strip()
            if not written or written.startswith("#"):
                continue
            parts = ImageParts.parse(written)
            if parts is None or not parts.tag or not parts.digest:
                raise wrong(argument, _RULE, written)
            other = self._digests.setdefault(f"{parts.name}:{parts.tag}", parts.digest)
            if other != parts.digest:
                raise wrong(argument, "a list with one digest for each image", written, f"another line has {other}")
        if not self._digests:
            raise wrong(
                argument, "a list with at least one image", [], "such as the lines of `talos-gpu images --format list` with their digests"
            )

    def of(self, written: str) -> str | None:
        """The digest of an image; empty where the image has it already, and None without an entry."""
        parts = ImageParts.parse(written)
        if parts is None:
            return None
        return "" if parts.digest else self._digests.get(f"{parts}")

    def check(self, images: Iterable[str]) -> None:
        """Refuse images without an entry, all in one error."""
        if missing := list(dict.fromkeys(image for image in images if self.of(image) is None)):
            raise wrong(
                self.argument, "a list with the digest of every image", f"{len(self._digests)} images", f"none has {', '.join(missing)}"
            )


class ImageCopies(NamedTuple):
    """The places of the copies of images, and their digests; None for an own place, or a tag that stays."""

    registries: RegistryMap | None = None
    digests: ImageDigests | None = None

    def check(self, images: Iterable[str]) -> None:
        """Refuse images without an entry, and two different images with one copy."""
        images = list(images)
        if self.digests is not None:
            self.digests.check(images)
        if self.registries is not None:
            self.registries.check(images)

    def digest_of(self, written: str) -> str:
        """The digest that the reference of an image lacks; empty for none."""
        return (self.digests.of(written) or "") if self.digests is not None else ""

    def pinned(self, written: str) -> str:
        """The reference of an image with its tag and its digest."""
        digest = self.digest_of(written)
        if not digest:
            return written
        return f"{written}{'' if split_reference(written).tag else f':{DEFAULT_TAG}'}@{digest}"

    def moved(self, written: str) -> str | None:
        """The reference of the copy of an image, with its digest. None for an image without a copy."""
        return self.pinned(written) if self.registries is None else self.registries.moved(self.pinned(written))
