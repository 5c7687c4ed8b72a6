"""Disruption budgets of GPU servers: budgets that never allow an eviction, and pods with two budgets."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Answer, Inputs, Path, all_of, equals
from ....observed.pods.workloads import Workload
from ....observed.usage.budgets import Budget, budgets
from ....observed.usage.quotas import in_namespace
from ...report_words import count
from ...rule import Example, Part, Rule, Severity, Violation, Witness, set_to
from .._shared import in_deployment

_BUDGET = """\
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: %s, namespace: ollama}
spec: {%s, selector: {matchLabels: {app: ollama}}}
"""
_SERVER = in_deployment("  replicas: 1\n  strategy: {type: Recreate}\n")


@Rule(
    id="TG155",
    claim="The disruption budget of a GPU server lets its node be drained",
    symptom="Cannot evict pod as it would violate the pod's disruption budget; This pod has more than one PodDisruptionBudget, which the eviction "
    "subresource does not support; kubectl drain never ends, and an upgrade waits for its node",
    fix="Remove the PodDisruptionBudget, or set maxUnavailable: 1 in place of minAvailable",
    source="https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_SERVER + _BUDGET % ("ollama", "minAvailable: 1")),
    passing=Example(_SERVER + _BUDGET % ("ollama", "maxUnavailable: 1")),
    examples={
        "two pods, of which one may be away": Example(
            _SERVER.replace("replicas: 1", "replicas: 2") + _BUDGET % ("ollama", "minAvailable: 1")
        ),
        "a Job, which a budget lets run to its end": Example(
            _SERVER.replace("apps/v1\nkind: Deployment", "batch/v1\nkind: Job")
            .replace("  replicas: 1\n  strategy: {type: Recreate}\n", "")
            .replace("  selector: {matchLabels: {app: ollama}}\n  template", "  template", 1)
            .replace("      runtimeClassName", "      restartPolicy: Never\n      runtimeClassName")
            + _BUDGET % ("ollama", "minAvailable: 1")
        ),
    },
)
def _never_drained(inputs: Inputs) -> Iterator[Violation]:
    first: dict[int, Budget] = {}
    for budget in budgets(inputs):
        servers, blocking = budget.servers, budget.is_blocking
        if not blocking.is_no:
            fewest = count(budget.blocked or 0, "pod")
            message = (
                f"the budget allows no eviction of {servers[0].name}"
                f"{'' if blocking.is_yes else f' while it has no more than {fewest}'}. A drain of its node never ends, and an upgrade waits for it"
            )
            edits = set_to(1, safe=False) if budget.path[-1] == "maxUnavailable" else ()
            related = ((servers[0].about, _labels(servers[0])),)
            yield Violation(
                Severity.WARNING if blocking.is_yes else Severity.INFO, message, budget.about, budget.path, edits=edits, related=related
            )
        for server in servers:
            other = first.setdefault(id(server), budget)
            same = _same(other, budget)
            if not same.is_yes:
                message = (
                    f"the pods of {server.name} also have the {other.about.label}. The API server evicts no pod with two budgets, so a drain of its "
                    "node never ends"
                )
                halves: tuple[Part, ...] = ((other.about, ("spec", "selector")), (server.about, _labels(server)))
                severity = Severity.WARNING if same.is_no else Severity.INFO
                yield Violation(severity, message, budget.about, ("spec", "selector"), fix="Remove one of the two budgets", related=halves)


def _same(one: Budget, other: Budget) -> Answer:
    """Whether two documents are one budget of the cluster, which two files write."""
    if one is other:
        return Answer.YES
    return all_of([equals(one.about.name, other.about.name), in_namespace(one.about.namespace, other.about.namespace)])


def _labels(workload: Workload) -> Path:
    return (*workload.path[:-1], "metadata", "labels")
