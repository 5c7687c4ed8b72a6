"""`Leftover`: an object or setting to remove or change in an upgrade, its reason, and the command or comment that says
how; and the search for leftovers in what the checks read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...arguments.commands import command
from ...checks.report_words import place
from ...observed.leftovers.upgrade_leftovers import Move, UpgradeLeftover, upgrade_leftovers
from ...observed.leftovers.upgrade_unknowns import upgrade_unknowns
from ...observed.model import ChartRelease, Inputs, NodeConfig, Path, Read
from ...observed.objects.identities import is_released_by_object, text_at
from ...observed.read.repository import read_manifests
from ...upstream.talos.features import LEGACY_ROOT

# Other API groups have kinds of the same name: the ClusterPolicy of Kyverno, the Application of kubernetes-sigs.
_RESOURCES = {"ClusterPolicy": "clusterpolicies.nvidia.com", "Application": "applications.argoproj.io"}
CHART = "chart"
SETTING = "setting"
POD_SPEC = "pod spec"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")


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
        """The command that deletes the object; a comment for a chart, a setting, a pod spec, and an object whose name
        is not known.
        """
        within = f" in {self.namespace}" if self.namespace else ""
        if self.kind in (CHART, SETTING):
            return _comment(f"remove the {self.kind} {self.name}{within}")
        if self.kind == POD_SPEC:
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


class LeftoverSearch(NamedTuple):
    """The leftovers, and a sentence for every object that could not be checked."""

    leftovers: list[Leftover]
    unread: list[str]


def search_manifests(move: Move, manifests: Iterable[Any]) -> LeftoverSearch:
    """The leftovers among parsed manifests."""
    return search(move, read_manifests(_named("manifests", manifests)))


def search(move: Move, inputs: Inputs) -> LeftoverSearch:
    """The leftovers among the inputs of the checks."""
    leftovers = upgrade_leftovers(inputs, move)
    unread = [
        f"{_subject(unknown.about)}{_within(unknown.about)} ({_place(unknown.about, ())}) may have to be removed or "
        f"changed as well: {unknown.reason}"
        for unknown in upgrade_unknowns(inputs, move, leftovers)
    ]
    unread += [f"{place(skip.file, skip.line)} was not read: {skip.reason.partition('; ')[0]}" for skip in inputs.skipped]
    return LeftoverSearch([_leftover(leftover) for leftover in leftovers], [" ".join(sentence.split()) for sentence in unread])


def _named(name: str, manifests: Iterable[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The manifests with their places, also the items of a `List` of `kubectl get -o yaml`. Items that are no mappings
    are left out.
    """
    for index, manifest in enumerate(manifests):
        if isinstance(manifest, Mapping):
            items = manifest.get("items")
            yield from _named(f"{name}[{index}].items", items) if isinstance(items, list) else [(f"{name}[{index}]", manifest)]


def _leftover(leftover: UpgradeLeftover) -> Leftover:
    about = leftover.about
    if leftover.in_pods and leftover.path is not None:
        name = f"{text_at(about, 'kind')} {text_at(about, 'metadata', 'name')}"
        return Leftover(POD_SPEC, _namespace(about), name, f"{leftover.reason} ({_place(about, leftover.path)})")
    if leftover.path is not None:
        # The path of a node configuration begins with the index of the document, which is not part of the user's file.
        path = leftover.path[2:] if isinstance(about, NodeConfig) else leftover.path
        reason = f"{leftover.reason} ({_place(about, leftover.path)})"
        return Leftover(SETTING, _namespace(about), f"{'.'.join(map(str, path))} of {_subject(about)}", reason)
    if isinstance(about, ChartRelease) and not is_released_by_object(about):
        return Leftover(CHART, _namespace(about), str(about.chart), f"{leftover.reason} ({_place(about, ())})")
    return Leftover(text_at(about, "kind"), _namespace(about), text_at(about, "metadata", "name"), leftover.reason)


def _subject(about: Read) -> str:
    """The subject of a sentence: kind and name."""
    if isinstance(about, NodeConfig):
        return f"the node configuration {about.name}"
    if isinstance(about, ChartRelease) and not is_released_by_object(about):
        return f"the chart {about.chart}"
    return f"the {text_at(about, 'kind')} {text_at(about, 'metadata', 'name')}"


def _namespace(about: Read) -> str | None:
    if isinstance(about, ChartRelease) and not is_released_by_object(about):
        return None if about.namespace is None else str(about.namespace)
    return text_at(about, "metadata", "namespace") or None


def _within(about: Read) -> str:
    namespace = _namespace(about)
    return f" in {namespace}" if namespace else ""


def _place(about: Read, path: Path) -> str:
    return place(about.file_of(path) or about.file, about.line_of(path))
