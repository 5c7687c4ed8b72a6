"""The report of the doctor: the diagnosis in words, with the findings of the rules. All formats print what stands
here."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ..arguments.commands import Command
from ..arguments.printable import printable
from ..checks.report_words import count
from ..checks.rule import Finding, Severity
from ..checks.secret_values import without_secrets
from ..observed.model.dump import Dump, Unread
from ..observed.model.evidence import Evidence, Log
from ..observed.model.live_object import LiveObject
from ..observed.read.live.bundle_commands import talos_role
from ..symptoms.link import Link
from ..symptoms.log_search import Match, one_of
from ..upstream.nvidia.agent_programs import AgentKind
from .card_state import MINOR_SIGNS, OF_THE_MOMENT, card_remarks
from .cause import Cause
from .chain import Chain
from .chain_shapes import Mark, Shape, marks, shapes
from .diagnosis import Diagnosis
from .differences import Comparison
from .fault import Fault, Fix, Healthy
from .live_pods import LivePod
from .live_rules import LiveRules, live_rules
from .one_pod import of_pods, pod_lines, pods_named, waits
from .placeholders import Placeholders, ProgramFlags
from .report_names import names
from .unknown_lines import said_lines, unknown_lines
from .versions import versions_read

_MOST_CAUSES = 5
_UNSAID = "# a command with the value of a credential is not printed"
_ARTICLES = ("The", "A", "An", "No", "Nothing", "All", "Every", "Each", "Some", "None", "Several", "One", "Two")
"""First words of a sentence that have no capital after a colon. Any other first word may be a name."""


class Outcome(enum.StrEnum):
    """The outcome of the diagnosis."""

    BROKEN = "broken"
    """A cause was found."""
    UNBROKEN = "unbroken"
    """Each link was shown to hold, and no log has an error that is not explained."""
    UNJUDGED = "unjudged"
    """No cause was found, and too little was read to call the cluster healthy."""
    OTHER_SYSTEM = "other-system"
    """The nodes run another system than Talos, and no cause was found."""
    NOTHING_READ = "nothing-read"
    """Nothing that was given is an output of kubectl or talosctl, or has lines of text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Printed:
    """A command or an advice as it is printed."""

    advice: str = ""
    """The sentence of an advice, which is never pasted."""
    lines: list[str]
    """The lines to be pasted: of an advice YAML, else a command."""
    names: str
    """The names for the placeholders that are left in the lines."""

    @property
    def text(self) -> str:
        """The advice and its lines in one text, for programs."""
        return "\n".join([*([self.advice + (":" if self.lines else "")] if self.advice else []), *self.lines])


@dataclass(frozen=True, kw_only=True, eq=False)
class DoctorReport:
    """A diagnosis, and the findings of the rules over the same objects."""

    diagnosis: Diagnosis
    rules: LiveRules
    programs: ProgramFlags = field(default_factory=ProgramFlags)
    """The flags by which the commands speak of the cluster that was read."""
    pods: Sequence[LivePod] = ()
    """The pods to which the diagnosis is cut by `--pod`."""
    comparison: Comparison = field(default_factory=Comparison)
    """What differs from the cluster file that was given."""

    @property
    def dump(self) -> Dump:
        """Everything that was read."""
        return self.diagnosis.cluster.dump

    @property
    def unread(self) -> list[Unread]:
        """The places that were given and not read, what machines refused, and the rules that failed."""
        crashes = (Unread(source="rules", reason=each) for each in self.rules.crashes)
        return [*self.dump.unread, *self._refused(), *crashes]

    def _refused(self) -> Iterator[Unread]:
        """The outputs that machines refused, each with the role that it needs."""
        refused: dict[tuple[str, str], list[str]] = {}
        for node in self.diagnosis.cluster.all_nodes:
            for subject, words in (node.machine.refused if node.machine else {}).items():
                refused.setdefault((subject, words.text), []).append(node.name)
        for (subject, text), nodes in refused.items():
            yield Unread(source=names(nodes), reason=f"{subject} was refused: {text}; it needs {talos_role(subject)}")

    @property
    def outcome(self) -> Outcome:
        """The outcome of the diagnosis."""
        if self.diagnosis.causes:
            return Outcome.BROKEN
        dump = self.dump
        if not (dump.counts or dump.objects or dump.machines or dump.logs or dump.rows or dump.unknown):
            return Outcome.NOTHING_READ
        if self.dump.is_other_system is not None:
            return Outcome.OTHER_SYSTEM
        is_whole = self.diagnosis.chains and all(each.is_whole for each in self.diagnosis.chains)
        return Outcome.UNBROKEN if is_whole and not self.unexplained else Outcome.UNJUDGED

    def shown(self, text: str) -> str:
        """A text of the dump on one line, without the values of credentials."""
        return printable(without_secrets(text, self.rules.inputs))

    def printed(self, fix: Fix, subjects: Sequence[str], about: Iterable[LiveObject] = ()) -> Printed:
        """A command or an advice as it is printed, with the names of the subjects that it is about."""
        if isinstance(fix, Command):
            filled = self.placeholders.filled(self.programs.chosen(str(fix)), subjects, about)
            lines = [line if self.shown(line) == line else _UNSAID for line in filled.split("\n")]
            return Printed(lines=lines, names=self.placeholders.listed(filled, subjects, about))
        text = self.placeholders.filled(fix.text, subjects, about)
        lines = [" " * (len(line) - len(line.lstrip(" "))) + self.shown(line.strip(" ")) for line in fix.yaml.split("\n") if line]
        return Printed(advice=self.shown(text), lines=lines, names=self.placeholders.listed(text, subjects, about))

    def headline(self, cause: Cause) -> str:
        """The subjects of a cause, and the cause."""
        first, space, rest = self.sentences(cause)[0].partition(" ")
        return f"{self.shown(names(cause.subjects))}: {first.lower() if first in _ARTICLES else first}{space}{rest}"

    def apart(self, cause: Cause) -> str:
        """The sentence below the first of several causes that one line can have; else empty."""
        lines = {each.source for each in cause.fault.evidence}
        unsure = [(number, each) for number, each in enumerate(self.diagnosis.causes, start=1) if not each.fault.is_sure]
        rivals = [(number, each) for number, each in unsure if lines & {line.source for line in each.fault.evidence}]
        return one_of([number for number, _ in rivals]) if len(rivals) > 1 and rivals[0][1] is cause else ""

    def sentences(self, cause: Cause) -> tuple[str, str]:
        """The first sentence of a cause, and the others, which explain the first."""
        first, _, others = self.shown(cause.fault.cause).partition(". ")
        return first.removesuffix("."), others

    @cached_property
    def summary(self) -> list[str]:
        """At most ten lines, the first cause first."""
        causes = self.diagnosis.causes
        if not causes:
            return [printable(each) for each in self._without_cause()]
        most = _MOST_CAUSES if len(causes) > _MOST_CAUSES + 1 else len(causes)
        lines = [self.headline(each) for each in causes[:most]]
        if len(causes) > most:
            lines.append(f"{len(causes) - most} more causes, which are listed below")
        followers = f"; {count(self._followers, 'pod')} without a GPU because of these causes" if self._followers else ""
        states = [f"{self._states}{followers}"] if self.diagnosis.chains else []
        lines += [*states, *self.gaps, *self._versions]
        return lines + ([self._other_findings] if self.unattached else [])

    def _without_cause(self) -> Iterator[str]:
        if self.outcome is Outcome.NOTHING_READ:
            yield "nothing was read: no given file has the form of an output of kubectl or talosctl; talos-gpu doctor --collect prints a script that gathers them; talos-gpu why - < FILE names the program that says a line"
            return
        for each in self.pods[:_MOST_CAUSES]:
            yield from (self.shown(f"{each.title}: {line}") for line in [*waits(self.diagnosis.cluster, each)][:1])
        yield from self._verdict()
        yield from self.gaps
        yield from self._versions
        if self.diagnosis.chains:
            yield self._states
        if self.unattached:
            yield self._other_findings
        if self.symptoms:
            yield f"logs have {count(len(self.symptoms), 'known line')}: {names([match.symptom.title for _, match in self.symptoms])}"
        if self.unexplained:
            yield f"logs have {count(len(self.unexplained), 'error line')} without an explanation here, which stand below"
        if self.unknown_speakers:
            yield f"lines without an explanation here are said by {names(self.unknown_speakers)}"

    def _verdict(self) -> Iterator[str]:
        chains, other = self.diagnosis.chains, self.dump.is_other_system
        unknown = [each for each in chains if not each.is_whole]
        whole = _subjects(each for each in chains if each.is_whole)
        if other is not None:
            system = other.at("status", "nodeInfo", "osImage") or "another system"
            yield f"no node runs Talos: Node {other.name} runs {system}; the doctor knows the GPU nodes of Talos"
        if self.outcome is Outcome.UNBROKEN:
            yield f"no broken link was seen: each link of {whole} was shown to hold"
        elif unknown:
            links = dict.fromkeys(str(link) for each in unknown for link, mark in marks(each) if mark is Mark.UNKNOWN)
            rest = f"; each link of {whole} was shown to hold" if whole else ""
            yield f"too little was read to judge {_subjects(unknown)} (not known: {', '.join(links)}){rest}"
        elif chains:
            yield f"each link of {whole} was shown to hold, but logs have errors that are not explained here"
        if not self.diagnosis.cluster.nodes:
            yield self._no_gpu_node()

    def _no_gpu_node(self) -> str:
        nodes = self.diagnosis.cluster.all_nodes
        unknown = 0 if self.dump.counts and nodes else unknown_lines(self.diagnosis.cluster)
        if unknown or not nodes:
            missing = "no GPU node was seen" if nodes else "no node was read"
            lines = f", and the text of {count(unknown, 'line')} has no known words" if unknown else ""
            return (
                f"too little was read to judge: {missing}{lines}; kubectl get nodes -o yaml, or talos-gpu doctor --collect, shows the nodes"
            )
        which = "the node that was read" if len(nodes) == 1 else f"the {len(nodes)} nodes that were read"
        return f"no GPU node was seen: nothing that was read of {which} names an extension, a GPU or a card of NVIDIA's"

    @property
    def _versions(self) -> list[str]:
        return [f"versions: {self.versions}"] if self.versions else []

    @property
    def _states(self) -> str:
        unknown = sum(len(each.subjects) for each in self.diagnosis.unseen)
        return f"{count(self.diagnosis.healthy, 'link')} healthy, {unknown} unknown"

    @property
    def gaps(self) -> list[str]:
        """At most one line: the inputs that were cut, and the programs that failed. What they would have shown may have
        a fault."""
        cut, failed = sorted(self.dump.cut), self.dump.failed
        gaps = [f"the input was cut, so objects may be missing: {names(cut)}"] if cut else []
        if nodes := sorted(failed.get("talosctl", ())):
            gaps.append(f"talosctl failed on {count(len(nodes), 'node')}: {names(nodes)}")
        if kinds := sorted(failed.get("kubectl", ())):
            gaps.append(f"kubectl failed to list {names(kinds)}")
        return [self.shown("; ".join(gaps))] if gaps else []

    @property
    def _followers(self) -> int:
        return len({each for cause in self.diagnosis.causes for each in cause.followers})

    @property
    def _other_findings(self) -> str:
        rules = list(dict.fromkeys(each.rule for each in self.unattached))
        return f"{count(len(self.unattached), 'other finding')} of the rules: {names(rules)}"

    @cached_property
    def findings(self) -> Mapping[str, list[Finding]]:
        """The findings that belong to each cause, by the name of its fault."""
        causes = {each.fault.name: each.fault.rules for each in self.diagnosis.causes}
        return {name: [each for each in self.rules.findings if each.rule in rules] for name, rules in causes.items()}

    @cached_property
    def unattached(self) -> list[Finding]:
        """The findings that belong to no cause, errors first, without those that the running cluster refutes."""
        attached = {rule for each in self.diagnosis.causes for rule in each.fault.rules}
        working = self._working_agents
        refuted = [each for each in self.rules.findings if each.severity is Severity.WARNING and each.object in working]
        return [each for each in self.rules.findings if each.rule not in attached and each not in refuted]

    @property
    def _working_agents(self) -> set[str]:
        """The device plugins and DRA drivers, if all GPU nodes are shown to offer their GPUs: a warning that one can't
        work is refuted."""
        chains = [dict(each.states) for each in self.diagnosis.chains if not each.is_of_pod]
        if not chains or not all(isinstance(each.get(link), Healthy) for each in chains for link in (Link.PLUGIN, Link.ALLOCATABLE)):
            return set()
        return {each.title for each in self.diagnosis.cluster.of_agent(AgentKind.PLUGIN, AgentKind.DRA)}

    @cached_property
    def symptoms(self) -> list[tuple[Log, Match]]:
        """The known lines of the logs that belong to no cause; one for each symptom."""
        told = {each.text for cause in self.diagnosis.causes for each in cause.fault.evidence}
        causes = {each.fault.name for each in self.diagnosis.causes}
        found: dict[str, tuple[Log, Match]] = {}
        for log in self.diagnosis.cluster.all_logs:
            for match in log.matches:
                if match.text not in told and match.symptom.name not in causes:
                    found.setdefault(match.symptom.name, (log, match))
        return list(found.values())

    @cached_property
    def unexplained(self) -> list[Evidence]:
        """The errors that agents, Talos, the kernel and unknown programs log, and that no symptom knows. A GPU pod's own
        errors are not among them where its log shows that it sees the GPU."""
        seeing = {each.subject for each in self.diagnosis.chains if each.is_of_pod and each.is_whole}
        logs = [each for each in self.diagnosis.cluster.all_logs if f"pod {each.namespace}/{each.pod}" not in seeing]
        return [Evidence(text=text, source=f"{log.source}:{number}") for log in logs for number, text in log.errors]

    @cached_property
    def origins(self) -> Mapping[str, str]:
        """The program, its releases and the place in its source, of the errors that no symptom knows, by their text."""
        if not self.unexplained:
            return {}
        from ..symptoms.message_text import origins

        return {each.text: origins(found)[0] for each, found in said_lines(self.unexplained)}

    @cached_property
    def unknown_speakers(self) -> list[str]:
        """The programs, with their releases, that say lines without a known form and without a symptom."""
        lines = [Evidence(text=text, source=log.source) for log in self.dump.unknown for _, text in log.kept]
        if not lines:
            return []
        from ..symptoms.message_text import speakers

        said = Counter(" or ".join(speakers(found)) for _, found in said_lines(lines))
        return [f"{each} ({count(number, 'line')})" for each, number in said.most_common()]

    @cached_property
    def card_lines(self) -> list[str]:
        """The signs of cards that many cards in order show."""
        return [self.shown(f"{name}: {each.cause}. {each.fix}") for name, each in self._minor_signs]

    @cached_property
    def _minor_signs(self) -> list[tuple[str, Fault]]:
        cluster = self.diagnosis.cluster
        return [(node.name, each) for node in cluster.nodes for each in card_remarks(cluster, node) if each.name in MINOR_SIGNS]

    @cached_property
    def pod_lines(self) -> list[str]:
        """The lines about the chosen pods: their requests, their neighbours on the cards, and the reasons to wait. Empty without `--pod`."""
        return [self.shown(line) for each in self.pods for line in pod_lines(self.diagnosis.cluster, each)]

    @cached_property
    def versions(self) -> str:
        """The versions that were read, with their nodes; empty if none was read."""
        return self.shown(versions_read(self.diagnosis.cluster))

    @cached_property
    def placeholders(self) -> Placeholders:
        """The names for the placeholders of commands."""
        return Placeholders(self.diagnosis.cluster, self.diagnosis.chains)

    @cached_property
    def shapes(self) -> list[Shape]:
        """The distinct shapes of the chains."""
        return shapes(self.diagnosis.chains)

    @property
    def lasting_signs(self) -> list[str]:
        """The signs of cards that `--watch` compares, with their counts: all but those of the moment, such as the memory in use."""
        return [f"{name}: {each.cause}" for name, each in self._minor_signs if each.name not in OF_THE_MOMENT]

    @property
    def objects_read(self) -> dict[str, int]:
        """The number of Kubernetes objects that were read, by kind."""
        return {kind: number for kind, number in sorted(self.dump.counts.items()) if number and kind != "List"}

    @property
    def what_was_read(self) -> str:
        """The numbers of what was read: `2 Nodes, 40 Pods, the outputs of talosctl about gpu-1, 3 logs`."""
        objects = [count(number, kind) for kind, number in self.objects_read.items()]
        machines = [each.name for each in self.diagnosis.cluster.all_nodes if each.machine is not None]
        talos = [f"outputs of talosctl about {names(machines)}"] if machines else []
        logs = [count(len(self.dump.logs), "log")] if self.dump.logs else []
        logs += [f"{count(len(self.dump.rows), 'row')} of tables"] if self.dump.rows else []
        logs += [f"{count(sum(each.lines for each in self.dump.unknown), 'line')} without a known form"] if self.dump.unknown else []
        past = names([each.title for each in self.diagnosis.cluster.past_pods])
        left_out = f"; left out, because they were deleted or replaced: {past}" if past else ""
        return printable((", ".join([*objects, *talos, *logs]) or "nothing") + left_out)


def doctor_report(diagnosis: Diagnosis, programs: ProgramFlags | None = None, pod: str | None = None) -> DoctorReport:
    """The report of a diagnosis. `programs` has the flags with which the cluster was read, and `pod` the name
    NAMESPACE/NAME of the only pods that the report is about."""
    pods = pods_named(diagnosis.cluster, pod) if pod is not None else []
    return DoctorReport(
        diagnosis=of_pods(diagnosis, pods) if pods else diagnosis,
        rules=live_rules(diagnosis.cluster),
        programs=programs or ProgramFlags(),
        pods=pods,
    )


def _subjects(chains: Iterable[Chain]) -> str:
    """The numbers of nodes and pods: `1 GPU node, 2 GPU pods`."""
    of_pods = Counter(each.is_of_pod for each in chains)
    return ", ".join(count(of_pods[is_of_pod], name) for is_of_pod, name in ((False, "GPU node"), (True, "GPU pod")) if of_pods[is_of_pod])
