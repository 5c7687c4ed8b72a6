"""Rolling updates of Deployments: the pods that start before an old pod ends."""

from __future__ import annotations

from typing import Any

from ..model import at, is_among, known_str
from .pod_counts import whole_number
from .workloads import Workload

_DEFAULT = "25%"


def surge(workload: Workload, pods: int) -> int:
    """The extra pods of a rolling update of `pods` pods. 0 if an old pod ends first, or may (kubernetes deployment_util.ResolveFenceposts)."""
    strategy = at(workload.controller, "strategy")
    if not pods or workload.kind != "Deployment" or not is_among(at(strategy, "type"), (None, "RollingUpdate")).is_yes:
        return 0
    rolling = at(strategy, "rollingUpdate")
    unavailable = _part(at(rolling, "maxUnavailable"), pods, up=False)
    return (_part(at(rolling, "maxSurge"), pods, up=True) or 0) if unavailable == 0 else 0


def _part(value: Any, pods: int, *, up: bool) -> int | None:
    """The pods of a number or a percentage, which is rounded up or down. None for an unreadable value."""
    text = _DEFAULT if value is None else known_str(value)
    if text is not None and text.endswith("%"):
        percent = whole_number(text[:-1])
        return None if percent is None else -(-pods * percent // 100) if up else pods * percent // 100
    return whole_number(value)
