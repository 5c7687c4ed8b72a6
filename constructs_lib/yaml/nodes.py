"""The nodes of a text that is edited: values with the lines, columns and spans of their text.

Only `splice.py` and what asks it for an edit need nodes. Everybody else reads the located tree.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterable
from typing import Any

import yaml
from yaml.composer import Composer

from ..arguments.printable import HIDDEN
from .block import Verbatim
from .load import EVENTS, LARGEST, loaded

MERGE, _NULL, _STRING = (f"tag:yaml.org,2002:{name}" for name in ("merge", "null", "str"))


# Without libyaml, as in a browser, the loader is itself a composer.
_BASES: tuple[Any, ...] = (EVENTS,) if issubclass(EVENTS, Composer) else (Composer, EVENTS)


class _Nodes(*_BASES):  # type: ignore[misc]  # the loaders are untyped
    """The composer of PyYAML on the events of libyaml. An alias becomes a node of its own with its own position."""

    def __init__(self, text: str) -> None:
        EVENTS.__init__(self, text)
        Composer.__init__(self)

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        node: Any = super().compose_node(parent, index)
        if isinstance(event, yaml.AliasEvent):
            node = copy.copy(node)
            node.start_mark, node.end_mark = event.start_mark, event.end_mark
        return node


def compose(text: str) -> Any:
    """The root node of the only document of a text, or None."""
    loaded(text, LARGEST)  # the composer recurses, and knows no limits
    return yaml.compose(text, Loader=_Nodes)


def composed(text: str) -> Any:
    """The root node of a text that `load` has read. An alias is the node that it names."""
    return yaml.compose(text, Loader=EVENTS)


def plain(node: Any) -> Any:
    """The value of a node, with aliases and merge keys resolved: mappings, lists, strings, None, and `Verbatim` for any
    other scalar.
    """
    if node.id == "sequence":
        return [plain(item) for item in node.value]
    if node.id == "scalar":
        if node.tag == _NULL:
            return None
        return node.value if node.tag == _STRING or node.style else Verbatim(node.value)
    merged: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in node.value:
        if key.tag == MERGE:
            for source in value.value if value.id == "sequence" else [value]:
                merged = {**plain(source), **merged}
        else:
            own[key.value] = plain(value)
    return {**merged, **own}


def entry(mapping: Any, key: str) -> Any:
    """The nodes of a key and its value in the mapping itself, not from a merge key; None without the key."""
    return next(((name, value) for name, value in mapping.value if name.value == key), None)


def shown(text: str) -> str:
    """A stream of YAML documents whose hidden characters, such as those that turn the order of text, are escapes: a
    reader sees them.
    """
    return serialized(yaml.compose_all(text, Loader=EVENTS)) if HIDDEN.search(text) else text


def serialized(documents: Iterable[Any]) -> str:
    """The text of nodes. Each scalar with hidden characters is in double quotes, the only place where YAML has escapes
    for them.
    """
    nodes = list(documents)
    pending, seen = [*nodes], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            node.style = '"' if HIDDEN.search(node.value) else node.style
        elif node is not None:
            pending += itertools.chain.from_iterable(each if isinstance(each, tuple) else (each,) for each in node.value)
    written: str = yaml.serialize_all(nodes, Dumper=yaml.SafeDumper, allow_unicode=True, width=math.inf, explicit_start=len(nodes) > 1)
    return HIDDEN.sub(lambda found: f"\\U{ord(found[0]):08x}", written)
