"""The commands of an upgrade plan for nodes that talosctl manages; the other tools differ from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..upstream.charts.gpu_operator_chart import PLUGIN_LABEL
from ..upstream.driver_branches import KernelModules
from ..upstream.talos_features import DOCUMENTS, DRAINED_BY_TALOSCTL
from .schematic import Schematic
from .upgrade_commands import config_flags, machine_command, patch_command, schematic_commands
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


class Talosctl:
    """The commands of talosctl."""

    variables: tuple[Variable, ...] = (NODE, ADDRESS, CONTROL_PLANE)
    introduction = "The commands are those of talosctl and kubectl."
    next_node = "export NODE=gpu-2 ADDRESS=10.0.0.8"
    restore = "talosctl bootstrap --recover-from restores the snapshot on a control plane whose etcd is lost."
    # siderolabs/talos pkg/machinery/config/configloader/internal/decoder/selector.go
    removal = "On a node without the setting Talos answers 'lookup failed', and there is nothing to do. Remove the setting from your patch as well."
    """How a setting leaves the machine configuration of a node."""
    boot_arguments = "Run talosctl upgrade with --legacy, or move the arguments into the schematic and set grubUseUKICmdline."
    """How a node that boots by GRUB keeps the kernel arguments of its machine configuration in an upgrade from Talos 1.13 on."""
    keeps_nodes = True
    """Whether a node keeps its disk and its machine configuration in an upgrade."""

    def snapshot(self, hop: Hop) -> tuple[str, ...]:
        """Save the state of the cluster."""
        return (f"talosctl --nodes $CONTROL_PLANE etcd snapshot etcd-{hop.before.talos_version}.db",)

    def kubernetes(self, version: str, condition: str) -> tuple[str, ...]:
        """Upgrade Kubernetes by one minor release."""
        return (f"talosctl upgrade-k8s --nodes $CONTROL_PLANE --to {version}  # {condition}",)

    def upgrade(self, hop: Hop) -> tuple[str, ...]:
        """Upgrade one node."""
        return (*_schematic(hop), f"talosctl upgrade --nodes $ADDRESS --image {hop.installer_image}")

    def upgrade_reason(self, hop: Hop) -> str:
        """The treatment of the node's pods by the tool."""
        is_drained = hop.before.talos_version.minor in DRAINED_BY_TALOSCTL
        return "Use the talosctl of the new release: it drains the node." if is_drained else "Talos drains the node by itself."

    def rest(self, first: int, last: int) -> tuple[str, tuple[str, ...]]:
        """How the other nodes follow the first node."""
        return (
            f"Repeat steps {first} to {last} for each other node, and begin with a node when the node before has passed step {last}.",
            (f"{self.next_node}  # the next node; then steps {first} to {last}",),
        )

    def release(self) -> tuple[str, ...]:
        """The commands that unlock the workers outside the class; none where the tool locks no worker."""
        return ()

    def search_config(self, pattern: str) -> tuple[str, ...]:
        """Search the machine configuration of one node."""
        return (f"talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE '{pattern}'",)

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[str, ...]:
        """Set or remove one key of the machine configuration of one node."""
        where = "  # on nodes with the setting" if isinstance(value, dict) else ""
        return (f"{machine_command(part, key, value)}{where}",)

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[str, ...]:
        """Print the whole patch of the class."""
        return (patch_command(nodes, *patch_flags(hop, nodes, route)),)

    def driver(self, hop: Hop) -> tuple[str, str]:
        """Read the version of the driver, and the sign that it is right."""
        driver = hop.new_driver
        check = (
            f"the version is {driver}, or newer on a later patch of this Talos" if "." in driver else f"the version is of branch {driver}"
        )
        return "talosctl --nodes $ADDRESS read /proc/driver/nvidia/version", check

    def removed_sysctl(self, key: str, value: str) -> str:
        """The sign that a kernel setting has Talos' own value again."""
        return f"talosctl --nodes $ADDRESS read /proc/sys/{key.replace('.', '/')} says {value}"

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


def _schematic(hop: Hop) -> list[str]:
    return schematic_commands(hop.image) if isinstance(hop.image, Schematic) else []
