"""Rollouts: a new pod that waits for the GPU that the old one holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ..facts.gpu_usage import offered, offers
from ..facts.offers import may_offer_more
from ..facts.offers import offers as plugins_offers
from ..facts.workloads import Workload, gpu_workloads
from ..finding import Severity
from ..model import Inputs, at, is_among, is_given, is_open, question
from ..rule import Example, Found, Rule
from ._pods import in_deployment


def _waits_for_itself(inputs: Inputs) -> Iterator[Found]:
    for workload in gpu_workloads(inputs):
        names = [name for name, number in workload.gpus.items() if number != 0]
        if (
            workload.kind == "Deployment"
            and workload.complete
            and workload.pods == 1
            and names
            and _adds_a_pod_first(workload)
            and not _may_be_spare(inputs, names)
        ):
            strategy = at(workload.controller, "strategy", "type")
            how = "has strategy RollingUpdate" if is_given(strategy) else "has no strategy, which is RollingUpdate"
            yield Found(
                severity=Severity.WARNING,
                message=f"it {how}, with one replica and a limit of {names[0]}: a changed pod waits for the GPU that the old one gives up only when "
                "the new one is ready",
                about=workload.about,
                path=_path(workload),
            )


def _path(workload: Workload) -> tuple[str | int, ...]:
    if workload.path[-2:] == ("template", "spec"):
        return (*workload.path[:-2], "strategy")
    return (*workload.path, "strategy")


def _adds_a_pod_first(workload: Workload) -> bool:
    """Whether a rollout of one pod keeps the old one until the new one is ready (k8s.io/kubernetes deployment_util.ResolveFenceposts)."""
    strategy = at(workload.controller, "strategy")
    if not is_among(at(strategy, "type"), (None, "RollingUpdate")).is_yes:
        return False
    surge, unavailable = at(strategy, "rollingUpdate", "maxSurge"), at(strategy, "rollingUpdate", "maxUnavailable")
    if is_open(surge) or is_open(unavailable):
        return False
    return _of_one(surge, up=True, default=1) > 0 and _of_one(unavailable, up=False, default=0) == 0


def _of_one(value: Any, *, up: bool, default: int) -> int:
    """How many pods a number, or a percentage of one pod, is; surge is rounded up, and what is unavailable down."""
    if isinstance(value, str) and re.fullmatch(r"\d+%", value):
        percent = int(value[:-1])
        return -(-percent // 100) if up else percent // 100
    return value if isinstance(value, int) else default


def _may_be_spare(inputs: Inputs, names: list[str]) -> bool:
    """Whether one more pod finds a GPU free, or may: on nodes that were described, or a share on one whose plugin shares."""
    if inputs.nodes:
        amounts = {name: [offered(nodes, name) for nodes in inputs.nodes if offers(nodes, name)] for name in names}
        return all(each and None not in each and _held(inputs)[name] < sum(each) for name, each in amounts.items())  # type: ignore[arg-type]
    shares = [each.shared[name].replicas for each in plugins_offers(inputs) or () for name in names if name in each.shared]
    if may_offer_more(inputs) or None in shares:
        return True
    return bool(shares) and all(_held(inputs)[name] < max(each or 0 for each in shares) for name in names)


@question
def _held(inputs: Inputs) -> Mapping[str, int]:
    """How many of each resource all workloads hold."""
    held: Counter[str] = Counter()
    for workload in gpu_workloads(inputs):
        for name, number in workload.gpus.items():
            held[name] += (number or 0) * (1 if workload.pods is None else workload.pods)
    return held


RULES = (
    Rule(
        id="TG048",
        claim="A Deployment that holds a whole GPU gives it up before its next pod starts",
        symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, of a new pod while the old one runs; the rollout never ends",
        severity=Severity.WARNING,
        fix="Set strategy: {type: Recreate}, or RollingUpdate with maxSurge: 0 and maxUnavailable: 1",
        source="https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy",
        judge=_waits_for_itself,
        failing=Example(yaml=in_deployment("  replicas: 1\n")),
        passing=Example(
            yaml=in_deployment("  replicas: 1\n  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n")
        ),
    ),
)
