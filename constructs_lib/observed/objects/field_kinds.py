"""The kinds of fields: values of another type than the schema of Kubernetes has at their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...upstream.charts.nfd_chart import FEATURE_RULE
from ...upstream.kubernetes.fields import field_table
from ..model import Path, is_unknown

FIELD_KINDS = {**field_table().types, **FEATURE_RULE}
"""The fields of each type, with their kinds."""

WORDS: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "string", list: "array", Mapping: "object"}
"""The types of known values, as Go calls them; that of a text which Terraform's `yamlencode` makes is none of them."""


def word(value: Any) -> str:
    """The type of a known value, as Go calls it; empty for another value."""
    return next((name for kind, name in WORDS.items() if isinstance(value, kind)), "")


def mistyped(value: Any, kind: str, path: Path) -> Iterator[tuple[Path, str, Any]]:
    """The known values of another type than the schema's, each with its path and the type of the schema.

    A value of the expected type needs no call of a function: there are many.
    """
    pending = [(value, kind, path)]
    for above, its_kind, place in pending:  # it grows
        fields, inner = FIELD_KINDS[its_kind] if its_kind in FIELD_KINDS else None, its_kind[1:-1]  # noqa: SIM401  # get() is a call
        items: Iterable[tuple[Any, Any]] = ()
        if its_kind[0] == "[":
            items = enumerate(above) if isinstance(above, list) else ()
        elif isinstance(above, dict):
            items = above.items()
        for key, item in items:
            expected = inner if fields is None else fields[key] if key in fields else "any"  # noqa: SIM401
            if item is None or expected in _FREE or (expected in _SCALARS and type(item) is _SCALARS[expected]):
                continue
            if expected not in _SCALARS:
                pending += ((item, expected, (*place, key)),)
            elif word(item) and not is_unknown(key) and _is_other(item, expected):
                yield (*place, key), expected, item


_FREE = ("any", "quantity", "int or string", "number")
_SCALARS = {"string": str, "bool": bool, "int32": int, "int64": int}


def _is_other(value: Any, kind: str) -> bool:
    if kind == "string":
        return not isinstance(value, str)
    if kind == "bool":
        return not isinstance(value, bool)
    return not ((isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer()))
