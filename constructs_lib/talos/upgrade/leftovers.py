"""`Leftover`: an object or setting to remove or change in an upgrade; and the search for leftovers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

from ...arguments.commands import command
from ...arguments.errors import warn
from ...arguments.patterns import pattern
from ...checks.report_words import place
from ...observed.leftovers.upgrade_leftovers import Move, UpgradeLeftover, upgrade_leftovers
from ...observed.leftovers.upgrade_unknowns import upgrade_unknowns
from ...observed.model import ChartRelease, Inputs, NodeConfig, Path, Read
from ...observed.objects.identities import is_released_by_object, text_at
from ...observed.read.repository import read_manifests
from ...upstream.talos.features import LEGACY_ROOT

# Other API groups have kinds of the same name: the ClusterPolicy of Kyverno, the Application of kubernetes-sigs.
_RESOURCES = {"ClusterPolicy": "clusterpolicies.nvidia.com", "Application": "applications.argoproj.io"}
_CHART, _SETTING, _POD_SPEC = "chart", "setting", "pod spec"
_NAME = pattern(r"[A-Za-z0-9][A-Za-z0-9._:-]*")


class Leftover(NamedTuple):
    """An object or setting to remove or change in an upgrade, with its reason; `UpgradePlan.leftovers` finds them.

    `kind` is the kind of a Kubernetes object to delete; or `chart` for a chart in a kustomization or in another chart;
    or `setting` for a chart value or a field of a node configuration; or `pod spec` for an object that stays and whose
    pods name the old library path. The name of a setting is its path, and the name of a pod spec is the kind and name
    of its object.

    Example:
        >>> Leftover("RuntimeClass", None, "nvidia", "the operator creates this RuntimeClass and owns it").command
        'kubectl delete runtimeclass nvidia'
    """

    kind: str
    namespace: str | None
    name: str
    reason: str

    @property
    def command(self) -> str:
        """The command that deletes the object; a comment for a part of an object, and where the name is not known."""
        within = f" in {self.namespace}" if self.namespace else ""
        if self.kind in (_CHART, _SETTING):
            return _comment(f"remove the {self.kind} {self.name}{within}")
        if self.kind == _POD_SPEC:
            return _comment(f"remove {LEGACY_ROOT} from the {self.kind} of the {self.name}{within}")
        if not self.name:
            return _comment(f"a {self.kind} without a name{within}")
        if not all(_NAME.fullmatch(word) for word in (self.kind, self.name, self.namespace or "default")):
            return _comment(f"the {self.kind} {self.name}{within}, whose name another tool fills in")
        resource = _RESOURCES.get(self.kind, self.kind.lower())
        if not self.namespace:
            return str(command("kubectl delete {kind} {name}", kind=resource, name=self.name))
        return str(command("kubectl delete {kind} {name} --namespace {namespace}", kind=resource, name=self.name, namespace=self.namespace))


def _comment(text: str) -> str:
    """A shell comment on one line."""
    return f"# {' '.join(text.split())}"


def inputs_of(manifests: Iterable[Any]) -> Inputs:
    """Parsed manifests as inputs of the checks."""
    return read_manifests(_named("manifests", manifests))


def search(move: Move, inputs: Inputs) -> tuple[list[Leftover], list[str]]:
    """The leftovers, and a sentence for every object that could not be checked, which is a warning as well."""
    leftovers = upgrade_leftovers(inputs, move)
    unread = []
    for about, reason in upgrade_unknowns(inputs, move, leftovers):
        within = f" in {namespace}" if (namespace := _namespace(about)) else ""
        unread.append(f"{_subject(about)}{within} ({_place(about)}) may have to be removed or changed as well: {reason}")
    unread += [f"{place(skip.file, skip.line)} was not read: {skip.reason.partition('; ')[0]}" for skip in inputs.skipped]
    unread = [" ".join(sentence.split()) for sentence in unread]
    for sentence in unread:
        warn(sentence)
    return [_leftover(leftover) for leftover in leftovers], unread


def _named(name: str, manifests: Iterable[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The manifests with their places, also the items of a `List` of kubectl, without items that are no mappings."""
    for index, manifest in enumerate(manifests):
        if isinstance(manifest, Mapping):
            items = manifest.get("items")
            yield from _named(f"{name}[{index}].items", items) if isinstance(items, list) else [(f"{name}[{index}]", manifest)]


def _leftover(leftover: UpgradeLeftover) -> Leftover:
    about, path = leftover.about, leftover.path
    namespace, kind, name = _namespace(about), text_at(about, "kind"), text_at(about, "metadata", "name")
    if path is None:
        if _is_of_chart(about):
            return Leftover(_CHART, namespace, str(about.chart), f"{leftover.reason} ({_place(about)})")
        return Leftover(kind, namespace, name, leftover.reason)
    reason = f"{leftover.reason} ({_place(about, path)})"
    if leftover.in_pods:
        return Leftover(_POD_SPEC, namespace, f"{kind} {name}", reason)
    # The path of a node configuration begins with the index of the document, which is not part of the user's file.
    field = ".".join(map(str, path[2:] if isinstance(about, NodeConfig) else path))
    return Leftover(_SETTING, namespace, f"{field} of {_subject(about)}", reason)


def _is_of_chart(about: Read) -> TypeGuard[ChartRelease]:
    """Whether a chart is released by no object of the cluster."""
    return isinstance(about, ChartRelease) and not is_released_by_object(about)


def _subject(about: Read) -> str:
    """The subject of a sentence: kind and name."""
    if isinstance(about, NodeConfig):
        return f"the node configuration {about.name}"
    return f"the chart {about.chart}" if _is_of_chart(about) else f"the {text_at(about, 'kind')} {text_at(about, 'metadata', 'name')}"


def _namespace(about: Read) -> str | None:
    if _is_of_chart(about):
        return None if about.namespace is None else str(about.namespace)
    return text_at(about, "metadata", "namespace") or None


def _place(about: Read, path: Path = ()) -> str:
    return place(about.file_of(path) or about.file, about.line_of(path))
