"""Identities of objects: an object, and the release of a chart that it installs, are the same thing."""

from __future__ import annotations

from ..model import ChartRelease, KubernetesObject, Read

Identity = tuple[str, ...]

_RELEASING = ("HelmRelease", "Application")


def is_released_by_object(release: ChartRelease) -> bool:
    """Whether an object of Flux or Argo CD installs the chart, and not a kustomization, or a chart that wraps it."""
    kind = release.at("kind")
    return isinstance(kind, str) and kind in _RELEASING


def identity(about: Read) -> Identity:
    """The place, the kind and the name of an object; the same for the object and for its releases."""
    written = [text_at(about, "kind"), text_at(about, "metadata", "namespace"), text_at(about, "metadata", "name")]
    if not isinstance(about, KubernetesObject) and not (isinstance(about, ChartRelease) and is_released_by_object(about)):
        written.append(about.label)
    return (about.file, str(about.line_of(())), *written)


def text_at(about: Read, *path: str) -> str:
    """The text at a path, also of an unknown value; empty without a value."""
    value = about.at(*path)
    return "" if value is None else str(value)
