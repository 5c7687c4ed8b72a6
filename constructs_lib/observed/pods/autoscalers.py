"""Autoscalers, and the numbers of pods between which they scale a workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model import Inputs, KubernetesObject, equals, is_unknown, known_str, question
from .pod_counts import NOT_SET, Count, between, count_of, whole_number

HPA, SCALED_OBJECT = "HorizontalPodAutoscaler", "ScaledObject"


@question
def autoscalers(inputs: Inputs) -> Mapping[tuple[str, str], Sequence[KubernetesObject]]:
    """The autoscalers, by the kind and the name of the workload that they surely scale."""
    result: dict[tuple[str, str], list[KubernetesObject]] = {}
    for each in inputs.of_kind(HPA, SCALED_OBJECT):
        # KEDA's default is a Deployment.
        kind, name = each.at("spec", "scaleTargetRef", "kind"), known_str(each.at("spec", "scaleTargetRef", "name"))
        if name is not None and not is_unknown(kind):
            result.setdefault((known_str(kind) or "Deployment", name), []).append(each)
    return result


def autoscaler_of(inputs: Inputs, workload: KubernetesObject) -> KubernetesObject | None:
    """The autoscaler of a workload; None without one."""
    every, name = autoscalers(inputs), workload.name
    if not every or not isinstance(name, str):
        return None
    scalers = every.get((workload.kind, name), ())
    return next((each for each in scalers if equals(each.namespace, workload.namespace).is_yes), None)


def replicas_of(inputs: Inputs, workload: KubernetesObject) -> Count:
    """The replicas of a workload. Its autoscaler decides about them; without an autoscaler they are as written."""
    written = workload.at("spec", "replicas")
    scaler = autoscaler_of(inputs, workload)
    if scaler is not None and whole_number(written) != 0:
        return _scaled(scaler)
    return Count(1, NOT_SET) if written is None else count_of(written, 1)


def _scaled(scaler: KubernetesObject) -> Count:
    """The replicas that an autoscaler keeps (autoscaling/v2; KEDA apis/keda/v1alpha1/scaledobject_types.go)."""
    if scaler.kind == HPA:
        reason = "its HorizontalPodAutoscaler scales it"
        return between(scaler.at("spec", "minReplicas"), scaler.at("spec", "maxReplicas"), reason, default=1)
    reason = "its ScaledObject scales it"
    idle = scaler.at("spec", "idleReplicaCount")
    if idle is not None:
        return Count(whole_number(idle) or 0, reason)
    return between(scaler.at("spec", "minReplicaCount"), scaler.at("spec", "maxReplicaCount"), reason, default=0)
