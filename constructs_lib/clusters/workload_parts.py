"""The parts that run pods on GPUs, the queues and quotas of their namespaces, and the parts beside a workload."""

from __future__ import annotations

import functools
from typing import Any

from ..manifests.objects import MAIN, Manifests
from ..manifests.queues.gang_objects import gpu_gang
from ..manifests.queues.gang_settings import GangSettings
from ..manifests.queues.gpu_quota_objects import GpuQuotaSettings, gpu_quota
from ..manifests.queues.kueue_objects import KueueQueueSettings, check_shared_topology, kueue_flavor, kueue_queue, topology_errors
from ..manifests.workload.companion import CompanionSettings
from ..manifests.workload.exposure import ExposureSettings, exposure
from ..manifests.workload.isolation import IsolationSettings, isolation
from ..manifests.workload.metrics import ScrapeSettings, workload_metrics
from ..manifests.workload.objects import gpu_workload
from ..manifests.workload.open_webui_settings import OpenWebUISettings
from ..manifests.workload.scaling import ScalingSettings, scaling, waking_errors
from ..manifests.workload.settings import GpuWorkloadSettings
from .app_registry import FEATURES, QUEUE, WAY_IN, WEB_FRONT, Place
from .part import Part, id_as_label, id_as_subdomain

_IMAGE = "name the image to run"


def without_shared(place: Place, manifests: Manifests) -> Manifests:
    """The objects of a workload. The first workload of a namespace makes the ResourceClaim that all its workloads
    share."""
    return {key: manifest for key, manifest in manifests.items() if manifest["kind"] != "ResourceClaim" or not place.is_made(manifest)}


def workload_manifests(place: Place, settings: Any) -> Manifests:
    """The objects of a workload with GPUs."""
    return without_shared(place, gpu_workload(settings))


GPU_WORKLOAD = Part(
    "GpuWorkload",
    GpuWorkloadSettings,
    workload_manifests,
    defaults={"name": id_as_label},
    needs={"nodes": "a GPU workload runs on a class of GPU nodes", "image": _IMAGE},
)
COMPANION = Part(
    "Companion",
    CompanionSettings,
    lambda _, settings: gpu_workload(settings),
    defaults={"name": id_as_label},
    needs={"image": _IMAGE},
)
OPEN_WEB_UI = Part(
    "OpenWebUI",
    OpenWebUISettings,
    lambda _, settings: gpu_workload(settings),
    lambda settings: [(WEB_FRONT, settings)],
    defaults={"name": id_as_label, "namespace": lambda place, _: place.namespace},
)


def _queued(settings: GangSettings, place: Place) -> list[str]:
    """The errors for a queue of the app that can't place the gang. Queues may be made after the gang."""
    return list(topology_errors(settings, place.neighbours(QUEUE)))


GPU_GANG = Part(
    "GpuGang",
    GangSettings,
    lambda place, settings: without_shared(place, gpu_gang(settings)),
    lambda settings: [(FEATURES, settings)] if settings.feature_gates else [],
    at_synth=lambda settings: functools.partial(_queued, settings) if settings.queued_topology else None,
    defaults={"name": id_as_label},
    needs={"nodes": "a gang runs on a class of GPU nodes", "image": _IMAGE, "size": "the number of pods of a gang, such as 2"},
)
GPU_QUOTA = Part(
    "GpuQuota",
    GpuQuotaSettings,
    lambda _, settings: gpu_quota(settings),
    defaults={"name": id_as_subdomain},
    needs={"nodes": "the names of the counted resources follow from the nodes"},
)


def _queue(place: Place, settings: KueueQueueSettings) -> Manifests:
    check_shared_topology(settings, place.neighbours(QUEUE))
    flavors = {child: each for nodes in settings.nodes for child, each in kueue_flavor(nodes, settings.topology).items()}
    ours = {child: flavor for child, flavor in flavors.items() if not place.is_made(flavor)}
    return {**ours, **kueue_queue(settings)}


KUEUE_QUEUE = Part(
    "KueueQueue",
    KueueQueueSettings,
    _queue,
    lambda settings: [(QUEUE, settings)],
    defaults={"name": id_as_label},
    needs={"nodes": "the flavors of the queue follow from the nodes", "namespaces": "a workload needs a queue in its own namespace"},
)


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


def _waking(settings: ScalingSettings, place: Place) -> list[str]:
    """The errors for requests that do not wake the workload. Ways in and web fronts may be made after `autoscale`."""
    return list(waking_errors(settings, place.neighbours(WAY_IN), place.neighbours(WEB_FRONT)))


AUTOSCALE = Part(
    "autoscale",
    ScalingSettings,
    lambda _, settings: scaling(settings),
    at_synth=lambda settings: functools.partial(_waking, settings) if settings.wake_on else None,
    needs={"workload": "an autoscaler scales the pods of a workload"},
)
