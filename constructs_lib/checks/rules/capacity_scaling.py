"""Autoscalers whose maximum exceeds the GPUs of the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.sharing import TimeSlicing
from ..edit import set_to
from ..facts.autoscalers import HPA, SCALED_OBJECT, autoscaler_of, autoscalers
from ..facts.gpu_usage import offered, total_of, usage
from ..facts.workloads import Workload, whole_number
from ..finding import Severity
from ..model import Inputs, KubernetesObject
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import in_deployment


def _scaled_beyond(inputs: Inputs) -> Iterator[Violation]:
    if not autoscalers(inputs):
        return
    rows = {id(scaler): row for row in reversed(usage(inputs)) if (scaler := _scaler_of(inputs, row.workload)) is not None}
    for scaler in inputs.of_kind(HPA, SCALED_OBJECT):
        name = "maxReplicas" if scaler.kind == HPA else "maxReplicaCount"
        most, row = whole_number(scaler.at("spec", name)), rows.get(id(scaler))
        has = None if row is None else total_of([offered(nodes, row.resource) for nodes in row.nodes])
        if row is not None and most is not None and has is not None and row.gpus and most * row.gpus > has:
            fitting = has // row.gpus
            yield Violation(
                severity=Severity.WARNING,
                message=f"{name}: {most} scales {row.workload.name} to {most} pods, which request {most * row.gpus} {row.requested}, but the nodes offer {has}. "
                "The other pods stay Pending",
                about=scaler,
                path=("spec", name),
                edits=set_to(fitting, safe=False) if fitting else (),
                fix=f"Set {name}: {fitting}" if fitting else f"Lower the pod's limit of {row.requested} to the number that one node offers",
            )


def _scaler_of(inputs: Inputs, workload: Workload) -> KubernetesObject | None:
    return autoscaler_of(inputs, workload.about) if isinstance(workload.about, KubernetesObject) else None


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

RULES = (
    Rule(
        **WORDS["TG098"],
        severity=Severity.WARNING,
        check=_scaled_beyond,
        failing=Example(yaml=_RECREATED + _SCALER % 3, nodes=_WHOLE),
        passing=Example(yaml=_RECREATED + _SCALER % 3, nodes=_SHARED),
    ),
)
