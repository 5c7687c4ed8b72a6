"""The effect of an edit: the cluster gets another value, not only the file another text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...observed.model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Path, Read, at
from ...observed.objects.unread_values import why_unread
from ..rule import Action, Edit
from .pending_changes import notation, value_of


def why_without_effect(edits: Iterable[Edit], about: Read, inputs: Inputs) -> str:
    """Why the cluster would not get what the edits set; empty for edits that change it."""
    if not isinstance(about, ChartRelease):
        return ""
    paths = (_below_values(about, edit.path or ()) for edit in edits)
    return next((reason for path in paths if path and (reason := why_unread(about, path, inputs))), "")


def is_in_effect(edit: Edit, about: Read, after: Inputs) -> bool:
    """Whether the cluster gets what an edit sets: asked of what the loaders read after the edit, in place of what they
    had read before."""
    if edit.action is Action.MANIFEST:
        return any(_contains(each.body, edit.value) for each in after.objects)
    path = edit.path or ()
    if edit.action is Action.REMOVE and path and not edit.inside and isinstance(path[-1], int):
        number = len(_value(about, path[:-1]))
        return any(len(_value(each, path[:-1]) or ()) < number for each in _alike(about, after))
    return any(_is_made(edit, _value(each, path, edit.inside)) for each in _alike(about, after))


def _is_made(edit: Edit, value: Any) -> bool:
    if edit.action is Action.REMOVE:
        return value is None
    if edit.action is Action.APPEND:
        return isinstance(value, list) and {*map(notation, edit.value)} <= {*map(notation, value)}
    return notation(value) == notation(edit.value)


def _value(about: Read, path: Path, inside: Path = ()) -> Any:
    """The effective value at a path; `inside` continues the path in a text with YAML."""
    below = _below_values(about, path)
    value = at(about.values, *below) if below and isinstance(about, ChartRelease) else about.at(*path)
    return at(value_of(value), *inside) if inside and isinstance(value, str) else value


def _below_values(about: Read, path: Path) -> Path:
    if not isinstance(about, ChartRelease) or path[: len(about.values_path)] != about.values_path:
        return ()
    return path[len(about.values_path) :]


def _alike(about: Read, inputs: Inputs) -> Iterable[Read]:
    """The objects, releases and nodes of the same kind, file and name in the inputs that were read anew."""
    everything: tuple[Read, ...] = (*inputs.objects, *inputs.of_unknown_kind, *inputs.releases, *inputs.node_configs)
    return (each for each in everything if _identity(each) == _identity(about))


def _identity(about: Read) -> tuple[object, ...]:
    if isinstance(about, KubernetesObject):
        return "object", about.file, about.kind, f"{about.namespace}", f"{about.name}"
    if isinstance(about, ChartRelease):
        return "release", about.file, f"{about.namespace}", f"{about.name}", f"{about.chart}"
    return "node", about.file, about.scope if isinstance(about, NodeConfig) else "", about.label


def _contains(body: Any, other: Any) -> bool:
    """Whether a mapping has all fields of another one."""
    if isinstance(other, Mapping):
        return isinstance(body, Mapping) and all(key in body and _contains(body[key], value) for key, value in other.items())
    return notation(body) == notation(other)
