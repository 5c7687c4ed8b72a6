"""The limits of YAML, checked before a composer reads it.

libyaml's composer recurses in C, so a file of a hundred thousand `[` ends the interpreter; and a few anchors that contain each other expand to
billions of values. The parser's events show both without recursion.
"""

from __future__ import annotations

from typing import Any

import yaml

EVENTS: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader of the events: the C loader is many times faster, and untyped."""

DEEPEST = 100
"""The most levels of a document, so also the most parts of a path into a document, and of files that include each other."""

LARGEST = 100_000
"""The most values of a text that a user writes by hand."""


def check_limits(text: str, largest: float = LARGEST) -> None:
    """Raise a YAML error for a text that is nested too deeply, has too many values once its aliases are expanded, or lacks an anchor."""
    anchors = set[str | None]()
    sizes: dict[str | None, int] = {}
    opened: list[tuple[str | None, int]] = []
    size = 0
    event: Any
    for event in yaml.parse(text, Loader=EVENTS):
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise _fault("an alias has no anchor", event)
            size += sizes.get(event.anchor, 0)
        elif isinstance(event, yaml.NodeEvent):
            size += 1
            anchors.add(event.anchor)
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append((event.anchor, size))
            check_depth(len(opened), event)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = opened.pop()
            if anchor:
                sizes[anchor] = size - before
        if size > largest:
            raise _fault(f"more than {largest} values", event)


def check_depth(depth: int, event: Any) -> None:
    """Raise a YAML error if the mapping or the list that an event begins is too deep."""
    if depth > DEEPEST:
        raise _fault(f"nested deeper than {DEEPEST} levels", event)


def _fault(problem: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
