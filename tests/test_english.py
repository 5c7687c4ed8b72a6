"""The wording of what users read: the README, the pages of docs/, the help of the command, the texts of rules and symptoms."""

import re
from collections.abc import Iterator

from conftest import ROOT
from constructs_lib.checks.rules import RULES
from constructs_lib.cli.command import _parser
from constructs_lib.symptoms.symptom_table import SYMPTOMS

AVOIDED = {
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bthe words of\b": "log line, message",
    r"\bshown to hold\b": "healthy",
    r"\bboth halves\b": "the files prove",
    r"\b(?:no|without|needs) Node(?=[,;:]| (?:and|or|on|for)\b)": "Node.js",
    r"\[(?:here|below|above|there|this|more|this page)\]\(": "a link text that says where the link leads",
}
"""Words to avoid, and what to write instead."""


def texts() -> Iterator[tuple[str, str]]:
    """The texts by place, without code."""
    pages = [each for each in sorted((ROOT / "docs").glob("*.md")) if each.name != "commands.md"]  # the help, as below
    for path in [ROOT / "README.md", *pages]:
        prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        yield from ((path.name, line) for line in prose.splitlines())
    for verb in _parser().verbs.values():
        yield from ((verb.prog, text) for text in (verb.description, *(action.help for action in verb.actions)) if text)
    for rule in RULES.values():
        yield from ((rule.id, text) for text in (rule.claim, rule.fix))
    for symptom in SYMPTOMS:
        yield from ((symptom.name, text) for text in (symptom.title, symptom.cause, symptom.remedy))


def test_the_texts_for_users_have_the_words_of_the_field_and_links_that_say_where_they_lead():
    found = [
        f"{place}: {match[0]!r} in {line.strip()[:80]!r}, write: {better}"
        for place, line in texts()
        for avoided, better in AVOIDED.items()
        if (match := re.search(avoided, line))
    ]

    assert found == []
