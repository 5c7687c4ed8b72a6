"""`UpgradePlan`: the steps, in order, that upgrade a class of GPU nodes to another Talos."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from ...arguments.errors import Argument, Phrase, warn, wrong, wrong_kind
from ...arguments.fields import named, settle, to_flag, to_texts
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, instance, ordered, text, texts
from ...nodes.fabric_manager import default_fabric_manager, fabric_manager_fault, may_have_nvswitch
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion, dated, newest_minor, to_talos_version
from ...upstream.talos import releases as talos_releases
from ...upstream.talos.features import DOCUMENTS, LEGACY_ROOT
from ...upstream.talos.generations import LEGACY_PRE_RELEASES, NRI_TOOLKIT
from ...upstream.talos.platforms import Platform
from ..config.machine_config import ConfigStyle, MachineConfigPatch, check_runtime
from ..image.existing_schematic import ExistingSchematic
from ..image.factory_images import to_platform
from ..image.schematic import Schematic
from .checklist import checklist_text
from .step import Hop, Outage, UpgradeRoute, UpgradeStep, UpgradeTool
from .steps import outages_of, plan_text, steps_of
from .tools import TOOLS

if TYPE_CHECKING:
    from ...observed.leftovers.upgrade_leftovers import Move
    from .leftovers import Leftover


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    nodes = instance(argument, value, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.12')")
    if nodes.passthrough is not None:
        hint = (
            "the node has no driver that an upgrade changes: move the virtual machines to other nodes or stop them, "
            "upgrade with the installer of the Schematic (talos-gpu schematic --from PRESENT --print installer), and "
            "start the machines again"
        )
        raise wrong("passthrough", "left out in an upgrade plan", nodes.passthrough, hint)
    return nodes


def _to_route(value: UpgradeRoute | str, argument: str = "") -> UpgradeRoute:
    return choice(argument, value, UpgradeRoute)


def _to_new_route(value: UpgradeRoute | str | None, argument: str = "") -> UpgradeRoute:
    return None if value is None else choice(argument, value, UpgradeRoute)  # type: ignore[return-value]  # None: that of `route`


def _to_tool(value: UpgradeTool | str, argument: str = "") -> UpgradeTool:
    return choice(argument, value, UpgradeTool)


def _to_images(value: Iterable[str] | None, argument: str = "") -> tuple[str, ...] | None:
    if value is None:
        return None
    rule = "a list of images, such as ['vllm/vllm-openai:v0.20.0']"
    return tuple(text(f"{argument}[{index}]", image, "the name of an image") for index, image in enumerate(ordered(argument, value, rule)))


def _to_manifests(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    return tuple(text(f"{argument}[{index}]", path, "the path of manifests") for index, path in enumerate(texts(argument, value)))


def _to_schematic(value: Schematic | ExistingSchematic | None, argument: str = "") -> Schematic | ExistingSchematic | None:
    rule = "a Schematic or an ExistingSchematic"
    return None if value is None else instance(argument, value, Schematic | ExistingSchematic, rule)


def _to_patch(value: MachineConfigPatch | None, argument: str = "") -> MachineConfigPatch | None:
    return None if value is None else instance(argument, value, MachineConfigPatch, "a MachineConfigPatch")


def _is_same_class(one: GpuNodes, other: GpuNodes) -> bool:
    """Whether two classes differ in their Talos at most."""
    names = (field.name for field in attrs.fields(GpuNodes) if field.name != "talos_version")
    return all(getattr(one, name) == getattr(other, name) for name in names)


@named_arguments(nodes="a plan is for one class of GPU nodes", to="set the Talos to upgrade to")
@attrs.frozen(kw_only=True, field_transformer=named)
class UpgradePlan:
    """The steps that upgrade a class of GPU nodes to another Talos: what to check, remove, change and apply, before and
    after.

    Talos is upgraded by one minor release at a time, and every minor release has another driver. Talos 1.13 moves the
    driver libraries, so settings of 1.12 can break a node there. Talos 1.14 has another form of machine configuration.

    One node goes through all steps of a release first, then the others. The device plugin and its RuntimeClass are the
    same for Talos 1.8 to 1.14, so a change to the operator comes after all upgrades, and a change to the device plugin
    before: the nodes then lack GPUs for the minutes of the change, and each node for its own reboots.

    Args:
        nodes: The class of nodes before the upgrade.
        to: The new Talos, as "1.14" or "1.13.9". Without its patch: the newest patch in this library's tables; the plan
            has their date.
        route: The component that advertises the GPUs now: `standalone` or `operator`. Default: `standalone`.
        new_route: The component that advertises the GPUs after the upgrade. Default: the same as `route`.
        schematic: The image of the nodes, a `Schematic` or an `ExistingSchematic`; its nodes may run another Talos than
            `nodes`. Default: the NVIDIA extensions only.
        patch: The machine configuration of the nodes, a `MachineConfigPatch`: its settings, such as `sysctls`, reach
            every patch that the plan prints. Default: the configuration that the class needs, without further settings.
        platform: The platform of the nodes. Default: `metal`.
        secureboot: Whether the nodes boot with Secure Boot, which needs another installer. Default: False.
        tool: The tool that manages the nodes: `talosctl`, `omni`, `talhelper`, `terraform` or `capi`. Default:
            `talosctl`.
        images: The images of your GPU containers; the plan names those that can't run on a new driver. Default:
            unknown.
        manifests: The folders or files of your manifests, which the commands of the plan check and apply. Default:
            `$MANIFESTS`, a variable that you set in the shell.
        addresses: The addresses of the nodes, for the commands. Default: a placeholder, or an example without `node_names`.
        node_names: The names of the nodes in Kubernetes, as many and in the same order. Default: as of `addresses`.

    Raises:
        TypeError, ValueError: `'to' must be newer than …`, `'to' must be 1.13.1 or newer for nodes with a fabric
        manager …`, and the errors
            of `GpuNodes` on the new Talos.

    Example:
        >>> plan = UpgradePlan(nodes=GpuNodes(talos_version="1.12.11"), to="1.13.9", route="operator")
        >>> [step.title for step in plan.steps if step.action == "remove"]
        ['Remove every reference to /usr/local/glibc.', 'Remove the validation bridge.']

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/lifecycle-management/upgrading-talos
    """

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    to: TalosVersion = attrs.field(converter=to_talos_version)
    route: UpgradeRoute = attrs.field(default=UpgradeRoute.STANDALONE, converter=_to_route)
    new_route: UpgradeRoute = attrs.field(default=None, converter=_to_new_route)
    schematic: Schematic | ExistingSchematic | None = attrs.field(default=None, converter=_to_schematic)
    patch: MachineConfigPatch | None = attrs.field(default=None, converter=_to_patch)
    platform: Platform = attrs.field(default=Platform.METAL, converter=to_platform)
    secureboot: bool = attrs.field(default=False, converter=to_flag)
    tool: UpgradeTool = attrs.field(default=UpgradeTool.TALOSCTL, converter=_to_tool)
    images: tuple[str, ...] | None = attrs.field(default=None, converter=_to_images)
    manifests: tuple[str, ...] = attrs.field(default=(), converter=_to_manifests)
    addresses: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    node_names: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    # Computed once: a new GpuNodes may warn.
    _hops: tuple[Hop, ...] = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        for name, given in (("schematic", self.schematic), ("patch", self.patch)):
            if given is not None and given.nodes is not None and not _is_same_class(given.nodes, self.nodes):
                raise wrong(name, Phrase("that of ", Argument("nodes")), given.nodes, f"'nodes' is {self.nodes!r}")
        if self.addresses and self.node_names and len(self.addresses) != len(self.node_names):
            rule = f"the names of the {len(self.addresses)} nodes in 'addresses', in the same order"
            raise wrong("node_names", rule, list(self.node_names))
        object.__setattr__(self, "to", _target(self.to, self.nodes.talos_version))
        settle(self, "new_route", self.route)
        _check_fabric_manager(self.to, self.nodes, self.schematic)
        if self.to.minor in NRI_TOOLKIT and self.new_route is UpgradeRoute.STANDALONE:
            hint = f"the extensions of Talos {self.to.minor_version} contain no container toolkit, and only the operator installs one"
            raise wrong("new_route", f"'operator' for Talos {self.to}", str(self.new_route), hint)
        object.__setattr__(self, "_hops", tuple(self._hops_in_order()))

    @property
    def steps(self) -> list[UpgradeStep]:
        """All steps, in order."""
        return [step for _, steps in self._parts() for step in steps]

    @property
    def outages(self) -> list[Outage]:
        """The steps between which nodes of the class offer no GPU."""
        return [outage for hop, steps in self._parts() for outage in outages_of(hop, steps)]

    @property
    def nodes_after(self) -> GpuNodes:
        """The class of nodes after the upgrade; synthesize the manifests with it."""
        return self._hops[-1].after

    @property
    def markdown(self) -> str:
        """The plan as a Markdown checklist, with the reason and the way back of each step."""
        return plan_text(self._parts())

    @property
    def checklist(self) -> str:
        """The plan as a short Markdown checklist: its commands, without reasons and ways back."""
        return checklist_text(self._parts())

    def _parts(self) -> list[tuple[Hop, list[UpgradeStep]]]:
        parts: list[tuple[Hop, list[UpgradeStep]]] = []
        number = 1
        for hop in self._hops:
            parts.append((hop, steps_of(hop, number)))
            number += len(parts[-1][1])
        return parts

    def leftovers(self, manifests: Iterable[Mapping[str, Any]]) -> list[Leftover]:
        """The objects of a cluster or a repository that have to be removed or changed for the upgrade, with the
        reasons.

        The objects are read as `talos-gpu check` reads them. An application whose pods name the old library path stays,
        and only its pod spec has to change. A `TalosGpuWarning` names every object that may have to be removed or
        changed but can't be checked: a document that is no Kubernetes object, and a value that another tool fills in,
        such as `${VAR}`.

        Args:
            manifests: The parsed objects; a `List` of kubectl is read as well. Items that are no mappings are skipped.

        Raises:
            TypeError: `'manifests' must be a list of objects …`.
        """
        rule = "a list of Kubernetes objects"
        if isinstance(manifests, str | Mapping) or not isinstance(manifests, Iterable):
            raise wrong_kind("manifests", rule, manifests, "put the object into a list" if isinstance(manifests, Mapping) else "")
        from .leftovers import inputs_of, search  # only this method needs the checks

        leftovers, _ = search(move_of(self), inputs_of(manifests))
        return leftovers

    def _hops_in_order(self) -> list[Hop]:
        has_fabric_manager = self.schematic is not None and self.schematic.fabric_manager
        stops = [*_stops_between(self.nodes.talos_version, self.to, has_fabric_manager=has_fabric_manager), self.to]
        # The manifests of the device plugin are the same for every Talos, so the device plugin runs while the nodes are
        # upgraded. Only the operator works from Talos 1.15 on.
        moves_first = self.route is UpgradeRoute.OPERATOR
        moving = 0 if moves_first else len(stops) - 1
        if not moves_first and self.to.minor in NRI_TOOLKIT:
            moves_first = True
            moving = next(index for index, stop in enumerate(stops) if stop.minor in NRI_TOOLKIT)
        route, before, hops = self.route, self.nodes, []
        has_fields = self.nodes.talos_version.minor not in DOCUMENTS if self.patch is None else self.patch.style is ConfigStyle.FIELDS
        for index, stop in enumerate(stops):
            after = attrs.evolve(before, talos_version=stop)
            if self.patch is not None:
                check_runtime(after, default_runtime=self.patch.default_runtime, base_runtime_spec=self.patch.base_runtime_spec)
            new_route = self.new_route if index >= moving else self.route
            hop = Hop(
                before=before,
                after=after,
                # Without `schematic` the image of `talos-gpu schematic`, whose own run warns of an open fabric manager.
                image=attrs.evolve(self.schematic, nodes=after)
                if self.schematic
                else Schematic(nodes=after, fabric_manager=default_fabric_manager(after)),
                route=route,
                new_route=new_route,
                moves_first=moves_first,
                patch=self.patch,
                keeps_fields=has_fields,
                platform=self.platform,
                secureboot=self.secureboot,
                images=self.images,
                manifests=self.manifests,
                tool=TOOLS[self.tool],
                addresses=self.addresses,
                node_names=self.node_names,
            )
            hops.append(hop)
            route, before = new_route, after
        return hops


def move_of(plan: UpgradePlan) -> Move:
    """The upgrade as the search for leftovers needs it."""
    from ...observed.leftovers.upgrade_leftovers import Move

    before, after = plan.nodes.talos_version, plan.nodes_after.talos_version
    return Move(before=before, after=after, route=str(plan.route), new_route=str(plan.new_route))


def _target(given: TalosVersion, now: TalosVersion) -> TalosVersion:
    """The release that the nodes are upgraded to: the given one, or the newest known patch of its minor release."""
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


def _stops_between(now: TalosVersion, target: TalosVersion, *, has_fabric_manager: bool) -> Iterator[TalosVersion]:
    """The newest patch of every minor release on the way, or a newer one where its fabric manager has a fault."""
    for minor in range(now.minor + 1, target.minor):
        stop = TalosVersion.parse("to", talos_releases.TALOS[f"1.{minor}"].newest)
        fault = fabric_manager_fault(stop) if has_fabric_manager else None
        yield TalosVersion.parse("to", fault.fixed_in) if fault else stop


def _check_fabric_manager(target: TalosVersion, nodes: GpuNodes, schematic: Schematic | ExistingSchematic | None) -> None:
    """Refuse a Talos whose fabric manager does not start for nodes with one; warn for cards that may need one."""
    fault = fabric_manager_fault(target, nodes)
    if fault is None:
        return
    if schematic is not None and schematic.fabric_manager:
        raise wrong("to", f"{fault.fixed_in} or newer for nodes with a fabric manager", str(target), fault.reason)
    if may_have_nvswitch(nodes):
        warn(f"{fault.reason}; if machines with {nodes.product} have NVSwitch, upgrade to {fault.fixed_in} or newer")
