"""The commands of an upgrade plan for nodes that Omni manages: its cluster template has the patch, the extensions and the locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arguments.commands import Command, command
from .upgrade_commands import image_flags, is_of_flags, patch_words
from .upgrade_step import UpgradeRoute
from .upgrade_talosctl import ADDRESS, NODE, REMOVAL, Talosctl, Variable, patch_flags

if TYPE_CHECKING:
    from ..nodes.gpu_nodes import GpuNodes
    from .upgrade_hops import Hop

_SYNC = command("omnictl cluster template sync --file $TEMPLATE")


class Omni(Talosctl):
    """The commands of omnictl. Omni refuses talosctl upgrade, rollback, patch and read.

    A synchronization deletes each patch and each list of extensions that is not in the template (siderolabs/omni client/pkg/template/template.go
    actualResources), and sets the lock of each machine to that of its Machine document (client/pkg/template/internal/models/machineset.go).
    Machines that a machine class chose are exempt.
    """

    variables = (
        NODE, ADDRESS,
        Variable("CLUSTER", "home", "the name of the cluster in Omni"),
        Variable("TEMPLATE", "cluster.yaml", "the file of its cluster template"),
        Variable("MACHINE_SET", "home-gpu", "the cluster, a hyphen, and the name of the Workers document of the GPU nodes (workers for one without a name)"),
        Variable("MACHINE", "27c16241-96bf-4f17-9579-ea3a6c4a3ca8", "the ID of the machine of this node in Omni"),
    )  # fmt: skip
    introduction = (
        "The commands are those of omnictl and kubectl, and the talosctl commands that Omni allows. Omni upgrades control-plane nodes first, then one "
        "worker at a time. A synchronization deletes the patches and extensions that are not in the template, and removes the locks that are not in "
        "the template, so write all of them into the template. A set of workers with a machineClass has no Machine documents and no kernelArgs: lock "
        "and unlock its machines by omnictl cluster machine lock and unlock, which a synchronization leaves alone. In a cluster without a template "
        "never synchronize: lock the machines by the same commands, print each patch without --template for omnictl apply --file, and set the "
        "versions in Omni's pages."
    )
    next_node = command("export NODE=gpu-2 ADDRESS=10.0.0.8 MACHINE=37c16241-96bf-4f17-9579-ea3a6c4a3ca8")
    restore = "Omni restores a backup of a cluster that is managed by a template; see its page on restoring etcd."
    removal = REMOVAL
    boot_arguments = "Move the arguments into kernelArgs of the template, and set grubUseUKICmdline."
    # siderolabs/omni internal/backend/talos/lifecycle/manager.go at b1ea5df2, runCordonAndDrain (2026-11-23)
    drainer = "Omni installs the new Talos first, and then evicts the node's pods for 5 minutes."
    # siderolabs/omni internal/backend/runtime/omni/controllers/omni/talosupgrade/status.go: health checks between two nodes (2026-11-23)
    leaves_etcd_to_you = False

    def snapshot(self, hop: Hop) -> tuple[Command, ...]:
        """Omni makes the backups of etcd."""
        return (command("omnictl get etcdbackupoverallstatus").explained("the last backup; Omni's page on etcd backups makes one by hand"),)

    def kubernetes(self, version: str, condition: str) -> tuple[Command, ...]:
        """Omni upgrades Kubernetes to the version of the template."""
        return (_SYNC.explained(f"with kubernetes.version: v{version}; {condition}"),)

    def upgrade(self, hop: Hop) -> tuple[Command, ...]:
        """Lock the other workers, and set the Talos of the template."""
        patch = self.patch(hop, hop.after, hop.route_of_nodes)[:1] if is_of_flags(hop.image) else ()
        return (
            _SYNC.explained("with locked: true in the Machine document of every worker of the cluster but $MACHINE"),
            *patch,
            _SYNC.explained(f"with the same locks and with talos.version: v{hop.after.talos_version}"),
        )

    def upgrade_reason(self, hop: Hop) -> str:
        """A locked machine stays as it is."""
        return (
            "A locked machine keeps its Talos and its configuration; Omni locks no control-plane node. The extensions of an image stay in Omni, "
            "without a version. Omni drains the node."
        )

    def rest(self, first: int, last: int) -> tuple[str, tuple[Command, ...]]:
        """Unlock one machine after another."""
        return (
            (
                f"Omni upgrades a machine when it is unlocked. Take step {first - 1} before each node, check the node by steps {first + 1} to {last}, "
                "then unlock the next one."
            ),
            (
                self.next_node.explained(f"the next node; then step {first - 1}"),
                _SYNC.explained(f"without locked: true for $MACHINE; then steps {first + 1} to {last}"),
            ),
        )

    def release(self) -> tuple[Command, ...]:
        """Unlock the workers of all other classes."""
        return (_SYNC.explained("with locked: true in no Machine document"),)

    def search_config(self, pattern: str) -> tuple[Command, ...]:
        """Search the configuration in Omni."""
        return (command("omnictl get configpatches -o yaml | grep -nE {pattern}", pattern=pattern),)

    def change(self, hop: Hop, nodes: GpuNodes, part: str, key: str, value: object) -> tuple[Command, ...]:
        """Apply the whole patch of the class again."""
        return self.patch(hop, nodes, hop.route_of_nodes)

    def patch(self, hop: Hop, nodes: GpuNodes, route: UpgradeRoute) -> tuple[Command, ...]:
        """Print the document of the template, and synchronize the template."""
        # The sectors are those of a disk image, which no upgrade writes.
        image = [flag for flag in image_flags(hop.image) if not flag.startswith("--sector-size")]
        words = patch_words(nodes, "--for", "omni", *patch_flags(hop, nodes, route), *image)
        template = 'talos-gpu patch {*flags} --cluster "$CLUSTER" --machine-set "$MACHINE_SET" --template > gpu.yaml'
        return command(template, flags=words).explained("merge its fields into $TEMPLATE"), _SYNC.explained("with the fields of gpu.yaml")

    def compare_images(self, hop: Hop) -> tuple[str, tuple[Command, ...], str]:
        """Omni makes the image of the lists in the template."""
        # siderolabs/omni client/pkg/omni/resources/omni/machine_config_gen_options.go NewInstallImage at b1ea5df2 (2026-11-23)
        return (
            (
                "Omni takes the platform and Secure Boot of the machine itself; extensions and kernel arguments are those of the template, "
                "and a synchronization removes what the template does not list."
            ),
            (command("talosctl --nodes $ADDRESS get extensions"), command("omnictl get kernelargs $MACHINE -o yaml")),
            "each extension of the node, but the row schematic, is in systemExtensions of the template, and each argument is in kernelArgs",
        )

    def image_of_configuration(self, hop: Hop) -> tuple[Command, ...]:
        """Omni writes the image into the machine configuration."""
        return ()

    def driver(self, hop: Hop) -> tuple[Command, str]:
        """Omni refuses talosctl read."""
        return command("talosctl --nodes $ADDRESS get modules"), "the list has the modules nvidia and nvidia_uvm, both Live"

    def removed_sysctl(self, key: str, value: str) -> str:
        """Omni refuses talosctl read."""
        return f"omnictl get configpatches -o yaml shows no {key}"

    def way_back(self, hop: Hop) -> str:
        """Omni downgrades, and refuses talosctl rollback."""
        # siderolabs/omni internal/backend/runtime/omni/controllers/omni/talosupgrade/status.go at b1ea5df2: workers get a turn when no control-plane
        # node is outdated, in a revert too (2026-11-23)
        return (
            f"set talos.version to v{hop.before.talos_version} in the template and sync it: Omni downgrades the control-plane nodes first, one at a "
            "time, and then the unlocked workers. Omni refuses talosctl rollback."
        )
