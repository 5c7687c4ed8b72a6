"""Templates: the text of a quoted string, a heredoc, or a file of `templatefile`.

An expression without a known value stays in the text as `${…}`, which the reader of YAML knows as unknown. An `if` with
a known condition is decided; every other directive stays as `{% … %}`, and the lines inside are unsure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ....arguments.patterns import pattern
from ....yaml.unknown import GAP, Unknown
from .values import LONGEST, text_in, unknown

Evaluate = Callable[[str], Any]
"""A function from the text of an expression to its value."""

_MARK = pattern(r"\$\$\{|%%\{|[$%]\{")
_IF = pattern(r"if\b(.*)", re.DOTALL)
_ALONE = pattern(r"(?m)^([ \t]*)(\$\{[^{}\n]*\})[ \t]*$")


def rendered(text: str, evaluate: Evaluate, literal: Callable[[str], str] = str) -> str | Unknown:
    """The text of a template. `literal` gives the text of its literal parts."""
    out = _Output()
    for kind, part in _parts(text):
        if kind == "%":
            _direct(part.strip("~ \t\n"), out, evaluate)
        elif kind == "$":
            out.add(_value(part.strip("~"), evaluate) if out.is_kept else "", lines=part.count("\n"))
        else:
            out.add(literal(part) if out.is_kept else "", lines=part.count("\n"))
        if out.size > LONGEST:
            return Unknown()
    return out.text()


class _Output:
    """The text so far, and the conditions that its next part stands in: true, false, or None for an unknown one."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._known: list[str] = []
        self.size = 0
        self.conditions: list[bool | None] = []

    @property
    def is_kept(self) -> bool:
        return False not in self.conditions

    def add(self, value: str | Unknown, lines: int = 0) -> None:
        """Add a text, or as many lines as a text has that is left out."""
        text, known = (value.text, value.known) if isinstance(value, Unknown) else (value, value)
        if not text and lines:
            text = known = "\n" * lines
        self.size += len(text)
        self._text.append(text)
        self._known.append(known)

    def text(self) -> str | Unknown:
        """The whole text. An unknown value that is alone in its line has the marks of a template of YAML."""
        text, known = "".join(self._text), "".join(self._known)
        if "\n" in text:
            text = _ALONE.sub(r"\1{{ \2 }}", text)
        return Unknown(text, known) if GAP in known else text


def _direct(directive: str, out: _Output, evaluate: Evaluate) -> None:
    """Follow a directive. One that depends on unknown values stays, for the reader of YAML."""
    word, _, _ = directive.partition(" ")
    if match := _IF.match(directive):
        condition = evaluate(match[1]) if out.is_kept else False
        out.conditions.append(condition if isinstance(condition, bool) else None)
    elif word == "for":
        out.conditions.append(None)
    elif word == "else" and out.conditions:
        last = out.conditions[-1]
        out.conditions[-1] = None if last is None else not last
    elif word in {"endif", "endfor"} and out.conditions:
        if out.conditions.pop() is not None:
            return
    else:
        return
    if (word in {"endif", "endfor"} or out.conditions[-1] is None) and out.is_kept:
        out.add(Unknown(f"{{% {' '.join(directive.split())} %}}", GAP))


def _value(written: str, evaluate: Evaluate) -> str | Unknown:
    value = text_in(evaluate(written))
    return unknown(written.strip()) if value is None else value


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The literal parts of a template, its expressions (`$`) and its directives (`%`)."""
    position = 0
    while (match := _MARK.search(text, position)) is not None:
        yield "", text[position : match.start()]
        position = match.end()
        if len(match[0]) > len("${"):
            yield "", match[0][1:]
            continue
        end = _end(text, position)
        yield match[0][0], text[position:end]
        position = end + 1
    yield "", text[position:]


def _end(text: str, start: int) -> int:
    """The position of the bracket that ends an expression."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}]', text[start : start + 10_000]):
        if match[0] == "}" and depth == 0:
            return start + match.start()
        depth += (match[0] == "{") - (match[0] == "}")
    return len(text)
