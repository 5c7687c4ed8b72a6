"""Preemption: whether the pods of one workload take the GPUs of the pods of another one.

The scheduler preempts pods of a lower priority, unless the PriorityClass has the policy Never; pods without a class have the
one with globalDefault, else 0. It frees no device of a claim (kubernetes/kubernetes
pkg/scheduler/framework/plugins/{defaultpreemption/default_preemption.go,dynamicresources/dynamicresources.go},
plugin/pkg/admission/priority/admission.go at v1.37.2, 2026-11-28). Between two workloads of its queues Kueue decides, by
their WorkloadPriorityClasses first (kubernetes-sigs/kueue pkg/scheduler/preemption/common/preemption_policy.go,
pkg/util/priority/priority.go at v0.19.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...upstream.kubernetes.api import SYSTEM_PRIORITIES
from ...upstream.programs.cluster_programs import PRIORITY_LABEL
from ..model import Answer, Inputs, KubernetesObject, Unknown, all_of, answer, any_of, at, equals, is_among, is_unknown, text_of
from ..objects.object_names import named
from .queues import cluster_queue, cohort_of, is_queued
from .usage_rows import Usage


def gives_way(row: Usage, others: Iterable[Usage], inputs: Inputs) -> Answer:
    """Whether the pods of a row are preempted by those of another one."""
    return any_of(preempts(each, row, inputs) for each in others)


def makes_room(rows: Sequence[Usage], exceed: Callable[[Sequence[Usage]], bool], inputs: Inputs) -> Answer:
    """Whether the pods of rows that exceed what there is fit once some of them are preempted.

    NO where the pods that give way to no others exceed it alone, or those of one priority that never end: they don't
    preempt each other.
    """
    answers = [(row, gives_way(row, rows, inputs)) for row in rows]
    if exceed([row for row, found in answers if found.is_no]) or any(map(exceed, _equals([row for row in rows if not row.passes], inputs))):
        return Answer.NO
    return Answer.UNKNOWN if exceed([row for row, found in answers if not found.is_yes]) else Answer.YES


def _equals(rows: Sequence[Usage], inputs: Inputs) -> Iterable[list[Usage]]:
    """The rows by those with which they surely have no preemption, in either direction: no row of a group preempts another
    one of it."""
    groups: dict[frozenset[int], list[Usage]] = {}
    for row in rows:
        apart = frozenset(id(each) for each in rows if preempts(row, each, inputs).is_no and preempts(each, row, inputs).is_no)
        groups.setdefault(apart, []).append(row)
    return groups.values()


def preempts(row: Usage, other: Usage, inputs: Inputs) -> Answer:
    """Whether the pods of a row take the GPUs of the pods of another one."""
    if row.by_claim or other.by_claim or any(each.dra for each in row.nodes) or row.workload.about is other.workload.about:
        return Answer.NO
    if not is_queued(row.workload, inputs).is_no and not is_queued(other.workload, inputs).is_no:
        return _kueue_preempts(row, other, inputs)
    return outranks(row.workload.spec, other.workload.spec, inputs)


def outranks(spec: Mapping[str, Any], other: Mapping[str, Any], inputs: Inputs) -> Answer:
    """Whether pods preempt others by their PriorityClasses."""
    name, other_name = priority_class(spec), priority_class(other)
    if equals(name, other_name).is_yes:
        return Answer.NO
    policies = [at(spec, "preemptionPolicy"), *(each.at("preemptionPolicy") for each in _classes(name, inputs))]
    may_preempt = all_of(equals(each, _NEVER).negated for each in policies if each is not None)
    return all_of([may_preempt, _is_higher(_value(name, inputs), _value(other_name, inputs))])


_NEVER = "Never"


def priority_class(spec: Mapping[str, Any]) -> str | Unknown | None:
    """The PriorityClass of pods; None without one."""
    name = text_of(at(spec, "priorityClassName"))
    return None if equals(name, "").is_yes else name


def _classes(name: str | Unknown | None, inputs: Inputs) -> list[KubernetesObject]:
    """The read PriorityClasses of pods with this name of one, or without a name."""
    if name is None:
        return [each for each in inputs.of_kind("PriorityClass") if equals(each.at("globalDefault"), True).is_yes]
    return named(inputs, "PriorityClass", name) if isinstance(name, str) else []


def _value(name: str | Unknown | None, inputs: Inputs) -> int | None:
    """The priority of pods; None where it can't be read."""
    if isinstance(name, str) and name in SYSTEM_PRIORITIES:
        return SYSTEM_PRIORITIES[name]
    if name is None and any(is_unknown(each.at("globalDefault")) for each in inputs.of_kind("PriorityClass")):
        return None
    classes = _classes(name, inputs)
    if name is None:
        # The lowest of several defaults counts (kubernetes/kubernetes plugin/pkg/admission/priority/admission.go at v1.37.2, 2026-11-28).
        values = _values(classes)
        return None if values is None else min(values, default=0)
    return _one_value(classes)


def _values(classes: Sequence[KubernetesObject]) -> list[int] | None:
    known = [value for each in classes if isinstance(value := each.at("value"), int)]
    return known if len(known) == len(classes) else None


def _one_value(classes: Sequence[KubernetesObject]) -> int | None:
    values = _values(classes)
    return values[0] if values and len(set(values)) == 1 else None


def same_priority(spec: Mapping[str, Any], other: Mapping[str, Any], inputs: Inputs) -> Answer:
    """Whether two specs, of pods or of a PodGroup, have one priority."""
    name, other_name = priority_class(spec), priority_class(other)
    value, other_value = _value(name, inputs), _value(other_name, inputs)
    is_unread = value is None or other_value is None
    return any_of([equals(name, other_name), Answer.UNKNOWN if is_unread else answer(value == other_value)])


def _is_higher(value: int | None, other: int | None) -> Answer:
    return Answer.UNKNOWN if value is None or other is None else answer(value > other)


def _kueue_preempts(row: Usage, other: Usage, inputs: Inputs) -> Answer:
    """Whether Kueue evicts a workload for another one of its ClusterQueue, or may for one of another ClusterQueue."""
    one, second = cluster_queue(row.workload, inputs), cluster_queue(other.workload, inputs)
    if one is None or second is None:
        return Answer.UNKNOWN
    is_same = one[1] is second[1]
    policy = one[1].at("spec", "preemption", "withinClusterQueue" if is_same else "reclaimWithinCohort")
    if is_among(policy, (None, _NEVER)).is_yes or not (is_same or cohort_of(one[1]) == cohort_of(second[1])):
        return Answer.NO
    if not is_same or is_unknown(policy):
        return Answer.UNKNOWN  # a queue takes back from its cohort no more than its own quota
    return _is_higher(*(_workload_value(each, inputs) for each in (row, other)))


def _workload_value(row: Usage, inputs: Inputs) -> int | None:
    """The priority of a workload in a queue: of its WorkloadPriorityClass, or of its pods."""
    label = text_of(row.workload.about.at("metadata", "labels", PRIORITY_LABEL))
    if label is None or equals(label, "").is_yes:
        return _value(priority_class(row.workload.spec), inputs)
    return _one_value(named(inputs, "WorkloadPriorityClass", label)) if isinstance(label, str) else None
