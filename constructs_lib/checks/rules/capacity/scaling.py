"""Autoscalers whose maximum exceeds the GPUs of the nodes, or the nodes that can mount a claim."""

from __future__ import annotations

from collections.abc import Iterator

from ....nodes.gpu_nodes import GpuNodes
from ....nodes.sharing import TimeSlicing
from ....observed.model import Inputs, KubernetesObject, all_of, at, equals, known_str, mappings
from ....observed.pods.autoscalers import HPA, SCALED_OBJECT, autoscaler_of, autoscalers
from ....observed.pods.workloads import Workload, gpu_workloads, whole_number
from ....observed.usage.gpu_usage import offered, total_of, usage
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._pods import in_deployment

_SEVERAL = 2
_BY_NODE, _BY_POD = "ReadWriteOnce", "ReadWriteOncePod"


_SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ollama, namespace: ollama}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ollama}
  minReplicas: 1
  maxReplicas: %d
"""
_RECREATED = in_deployment("  strategy: {type: Recreate}\n")

_WHOLE = (GpuNodes(talos_version="1.13", count=1, gpus_per_node=1),)
_SHARED = (GpuNodes(talos_version="1.13", count=1, gpus_per_node=1, sharing=TimeSlicing(replicas=5)),)


@Rule(
    id="TG098",
    claim="An autoscaler starts no more GPU pods than there are GPUs",
    symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for the pods that an autoscaler added",
    fix="Lower maxReplicas of the HorizontalPodAutoscaler (KEDA: maxReplicaCount of the ScaledObject)",
    source="https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_RECREATED + _SCALER % 3, nodes=_WHOLE),
    passing=Example(_RECREATED + _SCALER % 3, nodes=_SHARED),
)
def _scaled_beyond(inputs: Inputs) -> Iterator[Violation]:
    if not autoscalers(inputs):
        return
    rows = {id(scaler): row for row in reversed(usage(inputs)) if (scaler := _scaler_of(inputs, row.workload)) is not None}
    for scaler in inputs.of_kind(HPA, SCALED_OBJECT):
        name = _maximum(scaler)
        most, row = whole_number(scaler.at("spec", name)), rows.get(id(scaler))
        has = None if row is None else total_of([offered(nodes, row.resource) for nodes in row.nodes])
        if row is not None and most is not None and has is not None and row.gpus and most * row.gpus > has:
            fitting = has // row.gpus
            message = (
                f"{name}: {most} scales {row.workload.name} to {most} pods, which request {most * row.gpus} {row.requested}, but the nodes offer {has}. "
                "The other pods stay Pending"
            )
            fix = f"Set {name}: {fitting}" if fitting else f"Lower the pod's limit of {row.requested} to the number that one node offers"
            edits = set_to(fitting, safe=False) if fitting else ()
            yield Violation(Severity.WARNING, message, scaler, ("spec", name), fix=fix, edits=edits)


_CLAIM = """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models, namespace: ollama}
spec: {accessModes: [%s], resources: {requests: {storage: 100Gi}}}
"""
_MOUNTED = in_deployment(
    "  strategy: {type: Recreate}\n",
    "          resources: {limits: {nvidia.com/gpu: 1}}\n          volumeMounts: [{name: models, mountPath: /models}]\n"
    "      volumes: [{name: models, persistentVolumeClaim: {claimName: models}}]\n",
)


@Rule(
    id="TG131",
    claim="An autoscaler adds no pods to a Deployment whose claim only one node can mount",
    symptom="Multi-Attach error for volume: Volume is already used by pod(s), for the pods that an autoscaler added; ContainerCreating",
    fix="Set accessModes: [ReadWriteMany] in the claim, use a StatefulSet with volumeClaimTemplates, or let the "
    "autoscaler start one pod at most",
    source="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(_MOUNTED + _CLAIM % "ReadWriteOnce" + _SCALER % 3),
    passing=Example(_MOUNTED + _CLAIM % "ReadWriteMany" + _SCALER % 3),
)
def _claims_of_one_node(inputs: Inputs) -> Iterator[Violation]:
    if not autoscalers(inputs):
        return
    for workload in gpu_workloads(inputs):
        scaler = _scaler_of(inputs, workload) if workload.kind == "Deployment" else None
        most = None if scaler is None else whole_number(scaler.at("spec", _maximum(scaler)))
        if scaler is None or most is None or most < _SEVERAL:
            continue
        for claim, mode in _single_claims(inputs, workload):
            by_pod = mode == _BY_POD
            if by_pod or sum(nodes.count or _SEVERAL for nodes in inputs.nodes) != 1:
                what, effect = (
                    ("pod", "The other pods stay Pending")
                    if by_pod
                    else ("node", "A pod on another node stays ContainerCreating (Multi-Attach error)")
                )
                message = f"{_maximum(scaler)}: {most} scales {workload.name} to {most} pods, but only one {what} can mount the claim {claim} ({mode}). {effect}"
                yield Violation(Severity.WARNING, message, scaler, ("spec", _maximum(scaler)))


def _single_claims(inputs: Inputs, workload: Workload) -> Iterator[tuple[str, str]]:
    """The claims of a workload that only one node, or one pod, can mount, each with its access mode."""
    for _, volume in mappings(at(workload.spec, "volumes")):
        name = at(volume, "persistentVolumeClaim", "claimName")
        for claim in inputs.of_kind("PersistentVolumeClaim") if isinstance(name, str) else ():
            modes = claim.at("spec", "accessModes")
            mode = known_str(modes[0]) if isinstance(modes, list) and len(modes) == 1 else None
            if mode in (_BY_NODE, _BY_POD) and all_of([equals(claim.name, name), equals(claim.namespace, workload.namespace)]).is_yes:
                yield name, mode


def _maximum(scaler: KubernetesObject) -> str:
    """The field with the most pods of an autoscaler."""
    return "maxReplicas" if scaler.kind == HPA else "maxReplicaCount"


def _scaler_of(inputs: Inputs, workload: Workload) -> KubernetesObject | None:
    return autoscaler_of(inputs, workload.about) if isinstance(workload.about, KubernetesObject) else None
