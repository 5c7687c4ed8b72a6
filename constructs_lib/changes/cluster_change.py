"""What a change does to the GPUs: versions, parts, findings and steps, before and after."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, NamedTuple

from ..arguments.commands import command
from ..arguments.errors import Refusal
from ..checks.engine import run_rules
from ..checks.rule import Finding, Severity
from ..nodes.gpu_nodes import GpuNodes
from ..observed.agents.gpu_parts import gpu_parts
from ..observed.agents.operators import operators
from ..observed.model import Inputs, Skipped, known_str
from ..observed.nodes.node_settings import minor_of
from ..observed.read.files import NOT_LIVE
from ..observed.read.loader import CLUSTER_FILE
from ..talos.upgrade.node_steps import UPGRADE_KUBERNETES
from ..talos.upgrade.plan import UpgradePlan
from ..talos.upgrade.step import UpgradePhase, UpgradeRoute
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from .cards import CardChange, card_changes, without_card
from .effects import chart_effects
from .node_drivers import NodeDriver, node_drivers
from .parts import PartChange, Way, part_changes, unnamed
from .told_apart import Key, in_several_files
from .versions import DRIVER, KUBERNETES, NONE, TALOS, Subject, charts_of, versions, without_version

_Known = tuple[Key, Finding]

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
    absent: Collection[str] = ()
    """The files of `missing`, of `left_out` and of `outside`, by their names among the inputs. A link or a submodule may be a folder."""

    def hides(self, file: str) -> bool:
        """Whether a file of this side is not known, so that nobody can say what is gone from it."""
        places = (file, *map(str, PurePath(file).parents))
        return any(each in self.absent for each in places) or any(
            each.file == file and (each.is_broken or each.is_unread) for each in self.inputs.skipped
        )


@dataclass(frozen=True, kw_only=True)
class ClusterChange:
    """The difference between two sides."""

    old: Side
    new: Side

    @functools.cached_property
    def versions(self) -> list[VersionChange]:
        """The versions that differ. A part that comes or goes is one of `parts`."""
        before, after = versions(self.old.inputs, self.old.file), versions(self.new.inputs, self.new.file)
        both = [each for each in before if each in after and not _is_same(each, before[each], after[each])]
        of_cluster = [each for each in {*before} ^ {*after} if each in (Subject(TALOS), Subject(KUBERNETES))]
        found = [VersionChange(each, before.get(each), after.get(each)) for each in (*both, *sorted(of_cluster))]
        charts, others = charts_of((self.old.inputs, self.new.inputs))
        for each in sorted({*charts, *others}):
            was, now = charts.get(each), others.get(each)
            old, new = (NONE if release is None else known_str(release.version) for release in (was, now))
            # A release in a file that one side could not read has an unknown version there.
            old, new = (
                None if now and not was and self.old.hides(now.file) else old,
                None if was and not now and self.new.hides(was.file) else new,
            )
            found += [VersionChange(each, old, new, tuple(chart_effects(was, now, self.new.inputs)))] if old != new else []
        return found

    @functools.cached_property
    def parts(self) -> list[PartChange]:
        """The parts of the GPU stack that differ. One of a file that the other side could not read is neither added nor removed."""
        found = part_changes(self.old.inputs, self.new.inputs, (self.old.file, self.new.file))
        unknown = {Way.ADDED: self.old, Way.REMOVED: self.new}
        return [each for each in found if not (each.way in unknown and unknown[each.way].hides(each.file))]

    @functools.cached_property
    def _drivers(self) -> list[list[NodeDriver]]:
        return [node_drivers(each.inputs, each.file) for each in (self.old, self.new)]

    @property
    def cards(self) -> list[CardChange]:
        """Whether the named cards run on the drivers that change."""
        return card_changes(self._drivers)

    @property
    def without_card(self) -> list[str]:
        """The places with another driver whose cards no file names."""
        return without_card(self._drivers)

    @functools.cached_property
    def _findings(self) -> list[list[_Known]]:
        sides = self.old, self.new
        several = in_several_files(_objects(each.inputs) for each in sides)
        return [[(_about(each, side.file, several), each) for each in run_rules(side.inputs)] for side in sides]

    @property
    def new_findings(self) -> list[Finding]:
        """The findings that the old side does not have, also those in a file that it could not read."""
        old, new = self._findings
        found = [each for _, each in _without(_open(new), _open(old))]
        doubt = f"or older: {self.old.name} has this file, and it could not be read there"
        return [replace(each, message=f"{each.message} ({doubt})") if self.old.hides(each.file) else each for each in found]

    @property
    def solved_findings(self) -> list[Finding]:
        """The findings that the new side does not have any more, also not silenced. An object is rid of a rule when no finding of
        it is left there, whatever its severity. A finding of a file that the new side could not read is not solved."""
        old, new = self._findings
        left = {key for key, _ in _open(new)}
        return [each for key, each in _without(_open(old), new) if key not in left and not self.new.hides(each.file)]

    @property
    def silenced_findings(self) -> list[Finding]:
        """The findings that the new side silences and the old side does not, with the reason that the files give."""
        old, new = ([each for each in found if each[1].ignored is not None] for found in self._findings)
        return [replace(each, message=f"{each.message}; silenced: {each.ignored}") for _, each in _without(new, old)]

    @property
    def remaining(self) -> int:
        """The number of errors and warnings that stay."""
        found = [each for _, each in _open(self._findings[1]) if each.severity is not Severity.INFO]
        return len(found) - sum(each.severity is not Severity.INFO for each in self.new_findings)

    @functools.cached_property
    def unread(self) -> list[Skipped]:
        """The places that name NVIDIA, and the cluster files, which were not read on the new side, or are not there any more, and
        differ, with the files of the old side that had no text. What else only the old side did not read is one of `parts`."""
        now = {each.file for each in _skipped([self.new])}
        both = [
            each
            for each in _skipped([self.old, self.new])
            if each.file in now or self.new.text_of(each.file) is None or self.old.hides(each.file)
        ]
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

    def _nodes(self, talos: str, where: Collection[str]) -> GpuNodes | None:
        """The class of the nodes in these places, before the change; None for a Talos that has none."""
        drivers = {(each.track, each.modules) for each in self._drivers[0] if each.modules and ("" in where or each.where in where)}
        (track, modules), *others = *drivers, ("", "")
        known: dict[str, Any] = {"driver_track": track, "kernel_modules": modules} if len(others) == 1 and track else {}
        try:
            return GpuNodes(talos_version=talos, **known)
        except Refusal:
            return None

    @property
    def has_gpus(self) -> bool:
        """Whether a part of a GPU stack was read on a side."""
        return any(each.inputs.nodes or gpu_parts(each.inputs) for each in (self.old, self.new))

    @property
    def unnamed(self) -> int:
        """The number of objects that could not be compared."""
        return max(unnamed(self.old.inputs), unnamed(self.new.inputs))

    @property
    def upgrades(self) -> list[tuple[str, str, UpgradePlan]]:
        """The plans of the changes of Talos, with the nodes or the classes; none where nothing that was read has to do with GPUs."""
        if not self.has_gpus:
            return []
        places: dict[tuple[str, str], list[str]] = {}
        for change in self.versions:
            if change.subject.part == TALOS and change.old and change.new:
                places.setdefault((change.old, change.new), []).append(change.subject.where)
        route = UpgradeRoute.OPERATOR if operators(self.new.inputs) else UpgradeRoute.STANDALONE
        found: list[tuple[str, str, UpgradePlan]] = []
        for (old, new), where in places.items():
            classes = [each for each in self.old.inputs.nodes if str(each.talos_version) == old and each.passthrough is None]
            of_places = [(each.name or "", each) for each in classes if "" in where or each.name in where]
            plain = [] if self.old.inputs.nodes else [(", ".join(where), self._nodes(old, where))]
            alike: dict[tuple[Any, ...], tuple[list[str], UpgradePlan]] = {}
            for name, nodes in (*of_places, *plain):
                if (plan := _plan(nodes, new, route)) is not None:
                    key = plan_command(plan), *(step.title for step in plan.steps), *outages_of(plan)
                    alike.setdefault(key, ([], plan))[0].append(name)
            found += [(", ".join(filter(None, names)), new, plan) for names, plan in alike.values()]
        return found

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


def _is_same(subject: Subject, old: str, new: str) -> bool:
    """Whether two versions are the same, as far as they are known: of some drivers it is the branch alone."""
    if subject.part == DRIVER and any("." not in each.partition(" ")[0] for each in (old, new)):
        old, new = (re.sub(r"^(\d+)\S*", r"\1", each) for each in (old, new))
    return old == new


def _skipped(sides: Iterable[Side]) -> list[Skipped]:
    found = {
        each.file: each
        for side in sides
        for each in side.inputs.skipped
        if each.reason != NOT_LIVE and (each.names_nvidia or each.is_unread or each.reason == CLUSTER_FILE)
    }
    return [found[file] for file in sorted(found)]


def _open(found: Iterable[_Known]) -> list[_Known]:
    return [each for each in found if each[1].ignored is None]


def _without(found: Iterable[_Known], others: Iterable[_Known]) -> list[_Known]:
    """The findings without those of the same rule, object and severity among the others, as often as they are there."""
    known = Counter((key, each.severity) for key, each in others)
    left = []
    for key, each in found:
        if known[key, each.severity]:
            known[key, each.severity] -= 1
        else:
            left.append((key, each))
    return left


def _objects(inputs: Inputs) -> Iterator[tuple[Key, str]]:
    """What a finding may be about, with the file."""
    for each in (*inputs.objects, *inputs.releases, *inputs.node_configs):
        yield (without_version(each.label),), each.file


def _about(finding: Finding, file: str, several: Collection[Key]) -> Key:
    """What a finding is about: its rule and its object, and the file of an object that several files have. `file` is the name
    of a side that is a single file."""
    name = without_version(finding.object)
    place = "" if finding.file == file else finding.file
    return finding.rule, name, "" if name and (name,) not in several else place


def _plan(nodes: GpuNodes | None, to: str, route: UpgradeRoute) -> UpgradePlan | None:
    """The plan of a newer Talos; None where there is none, such as for an older Talos."""
    try:
        return None if nodes is None else UpgradePlan(nodes=nodes, to=to, route=route)
    except Refusal:
        return None


def steps_of(plan: UpgradePlan, kubernetes: str | None = None) -> dict[str, list[str]]:
    """The titles of the steps, by their phase, without the upgrade of a Kubernetes that is new enough."""
    done = {UPGRADE_KUBERNETES.format(kubernetes=f"1.{minor}") for minor in range((minor_of(kubernetes) or 0) + 1)}
    found: dict[str, list[str]] = {}
    for step in plan.steps:
        titles = found.setdefault(_PHASES.get(step.phase, "after"), [])
        if step.title not in (*titles, *done):
            titles.append(step.title)
    return found


def outages_of(plan: UpgradePlan) -> list[str]:
    """The nodes that offer no GPU during the upgrade, and what their pods do."""
    return list(dict.fromkeys(f"no GPUs: {each.nodes}. {each.pods}" for each in plan.outages))


def plan_command(plan: UpgradePlan) -> str:
    """The command that prints the whole plan."""
    nodes, flags = plan.nodes, ["--route", str(plan.route)]
    flags += ["--driver-track", str(nodes.track)] if nodes.track is not DriverTrack.PRODUCTION else []
    flags += ["--kernel-modules", str(nodes.kernel_modules)] if nodes.kernel_modules is not KernelModules.OPEN else []
    flags += ["--product", nodes.product] if nodes.product else []
    return str(
        command("talos-gpu upgrade --talos {talos} --to {to} {*flags}", talos=str(nodes.talos_version), to=str(plan.to), flags=flags)
    )
