"""What has to go of what a user has now, as the reader of the checks has read it, and what that reader could not read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checks.facts.identities import is_released_by_object, text_at
from ..checks.facts.upgrade_leftovers import Move, UpgradeLeftover, upgrade_leftovers
from ..checks.facts.upgrade_unknowns import upgrade_unknowns
from ..checks.loaders.python_manifests import read_made
from ..checks.model import ChartRelease, Inputs, NodeConfig, Path, Read
from ..checks.report import place
from .leftovers import CHART, SETTING, Leftover

if TYPE_CHECKING:
    from .upgrade import UpgradePlan


class LeftoverSearch(NamedTuple):
    """What has to go, and a sentence for everything of which that could not be told."""

    leftovers: list[Leftover]
    unread: list[str]


def search_manifests(plan: UpgradePlan, manifests: Iterable[Any]) -> LeftoverSearch:
    """What has to go of manifests that a program has."""
    return search(plan, read_made(_named("manifests", manifests)))


def search(plan: UpgradePlan, inputs: Inputs) -> LeftoverSearch:
    """What has to go of what was read."""
    move = Move(before=plan.nodes.talos_version, after=plan.nodes_after.talos_version, route=str(plan.route), new_route=str(plan.new_route))
    leftovers = upgrade_leftovers(inputs, move)
    unread = [
        f"{_subject(unknown.about)}{_within(unknown.about)} ({_place(unknown.about, ())}) may have to go as well: {unknown.reason}"
        for unknown in upgrade_unknowns(inputs, move, leftovers)
    ]
    unread += [f"{place(each.file, each.line)} was not read: {each.reason.partition('; ')[0]}" for each in inputs.skipped]
    return LeftoverSearch([_leftover(each) for each in leftovers], [" ".join(each.split()) for each in unread])


def _named(name: str, manifests: Iterable[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each manifest, also those of a `List`, as `kubectl get -o yaml` prints them, with its place; what is no mapping is left out."""
    for index, manifest in enumerate(manifests):
        if isinstance(manifest, Mapping):
            items = manifest.get("items")
            yield from _named(f"{name}[{index}].items", items) if isinstance(items, list) else [(f"{name}[{index}]", manifest)]


def _leftover(found: UpgradeLeftover) -> Leftover:
    about = found.about
    if found.path is not None:
        # The documents of a node are an input's, and their index says nothing to its author.
        path = found.path[2:] if isinstance(about, NodeConfig) else found.path
        reason = f"{found.reason} ({_place(about, found.path)})"
        return Leftover(SETTING, _namespace(about), f"{'.'.join(map(str, path))} of {_subject(about)}", reason)
    if isinstance(about, ChartRelease) and not is_released_by_object(about):
        return Leftover(CHART, _namespace(about), str(about.chart), f"{found.reason} ({_place(about, ())})")
    return Leftover(text_at(about, "kind"), _namespace(about), text_at(about, "metadata", "name"), found.reason)


def _subject(about: Read) -> str:
    """What a sentence is about."""
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
