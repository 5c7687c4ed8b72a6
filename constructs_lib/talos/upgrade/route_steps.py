"""The steps of an upgrade plan that change the component which advertises the GPUs, and the manifests, as tables."""

from __future__ import annotations

import json
from dataclasses import replace

from ...arguments.commands import command
from ...upstream.charts.gpu_operator_chart import LEGACY, POLICY_CRD, VALIDATOR_LABEL
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, mig_resource
from ...upstream.nvidia.plugin_words import MigStrategy
from ...upstream.talos.features import RUNTIME_CLASS
from ...upstream.talos.generations import BRIDGED, CLASS_HANDLER, UNBRIDGED, Generation
from .step import APPLY, CHANGE, CHECK, REMOVE, Commands, Hop, Line, Row, UpgradeRoute
from .words import DELETED, WORKLOADS, change, only, pods_with

_UNINSTALL = command("helm uninstall $RELEASE --namespace $NAMESPACE")
_LEFTOVERS_OF_PATH = Line("talos-gpu upgrade {*leftovers} --leftovers PATH", "PATH: your repository, if a GitOps tool installs it")


def _to_operator(hop: Hop) -> bool:
    return hop.new_route is UpgradeRoute.OPERATOR


def _to_plugin(hop: Hop) -> bool:
    return hop.new_route is UpgradeRoute.STANDALONE


def _has_dra(hop: Hop) -> bool:
    return hop.nodes.dra is not None


def _component(hop: Hop, route: UpgradeRoute) -> str:
    """The component of a route. With DRA the DraDriver belongs to both routes."""
    if route is UpgradeRoute.OPERATOR:
        return "operator"
    return "RuntimeClass and the DcgmExporter" if _has_dra(hop) else "device plugin"


def _again(hop: Hop) -> str:
    if hop.is_moving:
        return f"apply the manifests of the {_component(hop, hop.route)} again; they belong with the Talos that the nodes run."
    older = "apply the older manifests again; they belong with Talos {old}."
    if hop.before.generation is not Generation.LEGACY or not hop.changes_manifests:
        return older
    crd = command("kubectl apply --server-side --force-conflicts --filename {address}", address=POLICY_CRD.format(version=LEGACY))
    refused = "first install the CRD of the older chart, because the CRD of the newer one refuses the older ClusterPolicy"
    return f"{refused}: {crd}; then {older}"


def _proves(hop: Hop) -> bool:
    """Whether one pod can ask for a GPU by a limit alone: neither by a claim, nor for a MIG profile that is not known."""
    nodes = hop.after
    return not nodes.by_claim and (nodes.mig_strategy is not MigStrategy.MIXED or bool(nodes.mig_profiles))


def _proof(hop: Hop) -> Commands:
    """The commands that run NVIDIA's sample on the node, print what it says, and remove the pod."""
    # Only the steps of a plan need the manifests.
    from ...manifests.gpu_pod import gpu_pod
    from ...upstream.programs.images import CUDA_SAMPLE_IMAGES

    nodes = hop.after
    profile = nodes.mig_profiles[0] if nodes.mig_strategy is MigStrategy.MIXED else None
    container = {"name": "cuda-proof", "image": CUDA_SAMPLE_IMAGES[min(CUDA_SAMPLE_IMAGES)]}
    pod = gpu_pod({"spec": {"containers": [container]}}, nodes=nodes, profile=profile)["spec"]
    kept = {key: pod[key] for key in ("runtimeClassName", "tolerations", "containers") if key in pod}
    # The shell fills in the name of the node between two quoted parts of the JSON.
    before, after = json.dumps({"apiVersion": "v1", "spec": {"nodeName": "$NODE", **kept}}).split("$NODE")
    run = command(
        'kubectl run cuda-proof --restart=Never --image={image} --overrides={before}"$NODE"{after}',
        image=container["image"],
        before=before,
        after=after,
    )
    done = command("kubectl wait pod/cuda-proof --for=jsonpath={phase}=Succeeded --timeout=10m", phase="{.status.phase}")
    yield run.then(done).followed_by(command("kubectl logs cuda-proof; kubectl delete pod cuda-proof"))


def _change(hop: Hop) -> str:
    """The change of the manifests from the old Talos and route to the new ones, as one sentence."""
    if _to_plugin(hop):
        if _has_dra(hop):
            return "DraDriver stays unchanged; NvidiaRuntimeClass and DcgmExporter replace the operator"
        return "StandaloneDevicePlugin and NvidiaRuntimeClass replace the operator"
    from ...manifests.operator.version import OLDEST  # this import reads the table of the chart from a file

    oldest = OLDEST[hop.nodes.generation][0]
    change = f"NvidiaGpuOperator sets the chart values for this Talos; the chart must be {oldest} or newer"
    if hop.nodes.generation is Generation.NRI:
        change += ". The operator installs the container toolkit below /var, and creates no RuntimeClass any more"
    if hop.is_legacy and hop.is_moving:
        change += ". NvidiaGpuOperator adds the validation bridge, which writes the files that the operator's pods wait for"
    return change


def _offered(hop: Hop) -> Commands:
    if _has_dra(hop):
        return [command("kubectl get resourceslices --field-selector spec.driver=gpu.nvidia.com,spec.nodeName=$NODE -o yaml")]
    # With `mixed` a card that is partitioned is no nvidia.com/gpu: each profile is a resource of its own.
    key = hop.nodes.resource_name.replace(".", "\\.")
    path = "{.status.allocatable}" if hop.nodes.mig_strategy is MigStrategy.MIXED else f"{{.status.allocatable.{key}}}"
    return [command("kubectl get node $NODE -o jsonpath={path}", path=path)]


def _scheduled(hop: Hop) -> str:
    if _has_dra(hop):
        return "The scheduler gives these devices to the claims of pods."
    is_mixed = hop.nodes.mig_strategy is MigStrategy.MIXED
    return f"The scheduler places GPU pods by {'the resource of each MIG profile' if is_mixed else 'this number'}."


def _number(hop: Hop) -> str:
    nodes = hop.nodes
    if nodes.dra:
        return f"the ResourceSlices list {nodes.gpus_per_node or 'all'} GPUs of the node"
    if nodes.mig_strategy is not MigStrategy.MIXED:
        many = nodes.advertised_per_node
        return f"the number is {many}" if many else "the number is that of the node's GPUs, or of their shares"
    if offered := nodes.advertised_resources:
        return f"the answer has {', '.join(name if number is None else f'{number} {name}' for name, number in offered.items())}"
    return f"the answer has the number of partitions of each profile, such as {mig_resource('1g.10gb')}; {GPU_RESOURCE} counts whole cards"


# fmt: off
BRIDGE = Row(REMOVE, "Remove the validation bridge.",
    (only(lambda hop: hop.is_moving,
         "The bridge writes files for the operator's pods, and the operator is removed.",
         f"{UNBRIDGED.opening} the operator's validator finds the driver by itself, and then writes these files. "
         "The bridge would write them without a look at the driver. The files stay on a node until it reboots."),
     " The first command removes the bridge of this library. A bridge that was made by hand has another label; "
     "the last command finds it."),
    [command("kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-validation-bridge"),
     WORKLOADS,
     Line("talos-gpu upgrade {*leftovers} --leftovers workloads.yaml")],
    check="the last command lists no bridge",
    way_back=_again)
LABEL_OFF = Row(CHANGE,
    only(_to_operator, "Enable the operator's validator again.", "Remove the label of the operator's validator."),
    (only(_to_operator,
         f"{BRIDGED.opening} the validator could not succeed. Now every operand of the operator waits for the "
         "validator. ",
         "Only the operator reads this label. "),
     "{removal}"),
    [change("nodeLabels", VALIDATOR_LABEL, DELETED),
     command("kubectl label node $NODE {label}-", label=VALIDATOR_LABEL).explained(
         "on nodes that were labelled by hand")],
    check=f"the node has no label {VALIDATOR_LABEL}=false",
    way_back=(f"kubectl label node $NODE {VALIDATOR_LABEL}=false ",
        only(_to_operator,
            "on a node that returns to Talos 1.12 with the operator.",
            "on each node, before the operator is installed again.")))

OFFERED = Row(CHECK, "Check that the node advertises its GPUs.",
    _scheduled,
    [_offered],
    check=_number)

PROVEN = Row(CHECK, "Prove that a pod on the node runs CUDA.",
    "The number of GPUs proves the device plugin; only a program proves driver, libraries and devices together. The pod goes to "
    "the node by its name, and needs one free GPU.",
    [_proof],
    check="the log has the line Test PASSED",
    when=_proves)

MANIFESTS = Row(APPLY, "Apply the manifests for Talos {talos}.",
    ("With this library: set the Talos version {talos} in your app or cluster file, synthesize, and apply the output. ",
     _change,
     ". Without this library: set the chart values by hand, and run talos-gpu check on them.",
     only(lambda hop: not hop.manifests,
         " MANIFESTS is the folder of the output, which cdk8s.yaml names (dist by default)."),
     # https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts (2026-11-23)
     " Where kubectl reports a conflict with helm or with another manager, the object stays as it is: change it "
     "there, and do not force it, because both would then write the object in turn."),
    [Line('talos-gpu check "$MANIFESTS" --talos {talos}', when=lambda hop: not hop.manifests),
     Line('kubectl apply --server-side --recursive --filename "$MANIFESTS"', when=lambda hop: not hop.manifests),
     Line("talos-gpu check {*paths} --talos {talos}", when=lambda hop: bool(hop.manifests)),
     Line("kubectl apply --server-side --recursive {*files}", when=lambda hop: bool(hop.manifests)),
     Line("kubectl get pods --all-namespaces --selector {labels} --output wide")],
    check="every pod of the class is Running, apart from GPU pods that wait for a free GPU",
    way_back=(lambda hop: f"remove the {_component(hop, hop.new_route)}, then " if hop.is_moving else "", _again))

REMOVE_PLUGIN = Row(REMOVE, "Uninstall the device plugin.",
    "The operator runs its own device plugin, and no kubelet serves two (TG026). From here on no GPU pod can start: have the "
    "manifests of the operator ready.",
    [command("helm list --all-namespaces | grep nvidia-device-plugin"),
     _UNINSTALL.explained("if Helm installed it; the next two commands delete plugins without Helm"),
     command("kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-device-plugin"),
     # In upstream's static manifests only the pods have the label name: nvidia-device-plugin-ds
     # (deployments/static).
     command(
         "kubectl delete daemonset --all-namespaces --field-selector metadata.name=nvidia-device-plugin-daemonset"),
     _LEFTOVERS_OF_PATH],
    check="kubectl get daemonsets --all-namespaces -o wide | grep k8s-device-plugin prints nothing",
    way_back=f"apply the manifests with StandaloneDevicePlugin again; they are the same {CLASS_HANDLER.when}.",
    # The DraDriver stays, and the operator leaves its own plugin off.
    when=lambda hop: _to_operator(hop) and not _has_dra(hop))

REMOVE_RUNTIME_CLASS = Row(REMOVE, f"Delete the RuntimeClass {RUNTIME_CLASS}.",
    "The operator creates and owns this RuntimeClass, and two owners overwrite each other (NVIDIA/gpu-operator#446). "
    "No pod with this RuntimeClass starts before the operator creates it again.",
    [command("kubectl delete runtimeclass {name}", name=RUNTIME_CLASS)],
    check=f"kubectl get runtimeclass {RUNTIME_CLASS} answers NotFound",
    way_back="apply the manifests with NvidiaRuntimeClass again.",
    when=_to_operator)

REMOVE_OPERATOR = Row(REMOVE, "Uninstall the GPU operator.",
    (only(lambda hop: not _has_dra(hop),
         "The device plugin of the operator advertises the same GPUs. From here on no GPU pod can start. "),
     "The operator removes its RuntimeClass."),
    [command("helm list --all-namespaces | grep gpu-operator"),
     _UNINSTALL.explained("if Helm installed it"),
     command("kubectl delete clusterpolicies.nvidia.com --all"),
     _LEFTOVERS_OF_PATH],
    check=f"the cluster has no ClusterPolicy and no RuntimeClass {RUNTIME_CLASS}",
    way_back="apply the manifests with NvidiaGpuOperator for Talos {talos} again.",
    when=_to_plugin)

MOVE = (
    Row(CHANGE, "Disable the operator's validator on the nodes.",
        f"{BRIDGED.opening} the validator can't succeed, and its pods stay unready. The last command prints the whole "
        "patch with the label, for your repository.",
        [change("nodeLabels", VALIDATOR_LABEL, "false"), lambda hop: () if hop.tool.change else hop.tool.patch],
        check=f"the node has the label {VALIDATOR_LABEL}=false",
        way_back="the label has no effect without the operator.",
        when=lambda hop: hop.is_legacy and _to_operator(hop)),
    REMOVE_PLUGIN,
    REMOVE_RUNTIME_CLASS,
    replace(BRIDGE, when=lambda hop: hop.is_legacy and _to_plugin(hop)),
    REMOVE_OPERATOR,
    MANIFESTS,
    OFFERED,
    Row(APPLY, "Restart the GPU pods that are older than the change.",
        "Running pods keep the devices and libraries that they were created with, and work until they end. Restart "
        "them one at a time when their users allow it. The label is that of pods of this library; the second command "
        "lists all pods that request a GPU.",
        [Line("kubectl get pods --all-namespaces --selector {labels}"),
         pods_with(GPU_RESOURCE),
         command("kubectl rollout restart $KIND/$NAME --namespace $NAMESPACE")],
        check="every GPU pod is younger than the change",
        when=lambda hop: not _has_dra(hop)),
    # A step for each node comes when the GPUs are offered again.
    replace(LABEL_OFF, when=lambda hop: hop.is_legacy and _to_plugin(hop)))
"""The change of the route."""
