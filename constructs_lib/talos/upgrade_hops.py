"""The upgrade of one class of nodes from one release of Talos to a newer patch, or to the next minor release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from ..arguments.commands import Command
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.image_remark import only_nvidia
from ..nodes.talos_version import Generation
from ..upstream.talos.features import ETCD_MINORS, has_legacy_root
from ..upstream.talos.platforms import Platform
from .config.machine_config import MachineConfigPatch
from .image.existing_schematic import ExistingSchematic
from .image.schematic import Schematic
from .upgrade_step import Outage, UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep
from .upgrade_talosctl import Talosctl

OFFERED = "Check that the node advertises its GPUs."
PLUGIN = "Uninstall the device plugin."
OPERATOR = "Uninstall the GPU operator."


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """The upgrade of one class of nodes to a newer patch, or to the next minor release, and a change of the route before or after."""

    before: GpuNodes
    after: GpuNodes
    image: Schematic | ExistingSchematic
    route: UpgradeRoute
    new_route: UpgradeRoute
    moves_first: bool
    """Whether a change of the route comes before the upgrade of the nodes."""
    patch: MachineConfigPatch | None
    """The machine configuration with the settings of the printed patches; None for a class without further settings."""
    keeps_fields: bool
    """Whether the machine configuration has the form of Talos 1.13, with fields in place of documents."""
    platform: Platform
    secureboot: bool
    images: tuple[str, ...] | None
    """The images of the GPU containers; None if unknown."""
    manifests: tuple[str, ...]
    """The paths of the manifests; empty for the variable MANIFESTS."""
    tool: Talosctl

    @property
    def name(self) -> str:
        """The Talos before and the Talos after, as "1.12.11 → 1.13.9"."""
        return f"{self.before.talos_version} → {self.after.talos_version}"

    @property
    def changes_route(self) -> bool:
        """Whether another component advertises the GPUs afterwards."""
        return self.route is not self.new_route

    @property
    def route_of_nodes(self) -> UpgradeRoute:
        """The component that advertises the GPUs while the nodes are upgraded."""
        return self.new_route if self.moves_first else self.route

    @property
    def leaves_legacy_root(self) -> bool:
        """Whether the libraries of the driver move from `LEGACY_ROOT` to the paths of CDI."""
        return has_legacy_root(self.before.talos_version.version) and not has_legacy_root(self.after.talos_version.version)

    @property
    def reaches_nri(self) -> bool:
        """Whether only the toolkit of the operator injects GPUs into containers after this upgrade, and did not have to before."""
        return self.before.generation is not Generation.NRI and self.after.generation is Generation.NRI

    @property
    def is_minor(self) -> bool:
        """Whether the minor release changes."""
        return self.before.talos_version.minor != self.after.talos_version.minor

    @property
    def changes_manifests(self) -> bool:
        """Whether the nodes need other manifests after the upgrade: those of the operator differ by generation, all others stay the same."""
        return self.route_of_nodes is UpgradeRoute.OPERATOR and self.before.generation is not self.after.generation

    @property
    def new_etcd(self) -> str:
        """The minor release of etcd that the new Talos brings; empty if etcd keeps its minor release."""
        return ETCD_MINORS.get(self.after.talos_version.minor, "") if self.is_minor else ""

    @property
    def common_kubernetes(self) -> list[str]:
        """The minor releases of Kubernetes that the Talos before and the Talos after run."""
        runs = self.after.talos_version.release.kubernetes_versions
        return [minor for minor in self.before.talos_version.release.kubernetes_versions if minor in runs]

    @property
    def installer_image(self) -> str:
        """The installer image of the new Talos."""
        return self.image.installer_image(self.after.talos_version, platform=self.platform, secureboot=self.secureboot)

    @property
    def image_remark(self) -> str:
        """The sentence on an image without extensions of others; empty for another image, and for one of which only the ID is known."""
        if not isinstance(self.image, Schematic) or self.image.extensions:
            return ""
        remark = only_nvidia("--extension, or give --from")
        return f" {remark[0].upper()}{remark[1:]}."

    @property
    def new_driver(self) -> str:
        """The driver version after the upgrade, or the driver branch of a release that is not in the tables."""
        return driver_of(self.after)

    def step(
        self, phase: UpgradePhase, action: UpgradeAction, title: str, reason: str, *commands: Command, check: str = "", way_back: str = ""
    ) -> UpgradeStep:
        """One step of this hop."""
        return UpgradeStep(
            hop=self.name,
            phase=phase,
            action=action,
            title=title,
            reason=reason,
            commands=tuple(map(str, commands)),
            check=check,
            way_back=way_back,
        )

    def steps(self, first: int) -> list[UpgradeStep]:
        """All steps, in order, numbered from `first` on."""
        from .upgrade_after import steps_after
        from .upgrade_before import steps_before, upgrade_step
        from .upgrade_ready import ready_step
        from .upgrade_routes import manifests, offer, route_steps

        parts: list[Iterator[UpgradeStep]] = [steps_before(self)]
        if self.changes_route and self.moves_first:
            parts.append(route_steps(self, self.before, UpgradePhase.BEFORE))
        before = [*chain(*parts), ready_step(self)]
        one = [upgrade_step(self), *steps_after(self)]
        one += [] if self.changes_manifests else [offer(self, UpgradePhase.AFTER, self.after)]
        last: list[UpgradeStep] = []
        if self.changes_manifests:
            last += [manifests(self, self.after, UpgradePhase.CLUSTER), offer(self, UpgradePhase.CLUSTER, self.after)]
        if self.changes_route and not self.moves_first:
            last += route_steps(self, self.after, UpgradePhase.CLUSTER)
        start = first + len(before)
        rest = [] if self.after.count == 1 else [self._rest(start, start + len(one) - 1)]
        rest += self._release()
        return [replace(step, number=number) for number, step in enumerate([*before, *one, *rest, *last], first)]

    def _rest(self, first: int, last: int) -> UpgradeStep:
        """The other nodes: `first` is the number of the upgrade of the first node, and the step before it is a check of each node."""
        reason, commands = self.tool.rest(first, last)
        return self.step(
            UpgradePhase.REST, UpgradeAction.APPLY, f"Upgrade the other nodes of the class to Talos {self.after.talos_version}.",
            f"{reason} If the class has one node, skip this step.", *commands,
            check=f"every node of the class runs Talos {self.after.talos_version}",
        )  # fmt: skip

    def _release(self) -> list[UpgradeStep]:
        if not (commands := self.tool.release()):
            return []
        return [self.step(
            UpgradePhase.REST, UpgradeAction.APPLY, "Unlock the other workers of the cluster.",
            "The locks hold every other worker on the old Talos, also a worker without GPUs. If another class of GPU nodes has a plan of its own, follow "
            "that plan to this step first.", *commands,
            check=f"kubectl get nodes --output wide shows Talos {self.after.talos_version} for every node",
        )]  # fmt: skip

    def outages(self, steps: list[UpgradeStep]) -> list[Outage]:
        """The steps of this hop between which GPUs are not offered."""
        outages, begin = [], None
        for step in steps:
            if begin is None and (step.phase is UpgradePhase.UPGRADE or (step.title in (PLUGIN, OPERATOR) and not self.before.dra)):
                begin = step
            elif begin is not None and step.title == OFFERED:
                outages.append(self._outage(begin, step))
                begin = None
        return outages

    def _outage(self, begin: UpgradeStep, end: UpgradeStep) -> Outage:
        nodes, pods = self._affected(begin, end)
        return Outage(hop=self.name, first=begin.number, last=end.number, nodes=nodes, pods=pods)

    def _affected(self, begin: UpgradeStep, end: UpgradeStep) -> tuple[str, str]:
        """The nodes without GPUs between two steps, and the pods that notice it."""
        if begin.phase is not UpgradePhase.UPGRADE:
            return (
                "all GPU nodes of the cluster",
                ("GPU pods that start in this time stay Pending. Running pods keep their GPUs. Nodes of other classes are affected if the same "
                "component advertises their GPUs."),
            )  # fmt: skip
        if end.phase is UpgradePhase.CLUSTER:
            return (
                "each node from its own upgrade on",
                ("The GPU pods of an upgraded node stay Pending, or start on a node that is not upgraded yet. The chart's values are for the whole "
                "cluster and for one generation of Talos, so no node can go through all steps first."),
            )  # fmt: skip
        if self.after.count == 1:
            return "the only node of the class", "Its pods are evicted, and its GPU pods stay Pending."
        return (
            "one node at a time",
            "Its pods are evicted, and start on other nodes of the class with free GPUs; without such a node they stay Pending.",
        )  # fmt: skip


def driver_of(nodes: GpuNodes) -> str:
    """The driver version of a release in the tables, or the driver branch of another release."""
    driver = nodes.talos_version.release.drivers[nodes.track]
    return driver if str(nodes.talos_version) == nodes.talos_version.release.newest else driver.partition(".")[0]
