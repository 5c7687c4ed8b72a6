"""The releases of Talos whose fabric manager does not start, and the machines with NVSwitch and NVLink 5."""

from __future__ import annotations

import re
from typing import NamedTuple

import attrs

from ..arguments import plain_values
from ..arguments.errors import Argument, Phrase, Value, warn, wrong
from ..upstream.nvidia.driver_branches import DriverTrack
from ..upstream.talos.features import NO_FABRIC_MANAGER, NVLINK5_FABRIC_MANAGER, UNCONFIGURED_FABRIC_MANAGER
from ..upstream.version import Version
from .gpu_nodes import GpuNodes
from .talos_version import TalosVersion


class FabricManagerFault(NamedTuple):
    """The reason why the fabric manager of a release does not start, and the first release that starts it."""

    reason: str
    fixed_in: str


def fabric_manager_fault(talos: TalosVersion | Version, nodes: GpuNodes | None = None) -> FabricManagerFault | None:
    """The fault of a release, or None. `nodes` has the driver track and the NVLink 5 of which some faults are."""
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


def to_fabric_manager(value: bool | None, argument: str = "") -> bool:
    """True or False. None becomes the default of the nodes in `__attrs_post_init__`."""
    return None if value is None else plain_values.flag(argument, value)  # type: ignore[return-value]


def default_fabric_manager(nodes: GpuNodes) -> bool:
    """The default of `fabric_manager`: NVSwitch connects the cards, and the fabric manager of their Talos starts."""
    return _have_nvswitch(nodes) is True and fabric_manager_fault(nodes.talos_version, nodes) is None


def may_have_nvswitch(nodes: GpuNodes) -> bool:
    """Whether NVSwitch connects the cards of the nodes, or may."""
    return _have_nvswitch(nodes) is not False


def warn_of_no_fabric_manager(nodes: GpuNodes) -> None:
    """Warn of an image that has no fabric manager by default, and whose nodes need one, or may need one."""
    fails = "without the fabric manager CUDA fails there (CUDA_ERROR_SYSTEM_NOT_READY, 802)"
    switched = _have_nvswitch(nodes)
    fault = fabric_manager_fault(nodes.talos_version, nodes)
    if switched is None:
        number = f" with {nodes.gpus_per_node} cards" if nodes.gpus_per_node else ""
        card, needed = Argument("product", nodes.product), Argument("fabric_manager", True)
        warn(Phrase(card, f"{number}: an HGX or DGX machine needs ", needed, f"; {fails}"))
    elif switched and fault:
        warn(f"the image has no fabric manager, because {fault.reason}; {fails}: use Talos {fault.fixed_in} or newer")


def _have_nvswitch(nodes: GpuNodes) -> bool | None:
    """Whether NVSwitch connects the cards of the nodes; None where their name and number leave that open."""
    if nodes.product is None or nodes.passthrough is not None:
        return False
    from ..upstream.nvidia.card_names import has_nvswitch  # only a `product` needs the table of cards

    return has_nvswitch(nodes.product, nodes.gpus_per_node)


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
    from ..upstream.nvidia.card_names import NVLINK5_BOARDS, plain_name  # only a `product` needs the table of cards

    return re.fullmatch(NVLINK5_BOARDS, plain_name(nodes.product)) is not None


def may_have_nvlink5(nodes: GpuNodes) -> bool:
    """Whether the fabric manager of the nodes may meet NVLink 5: their card has it, or is not known."""
    if nodes.talos_version.minor not in NVLINK5_FABRIC_MANAGER:
        return False
    if nodes.product is None:
        return True
    from ..upstream.nvidia.card_names import architecture  # only a `product` needs the table of cards

    return has_nvlink5(nodes) or architecture(nodes.product) is None


def with_working_fabric_manager(nodes: GpuNodes) -> GpuNodes:
    """The class of nodes on the first release whose fabric manager starts."""
    fault = fabric_manager_fault(nodes.talos_version, nodes)
    return attrs.evolve(nodes, talos_version=fault.fixed_in) if fault else nodes
