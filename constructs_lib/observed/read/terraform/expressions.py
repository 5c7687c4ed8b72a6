"""The values of expressions: literals, references, functions of literals, `for`, conditions. All else is unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ....yaml.located import Map, Place, Seq, key_text
from ....yaml.unknown import Unknown, UnknownKey, is_open
from .. import limits
from ..files import Files
from .functions import call
from .syntax import HEREDOC, Expression, HclError, Source, parsed, trees
from .templates import rendered
from .values import DEEPEST, LARGEST, MOST, Encoded, NoValueError, text_in, unknown

Step = tuple[str, Any]
"""A step from a value to a part of it: `("at", key)`, or `("each", None)` for a splat."""


class Names(Protocol):
    """The names that an expression may refer to, and the files beside it."""

    def reference(self, root: str, steps: list[Step], scope: Scope) -> tuple[Any, list[Step]]:
        """The value of a name, with the steps that lead further."""

    def file(self, name: str, arguments: list[Any], scope: Scope, place: Place) -> Any:
        """The value of a function that reads a file, or parses a text."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The names around an expression: those of its module, and those of its instance, its `for` or its template."""

    module: Names
    names: Mapping[str, Any] = field(default_factory=dict)


class Evaluator:
    """Gives the values of expressions, and counts the steps that all of them need."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._depth = 0
        self._sizes: dict[int, tuple[Any, int]] = {}

    def value(self, expression: Expression, scope: Scope) -> Any:
        """The value of an expression; unknown if it has none."""
        source, tree = expression.source, expression.tree
        try:
            return self._value(tree, source, scope)
        except NoValueError:
            return unknown(source.written(tree))

    def sized(self, value: Any) -> Any:
        """The value of a list or a map; unknown if it holds too much. A value may hold another one many times."""
        items = value.values() if isinstance(value, Map) else value
        size = 1 + sum(self._sizes.get(id(each), (None, 1))[1] for each in items)
        if size > LARGEST:
            return Unknown()
        self._sizes[id(value)] = value, size
        return value

    def _value(self, tree: Any, source: Source, scope: Scope) -> Any:
        if self._depth >= DEEPEST or not self.files.may_spend(limits.SEARCHED, source.place(tree)):
            return unknown(source.written(tree))
        self._depth += 1
        try:
            return _KINDS.get(str(tree.data), Evaluator._unknown)(self, tree, source, scope)
        finally:
            self._depth -= 1

    def _unknown(self, tree: Any, source: Source, _: Scope) -> Any:
        return unknown(source.written(tree))

    def _inner(self, tree: Any, source: Source, scope: Scope) -> Any:
        inner = next(trees(tree))
        if inner.data == "identifier":
            return self._part(*scope.module.reference(_name(inner), [], scope))
        return self._value(inner, source, scope)

    def _number(self, tree: Any, source: Source, scope: Scope) -> Any:
        written = str(tree.children[0])
        return int(written) if tree.data == "int_lit" and len(written) < DEEPEST else float(written)

    def _word(self, tree: Any, source: Source, scope: Scope) -> Any:
        return {"true": True, "false": False, "null": None}[str(tree.children[0])]

    def _string(self, tree: Any, source: Source, scope: Scope) -> Any:
        meta = tree.meta
        inside = source.text[meta.start_pos + 1 : meta.end_pos - 1]
        parts = [*trees(tree)]
        if len(parts) == 1 and (inner := [*trees(parts[0])]) and inner[0].data == "interpolation":
            return self._value(next(trees(inner[0])), source, scope)  # "${x}" is the value of x
        return self.template(inside, scope, source.place(tree), _unescaped)

    def template(self, text: str, scope: Scope, place: Place, literal: Callable[[str], str] = str) -> Any:
        """The text of a template at a place. `literal` gives the text of its literal parts."""
        if "${" not in text and "%{" not in text:
            return literal(text)
        if not self.files.may_spend(limits.WRITTEN * (1 + len(text)), place):
            return Unknown()

        def evaluate(written: str) -> Any:
            around = Source(place[0], f"x = {written.strip()}\n", place[1], [])
            try:
                attribute = next(trees(next(trees(parsed(around.text, 1)))))
                return self._value([*trees(attribute)][-1], around, scope)
            except (HclError, NoValueError):
                return unknown(written.strip())

        return rendered(text, evaluate, literal)

    def _tuple(self, tree: Any, source: Source, scope: Scope) -> Any:
        parts = [*trees(tree)]
        return self.sized(Seq([self.value(Expression(each, source), scope) for each in parts], [source.place(each) for each in parts]))

    def _object(self, tree: Any, source: Source, scope: Scope) -> Any:
        result, places = Map(), dict[Any, Place]()
        for element in trees(tree):
            written, expression = trees(element)
            key = self._key(written, source, scope)
            result[key], places[key] = self.value(Expression(expression, source), scope), source.place(element)
        result.places = places
        return self.sized(result)

    def _key(self, tree: Any, source: Source, scope: Scope) -> Any:
        inner = next(trees(tree), tree)
        if inner.data == "keyword":
            return _name(inner)
        alone = [*trees(inner)]
        if inner.data == "expr_term" and len(alone) == 1 and alone[0].data == "identifier" and len(inner.children) == 1:
            return _name(alone[0])
        key = self.value(Expression(inner, source), scope)
        return UnknownKey(key.text, key.known) if isinstance(key, Unknown) else key_text(key)

    def _call(self, tree: Any, source: Source, scope: Scope) -> Any:
        name, place = _name(tree.children[0]), source.place(tree)
        lists = [each for each in trees(tree) if each.data == "arguments"]
        given = [*trees(lists[0])] if lists else []
        if name == HEREDOC:
            return self.template(source.heredocs[int(source.written(given[0]))].text, scope, place)
        if name in {"try", "can"}:
            return self._tried(given, source, scope)
        arguments = [self._value(each, source, scope) for each in given]
        if lists and any(str(each) == "..." for each in lists[0].children):
            last = arguments.pop()
            if not isinstance(last, Seq):
                raise NoValueError
            arguments += last
        if name in {"file", "templatefile", "yamldecode", "jsondecode", "fileexists"}:
            return scope.module.file(name, arguments, scope, place)
        value = call(name, arguments, place)
        return self.sized(value) if isinstance(value, Map | Seq) else value

    def _tried(self, given: list[Any], source: Source, scope: Scope) -> Any:
        for each in given:
            try:
                return self._value(each, source, scope)
            except NoValueError:
                continue
        raise NoValueError

    def _condition(self, tree: Any, source: Source, scope: Scope) -> Any:
        condition, one, other = trees(tree)
        decided = self._value(condition, source, scope)
        if not isinstance(decided, bool):
            return unknown(source.written(tree))
        return self._value(one if decided else other, source, scope)

    def _negated(self, tree: Any, source: Source, scope: Scope) -> Any:
        value = self._value(next(trees(tree)), source, scope)
        if str(tree.children[0]) == "!" and isinstance(value, bool):
            return not value
        if str(tree.children[0]) == "-" and isinstance(value, int | float):
            return -value
        return unknown(source.written(tree))

    def _operated(self, tree: Any, source: Source, scope: Scope) -> Any:
        left, term = [*trees(tree)][:2]
        operator, right = [*trees(term)][:2]
        one, other = (self._value(each, source, scope) for each in (left, right))
        if (written := str(operator.children[0]).strip()) in {"&&", "||"}:
            decisive = written == "||"
            if any(each is decisive for each in (one, other)):
                return decisive
            if isinstance(one, bool) and isinstance(other, bool):
                return not decisive
        elif written in _OPERATIONS and not any(isinstance(each, Unknown | Encoded) or is_open(each) for each in (one, other)):
            try:
                return _OPERATIONS[written](one, other)
            except (TypeError, ArithmeticError):
                raise NoValueError from None
        return unknown(source.written(tree))

    def _reference(self, tree: Any, source: Source, scope: Scope) -> Any:
        steps: list[Step] = []
        root = tree
        while root.data in _STEPS or (root.data == "expr_term" and (only := [*trees(root)]) and only[0].data in _STEPS):
            if root.data == "expr_term":
                root = only[0]
            inner, last = trees(root)
            steps = [*self._steps(last, source, scope), *steps]
            root = inner
        inside = next(trees(root))
        if inside.data != "identifier":
            return self._part(self._value(root, source, scope), steps)
        return self._part(*scope.module.reference(_name(inside), steps, scope))

    def _steps(self, tree: Any, source: Source, scope: Scope) -> Iterator[Step]:
        if tree.data in {"attr_splat", "full_splat"}:
            yield "each", None
            for each in trees(tree):
                yield from self._steps(each, source, scope)
        elif tree.data == "short_index":
            yield "at", int(next(str(each) for each in tree.children if str(each) != "."))
        elif tree.data == "get_attr":
            yield "at", _name(next(trees(tree)))
        else:
            yield "at", self._value(next(trees(tree)), source, scope)

    def _part(self, value: Any, steps: list[Step]) -> Any:
        for index, (kind, key) in enumerate(steps):
            if isinstance(value, Unknown):
                return unknown(f"{value.text.removeprefix('${').removesuffix('}')}{''.join(f'.{name}' for _, name in steps[index:])}")
            if kind == "each":
                listed = value if isinstance(value, Seq) else Seq() if value is None else Seq([value], [("", 0)])
                return self.sized(Seq([self._part(each, steps[index + 1 :]) for each in listed], listed.places))
            value = item(value, key)
        return value

    def _for(self, tree: Any, source: Source, scope: Scope) -> Any:
        is_object = tree.data == "for_object_expr"
        intro, *rest = trees(tree)
        *variables, over = trees(intro)
        names = [_name(each) for each in variables]
        condition = next((next(trees(each)) for each in rest if each.data == "for_cond"), None)
        parts = [each for each in rest if each.data != "for_cond"]
        items = self.items(self._value(over, source, scope))
        if items is None or any(str(each) == "..." for each in tree.children):
            return unknown(source.written(tree))
        result: Any = Map() if is_object else Seq()
        for key, value, place in items:
            inner = replace(scope, names={**scope.names, **dict(zip(names, (key, value) if len(names) > 1 else (value,), strict=False))})
            kept = True if condition is None else self._value(condition, source, inner)
            if not isinstance(kept, bool):
                return unknown(source.written(tree))
            if kept:
                values = [self._value(each, source, inner) for each in parts]
                name = key_text(values[0]) if is_object else None
                result.places.update({name: place}) if is_object else result.places.append(place)
                result.update({name: values[1]}) if is_object else result.append(values[0])
        return self.sized(result)

    def items(self, value: Any) -> list[tuple[Any, Any, Place]] | None:
        """The keys, values and places of a list or a map; None if they are not all known, or too many."""
        if not isinstance(value, Map | Seq) or len(value) > MOST:
            return None
        if isinstance(value, Map):
            known = all(isinstance(key, str) for key in value)
            return [(key, value[key], value.places.get(key, ("", 0))) for key in sorted(value)] if known else None
        return [(index, each, value.place(index) or ("", 0)) for index, each in enumerate(value)]


def item(value: Any, key: Any) -> Any:
    """An item of a list or a map.

    Raises:
        NoValueError: There is none.
    """
    if isinstance(key, Unknown):
        return Unknown()
    if isinstance(value, Seq):
        index = int(key) if isinstance(key, str) and key.isdigit() else key
        if isinstance(index, int) and 0 <= index < len(value):
            return value[index]
    elif isinstance(value, Map):
        name = text_in(key)
        if isinstance(name, str) and name in value:
            return value[name]
        if any(isinstance(each, Unknown) for each in value):
            return Unknown()
    raise NoValueError


_ESCAPE = re.compile(r"\\(?:([nrt\"\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}


def _unescaped(text: str) -> str:
    """A literal part of a quoted string."""
    return _ESCAPE.sub(
        lambda match: _LETTERS.get(match[1], match[1]) if match[1] else chr(min(int(match[2] or match[3], 16), 0x10FFFF)), text
    )


def _name(tree: Any) -> str:
    return str(tree.children[0])


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    ">": lambda one, other: one > other,
    "<=": lambda one, other: one <= other,
    ">=": lambda one, other: one >= other,
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
}
_STEPS = {"index_expr_term", "get_attr_expr_term", "attr_splat_expr_term", "full_splat_expr_term"}
_KINDS: dict[str, Callable[[Evaluator, Any, Source, Scope], Any]] = {
    "expr_term": Evaluator._inner,  # noqa: SLF001  # the table of this class
    "int_lit": Evaluator._number,  # noqa: SLF001
    "float_lit": Evaluator._number,  # noqa: SLF001
    "literal_value": Evaluator._word,  # noqa: SLF001
    "string": Evaluator._string,  # noqa: SLF001
    "tuple": Evaluator._tuple,  # noqa: SLF001
    "object": Evaluator._object,  # noqa: SLF001
    "function_call": Evaluator._call,  # noqa: SLF001
    "conditional": Evaluator._condition,  # noqa: SLF001
    "unary_op": Evaluator._negated,  # noqa: SLF001
    "binary_op": Evaluator._operated,  # noqa: SLF001
    "for_tuple_expr": Evaluator._for,  # noqa: SLF001
    "for_object_expr": Evaluator._for,  # noqa: SLF001
    **dict.fromkeys(_STEPS, Evaluator._reference),  # noqa: SLF001
}
