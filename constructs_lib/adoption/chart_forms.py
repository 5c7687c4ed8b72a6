"""The forms of a release of a chart for which this library has a construct: the GPU operator, node feature discovery, the DRA driver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..clusters.file_values import FileError
from ..manifests.objects import merged
from ..observed.model import ChartRelease, at, known_str
from ..upstream.charts import DRA_DRIVER, GPU_OPERATOR, NODE_FEATURE_DISCOVERY
from ..upstream.talos.features import CLUSTERS_OWN
from ..upstream.version import Version
from .delivery_changes import is_harmless, release_changes, source_changes
from .difference import Change, Path, with_value
from .entries import Form
from .plain_objects import Identity, PlainObject, UnreadError, leaves, plain_value
from .trial import Part, Trials

PARTS = {GPU_OPERATOR.name: "NvidiaGpuOperator", NODE_FEATURE_DISCOVERY.name: "NodeFeatureDiscovery", DRA_DRIVER.name: "DraDriver"}
"""The construct of each chart."""

_OWN_LABELS = ("pod-security.kubernetes.io/", "kubernetes.io/metadata.name")

Tree = Mapping[Identity, PlainObject]


def release_object(release: ChartRelease, tree: Tree) -> PlainObject | None:
    """The HelmRelease or the Application of a release; None for a release that no object of the tree makes."""
    kind, name = known_str(release.at("kind")), known_str(release.at("metadata", "name"))
    found = [each for each in tree.values() if (each.kind, each.name) == (kind, name)]
    exact = [each for each in found if each.file == release.file]
    return next(iter(exact or found), None)


def source_of(release: PlainObject, tree: Tree) -> PlainObject | None:
    """The source of the chart that a HelmRelease of Flux names."""
    reference = at(release.body, "spec", "chartRef") or at(release.body, "spec", "chart", "spec", "sourceRef")
    if not isinstance(reference, Mapping):
        return None
    namespace = str(reference.get("namespace") or release.namespace)
    names = (str(reference.get("kind")), namespace, str(reference.get("name")))
    return next((each for each in tree.values() if (each.kind, each.namespace, each.name) == names), None)


def chart_forms(release: ChartRelease, tree: Tree, trials: Trials, *, by_argo: bool, has_operator: bool) -> Iterator[Form]:
    """The forms of a release: with all of its values, and with this library's values where both differ."""
    construct = PARTS[release.known_chart.name] if release.known_chart else ""
    about = release_object(release, tree)
    source = about and source_of(about, tree)
    replaces = frozenset(each.identity for each in (about, source) if each is not None)
    try:
        given = plain_value(release.values, [])
    except UnreadError as error:
        raise UnreadError(f"its values can't be read: {error}") from None
    if not release.complete:
        raise UnreadError("further values come from a source that was not read")
    arguments = {**_arguments(release, tree), **_repository(about, source), "delivery": delivery_of(about, by_argo=by_argo)}
    if construct == "NvidiaGpuOperator" and at(given, "nfd", "enabled") is False:
        arguments["nfd"] = False
    if construct == "NodeFeatureDiscovery" and has_operator:
        arguments["gpu_present_rule"] = False
    _check_delivery(about, source, trials.objects("trial", {construct: arguments}))
    derived = derived_values(construct, arguments, trials)
    own = _without(given, derived) if isinstance(derived, dict) else given
    by_kustomize = "" if about else "its chart is installed by a kustomization; the file has another delivery"
    given_form = _readable(Form(_part(construct, arguments, own), replaces, by_kustomize), construct, trials)
    yield given_form
    if isinstance(derived, dict):
        ours = {path for path, _ in leaves(derived)}
        values = given_form.part[construct].get("values") or {}
        yield Form(_part(construct, arguments, _keeping(values, ours)), replaces, by_kustomize, given_form.dropped)


def _check_delivery(about: PlainObject | None, source: PlainObject | None, made: Mapping[Identity, Mapping[str, Any]] | FileError) -> None:
    """Refuse a release that would be installed in another place or way: the construct has no argument for a setting of its delivery."""
    if about is None or isinstance(made, FileError):
        return
    lost = [each for each in delivery_changes(about, source, made.values()) if not is_harmless(each)]
    if lost:
        names = ", ".join(dict.fromkeys(each.name for each in lost))
        raise UnreadError(f"no argument says {names} of its delivery")


def delivery_changes(about: PlainObject, source: PlainObject | None, made: Iterable[Mapping[str, Any]]) -> list[Change]:
    """The changes of the delivery of a release: of the object itself, and of the source of its chart."""
    of_release = next(each for each in made if each["kind"] == about.kind)
    of_source = next((each for each in made if str(each["kind"]).endswith("Repository")), None)
    found = list(release_changes(about.body, of_release))
    return [*found, *(source_changes(source.body, of_source) if source is not None and of_source is not None else ())]


def _readable(form: Form, construct: str, trials: Trials) -> Form:
    """A form without the values that the chart does not read, or that an argument says."""
    arguments = form.part[construct]
    while isinstance(refused := trials.objects("trial", {construct: arguments}), FileError):
        error = refused.error
        path = _named_path(error, arguments.get("values") or {})
        if path is None:
            break
        arguments = {**arguments, "values": with_value(arguments["values"], path, None)}
        form = Form({construct: arguments}, form.replaces, form.reason, (*form.dropped, (path, _hint(error))))
    return form


def _named_path(error: Exception, values: Mapping[str, Any]) -> Path | None:
    """The path of the value that an error names; None for an error about something else."""
    if str(getattr(error, "argument", "")).partition("[")[0] != "values":
        return None
    got = getattr(error, "got", None)
    words = [got] if isinstance(got, str) else []
    words += [word.strip(":,") for word in str(getattr(error, "rule", "")).split() if "." in word]
    paths = [tuple(word.split(".")) for word in words]
    return next((path for path in paths if at(values, *path) is not None), None)


def _hint(error: Exception) -> str:
    return f"{getattr(error, 'hint', '')}" or str(error)


def _part(construct: str, arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Part:
    return {construct: {**arguments, **({"values": values} if values else {})}}


def derived_values(construct: str, arguments: Mapping[str, Any], trials: Trials) -> dict[str, Any] | FileError:
    """The values that the construct derives from the classes of nodes."""
    made = trials.objects("trial", {construct: {**arguments, "delivery": {"Flux": {}}}})
    if isinstance(made, FileError):
        return made
    release = next(body for body in made.values() if body["kind"] == "HelmRelease")
    values: dict[str, Any] = release["spec"].get("values") or {}
    return values


def _arguments(release: ChartRelease, tree: Tree) -> dict[str, Any]:
    chart = release.known_chart
    arguments: dict[str, Any] = {}
    version = Version.parse(release.version) if isinstance(release.version, str) else None
    if chart is not None and version is not None:
        arguments["version"] = chart.written(version)
    elif isinstance(release.version, str):
        arguments["version"] = release.version
    namespace, name = known_str(release.namespace), known_str(release.name)
    if namespace:
        arguments["namespace"] = namespace
        theirs = tree.get(("", "Namespace", "", namespace))
        makes_namespace = _makes_namespace(release_object(release, tree))
        if (theirs is None and not makes_namespace) or namespace in CLUSTERS_OWN or (theirs is not None and not _is_plain(theirs)):
            arguments["create_namespace"] = False
    if name and chart and name != chart.name:
        arguments["release_name"] = name
    return arguments


def _makes_namespace(about: PlainObject | None) -> bool:
    """Whether the delivery of a release makes its namespace."""
    spec = about and at(about.body, "spec")
    return at(spec, "install", "createNamespace") is True or "CreateNamespace=true" in (at(spec, "syncPolicy", "syncOptions") or ())


def _is_plain(namespace: PlainObject) -> bool:
    """Whether a namespace has no settings that the construct's own namespace would lose."""
    labels = at(namespace.body, "metadata", "labels") or {}
    own = all(key.startswith(_OWN_LABELS) for key in labels)
    return own and not at(namespace.body, "metadata", "annotations") and not namespace.body.get("spec")


def _repository(about: PlainObject | None, source: PlainObject | None) -> dict[str, Any]:
    """The repository of the chart, and its name there."""
    if source is not None and source.kind == "OCIRepository":
        repository, _, name = str(at(source.body, "spec", "url")).rstrip("/").rpartition("/")
        return {"repository": repository, "chart": name}
    if source is not None and source.kind == "HelmRepository":
        return {"repository": str(at(source.body, "spec", "url")), "chart": str(at(about and about.body, "spec", "chart", "spec", "chart"))}
    for own in (at(about and about.body, "spec", "source"), *(at(about and about.body, "spec", "sources") or ())):
        if isinstance(own, Mapping) and "chart" in own:
            url = str(own.get("repoURL"))
            return {"repository": url if "://" in url else f"oci://{url}", "chart": str(own["chart"])}
    return {}


def delivery_of(about: PlainObject | None, *, by_argo: bool) -> dict[str, Any]:
    """The delivery: that of the tree, with its arguments."""
    if about is None or about.kind not in ("HelmRelease", "Application"):
        return {"ArgoCd": {}} if by_argo else {"Flux": {}}
    spec = about.body.get("spec") or {}
    if about.kind == "HelmRelease":
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


def _without(given: Mapping[str, Any], derived: Mapping[str, Any]) -> dict[str, Any]:
    """The values that differ from the derived ones."""
    result: dict[str, Any] = {}
    for key, value in given.items():
        if key in derived and derived[key] == value:
            continue
        if isinstance(value, Mapping) and isinstance(derived.get(key), Mapping):
            if inner := _without(value, derived[key]):
                result[key] = inner
        else:
            result[key] = value
    return result


def _keeping(given: Mapping[str, Any], ours: set[tuple[str | int, ...]], path: tuple[str, ...] = ()) -> dict[str, Any]:
    """The values at paths where this library sets none."""
    result: dict[str, Any] = {}
    for key, value in given.items():
        if (*path, key) in ours:
            continue
        if isinstance(value, Mapping) and value:
            if inner := _keeping(value, ours, (*path, key)):
                result[key] = inner
        else:
            result[key] = value
    return result


def effective(release: ChartRelease, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a release with the chart's defaults."""
    defaults = release.known_chart.defaults if release.known_chart else {}
    return merged(plain_value(defaults, []), values)
