"""The steps of an upgrade plan before a node runs the new Talos, and the upgrade of the node.

A plan has a step when a part of the NVIDIA stack changes: extensions and drivers (siderolabs/extensions nvidia-gpu at each tag), their paths
(c5480f9, fdd0258: Talos 1.13), and the form of the machine configuration (siderolabs/talos hack/release.toml of 1.14).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..arguments.commands import command
from ..upstream.nvidia.driver_branches import CUDA_FLOORS, LAST_WITHOUT_GSP, KernelModules
from ..upstream.nvidia.gpu_resources import GPU_RESOURCE
from ..upstream.talos.features import EXEC_BREAKS, LEGACY_ROOT, NRI_TOOLKIT, RUNTIME_CLASS
from .upgrade_commands import WORKLOADS, leftovers_command, pods_with
from .upgrade_hops import Hop, driver_of
from .upgrade_images import image_lines
from .upgrade_ready import boot_steps, image_step
from .upgrade_routes import bridge
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep

_IMAGES = '{.items[*].spec.initContainers[*].image}{" "}{.items[*].spec.containers[*].image}'


def steps_before(hop: Hop) -> Iterator[UpgradeStep]:
    """All steps before the upgrade of the nodes, without a change of the route."""
    yield _snapshot(hop)
    if hop.is_minor:
        yield _kubernetes(hop)
        yield from _driver(hop)
    yield image_step(hop)
    yield from boot_steps(hop)
    if hop.after.talos_version.minor in EXEC_BREAKS and hop.is_minor:
        yield hop.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find exec probes and hooks of GPU containers.",
            "On Talos 1.12 an exec into a GPU container may fail (init 250 result=11, siderolabs/extensions#940). Kubernetes restarts a "
            "container whose exec probe or postStart hook fails. HTTP, TCP and gRPC probes run no process in the container.",
            pods_with(GPU_RESOURCE, '"exec":'),
            check="the command lists no pod, or only pods whose probes and hooks may fail without harm",
        )  # fmt: skip
    if hop.leaves_legacy_root:
        yield _references(hop)
        if hop.route_of_nodes is UpgradeRoute.OPERATOR:
            yield bridge(hop)
    elif hop.reaches_nri:
        yield hop.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find pods that name a RuntimeClass.",
            f"Talos {NRI_TOOLKIT.first} has no containerd handler {RUNTIME_CLASS}: a pod with this RuntimeClass can't start. Remove the field after the "
            "upgrade of the node. Without the field a pod on the old Talos gets no GPU.",
            pods_with(f'"runtimeClassName":"{RUNTIME_CLASS}'),
            check="you have a list of the manifests to change with the upgrade",
        )  # fmt: skip


def upgrade_step(hop: Hop) -> UpgradeStep:
    """The upgrade of one node."""
    old, new = (driver_of(nodes) for nodes in (hop.before, hop.after))
    branch = new.partition(".")[0]
    stays = f" The {hop.after.track} driver stays on branch {branch}." if old.partition(".")[0] == branch else ""
    return hop.step(
        UpgradePhase.UPGRADE, UpgradeAction.APPLY, f"Upgrade one node of the class to Talos {hop.after.talos_version}.",
        "A kernel module loads only in the Talos release that it was built for. The image contains Talos and its extensions. Do not pin an "
        f"extension by hand.{stays}{hop.image_remark} {hop.tool.upgrade_reason(hop)}",
        *hop.tool.upgrade(hop),
        check="talosctl --nodes $ADDRESS get extensions lists the NVIDIA extensions with the new version",
        way_back=f"{_capital(hop.tool.way_back(hop))}{_etcd_back(hop)}",
    )  # fmt: skip


def _capital(text: str) -> str:
    return text if text.startswith("talosctl") else text[0].upper() + text[1:]


def _etcd_back(hop: Hop) -> str:
    if not hop.new_etcd or not hop.tool.keeps_nodes:
        return ""
    major, _, minor = hop.new_etcd.partition(".")
    old = f"{major}.{int(minor) - 1}"
    return (
        f" Talos {hop.after.talos_version.minor_version} brings etcd {hop.new_etcd}. When all control-plane nodes run it, run talosctl etcd downgrade "
        f"enable {old} on one of them before a control-plane node returns."
    )


def _snapshot(hop: Hop) -> UpgradeStep:
    return hop.step(
        UpgradePhase.BEFORE, UpgradeAction.CHECK, f"Save etcd of Talos {hop.before.talos_version}.",
        "The snapshot is the only way back from a lost control plane and from a newer Kubernetes. With one control-plane node there is no second "
        "copy of etcd.",
        *hop.tool.snapshot(hop),
        check="the snapshot of today is on another machine",
        way_back=hop.tool.restore,
    )  # fmt: skip


def _kubernetes(hop: Hop) -> UpgradeStep:
    both = hop.common_kubernetes
    old, new = hop.before.talos_version.release.kubernetes_versions, hop.after.talos_version.release.kubernetes_versions
    only = " and ".join(minor for minor in old if minor not in both) or both[0]
    return hop.step(
        UpgradePhase.BEFORE, UpgradeAction.CHECK, f"Upgrade Kubernetes to {both[0]} or newer.",
        f"Talos {hop.before.talos_version.minor_version} runs Kubernetes {old[0]} to {old[-1]}, and Talos "
        f"{hop.after.talos_version.minor_version} runs {new[0]} to {new[-1]}. The cluster needs a version that both run. If it has one, skip "
        # siderolabs/go-kubernetes kubernetes/upgrade/path.go IsSupported
        f"the upgrade. It goes one minor release at a time. Stay below {_after(both[-1])} until no node has to go back.",
        command("kubectl version"), *hop.tool.kubernetes(f"{both[0]}.0", f"only from {only}; or the newest patch of {both[0]}"),
        check=f"kubectl version shows a Server Version of {both[0]} to {both[-1]}",
        way_back="Kubernetes goes to no older minor release. Only the snapshot of etcd has the older state.",
    )  # fmt: skip


def _after(minor: str) -> str:
    return f"1.{int(minor.partition('.')[2]) + 1}"


def _driver(hop: Hop) -> Iterator[UpgradeStep]:
    track = hop.after.track
    old, new = driver_of(hop.before), hop.new_driver
    branch, old_branch = (int(driver.partition(".")[0]) for driver in (new, old))
    if branch == old_branch:
        return
    floors = ", ".join(f"CUDA {cuda} needs {floor}" for cuda, floor in sorted(CUDA_FLOORS.items(), reverse=True))
    change = f"The {track} driver changes from {old} to {new}."
    if hop.before.track is not track:
        change = f"The driver changes from {old} ({hop.before.track}) to {new} ({track}), the track that runs {hop.after.product}."
    reason = f"{change} An image runs if the driver is as new as its CUDA needs: {floors}."
    if branch < CUDA_FLOORS[13]:
        reason += " Images with CUDA 13 do not run on this driver."
    # The open modules support none of these cards, and a named card is checked already.
    may_be_older = hop.after.kernel_modules is KernelModules.PROPRIETARY and hop.after.product is None
    if may_be_older and old_branch <= LAST_WITHOUT_GSP < branch:
        reason += (
            f" Branch {branch} does not support Maxwell, Pascal and Volta cards: choose the lts track for such a card (--driver-track lts)."
        )
    yield hop.step(
        UpgradePhase.BEFORE, UpgradeAction.CHECK, "Check that your images run on the new driver.",
        " ".join([reason, *image_lines(hop.images, branch)]),
        command("kubectl get pods --all-namespaces -o jsonpath={images} | tr ' ' '\\n' | sort -u", images=_IMAGES),
        check=f"no image needs a newer driver than {branch}",
    )  # fmt: skip


def _references(hop: Hop) -> UpgradeStep:
    return hop.step(
        UpgradePhase.BEFORE, UpgradeAction.REMOVE, f"Remove every reference to {LEGACY_ROOT}.",
        "Talos 1.13 has the driver libraries at other paths. A pod with the old path in a host path, LD_LIBRARY_PATH or NVIDIA_DRIVER_ROOT "
        "finds no libraries. A containerd customization with the old path, or with cdi_spec_dirs in place of /run/cdi, can break the node "
        "(siderolabs/talos#13346). The last command reads the workloads, and also finds validation bridges that were made by hand.",
        pods_with(LEGACY_ROOT),
        *hop.tool.search_config(f"{LEGACY_ROOT}|cdi_spec_dirs"),
        WORKLOADS,
        leftovers_command(hop.before, hop.after.talos_version, hop.route_of_nodes, hop.route_of_nodes, "workloads.yaml"),
        check="the first two commands print nothing, and the last command lists only objects that the next steps remove",
        way_back=f"a pod that needs the old path runs only on Talos {hop.before.talos_version.minor_version}; keep its old manifest for a node that goes back.",
    )  # fmt: skip
