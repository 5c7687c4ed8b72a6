"""Every image that the inputs name, with who wants it, and the places whose images are not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...arguments.image_parts import ImageParts
from ..model import Inputs, KubernetesObject, Path, Read, Unknown, at, known_str, question, search
from .image_fields import ImageField, image_fields


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


@question
def wanted_images(inputs: Inputs) -> tuple[ImageAnswer, ...]:
    """The images of objects, charts and nodes, in the order of their names, and after them what is not known."""
    from .release_images import release_images
    from .talos_images import talos_images

    answers = [each for item in inputs.objects if has_images(item) for each in _of_object(item)]
    answers += [each for release in inputs.releases for each in release_images(release, inputs)]
    answers += talos_images(inputs)
    wanted = sorted((each for each in answers if isinstance(each, WantedImage)), key=lambda each: (f"{each.image}", each.wanted_by))
    return (*wanted, *(each for each in answers if isinstance(each, UnreadImages)))


def answer_of(image: str | Unknown, about: Read, part: str, path: Path) -> ImageAnswer:
    """The image at a path, or the reason why it is not known."""
    if not isinstance(image, str):
        return UnreadImages(about, path, f"another tool fills in the image {image}" if f"{image}" else "another tool fills in the image")
    parts = ImageParts.parse(image)
    if parts is None:
        return UnreadImages(about, path, f"{image!r} is no image reference")
    return WantedImage(parts, image, about, part, path)


# What installs a chart is read as a release, and these groups name images that no node pulls.
_CHART_KINDS = ("HelmRelease", "Application", "ApplicationSet", "AppProject")
_WITHOUT_PODS = r"(^|\.)(toolkit\.fluxcd\.io|helm\.cattle\.io|apiextensions\.k8s\.io|kyverno\.io|policies\.kyverno\.io)/"
_NO_SPEC = ("apiVersion", "kind", "metadata", "status")


def has_images(item: KubernetesObject) -> bool:
    """Whether nodes pull the images that an object names. They pull none of a chart's release, a policy, a CRD or a source of Flux."""
    return item.kind not in _CHART_KINDS and search(_WITHOUT_PODS, item.api_version).is_no


def object_images(item: KubernetesObject) -> Iterator[ImageField]:
    """The images of an object."""
    for key in item.body:
        if isinstance(key, str) and key not in _NO_SPEC:
            yield from image_fields(item.at(key), (key,))


def _of_object(item: KubernetesObject) -> Iterator[ImageAnswer]:
    for found in object_images(item):
        yield answer_of(found.image, item, _part(item, found.path), found.path)


def _part(item: KubernetesObject, path: Path) -> str:
    """The container of an image, or else the path without the key that every image has."""
    for length in range(len(path) - 1, 1, -1):
        name = known_str(at(item.at(*path[:length]), "name"))
        if name and isinstance(path[length - 1], int):
            return f"{'volume' if path[length - 2] == 'volumes' else 'container'} {name}"
    return ".".join(map(str, path[1:] if path[0] == "spec" else path)).removesuffix(".image")
