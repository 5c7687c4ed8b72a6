"""The part `OpenWebUI`."""

from __future__ import annotations

from ..manifests.workload.objects import gpu_workload
from ..manifests.workload.open_webui_settings import OpenWebUISettings
from .app_registry import WEB_FRONT
from .part import Part, id_as_label

OPEN_WEB_UI = Part(
    "OpenWebUI",
    OpenWebUISettings,
    lambda _, settings: gpu_workload(settings),
    lambda settings: [(WEB_FRONT, settings)],
    defaults={"name": id_as_label, "namespace": lambda place, _: place.namespace},
)
