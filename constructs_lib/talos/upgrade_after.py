"""The steps of an upgrade plan after the nodes run the new Talos: checks, settings of the old Talos to remove, and the manifests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..nodes.talos_version import Generation
from ..upstream.charts.gpu_operator_chart import VALIDATOR_LABEL
from ..upstream.gpu_resources import GPU_RESOURCE
from ..upstream.talos_features import BPF_JIT_HARDEN, BPF_UNHARDENED, DOCUMENTS
from .upgrade_commands import PODS, machine_command, patch_command
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep

if TYPE_CHECKING:
    from .upgrade_hops import Hop

_DELETED = {"$patch": "delete"}
# siderolabs/talos pkg/machinery/config/configloader/internal/decoder/selector.go
_IF_SET = (
    "On a node without the setting Talos answers 'lookup failed', and there is nothing to do. Remove the setting from your patch as well."
)


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


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def steps_after(hop: Hop) -> Iterator[UpgradeStep]:
    """All steps after the upgrade of the nodes, in order."""
    driver = hop.new_driver
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "Check that the driver is loaded.",
        "A node whose kernel modules are not loaded has no GPU, even if the cluster reports one.",
        "talosctl --nodes $ADDRESS read /proc/driver/nvidia/version",
        check=f"the version is {driver}, or newer on a later patch of this Talos" if "." in driver else f"the version is of branch {driver}",
    )  # fmt: skip
    if hop.leaves_legacy_root:
        yield from _after_cdi(hop)
    elif hop.after.generation is Generation.LEGACY and hop.route is not hop.new_route:
        yield _label_off(hop) if hop.route is UpgradeRoute.OPERATOR else _label_on(hop)
    if hop.after.talos_version.minor in DOCUMENTS and hop.before.talos_version.minor not in DOCUMENTS and hop.is_minor:
        yield hop.step(
            UpgradePhase.AFTER, UpgradeAction.CHANGE, "Keep the fields of the machine configuration, or move all of them to documents.",
            "Talos 1.14 configures each subject by a document, and still reads the fields of an upgraded node. Talos refuses a setting that is "
            f"both a field and a document. Talos refuses a KubeNodeConfig if one of these fields is set: {', '.join(_NODE_FIELDS)}. Until all of "
            "them are moved, patch the node with --style fields.",
            f"talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE '{'|'.join(_last(field) for field in _NODE_FIELDS)}'",
            patch_command(hop.after, "--style", "fields"),
            check="the first command prints nothing, or the node has no KubeNodeConfig",
        )  # fmt: skip
    if hop.is_minor or hop.route is not hop.new_route:
        yield _manifests(hop)
    yield _offer(hop)


def _offer(hop: Hop) -> UpgradeStep:
    if hop.after.dra:
        command = "kubectl get resourceslices --field-selector spec.driver=gpu.nvidia.com,spec.nodeName=$NODE -o yaml"
        check = f"the ResourceSlices list {hop.after.gpus_per_node or 'all'} GPUs of the node"
    else:
        many = hop.after.advertised_per_node
        resource = hop.after.resource_name.replace(".", "\\.")
        command = f"kubectl get node $NODE -o jsonpath='{{.status.allocatable.{resource}}}'"
        check = f"the number is {many}" if many else "the number is that of the node's GPUs, or of their shares"
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "Check that the node advertises its GPUs.", "The scheduler places GPU pods by this number.",
        command, check=check,
    )  # fmt: skip


def _after_cdi(hop: Hop) -> Iterator[UpgradeStep]:
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, f"Remove the setting {BPF_JIT_HARDEN}.",
        f"Only {BPF_UNHARDENED} need the setting for GPU containers (the documentation of 1.12 sets it too). Without the setting Talos sets the "
        f"value to 2 again. {_IF_SET}",
        f"{machine_command('sysctls', BPF_JIT_HARDEN, _DELETED)}  # on nodes with the setting",
        check=f"talosctl --nodes $ADDRESS read /proc/sys/{BPF_JIT_HARDEN.replace('.', '/')} says 2",
    )  # fmt: skip
    if hop.route is UpgradeRoute.OPERATOR:
        yield _label_off(hop)
    yield hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHECK, "Check that the node has a CDI specification.",
        "From Talos 1.13 on an extension writes the CDI specification. The operator's device plugin and containerd read it.",
        "talosctl --nodes $ADDRESS service ext-nvidia-cdi-gen", "talosctl --nodes $ADDRESS list /run/cdi",
        check="/run/cdi has the file nvidia.yaml",
    )  # fmt: skip


def _label_on(hop: Hop) -> UpgradeStep:
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, "Disable the operator's validator on the nodes.",
        "Up to Talos 1.12 the validator can't succeed, and its pods stay unready. The first command sets the label on a node. The second "
        "command prints the whole patch with the label, for your repository.",
        machine_command("nodeLabels", VALIDATOR_LABEL, "false"), patch_command(hop.after, "--operator"),
        check=f"the node has the label {VALIDATOR_LABEL}=false",
    )  # fmt: skip


def _label_off(hop: Hop) -> UpgradeStep:
    if hop.new_route is UpgradeRoute.OPERATOR:
        title, reason = (
            "Enable the operator's validator again.",
            "Up to Talos 1.12 the validator could not succeed. Now every operand of the operator waits for the validator.",
        )
    else:
        title, reason = "Remove the label of the operator's validator.", "Only the operator reads this label."
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.CHANGE, title, f"{reason} {_IF_SET}",
        f"{machine_command('nodeLabels', VALIDATOR_LABEL, _DELETED)}  # on nodes with the setting",
        f"kubectl label node $NODE {VALIDATOR_LABEL}-  # on nodes that were labelled by hand",
        check=f"the node has no label {VALIDATOR_LABEL}=false",
    )  # fmt: skip


def _manifests(hop: Hop) -> UpgradeStep:
    if hop.new_route is UpgradeRoute.OPERATOR:
        from ..manifests.operator_version import OLDEST  # this import reads the table of the chart from a file

        oldest = OLDEST[hop.after.generation][0]
        change = f"NvidiaGpuOperator sets the chart values for this Talos; the chart must be {oldest} or newer"
        if hop.reaches_nri:
            change += ". The operator installs the container toolkit below /var, and creates no RuntimeClass any more"
        if hop.after.generation is Generation.LEGACY and hop.route is not hop.new_route:
            change += ". NvidiaGpuOperator adds the validation bridge, which writes the files that the operator's pods wait for"
    elif hop.after.dra:
        change = "DraDriver stays unchanged"
        if hop.route is not hop.new_route:
            change += "; NvidiaRuntimeClass and DcgmExporter replace the operator"
    elif hop.route is not hop.new_route:
        change = "StandaloneDevicePlugin and NvidiaRuntimeClass replace the operator"
    else:
        change = "Keep StandaloneDevicePlugin and NvidiaRuntimeClass"
    talos = hop.after.talos_version
    return hop.step(
        UpgradePhase.AFTER, UpgradeAction.APPLY, f"Apply the manifests for Talos {talos}, and restart the GPU pods.",
        f"With this library: set talos_version to {talos} in your app, and apply the output. {change}. Without this library: set the chart values "
        "by hand, and run talos-gpu check on them. Running pods keep the devices and libraries that they were created with. The last two "
        "commands list the GPU pods, and restart the Deployment, StatefulSet or DaemonSet of a pod.",
        "cdk8s synth", f"talos-gpu check dist/ --talos {talos}", "kubectl apply --server-side -f dist/",
        f"{PODS} | grep {'resourceClaims' if hop.after.dra else GPU_RESOURCE} | cut -f 1",
        "kubectl rollout restart $KIND/$NAME --namespace $NAMESPACE",
        check="every GPU pod is younger than the upgrade of its node",
    )  # fmt: skip
