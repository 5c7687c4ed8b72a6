"""`UpgradePlan`: what to do, and in which order, when a class of GPU nodes goes from one Talos to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .._arguments.refusals import choice, flag, instance, named_arguments, wrong, wrong_kind
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation, TalosVersion, newest_minor
from ..upstream import talos_releases
from ..upstream.talos_features import NRI_TOOLKIT
from .existing_schematic import ExistingSchematic
from .factory_images import Platform
from .leftovers import Leftover, leftovers
from .schematic import Schematic
from .upgrade_hops import Hop
from .upgrade_step import UpgradePhase, UpgradeRoute, UpgradeStep

_INTRODUCTION = (
    "In the commands NODE is the name of one node of the class, as kubectl has it, and ADDRESS its address, one node after the other;",
    "CONTROL_PLANE is the address of a control-plane node; KUBERNETES the version to go to; RELEASE and NAMESPACE are those of what the",
    "command is about. Where nobody said the patch of a Talos, it is the newest that this library knows (tables of {read_on}). What a GitOps",
    "tool applies, remove from its repository: it would bring it back.",
)
_HEADINGS = {UpgradePhase.BEFORE: "Before", UpgradePhase.UPGRADE: "The upgrade", UpgradePhase.AFTER: "After"}


@named_arguments(nodes="the plan is for one class of GPU nodes", to="say which Talos the nodes are to run")
@dataclass(frozen=True, kw_only=True, slots=True)
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
        TypeError, ValueError: `'to' must be newer than …`, and what `GpuNodes` refuses on the Talos it is to run.

    Example:
        >>> plan = UpgradePlan(nodes=GpuNodes(talos_version="1.12.11"), to="1.13.9", route="operator")
        >>> [step.title for step in plan.steps if step.action == "remove"]
        ['Drop what points to /usr/local/glibc.', 'Remove the validation bridge.']

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/lifecycle-management/upgrading-talos
    """

    nodes: GpuNodes
    to: str | TalosVersion
    route: UpgradeRoute | str = UpgradeRoute.STANDALONE
    new_route: UpgradeRoute | str | None = None
    schematic: Schematic | ExistingSchematic | None = None
    platform: Platform | str = Platform.METAL
    secureboot: bool = False
    # Made once: making a class of nodes may warn.
    _hops: tuple[Hop, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        instance("nodes", self.nodes, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.12')")
        route = choice("route", self.route, UpgradeRoute)
        resolved = {
            "to": _target(self.to, self.nodes.talos_version),
            "route": route,
            "platform": choice("platform", self.platform, Platform),
            "secureboot": flag("secureboot", self.secureboot),
            "new_route": route if self.new_route is None else choice("new_route", self.new_route, UpgradeRoute),
        }
        if self.schematic is not None:
            instance("schematic", self.schematic, Schematic | ExistingSchematic, "a Schematic, or what existing_schematic gives")
            if self.schematic.nodes not in {None, self.nodes}:
                raise wrong("schematic", "that of 'nodes'", self.schematic.nodes, f"'nodes' is {self.nodes!r}")
        for name, value in resolved.items():
            object.__setattr__(self, name, value)
        if TalosVersion.parse("to", self.to).minor in NRI_TOOLKIT and self.new_route is UpgradeRoute.STANDALONE:
            then = "its extensions bring no container toolkit, so only the operator's hands GPUs to containers"
            raise wrong("new_route", f"'operator' for Talos {self.to}", str(self.new_route), then)
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

        Args:
            manifests: The objects, parsed; those in a `List` of kubectl's too. What is no mapping is passed over.

        Raises:
            TypeError: `'manifests' must be a list of objects …`.
        """
        rule = "a list of objects, as Kubernetes has them"
        if isinstance(manifests, str | Mapping) or not isinstance(manifests, Iterable):
            raise wrong_kind("manifests", rule, manifests, "put it into a list" if isinstance(manifests, Mapping) else "")
        moves = self.route is not self.new_route
        return leftovers(
            manifests,
            crosses_to_cdi=self.nodes.generation is Generation.LEGACY is not self.nodes_after.generation,
            to_operator=moves and self.new_route is UpgradeRoute.OPERATOR,
            to_standalone=moves and self.new_route is UpgradeRoute.STANDALONE,
        )

    def _made(self) -> list[Hop]:
        target = TalosVersion.parse("to", self.to)
        first = self.nodes.talos_version
        stops = [TalosVersion.parse("to", talos_releases.TALOS[f"1.{minor}"].newest) for minor in range(first.minor + 1, target.minor)]
        route, before, hops = UpgradeRoute(self.route), self.nodes, []
        for stop in [*stops, target]:
            after = replace(before, talos_version=stop)
            # A cluster changes its route where the manifests change the most, or else with the last upgrade.
            moves = before.generation is not after.generation or (stop == target and route is not self.new_route)
            new_route = UpgradeRoute(str(self.new_route)) if moves else route
            hop = Hop(
                before=before,
                after=after,
                image=self._image(after),
                route=route,
                new_route=new_route,
                platform=Platform(self.platform),
                secureboot=self.secureboot,
            )
            hops.append(hop)
            route, before = new_route, after
        return hops

    def _image(self, nodes: GpuNodes) -> Schematic | ExistingSchematic:
        return Schematic(nodes=nodes) if self.schematic is None else replace(self.schematic, nodes=nodes)


def _target(to: object, now: TalosVersion) -> TalosVersion:
    given = TalosVersion.parse("to", to)
    if not given.is_known:
        newest, read_on = newest_minor(), talos_releases.READ_ON
        beta = ", of which only a beta is known" if newest == talos_releases.PREVIEW else ""
        hint = f"the plan goes by Talos {newest}{beta} (tables of {read_on}); upgrade this library"
        raise wrong("to", f"of Talos {newest} or older", str(given), hint)
    target = TalosVersion.parse("to", given.release.newest) if given.patch is None else given
    if target.version <= now.version:
        then = "talosctl rollback goes back to the Talos before the last upgrade"
        read_on = talos_releases.READ_ON
        known = f"the newest {given} that this library knows is {target} (tables of {read_on}); " if given != target else ""
        raise wrong("to", f"newer than {now}, which the nodes run", str(given), known + then)
    return target
