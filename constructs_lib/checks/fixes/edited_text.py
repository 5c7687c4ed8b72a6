"""The text of a file after an edit: the place is found in the file itself, and only that place changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...observed.model import ChartRelease, NodeConfig, Path, Read, at
from ...yaml.block import Verbatim
from ...yaml.load import YamlError
from ..rule import Action, Edit
from .files import complaint_of
from .pending_changes import Change, NotEditedError
from .yaml_places import Draft, Log, Part, Spot, embedded_part, is_same


def whole(about: Read, path: Path) -> tuple[Any, ...]:
    """The body that holds the path, and the path inside. The values of a release may come from several places."""
    if isinstance(about, ChartRelease) and about.values_path == path[: len(about.values_path)] and len(path) > len(about.values_path):
        return about.values, *path[len(about.values_path) :]
    return about.body, *path


def existing(about: Read, path: Path) -> Path:
    """The longest beginning of a path that exists in what was read."""
    return next((path[:length] for length in range(len(path), 0, -1) if _is_there(*whole(about, path[:length]))), ())


def _is_there(value: Any, *path: Any) -> bool:
    *above, key = path
    inside = at(value, *above)
    return (isinstance(inside, Mapping) and key in inside) or (isinstance(inside, list) and isinstance(key, int) and key < len(inside))


def change(draft: Draft, text: str, about: Read, path: Path, edit: Edit, log: Log) -> None:
    """Add an edit of the value at `path` to the draft of a text, and note the changes in a log.

    Raises:
        NotEditedError: For a place that is not exactly one value of the file, or that other places share, or that
            another edit changes.
    """
    begins = existing(about, path)
    if edit.action is Action.REMOVE and begins != path:
        raise NotEditedError("the value is not in a file")
    value = at(*whole(about, begins))
    try:
        spot = _list_spot(draft, about, begins, value) if _is_longer(edit, begins, path, value) else _spot(draft, about, begins, value)
        if edit.inside:
            part = embedded_part(spot)
            if part is None:
                raise NotEditedError("the text with the value is not a literal block of the file")
            spot, rest = _deepest(part, edit.inside)
        else:
            rest = path[len(begins) :]
        spot.part.add(_change(spot, edit, rest), log)
    except YamlError as error:
        raise NotEditedError(complaint_of(text, error)) from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise NotEditedError(f"the text can't be edited: {error}") from None


def _is_longer(edit: Edit, begins: Path, path: Path, value: Any) -> bool:
    return edit.action is Action.APPEND and begins == path and isinstance(value, list) and bool(value)


def _list_spot(draft: Draft, about: Read, path: Path, value: Any) -> Spot:
    """The list of the text that has the first item of a list. A reader may have noted the list at a place above."""
    whole = _spot(draft, about, (*path, 0), value[0]).above
    if whole is None or not is_same(whole.node, value):
        raise NotEditedError("the list is put together from several places")
    return whole


def _spot(draft: Draft, about: Read, path: Path, value: Any) -> Spot:
    """The only node of the text that is the value of a path, by its line, its key and its value."""
    line = about.line_of(path)
    best: list[Spot] = []
    most = -1
    for part in draft.parts_at(line or 1):
        for spot in [*part.spots[: not path], *part.spots_at(line)]:
            if (path or spot.above is None or spot.name is None) and is_same(spot.node, value):
                alike = _alike(spot.path, path)
                if path and not alike and not (isinstance(about, NodeConfig) and not isinstance(value, Mapping)):
                    continue
                best, most = ([spot], alike) if alike > most else ([*best, spot] if alike == most else best, most)
    if len(best) != 1:
        raise NotEditedError("the value is put together from several places, or is in no file" if not best else "several values are alike")
    return best[0]


def _alike(one: Path, other: Path) -> int:
    """The number of equal keys at the end of two paths; one more for equal paths."""
    number = int(one == other)
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        number += 1
    return number


def _deepest(part: Part, path: Path) -> tuple[Spot, Path]:
    """The deepest existing node of a path in a document, and the rest of the path."""
    length = next(length for length in range(len(path), -1, -1) if path[:length] in part.of_paths)
    return part.of_paths[path[:length]], path[length:]


def _change(spot: Spot, edit: Edit, rest: Path) -> Change:
    """The change of the text for an edit of the value that is `rest` below a node."""
    part, node, value = spot.part, spot.node, edit.value
    if spot.is_shared:
        raise NotEditedError("the value has an anchor, an alias or a tag, or stands inside of one")
    if edit.action is Action.QUOTE:
        if rest or node.id != "scalar" or node.style:
            raise NotEditedError("the file has another value now than the one that was read")
        return _replacement(spot, node.value)
    if edit.action is Action.REMOVE:
        if rest:
            raise NotEditedError("the value is not in a file")
        return _removal(spot)
    if edit.action is Action.APPEND and not rest and node.id == "sequence":
        return _addition(spot, Action.APPEND, spot.path, value, value)
    if edit.action is Action.APPEND and not rest and at(part.value, *spot.path) is not None:
        raise NotEditedError("the value is no list")
    for key in reversed(rest[1:]):
        value = {key: value}
    if rest and node.id == "mapping":
        _check_keys(spot, str(rest[0]), may_stand=False)
        return _addition(spot, Action.SET, (*spot.path, rest[0]), value, {rest[0]: value})
    return _replacement(spot, {rest[0]: value} if rest else value)


def _addition(spot: Spot, action: Action, path: Path, value: Any, new: Any) -> Change:
    """New entries at the end of a mapping or a list."""
    spans = spot.part.splice.spans_of(lambda splice: splice.append(spot.node, new))
    return Change(action=action, path=path, value=value, spans=spans, owner=(action, *_extent(spot.node)))


def _check_keys(spot: Spot, key: str, *, may_stand: bool) -> None:
    if spot.part.number_of(spot.node, "<<") and not may_stand:
        raise NotEditedError("the mapping merges another one (<<)")
    if spot.part.number_of(spot.node, key) > may_stand:
        raise NotEditedError(f"the key {key} already exists, or exists twice")


def _replacement(spot: Spot, value: Any) -> Change:
    node, above = spot.node, spot.above
    if above is None or node.id != "scalar" or node.style in ("|", ">") or node.start_mark.line != node.end_mark.line:
        raise NotEditedError("the value is not one word on one line")
    if spot.name is not None:
        _check_keys(above, str(spot.key), may_stand=True)
    in_flow, new = bool(above.node.flow_style), _quoted_alike(value, node)
    spans = spot.part.splice.spans_of(lambda splice: splice.rewrite(spot.name, node, new, in_flow=in_flow))
    return Change(action=Action.SET, path=spot.path, value=value, spans=spans)


def _quoted_alike(value: Any, node: Any) -> Any:
    """The value in the quotes of the value before."""
    if isinstance(value, str) and node.style in ("'", '"') and value.isprintable() and not {"'", '"', "\\"} & set(value):
        return Verbatim(f"{node.style}{value}{node.style}")
    return value


def _removal(spot: Spot) -> Change:
    """The removal of a node, and of each mapping or list above that would be empty."""
    while spot.above is not None and spot.above.above is not None and len(spot.above.node.value) == 1:
        spot = spot.above
    container = spot.above
    if container is None or len(container.node.value) == 1:
        raise NotEditedError("nothing would be left of the document")
    if spot.name is not None:
        _check_keys(container, str(spot.key), may_stand=True)
    part = spot.part
    if not container.node.flow_style:
        begins = part.splice.beginning(container.node, spot.index)
        if part.text[part.text.rfind("\n", 0, begins) + 1 : begins].strip():
            raise NotEditedError("the value shares its line with another value")
    spans = part.splice.spans_of(lambda splice: splice.remove(container.node, spot.index))
    if any(part.has_comment(start, end) for start, end, _ in spans):
        raise NotEditedError("lines with a comment would be removed, too")
    owner = (Action.REMOVE, *_extent(container.node))
    return Change(action=Action.REMOVE, path=spot.path, spans=spans, owner=owner, size=len(container.node.value))


def _extent(node: Any) -> tuple[int, int]:
    return node.start_mark.index, node.end_mark.index
