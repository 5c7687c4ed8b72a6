"""The commands of each tool that manages nodes, as tables: talosctl, and what each other tool has in its place.

Omni refuses talosctl upgrade, rollback, patch and read. A synchronization of Omni deletes each patch and each list of
extensions that is not in the template (siderolabs/omni client/pkg/template/template.go actualResources), and sets the
lock of each machine to that of its Machine document (client/pkg/template/internal/models/machineset.go). Machines that
a machine class chose are exempt.
"""

from __future__ import annotations

from dataclasses import replace

from ...upstream.talos.features import BPF_JIT_HARDEN
from .step import Line, Text, Tool, UpgradeTool, Variable
from .words import DRAIN_TIMEOUT, arch_flags, boot_flags, image_flags, is_of_flags, only, schematic_commands, search

_NODE = Variable("NODE", "gpu-1", "the name of a node in Kubernetes")
_ADDRESS = Variable("ADDRESS", "10.0.0.7", "the address of this node")
_CONTROL_PLANE = Variable("CONTROL_PLANE", "10.0.0.2", "the address of a control-plane node")

_KUBERNETES = "only from {only_old_kubernetes}; or the newest patch of {kubernetes}"
_BPF_FILE = f"/proc/sys/{BPF_JIT_HARDEN.replace('.', '/')}"
# siderolabs/talos pkg/kubernetes/kubernetes.go at v1.12.9: Drain and evict (2026-11-23)
_EVICTED_BY_TALOS = (
    "Talos evicts the pods for 5 minutes, and then reboots the node with those that are left: an eviction that a "
    "PodDisruptionBudget refuses is only logged (siderolabs/talos#9882). After these minutes a budget protects "
    "nothing, neither a database nor storage."
)


def _drained_by(drainer: str) -> Text:
    stopped = (
        " A PodDisruptionBudget that allows no disruption ends the upgrade there: the node stays cordoned, runs the "
        "old Talos, and boots the new one at its next reboot (siderolabs/talos#13802). Scale such a workload up, or "
        "delete its budget until the node is back."
    )
    return only(lambda hop: hop.is_drained, drainer + stopped, _EVICTED_BY_TALOS)


def _unfinished(repeated: str) -> str:
    """The commands after an upgrade that ended before the reboot, where the tool evicts the pods."""
    # siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/bootloader/grub/upgrade.go at v1.13.9: the installer
    # takes the slot that is not the default, and after an installation the slot that runs is not (2026-11-23)
    return (
        f"If it ends with an error after the installation, do not repeat {repeated}: on a node that boots by GRUB a "
        "second installation overwrites the Talos that runs. Run talosctl reboot --nodes $ADDRESS, and kubectl "
        "uncordon $NODE when the node is Ready."
    )


# fmt: off
TALOSCTL = Tool(
    variables=(_NODE, _ADDRESS, _CONTROL_PLANE),
    introduction="The commands are those of talosctl and kubectl.",
    snapshot=[Line("talosctl --nodes $CONTROL_PLANE etcd snapshot etcd-{old}.db")],
    restore="talosctl bootstrap --recover-from restores the snapshot on a control plane whose etcd is lost.",
    kubernetes=[Line("talosctl upgrade-k8s --nodes $CONTROL_PLANE --to {kubernetes}.0", _KUBERNETES)],
    upgrade=[schematic_commands, Line("talosctl upgrade --nodes $ADDRESS {*upgrade}")],
    upgrade_reason=only(lambda hop: hop.is_drained,
        f"Use the talosctl of the new release: it drains the node. {_unfinished('this command')}",
        "Talos drains the node by itself."),
    image=[Line("talosctl --nodes $ADDRESS get extensions", "the row schematic has the ID of the present schematic"),
        Line("curl --fail https://{factory}/schematics/ID", "the present schematic, with its ID"),
        Line("talosctl --nodes $ADDRESS get platformmetadata -o yaml"),
        Line("talosctl --nodes $ADDRESS get securitystate -o yaml")],
    image_reason="What the present schematic has and the new one lacks is gone afterwards: extensions, kernel "
        "arguments, overlay, META values. With the installer of another platform, or without Secure Boot on a node "
        "that has it, the node may not start. The new schematic is {id}. Print the plan again with what is missing: "
        "--extension, --kernel-arg, --platform, --secureboot; or give UpgradePlan the whole Schematic.",
    image_check="the ID is that of the new schematic, or the new one has all that the present one has; platform is "
        "{platform}; secureBoot is {secureboot}",
    install=[search("UnattendedInstallConfig|installer"),
        Line("talosctl --nodes $ADDRESS patch machineconfig --patch {install}")],
    # siderolabs/talos cmd/talosctl/cmd/talos/upgrade.go and pkg/talos/nodedrain at v1.13.9 (2026-11-23)
    drain=_drained_by(
        f"The new Talos is installed first, and then talosctl evicts the node's pods for {DRAIN_TIMEOUT} "
        f"(--drain-timeout; 5m by default)."),
    boot_arguments="Run talosctl upgrade with --legacy, or move the arguments into the schematic and set "
        "grubUseUKICmdline.",
    rest=[Line("export NODE={next_node} ADDRESS={next_address}", "the next node; then steps {ready} to {last}")],
    rest_reason="Repeat steps {ready} to {last} for each other node, and begin with a node when the node before has "
        "passed step {last}.",
    search="talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE {pattern}",
    patch=[Line("talos-gpu patch {*patch}")],
    # siderolabs/talos pkg/machinery/config/configloader/internal/decoder/selector.go
    removal="On a node without the setting Talos answers 'lookup failed', and there is nothing to do. Remove the "
        "setting from your patch as well.",
    driver=[Line("talosctl --nodes $ADDRESS read /proc/driver/nvidia/version")],
    driver_check=only(lambda hop: str(hop.new) == hop.new.release.newest,
        "the version is {new_driver}, or newer on a later patch of this Talos",
        "the version is of branch {branch}"),
    sysctl_check=f"talosctl --nodes $ADDRESS read {_BPF_FILE} says 2",
    way_back="talosctl rollback --nodes $ADDRESS boots Talos {old} again. A node keeps one older image, so this works "
        "until its next upgrade. It does not change the machine configuration.")

# A tool whose whole patch has the image, and whose configuration is applied later.
_OF_PATCHES = replace(TALOSCTL,
    install=(),
    removal="The printed patch is without the setting. Remove the setting from patches that you wrote by hand as well.")

_SYNC = "omnictl cluster template sync --file $TEMPLATE"
_OMNI_PATCH = Line(
    'talos-gpu patch {*patch} --cluster "$CLUSTER" --machine-set "$MACHINE_SET" --template > gpu.yaml',
    "merge its fields into $TEMPLATE")
_OMNI_CHANGE = [_OMNI_PATCH, Line(_SYNC, "with the fields of gpu.yaml")]
OMNI = replace(_OF_PATCHES,
    variables=(_NODE,
        _ADDRESS,
        Variable("CLUSTER", "home", "the name of the cluster in Omni"),
        Variable("TEMPLATE", "cluster.yaml", "the file of its cluster template"),
        Variable("MACHINE_SET", "home-gpu",
            "the cluster, a hyphen, and the name of the Workers document of the GPU nodes (workers for one without a name)"),
        Variable("MACHINE", "27c16241-96bf-4f17-9579-ea3a6c4a3ca8", "the ID of the machine of this node in Omni")),
    introduction="The commands are those of omnictl and kubectl, and the talosctl commands that Omni allows. Omni "
        "upgrades control-plane nodes first, then one worker at a time. A synchronization deletes the patches and "
        "extensions that are not in the template, and removes the locks that are not in the template, so write all of "
        "them into the template. A set of workers with a machineClass has no Machine documents and no kernelArgs: "
        "lock and unlock its machines by omnictl cluster machine lock and unlock, which a synchronization leaves "
        "alone. In a cluster without a template never synchronize: lock the machines by the same commands, print each "
        "patch without --template for omnictl apply --file, and set the versions in Omni's pages.",
    snapshot=[
        Line("omnictl get etcdbackupoverallstatus", "the last backup; Omni's page on etcd backups makes one by hand")],
    restore="Omni restores a backup of a cluster that is managed by a template; see its page on restoring etcd.",
    kubernetes=[Line(_SYNC, ("with kubernetes.version: v{kubernetes}.0; ", _KUBERNETES))],
    upgrade=[Line(_SYNC, "with locked: true in the Machine document of every worker of the cluster but $MACHINE"),
        _OMNI_PATCH._replace(when=is_of_flags),
        Line(_SYNC, "with the same locks and with talos.version: v{new}")],
    upgrade_reason="A locked machine keeps its Talos and its configuration; Omni locks no control-plane node. The "
        "extensions of an image stay in Omni, without a version. Omni drains the node.",
    # siderolabs/omni client/pkg/omni/resources/omni/machine_config_gen_options.go at b1ea5df2 (2026-11-23)
    image=[Line("talosctl --nodes $ADDRESS get extensions"), Line("omnictl get kernelargs $MACHINE -o yaml")],
    image_reason="Omni takes the platform and Secure Boot of the machine itself; extensions and kernel arguments are "
        "those of the template, and a synchronization removes what the template does not list.",
    image_check="each extension of the node, but the row schematic, is in systemExtensions of the template, and each "
        "argument is in kernelArgs",
    # siderolabs/omni internal/backend/talos/lifecycle/manager.go at b1ea5df2, runCordonAndDrain (2026-11-23)
    drain=_drained_by("Omni installs the new Talos first, and then evicts the node's pods for 5 minutes."),
    boot_arguments="Move the arguments into kernelArgs of the template, and set grubUseUKICmdline.",
    rest=[Line("export NODE={next_node} ADDRESS={next_address} MACHINE=37c16241-96bf-4f17-9579-ea3a6c4a3ca8",
            "the next node; then step {ready}"),
        Line(_SYNC, "without locked: true for $MACHINE; then steps {checks} to {last}")],
    rest_reason="Omni upgrades a machine when it is unlocked. Take step {ready} before each node, check the node by "
        "steps {checks} to {last}, then unlock the next one.",
    release=[Line(_SYNC, "with locked: true in no Machine document")],
    search="omnictl get configpatches -o yaml | grep -nE {pattern}",
    patch=_OMNI_CHANGE,
    patch_format="omni",
    # The sectors are those of a disk image, which no upgrade writes.
    patch_flags=lambda hop: [flag for flag in image_flags(hop.image) if not flag.startswith("--sector-size")],
    change=_OMNI_CHANGE,
    driver=[Line("talosctl --nodes $ADDRESS get modules")],
    driver_check="the list has the modules nvidia and nvidia_uvm, both Live",
    sysctl_check=f"omnictl get configpatches -o yaml shows no {BPF_JIT_HARDEN}",
    # siderolabs/omni internal/backend/runtime/omni/controllers/omni/talosupgrade/status.go at b1ea5df2: workers get a
    # turn when no control-plane node is outdated, in a revert too; health checks between two nodes (2026-11-23)
    way_back="Set talos.version to v{old} in the template and sync it: Omni downgrades the control-plane nodes first, "
        "one at a time, and then the unlocked workers. Omni refuses talosctl rollback.",
    leaves_etcd_to_you=False)

_GENCONFIG = "talhelper genconfig"
_SET_VERSION = "set talosVersion to v{new} in talconfig.yaml first"
_TALHELPER_PATCH = Line(
    "talos-gpu patch {*patch} --talconfig talconfig.yaml --hostname $NODE > talconfig.new.yaml && mv "
    "talconfig.new.yaml talconfig.yaml")
TALHELPER = replace(_OF_PATCHES,
    introduction="The commands are those of talhelper, in the folder of talconfig.yaml. NODE is the hostname in this "
        "file as well.",
    kubernetes=[Line("talhelper gencommand upgrade-k8s | sh",
        ("with kubernetesVersion: v{kubernetes}.0 in talconfig.yaml; ", _KUBERNETES))],
    upgrade=[_TALHELPER_PATCH._replace(remark=_SET_VERSION, when=is_of_flags),
        Line(_GENCONFIG, only(is_of_flags, "", _SET_VERSION)),
        Line("talhelper gencommand upgrade --node $NODE --extra-flags={drain_flag} | sh", when=lambda hop: hop.is_drained),
        Line("talhelper gencommand upgrade --node $NODE | sh", when=lambda hop: not hop.is_drained)],
    # budimanjojo/talhelper pkg/generate: talosVersion is the version contract of every node; siderolabs/talos
    # pkg/machinery/config at v1.14.0-rc.1 generates documents from 1.14 on, which 1.13 does not know (2026-11-23)
    upgrade_reason=(TALOSCTL.upgrade_reason,
        only(lambda hop: hop.reaches_documents,
            " With this talosVersion talhelper writes documents of Talos {new_minor} for every node of the file, "
            "and older nodes refuse them. Until all nodes of the file run this Talos, apply no configuration.")),
    patch=[_TALHELPER_PATCH, Line(_GENCONFIG)],
    patch_format="talhelper",
    patch_flags=lambda hop: image_flags(hop.image),
    change=[_TALHELPER_PATCH, Line(_GENCONFIG), Line("talhelper gencommand apply --node $NODE | sh")],
    way_back=(TALOSCTL.way_back,
        " Set talosVersion in talconfig.yaml back to v{old}",
        only(lambda hop: hop.reaches_documents, " and run talhelper genconfig before you apply a configuration"),
        "."))

_APPLY = 'terraform apply -target="$MACHINE"'
_TERRAFORM_PATCH = Line("talos-gpu patch {*patch} > gpu.json")
TERRAFORM = replace(_OF_PATCHES,
    variables=(*TALOSCTL.variables,
        Variable("MACHINE", "talos_machine.gpu_1", "the address of this node's talos_machine resource")),
    introduction="The commands are those of Terraform with the resources talos_machine and talos_cluster, which the "
        "provider siderolabs/talos has from 0.12 on. With an older provider use the plan for talosctl; "
        "talos_machine_configuration_apply upgrades no node.",
    kubernetes=[Line("terraform apply -target=talos_cluster.this",
        ('with kubernetes_version = "v{kubernetes}.0"; ', _KUBERNETES))],
    upgrade=[schematic_commands, Line(_APPLY, 'with image = "{installer}"')],
    # bpg/terraform-provider-proxmox proxmoxtf/resource/vm/disk/schema.go at 12e8f6e3: file_id is ForceNew, import_from
    # is not (2026-11-23)
    upgrade_reason=(
        "Leave talos_version of the configuration unchanged: it is the form of the configuration, not the installed "
        "Talos. The provider drains the node if drain_on_upgrade is true and it has a kubeconfig. ",
        only(lambda hop: hop.is_drained, f"{_unfinished('terraform apply')} "),
        "The addresses in boot_images change with each Talos. Where the disk of a virtual machine is made of one, "
        "let its resource ignore the change (lifecycle {{ ignore_changes = [disk[0].file_id] }} with bpg/proxmox): "
        "otherwise Terraform replaces the machine, with its data."),
    drain=_drained_by(
        "The new Talos is installed first, and then the provider evicts the node's pods (drain_on_upgrade)."),
    boot_arguments="Move the arguments into the schematic, and set grubUseUKICmdline.",
    rest=[Line("export NODE={next_node} ADDRESS={next_address} MACHINE=talos_machine.gpu_2",
        "the next node; then steps {ready} to {last}")],
    patch=[_TERRAFORM_PATCH],
    patch_format="terraform",
    patch_flags=lambda hop: [*image_flags(hop.image), *boot_flags(hop), *arch_flags(hop)],
    change=[_TERRAFORM_PATCH, Line(_APPLY)],
    way_back=(TALOSCTL.way_back,
        " Set image back to the one of Talos {old} as well, or the next terraform apply upgrades the node again."))

_MACHINES = "kubectl --context $MANAGEMENT apply --filename $MACHINES"
_CAPI_PATCH = Line(
    "talos-gpu patch {*patch} > gpu.yaml",
    ("with a new name, into $MACHINES", only(is_of_flags, "", ", with machine.install.image: {installer}")))
CAPI = replace(_OF_PATCHES,
    variables=(*TALOSCTL.variables,
        Variable("MANAGEMENT", "management", "the context of the management cluster in the kubeconfig"),
        Variable("MACHINES", "gpu-machines.yaml", "the file with the MachineDeployment of the class and its templates")),
    introduction="Cluster API replaces machines. A node with the new Talos is a new node: its name, its address and "
        "its local data are new. Templates are immutable, so each change needs a template with a new name, to which "
        "the MachineDeployment then refers.",
    kubernetes=[Line(_MACHINES,
        ("with version: v{kubernetes}.0 in TalosControlPlane, then in each MachineDeployment; ", _KUBERNETES))],
    upgrade=[schematic_commands,
        _CAPI_PATCH,
        Line(_MACHINES,
            "with the TalosConfigTemplate, and with a second MachineDeployment of 1 replica; image of {machine_image}")],
    upgrade_reason="The second MachineDeployment makes one new node, beside the old ones; where no machine is free, "
        "scale the first one down by 1.",
    # https://cluster-api.sigs.k8s.io/tasks/automated-machine-management/machine_deletions: no limit (2026-11-23)
    drain="Cluster API evicts the pods of a machine before it removes the machine. A PodDisruptionBudget that allows "
        "no disruption holds it there, without an end unless the Machine has a nodeDrainTimeout. Scale such a "
        "workload up, or delete its budget until the new node is there.",
    rest=[Line(_MACHINES), Line("kubectl --context $MANAGEMENT get machines --all-namespaces --watch")],
    rest_reason="Refer to the new templates in the MachineDeployment of the class; Cluster API replaces its machines "
        "one at a time (maxUnavailable: 1). Check each new node by steps {checks} to {last}, then remove the second "
        "MachineDeployment.",
    patch=[_CAPI_PATCH],
    patch_format="capi",
    patch_flags=lambda hop: [*image_flags(hop.image), *boot_flags(hop)],
    change=[_CAPI_PATCH],
    way_back="Refer to the templates of Talos {old} again; Cluster API replaces the machines. Keep these templates "
        "until the plan is done. talosctl rollback has no older image on a new machine.",
    leaves_etcd_to_you=False,
    keeps_nodes=False)

TOOLS: dict[UpgradeTool, Tool] = {
    UpgradeTool.TALOSCTL: TALOSCTL, UpgradeTool.OMNI: OMNI, UpgradeTool.TALHELPER: TALHELPER,
    UpgradeTool.TERRAFORM: TERRAFORM, UpgradeTool.CAPI: CAPI}
