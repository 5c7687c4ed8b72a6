"""A change as text for a terminal, as Markdown for a pull request, and as JSON (docs/diff-schema.json)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..arguments.printable import json_parts, printable
from ..checks.formats.markdown_text import code, table, unlinked
from ..checks.formats.text import worst_first
from ..checks.report_words import count, place
from ..checks.rule import Finding, Severity
from ..observed.read.loader import CLUSTER_FILE
from .cluster_change import ClusterChange, outages_of, plan_command, steps_of
from .effects import IMAGES
from .parts import PartChange, Way
from .versions import CHART, NONE

NOTHING = "nothing changes for the GPUs, as far as the files were read"
_VERSION = 1
_FIELDS = 3
"""The most fields that are shown of a part."""
_PARTS = 40
_NOT_READ = "not read"


def change_text(change: ClusterChange) -> Iterator[str]:
    """The lines for a terminal."""
    return (f"{printable(line)}\n" for line in _text(change))


def _text(change: ClusterChange) -> Iterator[str]:
    yield f"{change.old.name} -> {change.new.name}: {summary(change)}"
    yield from (f"  {each}" for each in change.cards)
    for each in change.versions:
        yield f"  {each.subject}: {each.old or _NOT_READ} -> {each.new or _NOT_READ}"
        yield from (f"    {effect}" for effect in each.effects)
    yield from _section("the GPU stack", (line for part in change.parts[:_PARTS] for line in _part(part)))
    yield from _more(change)
    for title, findings in _findings(change):
        yield from _section(title, (_finding(each) for each in findings))
    for where, to, plan in change.upgrades:
        yield from ("", f"Talos {to}{f' on {where}' if where else ''}: {plan_command(plan)}", *(f"  {each}" for each in outages_of(plan)))
        for phase, titles in steps_of(plan, change.old.inputs.kubernetes_version).items():
            yield f"  {phase}:"
            yield from (f"    {title}" for title in titles)
    yield from _section("not compared", _unread(change))


def change_markdown(change: ClusterChange) -> Iterator[str]:
    """The lines of a comment on a pull request."""
    return (f"{line}\n" for line in _markdown(change))


def _markdown(change: ClusterChange) -> Iterator[str]:
    yield f"### GPUs: {unlinked(summary(change))}"
    cards = [f"- {unlinked(f'{each}')}" for each in change.cards]
    yield from ("", *cards) if cards else ()
    rows = [(unlinked(f"{each.subject}"), code(each.old or _NOT_READ), code(each.new or _NOT_READ)) for each in change.versions]
    yield from ("", *table(("version", "before", "after"), rows)) if rows else ()
    effects = [f"- {unlinked(each.subject.part)}: {unlinked(effect)}" for each in change.versions for effect in each.effects]
    yield from ("", *effects) if effects else ()
    for title, findings in _findings(change):
        yield from _section(f"**{title}**", (f"- {_markdown_finding(each)}" for each in findings), gap=("",))
    yield from _section("**the GPU stack**", (line for part in change.parts[:_PARTS] for line in _markdown_part(part)), gap=("",))
    yield from _more(change)
    for where, to, plan in change.upgrades:
        about = f"the steps to Talos {unlinked(to)}{f' on {unlinked(where)}' if where else ''}"
        yield from ("", f"<details><summary>{about}</summary>", "", f"{code(plan_command(plan))} prints them with their commands.")
        yield from (line for each in outages_of(plan) for line in ("", unlinked(each)))
        for phase, titles in steps_of(plan, change.old.inputs.kubernetes_version).items():
            yield from ("", f"{phase}:", "", *(f"- {unlinked(title)}" for title in titles))
        yield from ("", "</details>")
    yield from _section("**not compared**", (f"- {unlinked(each)}" for each in _unread(change)), gap=("",))


def change_json(change: ClusterChange) -> Iterator[str]:
    """The change as a JSON object, in parts."""
    head = {
        "version": _VERSION,
        "old": change.old.name,
        "new": change.new.name,
        "summary": summary(change),
        "nothing": change.is_nothing,
        "cards": [{"card": each.card, "where": list(each.where), "runs": each.runs, "about": each.words} for each in change.cards],
        "versions": [
            {"part": each.subject.part, "where": each.subject.where, "old": each.old, "new": each.new, "effects": list(each.effects)}
            for each in change.versions
        ],
        "upgrades": [
            {
                "where": where,
                "to": to,
                "command": plan_command(plan),
                "outages": outages_of(plan),
                "steps": steps_of(plan, change.old.inputs.kubernetes_version),
            }
            for where, to, plan in change.upgrades
        ],
        "findings": {
            "new": [_record(each) for each in worst_first(change.new_findings)],
            "solved": [_record(each) for each in worst_first(change.solved_findings)],
            "silenced": [_record(each) for each in worst_first(change.silenced_findings)],
            "remaining": change.remaining,
        },
        "not_compared": list(_unread(change)),
        "parts": [],
    }
    return json_parts(head, (_part_record(each) for each in change.parts))


def summary(change: ClusterChange) -> str:
    """What the change is in one line."""
    if change.is_nothing:
        return NOTHING
    new, solved, silenced = (_counts(found) for found in (change.new_findings, change.solved_findings, change.silenced_findings))
    ways = [each.way for each in change.parts]
    parts = ", ".join(f"{ways.count(way)} {way}" for way in Way if way in ways)
    stopped = sum(not each.runs for each in change.cards)
    words = [
        f"{count(stopped, 'card')} that the driver does not run" if stopped else "",
        count(len(change.versions), "version") if change.versions else "",
        f"parts of the GPU stack: {parts}" if parts else "",
        f"new: {new}" if new else "no new finding",
        f"solved: {solved}" if solved else "",
        f"silenced: {silenced}" if silenced else "",
        f"on both sides: {count(change.remaining, 'finding')}" if change.remaining else "",
    ]
    return "; ".join(filter(None, words))


def _counts(findings: Iterable[Finding]) -> str:
    severities = [each.severity for each in findings]
    return ", ".join(count(severities.count(severity), str(severity)) for severity in Severity if severity in severities)


def _section(title: str, lines: Iterable[str], *, gap: tuple[str, ...] = ()) -> Iterator[str]:
    written = list(lines)
    if written:
        yield from ("", title, *gap, *written)


def _findings(change: ClusterChange) -> Iterator[tuple[str, list[Finding]]]:
    yield "new", worst_first(change.new_findings)
    yield "solved", worst_first(change.solved_findings)
    yield "silenced by the change", worst_first(change.silenced_findings)


def _finding(finding: Finding) -> str:
    return (
        f"  {finding.severity} {finding.rule} {place(finding.file, finding.line)} {finding.object}: {finding.message}; fix: {finding.fix}"
    )


def _markdown_finding(finding: Finding) -> str:
    where = code(place(finding.file, finding.line))
    return f"{finding.severity} {finding.rule}, {where}, {code(finding.object)}: {unlinked(finding.message)}. Fix: {unlinked(finding.fix)}"


def _part(part: PartChange) -> Iterator[str]:
    yield f"  {part.way}: {part.label} ({part.file})"
    yield from (f"    {each}" for each in part.fields[:_FIELDS])
    if len(part.fields) > _FIELDS:
        yield f"    and {count(len(part.fields) - _FIELDS, 'other field')}"
    yield from (f"    {each}" for each in part.effects)


def _markdown_part(part: PartChange) -> Iterator[str]:
    yield f"- {part.way}: {code(part.label)}"
    yield from (f"  - {code(f'{each}')}" for each in part.fields[:_FIELDS])
    if len(part.fields) > _FIELDS:
        yield f"  - and {count(len(part.fields) - _FIELDS, 'other field')}"
    yield from (f"  - {unlinked(each)}" for each in part.effects)


def _more(change: ClusterChange) -> Iterator[str]:
    if len(change.parts) > _PARTS:
        yield f"and {count(len(change.parts) - _PARTS, 'other part')}; --format json has all"


def _unread(change: ClusterChange) -> Iterator[str]:
    if not change.has_gpus:
        yield "no GPU operator, device plugin, GPU workload or GPU node configuration was read on either side"
    for each in change.unread:
        reason = "a cluster file is read by its name: give it as --path" if each.reason == CLUSTER_FILE else each.reason
        yield f"{place(each.file, each.line)} {_fate(each.file, change)}, and was not read: {reason}"
    for name, paths in change.missing:
        yield f"{count(len(paths), 'file')} of {name}, such as {paths[0]}: this partial clone has only the names; `git fetch --refetch --no-filter` brings the files"
    for name, paths in change.left_out:
        yield f"{count(len(paths), 'file')} of {name}, such as {paths[0]}: what it has is unknown"
    for name, paths in change.outside:
        yield f"{count(len(paths), 'link')} of {name}, such as {paths[0]}: out of the files of the commit"
    yield from _unseen(change)
    if change.unnamed:
        yield f"{count(change.unnamed, 'object')} whose names are filled in later"


def _fate(file: str, change: ClusterChange) -> str:
    """What became of a file that was not read. Two sides that are single files may have other names."""
    old, new = change.old, change.new
    if not (old.file or new.file):
        if new.text_of(file) is None:
            return "is gone"
        if old.text_of(file) is None:
            return "is new"
    return "differs"


def _unseen(change: ClusterChange) -> Iterator[str]:
    """What no file of the two sides says of a new chart and of a new image."""
    charts = [each.subject.part for each in change.versions if each.subject.part.startswith(CHART) and each.new != NONE]
    if charts:
        yield f"what {' and '.join(dict.fromkeys(charts))} renders, which its own templates say: `helm template` shows the objects"
    if change.without_card:
        places = ", ".join(filter(None, change.without_card))
        yield f"whether the cards{f' ({places})' if places else ''} run on the new driver: no file names one that the tables know, such as by the label nvidia.com/gpu.product"
    programs = [each for each in change.parts if not each.label.startswith("OCIRepository ")]
    fields = [each for part in programs for each in part.fields if each.old is not None and each.new is not None]
    if any(len(each.path) > 1 and each.path[-1] in IMAGES for each in fields):
        yield "what the new images contain: the CUDA, the flags and the folders of a program are in the notes of its release"


def _record(finding: Finding) -> dict[str, Any]:
    names = ("rule", "message", "fix", "file", "line", "object")
    return {"severity": str(finding.severity), **{name: getattr(finding, name) for name in names}}


def _part_record(part: PartChange) -> dict[str, Any]:
    return {
        "change": str(part.way),
        "object": part.label,
        "file": part.file,
        "fields": [f"{each}" for each in part.fields],
        "effects": list(part.effects),
    }
