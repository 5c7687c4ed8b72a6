"""Templates of YAML (Helm, Jinja, makejinja), made into YAML where what they will become is sure.

A value that a template fills in becomes a quoted string, which reads as `Unknown`. A line of control, such as `{% if … %}`, is left out, and
what stands between it and its end may not be there: its values are `Unknown` too. Whatever is no YAML after that is skipped.
"""

from __future__ import annotations

import re

# makejinja is set to `#{ }#`, `#% %#` and `#| |#` in most repositories that use it on YAML, so that the file stays YAML.
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


def made_plain(text: str) -> tuple[str, set[int]]:
    """The text with its values quoted and its control left out, line for line, and the lines that may not be there, counted from 0."""
    lines: list[str] = []
    unsure: set[int] = set()
    depth = 0
    for number, line in enumerate(text.split("\n")):
        word = _control_word(line)
        depth = max(0, depth + blocks_opened(line))
        control = word in _OPEN | _CLOSE | _BESIDE or word.endswith("=") or _COMMENT.match(line)
        if not control and _ALONE.match(line):
            control = True
            _fill(lines, line.strip())
        lines.append("" if control else _quoted(line))
        if depth:
            unsure.add(number)
    return "\n".join(lines), unsure


def blocks_opened(line: str) -> int:
    """How many more conditions and loops are open after a line than before it."""
    word = _control_word(line)
    return 1 if word in _OPEN else -1 if word in _CLOSE else 0


def _control_word(line: str) -> str:
    return found[1] if (found := _WORD.match(line)) else ""


def _fill(lines: list[str], value: str) -> None:
    """Give what a line alone makes to the key above it, where that has nothing yet."""
    above = next((number for number in range(len(lines) - 1, -1, -1) if lines[number].strip()), None)
    if above is not None and lines[above].endswith(":"):
        lines[above] += " " + _in_quotes(value)


def _quoted(line: str) -> str:
    if not MARKS.search(line) or not (found := _VALUE.match(line)):
        return line
    before, value = found.groups()
    if not before.strip() or not MARKS.search(value):
        return line
    return before + _in_quotes(value.rstrip())


def _in_quotes(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
