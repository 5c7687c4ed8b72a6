"""`UpgradePlan`: what to do, and in which order, when a class of GPU nodes goes from one Talos to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from .._arguments.errors import Argument, Phrase, wrong, wrong_kind
from .._arguments.fields import named, settle, to_flag
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import choice, instance
from .._arguments.talos_warnings import warn
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion, to_talos_version
from ..upstream import talos_releases
from ..upstream.talos_features import NRI_TOOLKIT, OMNI_REFUSES
from .existing_schematic import ExistingSchematic
from .factory_images import Platform, to_platform
from .leftovers import Leftover
from .schematic import Schematic
from .upgrade_hops import Hop
from .upgrade_step import UpgradePhase, UpgradeRoute, UpgradeStep
from .upgrade_targets import check_fabric_manager, upgrade_target

_INTRODUCTION = (
    "In the commands NODE is the name of one node of the class, as kubectl has it, and ADDRESS its address, one node after the other;",
    "CONTROL_PLANE is the address of a control-plane node; KUBERNETES the version to go to; RELEASE and NAMESPACE are those of what the",
    "command is about. Where nobody said the patch of a Talos, it is the newest that this library knows (tables of {read_on}). What a GitOps",
    "tool applies, remove from its repository: it would bring it back.",
    f"Omni refuses talosctl {', '.join(OMNI_REFUSES)}: in a cluster of Omni's let Omni",
    "upgrade Talos and Kubernetes, and change the configuration by its config patches (talos-gpu patch --for omni).",
)
_HEADINGS = {UpgradePhase.BEFORE: "Before", UpgradePhase.UPGRADE: "The upgrade", UpgradePhase.AFTER: "After"}


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    return instance(argument, value, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.12')")


def _to_route(value: UpgradeRoute | str, argument: str = "") -> UpgradeRoute:
    return choice(argument, value, UpgradeRoute)


def _to_new_route(value: UpgradeRoute | str | None, argument: str = "") -> UpgradeRoute:
    # The route itself, where None is given, once that is known.
    return None if value is None else choice(argument, value, UpgradeRoute)  # type: ignore[return-value]


def _to_schematic(value: Schematic | ExistingSchematic | None, argument: str = "") -> Schematic | ExistingSchematic | None:
    rule = "a Schematic, or what existing_schematic gives"
    return None if value is None else instance(argument, value, Schematic | ExistingSchematic, rule)


@named_arguments(nodes="the plan is for one class of GPU nodes", to="say which Talos the nodes are to run")
@attrs.frozen(kw_only=True, field_transformer=named)
class UpgradePlan:
    """What to remove, change and apply, before and after, when a class of GPU nodes goes to another Talos.

    Talos is upgraded by one minor release at a time, and each brings another driver; 1.13 moves the driver's libraries, so what worked on
    1.12 keeps a node from working there, and 1.14 has another form of machine configuration.

    Args:
        nodes: The class of nodes as it is now.
        to: The Talos that it is to run, as "1.14" or "1.13.9". Without its patch: the newest that this library knows.
        route: What advertises the GPUs now: `standalone` or `operator`. Default: `standalone`.
        new_route: What is to advertise them afterwards. Default: the same.
        schematic: The nodes' image, a `Schematic` or what `existing_schematic` gives. Default: NVIDIA's extensions alone.
        platform: Where the nodes run. Default: `metal`.
        secureboot: Whether they boot with Secure Boot, and so from another installer. Default: False.

    Raises:
        TypeError, ValueError: `'to' must be newer than …`, `'to' must be 1.13.1 or newer for nodes with a fabric manager …`, and what
            `GpuNodes` refuses on the Talos that it is to run.

    Example:
        >>> plan = UpgradePlan(nodes=GpuNodes(talos_version="1.12.11"), to="1.13.9", route="operator")
        >>> [step.title for step in plan.steps if step.action == "remove"]
        ['Drop what points to /usr/local/glibc.', 'Remove the validation bridge.']

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/lifecycle-management/upgrading-talos
    """

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    to: TalosVersion = attrs.field(converter=to_talos_version)
    route: UpgradeRoute = attrs.field(default=UpgradeRoute.STANDALONE, converter=_to_route)
    new_route: UpgradeRoute = attrs.field(default=None, converter=_to_new_route)
    schematic: Schematic | ExistingSchematic | None = attrs.field(default=None, converter=_to_schematic)
    platform: Platform = attrs.field(default=Platform.METAL, converter=to_platform)
    secureboot: bool = attrs.field(default=False, converter=to_flag)
    # Made once: making a class of nodes may warn.
    _hops: tuple[Hop, ...] = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if self.schematic is not None and self.schematic.nodes not in {None, self.nodes}:
            rule = Phrase("that of ", Argument("nodes"))
            raise wrong("schematic", rule, self.schematic.nodes, f"'nodes' is {self.nodes!r}")
        object.__setattr__(self, "to", upgrade_target(self.to, self.nodes.talos_version))
        settle(self, "new_route", self.route)
        check_fabric_manager(self.to, self.nodes, self.schematic)
        if self.to.minor in NRI_TOOLKIT and self.new_route is UpgradeRoute.STANDALONE:
            hint = "its extensions bring no container toolkit, so only the operator's hands GPUs to containers"
            raise wrong("new_route", f"'operator' for Talos {self.to}", str(self.new_route), hint)
        object.__setattr__(self, "_hops", tuple(self._made()))

    @property
    def steps(self) -> list[UpgradeStep]:
        """Every step, in order."""
        return [step for hop in self._hops for step in hop.steps()]

    @property
    def nodes_after(self) -> GpuNodes:
        """The class as it is afterwards: what to synthesize with."""
        return self._hops[-1].after

    @property
    def markdown(self) -> str:
        """The plan as a list to tick off."""
        called = f" of the class '{self.nodes.name}'" if self.nodes.name else ""
        lines = [f"# From Talos {self.nodes.talos_version} to {self.to}, GPU nodes{called}", ""]
        lines += [*(line.format(read_on=talos_releases.READ_ON) for line in _INTRODUCTION), ""]
        for hop in self._hops:
            lines += [f"## {hop.name}", ""]
            for phase, heading in _HEADINGS.items():
                steps = [step.markdown for step in hop.steps() if step.phase is phase]
                if steps:
                    lines += [f"### {heading}", "", "\n\n".join(steps), ""]
        return "\n".join(lines).rstrip() + "\n"

    def leftovers(self, manifests: Iterable[Mapping[str, Any]]) -> list[Leftover]:
        """Which of these objects have to go, and why: what the cluster, or its repository, has now.

        The objects are read as `talos-gpu check` reads them. A `TalosGpuWarning` names each of which it can't be told whether it has to go:
        what is no object of Kubernetes, and what something else fills in, such as `${VAR}`.

        Args:
            manifests: The objects, parsed; those in a `List` of kubectl's too. What is no mapping is passed over.

        Raises:
            TypeError: `'manifests' must be a list of objects …`.
        """
        rule = "a list of objects, as Kubernetes has them"
        if isinstance(manifests, str | Mapping) or not isinstance(manifests, Iterable):
            raise wrong_kind("manifests", rule, manifests, "put it into a list" if isinstance(manifests, Mapping) else "")
        from .leftover_search import search_manifests  # only this question needs the checks

        found = search_manifests(self, manifests)
        for sentence in found.unread:
            warn(sentence)
        return found.leftovers

    def _made(self) -> list[Hop]:
        target, first = self.to, self.nodes.talos_version
        stops = [TalosVersion.parse("to", talos_releases.TALOS[f"1.{minor}"].newest) for minor in range(first.minor + 1, target.minor)]
        route, before, hops = self.route, self.nodes, []
        for stop in [*stops, target]:
            after = attrs.evolve(before, talos_version=stop)
            # A cluster changes its route where the manifests change the most, or else with the last upgrade.
            moves = before.generation is not after.generation or (stop == target and route is not self.new_route)
            new_route = self.new_route if moves else route
            hop = Hop(
                before=before,
                after=after,
                image=self._image(after),
                route=route,
                new_route=new_route,
                platform=self.platform,
                secureboot=self.secureboot,
            )
            hops.append(hop)
            route, before = new_route, after
        return hops

    def _image(self, nodes: GpuNodes) -> Schematic | ExistingSchematic:
        return Schematic(nodes=nodes) if self.schematic is None else attrs.evolve(self.schematic, nodes=nodes)
