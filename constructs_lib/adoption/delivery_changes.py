"""The changes of a release's delivery: its HelmRelease or Application, and the source of its chart, against what the construct makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..observed.model import at
from .difference import Change, Path, changes
from .normal_form import normal

IN_CLUSTER = "https://kubernetes.default.svc"
"""The server that Argo CD calls `in-cluster`."""
_ARGUMENTS: tuple[Path, ...] = (
    ("spec", "values"), ("spec", "valuesFrom"), ("spec", "chartRef"), ("spec", "releaseName"), ("spec", "targetNamespace"), ("spec", "url"),
    *(("spec", "chart", "spec", key) for key in ("chart", "version", "sourceRef")),
    *(("spec", "source", key) for key in ("repoURL", "chart", "targetRevision")),
    *(("spec", "source", "helm", key) for key in ("releaseName", "values", "valuesObject", "valueFiles", "parameters")),
    ("spec", "ref", "tag"), ("spec", "type"),
)  # fmt: skip
"""The settings of a delivery that the arguments of the construct say, and that are compared as such."""
_HARMLESS: tuple[Path, ...] = (
    ("apiVersion",), ("spec", "interval"), ("spec", "timeout"), ("spec", "chart", "spec", "interval"), ("spec", "maxHistory"),
    *(("spec", phase, key) for phase in ("install", "upgrade") for key in ("remediation", "strategy", "timeout", "cleanupOnFail", "createNamespace", "crds")),
    ("spec", "rollback"), ("spec", "uninstall"),
    ("spec", "syncPolicy", "retry"), ("spec", "revisionHistoryLimit"), ("spec", "info"),
)  # fmt: skip
"""The settings without which the same release is installed in the same place: how often, how long and how many times a controller tries."""
_ADDED: tuple[Path, ...] = (("spec", "ignoreDifferences"), ("spec", "syncPolicy", "syncOptions"), ("spec", "layerSelector"))
"""The settings that the construct adds to a delivery without them."""
_SOURCE_NAME: tuple[Path, ...] = (("kind",), ("metadata", "name"), ("metadata", "namespace"), ("spec", "layerSelector"))
_PLACE: tuple[Path, ...] = (
    ("metadata", "name"), ("metadata", "namespace"), ("spec", "destination", "namespace"), ("spec", "project"),
    ("spec", "syncPolicy", "automated"), ("spec", "storageNamespace"),
)  # fmt: skip
"""The place of a release, and its project: the objects have their own."""
_OWN_OPTIONS = frozenset({"ServerSideApply=true", "CreateNamespace=true"})
_INFORMATIVE = "app.kubernetes.io/"
"""The prefix of the labels by which tools show an object."""
_CRDS = ("Create", "CreateReplace", None)
"""The policies by which Helm installs the chart's CRDs."""


def release_changes(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[Change]:
    """The changes of a HelmRelease or an Application that no argument of the construct says."""
    return _outside(_ARGUMENTS, changes(normal(_comparable(theirs)), normal(_comparable(ours))))


def source_changes(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterator[Change]:
    """The changes of the source of a chart. Its name is the construct's: nothing else of a delivery uses it."""
    return _outside((*_ARGUMENTS, *_SOURCE_NAME), changes(normal(theirs), normal(ours)))


def is_harmless(change: Change) -> bool:
    """Whether the same release is installed in the same place after a change."""
    if change.path[:2] == ("metadata", "labels") and str(change.path[-1]).startswith(_INFORMATIVE):
        return True
    if change.path[-1] == "crds":
        return change.theirs in _CRDS
    return _is_below(change.path, _HARMLESS) or (change.theirs is None and _is_below(change.path, _ADDED))


def settings_of_delivery(body: Mapping[str, Any]) -> list[str]:
    """The settings of a HelmRelease or an Application that objects without a delivery would lose."""
    plain = {"apiVersion": body["apiVersion"], "kind": body["kind"], "spec": {"destination": {"server": IN_CLUSTER}}}
    found = (each for each in release_changes(body, plain) if each.theirs is not None and not is_harmless(each))
    return list(dict.fromkeys(each.name for each in found if not _is_below(each.path, _PLACE)))


def _outside(known: tuple[Path, ...], all_changes: Iterator[Change]) -> Iterator[Change]:
    return (each for each in all_changes if not _is_below(each.path, known))


def _is_below(path: Path, above: tuple[Path, ...]) -> bool:
    return any(path[: len(each)] == each for each in above)


def _comparable(body: Mapping[str, Any]) -> dict[str, Any]:
    """An Application with its chart in `source`, with the address of its cluster, and with the options that no delivery lacks left out."""
    spec = dict(at(body, "spec") or {})
    sources = [each for each in spec.pop("sources", None) or () if isinstance(each, Mapping)]
    if chart := next((each for each in sources if "chart" in each), None):
        spec["source"] = chart
    if others := [each for each in sources if each is not chart and set(each) - {"ref", "repoURL", "targetRevision"}]:
        spec["sources"] = others
    if at(spec, "destination", "name") == "in-cluster":
        spec["destination"] = {"server": IN_CLUSTER, **{key: value for key, value in spec["destination"].items() if key != "name"}}
    if options := at(spec, "syncPolicy", "syncOptions"):
        spec["syncPolicy"] = {**spec["syncPolicy"], "syncOptions": [each for each in options if each not in _OWN_OPTIONS]}
    return {**body, "spec": spec}
