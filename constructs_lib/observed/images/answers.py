"""The answers to the question which images are wanted: an image with who wants it, or a place whose images are not
known.
"""

from __future__ import annotations

from typing import NamedTuple

from ...arguments.image_parts import ImageParts
from ..model import Path, Read, Unknown


class WantedImage(NamedTuple):
    """An image, and one object, chart or node that wants it. `part` names the container, or the key of the values."""

    image: ImageParts
    written: str
    about: Read
    part: str
    path: Path

    @property
    def wanted_by(self) -> str:
        """`DaemonSet gpu/plugin (container plugin)`."""
        return f"{self.about.label} ({self.part})" if self.part else self.about.label

    @property
    def place(self) -> tuple[str, int | None]:
        """The file and the line."""
        return self.about.file_of(self.path) or self.about.file, self.about.line_of(self.path)


class UnreadImages(NamedTuple):
    """Images of an object, a chart or a node that are not known, with the reason."""

    about: Read
    path: Path
    reason: str

    @property
    def place(self) -> tuple[str, int | None]:
        """The file and the line."""
        return self.about.file_of(self.path) or self.about.file, self.about.line_of(self.path)


ImageAnswer = WantedImage | UnreadImages


def answer_of(image: str | Unknown, about: Read, part: str, path: Path) -> ImageAnswer:
    """The image at a path, or the reason why it is not known."""
    if not isinstance(image, str):
        return UnreadImages(about, path, f"another tool fills in the image {image}" if f"{image}" else "another tool fills in the image")
    parts = ImageParts.parse(image)
    if parts is None:
        return UnreadImages(about, path, f"{image!r} is no image reference")
    return WantedImage(parts, image, about, part, path)
