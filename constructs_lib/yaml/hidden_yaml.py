"""YAML whose hidden characters, such as those that turn the order of text, are escapes: the same values, as a reader sees them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import yaml

from ..arguments.printable import HIDDEN
from .limits import EVENTS


def shown(text: str) -> str:
    """A stream of YAML documents without hidden characters. A stream that has none stays as it is."""
    return serialized(yaml.compose_all(text, Loader=EVENTS)) if HIDDEN.search(text) else text


def serialized(documents: Iterable[Any]) -> str:
    """The text of composed documents. Each scalar with hidden characters is in double quotes, the only place where YAML has escapes for them."""
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
