"""`UpgradePlan`: the steps, in order, that upgrade a class of GPU nodes to another Talos."""

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
from ..upstream.platforms import Platform
from ..upstream.talos_features import NRI_TOOLKIT, OMNI_REFUSES
from .existing_schematic import ExistingSchematic
from .factory_images import to_platform
from .leftovers import Leftover
from .schematic import Schematic
from .upgrade_hops import Hop
from .upgrade_step import UpgradePhase, UpgradeRoute, UpgradeStep
from .upgrade_targets import check_target_fabric_manager, upgrade_target

_INTRODUCTION = (
    "Set these variables in the shell first, with your own values:",
    "",
    "    export {variables}",
    "",
    "NODE is the name of a node in Kubernetes, ADDRESS its address, CONTROL_PLANE the address of a control-plane node, and KUBERNETES the version",
    "of Kubernetes to upgrade to. RELEASE, KIND, NAME and NAMESPACE are those of the Helm release or object in the command.",
    "",
    "Finish each section on all nodes before the next section. A command with $NODE or $ADDRESS runs once for each node. Every other command runs",
    "once for the cluster.",
    "",
    "For a Talos without its patch the plan uses the newest patch that this library knows (tables of {read_on}). Remove objects of a GitOps tool",
    "from its repository, or the tool creates the objects again.",
    "",
    f"Omni refuses these subcommands of talosctl: {', '.join(OMNI_REFUSES)}, and get machineconfig. In an Omni cluster",
    "upgrade Talos and Kubernetes in Omni, read the configuration in Omni, and change it by config patches (talos-gpu patch --for omni). To check",
    "the driver, use the last step of an upgrade, which asks Kubernetes.",
)
_HEADINGS = {UpgradePhase.BEFORE: "Before", UpgradePhase.UPGRADE: "The upgrade", UpgradePhase.AFTER: "After"}


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    return instance(argument, value, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.12')")


def _to_route(value: UpgradeRoute | str, argument: str = "") -> UpgradeRoute:
    return choice(argument, value, UpgradeRoute)


def _to_new_route(value: UpgradeRoute | str | None, argument: str = "") -> UpgradeRoute:
    # None becomes the value of `route` in `__attrs_post_init__`.
    return None if value is None else choice(argument, value, UpgradeRoute)  # type: ignore[return-value]


def _to_schematic(value: Schematic | ExistingSchematic | None, argument: str = "") -> Schematic | ExistingSchematic | None:
    rule = "a Schematic or an ExistingSchematic"
    return None if value is None else instance(argument, value, Schematic | ExistingSchematic, rule)


def _is_same_class(one: GpuNodes, other: GpuNodes) -> bool:
    """Whether two classes differ in their Talos at most."""
    names = [field.name for field in attrs.fields(GpuNodes) if field.name != "talos_version"]
    return all(getattr(one, name) == getattr(other, name) for name in names)


@named_arguments(nodes="a plan is for one class of GPU nodes", to="set the Talos to upgrade to")
@attrs.frozen(kw_only=True, field_transformer=named)
class UpgradePlan:
    """The steps that upgrade a class of GPU nodes to another Talos: what to check, remove, change and apply, before and after.

    Talos is upgraded by one minor release at a time, and every minor release has another driver. Talos 1.13 moves the driver libraries, so
    settings of 1.12 can break a node there. Talos 1.14 has another form of machine configuration.

    Args:
        nodes: The class of nodes before the upgrade.
        to: The new Talos, as "1.14" or "1.13.9". Without its patch: the newest patch in this library's tables; the plan has their date.
        route: The component that advertises the GPUs now: `standalone` or `operator`. Default: `standalone`.
        new_route: The component that advertises the GPUs after the upgrade. Default: the same as `route`.
        schematic: The image of the nodes, a `Schematic` or an `ExistingSchematic`; its nodes may run another Talos than `nodes`. Default:
            the NVIDIA extensions only.
        platform: The platform of the nodes. Default: `metal`.
        secureboot: Whether the nodes boot with Secure Boot, which needs another installer. Default: False.

    Raises:
        TypeError, ValueError: `'to' must be newer than …`, `'to' must be 1.13.1 or newer for nodes with a fabric manager …`, and the errors
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
    platform: Platform = attrs.field(default=Platform.METAL, converter=to_platform)
    secureboot: bool = attrs.field(default=False, converter=to_flag)
    # Computed once: a new GpuNodes may warn.
    _hops: tuple[Hop, ...] = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if self.schematic is not None and self.schematic.nodes is not None and not _is_same_class(self.schematic.nodes, self.nodes):
            rule = Phrase("that of ", Argument("nodes"))
            raise wrong("schematic", rule, self.schematic.nodes, f"'nodes' is {self.nodes!r}")
        object.__setattr__(self, "to", upgrade_target(self.to, self.nodes.talos_version))
        settle(self, "new_route", self.route)
        check_target_fabric_manager(self.to, self.nodes, self.schematic)
        if self.to.minor in NRI_TOOLKIT and self.new_route is UpgradeRoute.STANDALONE:
            hint = f"the extensions of Talos {self.to.minor_version} contain no container toolkit, and only the operator installs one"
            raise wrong("new_route", f"'operator' for Talos {self.to}", str(self.new_route), hint)
        object.__setattr__(self, "_hops", tuple(self._hops_in_order()))

    @property
    def steps(self) -> list[UpgradeStep]:
        """All steps, in order."""
        return [step for hop in self._hops for step in hop.steps()]

    @property
    def nodes_after(self) -> GpuNodes:
        """The class of nodes after the upgrade; synthesize the manifests with it."""
        return self._hops[-1].after

    @property
    def markdown(self) -> str:
        """The plan as a Markdown checklist."""
        named = f" of the class '{self.nodes.name}'" if self.nodes.name else ""
        lines = [f"# From Talos {self.nodes.talos_version} to {self.to}, GPU nodes{named}", ""]
        kubernetes = f"{self._hops[0].common_kubernetes[-1]}.0"
        variables = f"NODE=gpu-1 ADDRESS=10.0.0.7 CONTROL_PLANE=10.0.0.2 KUBERNETES={kubernetes}"
        lines += [*(line.format(read_on=talos_releases.READ_ON, variables=variables) for line in _INTRODUCTION), ""]
        for hop in self._hops:
            lines += [f"## {hop.name}", ""]
            for phase, heading in _HEADINGS.items():
                steps = [step.markdown for step in hop.steps() if step.phase is phase]
                if steps:
                    lines += [f"### {heading}", "", "\n\n".join(steps), ""]
        return "\n".join(lines).rstrip() + "\n"

    def leftovers(self, manifests: Iterable[Mapping[str, Any]]) -> list[Leftover]:
        """The objects of a cluster or a repository that have to be removed or changed for the upgrade, with the reasons.

        The objects are read as `talos-gpu check` reads them. An application whose pods name the old library path stays, and only its pod spec
        has to change. A `TalosGpuWarning` names every object that may have to be removed or changed but can't be checked: a document that is no Kubernetes object, and a value that another tool fills in, such as `${VAR}`.

        Args:
            manifests: The parsed objects; a `List` of kubectl is read as well. Items that are no mappings are skipped.

        Raises:
            TypeError: `'manifests' must be a list of objects …`.
        """
        rule = "a list of Kubernetes objects"
        if isinstance(manifests, str | Mapping) or not isinstance(manifests, Iterable):
            raise wrong_kind("manifests", rule, manifests, "put the object into a list" if isinstance(manifests, Mapping) else "")
        from .leftover_search import search_manifests  # only this method needs the checks

        result = search_manifests(self, manifests)
        for sentence in result.unread:
            warn(sentence)
        return result.leftovers

    def _hops_in_order(self) -> list[Hop]:
        target, first = self.to, self.nodes.talos_version
        stops = [TalosVersion.parse("to", talos_releases.TALOS[f"1.{minor}"].newest) for minor in range(first.minor + 1, target.minor)]
        route, before, hops = self.route, self.nodes, []
        for stop in [*stops, target]:
            after = attrs.evolve(before, talos_version=stop)
            # The route changes with the generation of NVIDIA support, because the manifests change most there; else with the last upgrade.
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
