"""The fields in which two mappings differ, at their paths."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..arguments.credentials.names import HIDDEN
from ..arguments.credentials.texts import hidden_text, hidden_value
from ..observed.model import Path, text_of
from ..observed.read.terraform.values import Encoded

_LONGEST = 60
_OTHER = "another value"


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field before and after; None where it is not there."""

    path: Path
    old: Any
    new: Any
    name: str = ""
    """The name of the value, which says whether it is a credential: of a variable, the name of the variable."""
    is_hidden: bool = False
    """Whether the value is a credential whatever its name is, such as one of a Secret."""

    @property
    def where(self) -> str:
        """The path as people write it: `spec.template.spec.containers[0].image`."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).removeprefix(".")

    def __str__(self) -> str:
        old, new = (HIDDEN if self.is_hidden and each is not None else shown(self.name, each) for each in (self.old, self.new))
        is_open = old == new and not self.is_hidden
        if is_open and _is_list(self.old) and _is_list(self.new) and not any(HIDDEN in _line(each) for each in (self.old, self.new)):
            lost, added = ([item for item in one if item not in other] for one, other in ((self.old, self.new), (self.new, self.old)))
            if lost or added:
                return f"{self.where} (what differs): {shown(self.name, lost or None)} -> {shown(self.name, added or None)}"
        if is_open and all(isinstance(each, str) for each in (self.old, self.new)):
            old, new = (_cut(" ".join(hidden_value(self.name, f"{each}").split()), from_end=True) for each in (self.old, self.new))
        if old == new:  # a credential, the end of a long text, or a text that reads as another value
            old, new = (repr(self.old), repr(self.new)) if type(self.old) is not type(self.new) else (old, _OTHER)
        return f"{self.where}: {old} -> {new}"


def field_changes(old: Any, new: Any, path: Path = (), name: str = "") -> Iterator[FieldChange]:
    """The smallest fields that differ. Items of a list are compared by their names, where all of them have one; another
    order of them is a field `order`."""
    old, new = (each.value if isinstance(each, Encoded) else each for each in (old, new))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        before, after = _by_key(old), _by_key(new)
        for key in dict.fromkeys([*before, *after]):
            yield from field_changes(before.get(key), after.get(key), (*path, key), _name_of(key, old, new, name))
    elif _is_short(old if new is None else new if old is None else None):
        for key in [each for each in (old or new) if each != "name"]:
            yield from field_changes((old or {}).get(key), (new or {}).get(key), (*path, f"{key}"), _name_of(f"{key}", old, new, name))
    elif _is_list(old) and _is_list(new):
        yield from _of_lists(old, new, path, name)
    elif not _same(old, new):
        yield FieldChange(path, old, new, name)


def _name_of(key: str, old: Any, new: Any, name: str) -> str:
    """The name of the value at a key. `value` has that of its mapping: a variable, a parameter of a chart."""
    if key != "value":
        return key
    names = [each.get(field) for each in (new, old) if isinstance(each, Mapping) for field in ("name", "key")]
    return next((each for each in names if isinstance(each, str)), name or key)


def _by_key(value: Mapping[Any, Any]) -> dict[str, Any]:
    """The fields by the texts of their keys. A key that is filled in later has its template as its text, or none: it may be any key of either side."""
    return {f"{key}": each for key, each in value.items() if f"{key}"}


def _is_short(value: Any) -> bool:
    """Whether a value is a mapping of plain values, such as a variable: its fields are told one by one."""
    plain = isinstance(value, Mapping) and not any(isinstance(each, Mapping | list | tuple) for each in value.values())
    return plain and bool(value.keys() - {"name"})


def _of_lists(old: Sequence[Any], new: Sequence[Any], path: Path, name: str) -> Iterator[FieldChange]:
    before, after = _by_name(old), _by_name(new)
    if before is not None and after is not None:
        for each in dict.fromkeys([*before, *after]):
            yield from field_changes(before.get(each), after.get(each), (*path, each), each)
        was, now = [each for each in before if each in after], [each for each in after if each in before]
        if was != now:
            moved = [index for index, (one, other) in enumerate(zip(was, now, strict=True)) if one != other]
            yield FieldChange((*path, "order"), was[moved[0] : moved[-1] + 1], now[moved[0] : moved[-1] + 1])
    elif len(old) == len(new) and not any(HIDDEN in _line(each) for each in (old, new)):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from field_changes(one, other, (*path, index), name)
    elif not _same(old, new):
        yield FieldChange(path, old, new, name)


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _by_name(items: Sequence[Any]) -> dict[str, Any] | None:
    names = [item.get("name") if isinstance(item, Mapping) else None for item in items]
    found = {name: item for name, item in zip(names, items, strict=True) if isinstance(name, str)}
    return found if items and len(found) == len(items) else None


def _same(old: Any, new: Any) -> bool:
    if not all(isinstance(each, str | int | float | None) for each in (old, new)):
        return f"{old}" == f"{new}"  # two gaps with the same text are filled in alike
    return bool(type(old) is type(new) and old == new) or (isinstance(old, str) and isinstance(new, str) and f"{old}" == f"{new}")


def shown(name: str, value: Any) -> str:
    """A value in a line, without a credential."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return f"a mapping with {', '.join(f'{key}' for key in value) or 'nothing'}"[:_LONGEST]
    if _is_list(value):
        return _cut(hidden_value(name, _line(value))) if _is_plain(value) else f"a list of {len(value)}"
    text = text_of(value)
    return _cut(" ".join(hidden_value(name, f"{value if text is None else text}").split()))


def _is_plain(items: Sequence[Any]) -> bool:
    return not any(isinstance(each, Mapping | list | tuple) for each in items)


def _line(items: Sequence[Any]) -> str:
    """A list of plain values in a line. The whole list is read: a flag names the credential behind it."""
    return hidden_text(json.dumps(items, ensure_ascii=False, default=str)) if _is_plain(items) else ""


def _cut(line: str, *, from_end: bool = False) -> str:
    if len(line) <= _LONGEST:
        return line
    return f"…{line[-_LONGEST:]}" if from_end else f"{line[:_LONGEST]}…"
