"""The tables of constructs_lib/upstream/messages: what each program can say, in which of its minors, and where in its source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from constructs_lib.upstream.message_catalogue import MOST_FREQUENT

from . import c_messages, go_messages
from .repositories import Repository, UnreachableError
from .spoken_programs import Program
from .tables import Report, Table

_READERS = {".go": go_messages.messages, ".c": c_messages.messages}
_UNREAD = re.compile(
    r"_test\.(?:go|c)$|_(?:mock|moq|windows|darwin|freebsd|solaris|others?|unsupported|nolinux)\.go$|\.pb\.go$|zz_generated|checkpoint|portforward|_stats|metrics"
    r"|(?:^|/)(?:mocks?|fakes?|tests?|testing\w*|testdata|testutils?|vendor|generated)/"
)
_VERB = re.compile(r"%(?:\[\d+\])?[-+# 0]*[\d.*]*[a-zA-Z]")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9'_-]{2,}")
_HUMPS = re.compile(r"(?:[A-Z][a-z]+){3,}")
_SAY_LITTLE = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "from",
        "that",
        "this",
        "not",
        "are",
        "was",
        "has",
        "have",
        "its",
        "but",
        "than",
        "then",
        "into",
        "failed",
        "fail",
        "error",
        "unable",
        "could",
        "cannot",
        "can't",
        "new",
        "get",
        "err",
    ]
)
_TROUBLE = re.compile(
    r"(?i)\b(?:fail|err|un(?:able|support|known|healthy|expect)|can(?:no|'|\b)|could ?n|no[tn]?\b|invalid|incompat|missing|ignor|skip|wait|retr|time|denied|deprecat|back-?off)"
)
"""What a message of the level Info, and a text that may be no message, has to speak of: trouble, or a wait."""
_SEVERITIES = ("fatal", "error", "warning", "event", "status", "text", "info")
_FEWEST, _LONGEST = 2, 300


@dataclass
class Said:
    """A message of a program: its severity, the minors that say it, and the files in the newest of them."""

    severity: str
    minors: set[str]
    paths: set[str]


def renew_messages(program: Program, table: Table, repository: Repository, report: Report, *, every_tag: bool = False) -> None:
    """Read each minor of a program whose tag is not that of the table already, or all."""
    facts = table.facts
    known: dict[str, str] = dict(facts.get("minors", {}))
    listed = program.minors(repository.tags())
    order = [*(minor for minor in known if minor not in listed), *listed]
    said = _read(facts.get("messages", {}), list(known))
    for minor, tag in listed.items():
        if known.get(minor) == tag and not every_tag:
            continue
        try:
            found = _said(program, repository, tag)
        except UnreachableError as error:
            report.unread.append(f"{error}; what {program.name} says in {minor} stays as it is")
            continue
        _put(said, minor, order, found)
        known[minor] = tag
        report.changes.append(f"{program.name} {minor}: its {len(found)} messages are those of {tag}")
    minors = {minor: known[minor] for minor in order if minor in known}
    if minors:
        about = {"read_on": facts.get("read_on", ""), "source": f"https://github.com/{program.repository}"}
        table.facts = {
            **about,
            "program": program.title,
            "speakers": list(program.speakers),
            "minors": minors,
            "messages": _written(said, list(minors)),
        }


def says_something(text: str) -> bool:
    """Whether a message can be told from others by its words: two that say something, or one in the camel case of a reason."""
    words = {word.lower() for word in _WORD.findall(_VERB.sub(" ", text))} - _SAY_LITTLE
    return len(text) <= _LONGEST and (len(words) >= _FEWEST or bool(_HUMPS.fullmatch(text)))


def _said(program: Program, repository: Repository, tag: str) -> dict[str, Said]:
    """The messages of a tag."""
    files = repository.sources(tag, program.folders, program.endings)
    if not files:
        raise UnreachableError(f"{repository.name}: {tag} has no source in {', '.join(program.folders)}")
    found: dict[str, Said] = {}
    for path, source in files.items():
        if _UNREAD.search(path):
            continue
        for text, severity in _READERS[PurePath(path).suffix](source):
            line = next(filter(says_something, map(str.strip, text.splitlines())), "")
            if line and (severity not in ("info", "text") or _TROUBLE.search(line)):
                each = found.setdefault(line, Said(severity, set(), set()))
                each.severity = min(each.severity, severity, key=_SEVERITIES.index)
                each.paths.add(path)
    return found


def _put(said: dict[str, Said], minor: str, order: Sequence[str], found: Mapping[str, Said]) -> None:
    """Replace what one minor says."""
    for text in [*said]:
        said[text].minors.discard(minor)
        if not said[text].minors and text not in found:
            del said[text]
    for text, each in found.items():
        old = said.setdefault(text, Said(each.severity, set(), set()))
        if all(order.index(minor) > order.index(other) for other in old.minors):
            old.severity, old.paths = each.severity, each.paths
        old.minors.add(minor)


def _written(said: Mapping[str, Said], minors: Sequence[str]) -> dict[str, dict[str, str]]:
    """The messages by file: the severity, empty for the most frequent one, with the first and the last minor where these are not those of the table."""
    rows = sorted((path, text) for text, each in said.items() for path in each.paths)
    table: dict[str, dict[str, str]] = {}
    for path, text in rows:
        each = said[text]
        spoken = [minor for minor in minors if minor in each.minors]
        first, last = ("" if spoken[0] == minors[0] else spoken[0]), ("" if spoken[-1] == minors[-1] else spoken[-1])
        severity = each.severity.removeprefix(MOST_FREQUENT)
        table.setdefault(path, {})[text] = f"{severity} {first}-{last}" if first or last else severity
    return table


def _read(table: Mapping[str, Mapping[str, str]], minors: Sequence[str]) -> dict[str, Said]:
    said: dict[str, Said] = {}
    for path, rows in table.items():
        for text, row in rows.items():
            severity, _, span = row.partition(" ")
            first, _, last = span.partition("-")
            spoken = minors[minors.index(first) if first else 0 : minors.index(last) + 1 if last else None]
            said.setdefault(text, Said(severity or MOST_FREQUENT, set(spoken), set())).paths.add(path)
    return said
