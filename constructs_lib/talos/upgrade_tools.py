"""The commands of an upgrade plan for each tool that manages nodes besides talosctl and Omni.

Cluster API replaces machines; talhelper and Terraform write the configuration that talosctl sends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments.commands import Command, command
from ..upstream.talos.features import DOCUMENTS
from ..upstream.talos.platforms import PLATFORM_IMAGES, Platform
from .image.image_arch import checked_arch
from .image.schematic import Schematic
from .upgrade_commands import image_flags, is_of_flags, patch_words, schematic_commands
from .upgrade_omni import Omni
from .upgrade_step import UpgradeRoute, UpgradeTool
from .upgrade_talosctl import ADDRESS, CONTROL_PLANE, NODE, REMOVAL, Talosctl, Variable, drain_flags, patch_flags, unfinished

if TYPE_CHECKING:
    from ..nodes.gpu_nodes import GpuNodes
    from .upgrade_hops import Hop


# bpg/terraform-provider-proxmox proxmoxtf/resource/vm/disk/schema.go at 12e8f6e3: file_id is ForceNew, import_from is not (2026-11-23)
_KEPT_DISK = (
    "The addresses in boot_images change with each Talos. Where the disk of a virtual machine is made of one, let its resource ignore the change "
    "(lifecycle { ignore_changes = [disk[0].file_id] } with bpg/proxmox): otherwise Terraform replaces the machine, with its data."
)
_GENCONFIG = command("talhelper genconfig")
_APPLY = command('terraform apply -target="$MACHINE"')
_MACHINES = command("kubectl --context $MANAGEMENT apply --filename $MACHINES")


class Talhelper(Talosctl):
    """The commands of talhelper, which prints commands of talosctl."""

    introduction = "The commands are those of talhelper, in the folder of talconfig.yaml. NODE is the hostname in this file as well."
    removal = REMOVAL

    def kubernetes(self, version: str, condition: str) -> tuple[Command, ...]:
        """Upgrade Kubernetes to the version of the file."""
        return (
            command("talhelper gencommand upgrade-k8s | sh").explained(
                f"with kubernetesVersion: v{version} in talconfig.yaml; {condition}"
            ),
        )

    def upgrade(self, hop: Hop) -> tuple[Command, ...]:
        """Set the Talos of the file, and upgrade one node."""
        patch = self.patch(hop, hop.after, hop.route_of_nodes) if is_of_flags(hop.image) else (_GENCONFIG,)
        set_version = f"set talosVersion to v{hop.after.talos_version} in talconfig.yaml first"
        upgrade = command("talhelper gencommand upgrade --node $NODE")
        if flags := drain_flags(hop):
            upgrade = command("talhelper gencommand upgrade --node $NODE --extra-flags={flags}", flags=" ".join(flags))
        return (patch[0].explained(set_version), *patch[1:], upgrade.piped_to(command("sh")))

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[Command, ...]:
        """Write the whole configuration again, and send it."""
        return (*self.patch(hop, nodes, hop.route_of_nodes), command("talhelper gencommand apply --node $NODE | sh"))

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[Command, ...]:
        """Merge the patch into the file."""
        words = patch_words(nodes, "--for", "talhelper", *patch_flags(hop, nodes, route), *image_flags(hop.image))
        template = "talos-gpu patch {*flags} --talconfig talconfig.yaml --hostname $NODE > talconfig.new.yaml && mv talconfig.new.yaml talconfig.yaml"
        return command(template, flags=words), _GENCONFIG

    def upgrade_reason(self, hop: Hop) -> str:
        """The pods of the node, and the configurations that the file makes of its talosVersion."""
        if not _changes_form(hop):
            return super().upgrade_reason(hop)
        # budimanjojo/talhelper pkg/generate: talosVersion is the version contract of every node; siderolabs/talos pkg/machinery/config at
        # v1.14.0-rc.1 generates documents from 1.14 on, which 1.13 does not know (2026-11-23)
        return (
            f"{super().upgrade_reason(hop)} With this talosVersion talhelper writes documents of Talos {hop.after.talos_version.minor_version} for "
            "every node of the file, and older nodes refuse them. Until all nodes of the file run this Talos, apply no configuration."
        )

    def way_back(self, hop: Hop) -> str:
        """Roll back, and correct the file."""
        back = f"{super().way_back(hop)} Set talosVersion in talconfig.yaml back to v{hop.before.talos_version}"
        return f"{back}{' and run talhelper genconfig before you apply a configuration' if _changes_form(hop) else ''}."

    def image_of_configuration(self, hop: Hop) -> tuple[Command, ...]:
        """The file has the image, and its configuration is applied later."""
        return ()


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
    next_node = command("export NODE=gpu-2 ADDRESS=10.0.0.8 MACHINE=talos_machine.gpu_2")
    removal = REMOVAL
    boot_arguments = "Move the arguments into the schematic, and set grubUseUKICmdline."
    drainer = "The new Talos is installed first, and then the provider evicts the node's pods (drain_on_upgrade)."

    def kubernetes(self, version: str, condition: str) -> tuple[Command, ...]:
        """Upgrade Kubernetes by the resource of the cluster."""
        return (command("terraform apply -target=talos_cluster.this").explained(f'with kubernetes_version = "v{version}"; {condition}'),)

    def upgrade(self, hop: Hop) -> tuple[Command, ...]:
        """Set the image of one machine."""
        return (*schematic_commands(hop.image), _APPLY.explained(f'with image = "{hop.installer_image}"'))

    def upgrade_reason(self, hop: Hop) -> str:
        """The treatment of the node and its configuration by the provider."""
        return (
            "Leave talos_version of the configuration unchanged: it is the form of the configuration, not the installed Talos. The provider drains "
            f"the node if drain_on_upgrade is true and it has a kubeconfig. {unfinished(hop, 'terraform apply')}{_KEPT_DISK}"
        )

    def image_of_configuration(self, hop: Hop) -> tuple[Command, ...]:
        """The install_patch of gpu.json has the image."""
        return ()

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[Command, ...]:
        """Write the patch again, and apply it."""
        return (*self.patch(hop, nodes, hop.route_of_nodes), _APPLY)

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[Command, ...]:
        """Write the file that the configuration reads."""
        words = patch_words(nodes, "--for", "terraform", *patch_flags(hop, nodes, route), *image_flags(hop.image))
        return (command("talos-gpu patch {*flags} > gpu.json", flags=[*words, *_boot_flags(hop), *_arch_flags(hop)]),)

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
    drainer = "Cluster API evicts the pods of a machine before it removes the machine."
    leaves_etcd_to_you = False
    keeps_nodes = False

    def kubernetes(self, version: str, condition: str) -> tuple[Command, ...]:
        """The control plane and the machines have their version in their objects."""
        return (_MACHINES.explained(f"with version: v{version} in TalosControlPlane, then in each MachineDeployment; {condition}"),)

    def upgrade(self, hop: Hop) -> tuple[Command, ...]:
        """Add one machine with the new image and configuration."""
        return (
            *schematic_commands(hop.image),
            *self.patch(hop, hop.after, hop.route_of_nodes),
            _MACHINES.explained(
                f"with the TalosConfigTemplate, and with a second MachineDeployment of 1 replica; image of {_machine_image(hop)}"
            ),
        )

    def upgrade_reason(self, hop: Hop) -> str:
        """The first machine is one of a MachineDeployment of its own."""
        return (
            "The second MachineDeployment makes one new node, beside the old ones; where no machine is free, scale the first one down by 1."
        )

    def rest(self, first: int, last: int) -> tuple[str, tuple[Command, ...]]:
        """Roll the MachineDeployment of the class."""
        return (
            (
                "Refer to the new templates in the MachineDeployment of the class; Cluster API replaces its machines one at a time (maxUnavailable: 1). "
                f"Check each new node by steps {first + 1} to {last}, then remove the second MachineDeployment."
            ),
            (
                _MACHINES,
                command("kubectl --context $MANAGEMENT get machines --all-namespaces --watch"),
            ),
        )

    def drain(self, hop: Hop) -> str:
        """The pods of a machine that goes."""
        # https://cluster-api.sigs.k8s.io/tasks/automated-machine-management/machine_deletions: no limit by default (2026-11-23)
        return (
            f"{self.drainer} A PodDisruptionBudget that allows no disruption holds it there, without an end unless the Machine has a "
            "nodeDrainTimeout. Scale such a workload up, or delete its budget until the new node is there."
        )

    def image_of_configuration(self, hop: Hop) -> tuple[Command, ...]:
        """A new machine has the new image in its configuration."""
        return ()

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[Command, ...]:
        """The new node has the new configuration from its start."""
        return self.patch(hop, nodes, hop.route_of_nodes)

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[Command, ...]:
        """Print the patch as strategicPatches of a template."""
        words = patch_words(nodes, "--for", "capi", *patch_flags(hop, nodes, route), *image_flags(hop.image), *_boot_flags(hop))
        image = "" if is_of_flags(hop.image) else f", with machine.install.image: {hop.installer_image}"
        return (command("talos-gpu patch {*flags} > gpu.yaml", flags=words).explained(f"with a new name, into $MACHINES{image}"),)

    def way_back(self, hop: Hop) -> str:
        """Refer to the old templates."""
        return (
            f"refer to the templates of Talos {hop.before.talos_version} again; Cluster API replaces the machines. Keep these templates until the plan "
            "is done. talosctl rollback has no older image on a new machine."
        )


def _changes_form(hop: Hop) -> bool:
    """Whether only the new Talos has the form of configuration that the talosVersion of a talconfig.yaml makes."""
    return hop.after.talos_version.minor in DOCUMENTS and hop.before.talos_version.minor not in DOCUMENTS


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
