"""The steps of an upgrade plan that change the component which advertises the GPUs, and the manifests."""

from __future__ import annotations

from collections.abc import Iterator

from ..arguments.commands import Command, command
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.charts.gpu_operator_chart import LEGACY, POLICY_CRD, VALIDATOR_LABEL
from ..upstream.nvidia.gpu_resources import GPU_RESOURCE, mig_resource
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.talos.features import RUNTIME_CLASS
from .upgrade_commands import WORKLOADS, leftovers_command, pods_with
from .upgrade_hops import OFFERED, OPERATOR, PLUGIN, Hop
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep

DELETED = {"$patch": "delete"}
_UNINSTALL = command("helm uninstall $RELEASE --namespace $NAMESPACE")
_REPOSITORY = "PATH: your repository, if a GitOps tool installs it"
# https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts (2026-11-23)
_CONFLICT = (
    "Where kubectl reports a conflict with helm or with another manager, the object stays as it is: change it there, and do not force it, because "
    "both would then write the object in turn."
)


def route_steps(hop: Hop, nodes: GpuNodes, phase: UpgradePhase) -> Iterator[UpgradeStep]:
    """The steps that change the route on nodes with one Talos: `nodes` is the class at this time."""
    is_legacy = nodes.generation is Generation.LEGACY
    if hop.new_route is UpgradeRoute.OPERATOR:
        if is_legacy:
            yield _label_on(hop, nodes, phase)
        yield from _remove_plugin(hop, nodes, phase)
    else:
        if is_legacy:
            yield bridge(hop, phase)
        yield _remove_operator(hop, nodes, phase)
    yield manifests(hop, nodes, phase, moves=True)
    yield offer(hop, phase, nodes)
    if not nodes.dra:
        yield _restart(hop, nodes, phase)
    # A step for each node comes when the GPUs are offered again.
    if is_legacy and hop.new_route is UpgradeRoute.STANDALONE:
        yield label_off(hop, phase)


def bridge(hop: Hop, phase: UpgradePhase = UpgradePhase.BEFORE) -> UpgradeStep:
    """The validation bridge goes."""
    reason = (
        "The bridge writes files for the operator's pods, and the operator is removed."
        if hop.changes_route
        else "From Talos 1.13 on the operator's validator finds the driver by itself, and then writes these files. The bridge would write "
        "them without a look at the driver. The files stay on a node until it reboots."
    )
    return hop.step(
        phase, UpgradeAction.REMOVE, "Remove the validation bridge.",
        f"{reason} The first command removes the bridge of this library. A bridge that was made by hand has another label; the last "
        "command finds it.",
        command("kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-validation-bridge"),
        WORKLOADS, _leftovers(hop, "workloads.yaml"),
        check="the last command lists no bridge",
        way_back=_old_manifests(hop),
    )  # fmt: skip


def label_off(hop: Hop, phase: UpgradePhase) -> UpgradeStep:
    """The label that disables the operator's validator goes."""
    if hop.new_route is UpgradeRoute.OPERATOR:
        title, reason = (
            "Enable the operator's validator again.",
            "Up to Talos 1.12 the validator could not succeed. Now every operand of the operator waits for the validator.",
        )
        way_back = "on a node that returns to Talos 1.12 with the operator"
    else:
        title, reason = "Remove the label of the operator's validator.", "Only the operator reads this label."
        way_back = "on each node, before the operator is installed again"
    return hop.step(
        phase, UpgradeAction.CHANGE, title, f"{reason} {hop.tool.removal}",
        *hop.tool.change(hop, hop.before if phase is UpgradePhase.BEFORE else hop.after, "nodeLabels", VALIDATOR_LABEL, DELETED),
        command("kubectl label node $NODE {label}-", label=VALIDATOR_LABEL).explained("on nodes that were labelled by hand"),
        check=f"the node has no label {VALIDATOR_LABEL}=false",
        way_back=f"{command('kubectl label node $NODE {label}=false', label=VALIDATOR_LABEL)} {way_back}.",
    )  # fmt: skip


def offer(hop: Hop, phase: UpgradePhase, nodes: GpuNodes) -> UpgradeStep:
    """The check that a node advertises its GPUs."""
    if nodes.dra:
        listed = command("kubectl get resourceslices --field-selector spec.driver=gpu.nvidia.com,spec.nodeName=$NODE -o yaml")
        check = f"the ResourceSlices list {nodes.gpus_per_node or 'all'} GPUs of the node"
        reason = "The scheduler gives these devices to the claims of pods."
    else:
        # With `mixed` a card that is partitioned is no nvidia.com/gpu: each profile is a resource of its own.
        is_mixed = nodes.mig_strategy is MigStrategy.MIXED
        path = "{.status.allocatable}" if is_mixed else f"{{.status.allocatable.{_in_jsonpath(nodes.resource_name)}}}"
        listed = command("kubectl get node $NODE -o jsonpath={path}", path=path)
        check = _partitions(nodes) if is_mixed else _number(nodes)
        reason = (
            "The scheduler places GPU pods by this number."
            if not is_mixed
            else "The scheduler places GPU pods by the resource of each MIG profile."
        )
    return hop.step(phase, UpgradeAction.CHECK, OFFERED, reason, listed, check=check)


def _in_jsonpath(key: str) -> str:
    return key.replace(".", "\\.")


def _number(nodes: GpuNodes) -> str:
    many = nodes.advertised_per_node
    return f"the number is {many}" if many else "the number is that of the node's GPUs, or of their shares"


def _partitions(nodes: GpuNodes) -> str:
    """The resources of a node with several kinds of MIG partitions."""
    if offered := nodes.advertised_resources:
        numbers = (name if number is None else f"{number} {name}" for name, number in offered.items())
        return f"the answer has {', '.join(numbers)}"
    return f"the answer has the number of partitions of each profile, such as {mig_resource('1g.10gb')}; {GPU_RESOURCE} counts whole cards"


def manifests(hop: Hop, nodes: GpuNodes, phase: UpgradePhase, *, moves: bool = False) -> UpgradeStep:
    """The manifests that these nodes need."""
    talos = nodes.talos_version
    folder = "" if hop.manifests else " MANIFESTS is the folder of the output, which cdk8s.yaml names (dist by default)."
    return hop.step(
        phase, UpgradeAction.APPLY, f"Apply the manifests for Talos {talos}.",
        f"With this library: set talos_version to {talos} in your app, and apply the output. {_change(hop, nodes, moves=moves)}. Without this "
        f"library: set the chart values by hand, and run talos-gpu check on them.{folder} {_CONFLICT}",
        command("cdk8s synth"), *_check_and_apply(hop, nodes),
        command("kubectl get pods --all-namespaces --selector {labels} --output wide", labels=_selector(nodes)),
        check="every pod of the class is Running, apart from GPU pods that wait for a free GPU",
        way_back=f"remove the {_name(hop, hop.new_route)}, then {_old_manifests(hop)}" if moves else _old_manifests(hop),
    )  # fmt: skip


def _check_and_apply(hop: Hop, nodes: GpuNodes) -> tuple[Command, Command]:
    talos = nodes.talos_version
    if not hop.manifests:
        return (
            command('talos-gpu check "$MANIFESTS" --talos {talos}', talos=talos),
            command('kubectl apply --server-side --recursive --filename "$MANIFESTS"'),
        )
    paths = [f"./{path}" if path.startswith("-") else path for path in hop.manifests]
    files = [word for path in paths for word in ("--filename", path)]
    return (
        command("talos-gpu check {*paths} --talos {talos}", paths=paths, talos=talos),
        command("kubectl apply --server-side --recursive {*files}", files=files),
    )


def _change(hop: Hop, nodes: GpuNodes, *, moves: bool) -> str:
    if hop.new_route is UpgradeRoute.OPERATOR:
        from ..manifests.operator.version import OLDEST  # this import reads the table of the chart from a file

        oldest = OLDEST[nodes.generation][0]
        change = f"NvidiaGpuOperator sets the chart values for this Talos; the chart must be {oldest} or newer"
        if nodes.generation is Generation.NRI:
            change += ". The operator installs the container toolkit below /var, and creates no RuntimeClass any more"
        if nodes.generation is Generation.LEGACY and moves:
            change += ". NvidiaGpuOperator adds the validation bridge, which writes the files that the operator's pods wait for"
        return change
    if nodes.dra:
        return "DraDriver stays unchanged; NvidiaRuntimeClass and DcgmExporter replace the operator"
    return "StandaloneDevicePlugin and NvidiaRuntimeClass replace the operator"


def _selector(nodes: GpuNodes) -> str:
    return ",".join(f"{key}={value}" for key, value in nodes.pod_labels.items())


def _name(hop: Hop, route: UpgradeRoute) -> str:
    """The component of a route. With DRA the DraDriver belongs to both routes."""
    if route is UpgradeRoute.OPERATOR:
        return "operator"
    return "RuntimeClass and the DcgmExporter" if hop.before.dra else "device plugin"


def _old_manifests(hop: Hop) -> str:
    if hop.changes_route:
        return f"apply the manifests of the {_name(hop, hop.route)} again; they belong with the Talos that the nodes run."
    older = f"apply the older manifests again; they belong with Talos {hop.before.talos_version}."
    if hop.before.generation is not Generation.LEGACY or not hop.changes_manifests:
        return older
    older_crd = command("kubectl apply --server-side --force-conflicts --filename {address}", address=POLICY_CRD.format(version=LEGACY))
    return f"first install the CRD of the older chart, because the CRD of the newer one refuses the older ClusterPolicy: {older_crd}; then {older}"


def _restart(hop: Hop, nodes: GpuNodes, phase: UpgradePhase) -> UpgradeStep:
    return hop.step(
        phase, UpgradeAction.APPLY, "Restart the GPU pods that are older than the change.",
        "Running pods keep the devices and libraries that they were created with, and work until they end. Restart them one at a time when their "
        "users allow it. The label is that of pods of this library; the second command lists all pods that request a GPU.",
        command("kubectl get pods --all-namespaces --selector {labels}", labels=_selector(nodes)), pods_with(GPU_RESOURCE),
        command("kubectl rollout restart $KIND/$NAME --namespace $NAMESPACE"),
        check="every GPU pod is younger than the change",
    )  # fmt: skip


def _label_on(hop: Hop, nodes: GpuNodes, phase: UpgradePhase) -> UpgradeStep:
    whole = (
        ()
        if len(first := hop.tool.change(hop, nodes, "nodeLabels", VALIDATOR_LABEL, "false")) > 1
        else hop.tool.patch(hop, nodes, hop.new_route)
    )
    return hop.step(
        phase, UpgradeAction.CHANGE, "Disable the operator's validator on the nodes.",
        "Up to Talos 1.12 the validator can't succeed, and its pods stay unready. The last command prints the whole patch with the label, for your "
        "repository.",
        *first, *whole,
        check=f"the node has the label {VALIDATOR_LABEL}=false",
        way_back="the label has no effect without the operator.",
    )  # fmt: skip


def _leftovers(hop: Hop, path: str) -> Command:
    return leftovers_command(hop.before, hop.after.talos_version, hop.route, hop.new_route, path)


def _remove_plugin(hop: Hop, nodes: GpuNodes, phase: UpgradePhase) -> Iterator[UpgradeStep]:
    # The DraDriver stays, and the operator leaves its own plugin off.
    if not nodes.dra:
        yield hop.step(
            phase, UpgradeAction.REMOVE, PLUGIN,
            "The operator runs its own device plugin. The kubelet listens only to the plugin that registered last, and nvidia.com/gpu drops to 0 "
            "when the pod of either plugin ends. From here on no GPU pod can start: have the manifests of the operator ready.",
            command("helm list --all-namespaces | grep nvidia-device-plugin"),
            _UNINSTALL.explained("if Helm installed it; the next two commands delete plugins without Helm"),
            command("kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-device-plugin"),
            # In upstream's static manifests only the pods have the label name: nvidia-device-plugin-ds (deployments/static).
            command("kubectl delete daemonset --all-namespaces --field-selector metadata.name=nvidia-device-plugin-daemonset"),
            _leftovers(hop, "PATH").explained(_REPOSITORY),
            check="kubectl get daemonsets --all-namespaces -o wide | grep k8s-device-plugin prints nothing",
            way_back="apply the manifests with StandaloneDevicePlugin again; they are the same for every Talos up to 1.14.",
        )  # fmt: skip
    yield hop.step(
        phase, UpgradeAction.REMOVE, f"Delete the RuntimeClass {RUNTIME_CLASS}.",
        "The operator creates and owns this RuntimeClass, and two owners overwrite each other (NVIDIA/gpu-operator#446). No pod with "
        "this RuntimeClass starts before the operator creates it again.",
        command("kubectl delete runtimeclass {name}", name=RUNTIME_CLASS),
        check=f"kubectl get runtimeclass {RUNTIME_CLASS} answers NotFound",
        way_back="apply the manifests with NvidiaRuntimeClass again.",
    )  # fmt: skip


def _remove_operator(hop: Hop, nodes: GpuNodes, phase: UpgradePhase) -> UpgradeStep:
    return hop.step(
        phase, UpgradeAction.REMOVE, OPERATOR,
        f"{'' if nodes.dra else 'The device plugin of the operator advertises the same GPUs. From here on no GPU pod can start. '}"
        "The operator removes its RuntimeClass.",
        command("helm list --all-namespaces | grep gpu-operator"), _UNINSTALL.explained("if Helm installed it"),
        command("kubectl delete clusterpolicies.nvidia.com --all"), _leftovers(hop, "PATH").explained(_REPOSITORY),
        check=f"the cluster has no ClusterPolicy and no RuntimeClass {RUNTIME_CLASS}",
        way_back=f"apply the manifests with NvidiaGpuOperator for Talos {nodes.talos_version} again.",
    )  # fmt: skip
