"""Priorities: PriorityClasses that GPU pods name and nothing creates."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Inputs, at
from ....observed.objects.object_names import may_have
from ....observed.pods.workloads import workloads
from ....upstream.kubernetes.api import SYSTEM_PRIORITIES
from ...rule import Example, Rule, Severity, Violation, Witness
from .._shared import option_path, pod

_CLASS = """\
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: %s}
value: 1000
"""
_NAMED = pod(spec="  priorityClassName: gpu-servers\n")


@Rule(
    id="TG156",
    claim="A PriorityClass that GPU pods name exists",
    symptom="pod rejected: no PriorityClass with name gpu-servers was found; a Deployment without pods",
    fix="Create the PriorityClass, or remove priorityClassName from the pods",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#pod-priority",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    lists_users=True,
    failing=Example(_NAMED + _CLASS % "gpu-server"),
    passing=Example(_NAMED + _CLASS % "gpu-servers"),
    examples={"a class of every cluster": Example(pod(spec="  priorityClassName: system-node-critical\n") + _CLASS % "gpu-server")},
)
def _no_such_priority(inputs: Inputs) -> Iterator[Violation]:
    known = inputs.of_kind("PriorityClass")
    for workload in workloads(inputs):
        name = at(workload.spec, "priorityClassName")
        if not isinstance(name, str) or name in ("", *SYSTEM_PRIORITIES):
            continue
        uses = workload.uses_gpus or at(workload.spec, "resourceClaims") is not None
        if uses and not may_have(inputs, "PriorityClass", name, None):
            message = f"nothing {inputs.here} creates the PriorityClass {name}. Without the class the API server refuses the pods"
            related = tuple((each, ("metadata", "name")) for each in known)
            # Files with other classes are likely to have all; without one, another repository may have them.
            severity = Severity.WARNING if known else Severity.INFO
            yield Violation(severity, message, workload.about, option_path(workload, "priorityClassName"), related=related)
