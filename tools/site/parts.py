"""A rule and a symptom as a page of its own, so that a search ends there. The page that holds them in docs/ keeps a list of them, under the old anchors."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_PARTED = ("rules.md", "symptoms.md")
_HEADING = re.compile(r'^### <a id="(?P<id>[\w-]+)"></a>(?P<title>.*)$', re.MULTILINE)
_PHRASES = re.compile(r"\n+```text\n(?P<lines>.*?)```", re.DOTALL)
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
    back = f"[{text.partition(chr(10))[0].removeprefix('# ')}]({path.name})"
    pages = {
        page_of_part(path.name, part): f"{_index(heading, body)}{{.phrase}}\n# {heading}\n\n{back}\n{_opened(body)}"
        for part, heading, body in found
    }
    return {path.name: f"{head}{''.join(lines)}\n```{{toctree}}\n:hidden:\n\n{''.join(entries)}```\n", **pages}


def _opened(body: str) -> str:
    """The text with its examples in sight: on a page of its own there is room for them."""
    return body.replace("<details>", "<details open>")


def _index(heading: str, body: str) -> str:
    """The phrases of a part as entries of the index: the search shows a page with the phrase of a query first."""
    phrases = [*heading.partition(": ")[2].split("; "), *(_PHRASES.match(body) or {"lines": ""})["lines"].splitlines()]
    return "".join(f"```{{index}} !single: {phrase.replace(';', ',')}\n```\n" for phrase in phrases if phrase)


def _is_parted(path: Path) -> bool:
    return path.name in _PARTED and path.parent.name == "docs"
