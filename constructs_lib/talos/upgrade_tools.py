"""The commands of an upgrade plan for each tool that manages nodes besides talosctl and Omni.

Cluster API replaces machines; talhelper and Terraform write the configuration that talosctl sends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..upstream.platforms import PLATFORM_IMAGES, Platform
from .image_arch import checked_arch
from .schematic import Schematic
from .upgrade_commands import image_flags, is_of_flags, patch_command, schematic_commands
from .upgrade_omni import Omni
from .upgrade_step import UpgradeRoute, UpgradeTool
from .upgrade_talosctl import ADDRESS, CONTROL_PLANE, NODE, REMOVAL, Talosctl, Variable, patch_flags

if TYPE_CHECKING:
    from ..nodes.gpu_nodes import GpuNodes
    from .upgrade_hops import Hop


class Talhelper(Talosctl):
    """The commands of talhelper, which prints commands of talosctl."""

    introduction = "The commands are those of talhelper, in the folder of talconfig.yaml. NODE is the hostname in this file as well."
    removal = REMOVAL

    def kubernetes(self, version: str, condition: str) -> tuple[str, ...]:
        """Upgrade Kubernetes to the version of the file."""
        return (f"talhelper gencommand upgrade-k8s | sh  # with kubernetesVersion: v{version} in talconfig.yaml; {condition}",)

    def upgrade(self, hop: Hop) -> tuple[str, ...]:
        """Set the Talos of the file, and upgrade one node."""
        patch = self.patch(hop, hop.after, hop.route_of_nodes) if is_of_flags(hop.image) else ("talhelper genconfig",)
        set_version = f"# set talosVersion to v{hop.after.talos_version} in talconfig.yaml first"
        return (f"{patch[0]}  {set_version}", *patch[1:], "talhelper gencommand upgrade --node $NODE | sh")

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[str, ...]:
        """Write the whole configuration again, and send it."""
        return (*self.patch(hop, nodes, hop.route_of_nodes), "talhelper gencommand apply --node $NODE | sh")

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[str, ...]:
        """Merge the patch into the file."""
        command = patch_command(nodes, "--for", "talhelper", *patch_flags(hop, nodes, route), *image_flags(hop.image))
        return (
            f"{command} --talconfig talconfig.yaml --hostname $NODE > talconfig.new.yaml && mv talconfig.new.yaml talconfig.yaml",
            "talhelper genconfig",
        )

    def way_back(self, hop: Hop) -> str:
        """Roll back, and correct the file."""
        return f"{super().way_back(hop)} Set talosVersion in talconfig.yaml back to v{hop.before.talos_version}."


class Terraform(Talosctl):
    """The commands of Terraform, with the resource talos_machine of siderolabs/talos from 0.12 on."""

    variables = (
        NODE,
        ADDRESS,
        CONTROL_PLANE,
        Variable("MACHINE", "talos_machine.gpu_1", "the address of this node's talos_machine resource"),
    )
    introduction = (
        "The commands are those of Terraform with the resources talos_machine and talos_cluster, which the provider siderolabs/talos has from 0.12 "
        "on. With an older provider use the plan for talosctl; talos_machine_configuration_apply upgrades no node."
    )
    next_node = "export NODE=gpu-2 ADDRESS=10.0.0.8 MACHINE=talos_machine.gpu_2"
    removal = REMOVAL
    boot_arguments = "Move the arguments into the schematic, and set grubUseUKICmdline."

    def kubernetes(self, version: str, condition: str) -> tuple[str, ...]:
        """Upgrade Kubernetes by the resource of the cluster."""
        return (f'terraform apply -target=talos_cluster.this  # with kubernetes_version = "v{version}"; {condition}',)

    def upgrade(self, hop: Hop) -> tuple[str, ...]:
        """Set the image of one machine."""
        send = schematic_commands(hop.image) if isinstance(hop.image, Schematic) else []
        return (*send, f'terraform apply -target="$MACHINE"  # with image = "{hop.installer_image}"')

    def upgrade_reason(self, hop: Hop) -> str:
        """The treatment of the node and its configuration by the provider."""
        return (
            "Leave talos_version of the configuration unchanged: it is the form of the configuration, not the installed Talos. The provider drains "
            "the node if drain_on_upgrade is true and it has a kubeconfig."
        )

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[str, ...]:
        """Write the patch again, and apply it."""
        return (*self.patch(hop, nodes, hop.route_of_nodes), 'terraform apply -target="$MACHINE"')

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[str, ...]:
        """Write the file that the configuration reads."""
        return (
            f"{patch_command(nodes, '--for', 'terraform', *patch_flags(hop, nodes, route), *image_flags(hop.image), *_boot_flags(hop), *_arch_flags(hop))} > gpu.json",
        )

    def way_back(self, hop: Hop) -> str:
        """The image of the resource decides."""
        return (
            f"{super().way_back(hop)} Set image back to the one of Talos {hop.before.talos_version} as well, or the next terraform apply upgrades the "
            "node again."
        )


class ClusterApi(Talosctl):
    """The commands of Cluster API, which replaces machines and upgrades none."""

    variables = (
        NODE, ADDRESS, CONTROL_PLANE,
        Variable("MANAGEMENT", "management", "the context of the management cluster in the kubeconfig"),
        Variable("MACHINES", "gpu-machines.yaml", "the file with the MachineDeployment of the class and its templates"),
    )  # fmt: skip
    introduction = (
        "Cluster API replaces machines. A node with the new Talos is a new node: its name, its address and its local data are new. Templates are "
        "immutable, so each change needs a template with a new name, to which the MachineDeployment then refers."
    )
    keeps_nodes = False

    def kubernetes(self, version: str, condition: str) -> tuple[str, ...]:
        """The control plane and the machines have their version in their objects."""
        return (
            (
                f"kubectl --context $MANAGEMENT apply --filename $MACHINES  # with version: v{version} in TalosControlPlane, then in each "
                f"MachineDeployment; {condition}"
            ),
        )

    def upgrade(self, hop: Hop) -> tuple[str, ...]:
        """Add one machine with the new image and configuration."""
        send = schematic_commands(hop.image) if isinstance(hop.image, Schematic) else []
        return (
            *send,
            *self.patch(hop, hop.after, hop.route_of_nodes),
            (
                "kubectl --context $MANAGEMENT apply --filename $MACHINES  # with the TalosConfigTemplate, and with a second MachineDeployment of "
                f"1 replica; image of {_machine_image(hop)}"
            ),
        )

    def upgrade_reason(self, hop: Hop) -> str:
        """The first machine is one of a MachineDeployment of its own."""
        return (
            "The second MachineDeployment makes one new node, beside the old ones; where no machine is free, scale the first one down by 1."
        )

    def rest(self, first: int, last: int) -> tuple[str, tuple[str, ...]]:
        """Roll the MachineDeployment of the class."""
        return (
            (
                "Refer to the new templates in the MachineDeployment of the class; Cluster API replaces its machines one at a time (maxUnavailable: 1). "
                f"Check each new node by steps {first + 1} to {last}, then remove the second MachineDeployment."
            ),
            (
                "kubectl --context $MANAGEMENT apply --filename $MACHINES",
                "kubectl --context $MANAGEMENT get machines --all-namespaces --watch",
            ),
        )

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[str, ...]:
        """The new node has the new configuration from its start."""
        return self.patch(hop, nodes, hop.route_of_nodes)

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[str, ...]:
        """Print the patch as strategicPatches of a template."""
        command = patch_command(nodes, "--for", "capi", *patch_flags(hop, nodes, route), *image_flags(hop.image), *_boot_flags(hop))
        image = "" if is_of_flags(hop.image) else f", with machine.install.image: {hop.installer_image}"
        return (f"{command} > gpu.yaml  # with a new name, into $MACHINES{image}",)

    def way_back(self, hop: Hop) -> str:
        """Refer to the old templates."""
        return (
            f"refer to the templates of Talos {hop.before.talos_version} again; Cluster API replaces the machines. Keep these templates until the plan "
            "is done. talosctl rollback has no older image on a new machine."
        )


def _machine_image(hop: Hop) -> str:
    """The image of the machine template: the disk image on a platform whose nodes boot from a disk image alone, and are installed then."""
    if PLATFORM_IMAGES[hop.platform].boots_installed:
        return hop.image.disk_image(hop.after.talos_version, platform=hop.platform, secureboot=hop.secureboot)
    return hop.installer_image


def _boot_flags(hop: Hop) -> list[str]:
    platform = [] if hop.platform is Platform.METAL else ["--platform", str(hop.platform)]
    return platform + ["--secureboot"] * hop.secureboot


def _arch_flags(hop: Hop) -> list[str]:
    if not isinstance(hop.image, Schematic) or hop.image.arch is checked_arch(None, nodes=hop.after, overlay=hop.image.overlay):
        return []
    return ["--arch", str(hop.image.arch)]


_TOOLS: dict[UpgradeTool, type[Talosctl]] = {
    UpgradeTool.TALOSCTL: Talosctl,
    UpgradeTool.OMNI: Omni,
    UpgradeTool.TALHELPER: Talhelper,
    UpgradeTool.TERRAFORM: Terraform,
    UpgradeTool.CAPI: ClusterApi,
}


def commands_of(tool: UpgradeTool) -> Talosctl:
    """The commands of a tool."""
    return _TOOLS[tool]()
