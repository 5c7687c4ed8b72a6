"""The releases of Talos whose fabric manager does not start, and the machines that need more than the extension: NVLink 5."""

from __future__ import annotations

import re
from typing import NamedTuple

import attrs

from .._arguments.errors import Phrase, Value, wrong
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.driver_branches import DriverTrack
from ..upstream.talos_features import NO_FABRIC_MANAGER, NVLINK5_FABRIC_MANAGER, UNCONFIGURED_FABRIC_MANAGER
from ..upstream.version import Version


class FabricManagerFault(NamedTuple):
    """The reason why the fabric manager of a release does not start, and the first release that starts it."""

    reason: str
    fixed_in: str


def fabric_manager_fault(talos: TalosVersion | Version, nodes: GpuNodes | None = None) -> FabricManagerFault | None:
    """The fault of a release; None where its fabric manager starts. Some faults are of one driver track, or of NVLink 5: `nodes` has both."""
    if fixed_in := NO_FABRIC_MANAGER.get(str(talos)):
        reason = f"the fabric manager of Talos {talos} does not start, because libz.so.1 is missing (siderolabs/extensions#1073)"
        return FabricManagerFault(reason, fixed_in)
    if nodes is None:
        return None
    if has_nvlink5(nodes) and talos.minor not in NVLINK5_FABRIC_MANAGER:
        reason = f"the fabric manager of Talos {talos} has no NVLink subnet manager, which the NVLink 5 of {nodes.product} needs"
        return FabricManagerFault(f"{reason} (siderolabs/extensions#717)", f"{NVLINK5_FABRIC_MANAGER.first}.0")
    if nodes.track is DriverTrack.PRODUCTION and talos.minor in UNCONFIGURED_FABRIC_MANAGER:
        reason = f"the '{nodes.track}' fabric manager of Talos {talos} stops at its own configuration file (siderolabs/extensions#511)"
        return FabricManagerFault(reason, "1.9.0")
    return None


def check_fabric_manager(fabric_manager: bool, nodes: GpuNodes) -> None:
    """Refuse the extension on a release whose fabric manager does not start."""
    fault = fabric_manager_fault(nodes.talos_version, nodes)
    if fault and fabric_manager:
        hint = f"{fault.reason}; use Talos {fault.fixed_in} or newer"
        raise wrong("fabric_manager", Phrase(Value(False), f" on Talos {nodes.talos_version}"), fabric_manager, hint)


def has_nvlink5(nodes: GpuNodes) -> bool:
    """Whether the card of the nodes is known, and NVSwitches connect it by NVLink 5."""
    if nodes.product is None:
        return False
    from ..upstream.card_names import NVLINK5_BOARDS, plain_name  # only a `product` needs the table of cards

    return re.fullmatch(NVLINK5_BOARDS, plain_name(nodes.product)) is not None


def may_have_nvlink5(nodes: GpuNodes) -> bool:
    """Whether the fabric manager of the nodes may meet NVLink 5: their card has it, or is not known."""
    if nodes.talos_version.minor not in NVLINK5_FABRIC_MANAGER:
        return False
    if nodes.product is None:
        return True
    from ..upstream.card_names import architecture  # only a `product` needs the table of cards

    return has_nvlink5(nodes) or architecture(nodes.product) is None


def with_working_fabric_manager(nodes: GpuNodes) -> GpuNodes:
    """The class of nodes on the first release whose fabric manager starts."""
    fault = fabric_manager_fault(nodes.talos_version, nodes)
    return attrs.evolve(nodes, talos_version=fault.fixed_in) if fault else nodes
