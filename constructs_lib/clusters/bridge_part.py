"""The part `ValidationBridge`."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..manifests.objects import Manifests
from ..manifests.operator.bridge_objects import ValidationBridgeSettings, validation_bridge
from .app_registry import BRIDGE, Place
from .part import Part, agent_namespace


def _manifests(place: Place, settings: ValidationBridgeSettings) -> Manifests:
    for other in place.neighbours(BRIDGE):
        if settings.nodes.may_overlap(other.nodes):
            hint = (
                f"'{other.name}' writes the same files on these nodes, and NvidiaGpuOperator brings its own bridges; leave this bridge out"
            )
            raise wrong("nodes", "a class that no other bridge of this app has", settings.nodes, hint)
    return validation_bridge(settings)


VALIDATION_BRIDGE = Part(
    "ValidationBridge",
    ValidationBridgeSettings,
    _manifests,
    lambda settings: [(BRIDGE, settings)],
    defaults={"namespace": agent_namespace},
    needs={"nodes": "the bridge runs on one class of GPU nodes"},
)
