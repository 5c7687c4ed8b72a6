"""The values that the templates of a Helm chart read: each path below `.Values`, and what is done with it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from .conditions import ALWAYS, UNKNOWN, Alternatives, Test, all_of, any_of, both, either
from .go_templates import Block, Literal, Operand, Path, Pipeline, Template, Text, Word, parse

_DEEPEST_PATH, _DEEPEST_CALL, _LONGEST_LIST = 8, 12, 40
_COMPARED = {"eq", "ne", "lt", "gt", "le", "ge", "has", "regexMatch"}
# Functions whose result is one of their arguments, or made of them.
_HANDED_ON = {
    "append", "and", "coalesce", "compact", "concat", "deepCopy", "default", "first", "fromYaml", "keys", "last", "merge", "mergeOverwrite",
    "mustAppend", "mustDeepCopy", "mustMerge", "omit", "or", "pick", "prepend", "required", "rest", "set", "sortAlpha", "splitList", "ternary",
    "toYaml", "uniq", "values",
}  # fmt: skip
_ITEM = "[]"


@dataclass(frozen=True)
class Value:
    """What an expression may stand for: the context of the chart, paths below `.Values`, and a dict or a list of such."""

    is_context: bool = False
    paths: tuple[tuple[str, ...], ...] = ()
    entries: tuple[tuple[str, Value], ...] = ()
    items: tuple[Value, ...] = ()

    def field(self, name: str) -> Value:
        """What stands below it by this name."""
        paths = tuple((*path, name) for path in self.paths)
        if self.is_context and name == "Values":
            paths += ((),)
        return Value(paths=paths).merged(dict(self.entries).get(name, NOTHING))

    def item(self) -> Value:
        """What any one item of it is."""
        value = Value(paths=tuple((*path, _ITEM) for path in self.paths))
        for inner in (*self.items, *(entry for _, entry in self.entries)):
            value = value.merged(inner)
        return value

    def merged(self, other: Value) -> Value:
        """What may be the one or the other."""
        if other in (self, NOTHING):
            return self
        if self == NOTHING:
            return other
        entries = dict(self.entries)
        for name, value in other.entries:
            entries[name] = entries.get(name, NOTHING).merged(value)
        paths = dict.fromkeys(path for path in (*self.paths, *other.paths) if len(path) <= _DEEPEST_PATH)
        items = tuple(dict.fromkeys((*self.items, *other.items)))[:_LONGEST_LIST]
        return Value(self.is_context or other.is_context, tuple(paths), tuple(entries.items()), items)


NOTHING = Value()
CONTEXT = Value(is_context=True)


@dataclass
class Reader:
    """Walks the templates of one chart, and notes in `uses` what is done with each path: a function's name, "print", "truth" and the like,
    and in `conditions` under which conditions."""

    defined: dict[str, list[Block]]
    uses: dict[str, set[str]] = field(default_factory=dict)
    conditions: dict[str, Alternatives] = field(default_factory=dict)
    called: set[tuple[str, Value, Alternatives]] = field(default_factory=set)

    def note(self, value: Value, use: str, condition: Alternatives) -> None:
        """Note a use of a value, and of all that it holds."""
        for path in map(".".join, value.paths):
            self.uses.setdefault(path, set()).add(use)
            self.conditions[path] = either(self.conditions.get(path, frozenset()), condition)
        for inner in (*value.items, *(entry for _, entry in value.entries)):
            self.note(inner, use, condition)


@dataclass(frozen=True)
class Scope:
    """Where a block stands: its dot, the `$` of its template, the variables, how many templates called each other up to it, and the conditions
    of the blocks around it."""

    reader: Reader
    dot: Value
    top: Value
    variables: dict[str, Value] = field(default_factory=dict)
    depth: int = 0
    condition: Alternatives = ALWAYS

    def within(self, dot: Value | None = None, condition: Alternatives = ALWAYS) -> Scope:
        """The inside of a block, which sees the variables and declares its own."""
        around = both(self.condition, condition)
        return replace(self, dot=self.dot if dot is None else dot, variables=dict(self.variables), condition=around)

    def walk(self, blocks: Iterable[Block]) -> None:
        """Read blocks in their order."""
        for block in blocks:
            if block.kind == "template":
                self.call(block.name, self.pipeline(block.pipeline, "template"))
            elif block.kind == "print":
                self.pipeline(block.pipeline, "print")
            elif block.kind == "range":
                self._range(block)
            else:
                self._branch(block)

    def _range(self, block: Block) -> None:
        inner = self.within()
        item = inner.pipeline(block.pipeline, "range").item()
        if block.pipeline.variables:
            *index, last = block.pipeline.variables
            inner.variables.update(dict.fromkeys(index, NOTHING))
            inner.variables[last] = item
        inner.within(item).walk(block.body)
        self.within().walk(block.otherwise)

    def _branch(self, block: Block) -> None:
        inner, test = self.within(), self.test(block.pipeline)
        value = inner.pipeline(block.pipeline, "truth")
        inner = replace(inner, dot=value if block.kind == "with" else inner.dot, condition=both(self.condition, test.succeeds))
        other = self.within(condition=test.fails)
        inner.walk(block.body)
        other.walk(block.otherwise)
        for name in self.variables:
            self.variables[name] = self.variables[name].merged(inner.variables[name]).merged(other.variables[name])

    def call(self, name: str, dot: Value) -> None:
        """Read a template that is defined somewhere, once for each value that it is called with under a condition."""
        call = (name, dot, self.condition)
        if name in self.reader.defined and self.depth <= _DEEPEST_CALL and call not in self.reader.called:
            self.reader.called.add(call)
            Scope(self.reader, dot, dot, depth=self.depth + 1, condition=self.condition).walk(self.reader.defined[name])

    def test(self, pipeline: Pipeline) -> Test:
        """What is so of the values if a pipeline is true, and if it is not."""
        if len(pipeline.commands) != 1 or pipeline.assigns:
            return UNKNOWN
        function, *arguments = pipeline.commands[0]
        if not arguments:
            return self._truth(function)
        name = function.name if isinstance(function, Word) else ""
        if name in ("and", "or"):
            return (all_of if name == "and" else any_of)(map(self._truth, arguments))
        if name == "not" and len(arguments) == 1:
            return self._truth(arguments[0]).negated
        if name in ("eq", "ne") and len(arguments) == 2:  # noqa: PLR2004  # one value against another
            return self._compared(arguments, is_equal=name == "eq")
        return UNKNOWN

    def _truth(self, operand: Operand) -> Test:
        if isinstance(operand, Path) and isinstance(operand.base, Pipeline) and not operand.fields:
            return self.test(operand.base)
        path = self._path(operand)
        return Test.of(path, f"!{path}") if path else UNKNOWN

    def _compared(self, operands: list[Operand], *, is_equal: bool) -> Test:
        for one, other in (operands, reversed(operands)):
            path, text = self._path(one), _text(other)
            if path and text and not set(text) & set("&|!= "):
                test = Test.of(f"{path}={text}", f"{path}!={text}")
                return test if is_equal else test.negated
        return UNKNOWN

    def _path(self, operand: Operand) -> str:
        """The one path below `.Values` that an operand stands for; empty for any other operand, and for a variable."""
        if not isinstance(operand, Path) or operand.base not in (".", "$"):
            return ""
        value = functools.reduce(Value.field, operand.fields, self.dot if operand.base == "." else self.top)
        has_one = len(value.paths) == 1 and not (value.is_context or value.entries or value.items or _ITEM in value.paths[0])
        return ".".join(value.paths[0]) if has_one else ""

    def pipeline(self, pipeline: Pipeline, use: str) -> Value:
        """The value of a pipeline, which is used so."""
        value: Value | None = None
        for command in pipeline.commands:
            value = self._command(command, value, use if command is pipeline.commands[-1] else "pipe")
        value = value or NOTHING
        for name in pipeline.variables:
            self.variables[name] = self.variables.get(name, NOTHING).merged(value) if pipeline.assigns else value
        return value

    def _operand(self, operand: Operand, use: str) -> Value:
        if not isinstance(operand, Path):
            return NOTHING
        if isinstance(operand.base, Pipeline):
            value = self.pipeline(operand.base, "chain" if operand.fields else use)
            if not operand.fields:
                return value
        elif operand.base == ".":
            value = self.dot
        else:
            value = self.top if operand.base == "$" else self.variables.get(operand.base, NOTHING)
        for name in operand.fields:
            value = value.field(name)
        if not value.is_context:
            self.reader.note(value, use, self.condition)
        return value

    def _command(self, operands: tuple[Operand, ...], piped: Value | None, use: str) -> Value:
        function, *arguments = operands
        if not isinstance(function, Word):
            return self._operand(function, use)
        name = function.name
        inner = _use_by(name, arguments, use)
        values = [self._operand(argument, inner) for argument in arguments]
        texts = [argument.text if isinstance(argument, Text | Literal) else None for argument in arguments]
        if piped is not None:
            values.append(piped)
            texts.append(None)
            if not piped.is_context:
                self.reader.note(piped, inner, self.condition)
        return self._result(name, texts, values, use)

    def _result(self, name: str, texts: list[str | None], values: list[Value], use: str) -> Value:
        if name == "include" and texts[0] is not None and len(values) > 1:
            self.call(texts[0], values[1])
            return NOTHING
        value = _made_of(name, texts, values)
        if name in ("index", "get", "hasKey", "dig"):
            self.reader.note(value, use if name in ("index", "get") else name, self.condition)
        return NOTHING if name == "hasKey" else value


def _text(operand: Operand) -> str:
    if isinstance(operand, Word):
        return operand.name if operand.name in ("true", "false") else ""
    return operand.text if isinstance(operand, Text) else ""


def _made_of(name: str, texts: list[str | None], values: list[Value]) -> Value:
    """The result of a function, as far as it is made of its arguments."""
    if name == "dict":
        return Value(entries=tuple((key, value) for key, value in zip(texts[::2], values[1::2], strict=False) if key is not None))
    if name in ("list", "tuple"):
        return Value(items=tuple(values))
    if name == "dig":
        return functools.reduce(_element, texts[:-2], values[-1])  # before the mapping stands what a missing key gives
    if name in ("index", "get", "hasKey"):
        return functools.reduce(_element, texts[1:], values[0])
    if name in _HANDED_ON:
        return functools.reduce(Value.merged, values)
    return NOTHING


def _use_by(name: str, arguments: list[Operand], use: str) -> str:
    """What a function does with its arguments."""
    if name in ("and", "or"):
        return "truth" if use in ("", "print") else use
    if name == "not":
        return "truth"
    if name in ("typeIs", "kindIs"):
        return " ".join([name, *(argument.text for argument in arguments if isinstance(argument, Text))])
    return "compared" if name in _COMPARED else name


def _element(value: Value, key: str | None) -> Value:
    if key is None:
        return value.item()
    if key.isdecimal():
        return value.items[int(key)] if int(key) < len(value.items) else value.item()
    return value.field(key)


def values_read(templates: Mapping[str, str]) -> Reader:
    """What the files of a chart's templates do with each path, by the dotted path; an item of a list or a mapping is `[]`."""
    parsed: list[Template] = [parse(text) for _, text in sorted(templates.items())]
    reader = Reader({name: blocks for template in parsed for name, blocks in template.defined.items()})
    for template in parsed:
        Scope(reader, CONTEXT, CONTEXT).walk(template.blocks)
    return reader
