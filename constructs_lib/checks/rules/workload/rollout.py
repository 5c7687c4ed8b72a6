"""Rolling updates that deadlock: the new pod waits for the GPU of the old pod."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from ....observed.model import Inputs, KubernetesObject, at, is_given, question
from ....observed.nodes.offers import may_offer_more
from ....observed.nodes.offers import offers as plugins_offers
from ....observed.pods.pod_counts import whole_number
from ....observed.pods.workloads import Workload, gpu_workloads, surge
from ....observed.usage.gpu_usage import offered, offers, total_of
from ...edit import Edit, set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._pods import in_deployment


def _waits_for_itself(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        pods = _pods(workload) if workload.kind == "Deployment" and workload.complete else 0
        # Of described nodes TG096 counts the GPUs that several pods need.
        is_counted = pods > 1 and bool(inputs.nodes)
        if is_counted or not surge(workload, pods):
            continue
        names = [name for name, number in workload.gpus.items() if number != 0]
        if names and not _may_be_spare(inputs, names):
            default = "" if is_given(at(workload.controller, "strategy", "type")) else ", the default strategy"
            number, before = ("one pod", "the old pod frees its GPU") if pods == 1 else (f"{pods} pods", "an old pod frees its GPU")
            yield Violation(
                severity=Severity.WARNING,
                message=f"the Deployment has {number} and updates by RollingUpdate{default}. The new pod needs {names[0]} before {before}. "
                f"Without a free GPU the new pod stays Pending (Insufficient {names[0]}), and the rollout never ends",
                about=workload.about,
                path=_path(workload),
                edits=_recreated(workload) if pods == 1 else (),
            )


def _pods(workload: Workload) -> int:
    """The pods that a Deployment is written for, 0 for an unknown number. An autoscaler may keep fewer than one pod, or add more."""
    replicas = at(workload.controller, "replicas")
    if isinstance(workload.about, KubernetesObject) and (replicas is None or whole_number(replicas) == 1):
        return 1
    return workload.pods.least if workload.pods.is_exact else 0


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
        fix="Set strategy: {type: Recreate}, or strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
        source="https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy",
        severity=Severity.WARNING,
        shown_by=Witness.CONTROL_PLANE,
        check=_waits_for_itself,
        failing=Example(yaml=in_deployment("  replicas: 1\n")),
        passing=Example(
            yaml=in_deployment("  replicas: 1\n  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n")
        ),
    ),
)
