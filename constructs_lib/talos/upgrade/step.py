"""The values of an upgrade plan: `UpgradeStep` and `Outage`; `Hop`, the upgrade from one release of Talos to the next;
and `Row` and `Tool`, the tables of its steps and commands.

A text of a tool or step is a template of words (words.py), such as `{new}`, or of fields of the tool, such as
`{restore}`; several of them; or a function of the hop that gives them. Commands are values, lines of a table, names of
the tool's tables, or functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from ...arguments.commands import Command
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ...upstream.choice import Choice
from ...upstream.talos.features import DOCUMENTS, DRAINED_BY_TALOSCTL
from ...upstream.talos.generations import Generation, has_legacy_root
from ...upstream.talos.platforms import Platform
from ..config.machine_config import MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.schematic import Schematic


class UpgradePhase(Choice):
    """The phase of a step. One node goes through the phases `upgrade` and `after` before the others begin."""

    BEFORE = "before"
    UPGRADE = "upgrade"
    AFTER = "after"
    REST = "rest"
    """The other nodes of the class, one at a time."""
    CLUSTER = "cluster"
    """Once for the cluster, when all nodes of the class run the new Talos."""


class UpgradeAction(Choice):
    """The action of a step."""

    CHECK = "check"
    REMOVE = "remove"
    CHANGE = "change"
    APPLY = "apply"


CHECK, REMOVE, CHANGE, APPLY = UpgradeAction


class UpgradeRoute(Choice):
    """The component that advertises the GPUs of a cluster."""

    STANDALONE = "standalone"
    """The device plugin alone."""
    OPERATOR = "operator"
    """NVIDIA's GPU operator."""


class UpgradeTool(Choice):
    """The tool that manages the nodes, and whose commands the plan has."""

    TALOSCTL = "talosctl"
    OMNI = "omni"
    TALHELPER = "talhelper"
    TERRAFORM = "terraform"
    CAPI = "capi"
    """Cluster API, which replaces machines."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UpgradeStep:
    """One step of an `UpgradePlan`. A command with $NODE, $ADDRESS or $MACHINE runs once for each node, every other
    command once for the cluster.

    Example:
        >>> step = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.9").steps[-3]
        >>> step.number, step.phase, step.action, step.title
        (8, 'after', 'check', 'Check that the node advertises its GPUs.')
    """

    number: int = 0
    """The place of the step in its plan, from 1 on."""
    hop: str
    """The Talos before and the Talos after, as "1.12 → 1.13"."""
    phase: UpgradePhase
    action: UpgradeAction
    title: str
    reason: str
    commands: tuple[str, ...]
    check: str = ""
    """The sign that the step is done."""
    way_back: str = ""
    """What undoes the step. Empty if the step changes nothing, or if repeating an earlier command undoes it."""

    @property
    def markdown(self) -> str:
        """The step as an item of a Markdown checklist."""
        number = f"{self.number}. " if self.number else ""
        lines = [f"- [ ] **{number}{self.title}** {self.reason}"]
        if self.commands:
            lines += ["", "  ```sh", *(f"  {line}" for command in self.commands for line in command.split("\n")), "  ```"]
        if self.check:
            lines += ["", f"  Done when: {self.check}."]
        if self.way_back:
            lines += ["", f"  The way back: {self.way_back}"]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outage:
    """The steps between which nodes of the class offer no GPU, and who is affected."""

    hop: str
    first: int
    """The number of the step from which on no GPU is offered."""
    last: int
    """The number of the step that checks that the GPUs are offered again."""
    nodes: str
    pods: str
    """The pods that are affected, as a sentence."""


When: TypeAlias = "Callable[[Hop], bool]"
Text: TypeAlias = "str | tuple[Text, ...] | Callable[[Hop], Text]"
Commands: TypeAlias = "Iterable[Line | Command | str | Callable[[Hop], Commands]]"


class Line(NamedTuple):
    """A command of a table: a template of `command()` and the comment behind it, both with words of the hop."""

    template: str
    remark: Text = ""
    when: When | None = None


class Variable(NamedTuple):
    """A shell variable of the commands: its name, an example, and its meaning."""

    name: str
    example: str
    meaning: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """The commands and sentences of a tool that manages nodes, by subject."""

    variables: tuple[Variable, ...]
    introduction: str
    snapshot: Commands
    restore: str
    """How the state of a lost control plane returns."""
    kubernetes: Commands
    upgrade: Commands
    upgrade_reason: Text
    """How the tool treats the node and its pods in an upgrade."""
    image: Commands
    """How the new image is compared with the present one."""
    image_reason: Text
    image_check: Text
    install: Commands
    """The commands that write the new image into the machine configuration; none where the tool does."""
    drain: Text
    """Who evicts the pods of a node before its reboot, for how long, and what a budget does to it."""
    boot_arguments: str
    """How a node that boots by GRUB keeps the kernel arguments of its machine configuration from Talos 1.13 on."""
    rest: Commands
    """How the other nodes follow the first node."""
    rest_reason: Text
    release: Commands = ()
    """The commands that unlock the workers outside the class; none where the tool locks no worker."""
    search: str
    """The command that searches the machine configuration of a node for `{pattern}`."""
    patch: Commands
    """The commands that print the whole patch of the class, and bring it to the place where the tool keeps it."""
    patch_flags: Callable[[Hop], list[str]] = lambda _: []
    """The flags of the patch for this tool, behind those of the class and its settings."""
    patch_format: str = ""
    change: Commands = ()
    """The commands that print and apply a changed patch; none where one key of one node is changed."""
    removal: Text
    """How a setting leaves the configuration."""
    driver: Commands
    driver_check: Text
    """The sign that the driver is right."""
    sysctl_check: str
    """The sign that the kernel setting for Talos 1.12 is gone."""
    way_back: Text
    """How a node returns to the Talos before."""
    leaves_etcd_to_you: bool = True
    """Whether nothing but the person who upgrades looks at etcd between two control-plane nodes."""
    keeps_nodes: bool = True
    """Whether a node keeps its disk and its machine configuration in an upgrade."""


@dataclass(frozen=True, slots=True)
class Row:
    """A step of a table: its texts are templates, and `when` chooses the hops that have the step."""

    action: UpgradeAction
    title: Text
    reason: Text
    commands: Commands
    check: Text = ""
    way_back: Text = ""
    when: When = lambda _: True


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """The upgrade of a class of nodes to a newer patch or minor release, and a change of the route before or after."""

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
    tool: Tool
    addresses: tuple[str, ...] = ()
    node_names: tuple[str, ...] = ()
    phase: UpgradePhase = UpgradePhase.BEFORE
    first: int = 0
    """The number of the step that upgrades the first node."""
    last: int = 0
    """The number of the last step for each node."""

    def at(self, phase: UpgradePhase, *, first: int = 0, last: int = 0) -> Hop:
        """This hop in one of its phases, on which the class and the route of a patch depend."""
        return replace(self, phase=phase, first=first, last=last)

    def export(self, variable: str, place: int) -> str | None:
        """The value of NODE or ADDRESS for the first node, 0, or the next one, 1: empty where only others are known; None
        where no node is known, and for another variable."""
        known = {"NODE": self.node_names, "ADDRESS": self.addresses}
        if variable not in known or not any(known.values()):
            return None
        return "".join(known[variable][place : place + 1])

    @property
    def old(self) -> TalosVersion:
        """The Talos before."""
        return self.before.talos_version

    @property
    def new(self) -> TalosVersion:
        """The Talos after."""
        return self.after.talos_version

    @property
    def name(self) -> str:
        """The Talos before and the Talos after, as "1.12.11 → 1.13.9"."""
        return f"{self.old} → {self.new}"

    @property
    def is_minor(self) -> bool:
        """Whether the minor release changes."""
        return self.old.minor != self.new.minor

    @property
    def is_drained(self) -> bool:
        """Whether the tool evicts the pods of a node, and not the node itself."""
        return self.old.minor in DRAINED_BY_TALOSCTL

    @property
    def leaves_legacy_root(self) -> bool:
        """Whether the libraries of the driver move from `LEGACY_ROOT` to the paths of CDI."""
        return has_legacy_root(self.old.version) and not has_legacy_root(self.new.version)

    @property
    def reaches_documents(self) -> bool:
        """Whether only the new Talos configures each subject by a document."""
        return self.new.minor in DOCUMENTS and self.old.minor not in DOCUMENTS

    @property
    def reaches_nri(self) -> bool:
        """Whether from this upgrade on only the operator's toolkit gives agents the driver."""
        return self.before.generation is not Generation.NRI and self.after.generation is Generation.NRI

    @property
    def changes_route(self) -> bool:
        """Whether another component advertises the GPUs afterwards."""
        return self.route is not self.new_route

    @property
    def is_moving(self) -> bool:
        """Whether the route changes in this phase."""
        return self.changes_route and self.phase is (UpgradePhase.BEFORE if self.moves_first else UpgradePhase.CLUSTER)

    @property
    def route_of_nodes(self) -> UpgradeRoute:
        """The component that advertises the GPUs while the nodes are upgraded."""
        return self.new_route if self.moves_first else self.route

    @property
    def changes_manifests(self) -> bool:
        """Whether the nodes need other manifests afterwards: only the operator's differ by generation."""
        return self.route_of_nodes is UpgradeRoute.OPERATOR and self.before.generation is not self.after.generation

    @property
    def nodes(self) -> GpuNodes:
        """The class in this phase."""
        return self.before if self.phase is UpgradePhase.BEFORE else self.after

    @property
    def is_legacy(self) -> bool:
        """Whether the nodes have Talos 1.12 or older in this phase."""
        return self.nodes.generation is Generation.LEGACY

    @property
    def branches(self) -> tuple[int, int]:
        """The driver branches before and after."""
        old, new = (int(driver_of(nodes).partition(".")[0]) for nodes in (self.before, self.after))
        return old, new


def driver_of(nodes: GpuNodes) -> str:
    """The driver version of a release in the tables, or the driver branch of another release."""
    driver = nodes.talos_version.release.drivers[nodes.track]
    return driver if str(nodes.talos_version) == nodes.talos_version.release.newest else driver.partition(".")[0]
