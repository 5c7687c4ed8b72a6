"""The search for leftovers: objects and settings to remove or change in an upgrade, and the objects that could not be checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checks.report import place
from ..observed.leftovers.upgrade_leftovers import Move, UpgradeLeftover, upgrade_leftovers
from ..observed.leftovers.upgrade_unknowns import upgrade_unknowns
from ..observed.model import ChartRelease, Inputs, NodeConfig, Path, Read
from ..observed.objects.identities import is_released_by_object, text_at
from ..observed.read.kubernetes.python_manifests import read_manifests
from .leftovers import CHART, POD_SPEC, SETTING, Leftover

if TYPE_CHECKING:
    from .upgrade import UpgradePlan


class LeftoverSearch(NamedTuple):
    """The leftovers, and a sentence for every object that could not be checked."""

    leftovers: list[Leftover]
    unread: list[str]


def search_manifests(plan: UpgradePlan, manifests: Iterable[Any]) -> LeftoverSearch:
    """The leftovers among parsed manifests."""
    return search(plan, read_manifests(_named("manifests", manifests)))


def search(plan: UpgradePlan, inputs: Inputs) -> LeftoverSearch:
    """The leftovers among the inputs of the checks."""
    move = Move(before=plan.nodes.talos_version, after=plan.nodes_after.talos_version, route=str(plan.route), new_route=str(plan.new_route))
    leftovers = upgrade_leftovers(inputs, move)
    unread = [
        f"{_subject(unknown.about)}{_within(unknown.about)} ({_place(unknown.about, ())}) may have to be removed or changed as well: {unknown.reason}"
        for unknown in upgrade_unknowns(inputs, move, leftovers)
    ]
    unread += [f"{place(skip.file, skip.line)} was not read: {skip.reason.partition('; ')[0]}" for skip in inputs.skipped]
    return LeftoverSearch([_leftover(leftover) for leftover in leftovers], [" ".join(sentence.split()) for sentence in unread])


def _named(name: str, manifests: Iterable[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The manifests with their places, also the items of a `List` of `kubectl get -o yaml`. Items that are no mappings are left out."""
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
