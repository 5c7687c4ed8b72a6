"""The releases of Talos whose fabric manager does not start, and the errors for an image that has both."""

from __future__ import annotations

from typing import NamedTuple

import attrs

from .._arguments.errors import Phrase, Value, wrong
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.talos_features import NO_FABRIC_MANAGER
from ..upstream.version import Version


class FabricManagerFault(NamedTuple):
    """Why the fabric manager of a release does not start, and the first release that starts it."""

    reason: str
    fixed_in: str


def fabric_manager_fault(talos: TalosVersion | Version) -> FabricManagerFault | None:
    """The fault of a release; None where its fabric manager starts, and for a version without its patch."""
    fixed_in = NO_FABRIC_MANAGER.get(str(talos))
    if fixed_in is None:
        return None
    reason = f"the fabric manager of Talos {talos} does not start, because libz.so.1 is missing (siderolabs/extensions#1073)"
    return FabricManagerFault(reason, fixed_in)


def check_fabric_manager(fabric_manager: bool, talos: TalosVersion) -> None:
    """Refuse the extension on a release whose fabric manager does not start."""
    fault = fabric_manager_fault(talos)
    if fault and fabric_manager:
        hint = f"{fault.reason}; use Talos {fault.fixed_in} or newer"
        raise wrong("fabric_manager", Phrase(Value(False), f" on Talos {talos}"), fabric_manager, hint)


def with_working_fabric_manager(nodes: GpuNodes) -> GpuNodes:
    """The class of nodes on the first release whose fabric manager starts."""
    fault = fabric_manager_fault(nodes.talos_version)
    return attrs.evolve(nodes, talos_version=fault.fixed_in) if fault else nodes
