"""Which charts the objects of Flux and Argo CD install, and from which other objects Flux takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Source(NamedTuple):
    """An object of Flux that charts come from."""

    kind: str
    namespace: str | None
    name: str


# Those that serve charts alone; a GitRepository or a Bucket may hold the whole cluster.
_SOURCES = ("HelmRepository", "HelmChart", "OCIRepository")


class InstalledCharts:
    """The charts that are installed by these objects."""

    def __init__(self, manifests: Iterable[Mapping[str, Any]]) -> None:
        self._sources = {found: each for each in manifests if (found := source(each))}

    def of(self, manifest: Mapping[str, Any]) -> set[str]:
        """The names of the charts that an object installs."""
        found = []
        if manifest.get("kind") == "Application":
            several = at(manifest, "spec", "sources")
            sources = [at(manifest, "spec", "source"), *(several if isinstance(several, list) else ())]
            found = [at(each, "chart") for each in sources]
        elif manifest.get("kind") == "HelmRelease":
            found = [at(manifest, "spec", "chart", "spec", "chart"), *map(self._chart, self.sources(manifest))]
        return {chart.rpartition("/")[2] for chart in found if isinstance(chart, str)}

    def sources(self, release: Mapping[str, Any]) -> list[Source]:
        """What a HelmRelease takes its chart from, and where a HelmChart takes it from in turn."""
        found = [_referred(release, "chart", "spec", "sourceRef"), _referred(release, "chartRef")]
        found += [_referred(self._sources[each], "sourceRef") for each in found if each in self._sources]
        return [each for each in found if each]

    def _chart(self, made: Source) -> Any:
        """The chart of a source that serves one alone; where the source is not here, its name has to do."""
        if made.kind == "HelmRepository":
            return None
        return at(self._sources[made], "spec", "chart" if made.kind == "HelmChart" else "url") if made in self._sources else made.name


def source(manifest: Mapping[str, Any]) -> Source | None:
    """The object as a source, where it is one."""
    return _source(manifest.get("kind"), at(manifest, "metadata", "namespace"), at(manifest, "metadata", "name"))


def _referred(manifest: Mapping[str, Any], *place: str) -> Source | None:
    reference = at(manifest, "spec", *place)
    namespace = at(reference, "namespace") or at(manifest, "metadata", "namespace")
    return _source(at(reference, "kind"), namespace, at(reference, "name"))


def _source(kind: Any, namespace: Any, name: Any) -> Source | None:
    return Source(kind, namespace if isinstance(namespace, str) else None, name) if kind in _SOURCES and isinstance(name, str) else None


def at(value: Any, *path: str) -> Any:
    """What stands at a path in plain data, or None."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
