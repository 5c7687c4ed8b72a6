"""The changes that move the images of objects and chart releases to their copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...manifests.image_digests import ImageCopies
from ..model import ChartRelease, Inputs, KubernetesObject, Path, Read, at, is_given
from .image_fields import ImageField
from .wanted_images import ChartImage, chart_images, has_images, object_images


class Change(NamedTuple):
    """A value at a path of an object. The keys above the last one exist, and the last one may not."""

    about: Read
    path: Path
    value: Any


class MovedImages(NamedTuple):
    """The changes, every image that was read, and the releases whose images are not known."""

    changes: list[Change]
    images: list[str]
    unknown: list[ChartRelease]


def moved_images(inputs: Inputs, copies: ImageCopies, ignored: frozenset[str] = frozenset()) -> MovedImages:
    """The changes for every image that has an entry. Releases of the ignored charts stay."""
    changes: list[Change] = []
    images: list[str] = []
    unknown: list[ChartRelease] = []
    for item in filter(has_images, inputs.objects):
        for field in object_images(item):
            images.append(f"{field.image}")
            changes += [Change(item, path, value) for path, value in _field_changes(item, field, copies)]
    for release in inputs.releases:
        if f"{release.chart}" in ignored:
            continue
        known = chart_images(release, inputs)
        if known is None or isinstance(at(release.body, *release.values_path), str):
            unknown.append(release)
            continue
        images += [f"{each.reference}" for each in known]
        changes += [Change(release, path, value) for path, value in _release_changes(release, known, copies)]
    return MovedImages(changes, images, unknown)


def _field_changes(item: KubernetesObject, field: ImageField, copies: ImageCopies) -> Iterator[tuple[Path, Any]]:
    written = f"{field.image}"
    moved = copies.moved(written)
    if moved is None or moved == written:
        return
    if not field.keys:
        yield field.path, moved
        return
    old = {key: f"{item.at(*field.path, key)}" for key in field.keys}
    length = len("/".join(old.values()))
    digest = copies.digest_of(written)
    suffix = written[length:]
    name = moved.removesuffix(f"@{digest}").removesuffix(suffix or ":latest") if digest else moved.removesuffix(suffix)
    yield from ((path, value) for path, value in _parts(field.path, field.keys, name) if value != old[str(path[-1])])
    if digest:
        yield (*field.path, "version" if "image" in field.keys else "tag"), f"{suffix.removeprefix(':') or 'latest'}@{digest}"


def _parts(path: Path, keys: tuple[str, ...], name: str) -> Iterator[tuple[Path, str]]:
    """The values of the keys that hold a name: the whole, or its two parts."""
    if len(keys) == 1:
        yield (*path, keys[0]), name
        return
    first, _, second = name.partition("/") if keys[0] == "registry" else name.rpartition("/")
    yield (*path, keys[0]), first
    yield (*path, keys[1]), second


def _name(image: ChartImage) -> str:
    return f"{image.repository}" if image.image is None else f"{image.repository}/{image.image}"


def _release_changes(release: ChartRelease, images: list[ChartImage], copies: ImageCopies) -> Iterator[tuple[Path, Any]]:
    """The values that name the copies. A key that a chart has by default is added to the release's own values."""
    values: dict[str, Any] = {}
    for each in images:
        new = _new_values(each, copies)
        level = values
        for name in each.path if new else ():
            level = level.setdefault(name, {})
        level.update(new)
    path = release.values_path
    while values and path and not isinstance(at(release.body, *path), Mapping):
        path, values = path[:-1], {str(path[-1]): values}
    yield from _added(at(release.body, *path), values, path)


def _new_values(image: ChartImage, copies: ImageCopies) -> dict[str, str]:
    """The changed values of an image. Each of these charts writes the tag behind a colon, so a digest stands behind the
    tag."""
    keys = ("repository",) if image.image is None else ("repository", "image")
    old = {"repository": f"{image.repository}", "image": f"{image.image}"}
    moved = _name(image) if copies.registries is None else copies.registries.moved(_name(image))
    parts = {} if moved is None else {str(path[-1]): value for path, value in _parts((), keys, moved)}
    found = {key: value for key, value in parts.items() if value != old[key]}
    if digest := copies.digest_of(f"{image.reference}"):
        found["tag" if image.image is None else "version"] = f"{image.tag}@{digest}"
    return found


def _added(existing: Any, values: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key, value in values.items():
        below = at(existing, key)
        if isinstance(value, Mapping) and isinstance(below, Mapping) and is_given(below):
            yield from _added(below, value, (*path, key))
        else:
            yield (*path, key), value
