"""The part `GpuGang`."""

from __future__ import annotations

from ..manifests.queues.gang_objects import gpu_gang
from ..manifests.queues.gang_settings import GangSettings
from .part import Part, id_as_label
from .workload_parts import IMAGE, without_shared

GPU_GANG = Part(
    "GpuGang",
    GangSettings,
    lambda place, settings: without_shared(place, gpu_gang(settings)),
    defaults={"name": id_as_label},
    needs={"nodes": "a gang runs on a class of GPU nodes", "image": IMAGE, "size": "the number of pods of a gang, such as 2"},
)
