"""Flux's chart sources, and the sources of a HelmRelease."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..model import Inputs, KubernetesObject, Read, at, is_unknown, question


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
    """The sources of a HelmRelease: the source that it names, and the source that its HelmChart names; None if unknown."""
    known = chart_sources(inputs)
    sources: list[ChartSource] = []
    references: list[tuple[Read, tuple[str, ...]]] = [(release, place) for place in _REFERENCES]
    while references:
        about, place = references.pop()
        reference = about.at(*place)
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
