"""The fields that hold an image, in pod templates, custom resources and chart values alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...arguments.names import ImageParts
from ...upstream.kubernetes.registries import split_reference
from ...yaml.unknown import GAP
from ..model import Path, Read, Unknown, at, is_given, joined, known_items, known_text, text_of


def image_name(image: Any) -> str | Unknown:
    """The last part of an image's name, without its tag and its digest: `k8s-device-plugin`."""
    name = split_reference(known_text(image)).name
    return Unknown(f"{image}", name) if GAP in name else name


class ImageField(NamedTuple):
    """An image at a path of a document. `keys` are the keys below the path that hold the parts of the reference; none
    for one text."""

    path: Path
    image: str | Unknown
    has_tag: bool
    """Whether the field has a tag or a digest, or is a whole reference, which implies one."""
    keys: tuple[str, ...] = ()


_WHOLE = ("image", "imageName")
_DEEPEST = 24


def image_fields(value: Any, path: Path = ()) -> Iterator[ImageField]:
    """Every image at or below a value: `image: name:tag`, an `image` of a chart's values, and the three fields of
    NVIDIA's operator."""
    if len(path) > _DEEPEST:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from image_fields(item, (*path, index))
    elif isinstance(value, Mapping):
        is_operand = _is_operand(value)
        if is_operand:
            yield _operand(value, path)
        for key, item in known_items(value):
            found = None if is_operand else _field(key, item, (*path, key))
            if found is not None:
                yield found
            elif isinstance(item, Mapping | list):
                yield from image_fields(item, (*path, key))


def _field(key: str, item: Any, path: Path) -> ImageField | None:
    """The image that a key holds."""
    if key == "image" and isinstance(item, Mapping):
        if at(item, "repository") is not None:
            return _of_values(item, path)
        reference = text_of(at(item, "reference"))  # a volume with the files of an image
        return None if reference is None else ImageField((*path, "reference"), reference, has_tag=True)
    image = text_of(item) if key in _WHOLE else None
    return ImageField(path, image, has_tag=True) if image is not None and is_given(image) else None


def _is_operand(value: Mapping[str, Any]) -> bool:
    return all(text_of(at(value, key)) is not None and is_given(at(value, key)) for key in ("repository", "image", "version"))


def _operand(value: Mapping[str, Any], path: Path) -> ImageField:
    version = at(value, "version")
    image = joined(at(value, "repository"), "/", at(value, "image"), _mark(version), version)
    return ImageField(path, image, has_tag=True, keys=("repository", "image"))


def _of_values(value: Any, path: Path) -> ImageField:
    registry, repository, tag, digest = (at(value, key) for key in ("registry", "repository", "tag", "digest"))
    parts = [registry, "/"] if is_given(registry) else []
    parts.append(repository)
    if is_given(digest):
        parts += ["@", digest]
    elif is_given(tag):
        parts += [":", tag]
    keys = ("registry", "repository") if is_given(registry) else ("repository",)
    return ImageField(path, joined(*parts), has_tag=is_given(digest) or is_given(tag), keys=keys)


def _mark(version: Any) -> str:
    return "@" if isinstance(version, str) and version.startswith("sha256:") else ":"


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
