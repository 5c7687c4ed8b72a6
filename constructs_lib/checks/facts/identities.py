"""By what two readings of one thing are known to be the same: an object, and the release of a chart that it makes."""

from __future__ import annotations

from ..model import ChartRelease, KubernetesObject, Read

Identity = tuple[str, ...]

_RELEASING = ("HelmRelease", "Application")


def is_released_by_object(release: ChartRelease) -> bool:
    """Whether an object of Flux or Argo CD installs the chart, and not a kustomization, or a chart that wraps it."""
    kind = release.at("kind")
    return isinstance(kind, str) and kind in _RELEASING


def identity(about: Read) -> Identity:
    """Where a thing stands and what it is called; the same for an object and for the releases that it makes."""
    written = [text_at(about, "kind"), text_at(about, "metadata", "namespace"), text_at(about, "metadata", "name")]
    if not isinstance(about, KubernetesObject) and not (isinstance(about, ChartRelease) and is_released_by_object(about)):
        written.append(about.label)
    return (about.file, str(about.line_of(())), *written)


def text_at(about: Read, *path: str) -> str:
    """The text at a path, also where something else fills it in; empty where there is none."""
    value = about.at(*path)
    return "" if value is None else str(value)
