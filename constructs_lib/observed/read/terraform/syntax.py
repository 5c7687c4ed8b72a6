"""HCL as blocks, attributes and expressions, each with its line. python-hcl2 parses the expressions.

A file is cut into its top-level blocks first: a block is parsed only when it is needed, and an error in one block loses
no other. Heredocs are cut out before that, because python-hcl2 gives their text as it is.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ....arguments.patterns import pattern
from ....yaml.located import Place

HEREDOC = "heredoc_"
"""The function call that stands for a heredoc in a parsed text: its argument is the number of the heredoc."""
LARGEST = 1_000_000
"""The most characters of a file. Handwritten files are smaller, and python-hcl2 needs some seconds for this many."""

_KINDS = "resource|data|ephemeral|module|locals|variable|output|provider|terraform|check|import|moved|removed"
_HEADER = pattern(rf'^([ \t]*)({_KINDS})((?:[ \t]+(?:"[^"\n]*"|[\w-]+))*)[ \t]*\{{', re.MULTILINE)
_LABEL = pattern(r'"([^"\n]*)"|([\w-]+)')
_OPENED = pattern(r"<<(-?)([A-Za-z_][\w.-]*)[ \t]*$")
_QUOTED = pattern(r'"(?:[^"\\]|\\.)*"')
_TOKEN = pattern(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|//[^\n]*|/\*|[{}()\[\]]')

SPOKEN = pattern(r"\btalos_|\bhelm_release\b|\bkubernetes_|\bkubectl_manifest\b")
"""The words of the resources that are read."""


def is_available() -> bool:
    """Whether python-hcl2 is installed."""
    return importlib.util.find_spec("hcl2") is not None


class HclError(ValueError):
    """A text that is not HCL, with the line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class Heredoc(NamedTuple):
    """The text of a heredoc as it is written, without its indentation for `<<-`, with the line of its marker."""

    text: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of one top-level block, in which calls of `HEREDOC` stand for heredocs."""

    file: str
    text: str
    line: int
    heredocs: list[Heredoc]

    def place(self, tree: Any, around: int = 1) -> Place:
        """The place of a part of the tree."""
        meta = getattr(tree, "meta", tree)
        return self.file, self.line - 1 + (getattr(meta, "line", None) or around)

    def written(self, tree: Any) -> str:
        """The text of a part of the tree, in one line."""
        start, end = getattr(tree.meta, "start_pos", None), getattr(tree.meta, "end_pos", None)
        return "" if start is None else " ".join(self.text[start:end].split())


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """An expression with the text that it stands in."""

    tree: Any
    source: Source

    @property
    def place(self) -> Place:
        """The place of the expression."""
        return self.source.place(self.tree)


@dataclass(slots=True, eq=False)
class Body:
    """The attributes and the blocks of a block. `lines` has the place of each attribute's name."""

    place: Place
    attributes: dict[str, Expression] = field(default_factory=dict)
    lines: dict[str, Place] = field(default_factory=dict)
    blocks: list[tuple[str, tuple[str, ...], Body]] = field(default_factory=list)

    def inner(self, kind: str) -> Iterator[Body]:
        """The blocks of a kind."""
        return (body for name, _, body in self.blocks if name == kind)


@dataclass(slots=True, eq=False)
class Block:
    """A top-level block. Its body is parsed when it is asked for."""

    kind: str
    labels: tuple[str, ...]
    source: Source
    _body: Body | None = None

    @property
    def place(self) -> Place:
        """The place of the block."""
        return self.source.file, self.source.line

    def body(self) -> Body:
        """The body of the block.

        Raises:
            HclError: The block is not HCL.
        """
        if self._body is None:
            block = next(iter(trees(parsed(self.source.text, self.source.line).children[0])), None)
            if block is None or block.data != "block":
                raise HclError(self.source.line, "not HCL")
            self._body = _body(block, self.source)
        return self._body


def parsed(text: str, line: int) -> Any:
    """The tree of python-hcl2 for a text that begins at this line."""
    from hcl2 import parses_to_tree
    from lark.exceptions import LarkError

    try:
        return parses_to_tree(text)
    except LarkError as error:
        found = getattr(error, "line", None)
        last = line + text.count("\n")
        raise HclError(last if found is None or found < 1 else min(line - 1 + found, last), "not HCL") from None


def blocks(text: str, file: Path | str) -> Iterator[Block]:
    """The top-level blocks of a file.

    Raises:
        HclError: A heredoc has no end.
    """
    text, heredocs = _without_heredocs(text.replace("\r\n", "\n"))
    headers = [*_headers(text)]
    for index, match in enumerate(headers):
        end = headers[index + 1].start() if index + 1 < len(headers) else len(text)
        labels = tuple(quoted or bare for quoted, bare in _LABEL.findall(match[3]))
        source = Source(str(file), text[match.start() : end], text.count("\n", 0, match.start()) + 1, heredocs)
        yield Block(match[2], labels, source)


def attributes(text: str, file: str) -> dict[str, Expression]:
    """The attributes of a file of values (*.tfvars).

    Raises:
        HclError: The text is not HCL.
    """
    plain, heredocs = _without_heredocs(text.replace("\r\n", "\n"))
    source = Source(file, plain, 1, heredocs)
    return _body(parsed(plain, 1), source).attributes


def _without_heredocs(text: str) -> tuple[str, list[Heredoc]]:
    """The text with a call in place of each heredoc, and as many lines as before."""
    found: list[Heredoc] = []
    result: list[str] = []
    lines = iter(enumerate(text.split("\n"), 1))
    for number, line in lines:
        opened = _OPENED.search(line) if "<<" in line else None
        if opened is None or _is_comment(line[: opened.start()]):
            result.append(line)
            continue
        inside: list[str] = []
        for _, each in lines:
            if each.strip() == opened[2]:
                break
            inside.append(each)
        else:
            raise HclError(number, "not HCL: a heredoc without its end")
        result.append(f"{line[: opened.start()]}{HEREDOC}({len(found)})")
        result += [""] * (len(inside) + 1)
        found.append(Heredoc("".join(f"{each}\n" for each in _dedented(inside, is_trimmed=bool(opened[1]))), number))
    return "\n".join(result), found


def _is_comment(before: str) -> bool:
    plain = _QUOTED.sub("", before)
    return "#" in plain or "//" in plain


def _dedented(lines: list[str], *, is_trimmed: bool) -> list[str]:
    indents = [len(each) - len(each.lstrip()) for each in lines if each.strip()]
    least = min(indents, default=0) if is_trimmed else 0
    return [each[least:] for each in lines]


def _headers(text: str) -> Iterator[re.Match[str]]:
    """The beginnings of the top-level blocks: at the margin, or outside of all brackets."""
    depth, position = 0, 0
    for match in _HEADER.finditer(text):
        depth = _depth(text, position, match.start(), depth)
        position = match.start()
        if not match[1] or depth <= 0:
            depth = 0
            yield match


def _depth(text: str, start: int, end: int, depth: int) -> int:
    while (match := _TOKEN.search(text, start, end)) is not None:
        start = match.end()
        if match[0] == "/*":
            start = closed + 2 if (closed := text.find("*/", start, end)) >= 0 else end
        else:
            depth += (match[0] in "{([") - (match[0] in "})]") if len(match[0]) == 1 else 0
    return depth


def trees(tree: Any) -> Iterator[Any]:
    """The parts of a tree that are no tokens and no comments."""
    return (each for each in tree.children if hasattr(each, "children") and each.data != "new_line_or_comment")


def _body(tree: Any, source: Source) -> Body:
    """The body of a block, of a file, or of the inner tree of one."""
    inner = next(each for each in trees(tree) if each.data == "body")
    result = Body(source.place(tree))
    for each in trees(inner):
        parts = [*trees(each)]
        if each.data == "attribute":
            name = str(parts[0].children[0])
            result.attributes[name], result.lines[name] = Expression(parts[-1], source), source.place(each)
        elif each.data == "block":
            names = tuple(_name(part) for part in parts if part.data != "body")
            result.blocks.append((names[0], names[1:], _body(each, source)))
    return result


def _name(tree: Any) -> str:
    """The name in an identifier, or in a string without expressions."""
    return "".join(_name(each) if hasattr(each, "children") else str(each) for each in tree.children).strip('"')
