"""The explained differences of an adoption: what the cluster file keeps, what it improves, and what it does not say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..clusters.composer import OBJECT, Composer
from ..observed.model import at
from .adopted_cluster import Adoption
from .chart_forms import delivery_changes, effective, release_object, source_of
from .difference import Difference, Explanation, Path, changes, with_value
from .entries import Entry
from .normal_form import normal
from .plain_objects import identity_of, plain_value
from .rule_trials import RuleTrials
from .talos_comparison import talos_differences
from .trial import composed

_VALUES: dict[str, Path] = {"HelmRelease": ("spec", "values"), "Application": ("spec", "source", "helm", "valuesObject")}
_OF_THE_CHART = ("HelmRelease", "Application", "HelmRepository", "OCIRepository")


def differences(adoption: Adoption) -> list[Difference]:
    """Every difference between the tree and what the file synthesizes, and every part that the file keeps or leaves out."""
    return list(_Explained(adoption).all())


class _Explained:
    def __init__(self, adoption: Adoption) -> None:
        self._adoption = adoption
        self._composer: Composer = composed(adoption.description)
        self._trials = RuleTrials(self._composer)

    def all(self) -> Iterator[Difference]:
        for entry in sorted(self._adoption.entries, key=lambda entry: entry.order):
            if entry.form is not None:
                yield from self._of_entry(entry)
        for judged in self._adoption.judged:
            rule, _, words = f"{judged.error}".partition(" ")
            yield Difference(Explanation.FOUND, ".".join(map(str, judged.path)), words, rule=rule)
        yield from talos_differences(self._adoption)
        yield from self._placeholders()
        for label, place, reason in self._adoption.left:
            file, _, line = place.rpartition(":")
            yield Difference(Explanation.NOT_UNDERSTOOD, label, reason, file=file, line=int(line))
        for note in self._adoption.nodes.notes:
            yield Difference(Explanation.NOT_UNDERSTOOD, "nodes", note)
        for origin in dict.fromkeys(self._adoption.nodes.origins):
            yield Difference(Explanation.KEPT, "nodes", origin)
        for file, reason in self._adoption.undeployed:
            yield Difference(Explanation.OUTSIDE, file, reason)

    def _placeholders(self) -> Iterator[Difference]:
        for each in self._adoption.tree.values():
            if each.gaps:
                reason = f"the file has {', '.join(each.gaps)} as it is written, and nothing that was read fills it in"
                yield Difference(Explanation.NOT_UNDERSTOOD, each.label, reason, file=each.file, line=each.line or 1)

    def _of_entry(self, entry: Entry) -> Iterator[Difference]:
        form = entry.form
        if form is None or form.name == OBJECT:
            reason = entry.errors[-1] if entry.errors else form.reason if form else ""
            if reason:
                yield self._line(entry, Explanation.KEPT, reason)
            return
        if form.reason:
            yield self._line(entry, Explanation.KEPT if form.name == "request_gpus" else Explanation.CONSTRUCT, form.reason)
        made = self._made_by(entry)
        by_chart = entry.release is not None and any(body["kind"] in _VALUES for body in made.values())
        if by_chart:
            yield from self._of_values(entry, made)
        for place, body in made.items():
            if not (by_chart and body["kind"] in _OF_THE_CHART):
                yield from self._of_object(entry, place, body)
        names = {identity_of(body) for body in made.values()}
        for identity in sorted(form.replaces - names):
            if not by_chart or identity[1] not in _OF_THE_CHART:
                label = self._adoption.tree[identity].label
                yield self._line(entry, Explanation.CONSTRUCT, f"{form.name} takes the place of {label}")

    def _made_by(self, entry: Entry) -> dict[str, dict[str, Any]]:
        """The objects of an entry by their places."""
        own = f"{entry.chart}/{entry.id}"
        chart = self._composer.charts[entry.chart]
        return {place: body for place, body in chart.objects if place == own or place.startswith(f"{own}/")}

    def _of_object(self, entry: Entry, place: str, body: Mapping[str, Any]) -> Iterator[Difference]:
        theirs = self._adoption.tree.get(identity_of(body))
        label = f"{body['kind']} {at(body, 'metadata', 'name')}"
        if theirs is None:
            rule = self._trials.rule_without(place)
            yield self._line(entry, _improved(rule), f"{label} is added", rule=rule)
            return
        for change in changes(normal(theirs.body), normal(body)):
            rule = self._trials.rule_with(place, with_value(body, change.path, change.theirs))
            yield self._line(entry, _improved(rule), change.words, path=change.path, rule=rule, about=label)

    def _of_values(self, entry: Entry, made: Mapping[str, Mapping[str, Any]]) -> Iterator[Difference]:
        release = entry.release
        place, body = next((place, body) for place, body in made.items() if body["kind"] in _VALUES)
        base = _VALUES[body["kind"]]
        ours = at(body, *base) or {}
        given = plain_value(release.values, [])
        own = entry.form.part[entry.form.name].get("values") or {} if entry.form else {}
        for key in own:
            yield self._line(entry, Explanation.KEPT, "the value is carried in 'values'", path=("values", key))
        dropped = dict(entry.form.dropped) if entry.form else {}
        for change in changes(effective(release, given), effective(release, ours)):
            rule = self._trials.rule_with(place, with_value(body, (*base, *change.path), change.theirs))
            why = next((f"; {reason}" for path, reason in dropped.items() if path == change.path[: len(path)]), "")
            yield self._line(entry, _improved(rule), f"{change.words}{why}", path=("values", *change.path), rule=rule)
        defaults = effective(release, {})
        for change in changes(given, ours):
            if change.theirs is None and at(defaults, *change.path) == change.ours:
                yield self._line(entry, Explanation.SPELLED_OUT, f"{change.ours!r} is the chart's default", path=("values", *change.path))
        yield from self._of_delivery(entry, made.values())

    def _of_delivery(self, entry: Entry, made: Collection[Mapping[str, Any]]) -> Iterator[Difference]:
        """The version, and the settings of the delivery that no argument carries."""
        release = entry.release
        if release.version is None:
            yield self._line(entry, Explanation.CONSTRUCT, "the version of the chart is pinned", path=("version",))
        about = release_object(release, self._adoption.tree)
        if about is None or all(body["kind"] != about.kind for body in made):
            return
        found = delivery_changes(about, source_of(about, self._adoption.tree), made)
        for words, names in (
            ("left out", [each.name for each in found if each.ours is None]),
            ("added", [each.name for each in found if each.theirs is None]),
            ("changed", [each.name for each in found if each.theirs is not None and each.ours is not None]),
        ):
            if names:
                yield self._line(entry, Explanation.CONSTRUCT, f"{words}: {', '.join(dict.fromkeys(names))}", path=("delivery",))

    def _line(self, entry: Entry, explanation: Explanation, reason: str, *, path: Path = (), rule: str = "", about: str = "") -> Difference:
        return Difference(explanation, about or entry.label, reason, path, entry.file, entry.line, rule)


def _improved(rule: str) -> Explanation:
    return Explanation.IMPROVED if rule else Explanation.CONSTRUCT
