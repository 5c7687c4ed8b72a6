"""The changes: which places of the library can be changed, and how."""

from __future__ import annotations

import ast
import copy
import hashlib
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "constructs_lib"

NAMED = ("upstream", "nodes", "monitoring", "manifests", "talos", "constructs")
"""The rooms whose strings are names of keys, variables and objects."""

OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.Gt: ast.GtE,
    ast.Eq: ast.NotEq,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
}
OPPOSITES |= {after: before for before, after in OPPOSITES.items()}
NAMES = {"any": "all", "all": "any", "is_yes": "is_no", "is_no": "is_yes"}

Changes = Iterator[tuple[str, ast.AST, ast.AST]]
"""The operators that apply to a node, each with the node that is replaced and its replacement."""


@dataclass(frozen=True)
class Mutant:
    """One change: the bytes from ``start`` to ``end`` of a file become ``after``."""

    path: str
    line: int
    operator: str
    source: str
    column: int
    start: int
    end: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """The change without its line number, which moves."""
        return f"{self.path} {self.operator}: {self.source}  ## {self.column}: {self.before} -> {self.after}"

    def applied(self, text: bytes) -> bytes:
        """The file with the change."""
        return text[: self.start] + self.after.encode() + text[self.end :]

    def __str__(self) -> str:
        return self.key.replace(" ", f":{self.line} ", 1)


def changed(node: ast.AST, **fields: object) -> ast.AST:
    """A copy of a node with other fields."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def logic(node: ast.AST) -> Changes:
    """Comparisons, `and`, `or`, `not`, and conditions."""
    match node:
        case ast.Compare(ops=ops):
            for index, op in enumerate(ops):
                if type(op) in OPPOSITES:
                    yield "compare", node, changed(node, ops=[*ops[:index], OPPOSITES[type(op)](), *ops[index + 1 :]])
        case ast.BoolOp(op=op, values=values):
            yield "and-or", node, changed(node, op=ast.And() if isinstance(op, ast.Or) else ast.Or())
            for index in range(len(values)):
                rest = values[:index] + values[index + 1 :]
                yield "operand", node, changed(node, values=rest) if len(rest) > 1 else rest[0]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", node, operand
        case ast.If(test=test) if ast.unparse(test) != "TYPE_CHECKING":
            yield "condition", test, ast.UnaryOp(op=ast.Not(), operand=test)
        case ast.IfExp(body=body, orelse=orelse):
            yield "choice", node, changed(node, body=orelse, orelse=body)


def calls(node: ast.AST) -> Changes:
    """Names and keyword arguments of calls, the order of lists, and what a function returns."""
    match node:
        case ast.Name(id="any" | "all" as name):
            yield "any-all", node, changed(node, id=NAMES[name])
        case ast.Attribute(attr="is_yes" | "is_no" as name):
            yield "answer", node, changed(node, attr=NAMES[name])
        case ast.Call(func=ast.Attribute(attr="append") as append, args=args):
            yield "order", node, changed(node, func=changed(append, attr="insert"), args=[ast.Constant(0), *args])
        case ast.Call(keywords=[_, *_] as keywords):
            for index in range(len(keywords)):
                yield "keyword", node, changed(node, keywords=keywords[:index] + keywords[index + 1 :])
        case ast.List(elts=[first, second, *others]):
            yield "order", node, changed(node, elts=[second, first, *others])
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "return", value, ast.Constant(None)


def constants(node: ast.AST) -> Changes:
    """Booleans, whole numbers, and strings without spaces: names of keys, variables and objects."""
    match node:
        case ast.Constant(value=bool(value)):
            yield "boolean", node, ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield "integer", node, ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if len(value) > 1 and not re.search(r"\s", value):
            yield "string", node, ast.Constant(value + "0")


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: no docstrings, annotations, or lists of exports; no parts of f-strings, whose places Python 3.11 does not know."""
    for name, field in ast.iter_fields(tree):
        for child in field if isinstance(field, list) else [field]:
            match child:
                case ast.JoinedStr() | ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name(id="__all__")]):
                    continue
                case ast.AST() if name not in {"annotation", "returns"}:
                    yield child
                    yield from nodes(child)


def python_mutants(path: str, text: bytes, *, names: bool) -> Iterator[Mutant]:
    """The mutants of a module."""
    lines = text.splitlines(keepends=True)
    starts = [0, *itertools.accumulate(map(len, lines))]
    for node in nodes(ast.parse(text)):
        for operator, old, new in itertools.chain(logic(node), calls(node), constants(node)):
            if operator == "string" and not names:
                continue
            assert isinstance(old, ast.expr)
            assert old.end_lineno is not None
            assert old.end_col_offset is not None
            start, end = starts[old.lineno - 1] + old.col_offset, starts[old.end_lineno - 1] + old.end_col_offset
            before, after, source = ast.unparse(old), ast.unparse(ast.fix_missing_locations(new)), lines[old.lineno - 1].decode().strip()
            column = old.col_offset - len(lines[old.lineno - 1]) + len(lines[old.lineno - 1].lstrip())
            yield Mutant(
                path, old.lineno, operator, source, column, start, end, before, after if isinstance(new, ast.Constant) else f"({after})"
            )


def table_mutants(path: str, text: bytes) -> Iterator[Mutant]:
    """The mutants of a table in JSON: each name and value but those that say where the table is from."""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not re.search(rb'"(read_on|sources?)":|"siderolabs/', line):
            for token in re.finditer(rb'"[^"]+"|(?<=[\[ ])\d+(?=[],\n])', line):
                before = token[0].decode()
                after = f'{before[:-1]}0"' if before[0] == '"' else str(int(before) + 1)
                start = sum(map(len, text.splitlines(keepends=True)[: number - 1])) + token.start()
                yield Mutant(path, number, "table", line.decode().strip(), token.start(), start, start + len(token[0]), before, after)


def mutants(root: Path, room: str, rooms: Iterable[str] = ()) -> list[Mutant]:
    """The mutants of a room: of its modules, and of its tables. The modules of a room inside the room, one of ``rooms``, are not the room's own."""
    folder = root / PACKAGE / room
    inner = [root / PACKAGE / each for each in rooms if each.startswith(f"{room}/")]
    modules = [path for path in sorted(folder.rglob("*.py")) if not any(each in path.parents for each in inner)]
    found = [python_mutants(str(path.relative_to(root)), path.read_bytes(), names=room in NAMED) for path in modules]
    if room == "upstream":
        found += [table_mutants(str(path.relative_to(root)), path.read_bytes()) for path in sorted(folder.rglob("*.json"))]
    return list(itertools.chain(*found))


def sample(found: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """At most ``count`` mutants of a room, each operator in turn. A mutant's place does not depend on the others: the sample moves little with the source."""
    kinds: dict[str, list[Mutant]] = defaultdict(list)
    for mutant in sorted(
        found,
        key=lambda mutant: hashlib.sha256(
            f"{seed} {mutant.path} {mutant.operator}: {mutant.source}  ## {mutant.before} -> {mutant.after}".encode()
        ).digest(),
    ):
        kinds[mutant.operator].append(mutant)
    turns = itertools.zip_longest(*(kinds[operator] for operator in sorted(kinds)))
    return list(itertools.islice((mutant for turn in turns for mutant in turn if mutant), count))
