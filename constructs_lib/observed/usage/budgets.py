"""Disruption budgets: the PodDisruptionBudgets of GPU servers, and whether one ever allows an eviction.

kubernetes/kubernetes pkg/controller/disruption/disruption.go (getExpectedPodCount), pkg/registry/core/pod/storage/eviction.go
at v1.36.3 (2026-11-28)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model import Answer, Inputs, KubernetesObject, Path, all_of, answer, at, known_str, question
from ..placement.selection import selects_labels
from ..pods.pod_counts import Count, sum_of, whole_number
from ..pods.pod_templates import Workload
from ..pods.workloads import workloads
from .quotas import in_namespace


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Budget:
    """A PodDisruptionBudget with the workloads whose pods it surely selects. `is_whole` says that it selects no others."""

    about: KubernetesObject
    workloads: tuple[Workload, ...]
    is_whole: bool

    @property
    def servers(self) -> tuple[Workload, ...]:
        """The GPU servers among the workloads."""
        return tuple(filter(_is_server, self.workloads))

    @property
    def pods(self) -> Count:
        """The pods that it selects."""
        return sum_of(each.pods for each in self.workloads)

    @property
    def path(self) -> Path:
        """The path of the number of the budget."""
        return ("spec", _MOST if self.about.at("spec", _MOST) is not None else _LEAST)

    @property
    def is_blocking(self) -> Answer:
        """Whether it never allows an eviction while all pods are ready; unknown where the number of pods may allow one."""
        written, pods = known_str(self.about.at(*self.path)), self.pods
        if self.path[-1] == _MOST:
            return answer(written in ("0", "0%"))
        blocked = self.blocked
        if blocked is None or written == "100%":
            return answer(written == "100%")
        if blocked < max(pods.least, 1):
            return Answer.NO
        return Answer.YES if self.is_whole and pods.most is not None and blocked >= pods.most else Answer.UNKNOWN

    @property
    def blocked(self) -> int | None:
        """The most pods of which minAvailable lets none be evicted. A percentage of the pods rounds up
        (GetScaledValueFromIntOrPercent)."""
        written = known_str(self.about.at(*self.path)) or ""
        percent = whole_number(written.removesuffix("%"))
        if percent is None or not written.endswith("%"):
            return percent
        return (_ALL - 1) // (_ALL - percent) if percent < _ALL else None


_MOST, _LEAST = "maxUnavailable", "minAvailable"
_ALL = 100


@question
def budgets(inputs: Inputs) -> tuple[Budget, ...]:
    """The budgets that select GPU servers, by name."""
    listed = sorted(inputs.of_kind("PodDisruptionBudget"), key=lambda each: each.label)
    servers = [each for each in workloads(inputs) if _is_server(each)] if listed else []
    return tuple(budget for about in listed if any(_selects(about, each).is_yes for each in servers) for budget in [_budget(about, inputs)])


def _budget(about: KubernetesObject, inputs: Inputs) -> Budget:
    answers = [(each, _selects(about, each)) for each in workloads(inputs)]
    selected = tuple(each for each, found in answers if found.is_yes)
    return Budget(about=about, workloads=selected, is_whole=all(found is not Answer.UNKNOWN for _, found in answers))


def _is_server(workload: Workload) -> bool:
    """Whether the pods use GPUs, stay, and are evicted when their node is drained."""
    if workload.passes or workload.kind == "DaemonSet":
        return False
    return workload.uses_gpus or at(workload.spec, "resourceClaims") is not None


def _selects(budget: KubernetesObject, workload: Workload) -> Answer:
    selected = selects_labels(budget.at("spec", "selector"), _labels(workload))
    return selected if selected.is_no else all_of([selected, in_namespace(budget.namespace, workload.namespace)])


def _labels(workload: Workload) -> Any:
    """The labels of the pods."""
    return at(workload.metadata, "labels")
