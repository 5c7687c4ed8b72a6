"""Quotas of namespaces: the ResourceQuotas that count GPUs, and the workloads that each counts.

The API server refuses a pod that would exceed a quota when the pod is created
(kubernetes/kubernetes pkg/quota/v1/evaluator/core/pods.go and resource_claims.go at v1.36.3, 2026-11-28).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...upstream.nvidia.gpu_resources import CLASS_QUOTA_SUFFIX, REQUESTS_PREFIX, is_gpu
from ..model import (
    Answer,
    Inputs,
    KubernetesObject,
    Path,
    all_of,
    answer,
    at,
    equals,
    is_among,
    is_unknown,
    known_items,
    known_list,
    known_str,
    mappings,
    question,
    text_of,
)
from ..pods.pod_counts import Count, whole_amount
from .gpu_usage import usage
from .usage_rows import Usage


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Quota:
    """One number of a ResourceQuota: the most GPUs of one name, with the requests that it counts.

    `counted` are the requests that surely count, `perhaps` those that may.
    """

    about: KubernetesObject
    path: Path
    requested: str
    most: int
    counted: tuple[Usage, ...]
    perhaps: tuple[Usage, ...]


@question
def quotas(inputs: Inputs) -> tuple[Quota, ...]:
    """Every number of GPUs in the ResourceQuotas."""
    return tuple(each for quota in inputs.of_kind("ResourceQuota") for each in _numbers(quota, inputs))


def _numbers(quota: KubernetesObject, inputs: Inputs) -> Iterator[Quota]:
    for key, amount in known_items(quota.at("spec", "hard")):
        by_claim = key.endswith(CLASS_QUOTA_SUFFIX)
        requested = key.removesuffix(CLASS_QUOTA_SUFFIX) if by_claim else key.removeprefix(REQUESTS_PREFIX)
        most = whole_amount(amount)
        if most is None or not (by_claim or (key.startswith(REQUESTS_PREFIX) and is_gpu(requested))):
            continue
        rows = [row for row in usage(inputs) if row.by_claim is by_claim and row.requested == requested]
        answers = [(row, _counts(quota, row, inputs)) for row in rows]
        yield Quota(
            about=quota,
            path=("spec", "hard", key),
            requested=requested,
            most=most,
            counted=tuple(row for row, each in answers if each.is_yes),
            perhaps=tuple(row for row, each in answers if each is Answer.UNKNOWN),
        )


def _counts(quota: KubernetesObject, row: Usage, inputs: Inputs) -> Answer:
    """Whether a quota counts a workload: it is in the namespace, and in the scopes."""
    inside = in_namespace(row.workload.namespace, quota.namespace)
    return inside if inside.is_no else all_of([inside, _in_scope(row, quota, inputs)])


def in_namespace(one: Any, other: Any) -> Answer:
    """Whether two objects are in one namespace. A namespace that nobody wrote is the one of all that is applied with it."""
    if one is None or other is None:
        return Answer.YES if one is other else Answer.UNKNOWN
    return equals(one, other)


def _in_scope(row: Usage, quota: KubernetesObject, inputs: Inputs) -> Answer:
    """Whether a quota with scopes counts a workload. A quota with scopes counts no claim."""
    scopes, selector = quota.at("spec", "scopes"), quota.at("spec", "scopeSelector", "matchExpressions")
    if is_unknown(scopes) or is_unknown(selector):
        return Answer.UNKNOWN
    wanted: list[Mapping[str, Any]] = [{"scopeName": each, "operator": "Exists"} for each in known_list(scopes)]
    wanted += [each for _, each in mappings(selector)]
    return Answer.NO if wanted and row.by_claim else all_of(_matches(each, row.workload.spec, inputs) for each in wanted)


def _matches(scope: Mapping[str, Any], spec: Mapping[str, Any], inputs: Inputs) -> Answer:
    name, operator = known_str(at(scope, "scopeName")), known_str(at(scope, "operator"))
    if name in ("Terminating", "NotTerminating"):
        deadline = at(spec, "activeDeadlineSeconds")
        ends = Answer.UNKNOWN if is_unknown(deadline) else answer(deadline is not None)
        return ends if name == "Terminating" else ends.negated
    if name != "PriorityClass":
        return Answer.UNKNOWN
    written = text_of(at(spec, "priorityClassName"))
    has = Answer.UNKNOWN if is_unknown(written) else answer(bool(written))
    among = is_among(written or "", known_list(at(scope, "values")))
    found = {"Exists": has, "DoesNotExist": has.negated, "In": among, "NotIn": among.negated}.get(operator or "", Answer.UNKNOWN)
    return found if is_unknown(written) or written else _without_name(found, inputs)


def _without_name(found: Answer, inputs: Inputs) -> Answer:
    """The answer for a pod without a name of a PriorityClass: the API server gives it the class with globalDefault, which
    another repository may have where no class was read."""
    classes = inputs.of_kind("PriorityClass")
    is_default = any(not is_among(each.at("globalDefault"), (None, False)).is_yes for each in classes)
    return Answer.UNKNOWN if is_default or (not classes and found.is_yes) else found


def charge(row: Usage) -> int | None:
    """What one pod counts towards a quota: of a claim its devices, whatever share of each it takes."""
    return row.gpus if row.gpus is None or not row.by_claim else min(row.gpus, row.devices)


def charged(row: Usage) -> Count:
    """What all pods of a workload count towards a quota."""
    each = charge(row)
    return Count(0, row.reason) if each is None else row.pods.times(Count(each))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ContainerRange:
    """What a LimitRange says of the GPUs of a container: one resource of one of its limits, by the LimitRange's keys."""

    about: KubernetesObject
    index: int
    name: str
    limit: Mapping[str, Any]

    def path(self, key: str) -> Path:
        """The path of one of the numbers."""
        return ("spec", "limits", self.index, key, self.name)

    def of(self, key: str) -> Any:
        """One of the numbers, as it is written."""
        return at(self.limit, key, self.name)

    @property
    def default(self) -> tuple[str, Any]:
        """The limit of a container that names none, and its key: the maximum where no default is written
        (SetDefaults_LimitRangeItem, kubernetes pkg/apis/core/v1/defaults.go at v1.37.2, 2026-11-28)."""
        key = "default" if self.of("default") is not None else "max"
        return key, self.of(key)


@question
def container_ranges(inputs: Inputs) -> tuple[ContainerRange, ...]:
    """The ranges of the GPUs of containers in all LimitRanges."""
    return tuple(
        ContainerRange(about=each, index=index, name=name, limit=limit)
        for each in inputs.of_kind("LimitRange")
        for index, limit in mappings(each.at("spec", "limits"))
        if equals(at(limit, "type"), "Container").is_yes
        for name in dict.fromkeys(name for key in _RANGE_KEYS for name, _ in known_items(at(limit, key)) if is_gpu(name))
    )


_RANGE_KEYS = ("max", "default", "defaultRequest", "min")
