"""What is left to do when the nodes of a class run another Talos: checks, what the old one needed, and the manifests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..nodes.talos_version import Generation
from ..upstream.charts.gpu_operator_chart import VALIDATOR_LABEL
from ..upstream.talos_features import BPF_JIT_HARDEN, BPF_UNHARDENED, DOCUMENTS
from .upgrade_commands import machine_command, patch_command
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep

if TYPE_CHECKING:
    from .upgrade_hops import Hop

_DELETED = {"$patch": "delete"}
# siderolabs/talos pkg/machinery/config/configloader/internal/decoder/selector.go
_WHERE_SET = "Where it is not set there is nothing to do, and Talos answers 'lookup failed'. Take it out of the patch that set it, too."


def steps_after(hop: Hop) -> Iterator[UpgradeStep]:
    """Every step that follows the upgrade of the nodes, in order."""
    driver = hop.new_driver
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "See that the driver is loaded.",
        "Without its kernel modules a node has no GPU, whatever the cluster says.",
        "talosctl --nodes $ADDRESS read /proc/driver/nvidia/version",
        check=f"it says {driver}, or what a later patch of this Talos brings" if "." in driver else f"it says a version of branch {driver}",
    )  # fmt: skip
    if hop.leaves_legacy_root:
        yield from _after_cdi(hop)
    elif hop.after.generation is Generation.LEGACY and hop.route is not hop.new_route:
        yield _label_off(hop) if hop.route is UpgradeRoute.OPERATOR else _label_on(hop)
    if hop.after.talos_version.minor in DOCUMENTS and hop.before.talos_version.minor not in DOCUMENTS and hop.is_minor:
        yield hop.step(
            UpgradePhase.AFTER, UpgradeAction.CHANGE, "Leave the machine configuration in its fields, or move it as a whole.",
            "Talos 1.14 has a document for each subject, and still reads the fields of a node that was upgraded; both forms of one thing at "
            "once it refuses. KubeNodeConfig is refused beside any of machine.nodeLabels, nodeTaints and nodeAnnotations, of "
            "machine.kubelet.nodeIP, skipNodeRegistration and registerWithFQDN, and of cluster.allowSchedulingOnControlPlanes and "
            "allowSchedulingOnMasters. So a patch for this node is of style 'fields' until all of them are moved.",
            patch_command(hop.after, "--style", "fields"),
        )  # fmt: skip
    if hop.is_minor or hop.route is not hop.new_route:
        yield _manifests(hop)
    yield _offer(hop)


def _offer(hop: Hop) -> UpgradeStep:
    if hop.after.dra:
        command = "kubectl get resourceslices --field-selector spec.driver=gpu.nvidia.com,spec.nodeName=$NODE -o yaml"
        check = f"it has {hop.after.gpus_per_node or 'the'} GPUs of the node"
    else:
        many = hop.after.advertised_per_node
        resource = hop.after.resource_name.replace(".", "\\.")
        command = f"kubectl get node $NODE -o jsonpath='{{.status.allocatable.{resource}}}'"
        check = f"it says {many}" if many else "it says how many GPUs, or shares of them, the node has"
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "See that the node offers its GPUs.", "It is what the scheduler goes by.",
        command, check=check,
    )  # fmt: skip


def _after_cdi(hop: Hop) -> Iterator[UpgradeStep]:
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, f"Take {BPF_JIT_HARDEN} back.",
        f"Only {BPF_UNHARDENED} need it for containers with a GPU (the documentation of 1.12 asks for it too); without it the kernel's own "
        f"hardening is back. {_WHERE_SET}",
        f"{machine_command('sysctls', BPF_JIT_HARDEN, _DELETED)}  # where it is set",
        check=f"talosctl --nodes $ADDRESS read /proc/sys/{BPF_JIT_HARDEN.replace('.', '/')} says 2",
    )  # fmt: skip
    if hop.route is UpgradeRoute.OPERATOR:
        yield _label_off(hop)
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "See that Talos describes the GPU to containers.",
        "From Talos 1.13 on an extension writes a CDI specification, which the operator's plugin and containerd read.",
        "talosctl --nodes $ADDRESS service ext-nvidia-cdi-gen", "talosctl --nodes $ADDRESS list /run/cdi",
        check="/run/cdi has nvidia.yaml",
    )  # fmt: skip


def _label_on(hop: Hop) -> UpgradeStep:
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, "Keep the operator's validator away.",
        "Up to Talos 1.12 it can't succeed, and its pods would stay unready. The first command sets the label on a node; the second "
        "prints the whole patch with it, for your repository.",
        machine_command("nodeLabels", VALIDATOR_LABEL, "false"), patch_command(hop.after, "--operator"),
        check=f"the node has the label {VALIDATOR_LABEL}=false",
    )  # fmt: skip


def _label_off(hop: Hop) -> UpgradeStep:
    if hop.new_route is UpgradeRoute.OPERATOR:
        title, why = "Let the operator's validator run again.", "Up to Talos 1.12 it could not succeed; now every operand waits for it."
    else:
        title, why = "Take the label of the operator's validator off.", "Only the operator read it."
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, title, f"{why} {_WHERE_SET}",
        f"{machine_command('nodeLabels', VALIDATOR_LABEL, _DELETED)}  # where it is set",
        f"kubectl label node $NODE {VALIDATOR_LABEL}-  # where it was set by hand",
        check=f"the node has no label {VALIDATOR_LABEL}=false",
    )  # fmt: skip


def _manifests(hop: Hop) -> UpgradeStep:
    if hop.new_route is UpgradeRoute.OPERATOR:
        from ..manifests.operator_version import OLDEST  # it reads the chart's table from a file

        oldest = OLDEST[hop.after.generation][0]
        what = f"NvidiaGpuOperator then chooses the values of this generation; the chart has to be {oldest} or newer"
        if hop.reaches_nri:
            what += ". It installs the container toolkit below /var, and makes no RuntimeClass any more"
        if hop.after.generation is Generation.LEGACY and hop.route is not hop.new_route:
            what += ". The validation bridge comes with it, and writes what its pods wait for"
    elif hop.after.dra:
        what = "DraDriver stays as it is"
        if hop.route is not hop.new_route:
            what += "; NvidiaRuntimeClass and DcgmExporter come in the operator's place"
    elif hop.route is not hop.new_route:
        what = "StandaloneDevicePlugin and NvidiaRuntimeClass come in the operator's place"
    else:
        what = "StandaloneDevicePlugin and NvidiaRuntimeClass stay, as long as no operator is there"
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.APPLY, f"Synthesize with talos_version='{hop.after.talos_version}', and apply.",
        f"{what}. Pods that ran before keep what they were given when they were made: make them anew.",
        "cdk8s synth", "kubectl apply --server-side -f dist/", "kubectl rollout restart deployment --namespace $NAMESPACE",
    )  # fmt: skip
