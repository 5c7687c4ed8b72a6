"""The changes that move the images of objects and chart releases to their copies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..._arguments.registry_map import RegistryMap
from ..model import ChartRelease, Inputs, KubernetesObject, Path, Read, at, is_given
from .image_fields import ImageField
from .release_images import ChartImage, chart_images
from .wanted_images import has_images, object_images


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


def moved_images(inputs: Inputs, registries: RegistryMap, ignored: frozenset[str] = frozenset()) -> MovedImages:
    """The changes for every image that has an entry. Releases of the ignored charts stay."""
    changes: list[Change] = []
    images: list[str] = []
    unknown: list[ChartRelease] = []
    for item in filter(has_images, inputs.objects):
        for field in object_images(item):
            images.append(f"{field.image}")
            changes += [Change(item, path, value) for path, value in _field_changes(item, field, registries)]
    for release in inputs.releases:
        if f"{release.chart}" in ignored:
            continue
        known = chart_images(release, inputs)
        if known is None or isinstance(at(release.body, *release.values_path), str):
            unknown.append(release)
            continue
        images += [_name(each) for each in known]
        changes += [Change(release, path, value) for path, value in _release_changes(release, known, registries)]
    return MovedImages(changes, images, unknown)


def _field_changes(item: KubernetesObject, field: ImageField, registries: RegistryMap) -> Iterator[tuple[Path, Any]]:
    written = f"{field.image}"
    moved = registries.moved(written)
    if moved is None or moved == written:
        return
    if not field.keys:
        yield field.path, moved
        return
    old = {key: f"{item.at(*field.path, key)}" for key in field.keys}
    length = len("/".join(old.values()))
    name = moved.removesuffix(written[length:])
    yield from ((path, value) for path, value in _parts(field.path, field.keys, name) if value != old[str(path[-1])])


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


def _release_changes(release: ChartRelease, images: list[ChartImage], registries: RegistryMap) -> Iterator[tuple[Path, Any]]:
    """The values that name the copies. A key that a chart has by default is added to the release's own values."""
    values: dict[str, Any] = {}
    for each in images:
        moved = registries.moved(_name(each))
        if moved is None or moved == _name(each):
            continue
        keys = ("repository",) if each.image is None else ("repository", "image")
        old = {"repository": f"{each.repository}", "image": f"{each.image}"}
        for place, value in _parts(each.path, keys, moved):
            if value != old[str(place[-1])]:
                level = values
                for name in place[:-1]:
                    level = level.setdefault(str(name), {})
                level[str(place[-1])] = value
    path = release.values_path
    while values and path and not isinstance(at(release.body, *path), Mapping):
        path, values = path[:-1], {str(path[-1]): values}
    yield from _added(at(release.body, *path), values, path)


def _added(existing: Any, values: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Any]]:
    for key, value in values.items():
        below = at(existing, key)
        if isinstance(value, Mapping) and isinstance(below, Mapping) and is_given(below):
            yield from _added(below, value, (*path, key))
        else:
            yield (*path, key), value
