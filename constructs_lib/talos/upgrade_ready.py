"""The checks of an upgrade plan right before the upgrade of a node: its image, its boot loader, its pods and etcd."""

from __future__ import annotations

from collections.abc import Iterator

from ..arguments.commands import command
from ..upstream.talos.features import DRAINED_BY_TALOSCTL, GRUB_WITH_UKI_ARGUMENTS, STREAMED_UPGRADE
from .config.node_metadata import is_control_plane
from .image.schematic import Schematic
from .upgrade_hops import Hop
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeStep

_BUDGETS = '{range .items[*]}{.status.disruptionsAllowed}{"\\t"}{.metadata.namespace}{"/"}{.metadata.name}{"\\n"}{end}'


def image_step(hop: Hop) -> UpgradeStep:
    """The comparison of the new image with the image that the node has."""
    reason, commands, check = hop.tool.compare_images(hop)
    return hop.step(
        UpgradePhase.BEFORE, UpgradeAction.CHECK, "Compare the new image with that of the node.",
        f"An upgrade replaces the whole image. {reason}", *commands, check=check,
    )  # fmt: skip


def boot_steps(hop: Hop) -> Iterator[UpgradeStep]:
    """The step about kernel arguments on nodes that boot by GRUB. No node boots by GRUB with Secure Boot."""
    is_streamed = hop.before.talos_version.minor in STREAMED_UPGRADE
    has_arguments = isinstance(hop.image, Schematic) and bool(hop.image.extra_kernel_args)
    if hop.secureboot or not hop.tool.keeps_nodes or not (is_streamed or has_arguments):
        return
    exception = ", unless machine.install.grubUseUKICmdline is true" * (hop.after.talos_version.minor in GRUB_WITH_UKI_ARGUMENTS)
    reason = (
        f"A node that boots by GRUB ignores the kernel arguments in its image{exception}. Nodes boot by GRUB with BIOS, or if they were "
        "installed before Talos 1.10. A node that boots by a UKI has the arguments of its image alone."
    )
    if is_streamed:
        reason += f" An upgrade from Talos 1.13 on also drops machine.install.extraKernelArgs, without an error. {hop.tool.boot_arguments}"
    yield hop.step(
        UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find nodes that boot by GRUB.", reason,
        command("talosctl --nodes $ADDRESS get securitystate -o yaml"), *hop.tool.search_config("grubUseUKICmdline|extraKernelArgs"),
        check="the node needs no kernel argument; or bootedWithUKI or grubUseUKICmdline is true, and the new schematic has every argument",
    )  # fmt: skip


def ready_step(hop: Hop) -> UpgradeStep:
    """The check of the pods and of etcd, which each node needs before its own upgrade."""
    budgets = command("kubectl get poddisruptionbudgets --all-namespaces -o jsonpath={lines}", lines=_BUDGETS)
    commands = [budgets.piped_to(command("grep ^0")).piped_to(command("cut -f 2"))]
    is_drained = hop.before.talos_version.minor in DRAINED_BY_TALOSCTL
    reason, check = hop.tool.drain(hop), "the first command lists no budget for a pod of the node"
    if not is_drained:
        commands.append(command("kubectl get statefulsets,deployments --all-namespaces"))
        check += ", and every replica of databases and storage is ready"
    if hop.tool.leaves_etcd_to_you:
        remark = "" if is_control_plane(hop.before) else "for a control-plane node"
        commands += [
            command("talosctl --nodes $CONTROL_PLANE etcd status").explained(remark),
            command("talosctl --nodes $CONTROL_PLANE health").explained(remark),
        ]
        # siderolabs/talos internal/app/lifecycle/lifecycle.go at v1.13.9: Upgrade reads no etcd;
        # internal/app/machined/internal/server/v1alpha1/v1alpha1_server.go at v1.12.9: ValidateForUpgrade (2026-11-23)
        etcd = (
            "The upgrade of Talos 1.13 and newer asks nothing of etcd: a control-plane node that leaves while another member is down takes the "
            "quorum with it."
            if is_drained
            else "Talos upgrades a control-plane node only if all members of etcd are healthy, and never one of two."
        )
        reason = f"{reason} {etcd}"
        check += "; before each control-plane node etcd status of all of them has no error, and health ends without one"
    return hop.step(
        UpgradePhase.BEFORE, UpgradeAction.CHECK, "Check that the node can be drained.", reason, *commands, check=check,
        way_back="create the budgets again that you deleted, and scale the workloads back." if is_drained else "",
    )  # fmt: skip
