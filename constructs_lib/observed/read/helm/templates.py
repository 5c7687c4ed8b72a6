"""YAML templates (Helm, Jinja, makejinja), converted to plain YAML.

A value with a template expression becomes a quoted string, which reads as `Unknown`. A control line, such as
`{% if … %}`, is removed. The lines of its block may not be in the output, so their values are `Unknown` too. A text
that is still not YAML is skipped.
"""

from __future__ import annotations

import re

# Most repositories set makejinja's delimiters to `#{ }#`, `#% %#` and `#| |#`, so that the file stays YAML.
MARKS = re.compile(r"\{\{|\{%|#\{|#%")
_OPENING = r"(?:\{\{-?|\{%[-+]?|#%[-+]?)\s*"
_CLOSING = r".*(?:-?\}\}|[-+]?%\}|[-+]?%#)\s*$"
_WORD = re.compile(rf"\s*{_OPENING}(\w+|/\*|\$\w+\s*:?=){_CLOSING}")
_COMMENT = re.compile(r"\s*(?:\{#.*#\}|#\|.*\|?#|\{\{-?\s*/\*.*\*/\s*-?\}\})\s*$")
_OPEN = {"if", "for", "range", "with", "block", "macro", "define", "filter", "call"}
_CLOSE = {"end", "endif", "endfor", "endwith", "endblock", "endmacro", "endfilter", "endcall"}
_BESIDE = {"else", "elif", "set", "import", "from", "extends"}
_ALONE = re.compile(r"\s*(?:\{\{.*\}\}|#\{.*\}#)\s*$")
_VALUE = re.compile(r"""^(\s*(?:- )*(?:(?:[\w./-]+|"[^"]*"|'[^']*'):[ ]+)?)([^\s"'|>\[#&!*].*|#\{.*)$""")


def plain_yaml(text: str) -> tuple[str, set[int]]:
    """The text with expressions quoted and control lines emptied, and the numbers (from 0) of the lines within
    blocks."""
    lines: list[str] = []
    unsure: set[int] = set()
    depth, above = 0, None
    for number, line in enumerate(text.split("\n")):
        word = _control_word(line)
        depth = max(0, depth + blocks_opened(line))
        control = word in _OPEN | _CLOSE | _BESIDE or word.endswith("=") or _COMMENT.match(line)
        if not control and _ALONE.match(line):
            control = True
            _fill(lines, above, line.strip())
        lines.append("" if control else _quoted(line))
        above = number if lines[-1].strip() else above
        if depth:
            unsure.add(number)
    return "\n".join(lines), unsure


def blocks_opened(line: str) -> int:
    """The change in the number of open blocks by a line: 1, 0 or -1."""
    word = _control_word(line)
    return 1 if word in _OPEN else -1 if word in _CLOSE else 0


def _control_word(line: str) -> str:
    return match[1] if (match := _WORD.match(line)) else ""


def _fill(lines: list[str], above: int | None, value: str) -> None:
    """Move an expression that is alone on its line to the key above it, if the key has no value yet."""
    if above is not None and lines[above].endswith(":"):
        lines[above] += " " + _in_quotes(value)


def _quoted(line: str) -> str:
    if not MARKS.search(line) or not (match := _VALUE.match(line)):
        return line
    before, value = match.groups()
    if not before.strip() or not MARKS.search(value):
        return line
    return before + _in_quotes(value.rstrip())


def _in_quotes(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
