"""The parts `GpuQuota` and `KueueQueue`."""

from __future__ import annotations

from ..manifests.objects import Manifests
from ..manifests.queues.gang_objects import gpu_gang
from ..manifests.queues.gang_settings import GangSettings
from ..manifests.queues.gpu_quota_objects import GpuQuotaSettings, gpu_quota
from ..manifests.queues.kueue_objects import KueueQueueSettings, flavor_name, kueue_flavor, kueue_queue
from .app_registry import Place
from .part import Part, id_as_label, id_as_subdomain
from .workload_parts import IMAGE, without_shared

GPU_GANG = Part(
    "GpuGang",
    GangSettings,
    lambda place, settings: without_shared(place, gpu_gang(settings)),
    defaults={"name": id_as_label},
    needs={"nodes": "a gang runs on a class of GPU nodes", "image": IMAGE, "size": "the number of pods of a gang, such as 2"},
)


GPU_QUOTA = Part(
    "GpuQuota",
    GpuQuotaSettings,
    lambda _, settings: gpu_quota(settings),
    defaults={"name": id_as_subdomain},
    needs={"nodes": "the names of the counted resources follow from the nodes"},
)


def _queue(place: Place, settings: KueueQueueSettings) -> Manifests:
    flavors: Manifests = {f"ResourceFlavor-{flavor_name(nodes)}": kueue_flavor(nodes) for nodes in settings.nodes}
    ours = {child: flavor for child, flavor in flavors.items() if not place.is_made(flavor)}
    return {**ours, **kueue_queue(settings)}


KUEUE_QUEUE = Part(
    "KueueQueue",
    KueueQueueSettings,
    _queue,
    defaults={"name": id_as_label},
    needs={"nodes": "the flavors of the queue follow from the nodes", "namespaces": "a workload needs a queue in its own namespace"},
)
