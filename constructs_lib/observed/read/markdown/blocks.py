"""The fenced code blocks of a Markdown page, each with its language, its line and the file name that the page gives the block."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

MARKDOWN = (".md", ".mdx", ".markdown")
_PREFIX = r"(?P<prefix>(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)"
_FENCE = re.compile(rf"{_PREFIX}(?P<fence>`{{3,}}|~{{3,}})(?P<info>.*)")
_COMMENT = re.compile(rf"{_PREFIX}<!--")
_LANGUAGE = re.compile(r"[\s{.]*([\w+-]*)")
_FILE_NAME = re.compile(r"(?<![\w./-])([\w./-]{1,200}\.(?:ya?ml|json))\b")
_TAB = 4
_CODE = 4
"""The indentation at which a line of backticks is text of the block, and no longer its end."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced code block.

    `text` has no indentation and no marks of the list or the quotation around the fence. `line` is the line of its beginning. `name` is the
    file name in the words beside the fence, in the first comment, or in the line above the fence; empty without any.
    """

    language: str
    name: str
    text: str
    line: int


@dataclass(slots=True)
class _Fence:
    marks: str
    width: int
    quotes: int
    language: str
    name: str
    line: int


def blocks(text: str, skip: Callable[[str, int], None] = lambda _reason, _line: None) -> Iterator[Block]:
    """The blocks of a page. A block without an end goes to the end of the page, and a block in an HTML comment is none.

    An HTML comment without an end also goes to the end of the page, and `skip` gets a reason and the line of its beginning.
    """
    fence: _Fence | None = None
    lines: list[str] = []
    above, comment = "", 0
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.removesuffix("\r")
        if fence is not None:
            inner = _inner(line, fence)
            if inner is not None and not _ends(inner, fence):
                lines.append(inner)
                continue
            yield _block(fence, lines)
            fence, lines = None, []
            if inner is not None:
                continue  # the quotation of the block goes on
        comment = comment or (number if _COMMENT.match(line) else 0)
        fence = None if comment else _opened(line, above, number)
        comment = 0 if "-->" in line else comment
        above = line if line.strip() else above
    if fence is not None:
        yield _block(fence, lines)
    if comment:
        skip("an HTML comment without an end, so the rest of the page is not read", comment)


def _opened(line: str, above: str, number: int) -> _Fence | None:
    match = _FENCE.match(line)
    if match is None or (match["fence"][0] == "`" and "`" in match["info"]):
        return None
    prefix, info = match["prefix"], match["info"]
    quotes, width = prefix.count(">"), len(prefix.rpartition(">")[2].expandtabs(_TAB))
    language = _LANGUAGE.match(info)
    return _Fence(
        marks=match["fence"],
        width=width,
        quotes=quotes,
        language=language[1].lower() if language else "",
        name=_file_name(info) or _file_name(above),
        line=number,
    )


def _block(fence: _Fence, lines: list[str]) -> Block:
    first = lines[0].strip() if lines else ""
    name = (_file_name(first) if first.startswith("#") else "") or fence.name
    return Block(fence.language, name, "\n".join([*lines, ""]), fence.line + 1)


def _file_name(words: str) -> str:
    """The last file name among the words."""
    return names[-1] if (names := _FILE_NAME.findall(words)) else ""


def _inner(line: str, fence: _Fence) -> str | None:
    """The line without the indentation of the fence. None if the quotation around the fence ends before the line."""
    for _ in range(fence.quotes):
        line = line.lstrip(" \t")
        if not line.startswith(">"):
            return None
        line = line[1:]
    column = index = 0
    while column < fence.width and line[index : index + 1] in (" ", "\t"):
        column += 1 if line[index] == " " else _TAB - column % _TAB
        index += 1
    return line[index:]


def _ends(line: str, fence: _Fence) -> bool:
    marks = line.strip()
    indented = len(line.expandtabs(_TAB)) - len(line.expandtabs(_TAB).lstrip())
    return indented < _CODE and len(marks) >= len(fence.marks) and not marks.strip(fence.marks[0])
