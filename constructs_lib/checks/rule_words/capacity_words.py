"""The words of the rules about the GPUs that are there and the GPUs that are requested."""

from __future__ import annotations

from .words import RuleWords

CAPACITY_WORDS: tuple[RuleWords, ...] = (
    RuleWords(
        id="TG045",
        claim="A container requests whole GPUs, by a limit that is equal to the request",
        symptom='spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer; Limit must be set for non '
        "overcommitable resources; must be equal to nvidia.com/gpu limit",
        fix="Set limits nvidia.com/gpu to a whole number, and remove the request",
        source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    ),
    RuleWords(
        id="TG046",
        claim="A pod requests one share of a GPU where failRequestsGreaterThanOne is set",
        symptom="UnexpectedAdmissionError: Allocate failed due to rpc error: code = Unknown desc = invalid request: maximum request size for "
        "shared resources is 1; found 2",
        fix="Set limits nvidia.com/gpu: 1. Two shares give no more of a GPU than one; a pod that needs two GPUs needs nodes without sharing",
        source="NVIDIA/k8s-device-plugin api/config/v1/sharing.go",
    ),
    RuleWords(
        id="TG047",
        claim="A pod requests a resource that a device plugin advertises",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu",
        fix="Set limits to the resource that the plugin advertises",
        source="https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#shared-access-to-gpus",
    ),
    RuleWords(
        id="TG054",
        claim="A pod's claims exist: in its resourceClaims, and as a ResourceClaim or ResourceClaimTemplate in its namespace",
        symptom='Not found: "card": must be one of the names in pod.spec.resourceClaims; FailedResourceClaimCreation: PodResourceClaim gpu: '
        'resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found',
        fix="Add the claim to resourceClaims of the pod spec, and the ResourceClaim or ResourceClaimTemplate to the pod's namespace",
        source="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    ),
    RuleWords(
        id="TG055",
        claim="A container requests its GPU by a claim or by a limit, not by both",
        symptom="A pod holds two GPUs, or the same GPU twice, and computes on one; nil or empty request mappings, no update of pod",
        fix="Remove the limit if DRA serves the node, or remove the claim if a device plugin serves the node",
        source="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
    ),
    RuleWords(
        id="TG056",
        claim="The DeviceClass of a claim exists",
        symptom="0/3 nodes are available: request gpu: device class gpu.nvidia.com does not exist",
        fix="Install the DRA driver (chart dra-driver-nvidia-gpu), which creates gpu.nvidia.com and mig.nvidia.com, or add the DeviceClass",
        source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu",
    ),
    RuleWords(
        id="TG058",
        claim="The selectors of two DaemonSets in one namespace match different pods",
        symptom="kubectl logs of one DaemonSet shows the pods of another; the wrong DaemonSet adopts an orphaned pod",
        fix="Add a different label, such as app.kubernetes.io/component, to the selector and the pods of each DaemonSet",
        source="https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#pod-selector",
    ),
    RuleWords(
        id="TG093",
        claim="A GPU is claimed only where DRA works: from Talos 1.13 and Kubernetes 1.34 on",
        symptom='0/3 nodes are available: 3 cannot allocate all claims; no matches for kind "DeviceClass" in version "resource.k8s.io/v1"',
        fix="Upgrade to Kubernetes 1.34 or newer, where DRA is on, or set resources: {limits: {nvidia.com/gpu: 1}} and use the device plugin",
        source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu",
    ),
    RuleWords(
        id="TG094",
        claim="A claim has the format of its apiVersion, and the cluster serves that version",
        symptom='strict decoding error: unknown field "spec.spec.devices.requests[0].deviceClassName"; '
        ".spec.spec.devices.requests[0].deviceClassName: field not declared in schema",
        fix="Write the claim in the format of its apiVersion",
        source="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/resource-claim-template-v1/",
    ),
    RuleWords(
        id="TG095",
        claim="A pod requests no more GPUs than one node offers",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for a pod that fits on no node",
        fix="Lower limits nvidia.com/gpu, or split the work across several pods",
        source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    ),
    RuleWords(
        id="TG096",
        claim="The GPUs that workloads request together fit on their nodes",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for the last workload",
        fix="Scale a workload down (kubectl scale deployment NAME --replicas=0), share the GPUs by time-slicing, or add nodes",
        source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    ),
    RuleWords(
        id="TG097",
        claim="The GPU memory that pods declare fits on the GPUs that they share",
        symptom="CUDA out of memory; ggml_cuda_pool_vmm: out of memory, in a pod that works alone",
        fix="Lower the GPU memory that the pods use and declare (a smaller model or context, vLLM: --gpu-memory-utilization), run fewer pods at once, or "
        "place the pods on different GPUs",
        source="https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-time-slicing",
    ),
    RuleWords(
        id="TG098",
        claim="An autoscaler starts no more GPU pods than there are GPUs",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for the pods that an autoscaler added",
        fix="Lower maxReplicas of the HorizontalPodAutoscaler (KEDA: maxReplicaCount of the ScaledObject)",
        source="https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/",
    ),
    RuleWords(
        id="TG099",
        claim="The annotation talos-gpu/gpu-memory is a quantity of memory",
        symptom="talos-gpu check --capacity leaves a pod out of its sums",
        fix='Set the annotation to a quantity, such as talos-gpu/gpu-memory: "6Gi"',
        source="https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/",
    ),
    RuleWords(
        id="TG115",
        claim="A pod requests one share of a time-sliced GPU",
        symptom="CUDA error: invalid device ordinal, or nvidia-smi lists one GPU, in a pod with nvidia.com/gpu: 2",
        fix="Set limits nvidia.com/gpu: 1. A pod that needs several cards needs nodes without sharing; fewer replicas leave each pod more of a card",
        source="NVIDIA/gpu-operator#386; NVIDIA/k8s-device-plugin#491",
    ),
    RuleWords(
        id="TG131",
        claim="An autoscaler adds no pods to a Deployment whose claim only one node can mount",
        symptom="Multi-Attach error for volume: Volume is already used by pod(s), for the pods that an autoscaler added; ContainerCreating",
        fix="Set accessModes: [ReadWriteMany] in the claim, use a StatefulSet with volumeClaimTemplates, or let the autoscaler start one pod at most",
        source="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    ),
)
