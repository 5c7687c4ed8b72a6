"""The commands and here-documents in the shell blocks of a guide."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, groupby, islice, takewhile

SHELLS = {"sh", "bash", "zsh", "shell", "console", "shell-session", "shellsession", "terminal"}
_HERE = re.compile(r"(?<!<)<<(?!<)-?[ \t]*(?P<quote>[\"'\\]?)(?P<word>\w+)[\"']?")
_PROMPT = re.compile(r"\s*[$%][ \t]+")
_SUBSTITUTION = re.compile(r"\$\([^()\n]*\)|`[^`\n]*`")
_FILLED_IN = re.compile(rf"\\([$`\\])|\$(\w+)|{_SUBSTITUTION.pattern}")
_TARGET = re.compile(r"(?:>|\btee[ \t](?:-a[ \t])?)[ \t]*([\w./-]+)")
_OPERATORS = set("|&;()")
_BEFORE = re.compile(r"sudo|env|-E|[A-Za-z_]\w*=.*", re.DOTALL)
"""A word before the name of a command: a variable of its environment, or the command that runs the command."""
LONGEST = 20_000
"""The longest line whose words are read, in characters: the words of a line take the square of the time."""


@dataclass(frozen=True, slots=True)
class HereDocument:
    """A here-document: its text, the line of its beginning, and the file that it is written to. `name` is empty without a file."""

    text: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command with its words, and the here-document of its line."""

    words: tuple[str, ...]
    line: int
    document: HereDocument | None


def commands(text: str, first: int, skip: Callable[[str, int], None] = lambda _reason, _line: None) -> Iterator[Command]:
    """The commands of a shell script or a console session that begins at this line: those of Helm, those of kubectl, and
    those with a here-document. `skip` gets the reason and the line of a command that is not read.
    """
    lines = text.split("\n")
    index = 0
    while index < len(lines):
        start, parts = index, [_PROMPT.sub("", lines[index], count=1)]
        index += 1
        while parts[-1].endswith("\\") and index < len(lines):
            parts[-1] = parts[-1][:-1]
            parts.append(lines[index])
            index += 1
        line, document = " ".join(parts), None
        if here := _HERE.search(line):
            inner, begins = _here_lines(lines, index, here["word"]), first + index
            index += len(inner) + 1
            written = "\n".join([*inner, ""])
            line = line[: here.start()] + line[here.end() :]
            document = HereDocument(written if here["quote"] else _expanded(written), begins, _target(line))
        if not (here or "helm" in line or "kubectl" in line):
            continue
        if len(line) > LONGEST:
            skip(f"a command of more than {LONGEST} characters", first + start)
            line = ":" if here else ""  # a command that does nothing has the here-document
        for words in _split(line):
            yield Command(words, first + start, document)


def _here_lines(lines: list[str], index: int, word: str) -> list[str]:
    """The lines up to the delimiter, which a guide may indent."""
    return list(takewhile(lambda line: line.strip() != word, islice(lines, index, None)))


def _split(line: str) -> Iterator[tuple[str, ...]]:
    """The words of each command in a line."""
    lexer = shlex.shlex(_SUBSTITUTION.sub("${command}", line), posix=True, punctuation_chars="".join(_OPERATORS))
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(takewhile(lambda word: not word.startswith("#"), lexer))
    except ValueError:  # a quotation without an end
        return
    for is_operator, group in groupby(words, lambda word: set(word) <= _OPERATORS):
        if not is_operator:
            yield tuple(dropwhile(_BEFORE.fullmatch, group))


def _target(line: str) -> str:
    """The file that the line writes: the word behind `>` or `tee`."""
    return match[1] if (match := _TARGET.search(line)) else ""


def _expanded(text: str) -> str:
    """The text of a here-document whose delimiter has no quotes: variables and substitutions become `${…}`, which reads as unknown."""
    return _FILLED_IN.sub(lambda match: match[1] or f"${{{match[2] or 'command'}}}", text)
