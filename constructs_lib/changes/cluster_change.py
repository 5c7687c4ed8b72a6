"""What a change does to the GPUs: versions, parts, findings and steps, before and after."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..arguments.commands import command
from ..arguments.errors import Refusal
from ..arguments.patterns import pattern
from ..checks.engine import run_rules
from ..checks.rule import Finding, Severity
from ..nodes.gpu_nodes import GpuNodes
from ..observed.agents.operators import operators
from ..observed.model import Inputs, Skipped, known_str
from ..talos.upgrade.plan import UpgradePlan
from ..talos.upgrade.step import UpgradePhase, UpgradeRoute
from .effects import chart_effects
from .parts import PartChange, part_changes, unnamed
from .versions import KUBERNETES, NONE, TALOS, Subject, charts_of, versions

_VERSION = pattern(r" v?\d[\w.+-]*(?= \()")
_PHASES = {UpgradePhase.BEFORE: "before", UpgradePhase.UPGRADE: "at the upgrade"}


class VersionChange(NamedTuple):
    """A version before and after; None where it was not read, and `NONE` where there is no such chart."""

    subject: Subject
    old: str | None
    new: str | None
    effects: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One side: its name, what was read, and the texts of its files."""

    name: str
    inputs: Inputs
    text_of: Callable[[str], bytes | None] = lambda _: None
    """The bytes of a file of this side; None for one that can't be read."""
    file: str = ""
    """The file, where the side is a single one: the two sides may have other names."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """The files that are not here, with the names of their objects: a partial clone has only these."""
    outside: Mapping[str, str] = field(default_factory=dict)
    """The links of a commit that lead out of its files, with their targets."""
    left_out: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The files of a commit that are not read: the names of their objects, and the reasons."""


@dataclass(frozen=True, kw_only=True)
class ClusterChange:
    """The difference between two sides."""

    old: Side
    new: Side

    @functools.cached_property
    def versions(self) -> list[VersionChange]:
        """The versions that differ. A part that comes or goes is one of `parts`."""
        before, after = versions(self.old.inputs, self.old.file), versions(self.new.inputs, self.new.file)
        both = [each for each in before if each in after and before[each] != after[each]]
        of_cluster = [each for each in {*before} ^ {*after} if each in (Subject(TALOS), Subject(KUBERNETES))]
        found = [VersionChange(each, before.get(each), after.get(each)) for each in (*both, *sorted(of_cluster))]
        charts, others = charts_of(self.old.inputs), charts_of(self.new.inputs)
        for each in sorted({*charts, *others}):
            was, now = charts.get(each), others.get(each)
            old, new = (NONE if release is None else known_str(release.version) for release in (was, now))
            found += [VersionChange(each, old, new, tuple(chart_effects(was, now, self.new.inputs)))] if old != new else []
        return found

    @functools.cached_property
    def parts(self) -> list[PartChange]:
        """The parts of the GPU stack that differ."""
        return list(part_changes(self.old.inputs, self.new.inputs, (self.old.file, self.new.file)))

    @functools.cached_property
    def _findings(self) -> tuple[list[Finding], list[Finding]]:
        return run_rules(self.old.inputs), run_rules(self.new.inputs)

    @property
    def new_findings(self) -> list[Finding]:
        """The findings that the old side does not have."""
        old, new = self._findings
        return _without(_open(new), _open(old))

    @property
    def solved_findings(self) -> list[Finding]:
        """The findings that the new side does not have any more, also not silenced."""
        old, new = self._findings
        return _without(_open(old), new)

    @property
    def silenced_findings(self) -> list[Finding]:
        """The findings that the new side silences and the old side does not, with the reason that the files give."""
        old, new = ([each for each in found if each.ignored is not None] for found in self._findings)
        return [replace(each, message=f"{each.message}; silenced: {each.ignored}") for each in _without(new, old)]

    @property
    def remaining(self) -> int:
        """The number of errors and warnings that stay."""
        found = [each for each in _open(self._findings[1]) if each.severity is not Severity.INFO]
        return len(found) - sum(each.severity is not Severity.INFO for each in self.new_findings)

    @functools.cached_property
    def unread(self) -> list[Skipped]:
        """The places that name NVIDIA, were not read on the new side, or are not there any more, and differ. What only the
        old side did not read is one of `parts`."""
        now = {each.file for each in _skipped([self.new])}
        both = [each for each in _skipped([self.old, self.new]) if each.file in now or self.new.text_of(each.file) is None]
        return [each for each in both if self.old.text_of(each.file) != self.new.text_of(each.file)]

    @functools.cached_property
    def missing(self) -> list[tuple[str, list[str]]]:
        """The sides with files that are not here. A file that both sides have in the same form is no difference."""
        return self._only([(self.old, self.old.missing), (self.new, self.new.missing)])

    @functools.cached_property
    def outside(self) -> list[tuple[str, list[str]]]:
        """The sides with links that lead out of their files, and that the other side does not have."""
        return self._only([(self.old, self.old.outside), (self.new, self.new.outside)])

    @functools.cached_property
    def left_out(self) -> list[tuple[str, list[str]]]:
        """The sides with files that are not read, each with its reason, and that the other side does not have in the same form."""
        found = self._only([(self.old, self.old.left_out), (self.new, self.new.left_out)])
        reasons = {side.name: side.left_out for side in (self.old, self.new)}
        return [(name, [f"{path} ({reasons[name][path][1]})" for path in paths]) for name, paths in found]

    def _only(self, sides: Sequence[tuple[Side, Mapping[str, object]]]) -> list[tuple[str, list[str]]]:
        found = []
        for (side, names), (_, others) in zip(sides, reversed(sides), strict=True):
            paths = [path for path, name in names.items() if others.get(path) != name]
            found += [(side.name, paths)] if paths else []
        return found

    @property
    def unnamed(self) -> int:
        """The number of objects that could not be compared."""
        return max(unnamed(self.old.inputs), unnamed(self.new.inputs))

    @property
    def upgrades(self) -> list[tuple[str, str, UpgradePlan]]:
        """The plans of the changes of Talos, with the nodes or the classes."""
        places: dict[tuple[str, str], list[str]] = {}
        for change in self.versions:
            if change.subject.part == TALOS and change.old and change.new:
                places.setdefault((change.old, change.new), []).append(change.subject.where)
        plans = ((", ".join(where), new, _plan(old, new, self.old.inputs, self.new.inputs)) for (old, new), where in places.items())
        return [(where, new, plan) for where, new, plan in plans if plan is not None]

    @property
    def is_nothing(self) -> bool:
        """Whether nothing changes for the GPUs, as far as the files were read."""
        return not (
            self.versions
            or self.parts
            or self.new_findings
            or self.solved_findings
            or self.silenced_findings
            or self.unread
            or self.missing
            or self.left_out
        )

    def fails(self, least: Severity | None) -> bool:
        """Whether a new finding is at least so severe."""
        order = list(Severity)
        return least is not None and any(order.index(each.severity) <= order.index(least) for each in self.new_findings)


def _skipped(sides: Iterable[Side]) -> list[Skipped]:
    found = {each.file: each for side in sides for each in side.inputs.skipped if each.names_nvidia}
    return [found[file] for file in sorted(found)]


def _open(findings: Iterable[Finding]) -> list[Finding]:
    return [each for each in findings if each.ignored is None]


def _without(findings: Iterable[Finding], others: Iterable[Finding]) -> list[Finding]:
    """The findings without those of the same rule, severity and object among the others, as often as they are there."""
    known = Counter(_identity(each) for each in others)
    left = []
    for each in findings:
        if known[_identity(each)]:
            known[_identity(each)] -= 1
        else:
            left.append(each)
    return left


def _identity(finding: Finding) -> tuple[str, ...]:
    # The name of a release has its version: a bump alone makes no other finding.
    return finding.rule, str(finding.severity), _VERSION.sub("", finding.object) or finding.file


def _plan(old: str, new: str, inputs: Inputs, later: Inputs) -> UpgradePlan | None:
    """The plan of a newer Talos; None where there is none, such as for an older Talos. The plan is that of the stack which the
    nodes have afterwards."""
    route = UpgradeRoute.OPERATOR if operators(later) else UpgradeRoute.STANDALONE
    nodes = next((each for each in inputs.nodes if str(each.talos_version) == old), None)
    try:
        return UpgradePlan(nodes=nodes or GpuNodes(talos_version=old), to=new, route=route)
    except Refusal:
        return None


def steps_of(plan: UpgradePlan) -> dict[str, list[str]]:
    """The titles of the steps, by their phase."""
    found: dict[str, list[str]] = {}
    for step in plan.steps:
        titles = found.setdefault(_PHASES.get(step.phase, "after"), [])
        if step.title not in titles:
            titles.append(step.title)
    return found


def plan_command(plan: UpgradePlan) -> str:
    """The command that prints the whole plan."""
    talos, to = str(plan.nodes.talos_version), str(plan.to)
    return str(command("talos-gpu upgrade --talos {talos} --to {to} --route {route}", talos=talos, to=to, route=str(plan.route)))
