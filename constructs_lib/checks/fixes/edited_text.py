"""The text of a file after an edit: the place is found in the file itself, and only that place changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ..._arguments.block_yaml import Verbatim
from ..edit import Action, Edit
from ..model import ChartRelease, NodeConfig, Path, Read, at
from .untouched_files import complaint_of
from .yaml_places import ABSENT, Part, Spot, check_changed, comment_lines, embedded_part, is_same, parts, spots, value_of


class NotEditedError(Exception):
    """The reason for which an edit can't be made."""


def existing(about: Read, path: Path) -> Path:
    """The longest beginning of a path that exists in what was read."""
    return next((path[:length] for length in range(len(path), 0, -1) if _is_there(*_whole(about, path[:length]))), ())


def _is_there(value: Any, *path: Any) -> bool:
    *above, key = path
    inside = at(value, *above)
    return (isinstance(inside, Mapping) and key in inside) or (isinstance(inside, list) and isinstance(key, int) and key < len(inside))


def edited(text: str, about: Read, path: Path, edit: Edit, added: frozenset[str | int] = frozenset()) -> str:
    """The text of the file that has the place of `path`, after an edit of the value at `path`. `added` are keys that other edits may have
    added to the text since it was read.

    Raises:
        NotEditedError: For a place that is not exactly one value of the file, or that other places share.
    """
    begins = existing(about, path)
    if edit.action is Action.REMOVE and begins != path:
        raise NotEditedError("the value does not stand in a file")
    value = at(*_whole(about, begins))
    try:
        spot = _list_spot(text, about, begins, value) if _is_longer(edit, begins, path, value) else _spot(text, about, begins, value, added)
        if edit.inside:
            part = embedded_part(spot)
            if part is None or spot.is_shared:
                raise NotEditedError("the text that holds the value is no literal block of the file")
            spot, rest = _deepest(part, edit.inside)
        else:
            rest = path[len(begins) :]
        return _written(spot, edit, rest)
    except yaml.YAMLError as error:
        raise NotEditedError(complaint_of(text, error)) from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise NotEditedError(f"the text can't be edited: {error}") from None


def _whole(about: Read, path: Path) -> tuple[Any, ...]:
    """The body that holds the path, and the path inside. The values of a release may come from several places."""
    if isinstance(about, ChartRelease) and about.values_path == path[: len(about.values_path)] and len(path) > len(about.values_path):
        return about.values, *path[len(about.values_path) :]
    return about.body, *path


def _is_longer(edit: Edit, begins: Path, path: Path, value: Any) -> bool:
    return edit.action is Action.APPEND and begins == path and isinstance(value, list) and bool(value)


def _list_spot(text: str, about: Read, path: Path, value: Any) -> Spot:
    """The list of the text that has the first item of a list. A reader may have noted the list at a place above."""
    first = _spot(text, about, (*path, 0), value[0], frozenset())
    whole = Spot(part=first.part, path=first.path[:-1], chain=first.chain[:-1])
    if not is_same(whole.node, value):
        raise NotEditedError("the list is put together from several places")
    return whole


def _spot(text: str, about: Read, path: Path, value: Any, added: frozenset[str | int]) -> Spot:
    """The only node of the text that is the value of a path, by its line, its key and its value."""
    line = about.line_of(path)
    best: list[Spot] = []
    most = -1
    for part in parts(text, line or 1):
        for spot in spots(part):
            if _is_place(spot, path, line) and is_same(spot.node, value, added):
                alike = _alike(spot.path, path)
                if path and not alike and not (isinstance(about, NodeConfig) and not isinstance(value, Mapping)):
                    continue
                best, most = ([spot], alike) if alike > most else ([*best, spot] if alike == most else best, most)
    if len(best) != 1:
        raise NotEditedError(
            "the value is put together from several places, or stands in no file" if not best else "several values are alike"
        )
    return best[0]


def _is_place(spot: Spot, path: Path, line: int | None) -> bool:
    """Whether a node begins where a value begins. The value without a path is a document, or an item of a List."""
    if not path:
        return not spot.path or (isinstance(spot.path[-1], int) and _line(spot) == line)
    return bool(spot.path) and _line(spot) == line


def _line(spot: Spot) -> int:
    """The line of a node's key, or of an item."""
    if not spot.path or isinstance(spot.path[-1], int):
        return spot.part.line_of(spot.node)
    key = next(key for key, node in spot.chain[-2].value if node is spot.node)
    return spot.part.line_of(key)


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
    known = {spot.path: spot for spot in spots(part)}
    length = next(length for length in range(len(path), -1, -1) if path[:length] in known)
    return known[path[:length]], path[length:]


def _written(spot: Spot, edit: Edit, rest: Path) -> str:
    """The text of the file after an edit of the value that is `rest` below a node."""
    part, value, path = spot.part, edit.value, spot.path
    if spot.is_shared:
        raise NotEditedError("the value has an anchor, an alias or a tag, or stands inside of one")
    if edit.action is Action.REMOVE:
        if rest:
            raise NotEditedError("the value does not stand in a file")
        path, value = _remove(spot), ABSENT
        if comment_lines(part.splice.result()) != comment_lines(part.text):
            raise NotEditedError("lines with a comment would be removed, too")
    elif edit.action is Action.APPEND and not rest and spot.node.id == "sequence":
        part.splice.append(spot.node, value)
        value = [*_at(part, path), *value]
    elif edit.action is Action.APPEND and not rest and _at(part, path) is not None:
        raise NotEditedError("the value is no list")
    else:
        for key in reversed(rest[1:]):
            value = {key: value}
        if rest and spot.node.id == "mapping":
            _check_keys(spot.node, str(rest[0]), may_stand=False)
            part.splice.append(spot.node, {rest[0]: value})
            path = (*path, rest[0])
        else:
            value = {rest[0]: value} if rest else value
            _replace(spot, value)
    new = part.splice.result()
    check_changed(part.text, new, path, value)
    return part.write(new)


def _at(part: Part, path: Path) -> Any:
    return at(value_of(part.text), *path)


def _check_keys(mapping: Any, key: str, *, may_stand: bool) -> None:
    names = [name.value for name, _ in mapping.value]
    if "<<" in names and not may_stand:
        raise NotEditedError("the mapping merges another one (<<)")
    if names.count(key) > may_stand:
        raise NotEditedError(f"the key {key} stands there already, or twice")


def _replace(spot: Spot, value: Any) -> None:
    node, above = spot.node, spot.chain[-2] if spot.path else None
    if above is None or node.id != "scalar" or node.style in ("|", ">") or node.start_mark.line != node.end_mark.line:
        raise NotEditedError("the value is not one word on one line")
    key = None
    if above.id == "mapping":
        _check_keys(above, str(spot.path[-1]), may_stand=True)
        key = next(key for key, child in above.value if child is node)
    spot.part.splice.rewrite(key, node, _quoted_alike(value, node), in_flow=bool(above.flow_style))


def _quoted_alike(value: Any, node: Any) -> Any:
    """The value in the quotes of the value before."""
    if isinstance(value, str) and node.style in ("'", '"') and value.isprintable() and not {"'", '"', "\\"} & set(value):
        return Verbatim(f"{node.style}{value}{node.style}")
    return value


def _remove(spot: Spot) -> Path:
    """Remove a node, and each mapping or list above that would be empty; the path of the removed value."""
    depth = len(spot.path)
    while depth > 1 and len(spot.chain[depth - 1].value) == 1:
        depth -= 1
    if not depth or len(spot.chain[depth - 1].value) == 1:
        raise NotEditedError("nothing would be left of the document")
    container = spot.chain[depth - 1]
    children = [child[1] if isinstance(child, tuple) else child for child in container.value]
    index = next(number for number, child in enumerate(children) if child is spot.chain[depth])
    if container.id == "mapping":
        _check_keys(container, str(spot.path[depth - 1]), may_stand=True)
    part = spot.part
    if not container.flow_style:
        begins = part.splice.beginning(container, index)
        if part.text[part.text.rfind("\n", 0, begins) + 1 : begins].strip():
            raise NotEditedError("the value shares its line with another value")
    part.splice.remove(container, index)
    return spot.path[:depth]
