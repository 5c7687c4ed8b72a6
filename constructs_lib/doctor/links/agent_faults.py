"""The faults of an agent's own pod, and of an agent that has no pod on a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...arguments.commands import Command, command
from ...observed.model.live_object import LiveObject
from ...observed.pods.pod_templates import pod_of
from ...upstream.nvidia.agent_programs import BY_THE_RUNTIME, AgentKind
from ...upstream.nvidia.gpu_resources import PRESENT_LABEL
from ...upstream.talos.features import RUNTIME_CLASS
from ...upstream.talos.generations import NRI_TOOLKIT
from ..fault import Advice, Broken, Fault, Fix, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pods import LiveAgent, LivePod
from ..node_fit import Obstacle, Refusal, named_node, refusals
from ..scheduler_message import event_text, last_event
from .admission_link import admitted
from .container_faults import log_faults
from .creation_faults import creation_fault
from .refusal_faults import tolerations_yaml
from .refusal_fixes import conditions_text, label_command, label_fix, taint_condition
from .scheduling_link import scheduled
from .start_link import start_faults

_NO_GPUS = "The kubelet of the node gets no GPUs to offer, so pods that ask for one stay Pending"
_WITHOUT_CARDS = ("nvml-missing", "plugin-without-devices")
LOGS = command("kubectl logs POD --namespace NAMESPACE --all-containers")


def is_ready(pod: LivePod) -> bool:
    """Whether the pod reports that it is ready."""
    condition = pod.condition("Ready")
    return condition is not None and condition.get("status") == "True"


def pods_for(agents: Sequence[LiveAgent], node: str) -> list[LivePod]:
    """The pods of agents on a node, and those that a DaemonSet has made for it and that are not placed."""
    return [each for agent in agents for each in agent.pods if each.node == node or (not each.node and named_node(each.spec) == node)]


def pod_state(cluster: GpuCluster, pod: LivePod) -> Broken | NotSeen:
    """The state of an agent's pod that is not ready: the first broken link of the pod, else what its log says."""
    for link in (admitted, scheduled):
        state: State = link(cluster, pod, {})
        if isinstance(state, Broken):
            return _of_agent(state.faults)
    broken = start_faults(cluster, pod, is_agent=True)
    faults = broken.faults if broken else tuple(log_faults(cluster.logs(pod)))[:1]
    return _of_agent(with_runtime_class(cluster, pod, faults)) if faults else NotSeen(command=LOGS)


def with_runtime_class(cluster: GpuCluster, pod: LivePod, faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """The faults; that of an agent without the driver's libraries with the part that should have injected them."""
    return tuple(_not_injected(cluster, pod, each) if each.name in _WITHOUT_CARDS else each for each in faults)


def _not_injected(cluster: GpuCluster, pod: LivePod, fault: Fault) -> Fault:
    if pod.agent not in BY_THE_RUNTIME:
        return fault
    node = cluster.node(pod.node)
    if node is not None and node.minor is not None and node.minor in NRI_TOOLKIT:
        toolkits = pods_for(cluster.of_agent(AgentKind.TOOLKIT), node.name)
        is_missing = "Pod" in cluster.dump.listed and not any(map(is_ready, toolkits))
        return _no_toolkit(fault) if is_missing else fault
    return _no_library(pod, fault) if pod.runtime_class == RUNTIME_CLASS else fault if pod.runtime_class else _no_class(pod, fault)


def _no_toolkit(fault: Fault) -> Fault:
    return replace(
        fault,
        name="toolkit-pod-missing",
        cause=f"No toolkit pod of the GPU operator is ready on the node: from Talos {NRI_TOOLKIT.first} on its NRI plugin gives agents the driver's "
        "libraries (NVML)",
        fix=Advice("Set in the values of the GPU operator", "toolkit: {enabled: true}\ncdi: {nriPluginEnabled: true}"),
        verify=command("kubectl get pods --all-namespaces -l app=nvidia-container-toolkit-daemonset"),
        rules=("TG011",),
    )


def _no_library(pod: LivePod, fault: Fault) -> Fault:
    return replace(
        fault,
        cause=f"The agent's pod names the RuntimeClass {RUNTIME_CLASS}, and NVIDIA's runtime had no driver libraries (NVML) to give it: the image "
        "of the node lacks them, or the machine has no card",
        evidence=(*fault.evidence, pod.about.evidence(f"runtimeClassName: {RUNTIME_CLASS}", "spec")),
        fix=command(
            "talosctl --nodes ADDRESS get extensions   # nvidia-container-toolkit of the driver's track brings them: talos-gpu schematic"
        ),
        verify=command("talosctl --nodes ADDRESS get pcidevices"),
        rules=("TG106",),
    )


def _no_class(pod: LivePod, fault: Fault) -> Fault:
    return replace(
        fault,
        name="agent-without-runtime-class",
        cause="The pod of the device plugin names no RuntimeClass, so the runtime gives it no driver libraries (NVML)",
        evidence=(*fault.evidence, pod.about.evidence("no runtimeClassName", "spec")),
        fix=Advice("Set in the values of the chart", f"runtimeClassName: {RUNTIME_CLASS}"),
        verify=command("kubectl get pod POD --namespace NAMESPACE -o jsonpath='{.spec.runtimeClassName}'"),
        rules=("TG018",),
    )


def _of_agent(faults: Sequence[Fault]) -> Broken:
    return Broken(faults=tuple(replace(each, consequence=_NO_GPUS, is_of_pod=False) for each in faults[:1]))


def absence(cluster: GpuCluster, node: GpuNode, agents: Sequence[LiveAgent]) -> Broken | None:
    """The fault of DaemonSets that have no pod on a node: they can't create pods, or the node refuses their pods. None
    where neither was read."""
    nearest: tuple[LiveAgent, tuple[Refusal, ...]] | None = None
    live = node.node
    for agent in agents:
        if agent.workload is None or agent.workload.kind != "DaemonSet":
            continue
        event = last_event(cluster, agent.workload, "FailedCreate")
        if event is not None and cluster.failed_creations(agent.workload):
            return _of_agent((creation_fault(event.evidence(event_text(event), "message"), is_agent=True),))
        refused = refusals(pod_of(agent.workload).spec, node.observed, is_daemon=True) if node.observed is not None else ()
        if refused and (nearest is None or len(refused) < len(nearest[1])):
            nearest = (agent, refused)
    if nearest is None or nearest[0].workload is None or live is None:
        return None
    refused = nearest[1]
    return Broken(faults=tuple(_refused(nearest[0].workload, each, live) for each in refused))


def _refused(workload: LiveObject, refusal: Refusal, node: LiveObject) -> Fault:
    spread = workload.evidence(f"desiredNumberScheduled: {workload.at('status', 'desiredNumberScheduled')}", "status")
    if refusal.obstacle is Obstacle.LABEL:
        return Fault(
            name="agent-label-missing",
            cause=f"The DaemonSet {workload.full_name} selects nodes by {refusal.detail}, and GPU nodes lack the label",
            evidence=(refusal.evidence(node), spread),
            consequence=f"The DaemonSet makes no pod for the node. {_NO_GPUS}",
            fix=_label_fix(refusal, node),
            verify=_daemon_set(workload),
            source="NVIDIA/k8s-device-plugin#1213",
            rules=("TG007",),
        )
    if refusal.obstacle is Obstacle.CONDITION:
        condition = taint_condition(refusal.taint)
        return Fault(
            name="gpu-nodes-not-in-service",
            cause=f"The GPU nodes {conditions_text([refusal.taint])}, and the DaemonSet {workload.full_name} does not tolerate the taint",
            evidence=(refusal.evidence(node), spread),
            consequence=f"The DaemonSet makes no pod for the node. {_NO_GPUS}",
            fix=condition.fix,
            verify=command("kubectl get nodes"),
            source=condition.source,
        )
    return Fault(
        name="agent-untolerated-taint",
        cause=f"The DaemonSet {workload.full_name} does not tolerate the taint {refusal.detail} of GPU nodes",
        evidence=(refusal.evidence(node), spread),
        consequence=f"The DaemonSet makes no pod for the node. {_NO_GPUS}",
        fix=Advice("Set in the values of the chart (GPU operator: under daemonsets)", tolerations_yaml([refusal.detail])),
        verify=_daemon_set(workload),
        source="NVIDIA/k8s-device-plugin#421",
        rules=("TG053",),
    )


def _daemon_set(workload: LiveObject) -> Command:
    return command("kubectl get daemonset {name} --namespace {namespace}", name=workload.name, namespace=workload.namespace or "default")


def _label_fix(refusal: Refusal, node: LiveObject) -> Fix:
    if f"{PRESENT_LABEL} In [true]" in refusal.detail and PRESENT_LABEL not in node.labels:
        return label_command(f"{PRESENT_LABEL}=true")
    return label_fix([refusal.detail], refusal.labels, [node], "the values of the chart")
