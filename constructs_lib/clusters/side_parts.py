"""The parts beside a workload: `expose`, `scrape`, `isolate` and `autoscale`."""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..manifests.objects import MAIN, Manifests
from ..manifests.workload.exposure import ExposureSettings, exposure
from ..manifests.workload.isolation import IsolationSettings, isolation
from ..manifests.workload.metrics import ScrapeSettings, workload_metrics
from ..manifests.workload.scaling import ScalingSettings, scaling, waking_errors
from .app_registry import WAY_IN, WEB_FRONT, Place
from .part import Part


def id_beside(workload: str, manifests: Manifests) -> str:
    """The id of a part beside a workload: no two parts of a workload have the same one."""
    main = manifests[MAIN]
    return f"{workload}-{main['kind']}-{main['metadata']['name']}".lower()


EXPOSE = Part(
    "expose",
    ExposureSettings,
    lambda _, settings: exposure(settings),
    lambda settings: [(WAY_IN, settings)],
    needs={"workload": "a route leads to a workload"},
)
SCRAPE = Part(
    "scrape",
    ScrapeSettings,
    lambda _, settings: workload_metrics(settings),
    needs={"workload": "Prometheus scrapes the pods of a workload"},
)
ISOLATE = Part(
    "isolate",
    IsolationSettings,
    lambda _, settings: isolation(settings),
    needs={"workload": "a NetworkPolicy isolates the pods of a workload"},
)


def _asleep(settings: ScalingSettings) -> Callable[[Place], list[str]] | None:
    return functools.partial(_waking, settings) if settings.wake_on else None


def _waking(settings: ScalingSettings, place: Place) -> list[str]:
    """The errors for requests that do not wake the workload. Ways in and web fronts may be made after `autoscale`."""
    return list(waking_errors(settings, place.neighbours(WAY_IN), place.neighbours(WEB_FRONT)))


AUTOSCALE = Part(
    "autoscale",
    ScalingSettings,
    lambda _, settings: scaling(settings),
    at_synth=_asleep,
    needs={"workload": "KEDA scales the pods of a workload"},
)
