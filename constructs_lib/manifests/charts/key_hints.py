"""The key that somebody meant by a key that a chart does not read, where the chart's table leaves no doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...arguments.spelling import is_near
from ...upstream.charts import UnreadKey

_KINDS: Mapping[str, type | tuple[type, ...]] = {"boolean": bool, "number": (int, float), "string": str, "list": list, "mapping": Mapping}
_SPECIFIC = re.compile(r"[a-z]{3,}[A-Z]\w{2,}")
"""The names of two words or more, such as `driverInstallDir`: the same name at two places means the same."""


def meant_key(unread: UnreadKey, value: Any = None) -> str:
    """The path of the one key of the chart that an unread key stands for: a slip of the keyboard at the same place, or
    the same name at another place. Empty if there is none, or more than one.

    A key whose own value is of another kind than `value` is not meant.
    """
    *around, key = unread.path.removeprefix(unread.below).split(".")
    place = "".join(f"{part}." for part in around)
    kind = next((name for name, types in _KINDS.items() if isinstance(value, types)), "")
    near = [f"{place}{each}" for each in unread.siblings if _is_slip(key, each) and _takes(unread, f"{place}{each}", kind)]
    moved = [each for each in unread.table.keys if each.rpartition(".")[2] == key and _takes(unread, each, kind)]
    found = near or (moved if _SPECIFIC.fullmatch(key) else [])
    return f"{unread.below}{found[0]}" if len(found) == 1 else ""


def _is_slip(key: str, known: str) -> bool:
    """Whether a key is another one in a different spelling, in the plural, or with a slip of the keyboard."""
    return _stem(key) == _stem(known) or (min(len(key), len(known)) >= _SHORTEST and is_near(key, known))


_SHORTEST = 4


def _stem(key: str) -> str:
    letters = re.sub(r"[^a-z0-9]", "", key.lower())
    return re.sub(r"ies$", "y", letters) if letters.endswith("ies") else letters.removesuffix("s")


def _takes(unread: UnreadKey, path: str, kind: str) -> bool:
    is_mapping = any(each.startswith(f"{path}.") for each in unread.table.keys)
    return not kind or (kind == "mapping" if is_mapping else unread.table.may_be(path, kind))
