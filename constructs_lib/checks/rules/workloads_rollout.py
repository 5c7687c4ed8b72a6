"""Rolling updates that deadlock: the new pod waits for the GPU of the old pod."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ..edit import Edit, set_to
from ..facts.gpu_usage import offered, offers, total_of
from ..facts.offers import may_offer_more
from ..facts.offers import offers as plugins_offers
from ..facts.pod_counts import whole_number
from ..facts.workloads import Workload, gpu_workloads
from ..finding import Severity
from ..model import Inputs, KubernetesObject, at, is_among, is_given, is_open, question
from ..rule import Example, Rule, Violation
from ._pods import in_deployment


def _waits_for_itself(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        names = [name for name, number in workload.gpus.items() if number != 0]
        if (
            workload.kind == "Deployment"
            and workload.complete
            and _starts_one_pod(workload)
            and names
            and _adds_a_pod_first(workload)
            and not _may_be_spare(inputs, names)
        ):
            default = "" if is_given(at(workload.controller, "strategy", "type")) else ", the default strategy"
            yield Violation(
                severity=Severity.WARNING,
                message=f"the Deployment has one pod and updates by RollingUpdate{default}. The new pod needs {names[0]} before the old pod frees its "
                f"GPU. Without a free GPU the new pod stays Pending (Insufficient {names[0]}), and the rollout never ends",
                about=workload.about,
                path=_path(workload),
                edits=_recreated(workload),
            )


def _starts_one_pod(workload: Workload) -> bool:
    """Whether a Deployment is written for one pod. Its autoscaler may keep fewer, or add more."""
    replicas = at(workload.controller, "replicas")
    if isinstance(workload.about, KubernetesObject):
        return replicas is None or whole_number(replicas) == 1
    return workload.pods.least == 1


def _path(workload: Workload) -> tuple[str | int, ...]:
    if workload.path[-2:] == ("template", "spec"):
        return (*workload.path[:-2], "strategy")
    return (*workload.path, "strategy")


def _recreated(workload: Workload) -> tuple[Edit, ...]:
    """The edit of the strategy: one word in the values of a chart. The API server refuses rollingUpdate beside Recreate."""
    if not isinstance(workload.about, KubernetesObject):
        return set_to("Recreate", _path(workload), safe=False)
    if is_given(at(workload.controller, "strategy", "rollingUpdate")):
        return ()
    return set_to("Recreate", (*_path(workload), "type"), safe=False)


def _adds_a_pod_first(workload: Workload) -> bool:
    """Whether a rolling update of one pod keeps the old pod until the new pod is ready (k8s.io/kubernetes deployment_util.ResolveFenceposts)."""
    strategy = at(workload.controller, "strategy")
    if not is_among(at(strategy, "type"), (None, "RollingUpdate")).is_yes:
        return False
    surge, unavailable = at(strategy, "rollingUpdate", "maxSurge"), at(strategy, "rollingUpdate", "maxUnavailable")
    if is_open(surge) or is_open(unavailable):
        return False
    return _of_one(surge, up=True, default=1) > 0 and _of_one(unavailable, up=False, default=0) == 0


def _of_one(value: Any, *, up: bool, default: int) -> int:
    """The pods of a number, or of a percentage of one pod; surge is rounded up, unavailable is rounded down."""
    if isinstance(value, str) and re.fullmatch(r"\d+%", value):
        percent = int(value[:-1])
        return -(-percent // 100) if up else percent // 100
    return value if isinstance(value, int) else default


def _may_be_spare(inputs: Inputs, names: list[str]) -> bool:
    """Whether a free GPU exists for one more pod, or may: on described nodes, or as a share of a plugin that shares."""
    if inputs.nodes:
        amounts = [total_of([offered(nodes, name) for nodes in inputs.nodes if offers(nodes, name)]) for name in names]
        if None not in amounts:
            return all(_held(inputs)[name] < (amount or 0) for name, amount in zip(names, amounts, strict=True))
    shares = [each.shared[name].replicas for each in plugins_offers(inputs) or () for name in names if name in each.shared]
    if may_offer_more(inputs) or None in shares:
        return True
    return bool(shares) and all(_held(inputs)[name] < max(each or 0 for each in shares) for name in names)


@question
def _held(inputs: Inputs) -> Mapping[str, int]:
    """The sum that all workloads hold of every resource."""
    held: Counter[str] = Counter()
    for workload in gpu_workloads(inputs):
        for name, number in workload.gpus.items():
            held[name] += (number or 0) * (workload.pods.least if workload.pods.is_exact else max(workload.pods.least, 1))
    return held


RULES = (
    Rule(
        id="TG048",
        claim="A Deployment frees a whole GPU before its next pod starts",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for a new pod while the old one runs; the rollout never ends",
        severity=Severity.WARNING,
        fix="Set strategy: {type: Recreate}, or strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
        source="https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy",
        check=_waits_for_itself,
        failing=Example(yaml=in_deployment("  replicas: 1\n")),
        passing=Example(
            yaml=in_deployment("  replicas: 1\n  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n")
        ),
    ),
)
