"""The releases of charts for which this library has a construct.

The GPU operator, node feature discovery, the DRA driver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..manifests.objects import merged
from ..observed.agents.operators import operators
from ..observed.model import ChartRelease, at, known_str
from ..observed.objects.chart_sources import chart_addresses
from ..upstream.charts import DRA_DRIVER, GPU_OPERATOR, NODE_FEATURE_DISCOVERY
from ..upstream.charts.nfd_chart import DEFAULT_CLASSES, DEFAULT_FIELDS
from ..upstream.talos.features import CLUSTERS_OWN
from ..upstream.version import Version
from .equivalence import Change, changes, normal, without
from .tree import Made, Part, Path, PlainObject, RefusedError, Tree, UnreadError, plain_value, plain_values

CONSTRUCTS = {GPU_OPERATOR.name: "NvidiaGpuOperator", NODE_FEATURE_DISCOVERY.name: "NodeFeatureDiscovery", DRA_DRIVER.name: "DraDriver"}
"""The construct of each chart."""
_IN_CLUSTER = "https://kubernetes.default.svc"
"""The server that Argo CD calls `in-cluster`."""
_ARGUMENTS: tuple[Path, ...] = (
    ("spec", "values"), ("spec", "valuesFrom"), ("spec", "chartRef"), ("spec", "releaseName"), ("spec", "targetNamespace"), ("spec", "url"),
    *(("spec", "chart", "spec", key) for key in ("chart", "version", "sourceRef")),
    *(("spec", "source", key) for key in ("repoURL", "chart", "targetRevision")),
    *(("spec", "source", "helm", key) for key in ("releaseName", "values", "valuesObject", "valueFiles", "parameters")),
    ("spec", "ref", "tag"), ("spec", "type"),
)  # fmt: skip
"""The settings of a delivery that the arguments of the construct say."""
_OF_SOURCE: tuple[Path, ...] = (("kind",), ("metadata", "name"), ("metadata", "namespace"), ("spec", "layerSelector"))
"""The settings of the source of a chart that are the construct's own: nothing else of a delivery uses them."""
_HARMLESS: tuple[Path, ...] = (
    ("apiVersion",), ("spec", "interval"), ("spec", "timeout"), ("spec", "chart", "spec", "interval"), ("spec", "maxHistory"),
    *(("spec", phase, key) for phase in ("install", "upgrade") for key in ("remediation", "strategy", "timeout", "cleanupOnFail", "createNamespace", "crds")),
    ("spec", "rollback"), ("spec", "driftDetection"), ("spec", "uninstall"), ("spec", "syncPolicy", "retry"), ("spec", "revisionHistoryLimit"), ("spec", "info"),
)  # fmt: skip
"""The settings without which the same release is installed in the same place.

How often, how long and how many times a controller tries.
"""
_ADDED: tuple[Path, ...] = (("spec", "ignoreDifferences"), ("spec", "syncPolicy", "syncOptions"), ("spec", "layerSelector"))
"""The settings that the construct adds to a delivery without them."""
_OWN_OPTIONS = frozenset({"ServerSideApply=true", "CreateNamespace=true"})
_CRDS = ("Create", "CreateReplace", None)
"""The policies by which Helm installs the chart's CRDs."""
_OF_PROGRAM: Mapping[str, dict[str, Any]] = {
    "NodeFeatureDiscovery": {
        "worker": {"config": {"sources": {"pci": {"deviceClassWhitelist": [*DEFAULT_CLASSES], "deviceLabelFields": [*DEFAULT_FIELDS]}}}}
    }
}
"""What a program does where its chart has no value, and the construct has one: by the construct.

The labels of NFD that parts of the tree select keep their names.
"""
_ELSEWHERE = ("suspend", "kubeConfig", "postRenderers")
"""The settings of a HelmRelease without which its objects are other ones, or elsewhere."""


def chart_part(tree: Tree, release: ChartRelease) -> Part:
    """The part for a release, with the values of the tree that differ from those of the construct."""
    chart = release.known_chart
    if chart is None:
        raise UnreadError("its chart is not known")
    name, about = CONSTRUCTS[chart.name], tree.about(release)
    (given, gaps), source = plain_values(release), tree.source(about)
    arguments = {**_release_arguments(tree, release, about), **_repository(tree, release, source), "delivery": delivery_of(tree, about)}
    if name == "NvidiaGpuOperator" and at(given, "nfd", "enabled") is False:
        arguments["nfd"] = False
    if name == "NodeFeatureDiscovery" and operators(tree.inputs):
        arguments["gpu_present_rule"] = False
    delivered = tree.made(name, arguments)
    if about is None:
        notes = ["its chart is installed by a kustomization; the file has another delivery"]
    else:
        notes = list(_of_delivery(about, source, delivered))
    given = merged(_OF_PROGRAM.get(name, {}), given)
    derived = _values_in(tree.made(name, {**arguments, "delivery": {"Flux": {}}}))
    values, dropped = _readable(tree, name, arguments, without(given, derived))
    notes += [f"values.{'.'.join(map(str, path))} is left out: {reason}" for path, reason in dropped]
    notes += ["the version of the chart is pinned"] if release.version is None else []
    arguments |= {"values": values} if values else {}
    replaces = [each for each in (about, source) if each is not None]
    return Part(name, known_str(release.name) or chart.name, known_str(release.namespace) or "", arguments, release, replaces, notes, gaps)


def value_notes(tree: Tree, part: Part) -> Iterator[str]:
    """The values that the construct decides otherwise, with the form that the part has now."""
    if part.name not in CONSTRUCTS.values() or not isinstance(part.about, ChartRelease) or part.about.known_chart is None:
        return
    defaults = merged(_OF_PROGRAM.get(part.name, {}), plain_value(part.about.known_chart.defaults))
    ours = _values_in(tree.made(part.name, {**part.arguments, "delivery": {"Flux": {}}}))
    for change in changes(merged(defaults, plain_value(part.about.given)), merged(defaults, ours)):
        yield f"values.{change.name}: {change.words}"


def _values_in(made: Made) -> dict[str, Any]:
    release = next(body for body in made.values() if body["kind"] == "HelmRelease")
    values: dict[str, Any] = release["spec"].get("values") or {}
    return values


def refuse_lost_delivery(about: PlainObject | None) -> None:
    """Refuse a release whose objects would be other ones, or elsewhere, without its HelmRelease or Application."""
    spec = (about and about.body.get("spec")) or {}
    target = spec.get("destination") or {}
    is_here = target.get("server", _IN_CLUSTER) == _IN_CLUSTER and target.get("name", "in-cluster") == "in-cluster"
    if lost := [*(f"spec.{key}" for key in _ELSEWHERE if spec.get(key)), *(() if is_here else ("spec.destination",))]:
        raise UnreadError(f"no argument says {', '.join(lost)} of its delivery")


def _of_delivery(about: PlainObject, source: PlainObject | None, made: Made) -> Iterator[str]:
    """The changes of a delivery. Raises `UnreadError` where the release would be installed in another place or way."""
    release = next(body for body in made.values() if body["kind"] == about.read.kind)
    repository = next((body for body in made.values() if str(body["kind"]).endswith("Repository")), None)
    found = [
        each for each in changes(normal(_comparable(about.body)), normal(_comparable(release))) if not _is_below(each.path, _ARGUMENTS)
    ]
    if source is not None and repository is not None:
        of_source = changes(normal(source.body), normal(repository))
        found += [each for each in of_source if not _is_below(each.path, (*_ARGUMENTS, *_OF_SOURCE))]
    if lost := [each for each in found if not _is_harmless(each)]:
        raise UnreadError(f"no argument says {', '.join(dict.fromkeys(each.name for each in lost))} of its delivery")
    by_words: dict[str, list[str]] = {}
    for each in found:
        by_words.setdefault("left out" if each.ours is None else "added" if each.theirs is None else "changed", []).append(each.name)
    for words, names in by_words.items():
        yield f"delivery: {words}: {', '.join(dict.fromkeys(names))}"


def _is_harmless(change: Change) -> bool:
    """Whether the same release is installed in the same place after a change."""
    if change.path[:2] == ("metadata", "labels") and str(change.path[-1]).startswith("app.kubernetes.io/"):
        return True  # a label by which tools show an object
    if change.path[-1] == "crds":
        return change.theirs in _CRDS
    return _is_below(change.path, _HARMLESS) or (change.theirs is None and _is_below(change.path, _ADDED))


def _is_below(path: Path, above: tuple[Path, ...]) -> bool:
    return any(path[: len(each)] == each for each in above)


def _comparable(body: Mapping[str, Any]) -> dict[str, Any]:
    """An Application with its chart in `source`, with the address of its cluster, and with the options that no delivery
    lacks left out."""
    spec = dict(at(body, "spec") or {})
    sources = [each for each in spec.pop("sources", None) or () if isinstance(each, Mapping)]
    if chart := next((each for each in sources if "chart" in each), None):
        spec["source"] = chart
    if others := [each for each in sources if each is not chart and set(each) - {"ref", "repoURL", "targetRevision"}]:
        spec["sources"] = others
    if at(spec, "destination", "name") == "in-cluster":
        spec["destination"] = {"server": _IN_CLUSTER, **{key: value for key, value in spec["destination"].items() if key != "name"}}
    if options := at(spec, "syncPolicy", "syncOptions"):
        spec["syncPolicy"] = {**spec["syncPolicy"], "syncOptions": [each for each in options if each not in _OWN_OPTIONS]}
    return {**body, "spec": spec}


def _readable(tree: Tree, name: str, arguments: Mapping[str, Any], values: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[Path, str]]]:
    """The values without those that the chart does not read, or that an argument says, each of them with the reason."""
    dropped: list[tuple[Path, str]] = []
    while values:
        try:
            tree.made(name, {**arguments, "values": values})
            break
        except RefusedError as refused:
            path = _named_path(refused.error, values)
            if path is None:
                raise
            dropped.append((path, f"{getattr(refused.error, 'hint', '')}" or str(refused)))
            values = _removed(values, path)
    return values, dropped


def _named_path(error: Exception, values: Mapping[str, Any]) -> Path | None:
    """The path of the value that an error names; None for an error about something else."""
    if str(getattr(error, "argument", "")).partition("[")[0] != "values":
        return None
    got = getattr(error, "got", None)
    words = [got] if isinstance(got, str) else []
    words += [word.strip(":,") for word in str(getattr(error, "rule", "")).split() if "." in word]
    paths = [tuple(word.split(".")) for word in words]
    return next((path for path in paths if at(values, *path) is not None), None)


def _removed(values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The values without the one at a path, and without the mappings that are then empty."""
    result = dict(values)
    inner = _removed(result[str(path[0])], path[1:]) if path[1:] else {}
    if inner:
        result[str(path[0])] = inner
    else:
        del result[str(path[0])]
    return result


def _release_arguments(tree: Tree, release: ChartRelease, about: PlainObject | None) -> dict[str, Any]:
    chart, arguments = release.known_chart, dict[str, Any]()
    if isinstance(release.version, str):
        version = Version.parse(release.version)
        arguments["version"] = chart.written(version) if chart is not None and version is not None else release.version
    namespace, name = known_str(release.namespace), known_str(release.name)
    if namespace:
        arguments["namespace"] = namespace
        spec = about and at(about.body, "spec")
        makes = at(spec, "install", "createNamespace") is True or "CreateNamespace=true" in (at(spec, "syncPolicy", "syncOptions") or ())
        if tree.find("Namespace", "", namespace) is not None or not makes or namespace in CLUSTERS_OWN:
            arguments["create_namespace"] = False
    if name and chart and name != chart.name:
        arguments["release_name"] = name
    return arguments


def _repository(tree: Tree, release: ChartRelease, source: PlainObject | None) -> dict[str, Any]:
    """The repository of the chart, and its name there."""
    url, chart = next(iter(chart_addresses(release, tree.inputs)), "").rstrip("/"), known_str(release.chart)
    if source is not None and source.read.kind == "OCIRepository":
        url, _, chart = url.rpartition("/")
    return {"repository": url if "://" in url else f"oci://{url}", "chart": chart} if url else {}


def delivery_of(tree: Tree, about: PlainObject | None) -> dict[str, Any]:
    """The delivery of a release, with its arguments; that of the tree for a release that no object makes."""
    if about is None or about.read.kind not in ("HelmRelease", "Application"):
        return {"ArgoCd": {}} if tree.inputs.of_kind("Application", "ApplicationSet") else {"Flux": {}}
    spec = about.body.get("spec") or {}
    if about.read.kind == "HelmRelease":
        target = spec.get("targetNamespace") or about.namespace
        given = {name: spec[name] for name in ("interval", "timeout") if isinstance(spec.get(name), str)}
        return {"Flux": {**({"namespace": about.namespace} if about.namespace and about.namespace != target else {}), **given}}
    automated = at(spec, "syncPolicy", "automated")
    given = {"namespace": about.namespace or None, "project": spec.get("project"), "server": at(spec, "destination", "server")}
    switches = {
        "automated": automated is not None,
        **({} if automated is None else {"prune": bool(at(automated, "prune")), "self_heal": bool(at(automated, "selfHeal"))}),
    }
    return {"ArgoCd": {**{name: value for name, value in given.items() if value}, **switches}}
