"""Which Talos the nodes of a class may be upgraded to, and which is refused with its reason."""

from __future__ import annotations

import re

from .._arguments.errors import wrong
from .._arguments.talos_warnings import warn
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion, newest_minor
from ..upstream import talos_releases
from ..upstream.talos_features import LEGACY_PRE_RELEASES, LEGACY_ROOT, NO_FABRIC_MANAGER
from .existing_schematic import ExistingSchematic
from .schematic import Schematic


def upgrade_target(given: TalosVersion, now: TalosVersion) -> TalosVersion:
    """The release that the nodes go to: the one that is given, or the newest patch of the minor that is given."""
    if not given.is_known:
        newest, read_on = newest_minor(), talos_releases.READ_ON
        beta = ", of which only a beta is known" if newest == talos_releases.PREVIEW else ""
        hint = f"the plan goes by Talos {newest}{beta} (tables of {read_on}); upgrade this library"
        raise wrong("to", f"of Talos {newest} or older", str(given), hint)
    target = TalosVersion.parse("to", given.release.newest) if given.patch is None else given
    if str(target) in LEGACY_PRE_RELEASES:
        hint = f"this pre-release still has the driver's libraries under {LEGACY_ROOT}, and the plan is for a Talos that has them elsewhere"
        raise wrong("to", "1.13.0-rc.0 or newer", str(given), hint)
    if target.version <= now.version:
        hint = "talosctl rollback goes back to the Talos before the last upgrade"
        known = f"the newest {given} that this library knows is {target} (tables of {talos_releases.READ_ON}); " if given != target else ""
        raise wrong("to", f"newer than {now}, which the nodes run", str(given), known + hint)
    return target


def check_fabric_manager(target: TalosVersion, nodes: GpuNodes, schematic: Schematic | ExistingSchematic | None) -> None:
    """Refuse a Talos whose fabric manager does not start to nodes that have one; warn where the card says that they may need one."""
    mended = NO_FABRIC_MANAGER.get(str(target))
    if mended is None:
        return
    fault = f"the fabric manager of Talos {target} does not start, because libz.so.1 is missing (siderolabs/extensions#1073)"
    if _has_fabric_manager(schematic):
        raise wrong("to", f"{mended} or newer for nodes with a fabric manager", str(target), fault)
    if nodes.product is not None and _may_have_nvswitch(nodes.product):
        warn(f"{fault}; where the machines with {nodes.product} have NVSwitch, upgrade to {mended} or newer")


def _has_fabric_manager(schematic: Schematic | ExistingSchematic | None) -> bool:
    if not isinstance(schematic, ExistingSchematic):
        return schematic is not None and schematic.fabric_manager
    from ..upstream.extension_names import FABRIC_MANAGER  # few give an ID, and only to them are these of use
    from ..upstream.factory_ids import known_extensions

    return any(FABRIC_MANAGER in name for name in known_extensions().get(schematic.id, ()))


def _may_have_nvswitch(product: str) -> bool:
    from ..upstream.card_names import NVSWITCH_BOARDS, plain_name  # only who names a card needs the names of all

    return re.fullmatch(NVSWITCH_BOARDS, plain_name(product)) is not None
