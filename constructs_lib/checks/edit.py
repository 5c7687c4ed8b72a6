"""An edit: a fix that is one value or one line, for programs. Rules give edits with their violations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ..observed.model import Path


class Action(Enum):
    """The kinds of edits of the value at a path."""

    SET = "set"
    """The value is replaced, or the key is added."""
    REMOVE = "remove"
    """The key of the mapping, or the item of the list, is removed."""
    APPEND = "append"
    """The items are added to the list, or the key is added with the list."""
    MANIFEST = "manifest"
    """The object that the cluster lacks is added to the file, before its documents."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """An edit of the body in which a violation is.

    `path` is the path of the value; None stands for the violation's own path. `inside` continues the path in a value
    that is a text with YAML. `is_safe` says that the value is certain, and that nothing else in the cluster changes.
    Only the edits of errors are safe.
    """

    action: Action
    value: Any = None
    path: Path | None = None
    inside: Path = ()
    is_safe: bool = True


def set_to(value: Any, path: Path | None = None, *, inside: Path = (), safe: bool = True) -> tuple[Edit, ...]:
    """The edit that sets a value."""
    return (Edit(action=Action.SET, value=value, path=path, inside=inside, is_safe=safe),)


def removal(path: Path | None = None, *, inside: Path = (), safe: bool = True) -> tuple[Edit, ...]:
    """The edit that removes a key or an item."""
    return (Edit(action=Action.REMOVE, path=path, inside=inside, is_safe=safe),)


def addition(*items: Any, path: Path | None = None, safe: bool = True) -> tuple[Edit, ...]:
    """The edit that adds items to a list."""
    return (Edit(action=Action.APPEND, value=list(items), path=path, is_safe=safe),)


def manifest(body: Mapping[str, Any]) -> tuple[Edit, ...]:
    """The edit that adds an object that the cluster lacks."""
    return (Edit(action=Action.MANIFEST, value=body, is_safe=False),)
