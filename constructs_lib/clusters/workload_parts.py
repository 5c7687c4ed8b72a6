"""The parts `GpuWorkload` and `Companion`, and the objects of every workload."""

from __future__ import annotations

from typing import Any

from ..manifests.objects import Manifests
from ..manifests.workload.companion import CompanionSettings
from ..manifests.workload.objects import gpu_workload
from ..manifests.workload.open_webui_settings import OpenWebUISettings
from ..manifests.workload.settings import GpuWorkloadSettings
from .app_registry import WEB_FRONT, Place
from .part import Part, id_as_label

OPEN_WEB_UI = Part(
    "OpenWebUI",
    OpenWebUISettings,
    lambda _, settings: gpu_workload(settings),
    lambda settings: [(WEB_FRONT, settings)],
    defaults={"name": id_as_label, "namespace": lambda place, _: place.namespace},
)


def without_shared(place: Place, manifests: Manifests) -> Manifests:
    """The objects of a workload. The first workload of a namespace makes the ResourceClaim that all its workloads
    share."""
    return {key: manifest for key, manifest in manifests.items() if manifest["kind"] != "ResourceClaim" or not place.is_made(manifest)}


def workload_manifests(place: Place, settings: Any) -> Manifests:
    """The objects of a workload with GPUs."""
    return without_shared(place, gpu_workload(settings))


IMAGE = "name the image to run"

GPU_WORKLOAD = Part(
    "GpuWorkload",
    GpuWorkloadSettings,
    workload_manifests,
    defaults={"name": id_as_label},
    needs={"nodes": "a GPU workload runs on a class of GPU nodes", "image": IMAGE},
)

COMPANION = Part(
    "Companion",
    CompanionSettings,
    lambda _, settings: gpu_workload(settings),
    defaults={"name": id_as_label},
    needs={"image": IMAGE},
)
