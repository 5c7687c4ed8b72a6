"""A rule and a symptom as a page of its own, so that a search ends there. The page that holds them in docs/ keeps a list of them, under the old anchors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from constructs_lib.checks.rules import RULES
from constructs_lib.symptoms.symptom_table import SYMPTOMS

from .part_pages import rule_page, symptom_page

_PARTED = ("rules.md", "symptoms.md")
_HEADING = re.compile(r'^### <a id="(?P<id>[\w-]+)"></a>(?P<title>.*)$', re.MULTILINE)
_LINK_WITHIN = re.compile(r"(?<=\]\()#")


@cache
def parts(path: Path) -> tuple[str, ...]:
    """The anchors of the parts of a page. Most pages have none."""
    return tuple(each["id"] for each in _HEADING.finditer(path.read_text(encoding="utf-8"))) if _is_parted(path) else ()


def page_of_part(name: str, part: str) -> str:
    """The page of a part."""
    return f"{name.removesuffix('.md')}-{part}.md"


def linked_by_page(path: Path, text: str) -> str:
    """The text with links to its own headings as links to the page, so that they hold in a part, too."""
    return _LINK_WITHIN.sub(f"{path.name}#", text) if _is_parted(path) else text


def divided(path: Path, text: str) -> dict[str, str]:
    """The page with a list in place of its parts, and the parts, by name."""
    if not _is_parted(path):
        return {path.name: text}
    head, *rest = _HEADING.split(text)
    found = list(zip(rest[::3], rest[1::3], rest[2::3], strict=True))
    lines = [f'- <a id="{part}"></a>[{heading}]({page_of_part(path.name, part)})\n' for part, heading, _ in found]
    entries = [f"{heading.partition(':')[0]} <{path.stem}-{part}>\n" for part, heading, _ in found]
    pages = {page_of_part(path.name, part): _page(part, heading) for part, heading, _ in found}
    return {path.name: f"{head}{''.join(lines)}\n```{{toctree}}\n:hidden:\n\n{''.join(entries)}```\n", **pages}


def _page(part: str, heading: str) -> str:
    """The page of a part, with its phrases as entries of the index: the search shows a page with the phrase of a query first."""
    if rule := RULES.get(part.upper()):
        phrases, text = rule.symptom.split("; "), rule_page(rule)
        phrases += [state for each in phrases if (state := each.partition(" of ")[0]) != each]  # people type the state alone
    else:
        symptom = next(each for each in SYMPTOMS if each.name == part)
        phrases, text = [*symptom.phrases], symptom_page(symptom)
    return f"{index_of(phrases)}{{.phrase}}\n# {heading}\n\n{text}"


def index_of(words: Iterable[str]) -> str:
    """Words as entries of the index."""
    return "".join(f"```{{index}} !single: {each.replace(';', ',')}\n```\n" for each in words if each)


def _is_parted(path: Path) -> bool:
    return path.name in _PARTED and path.parent.name == "docs"
