"""The steps of an upgrade plan for the nodes of a class, as tables: before the upgrade, the upgrade, after it, and the
other nodes.

A plan has a step when a part of the NVIDIA stack changes: extensions and drivers (siderolabs/extensions nvidia-gpu at
each tag), their paths (c5480f9, fdd0258: Talos 1.13), and the form of the machine configuration (siderolabs/talos
hack/release.toml of 1.14).
"""

from __future__ import annotations

from dataclasses import replace

from ...arguments.commands import command
from ...nodes.fabric_manager import may_have_nvlink5
from ...nodes.joined_workers import is_control_plane
from ...upstream.nvidia.driver_branches import CUDA_FLOORS, LAST_WITHOUT_GSP, KernelModules
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE
from ...upstream.talos.features import (
    BPF_JIT_HARDEN,
    BPF_UNHARDENED,
    EXEC_BREAKS,
    GRUB_WITH_UKI_ARGUMENTS,
    INSTALL_DOCUMENT,
    LEGACY_ROOT,
    NVLINK5_FABRIC_MANAGER,
    RUNTIME_CLASS,
    STREAMED_UPGRADE,
    UMAD_MODULE,
)
from ...upstream.talos.generations import CDI_SERVICE, NRI_TOOLKIT
from ..image.schematic import Schematic
from .route_steps import BRIDGE, LABEL_OFF
from .step import APPLY, CHANGE, CHECK, REMOVE, Hop, Line, Row, UpgradeRoute
from .words import DELETED, WORKLOADS, change, new_etcd, only, pods_with, search

# siderolabs/talos v1.14.0-rc.1 pkg/machinery/config/types/k8s/node.go V1Alpha1ConflictValidate
_NODE_FIELDS = (
    "machine.nodeLabels",
    "machine.nodeTaints",
    "machine.nodeAnnotations",
    "machine.kubelet.nodeIP",
    "machine.kubelet.skipNodeRegistration",
    "machine.kubelet.registerWithFQDN",
    "cluster.allowSchedulingOnControlPlanes",
    "cluster.allowSchedulingOnMasters",
)
_FLOORS = ", ".join(f"CUDA {cuda} needs {floor}" for cuda, floor in sorted(CUDA_FLOORS.items(), reverse=True))
_IMAGES = '{.items[*].spec.initContainers[*].image}{" "}{.items[*].spec.containers[*].image}'
_FOR_CONTROL_PLANE = only(lambda hop: not is_control_plane(hop.before), "for a control-plane node")
_BUDGETS = '{range .items[*]}{.status.disruptionsAllowed}{"\\t"}{.metadata.namespace}{"/"}{.metadata.name}{"\\n"}{end}'


def _is_operator(hop: Hop) -> bool:
    return hop.route_of_nodes is UpgradeRoute.OPERATOR


def _may_lose_its_driver(hop: Hop) -> bool:
    """Whether a card without GSP may lose its driver. A named card is checked already."""
    may_be_older = hop.after.kernel_modules is KernelModules.PROPRIETARY and hop.after.product is None
    return may_be_older and hop.branches[0] <= LAST_WITHOUT_GSP < hop.branches[1]


def _is_streamed(hop: Hop) -> bool:
    return hop.old.minor in STREAMED_UPGRADE


def _has_arguments_beside_grub(hop: Hop) -> bool:
    """Whether kernel arguments may get lost on a node that boots by GRUB. No node boots by GRUB with Secure Boot."""
    has_arguments = isinstance(hop.image, Schematic) and bool(hop.image.extra_kernel_args)
    return not hop.secureboot and hop.tool.keeps_nodes and (_is_streamed(hop) or has_arguments)


def _leaves_etcd_to_you(hop: Hop) -> bool:
    return hop.tool.leaves_etcd_to_you


def _needs_umad(hop: Hop) -> bool:
    # The new machines of Cluster API begin with the whole patch.
    is_new = may_have_nvlink5(hop.after) and not may_have_nvlink5(hop.before)
    return hop.image.fabric_manager and hop.tool.keeps_nodes and is_new


UPGRADE_KUBERNETES = "Upgrade Kubernetes to {kubernetes} or newer."

# fmt: off
BEFORE = (
    Row(CHECK, "Save etcd of Talos {old}.",
        "The snapshot is the only way back from a lost control plane and from a newer Kubernetes. With one "
        "control-plane node there is no second copy of etcd.",
        ["snapshot"],
        check="the snapshot of today is on another machine",
        way_back="{restore}"),
    Row(CHECK, UPGRADE_KUBERNETES,
        # siderolabs/go-kubernetes kubernetes/upgrade/path.go IsSupported
        "Talos {old_minor} runs Kubernetes {old_kubernetes}, and Talos {new_minor} runs {new_kubernetes}. The cluster "
        "needs a version that both run. If it has one, skip the upgrade. It goes one minor release at a time. Stay "
        "below {too_new_kubernetes} until no node has to go back.",
        [command("kubectl version"), "kubernetes"],
        check="kubectl version shows a Server Version of {kubernetes} to {newest_kubernetes}",
        way_back="Kubernetes goes to no older minor release. Only the snapshot of etcd has the older state.",
        when=lambda hop: hop.is_minor),
    Row(CHECK, "Check that your images run on the new driver.",
        (only(lambda hop: hop.before.track is hop.after.track,
             "The {track} driver changes from {old_driver} to {new_driver}.",
             "The driver changes from {old_driver} ({old_track}) to {new_driver} ({track}), the track that runs "
             "{product}."),
         f" An image runs if the driver is as new as its CUDA needs: {_FLOORS}.",
         only(lambda hop: hop.branches[1] < CUDA_FLOORS[13], " Images with CUDA 13 do not run on this driver.")),
        [command("kubectl get pods --all-namespaces -o jsonpath={images} | tr ' ' '\\n' | sort -u", images=_IMAGES)],
        check=("no image needs a newer driver than {branch}{image_lines}",
            only(_may_lose_its_driver,
                "; and no card is Maxwell, Pascal or Volta, which branch {branch} does not support: choose the lts track for "
                "such a card (--driver-track lts)")),
        when=lambda hop: hop.is_minor and hop.branches[0] != hop.branches[1]),
    Row(CHECK, "Compare the new image with that of the node.",
        ("An upgrade replaces the whole image. ", "{image_reason}"),
        ["image"],
        check="{image_check}{image_hint}"),
    Row(CHECK, "Find nodes that boot by GRUB.",
        ("A node that boots by GRUB ignores the kernel arguments in its image",
         only(lambda hop: hop.new.minor in GRUB_WITH_UKI_ARGUMENTS,
             ", unless machine.install.grubUseUKICmdline is true"),
         ". Nodes boot by GRUB with BIOS, or if they were installed before Talos 1.10. A node that boots by a UKI "
         "has the arguments of its image alone.",
         only(_is_streamed,
             (" An upgrade from Talos 1.13 on also drops machine.install.extraKernelArgs, without an error. ",
              "{boot_arguments}"))),
        [command("talosctl --nodes $ADDRESS get securitystate -o yaml"), search("grubUseUKICmdline|extraKernelArgs")],
        check="the node needs no kernel argument; or bootedWithUKI or grubUseUKICmdline is true, and the new "
            "schematic has every argument",
        when=_has_arguments_beside_grub),
    Row(CHECK, "Find exec probes and hooks of GPU containers.",
        "On Talos 1.12 an exec into a GPU container may fail (init 250 result=11, siderolabs/extensions#940). "
        "Kubernetes restarts a container whose exec probe or postStart hook fails. HTTP, TCP and gRPC probes run no "
        "process in the container.",
        [pods_with(GPU_RESOURCE, '"exec":')],
        check="the command lists no pod, or only pods whose probes and hooks may fail without harm",
        when=lambda hop: hop.is_minor and hop.new.minor in EXEC_BREAKS),
    Row(REMOVE, f"Remove every reference to {LEGACY_ROOT}.",
        "Talos 1.13 has the driver libraries at other paths. A pod with the old path in a host path, LD_LIBRARY_PATH "
        "or NVIDIA_DRIVER_ROOT finds no libraries. A containerd customization with the old path, or with "
        "cdi_spec_dirs in place of /run/cdi, can break the node (siderolabs/talos#13346). The last command reads the "
        "workloads, and also finds validation bridges that were made by hand.",
        [pods_with(LEGACY_ROOT),
         search(f"{LEGACY_ROOT}|cdi_spec_dirs"),
         WORKLOADS,
         Line("talos-gpu upgrade {*leftovers_of_nodes} --leftovers workloads.yaml")],
        check="the first two commands print nothing, and the last command lists only objects that the next steps "
            "remove",
        way_back="a pod that needs the old path runs only on Talos {old_minor}; keep its old manifest for a node that "
            "goes back.",
        when=lambda hop: hop.leaves_legacy_root),
    replace(BRIDGE, when=lambda hop: hop.leaves_legacy_root and _is_operator(hop)),
    Row(CHECK, "Find pods that name a RuntimeClass.",
        f"Talos {NRI_TOOLKIT.first} has no containerd handler {RUNTIME_CLASS}: a pod with this RuntimeClass can't "
        f"start. Remove the field after the upgrade of the node. Without the field a pod on the old Talos gets no GPU.",
        [pods_with(f'"runtimeClassName":"{RUNTIME_CLASS}')],
        check="you have a list of the manifests to change with the upgrade",
        when=lambda hop: hop.reaches_nri))
"""The steps before the upgrade of the nodes, and before a change of the route."""

READY = (
    Row(CHECK, "Check that the node can be drained.",
        ("{drain}",
         # siderolabs/talos internal/app/lifecycle/lifecycle.go at v1.13.9: Upgrade reads no etcd;
         # internal/app/machined/internal/server/v1alpha1/v1alpha1_server.go at v1.12.9 (2026-11-23)
         only(_leaves_etcd_to_you,
             only(lambda hop: hop.is_drained,
                 " The upgrade of Talos 1.13 and newer asks nothing of etcd: a control-plane node that leaves "
                 "while another member is down takes the quorum with it.",
                 " Talos upgrades a control-plane node only if all members of etcd are healthy, and never one "
                 "of two."))),
        [command(
             "kubectl get poddisruptionbudgets --all-namespaces -o jsonpath={lines} | grep ^0 | cut -f 2",
             lines=_BUDGETS),
         Line("kubectl get statefulsets,deployments --all-namespaces", when=lambda hop: not hop.is_drained),
         Line("talosctl --nodes $CONTROL_PLANE etcd status", _FOR_CONTROL_PLANE, _leaves_etcd_to_you),
         Line("talosctl --nodes $CONTROL_PLANE health", _FOR_CONTROL_PLANE, _leaves_etcd_to_you)],
        check=("the first command lists no budget for a pod of the node",
            only(lambda hop: not hop.is_drained, ", and every replica of databases and storage is ready"),
            only(_leaves_etcd_to_you,
                "; before each control-plane node etcd status of all of them has no error, and health ends without "
                "one")),
        way_back=only(lambda hop: hop.is_drained,
            "create the budgets again that you deleted, and scale the workloads back.")),)
"""The check of the pods and of etcd, which each node needs before its own upgrade."""

UPGRADE = (
    Row(APPLY, "Upgrade one node of the class to Talos {new}.",
        ("A kernel module loads only in the Talos release that it was built for. The image contains Talos and its "
         "extensions. Do not pin an extension by hand.",
         only(lambda hop: hop.branches[0] == hop.branches[1], " The {track} driver stays on branch {branch}."),
         "{image_remark} ",
         "{upgrade_reason}"),
        ["upgrade"],
        check="talosctl --nodes $ADDRESS get extensions lists the NVIDIA extensions with the new version",
        way_back=("{way_back}",
            only(lambda hop: hop.tool.keeps_nodes and bool(new_etcd(hop)),
                " Talos {new_minor} brings etcd {new_etcd}. When all control-plane nodes run it, run talosctl "
                "etcd downgrade enable {old_etcd} on one of them before a control-plane node returns."))),)

AFTER = (
    Row(CHECK, "Check that the driver is loaded.",
        "A node whose kernel modules are not loaded has no GPU, even if the cluster reports one.",
        ["driver"],
        check="{driver_check}"),
    # home-operations/tuppr docs/talos-upgrades.md at 002ab09e changes the version of machine.install.image, and refuses
    # an image with another schematic than that of the node (2026-11-23)
    Row(CHANGE, "Name the new image in the machine configuration.",
        ("The upgrade leaves machine.install.image unchanged. Talos reads it when it installs the node again, and "
         "tools that upgrade nodes read it too: they would bring the old schematic back.",
         only(lambda hop: hop.new.minor in INSTALL_DOCUMENT,
             " Where the first command shows an UnattendedInstallConfig, the image is in that document: change "
             "it there, Talos refuses machine.install beside it.")),
        ["install"],
        check="the first command shows the new image",
        way_back="set the old image again on a node that returns.",
        when=lambda hop: bool(hop.tool.install)),
    Row(CHANGE, f"Load the kernel module {UMAD_MODULE}.",
        (f"From Talos {NVLINK5_FABRIC_MANAGER.first} on fabric manager runs on ",
         only(lambda hop: hop.after.product is None, "machines with NVLink 5 (B100, B200, B300)", "{product}"),
         ", and needs this module. No patch for an older Talos loads the module.",
         only(lambda hop: hop.after.product is None, " Skip this step on other machines.")),
        [change("kernel", "modules", [{"name": UMAD_MODULE}])],
        check=f"talosctl --nodes $ADDRESS get modules lists {UMAD_MODULE}, Live",
        way_back="leave the module in the configuration; Talos {old_minor} loads the module as well.",
        when=_needs_umad),
    Row(CHECK, "Check that fabric manager runs.",
        "Without fabric manager no CUDA program starts on a machine with NVSwitch (CUDA_ERROR_SYSTEM_NOT_READY), and "
        "the node advertises its GPUs nevertheless.",
        [command("talosctl --nodes $ADDRESS service ext-nvidia-fabricmanager")],
        check="STATE is Running; if not, talosctl --nodes $ADDRESS logs ext-nvidia-fabricmanager has the reason",
        when=lambda hop: hop.image.fabric_manager),
    Row(CHANGE, f"Remove the setting {BPF_JIT_HARDEN}.",
        (f"Only {BPF_UNHARDENED} need the setting for GPU containers (the documentation of 1.12 sets it too). "
         f"Without the setting Talos sets the value to 2 again. ",
         "{removal}"),
        [change("sysctls", BPF_JIT_HARDEN, DELETED)],
        check="{sysctl_check}",
        when=lambda hop: hop.leaves_legacy_root and hop.tool.keeps_nodes),
    replace(LABEL_OFF, when=lambda hop: hop.leaves_legacy_root and hop.tool.keeps_nodes and _is_operator(hop)),
    Row(CHECK, "Check that the node has a CDI specification.",
        (f"{CDI_SERVICE.opening} an extension writes the CDI specification with the files of the driver. ",
         only(_is_operator, "The operator's device plugin and containerd read", "containerd reads"),
         " the specification."),
        [command("talosctl --nodes $ADDRESS service ext-nvidia-cdi-gen"),
         command("talosctl --nodes $ADDRESS list /run/cdi")],
        check="/run/cdi has the file nvidia.yaml",
        when=lambda hop: hop.leaves_legacy_root),
    Row(CHANGE, "Keep the fields of the machine configuration, or move all of them to documents.",
        f"Talos 1.14 configures each subject by a document, and still reads the fields of an upgraded node. The node "
        f"has the settings of the printed patch already, so the patch is for your repository. Talos refuses a setting "
        f"that is both a field and a document. Talos refuses a KubeNodeConfig if one of these fields is set: "
        f"{', '.join(_NODE_FIELDS)}. Until all of them are moved, patch the node with --style fields.",
        [search("|".join(field.rpartition(".")[2] for field in _NODE_FIELDS)), "patch"],
        check="the first command prints nothing, or the node has no KubeNodeConfig",
        way_back="Talos {old_minor} knows no such document: move the fields when no node has to go back.",
        when=lambda hop: hop.tool.keeps_nodes and hop.reaches_documents))
"""The steps on a node that runs the new Talos, without the check of its GPUs."""

REST = (
    Row(APPLY, "Upgrade the other nodes of the class to Talos {new}.",
        (lambda hop: hop.tool.rest_reason, " If the class has one node, skip this step."),
        ["rest"],
        check="every node of the class runs Talos {new}",
        when=lambda hop: hop.after.count != 1),
    Row(APPLY, "Unlock the other workers of the cluster.",
        "The locks hold every other worker on the old Talos, also a worker without GPUs. If another class of GPU "
        "nodes has a plan of its own, follow that plan to this step first.",
        ["release"],
        check="kubectl get nodes --output wide shows Talos {new} for every node",
        when=lambda hop: bool(hop.tool.release)))
"""The other nodes of the class, and of the cluster."""
