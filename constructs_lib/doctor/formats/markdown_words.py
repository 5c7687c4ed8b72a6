"""Words of strangers in Markdown: as text, as code and as links, so that none of them is a mark, a mention or the end
of a block."""

from __future__ import annotations

import re

_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$])")
_MENTIONS = re.compile(r"@(?=\w)")
_BEGINS_LIST = re.compile(r"\A(\s*(?:\d+(?=[.)]))?)([-=:.)])")
_SOURCE = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(?:#(?P<number>\d+)| (?P<path>[\w./-]+))")


def plain(words: str) -> str:
    """The words as they are. A mention of GitHub's is cut by an empty comment."""
    escaped = _MARKS.sub(r"\\\1", words)
    return _MENTIONS.sub("@<!-- -->", _BEGINS_LIST.sub(r"\1\\\2", escaped))


def code(words: str) -> str:
    """The words as code on one line, also in a cell of a table."""
    fence = _fence(words, 1)
    edge = " " if words.startswith("`") or words.endswith("`") or not words.strip() else ""
    return f"{fence}{edge}{words}{edge}{fence}"


def block(lines: list[str], language: str = "") -> str:
    """The lines as a block of code."""
    fence = _fence("\n".join(lines), 3)
    return "\n".join([f"{fence}{language}", *lines, fence])


def source_link(source: str) -> str:
    """A source as a link: an address, `owner/repo#number`, or `owner/repo path`. Any other source is text."""
    if re.fullmatch(r"https://[\w./#?=&%:@~+-]+", source):
        return f"<{source}>"
    found = _SOURCE.fullmatch(source)
    if found is None:
        return plain(source)
    target = f"issues/{found['number']}" if found["number"] else f"blob/HEAD/{found['path']}"
    return f"[{source}](https://github.com/{found['repository']}/{target})"


def _fence(text: str, least: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)
