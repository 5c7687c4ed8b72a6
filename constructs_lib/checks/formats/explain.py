"""A rule in words: for `--explain` and `--list`, the answer of files to it, and the rows of symptoms/rules.json."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ...arguments.commands import command
from ...arguments.patterns import pattern
from ...arguments.printable import printable
from ...symptoms.link import GAP
from ..engine import is_applied
from ..fixes.fixer import flags_of_fix
from ..report import Report
from ..report_words import first_of, place, read, talos_flag
from ..rule import Example, Rule
from ..rules import RULES
from .text import worst_first

_MOST_PLACES = 3


def rule_answer(rule: str, reports: Sequence[Report]) -> str:
    """`FOUND in a.yaml:11`, `Not found in these files`. There is one report for each cluster."""
    findings = [finding for report in reports for finding in report.all_findings if finding.rule == rule]
    places = [(place(finding.file, finding.line), finding.ignored) for finding in findings if not finding.is_doubt]
    if findings:
        found = _listed("FOUND in", (where for where, ignored in places if ignored is None))
        doubts = _listed("Not concluded in", (place(each.file, each.line) for each in findings if each.is_doubt))
        silenced = _listed("Silenced in", (f"{where} ({ignored})" for where, ignored in places if ignored is not None))
        return ". ".join(filter(None, (found, silenced, doubts)))
    if not any(read(report.inputs) for report in reports):
        return "Nothing was read in these files"
    not_applied = [report for report in reports if not is_applied(RULES[rule], report.inputs)]
    versions = {report.inputs.talos_version for report in not_applied}
    if None in versions:
        return f"Not applied: the Talos version is unknown; give {talos_flag(not_applied[0].inputs)}"
    if len(not_applied) == len(reports):
        return f"Not applied: the rule is not about Talos {' and '.join(sorted(map(str, versions)))}"
    if not any(report.parts for report in reports):
        return "Nothing was judged: no GPU part was read in these files"
    return "Not found in these files"


def _listed(verb: str, places: Iterable[str]) -> str:
    different = list(dict.fromkeys(places))
    return f"{verb} {first_of(different, _MOST_PLACES)}" if different else ""


_VARIABLE = pattern(
    r"""0/\d+\ (?=nodes)|(?<=:\ )\d+\ (?=Insufficient|node|cannot)   # the counts of the scheduler
    |"(?!nvidia)[^"]*"|'(?!nvidia)[^']*'|\([^)]*\)|\[\d+\]|-…        # names that users choose, and details
    |\bv?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?                              # versions
    |:\ """,
    re.VERBOSE,
)
_COMMENT = pattern(r", (?:in|for|after|until|repeated|from|one by) .*")
_WORD = pattern("[A-Za-z]+")
_FEWEST_WORDS = 3


def table_text() -> str:
    """The table as JSON."""
    rows = {rule.id: {"title": rule.claim, "phrases": phrases(rule), "remedy": rule.fix, "source": rule.source} for rule in RULES.values()}
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def phrases(rule: Rule) -> list[str]:
    """The clauses of a rule's symptom as phrases: their names, versions and counts may be others."""
    clauses = (_COMMENT.sub("", clause) for clause in rule.symptom.split("; "))
    return [phrase for clause in clauses if len(_WORD.findall(phrase := _general(clause))) >= _FEWEST_WORDS]


def _general(clause: str) -> str:
    """The clause with gaps for what differs from cluster to cluster, unless too few words are left to identify the
    symptom."""
    phrase = _VARIABLE.sub(f" {GAP} ", clause)
    return phrase if len(_WORD.findall(phrase)) > _FEWEST_WORDS else clause


def explained(rule: Rule) -> str:
    """A rule with its symptom, fix and source, and both examples."""
    return f"""\
{rule.id} ({rule.severity}): {rule.claim}

symptom: {rule.symptom}
applies to: {rule.talos}
fix: {rule.fix}
{_fixable(rule)}{_left_alone(rule)}source: {rule.source}

Failing example{_circumstances(rule.failing)}:

{_indented(rule.failing)}
Passing example{_circumstances(rule.passing)}:

{_indented(rule.passing)}"""


def explained_findings(rule: Rule, report: Report) -> Iterator[str]:
    """The findings of a rule in what was read: each with its halves, their places, and the places by which their values
    came there."""
    for sentence in report.head:
        yield f"{printable(sentence)}\n"
    yield f"\n{rule.id} ({rule.severity}): {rule.claim}\n"
    for finding in worst_first(report.findings):
        yield f"\n{finding.severity}: {printable(finding.message)}\n"
        for half in finding.halves:
            yield printable(f"    {place(half.file, half.line)}  {half.text}") + "\n"
            yield from (printable(f"        {step}") + "\n" for step in half.origin)
        yield printable(f"  fix: {finding.fix}") + "\n"
    yield f"\n{printable(rule_answer(rule.id, [report]))}\n"


def _left_alone(rule: Rule) -> str:
    return f"also passes: {'; '.join(rule.also_passing)}\n" if rule.also_passing else ""


def _fixable(rule: Rule) -> str:
    given = flags_of_fix(rule)
    return f"fixable: {command('talos-gpu check {*flags}', flags=given.split())}\n" if given else ""


def listed(rules: Iterable[Rule]) -> str:
    """One line per rule."""
    return "".join(f"{rule.id}  {rule.severity:<7}  {rule.claim}\n" for rule in rules)


def flags(example: Example) -> str:
    """The flags of `talos-gpu check` for an example."""
    given: list[tuple[str, object]] = [("--talos", example.talos), ("--chart", example.chart)]
    for nodes in example.nodes:
        given += [("--talos", nodes.talos_version), ("--count", nodes.count), ("--gpus-per-node", nodes.gpus_per_node)]
        given += [("--memory-per-gpu", nodes.memory_per_gpu), ("--time-slicing", nodes.sharing and nodes.sharing.replicas)]
    return " ".join(f"{flag} {value}" for flag, value in given if value)


def _circumstances(example: Example) -> str:
    given = flags(example)
    return f" ({given})" if given else ""


def _indented(example: Example) -> str:
    return textwrap.indent(example.yaml.strip("\n") + "\n", "    ")
