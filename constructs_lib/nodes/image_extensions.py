"""The system extensions in the image of a class of GPU nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..upstream.talos.extension_names import FABRIC_MANAGER, GDRDRV, MODULES, PREFIX, TOOLKIT
from .fabric_manager import default_fabric_manager
from .gpu_nodes import GpuNodes


def driver_extensions(nodes: GpuNodes, *, fabric_manager: bool, gdrcopy: bool) -> list[str]:
    """NVIDIA's extensions by their names at the factory: kernel modules of one flavour and libraries of the same track;
    none for virtual machines."""
    if nodes.passthrough is not None:
        return []
    tracked = [MODULES[nodes.kernel_modules], TOOLKIT, *[FABRIC_MANAGER] * fabric_manager]
    return [f"{PREFIX}{name}" for name in (*(f"{name}-{nodes.track}" for name in tracked), *[GDRDRV] * gdrcopy)]


def image_extensions(nodes: GpuNodes, machine: Mapping[str, Any]) -> list[str]:
    """The extensions of the image by their names on a node. `machine` is what a file says about the image of the class."""
    has_manager = machine.get("fabric_manager", default_fabric_manager(nodes))
    of_nvidia = driver_extensions(nodes, fabric_manager=has_manager, gdrcopy=machine.get("gdrcopy", False))
    return [name.removeprefix(PREFIX) for name in (*of_nvidia, *machine.get("extensions", ()))]
