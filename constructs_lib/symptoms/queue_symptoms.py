"""Symptoms of pods that wait or are refused: Kueue's quotas, quotas of a namespace, the kubelet's admission."""

from __future__ import annotations

from ..arguments.commands import command
from .link import Link, Symptom

_WORKLOADS = command("kubectl describe workloads --all-namespaces")
_QUEUES = command("kubectl get clusterqueues,resourceflavors -o yaml")
_LOCAL = command("kubectl get localqueues --all-namespaces")
_NODE = command("kubectl describe node NODE")

# fmt: off
QUEUE_SYMPTOMS = (
    Symptom("kueue-quota", Link.SCHEDULED, "Kueue has no quota left for the workload", rank=1,
        # kubernetes-sigs/kueue@v0.19.2:pkg/scheduler/flavorassigner/flavorassigner.go
        phrases=("insufficient unused quota for … in flavor … more needed",),
        cause="Other workloads of the ClusterQueue or its cohort use the flavor's GPUs. The workload starts once enough are free: it is a "
        "queue, and no node is at fault",
        remedy="Wait, end another workload, raise nominalQuota where the nodes have more GPUs than the quota, or let queues of a cohort "
        "borrow. A quota of 0 for another covered resource (cpu, memory) stops a workload in the same words",
        commands=(_WORKLOADS, _QUEUES), source="kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go; kubernetes-sigs/kueue#9048", alerts=("GpuPodPending",)),
    Symptom("kueue-never-fits", Link.SCHEDULED, "The workload is larger than its ClusterQueue", rank=1,
        # kubernetes-sigs/kueue@v0.19.2:pkg/scheduler/flavorassigner/flavorassigner.go
        phrases=("insufficient quota for … in flavor … maximum capacity",),
        cause="The request is above nominalQuota plus the queue's borrowing limit, so the workload waits forever. No node is at fault",
        remedy="Raise nominalQuota of the flavor (to the GPUs of its nodes at most), allow borrowing, or ask for less",
        commands=(_WORKLOADS, _QUEUES), source="kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go"),
    Symptom("kueue-resource-unknown", Link.SCHEDULED, "The ClusterQueue covers no resource that the workload asks for", rank=1,
        # kubernetes-sigs/kueue@v0.19.2:pkg/scheduler/flavorassigner/{flavorassigner,flavor_assigner_attempts}.go
        phrases=("resource … unavailable in ClusterQueue", "flavor … does not provide resource"),
        cause="resourceGroups of the ClusterQueue do not name the resource: cpu and memory of the pods count, too, and so does "
        "nvidia.com/mig-… beside nvidia.com/gpu",
        remedy="Add the resource with a quota to coveredResources of the queue, or exclude it in Kueue's configuration "
        "(resources.excludeResourcePrefixes)",
        commands=(_QUEUES, _WORKLOADS), source="AI-Hypercomputer/xpk#603; kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go"),
    Symptom("kueue-flavor-refused", Link.SCHEDULED, "No flavor of the queue fits the pods of the workload", rank=1,
        # kubernetes-sigs/kueue@v0.19.2:pkg/scheduler/flavorassigner/flavorassigner.go
        phrases=("untolerated taint … in flavor", "flavor … doesn't match node affinity", "flavor … not found in ClusterQueue"),
        cause="Kueue compares the pods with nodeLabels and nodeTaints of the ResourceFlavor, not with the nodes. The pods don't tolerate "
        "a taint of the flavor, or select a label that it lacks",
        remedy="Add the taint to the tolerations of the ResourceFlavor (Kueue adds them to the pods) or the pods, and give the flavor its "
        "nodes' labels",
        commands=(_QUEUES, command("kubectl get nodes --show-labels")), source="kubernetes-sigs/kueue pkg/scheduler/flavorassigner/flavorassigner.go", rules=("TG053",)),
    Symptom("kueue-queue-missing", Link.SCHEDULED, "A workload names a missing or stopped queue", rank=1,
        # kubernetes-sigs/kueue@v0.19.2:pkg/controller/core/workload_controller.go, pkg/scheduler/scheduler.go
        phrases=(
            "LocalQueue … doesn't exist",
            "LocalQueue … is inactive",
            "LocalQueue … is stopped",
            "LocalQueue … is terminating or missing",
            "ClusterQueue … doesn't exist",
            "ClusterQueue … is inactive",
            "ClusterQueue … is stopped",
            "ClusterQueue … is terminating or missing",
            "Can't admit new workloads: references missing ResourceFlavor"),
        cause="The label kueue.x-k8s.io/queue-name names a LocalQueue outside of the workload's namespace, or the queue's ClusterQueue is "
        "missing, names a missing flavor, or has a stopPolicy",
        remedy="Create the LocalQueue in the namespace of the workload, with the name of a ClusterQueue whose flavors exist",
        commands=(_LOCAL, _QUEUES), source="kubernetes-sigs/kueue pkg/controller/core/workload_controller.go"),
    Symptom("gpu-quota-of-namespace", Link.ADMITTED, "The ResourceQuota of the namespace has no GPU left", rank=1,
        phrases=("exceeded quota … requested: requests.nvidia.com/", "exceeded quota … requests.nvidia.com/gpu … limited"),
        cause="A ResourceQuota limits requests.nvidia.com/gpu in the namespace, and the pods there have used it up. No node is at fault",
        remedy="Raise requests.nvidia.com/gpu in the ResourceQuota, or end another pod. A quota for extended resources knows requests "
        "only, no limits",
        commands=(command("kubectl get resourcequotas --all-namespaces -o yaml"),),
        source="https://kubernetes.io/docs/concepts/policy/resource-quotas/"),
    Symptom("topology-affinity", Link.STARTED, "The kubelet finds no GPUs and CPUs on one NUMA node", rank=1,
        # kubernetes/kubernetes@v1.36.3:pkg/kubelet/cm/topologymanager/topology_manager.go
        likely=("Resources cannot be allocated with Topology locality", "TopologyAffinityError"),
        cause="The topology manager of the kubelet (single-numa-node or restricted) refuses the pod, because its GPUs, CPUs and memory "
        "are not free together on one NUMA node. The scheduler does not know that, and the pod ends with this error",
        remedy="Set topologyManagerPolicy: best-effort in machine.kubelet.extraConfig, or ask for no more GPUs and CPUs than one NUMA "
        "node has. The kubelet restarts, and pods stay",
        commands=(command("kubectl exec POD -- nvidia-smi topo -m"), _NODE),
        source="kubernetes/kubernetes pkg/kubelet/cm/topologymanager/topology_manager.go"),
    Symptom("exclusive-cpus", Link.STARTED, "The kubelet can't give the pod processors or memory of its own", rank=1,
        # kubernetes/kubernetes@v1.36.3:pkg/kubelet/cm/cpumanager/{cpu_assignment,policy_static}.go, memorymanager/policy_static.go
        phrases=(
            "not enough cpus available to satisfy request",
            "SMT Alignment Error",
            "[memorymanager] failed to find NUMA nodes to extend the current topology hint",
            "[memorymanager] preferred hint violates NUMA node allocation",
            "[memorymanager] failed to find the extended preferred hint",
            "[memorymanager] failed to get the default NUMA affinity"),
        cause="The kubelet's CPU or memory manager (policy static) gives whole cores and NUMA memory to pods of the class Guaranteed, and "
        "the free part does not fit the request. The reasons are other pods, reserved cores, an odd number of threads, or pods on "
        "one and on several NUMA nodes at once. The GPU is free; the scheduler counts cores and memory of the node as a whole",
        remedy="Ask for processors that fit one NUMA node and are a multiple of the threads of a core, or set cpuManagerPolicy: none (memory: "
        "None) in machine.kubelet.extraConfig; that change needs a kubelet without its old state files, and a drained node",
        commands=(command("kubectl describe pod POD"), _NODE),
        source="kubernetes/kubernetes#120733; kubernetes/kubernetes pkg/kubelet/cm/cpumanager/policy_static.go"),
    Symptom("device-not-registered", Link.ALLOCATABLE, "The kubelet knows no device plugin for the resource of the pod", rank=2,
        # kubernetes/kubernetes@v1.36.3:pkg/kubelet/cm/devicemanager/manager.go
        phrases=("cannot allocate unregistered device nvidia.com/", "endpoint not found in cache for a registered resource: nvidia.com/"),
        likely=("previously allocated devices are no longer healthy; cannot allocate unhealthy devices",),
        cause="The kubelet restarted or lost the plugin while it admitted the pod, or the card of a pod that restarts has become "
        "unhealthy",
        remedy="See that the device plugin runs on the node, and delete the failed pod: its controller creates a new one. Where the card "
        "is unhealthy, look for an XID",
        commands=(_NODE, command("kubectl logs --namespace kube-system --selector app.kubernetes.io/name=nvidia-device-plugin"), command("talosctl --nodes ADDRESS dmesg | grep -i xid")),
        source="kubernetes/kubernetes pkg/kubelet/cm/devicemanager/manager.go; kubernetes/kubernetes#128043", alerts=("GpuDeviceUnhealthy",)),
    Symptom("plugin-answers-error", Link.ALLOCATABLE, "The device plugin answers the kubelet with an error when a pod asks for a card", rank=4,
        # kubernetes/kubernetes@v1.36.3:pkg/kubelet/cm/devicemanager/manager.go, endpoint.go. The kubelet waits for Allocate without an
        # end (up to v1.37.2), so DeadlineExceeded is the plugin's own answer (grpc/grpc-go@v1.82.1:server.go, FromContextError).
        likely=tuple(f"Allocate failed due to … error: code = {code}" for code in ("Unavailable", "Canceled", "DeadlineExceeded")),
        possible=("device plugin GetPreferredAllocation rpc failed",),
        cause="The kubelet asks the plugin which cards fit together, or for the files of a card. The reason stands after the last colon. NVML "
        "can't be opened any more: a card fell off the bus, or the driver was replaced under the plugin. Or the plugin was stopped or "
        "crashed during the call (Canceled, Unavailable, EOF), a call of its own took too long (DeadlineExceeded), or it has lost that card",
        remedy="Read the text after the last colon by talos-gpu why. Where it tells nothing: delete the pod of the plugin on that node, then "
        "the failed pod",
        commands=(command("kubectl logs --namespace kube-system --selector app.kubernetes.io/name=nvidia-device-plugin"), command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e xid"), _NODE),
        source="kubernetes/kubernetes pkg/kubelet/cm/devicemanager/manager.go; NVIDIA/k8s-device-plugin#1397"),
    Symptom("unknown-device-of-plugin", Link.STARTED, "The kubelet asks the device plugin for a card that the plugin has lost", rank=1,
        # NVIDIA/k8s-device-plugin@v0.20.0:internal/rm/rm.go, internal/plugin/server.go
        phrases=("invalid allocation request for … unknown device",),
        cause="Cards, partitions or shares have changed since the kubelet wrote its checkpoint, and it still has ids of before",
        remedy="Delete the pod of the device plugin, then the failed pod. If the error stays: talosctl --nodes ADDRESS service kubelet "
        "restart; pods go on",
        commands=(_NODE, command("kubectl logs POD")), source="NVIDIA/k8s-device-plugin internal/rm/rm.go"),
    Symptom("hami-scheduling", Link.SCHEDULED, "HAMi's scheduler finds no card with enough room for the pod", rank=1,
        # Project-HAMi/HAMi pkg/device/common, pkg/scheduler/scheduler.go
        phrases=("CardInsufficientMemory", "CardInsufficientCore", "CardTimeSlicingExhausted", "AllocatedCardsInsufficientRequest", "NodeInsufficientDevice", "no available node, all node scores do not meet"),
        cause="HAMi counts memory (nvidia.com/gpumem) and cores (nvidia.com/gpucores) of each card, and no card has as much left as the "
        "pod wants; the word names which of them. The card itself may be idle",
        remedy="Ask for less memory or fewer cores, end another pod, or raise deviceMemoryScaling of HAMi, which promises more memory "
        "than the card has",
        commands=(command("kubectl describe pod POD"), command("kubectl get nodes -o yaml | grep hami.io")),
        source="Project-HAMi/HAMi pkg/scheduler/scheduler.go", alerts=("GpuPodPending",)),
    Symptom("hami-unregistered", Link.PLUGIN, "HAMi's scheduler knows no cards of the node", rank=2,
        phrases=("nodes are available … node unregistered",),
        cause="HAMi's device plugin writes the node's cards into an annotation, and the annotation is missing. The plugin does not run "
        "there (label gpu=on), or finds no driver",
        remedy="Set the label gpu=on on the node, and read the log of hami-device-plugin there",
        commands=(command("kubectl logs --namespace kube-system --selector app.kubernetes.io/component=hami-device-plugin --all-containers"), command("kubectl get nodes --show-labels")),
        source="Project-HAMi/HAMi#815", rules=("TG119",)),
)
