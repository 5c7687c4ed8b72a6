"""Flux's chart sources, the sources of a HelmRelease, and the repository of a chart: a chart is its repository and its
name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...upstream.charts.pod_keys import CHART_REPOSITORIES, TRUECHARTS
from ..model import Answer, ChartRelease, Inputs, KubernetesObject, Read, at, is_unknown, known_items, known_str, mappings, question


class ChartSource(NamedTuple):
    """The name of a Flux object that provides charts."""

    kind: str
    namespace: str | None
    name: str


# The kinds that serve charts alone; a GitRepository or a Bucket may hold the whole cluster.
_KINDS = ("HelmRepository", "HelmChart", "OCIRepository")
_REFERENCES = (("spec", "chart", "spec", "sourceRef"), ("spec", "chartRef"))


@question
def chart_sources(inputs: Inputs) -> Mapping[ChartSource, KubernetesObject]:
    """Every chart source with a known name."""
    named = ((_source(each.kind, each.at("metadata", "namespace"), each.at("metadata", "name")), each) for each in inputs.of_kind(*_KINDS))
    return {source: each for source, each in named if source}


def sources_of(release: Read, inputs: Inputs) -> list[ChartSource] | None:
    """The sources of a HelmRelease: the source that it names, and the source that its HelmChart names; None if
    unknown."""
    known = chart_sources(inputs)
    sources: list[ChartSource] = []
    references: list[tuple[Read, tuple[str, ...]]] = [(release, place) for place in _REFERENCES]
    while references:
        about, place = references.pop()
        reference = about.at(*place)
        if reference is None:
            continue
        namespace = at(reference, "namespace")
        namespace = about.at("metadata", "namespace") if namespace is None else namespace
        if any(map(is_unknown, (reference, namespace, at(reference, "kind"), at(reference, "name")))):
            return None
        source = _source(at(reference, "kind"), namespace, at(reference, "name"))
        if source and source not in sources:
            sources.append(source)
            references += [(known[source], ("spec", "sourceRef"))] if source in known else []
    return sources


def _source(kind: Any, namespace: Any, name: Any) -> ChartSource | None:
    if not isinstance(kind, str) or not isinstance(name, str) or kind not in _KINDS or any(map(is_unknown, (namespace, name))):
        return None
    return ChartSource(kind, namespace if isinstance(namespace, str) else None, name)


_MIRROR = "mirror"


def is_upstreams_chart(release: ChartRelease, inputs: Inputs) -> Answer:
    """Whether the chart comes from the repository whose keys are known for its name. Unknown where no address of a
    repository was read."""
    known = CHART_REPOSITORIES.get(known_str(release.chart) or "", ())
    addresses = chart_addresses(release, inputs)
    if not addresses:
        return Answer.UNKNOWN
    return Answer.YES if any(part in f"{address}/" for address in addresses for part in (*known, _MIRROR)) else Answer.NO


def is_of_truecharts(release: ChartRelease, inputs: Inputs) -> bool:
    """Whether a chart has the common library of TrueCharts: by its repository or the name of its source, or without
    these by the form of its values."""
    origin = _origin(release, inputs)
    if named := origin.addresses or [each.name for each in origin.sources]:
        return any(TRUECHARTS in each for each in named)
    listed = (each for _, each in known_items(release.values.get("workload")))
    return any(isinstance(at(each, "podSpec"), Mapping) for each in listed) or isinstance(at(release.values, "podOptions"), Mapping)


def chart_addresses(release: ChartRelease, inputs: Inputs) -> Sequence[str]:
    """The addresses that a HelmRelease's sources, an Application or a chart of kustomize name."""
    return _origin(release, inputs).addresses


class _Origin(NamedTuple):
    """Where a chart comes from, as far as it is known."""

    sources: Sequence[ChartSource]
    addresses: Sequence[str]


def _origin(release: ChartRelease, inputs: Inputs) -> _Origin:
    known = _origins(inputs)
    return known[release] if release in known else _read_origin(release, inputs)


@question
def _origins(inputs: Inputs) -> Mapping[ChartRelease, _Origin]:
    return {each: _read_origin(each, inputs) for each in inputs.releases}


def _read_origin(release: ChartRelease, inputs: Inputs) -> _Origin:
    known, sources = chart_sources(inputs), sources_of(release, inputs) or ()
    written = [known[each].at("spec", "url") for each in sources if each in known]
    of_argo = [release.at("spec", "source"), *(each for _, each in mappings(release.at("spec", "sources")))]
    written += [at(each, "repoURL") for each in of_argo if at(each, "chart") is not None]
    written.append(release.at("repo"))
    return _Origin(sources, [*filter(None, map(known_str, written))])
