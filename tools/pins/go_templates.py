"""Parser of Go templates, as far as Helm charts use them: blocks, pipelines, and the operands of each command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_ACTION = re.compile(r"""\{\{-?\s*(?:/\*.*?\*/|((?:"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'|[^"`'])*?))\s*-?\}\}""", re.DOTALL)
_KEYWORD = re.compile(r"\w*")
_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<text>"(?:\\.|[^"\\])*"|`[^`]*`)|(?P<literal>'(?:\\.|[^'\\])*'|[-+]?\d[\w.]*)|(?P<mark>:=|[=|(),])"""
    r"""|(?P<variable>\$\w*)|(?P<fields>(?:\.\w+)+)|(?P<dot>\.)|(?P<word>\w+)"""
)


@dataclass(frozen=True)
class Word:
    """A function by its name."""

    name: str


@dataclass(frozen=True)
class Text:
    """A string."""

    text: str


@dataclass(frozen=True)
class Literal:
    """A number or a character."""

    text: str


@dataclass(frozen=True)
class Path:
    """Fields of the dot ("."), of a variable ("$", "$name") or of a pipeline in parentheses."""

    base: str | Pipeline
    fields: tuple[str, ...] = ()


Operand = Word | Text | Literal | Path


@dataclass(frozen=True)
class Pipeline:
    """Commands, each of which is handed the result of the one before; `variables` are those that it declares or assigns."""

    commands: tuple[tuple[Operand, ...], ...]
    variables: tuple[str, ...] = ()
    assigns: bool = False


@dataclass
class Block:
    """One action and what stands inside it: `kind` is "print", "template", "if", "with" or "range"."""

    kind: str
    pipeline: Pipeline
    name: str = ""
    body: list[Block] = field(default_factory=list)
    otherwise: list[Block] = field(default_factory=list)


@dataclass
class Template:
    """The blocks of one file, and the templates that it defines, by their names."""

    blocks: list[Block]
    defined: dict[str, list[Block]]


def parse(source: str) -> Template:
    """Parse one file. Raises ValueError where it is no template."""
    defined: dict[str, list[Block]] = {}
    actions = (match[1].strip() for match in _ACTION.finditer(source) if match[1] is not None)
    blocks, end = _blocks(actions, defined)
    if end is not None:
        raise ValueError(f"unexpected {end!r}")
    return Template(blocks, defined)


def _blocks(actions: Iterator[str], defined: dict[str, list[Block]]) -> tuple[list[Block], str | None]:
    """The blocks up to the `end` or `else` that closes them, and that action; None at the end of the file."""
    blocks: list[Block] = []
    for action in actions:
        keyword, rest = _split(action)
        if keyword in ("end", "else"):
            return blocks, action
        if keyword in ("define", "block"):
            (name, *operands), *_ = _pipeline(rest).commands
            body, _ = _blocks(actions, defined)
            defined[_text(name)] = body
            if keyword == "block":
                blocks.append(Block("template", Pipeline((tuple(operands),)), _text(name)))
        elif keyword == "template":
            (name, *operands), *_ = _pipeline(rest).commands
            blocks.append(Block("template", Pipeline((tuple(operands),) if operands else ()), _text(name)))
        elif keyword in ("if", "with", "range"):
            blocks.append(_branch(keyword, rest, actions, defined))
        elif keyword not in ("break", "continue"):
            blocks.append(Block("print", _pipeline(action)))
    return blocks, None


def _split(action: str) -> tuple[str, str]:
    """The first word of an action, "" where it begins with anything else, and what is behind it."""
    match = _KEYWORD.match(action)
    keyword = match[0] if match else ""
    return keyword, action[len(keyword) :].strip()


def _branch(kind: str, condition: str, actions: Iterator[str], defined: dict[str, list[Block]]) -> Block:
    block = Block(kind, _pipeline(condition))
    block.body, end = _blocks(actions, defined)
    if end is None:
        raise ValueError(f"{kind} {condition} has no end")
    if end.startswith("else"):
        keyword, rest = _split(_split(end)[1])
        if keyword:
            block.otherwise = [_branch(keyword, rest, actions, defined)]
        else:
            block.otherwise, _ = _blocks(actions, defined)
    return block


def _text(operand: Operand) -> str:
    if not isinstance(operand, Text):
        raise TypeError(f"{operand} is no name of a template")
    return operand.text


def _pipeline(source: str) -> Pipeline:
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            raise ValueError(f"{source[at:]!r} in {source!r} can't be read")
        tokens.append((str(match.lastgroup), match[0]))
        at = match.end()
    pipeline, end = _commands(tokens, 0)
    if end != len(tokens):
        raise ValueError(f"{source!r} closes more parentheses than it opens")
    return pipeline


def _commands(tokens: list[tuple[str, str]], at: int) -> tuple[Pipeline, int]:
    """The pipeline that begins at a token, and the place behind it: the end, or its closing parenthesis."""
    commands: list[tuple[Operand, ...]] = []
    operands: list[Operand] = []
    variables: tuple[str, ...] = ()
    assigns = False
    before = ""  # a field belongs to the variable or the closing parenthesis that it touches
    while at < len(tokens) and tokens[at][1] != ")":
        kind, token = tokens[at]
        at += 1
        if token == "|":
            commands.append(tuple(operands))
            operands = []
        elif token in (":=", "="):
            variables = tuple(operand.base for operand in operands if isinstance(operand, Path) and isinstance(operand.base, str))
            assigns = token == "="
            operands = []
        elif token == "(":
            inner, at = _commands(tokens, at)
            at += 1
            operands.append(Path(inner))
        elif kind == "fields":
            base = operands.pop() if before in ("(", "variable") else Path(".")
            operands.append(Path(base.base, tuple(token[1:].split("."))) if isinstance(base, Path) else base)
        elif kind in _OPERANDS:
            operands.append(_OPERANDS[kind](token))
        before = token if token == "(" else kind
    if operands:
        commands.append(tuple(operands))
    return Pipeline(tuple(commands), variables, assigns), at


_OPERANDS: dict[str, Callable[[str], Operand]] = {
    "variable": Path,
    "dot": Path,
    "text": lambda token: Text(token[1:-1]),
    "word": Word,
    "literal": Literal,
}
