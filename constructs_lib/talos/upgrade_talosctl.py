"""The commands of an upgrade plan for nodes that talosctl manages; the other tools differ from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..arguments.commands import Command, command
from ..upstream.charts.gpu_operator_chart import PLUGIN_LABEL
from ..upstream.nvidia.driver_branches import KernelModules
from ..upstream.talos.features import DOCUMENTS, DRAINED_BY_TALOSCTL
from .image.schematic import Schematic
from .upgrade_commands import config_flags, machine_command, patch_words, schematic_commands
from .upgrade_step import UpgradeRoute

if TYPE_CHECKING:
    from ..nodes.gpu_nodes import GpuNodes
    from .upgrade_hops import Hop


class Variable(NamedTuple):
    """A shell variable of the commands: its name, an example, and its meaning."""

    name: str
    example: str
    meaning: str


NODE = Variable("NODE", "gpu-1", "the name of a node in Kubernetes")
ADDRESS = Variable("ADDRESS", "10.0.0.7", "the address of this node")
CONTROL_PLANE = Variable("CONTROL_PLANE", "10.0.0.2", "the address of a control-plane node")

REMOVAL = "The printed patch is without the setting. Remove the setting from patches that you wrote by hand as well."
"""How a setting leaves the configuration of a tool that prints the whole patch again."""


DRAIN_TIMEOUT = "15m"
"""How long the plan lets pods end before the reboot of a node."""

_STOPPED = (
    "A PodDisruptionBudget that allows no disruption ends the upgrade there: the node stays cordoned, runs the old Talos, and boots the new one "
    "at its next reboot (siderolabs/talos#13802). Scale such a workload up, or delete its budget until the node is back."
)


def unfinished(hop: Hop, repeated: str) -> str:
    """What to do after an upgrade that ended before the reboot; empty where Talos itself drains the node and reboots it."""
    if hop.before.talos_version.minor not in DRAINED_BY_TALOSCTL:
        return ""
    # siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/bootloader/grub/upgrade.go at v1.13.9: the installer takes the slot that is not
    # the default of the boot loader, and after an installation the slot that runs is not the default (2026-11-23)
    reboot, uncordon = command("talosctl reboot --nodes $ADDRESS"), command("kubectl uncordon $NODE")
    return (
        f"If it ends with an error after the installation, do not repeat {repeated}: on a node that boots by GRUB a second installation overwrites "
        f"the Talos that runs. Run {reboot}, and {uncordon} when the node is Ready. "
    )


class Talosctl:
    """The commands of talosctl."""

    variables: tuple[Variable, ...] = (NODE, ADDRESS, CONTROL_PLANE)
    introduction = "The commands are those of talosctl and kubectl."
    next_node = command("export NODE=gpu-2 ADDRESS=10.0.0.8")
    restore = "talosctl bootstrap --recover-from restores the snapshot on a control plane whose etcd is lost."
    # siderolabs/talos pkg/machinery/config/configloader/internal/decoder/selector.go
    removal = "On a node without the setting Talos answers 'lookup failed', and there is nothing to do. Remove the setting from your patch as well."
    """How a setting leaves the machine configuration of a node."""
    boot_arguments = "Run talosctl upgrade with --legacy, or move the arguments into the schematic and set grubUseUKICmdline."
    """How a node that boots by GRUB keeps the kernel arguments of its machine configuration in an upgrade from Talos 1.13 on."""
    # siderolabs/talos cmd/talosctl/cmd/talos/upgrade.go and pkg/talos/nodedrain at v1.13.9 (2026-11-23)
    drainer = (
        f"The new Talos is installed first, and then talosctl evicts the node's pods for {DRAIN_TIMEOUT} (--drain-timeout; 5m by default)."
    )
    """How long the pods of a node with Talos 1.13 or newer are evicted, and by whom."""
    leaves_etcd_to_you = True
    """Whether nothing but the person who upgrades looks at etcd between two control-plane nodes."""
    keeps_nodes = True
    """Whether a node keeps its disk and its machine configuration in an upgrade."""

    def snapshot(self, hop: Hop) -> tuple[Command, ...]:
        """Save the state of the cluster."""
        return (command("talosctl --nodes $CONTROL_PLANE etcd snapshot etcd-{talos}.db", talos=hop.before.talos_version),)

    def kubernetes(self, version: str, condition: str) -> tuple[Command, ...]:
        """Upgrade Kubernetes by one minor release."""
        return (command("talosctl upgrade-k8s --nodes $CONTROL_PLANE --to {version}", version=version).explained(condition),)

    def upgrade(self, hop: Hop) -> tuple[Command, ...]:
        """Upgrade one node."""
        upgrade = command("talosctl upgrade --nodes $ADDRESS {*flags}", flags=[*drain_flags(hop), "--image", hop.installer_image])
        return (*schematic_commands(hop.image), upgrade)

    def upgrade_reason(self, hop: Hop) -> str:
        """The treatment of the node's pods by the tool."""
        after = unfinished(hop, "this command")
        return f"Use the talosctl of the new release: it drains the node. {after}".rstrip() if after else "Talos drains the node by itself."

    def compare_images(self, hop: Hop) -> tuple[str, tuple[Command, ...], str]:
        """Why and how the new image is compared with the present one, and the sign that nothing is lost."""
        factory = hop.image.factory
        return (
            (
                "What the present schematic has and the new one lacks is gone afterwards: extensions, kernel arguments, overlay, META values. With "
                "the installer of another platform, or without Secure Boot on a node that has it, the node may not start. The new schematic is "
                f"{hop.image.id}. Print the plan again with what is missing: --extension, --kernel-arg, --platform, --secureboot; or give "
                "UpgradePlan the whole Schematic."
            ),
            (
                command("talosctl --nodes $ADDRESS get extensions").explained("the row schematic has the ID of the present schematic"),
                command("curl --fail https://{factory}/schematics/ID", factory=factory).explained("the present schematic, with its ID"),
                command("talosctl --nodes $ADDRESS get platformmetadata -o yaml"),
                command("talosctl --nodes $ADDRESS get securitystate -o yaml"),
            ),
            (
                f"the ID is that of the new schematic, or the new one has all that the present one has; platform is {hop.platform}; secureBoot is "
                f"{str(hop.secureboot).lower()}"
            ),
        )

    def drain(self, hop: Hop) -> str:
        """The pods that the tool moves away before the reboot, and what a budget does to it."""
        if hop.before.talos_version.minor not in DRAINED_BY_TALOSCTL:
            # siderolabs/talos pkg/kubernetes/kubernetes.go at v1.12.9: Drain and evict (2026-11-23)
            return (
                "Talos evicts the pods for 5 minutes, and then reboots the node with those that are left: an eviction that a PodDisruptionBudget "
                "refuses is only logged (siderolabs/talos#9882). After these minutes a budget protects nothing, neither a database nor storage."
            )
        return f"{self.drainer} {_STOPPED}"

    def image_of_configuration(self, hop: Hop) -> tuple[Command, ...]:
        """The commands that write the new image into the machine configuration; none where the tool writes it."""
        return (*self.search_config("UnattendedInstallConfig|installer"), machine_command("install", "image", hop.installer_image))

    def rest(self, first: int, last: int) -> tuple[str, tuple[Command, ...]]:
        """How the other nodes follow the first node."""
        return (
            f"Repeat steps {first - 1} to {last} for each other node, and begin with a node when the node before has passed step {last}.",
            (self.next_node.explained(f"the next node; then steps {first - 1} to {last}"),),
        )

    def release(self) -> tuple[Command, ...]:
        """The commands that unlock the workers outside the class; none where the tool locks no worker."""
        return ()

    def search_config(self, pattern: str) -> tuple[Command, ...]:
        """Search the machine configuration of one node."""
        return (command("talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE {pattern}", pattern=pattern),)

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[Command, ...]:
        """Set or remove one key of the machine configuration of one node."""
        return (machine_command(part, key, value).explained("on nodes with the setting" if isinstance(value, dict) else ""),)

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[Command, ...]:
        """Print the whole patch of the class."""
        return (command("talos-gpu patch {*flags}", flags=patch_words(nodes, *patch_flags(hop, nodes, route))),)

    def driver(self, hop: Hop) -> tuple[Command, str]:
        """Read the version of the driver, and the sign that it is right."""
        driver = hop.new_driver
        check = (
            f"the version is {driver}, or newer on a later patch of this Talos" if "." in driver else f"the version is of branch {driver}"
        )
        return command("talosctl --nodes $ADDRESS read /proc/driver/nvidia/version"), check

    def removed_sysctl(self, key: str, value: str) -> str:
        """The sign that a kernel setting has Talos' own value again."""
        read = command("talosctl --nodes $ADDRESS read {path}", path=f"/proc/sys/{key.replace('.', '/')}")
        return f"{read} says {value}"

    def way_back(self, hop: Hop) -> str:
        """How a node returns to the Talos before."""
        return (
            f"talosctl rollback --nodes $ADDRESS boots Talos {hop.before.talos_version} again. A node keeps one older image, so this works "
            "until its next upgrade. It does not change the machine configuration."
        )


def patch_flags(hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> list[str]:
    """The flags of a patch that the class does not have."""
    flags = ["--style", "fields"] if hop.keeps_fields and hop.tool.keeps_nodes and hop.after.talos_version.minor in DOCUMENTS else []
    if route is UpgradeRoute.OPERATOR:
        flags.append("--operator")
        # No flag describes mig_devices, by which the patch has this label.
        flags += ["--extra-label", f"{PLUGIN_LABEL}=false"] * (hop.after.mig_devices is not None)
    flags += [] if hop.patch is None else config_flags(hop.patch, nodes)
    if not isinstance(hop.image, Schematic):
        return flags
    flags += ["--fabric-manager"] * hop.image.fabric_manager
    return flags + ["--gdrcopy"] * (hop.image.gdrcopy and hop.image.nodes.kernel_modules is KernelModules.OPEN)


def drain_flags(hop: Hop) -> list[str]:
    """The flags of talosctl upgrade for the pods of the node."""
    return ["--drain-timeout", DRAIN_TIMEOUT] if hop.before.talos_version.minor in DRAINED_BY_TALOSCTL else []
