"""The engine: runs every selected rule over the inputs, and sorts the findings into one list."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ..arguments.credentials.texts import hidden_text
from ..arguments.errors import wrong, wrong_kind
from ..arguments.plain_values import instance
from ..arguments.spelling import did_you_mean
from ..nodes.talos_version import TalosVersion
from ..observed.model import Inputs, Installer, NodeConfig, PartKey, Path, equals, literal, question
from ..observed.model.cluster_views import cluster_views, has_variants, perhaps_views, possible_clusters
from ..observed.nodes.node_settings import old_talos_of, talos_of
from .halves import halves_of
from .report_words import first_of, listed, place
from .rule import Finding, Rule, Severity, Violation
from .rules import RULES
from .secret_values import without_secrets

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ..nodes.gpu_nodes import GpuNodes

_ANNOTATION = "talos-gpu/ignore-"
# Values of a flag, which give no reason.
_NO_REASON = {"", "true", "false", "yes", "no", "on", "off", "y", "n", "1", "0", "null", "none", "~", "-"}


def is_reason(text: str) -> bool:
    """Whether a text gives a reason, and is not only the value of a flag."""
    return text.strip().lower() not in _NO_REASON


def silenced(finding: Finding, annotations: Mapping[str, Any], beside: Mapping[int, Mapping[str, str]]) -> Finding:
    """The finding with the reason for which it is silenced; a missing reason is reported in the message.

    `annotations` are the annotations of the object, `beside` the comments of its file.
    """
    marks = dict(_marks(finding, annotations, beside))
    texts = [text.strip() for reason in marks.values() if isinstance(text := literal(reason), str)]
    reasons = [text for text in texts if is_reason(text)]
    if reasons:
        return replace(finding, ignored=hidden_text(reasons[0]))
    if marks:
        return replace(finding, message=f"{finding.message}; the {next(iter(marks))} silences this only with a reason")
    return finding


def _marks(finding: Finding, annotations: Mapping[str, Any], beside: Mapping[int, Mapping[str, str]]) -> Iterator[tuple[str, Any]]:
    key = f"{_ANNOTATION}{finding.rule}"
    if key in annotations:
        yield f"annotation '{key}'", annotations[key]
    if finding.line is None:
        return
    line = finding.line
    while line in beside or line == finding.line:
        if finding.rule in beside.get(line, ()):
            yield f"comment 'talos-gpu: ignore {finding.rule}'", beside[line][finding.rule]
        line -= 1


# The objects of one finding that are listed by name.
_SHOWN = 5


def run_rules(inputs: Inputs, *, select: Iterable[str] = (), ignore: Iterable[str] = (), crashes: list[str] | None = None) -> list[Finding]:
    """The findings of the rules, sorted by file, line and rule, without duplicates; silenced findings carry their
    reason.

    Args:
        inputs: The objects, releases and node configurations that were read.
        select: The ids of the rules that run. Default: all rules.
        ignore: The ids of the rules that do not run. Default: none.
        crashes: The list that gets a sentence about each rule that fails; the other rules go on. Default: a rule that
            fails ends the run.

    Raises:
        ValueError: `'select' must be a rule's id …` for an id that no rule has.
        RuleCrash: For a rule that fails, which is a bug in this library.
    """
    found: set[Finding] = set()
    for rule in rules_of(select, ignore):
        try:
            found.update(map(itemgetter(1), findings_of(rule, inputs)))
        except Exception as error:
            sentence = described(f"rule {rule.id}", error, "so its findings are incomplete")
            if crashes is None:
                raise RuleCrash(sentence) from error
            crashes.append(sentence)
    return sorted(_one_per_cause(found), key=_place)


def findings_of(rule: Rule, inputs: Inputs) -> Iterator[tuple[Violation, Finding]]:
    """The violations of a rule, each with its finding. The report and the fixes ask for them, and a rule that did not fail runs
    once."""
    known = inputs.answers.setdefault(findings_of, {})
    if rule.id in known:
        yield from known[rule.id]
        return
    found = []
    for each in violations_of(rule, inputs):
        found.append((each, finding_of(rule, each, inputs)))
        yield found[-1]
    known[rule.id] = found


def _place(finding: Finding) -> tuple[str, int, str, str, str]:
    return finding.file, finding.line or 0, finding.rule, finding.object, finding.message


def _one_per_cause(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings; those of a rule that lists users, with one message, are one finding at the first user.

    The first user is the first by name: an app and its files, which have other places, have the same findings.
    """
    causes: dict[object, list[Finding]] = {}
    for each in findings:
        if RULES[each.rule].lists_users:
            causes.setdefault((each.rule, each.severity, each.message, each.fix, each.ignored), []).append(each)
        else:
            yield each
    for users in causes.values():
        users.sort(key=lambda each: (each.object, *_place(each)))
        yield _with_names(users[0], list(dict.fromkeys(each.object for each in users)))


def _with_names(finding: Finding, names: list[str]) -> Finding:
    """The finding with the objects that it is about, of which the first are named."""
    if len(names) == 1:
        return finding
    return replace(finding, message=f"{finding.message}. {len(names)} objects are affected: {first_of(names, _SHOWN)}")


def violations_of(rule: Rule, inputs: Inputs) -> Iterator[Violation]:
    """The violations of a rule, in each cluster of the inputs alone: no finding joins halves of two clusters."""
    views = cluster_views(inputs)
    if not views:
        yield from _of_perhaps_one(rule, inputs)
        return
    joint = {(id(each.about), each.path) for each in _of_perhaps_one(rule, inputs)}
    found: dict[object, dict[str, list[Violation]]] = {}
    for name, view in views.items():
        for each in _of_perhaps_one(rule, view):
            found.setdefault((id(each.about), each.path), {}).setdefault(name, []).append(each)
    for key, by_cluster in found.items():
        yield from _in_clusters(by_cluster, inputs, views, is_joint=key in joint)


def _of_perhaps_one(rule: Rule, inputs: Inputs) -> Iterator[Violation]:
    """The violations in one cluster. What joins parts of several clusters, if names alone tell them apart, is less
    sure, and a remark if a deployer says that one is remote."""
    alone: set[tuple[int, Path]] | None = None
    for each in _of_one_cluster(rule, inputs):
        views = perhaps_views(inputs)
        if views and alone is None:
            alone = {(id(found.about), found.path) for view in views.values() for found in _of_one_cluster(rule, view)}
        if alone is None or (id(each.about), each.path) in alone:
            yield each
        else:
            lowered = _lowered(each, f"This holds if these names mean one cluster: {first_of(sorted(views), _SHOWN)}")
            yield replace(lowered, severity=Severity.INFO) if inputs.has_remote else lowered


def _lowered(found: Violation, doubt: str) -> Violation:
    return replace(found, severity=found.severity.lowered, message=f"{found.message}. {doubt}", edits=())


def _in_clusters(
    by_cluster: Mapping[str, list[Violation]], inputs: Inputs, views: Mapping[str, Inputs], *, is_joint: bool
) -> Iterator[Violation]:
    """The violations at one place, each once. What holds in some clusters alone is less sure."""
    about = next(iter(by_cluster.values()))[0].about
    surely = possible_clusters(about, inputs)
    doubt = ""
    if surely is None and by_cluster.keys() != views.keys():
        if not is_joint:
            return  # another cluster has what is missing here, and the place may be of that cluster
        doubt = f"This holds in the cluster {listed(by_cluster)}, if the object is deployed there"
    elif not is_joint and not has_variants(about, inputs):
        doubt = f"What is missing in the cluster {listed(by_cluster)} is in another cluster {inputs.here}, if they are two"
    for each in {(each.message, each.severity): each for several in by_cluster.values() for each in several}.values():
        yield _lowered(each, doubt) if doubt else each


def _of_one_cluster(rule: Rule, inputs: Inputs) -> Iterator[Violation]:
    """The violations of a rule, for the releases of Talos that the rule applies to; a node may run another Talos than
    the other nodes. A remark stands for each violation that an installer puts in doubt."""
    places = set()
    if is_applied(rule, inputs):
        for found in softened(rule.check(inputs), rule, inputs):
            about = found.about
            config = about if isinstance(about, NodeConfig) else None
            talos = talos_of(config, inputs) if config else inputs.talos_version
            old = old_talos_of(config, inputs) if config else inputs.old_talos
            if rule.applies_to(talos) and not (old and rule.talos.since):
                yield _of_node(found, config, old) if config else found
                if inputs.installers:
                    places.add((id(about), found.path))
    if inputs.installers:
        yield from _doubts(rule, inputs, places)


def _of_node(found: Violation, config: NodeConfig, old_talos: str | None) -> Violation:
    """The violation of a node. It is less sure for a Talos that is older than the tables, and for a patch that talhelper
    does not apply."""
    if config.left_out_by:
        found = _lowered(found, f"{config.left_out_by} does not apply this patch")
    return _lowered(found, f"This was not tried with Talos {old_talos.removeprefix('v')}") if old_talos else found


def _doubts(rule: Rule, inputs: Inputs, places: set[tuple[int, Path]]) -> Iterator[Violation]:
    """Remarks on violations at other places: an object, or a file of another tool, may install what seems missing."""
    doubted = [each for each in _of_one_cluster(rule, _without_installers(inputs)) if (id(each.about), each.path) not in places]
    if not doubted:
        return
    concluded = {}
    for installer, alone in _each_alone(inputs):
        found = softened(rule.check(alone), rule, alone)
        concluded[installer] = {(id(each.about), each.path) for each in found}
    for each in doubted:
        doubting = [installer for installer, found in concluded.items() if (id(each.about), each.path) not in found]
        texts = [
            f"{one.reason} ({place(one.file, one.line_of(()))})"
            if one.reason
            else f"{one.label} in {place(one.file, one.line_of(()))} may install {', '.join(sorted(one.charts))}"
            for one in doubting or concluded
        ]
        doubt = f"Not concluded: {first_of(texts, _SHOWN)}"
        yield replace(each, severity=Severity.INFO, message=f"{each.message}. {doubt}", edits=(), is_doubt=True)


@question
def _without_installers(inputs: Inputs) -> Inputs:
    return replace(inputs, installers=())


@question
def _each_alone(inputs: Inputs) -> list[tuple[Installer, Inputs]]:
    """The inputs with one installer alone, for each that names other charts: what it keeps a rule from."""
    different = {(each.charts, each.text): each for each in reversed(inputs.installers)}.values()
    return [(each, replace(inputs, installers=(each,))) for each in different]


def rules_without_talos(inputs: Inputs, *, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> list[Rule]:
    """The rules that were not applied because the Talos version is not known."""
    if inputs.talos_version is not None:
        return []
    return [rule for rule in rules_of(select, ignore) if not is_applied(rule, inputs)]


def is_applied(rule: Rule, inputs: Inputs) -> bool:
    """Whether the rule applies to the Talos of the inputs or of one of their nodes."""
    return any(map(rule.applies_to, _talos_versions(inputs)))


@question
def _talos_versions(inputs: Inputs) -> set[TalosVersion | None]:
    """The Talos of the inputs, and that of each of their nodes."""
    return {inputs.talos_version, *(talos_of(config, inputs) for config in inputs.node_configs)}


def rules_of(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> list[Rule]:
    """The rules that run, by id."""
    selected, ignored = known("select", select), known("ignore", ignore)
    return [RULES[each] for each in sorted(RULES) if (not selected or each in selected) and each not in ignored]


def known(argument: str, ids: Iterable[str]) -> set[str]:
    """The ids as a set; an id that no rule has is refused."""
    rule = "a list of rules' ids, such as ['TG007']"
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise wrong_kind(argument, rule, ids, f"did you mean [{ids!r}]?" if isinstance(ids, str) else "")
    given = {instance(argument, each, str, rule) for each in ids}
    for each in sorted(given):
        if each not in RULES:
            raise wrong(argument, "a rule's id, such as 'TG007'", each, _meant(each))
    return given


def node_classes(nodes: object) -> tuple[GpuNodes, ...]:
    """The given classes of nodes: one, several, or none."""
    if not nodes and isinstance(nodes, tuple | list):
        return ()
    from ..nodes.gpu_nodes import GpuNodes  # deferred: most checks are of files alone

    rule = "GpuNodes, or several"
    if isinstance(nodes, GpuNodes):
        return (nodes,)
    if not isinstance(nodes, Iterable) or isinstance(nodes, str | Mapping):
        raise wrong_kind("nodes", rule, nodes)
    return tuple(instance("nodes", each, GpuNodes, rule) for each in nodes)


def _meant(written: str) -> str:
    """A hint for an unknown id: the rule with the same number, or else a rule with a similar id."""
    number = re.search(r"[1-9]\d*$", written)
    rule = f"TG{int(number[0]):03}" if number else ""
    return f"did you mean '{rule}'?" if rule in RULES else did_you_mean(written, RULES)


def finding_of(rule: Rule, found: Violation, inputs: Inputs) -> Finding:
    """The finding of a violation: its place, its words without secrets, and the reason that silences it."""
    about = found.about
    finding = Finding(
        rule=rule.id,
        severity=found.severity,
        message=sys.intern(without_secrets(found.message, inputs)),  # many objects of a repository may have the same fault
        fix=without_secrets(found.fix, inputs) if found.fix else rule.fix,
        file=about.file_of(found.path) or about.file,
        line=about.line_of(found.path),
        object=about.label,
        is_doubt=found.is_doubt,
        fixed_by=found.fixed_by,
        find_halves=partial(halves_of, found, inputs, is_of_talos=not rule.talos.is_every),
    )
    return silenced(finding, about.annotations, inputs.comments.get(finding.file, {}))


_REPORT = "Please report this bug of talos-gpu with this line"
_CALLS_SHOWN = 3
"""The innermost calls that the sentence names."""


class RuleCrash(RuntimeError):  # noqa: N818  # the name of the event; the class of the first error is in the message
    """A rule failed on inputs that it should accept. The cause is the exception of the rule."""


def described(subject: str, error: Exception, consequence: str) -> str:
    """The sentence about a bug of this library: the type and the place of the exception, not its message, which may
    quote values of files."""
    frames = traceback.extract_tb(error.__traceback__)[-_CALLS_SHOWN:]
    places = ", ".join(f"{PurePath(each.filename).name}:{each.lineno}" for each in frames)
    return f"{subject} failed ({type(error).__name__} at {places}), {consequence}. {_REPORT}"


def softened(violations: Iterable[Violation], rule: Rule, inputs: Inputs) -> Iterable[Violation]:
    """The violations of a rule. An error that needs a Talos version that only the variables of one file state is a
    warning; a violation that needs what Flux does not apply now is one step less severe."""
    weak = inputs.weak_talos
    if weak is not None:
        source = f"Talos {weak.version} is known only from {place(weak.file, weak.line)}"
        violations = _softened(violations, rule, _without_talos(inputs), lambda found: source if found.severity is Severity.ERROR else "")
    if suspended := _suspended(inputs):
        names = first_of(sorted({*suspended.values()}), _SHOWN)
        violations = _softened(
            violations,
            rule,
            _without_suspended(inputs),
            lambda found: f"Flux does not apply what is suspended: {suspended.get(found.about.part, names)}",
        )
    return violations


def _softened(violations: Iterable[Violation], rule: Rule, without: Inputs, doubt: Callable[[Violation], str]) -> Iterator[Violation]:
    """The violations, one step less severe where they need the doubtful part of the inputs, if there is a doubt."""
    standing: set[object] | None = None
    for each in violations:
        if each.severity is not Severity.INFO and (words := doubt(each)):
            if standing is None:
                standing = {_key(found) for found in rule.check(without)} if is_applied(rule, without) else set()
            if _key(each) not in standing:
                yield replace(each, severity=each.severity.lowered, message=f"{each.message} ({words})")
                continue
        yield each


def _key(found: Violation) -> object:
    return found.about.part, found.about.label, found.path, found.severity


@question
def _suspended(inputs: Inputs) -> Mapping[PartKey, str]:
    """The objects that Flux does not apply until somebody resumes them, each with the label of what is suspended: a HelmRelease, or
    the Kustomization that applies an object. What was installed before stays.

    https://fluxcd.io/flux/components/helm/helmreleases/#suspend (2026-11-28)
    """
    releases = {each.part: each.label for each in inputs.of_kind("HelmRelease") if equals(each.at("spec", "suspend"), True).is_yes}
    return {**inputs.suspended, **releases}


@question
def _without_suspended(inputs: Inputs) -> Inputs:
    parts = _suspended(inputs)
    objects = tuple(each for each in inputs.objects if each.part not in parts)
    return replace(inputs, objects=objects, releases=tuple(each for each in inputs.releases if each.part not in parts))


@question
def _without_talos(inputs: Inputs) -> Inputs:
    return replace(inputs, talos_version=None, stated_versions=())
