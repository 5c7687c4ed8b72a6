"""Text of strangers in Markdown and in Mermaid: shown, and never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...arguments.printable import printable

_LONGEST_LABEL = 56
_WIDEST_NAME = 36
_PLAIN = " _/:=,()+-@%*.?"


def code(text: object) -> str:
    """A code span, which also stands in a table."""
    shown = printable(f"{text}").replace("|", "\\|")
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    edge = " " if not shown.strip() or shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{edge}{shown or ' '}{edge}{fence}"


def prose(text: str) -> str:
    """A sentence without marks of Markdown and HTML."""
    return re.sub(r"([\\`*_{}\[\]|~#!])", r"\\\1", printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def unlinked(text: str) -> str:
    """Prose in which GitHub makes no mention, no reference and no link: it looks for them after it has read the marks, also in
    escaped characters. A space without width goes behind each start of one.

    Source: https://github.github.com/gfm/#autolinks-extension- and https://docs.github.com/en/get-started/writing-on-github (2026-11-28)
    """
    return re.sub(r"(@|\\#|GH-|www(?=\.))", "\\1\u200b", prose(text).replace("://", ":\u200b//"), flags=re.IGNORECASE)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; none without rows. The cells are Markdown."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines] if lines else []


def shell(lines: Iterable[object]) -> list[str]:
    """A block of commands; none without commands."""
    commands = [printable(f"{line}") for line in lines]
    return ["```bash", *commands, "```"] if commands else []


def label(*lines: str) -> str:
    """A label in a Mermaid diagram, of short lines. Every character that Mermaid may read is an entity."""
    return f'"{_lines(lines)}"'


def titled_label(title: str, *lines: str) -> str:
    """A label in a Mermaid diagram whose first line is bold."""
    return f'"<b>{_lines((title,))}</b>{"<br>" if any(lines) else ""}{_lines(lines)}"'


def _lines(lines: Iterable[str]) -> str:
    return "<br>".join(_entities(part) for line in lines if line for part in _broken(_shortened(printable(line))))


def _broken(text: str) -> list[str]:
    """A long name in two lines: Mermaid wraps between words alone, and a browser's font may be wide. The break is
    behind the hyphen nearest to the middle."""
    places = [index + 1 for index, each in enumerate(text) if each == "-"]
    if " " in text or len(text) <= _WIDEST_NAME or not places:
        return [text]
    middle = min(places, key=lambda place: abs(2 * place - len(text)))
    return [text[:middle], text[middle:]]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def _entities(text: str) -> str:
    # Two dollar signs start a formula, also as entities: a space without width goes between them.
    text = re.sub(r"\$(?=\$)", "$\u200b", text)
    plain = "".join(each if each.isalnum() or each in _PLAIN or each == "…" else f"#{ord(each)};" for each in text)
    # A line that starts like a list, or has a space behind a dot, is Markdown for Mermaid.
    return re.sub(r"^[-*+]|\.(?= )", lambda found: f"#{ord(found[0])};", plain)
