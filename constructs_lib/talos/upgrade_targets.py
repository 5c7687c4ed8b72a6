"""Checks of the Talos that an upgrade plan goes to."""

from __future__ import annotations

from ..arguments.errors import wrong
from ..arguments.talos_warnings import warn
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion, dated, newest_minor
from ..upstream.talos import releases as talos_releases
from ..upstream.talos.features import LEGACY_PRE_RELEASES, LEGACY_ROOT
from .image.existing_schematic import ExistingSchematic
from .image.fabric_manager import fabric_manager_fault, may_have_nvswitch
from .image.schematic import Schematic


def upgrade_target(given: TalosVersion, now: TalosVersion) -> TalosVersion:
    """The release that the nodes are upgraded to: the given release, or the newest known patch of the given minor release."""
    if not given.is_known:
        newest = newest_minor()
        beta = ", as a beta" if newest == talos_releases.PREVIEW else ""
        hint = f"{dated(f'Talos {newest} is the newest known release{beta}')}; upgrade this library"
        raise wrong("to", f"of Talos {newest} or older", str(given), hint)
    target = TalosVersion.parse("to", given.release.newest) if given.patch is None else given
    if str(target) in LEGACY_PRE_RELEASES:
        hint = (
            f"this pre-release has the driver libraries under {LEGACY_ROOT}, and the steps of the plan are for the new paths of Talos 1.13"
        )
        raise wrong("to", "1.13.0-rc.0 or newer", str(given), hint)
    if target.version <= now.version:
        hint = "talosctl rollback returns to the Talos before the last upgrade"
        known = dated(f"the newest {given} that this library knows is {target}") + "; " if given != target else ""
        raise wrong("to", f"newer than {now}, which the nodes run", str(given), known + hint)
    return target


def stops_between(now: TalosVersion, target: TalosVersion, schematic: Schematic | ExistingSchematic | None) -> list[TalosVersion]:
    """The newest patch of every minor release on the way, or a newer one where this patch has a fault."""
    stops = [TalosVersion.parse("to", talos_releases.TALOS[f"1.{minor}"].newest) for minor in range(now.minor + 1, target.minor)]
    return [_without_fault(stop, schematic) for stop in stops]


def _without_fault(stop: TalosVersion, schematic: Schematic | ExistingSchematic | None) -> TalosVersion:
    fault = fabric_manager_fault(stop) if schematic is not None and schematic.fabric_manager else None
    return stop if fault is None else TalosVersion.parse("to", fault.fixed_in)


def check_target_fabric_manager(target: TalosVersion, nodes: GpuNodes, schematic: Schematic | ExistingSchematic | None) -> None:
    """Refuse a Talos whose fabric manager does not start for nodes with a fabric manager; warn for cards that may need one."""
    fault = fabric_manager_fault(target, nodes)
    if fault is None:
        return
    if schematic is not None and schematic.fabric_manager:
        raise wrong("to", f"{fault.fixed_in} or newer for nodes with a fabric manager", str(target), fault.reason)
    if may_have_nvswitch(nodes):
        warn(f"{fault.reason}; if machines with {nodes.product} have NVSwitch, upgrade to {fault.fixed_in} or newer")
