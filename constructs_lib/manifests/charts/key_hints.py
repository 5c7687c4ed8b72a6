"""The key that somebody meant by a key that a chart does not read, where the chart's table leaves no doubt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from ...arguments.spelling import is_near
from ...upstream.charts import UnreadKey
from ...upstream.charts.chart import ChartTable
from ...upstream.kubernetes.fields import field_table

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
    kind = _kind(value)
    near = [f"{place}{each}" for each in unread.siblings if _is_slip(key, each) and _takes(unread, f"{place}{each}", kind)]
    moved = [each for each in unread.others if _takes(unread, each, kind)]
    found = near or (moved if _SPECIFIC.fullmatch(key) else [])
    return f"{unread.below}{found[0]}" if len(found) == 1 else ""


def other_places(unread: UnreadKey, value: Any = None) -> list[str]:
    """The places at which the chart reads an unread field of a pod, such as its tolerations: what runs on every node
    first, and what stands least deep. None where there are so many that the meant one is not known."""
    key = unread.path.rpartition(".")[2]
    if key not in field_table().types["PodSpec"] and key != "resources":
        return []
    found = [each for each in unread.others if _takes(unread, each, _kind(value))]
    return [f"{unread.below}{each}" for each in sorted(found, key=_order)] if len(found) <= _MOST else []


_MOST = 6

_ON_EVERY_NODE = ("daemonsets", "worker", "kubeletPlugin")
"""The keys of NVIDIA's charts and of NFD's for what runs on every GPU node.

Source: values.yaml of gpu-operator v26.7.0, node-feature-discovery v0.19.0 and dra-driver-nvidia-gpu 0.5.0 (2026-11-28)
"""


def _order(path: str) -> tuple[bool, int, str]:
    return path.partition(".")[0] not in _ON_EVERY_NODE, path.count("."), path


def _kind(value: Any) -> str:
    return next((name for name, types in _KINDS.items() if isinstance(value, types)), "")


def _is_slip(key: str, known: str) -> bool:
    """Whether a key is another one in a different spelling, in the plural, or with a slip of the keyboard."""
    return _stem(key) == _stem(known) or (min(len(key), len(known)) >= _SHORTEST and is_near(key, known))


_SHORTEST = 4


def _stem(key: str) -> str:
    letters = re.sub(r"[^a-z0-9]", "", key.lower())
    return re.sub(r"ies$", "y", letters) if letters.endswith("ies") else letters.removesuffix("s")


def _takes(unread: UnreadKey, path: str, kind: str) -> bool:
    return not kind or (kind == "mapping" if path in _mappings(unread.table) else unread.table.may_be(path, kind))


@cache
def _mappings(table: ChartTable) -> frozenset[str]:
    """The paths below which the chart reads keys."""
    return frozenset(key[: dot.start()] for key in table.keys for dot in re.finditer(r"\.", key))
