"""The limits of the YAML that a user writes by hand, checked before a composer reads it.

libyaml's composer recurses in C, so a file of a hundred thousand `[` ends the interpreter; and a few anchors that contain each other expand to
billions of values. The parser's events show both without recursion.
"""

from __future__ import annotations

from typing import Any

import yaml

from .kubernetes_yaml import DEEPEST, _Base

LARGEST = 100_000


def check_limits(text: str) -> None:
    """Raise a YAML error for a text that is nested too deeply, has too many values once its aliases are expanded, or lacks an anchor."""
    anchors = set[str | None]()
    sizes: dict[str | None, int] = {}
    opened: list[tuple[str | None, int]] = []
    size = 0
    event: Any
    for event in yaml.parse(text, Loader=_Base):
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise _fault("an alias has no anchor", event)
            size += sizes.get(event.anchor, 0)
        elif isinstance(event, yaml.NodeEvent):
            size += 1
            anchors.add(event.anchor)
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append((event.anchor, size))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = opened.pop()
            if anchor:
                sizes[anchor] = size - before
        if len(opened) > DEEPEST or size > LARGEST:
            raise _fault(f"nested deeper than {DEEPEST} levels" if len(opened) > DEEPEST else f"more than {LARGEST} values", event)


def _fault(problem: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
