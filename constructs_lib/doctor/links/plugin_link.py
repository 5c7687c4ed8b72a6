"""The link `plugin` of a GPU node: a device plugin or the DRA driver runs there."""

from __future__ import annotations

from collections.abc import Sequence

from ...arguments.commands import command
from ...observed.agents.agent_kinds import is_others_plugin
from ...observed.model.evidence import Evidence
from ...observed.model.live_object import LiveObject
from ...observed.pods.pod_templates import pod_of, state_of
from ...upstream.charts.dra_driver_chart import DRA_DRIVER
from ...upstream.nvidia.agent_programs import AgentKind
from ..fault import Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pods import LiveAgent, LivePod
from ..node_commands import helm_value
from .agent_faults import absence, is_ready, pod_state, pods_for
from .operator_faults import planless_faults, undeployed_faults, waiting_faults

_LOST = (
    "The node is not ready; Kubernetes has no news of it. The machine is off or out of reach, or its kubelet does not run",
    "What Kubernetes shows of the node, its GPUs and its pods is old. Pods that ask for a GPU of the node stay Pending",
    command(
        "talosctl --nodes ADDRESS service kubelet && talosctl --nodes ADDRESS logs kubelet   # no answer: the machine is off or out of reach"
    ),
)
_UNREADY = (
    "The kubelet reports that the node is not ready",
    "Kubernetes places no pods on the node, so pods that ask for a GPU of the node stay Pending",
    command(
        "kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE   # the evidence names the part that is not ready, often the network plugin (CNI)"
    ),
)


def unready_fault(node: GpuNode) -> Fault | None:
    """The fault of a node whose condition Ready is not True. None where the condition was not read."""
    ready = node.readiness
    if node.node is None or ready is None or ready.get("status") == "True":
        return None
    words = " ".join(f"{each}" for each in (ready.get("reason"), ready.get("message")) if each)
    cause, consequence, fix = _LOST if node.is_lost else _UNREADY
    return Fault(
        name="node-not-ready",
        cause=cause,
        evidence=(node.node.evidence(f"Ready: {ready.get('status')}{f', {words}' if words else ''}", "status.conditions"),),
        consequence=consequence,
        fix=fix,
        verify=command("kubectl get node NODE"),
        source="https://kubernetes.io/docs/reference/node/node-status/#condition",
    )


_DAEMON_SETS = command(
    "kubectl get daemonsets --all-namespaces -o yaml; kubectl get pods --all-namespaces -o yaml --field-selector spec.nodeName=NODE"
)

_DRA_CHART = DRA_DRIVER.name


def plugin(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    unready = unready_fault(node)
    if unready is not None:
        return Broken(faults=(unready,))
    agents = cluster.of_agent(AgentKind.PLUGIN, AgentKind.DRA)
    pods = pods_for(agents, node.name)
    ready = next((each for each in pods if is_ready(each) and not cluster.comes_back(each)), None)
    if ready is not None:
        return Healthy(evidence=ready.about.evidence("Ready: True", "status.conditions"))
    if pods:
        states = [_of_pod(cluster, node, each) for each in pods]
        return next((each for each in states if isinstance(each, Broken)), states[0])
    offered = _offered(cluster, node)
    return Healthy(evidence=offered) if offered is not None else _absent(cluster, node, agents)


def _absent(cluster: GpuCluster, node: GpuNode, agents: Sequence[LiveAgent]) -> State:
    """The state of a node without a pod of an agent, and without GPUs on offer."""
    workloads = [each for each in agents if each.workload is not None]
    if node.node is None or (not workloads and not cluster.dump.listed & {"DaemonSet", "Pod"}):
        return NotSeen(command=_DAEMON_SETS)
    if not workloads and "DaemonSet" not in cluster.dump.listed:
        if node.name not in cluster.dump.system_nodes:
            return NotSeen(command=_DAEMON_SETS)
        return Broken(faults=(_no_plugin_pod(node, node.node),))
    unknown = next((each for each in cluster.dump.of_kind("DaemonSet") if is_others_plugin(each.name, pod_of(each).spec)), None)
    if not workloads and unknown is not None:
        namespace = unknown.namespace or "default"
        return NotSeen(
            command=command(
                "kubectl logs --namespace {namespace} daemonset/{name}   # no known device plugin: this one registers devices too",
                namespace=namespace,
                name=unknown.name,
            )
        )
    if not workloads:
        return Broken(faults=planless_faults(cluster) or (_no_plugin(node),))
    faults = undeployed_faults(cluster, node)
    return Broken(faults=faults) if faults else absence(cluster, node, workloads) or NotSeen(command=_DAEMON_SETS)


def _offered(cluster: GpuCluster, node: GpuNode) -> Evidence | None:
    """The line by which the node offers GPUs, so that an agent must run there; None where no such line was read."""
    if node.offer is not None:
        return node.offer
    slices = cluster.slices.get(node.name)
    return slices[0].evidence(f"{len(slices[0].mappings('spec', 'devices'))} devices", "spec.devices") if slices else None


def _of_pod(cluster: GpuCluster, node: GpuNode, pod: LivePod) -> State:
    waits = _waiting_init(pod)
    if waits is None:
        return pod_state(cluster, pod)
    name, evidence = waits
    if name == "init-container":
        return Broken(faults=(_driver_root([each.workload for each in cluster.of_agent(AgentKind.DRA)], evidence),))
    return Broken(faults=waiting_faults(cluster, node, evidence))


def _waiting_init(pod: LivePod) -> tuple[str, Evidence] | None:
    """The init container that runs without an end: that of an agent waits for a driver. None where none runs."""
    for field, status in pod.statuses:
        running, name = state_of(status, "running"), str(status.get("name", ""))
        waits = field.startswith("status.initContainerStatuses") and status.get("ready") is not True and "config-manager" not in name
        if running is not None and waits:
            return name, pod.about.evidence(f"{name}: running since {running.get('startedAt', 'an unknown time')}", f"{field}.state")
    return None


def _driver_root(workloads: Sequence[LiveObject | None], evidence: Evidence) -> Fault:
    return Fault(
        name="dra-driver-root",
        cause="The init container of the DRA driver finds no driver in the folder that nvidiaDriverRoot names",
        evidence=(evidence,),
        consequence="The DRA driver does not start, and offers no devices of the node",
        fix=helm_value(
            _DRA_CHART, f"oci://registry.k8s.io/dra-driver-nvidia/charts/{_DRA_CHART}", "nvidiaDriverRoot=/usr/local", workloads
        ),
        verify=command(
            "kubectl logs --namespace dra-driver-nvidia-gpu --selector dra-driver-nvidia-gpu-component=kubelet-plugin -c init-container"
        ),
        source="kubernetes-sigs/dra-driver-nvidia-gpu#605",
        rules=("TG031",),
    )


def _left(node: GpuNode, live: LiveObject) -> Evidence:
    """The line that shows that the node offers no GPU. Capacity stays when the pod of a plugin has gone."""
    had = ", ".join(f"{name}: capacity {amount}, allocatable 0" for name, amount in node.capacity.items() if amount)
    return live.evidence(had or "no nvidia.com/gpu", "status" if had else "status.allocatable")


def _no_plugin_pod(node: GpuNode, live: LiveObject) -> Fault:
    return Fault(
        name="no-plugin-pod",
        cause="No pod of a device plugin or of the DRA driver is on the node",
        evidence=(_left(node, live),),
        consequence="Nothing tells the kubelet of the GPUs, so the node offers none, and pods that ask for one stay Pending",
        fix=command(
            "kubectl get daemonsets --all-namespaces -o wide   # a DaemonSet with DESIRED 0: its nodeSelector, affinity or tolerations keep it off the node"
        ),
        verify=command("kubectl get pods --all-namespaces -o wide --field-selector spec.nodeName=NODE"),
        source="NVIDIA/k8s-device-plugin#1213",
        rules=("TG007", "TG053"),
    )


def _no_plugin(node: GpuNode) -> Fault:
    shown = node.card_evidence or next((each.evidence for each in (node.extensions or {}).values()), None)
    missing = _left(node, node.node) if node.node else None
    gone = ", and the one that had registered the node's GPUs is gone" if any(node.capacity.values()) else ""
    return Fault(
        name="no-device-plugin",
        cause=f"The cluster has no known device plugin, DRA driver or GPU operator of NVIDIA's{gone}",
        evidence=tuple(each for each in (missing, shown) if each is not None),
        consequence="Nothing tells the kubelet of the GPUs, so the node offers none, and pods that ask for one stay Pending",
        fix=command(
            "helm repo add nvdp https://nvidia.github.io/k8s-device-plugin; helm upgrade --install nvidia-device-plugin nvdp/nvidia-device-plugin "
            "--namespace nvidia-device-plugin --create-namespace --set runtimeClassName=nvidia   # the namespace needs pod-security.kubernetes.io/enforce: privileged"
        ),
        verify=command("kubectl get daemonsets --all-namespaces"),
        source="https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu",
        rules=("TG123",),
    )
