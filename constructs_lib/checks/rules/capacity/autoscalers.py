"""Autoscalers of GPU pods: a maximum that is more than the nodes offer, and claims that only one pod or node can mount."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Inputs, KubernetesObject, all_of, at, equals, is_among, known_str, mappings
from ....observed.pods.pod_counts import HPA, SCALED_OBJECT, autoscaler_of, autoscalers, maximum_field
from ....observed.pods.workloads import Workload, gpu_workloads, whole_number
from ....observed.usage.gpu_usage import Usage, offered, total_of, usage
from ....observed.usage.preemption import preempts
from ...rule import Example, Rule, Severity, Violation, Witness, set_to
from .._shared import in_deployment
from .requests import SHARED, WHOLE, listed_requests, related

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


@Rule(
    id="TG098",
    claim="An autoscaler starts no more GPU pods than there are GPUs",
    symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for the pods that an autoscaler added",
    fix="Lower maxReplicas of the HorizontalPodAutoscaler (KEDA: maxReplicaCount of the ScaledObject)",
    source="https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_RECREATED + _SCALER % 3, nodes_file=WHOLE),
    passing=Example(_RECREATED + _SCALER % 3, nodes_file=SHARED),
)
def _scaled_beyond(inputs: Inputs) -> Iterator[Violation]:
    if not autoscalers(inputs):
        return
    rows = {id(scaler): row for row in reversed(usage(inputs)) if (scaler := _scaler_of(inputs, row.workload)) is not None}
    for scaler in inputs.of_kind(HPA, SCALED_OBJECT):
        most, row = whole_number(scaler.at("spec", maximum_field(scaler))), rows.get(id(scaler))
        if row is not None and most is not None and row.gpus and not _is_paused(scaler):
            yield from _beyond_what_others_leave(inputs, scaler, row, most * row.gpus)


def _beyond_what_others_leave(inputs: Inputs, scaler: KubernetesObject, row: Usage, wanted: int) -> Iterator[Violation]:
    """The violation of pods that others leave too few GPUs: those that are not preempted, that may not be, or all."""
    has = total_of([offered(nodes, row.resource) for nodes in row.nodes])
    answers = [(each, preempts(row, each, inputs)) for each in _others(inputs, row)]
    for others, severity, effect in (
        ([each for each, found in answers if found.is_no], Severity.WARNING, "The other pods stay Pending"),
        (
            [each for each, found in answers if not found.is_yes],
            Severity.INFO,
            "The other pods stay Pending, if they have no higher priority",
        ),
        ([each for each, _ in answers], Severity.INFO, "The pods preempt those of a lower priority, which then stay Pending"),
    ):
        held = sum(each.total.least for each in others)
        if has is None or row.gpus is None or wanted <= has - held:
            continue
        name, fitting, lowest = maximum_field(scaler), max(has - held, 0) // row.gpus, row.pods.least
        message = (
            f"{name}: {wanted // row.gpus} scales {row.workload.name} to {wanted // row.gpus} pods, which request {wanted} {row.requested}, but the nodes offer {has}"
            f"{f', of which other workloads hold {held} ({listed_requests(others)})' if held else ''}. {effect}"
        )
        smaller = None if held else f"Lower the pod's limit of {row.requested} to the number that one node offers"
        fix = f"Set {name}: {fitting}" if fitting else smaller
        if lowest > fitting > 0:
            fix = f"Lower the minimum of the {scaler.kind}, which is {lowest}, and set {name}: {fitting}, or add nodes"
        edits = set_to(fitting, safe=False) if fitting >= max(lowest, 1) else ()
        yield Violation(severity, message, scaler, ("spec", name), fix=fix, edits=edits, related=related([row, *others] if held else [row]))
        return


def _is_paused(scaler: KubernetesObject) -> bool:
    """Whether KEDA scales nothing, or may (https://keda.sh/docs/latest/concepts/scaling-deployments/#pausing-autoscaling)."""
    paused, number = (scaler.at("metadata", "annotations", f"autoscaling.keda.sh/paused{end}") for end in ("", "-replicas"))
    return scaler.kind == SCALED_OBJECT and (number is not None or not is_among(paused, (None, "false")).is_yes)


def _others(inputs: Inputs, row: Usage) -> list[Usage]:
    """The other requests of pods that stay and run on no other nodes than those of a request."""
    rows = [each for each in usage(inputs) if each.resource == row.resource and each.nodes and not each.passes and each.total.least]
    return [each for each in rows if each.workload.about is not row.workload.about and set(each.nodes) <= set(row.nodes)]


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
    shown_by=Witness.PROGRAM,
    failing=Example(_MOUNTED + _CLAIM % "ReadWriteOnce" + _SCALER % 3),
    passing=Example(_MOUNTED + _CLAIM % "ReadWriteMany" + _SCALER % 3),
)
def _claims_of_one_node(inputs: Inputs) -> Iterator[Violation]:
    if not autoscalers(inputs):
        return
    for workload in gpu_workloads(inputs):
        scaler = _scaler_of(inputs, workload) if workload.kind == "Deployment" else None
        most = None if scaler is None else whole_number(scaler.at("spec", maximum_field(scaler)))
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
                message = f"{maximum_field(scaler)}: {most} scales {workload.name} to {most} pods, but only one {what} can mount the claim {claim} ({mode}). {effect}"
                yield Violation(Severity.WARNING, message, scaler, ("spec", maximum_field(scaler)))


def _single_claims(inputs: Inputs, workload: Workload) -> Iterator[tuple[str, str]]:
    """The claims of a workload that only one node, or one pod, can mount, each with its access mode."""
    for _, volume in mappings(at(workload.spec, "volumes")):
        name = at(volume, "persistentVolumeClaim", "claimName")
        for claim in inputs.of_kind("PersistentVolumeClaim") if isinstance(name, str) else ():
            modes = claim.at("spec", "accessModes")
            mode = known_str(modes[0]) if isinstance(modes, list) and len(modes) == 1 else None
            if mode in (_BY_NODE, _BY_POD) and all_of([equals(claim.name, name), equals(claim.namespace, workload.namespace)]).is_yes:
                yield name, mode


def _scaler_of(inputs: Inputs, workload: Workload) -> KubernetesObject | None:
    return autoscaler_of(inputs, workload.about) if isinstance(workload.about, KubernetesObject) else None
