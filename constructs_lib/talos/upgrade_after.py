"""The steps of an upgrade plan on a node that runs the new Talos: checks, and settings of the old Talos to remove."""

from __future__ import annotations

from collections.abc import Iterator

from ..arguments.commands import command
from ..upstream.talos.features import BPF_JIT_HARDEN, BPF_UNHARDENED, DOCUMENTS, INSTALL_DOCUMENT, NVLINK5_FABRIC_MANAGER, UMAD_MODULE
from .image.fabric_manager import may_have_nvlink5
from .upgrade_hops import Hop
from .upgrade_routes import DELETED, label_off
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep

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

_INSTALL_DOCUMENT = (
    " Where the first command shows an UnattendedInstallConfig, the image is in that document: change it there, Talos refuses machine.install "
    "beside it."
)


def steps_after(hop: Hop) -> Iterator[UpgradeStep]:
    """The steps on one upgraded node, without the check of its GPUs."""
    version, check = hop.tool.driver(hop)
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "Check that the driver is loaded.",
        "A node whose kernel modules are not loaded has no GPU, even if the cluster reports one.", version, check=check,
    )  # fmt: skip
    if commands := hop.tool.image_of_configuration(hop):
        # home-operations/tuppr docs/talos-upgrades.md at 002ab09e changes the version of machine.install.image, and refuses an image with another
        # schematic than that of the node (2026-11-23)
        yield hop.step(
            UpgradePhase.AFTER, UpgradeAction.CHANGE, "Name the new image in the machine configuration.",
            "The upgrade leaves machine.install.image unchanged. Talos reads it when it installs the node again, and tools that upgrade nodes read it "
            f"too: they would bring the old schematic back.{_INSTALL_DOCUMENT if hop.after.talos_version.minor in INSTALL_DOCUMENT else ''}", *commands,
            check="the first command shows the new image",
            way_back="set the old image again on a node that returns.",
        )  # fmt: skip
    if hop.image.fabric_manager:
        yield from _fabric_manager(hop)
    if hop.leaves_legacy_root:
        yield from _after_cdi(hop)
    if (
        hop.tool.keeps_nodes
        and hop.after.talos_version.minor in DOCUMENTS
        and hop.before.talos_version.minor not in DOCUMENTS
        and hop.is_minor
    ):
        yield _forms(hop)


def _fabric_manager(hop: Hop) -> Iterator[UpgradeStep]:
    # The new machines of Cluster API begin with the whole patch.
    if hop.tool.keeps_nodes and may_have_nvlink5(hop.after) and not may_have_nvlink5(hop.before):
        machines = "machines with NVLink 5 (B100, B200, B300)" if hop.after.product is None else hop.after.product
        skip = " Skip this step on other machines." if hop.after.product is None else ""
        yield hop.step(
            UpgradePhase.AFTER, UpgradeAction.CHANGE, f"Load the kernel module {UMAD_MODULE}.",
            f"From Talos {NVLINK5_FABRIC_MANAGER.first} on fabric manager runs on {machines}, and needs this module. No patch for an older Talos loads the "
            f"module.{skip}",
            *hop.tool.change(hop, hop.after, "kernel", "modules", [{"name": UMAD_MODULE}]),
            check=f"talosctl --nodes $ADDRESS get modules lists {UMAD_MODULE}, Live",
            way_back=f"leave the module in the configuration; Talos {hop.before.talos_version.minor_version} loads the module as well.",
        )  # fmt: skip
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "Check that fabric manager runs.",
        "Without fabric manager no CUDA program starts on a machine with NVSwitch (CUDA_ERROR_SYSTEM_NOT_READY), and the node advertises its GPUs "
        "nevertheless.",
        command("talosctl --nodes $ADDRESS service ext-nvidia-fabricmanager"),
        check="STATE is Running; if not, talosctl --nodes $ADDRESS logs ext-nvidia-fabricmanager has the reason",
    )  # fmt: skip


def _forms(hop: Hop) -> UpgradeStep:
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, "Keep the fields of the machine configuration, or move all of them to documents.",
        "Talos 1.14 configures each subject by a document, and still reads the fields of an upgraded node. The node has the settings of the "
        "printed patch already, so the patch is for your repository. Talos refuses a setting that is "
        f"both a field and a document. Talos refuses a KubeNodeConfig if one of these fields is set: {', '.join(_NODE_FIELDS)}. Until all of "
        "them are moved, patch the node with --style fields.",
        *hop.tool.search_config("|".join(field.rpartition(".")[2] for field in _NODE_FIELDS)),
        *hop.tool.patch(hop, hop.after, hop.route_of_nodes),
        check="the first command prints nothing, or the node has no KubeNodeConfig",
        way_back=f"Talos {hop.before.talos_version.minor_version} knows no such document: move the fields when no node has to go back.",
    )  # fmt: skip


def _after_cdi(hop: Hop) -> Iterator[UpgradeStep]:
    if hop.tool.keeps_nodes:
        yield _sysctl(hop)
        if hop.route_of_nodes is UpgradeRoute.OPERATOR:
            yield label_off(hop, UpgradePhase.AFTER)
    is_operator = hop.route_of_nodes is UpgradeRoute.OPERATOR
    readers = "The operator's device plugin and containerd read" if is_operator else "containerd reads"
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "Check that the node has a CDI specification.",
        f"From Talos 1.13 on an extension writes the CDI specification with the files of the driver. {readers} the specification.",
        command("talosctl --nodes $ADDRESS service ext-nvidia-cdi-gen"), command("talosctl --nodes $ADDRESS list /run/cdi"),
        check="/run/cdi has the file nvidia.yaml",
    )  # fmt: skip


def _sysctl(hop: Hop) -> UpgradeStep:
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, f"Remove the setting {BPF_JIT_HARDEN}.",
        f"Only {BPF_UNHARDENED} need the setting for GPU containers (the documentation of 1.12 sets it too). Without the setting Talos sets the "
        f"value to 2 again. {hop.tool.removal}",
        *hop.tool.change(hop, hop.after, "sysctls", BPF_JIT_HARDEN, DELETED),
        check=hop.tool.removed_sysctl(BPF_JIT_HARDEN, "2"),
    )  # fmt: skip
