"""The types of variables: the defaults of the optional attributes of an object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ....yaml.located import Map, Seq
from ....yaml.unknown import Unknown
from .syntax import trees


def with_defaults(value: Any, kind: Any, evaluate: Callable[[Any], Any]) -> Any:
    """The value of a variable with the defaults of its type, which `evaluate` gives for their trees."""
    name, arguments = _call(kind)
    if not arguments:
        return value
    if name in {"list", "set", "map"} and isinstance(value, Map):
        return Map({key: with_defaults(each, arguments[0], evaluate) for key, each in value.items()}, value.places)
    if name in {"list", "set"} and isinstance(value, Seq):
        return Seq([with_defaults(each, arguments[0], evaluate) for each in value], value.places)
    if name != "object" or not isinstance(value, Map):
        return value
    result = Map(value, dict(value.places))
    for key, attribute in _attributes(arguments[0]):
        called, parts = _call(attribute)
        is_optional = called == "optional" and bool(parts)
        if result.get(key) is not None:
            result[key] = with_defaults(result[key], parts[0] if is_optional else attribute, evaluate)
        elif is_optional and not any(isinstance(each, Unknown) for each in result):
            result[key] = evaluate(parts[1]) if len(parts) > 1 else None
            result.places[key] = ("", 0)
    return result


def _call(tree: Any) -> tuple[str, list[Any]]:
    """The name and the arguments of a call; empty for a name such as `string`."""
    while tree.data == "expr_term" and (inner := [*trees(tree)]):
        tree = inner[0]
    if tree.data != "function_call":
        return "", []
    listed = next((each for each in trees(tree) if each.data == "arguments"), None)
    return str(tree.children[0].children[0]), [] if listed is None else [*trees(listed)]


def _attributes(tree: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of the type of an object, each with the tree of its type."""
    while tree.data == "expr_term" and (inner := [*trees(tree)]):
        tree = inner[0]
    for element in trees(tree) if tree.data == "object" else ():
        key, kind = trees(element)
        yield "".join(str(each) for each in key.scan_values(lambda _: True)).strip('"'), kind
