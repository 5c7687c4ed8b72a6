"""Gangs of Kubernetes' own scheduler: PodGroups, the workloads whose pods name each, and the pods that it waits for.

The scheduler places no pod that names a group before the PodGroup exists and has `minCount` pods; then it places so many at
once, or none (kubernetes/kubernetes pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go at v1.37.2, 2026-11-28).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...upstream.kubernetes.pod_groups import SCHEDULING_API
from ..model import Answer, Inputs, KubernetesObject, Path, all_of, at, equals, known_str, question, text_of
from ..pods.pod_counts import Count, sum_of, whole_number
from ..pods.pod_templates import Workload
from ..pods.workloads import workloads
from .gpu_usage import advertised, total_of, usage
from .quotas import in_namespace
from .usage_rows import Usage


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PodGroup:
    """A PodGroup with the workloads whose pods surely name it. `is_whole` says that no others may, and `least` is the number
    of pods of its gang, None without a gang."""

    about: KubernetesObject
    least: int | None
    members: tuple[Workload, ...]
    rows: tuple[Usage, ...]
    is_whole: bool

    @property
    def path(self) -> Path:
        """The path of the number of pods."""
        return LEAST

    @property
    def pods(self) -> Count:
        """The pods that name the group."""
        return sum_of(each.pods for each in self.members)

    @property
    def fitting(self) -> int | None:
        """The most pods that can run at once: those with GPUs as the nodes have room for the smallest, and the others; None
        where it is not known."""
        others = sum_of(each.pods for each in self.members if not any(row.workload is each for row in self.rows)).most
        if others is None or not self.rows or any(row.gpus is None or not row.nodes or row.gpus != row.devices for row in self.rows):
            return None
        if len({row.resource for row in self.rows}) > 1:
            return None
        smallest = min(row.gpus or 0 for row in self.rows)
        room = [
            None if (most := advertised(each, self.rows[0].resource)) is None or each.count is None else most // smallest * each.count
            for each in dict.fromkeys(nodes for row in self.rows for nodes in row.nodes)
        ]
        total = total_of(room)
        return None if total is None else total + others


LEAST: Path = ("spec", "schedulingPolicy", "gang", "minCount")


def group_name(workload: Workload) -> Any:
    """The PodGroup that the pods of a workload name; None without one."""
    return text_of(at(workload.spec, "schedulingGroup", "podGroupName"))


@question
def pod_groups(inputs: Inputs) -> tuple[PodGroup, ...]:
    """The PodGroups of Kubernetes whose pods use GPUs."""
    groups = [each for each in inputs.of_kind("PodGroup") if (known_str(each.api_version) or "").partition("/")[0] == _API_GROUP]
    naming = [each for each in workloads(inputs) if group_name(each) is not None] if groups else []
    return tuple(group for about in groups for group in [_group(about, naming, inputs)] if group.rows)


_API_GROUP = SCHEDULING_API.partition("/")[0]


def _group(about: KubernetesObject, naming: list[Workload], inputs: Inputs) -> PodGroup:
    answers = [(each, all_of([equals(group_name(each), about.name), in_namespace(each.namespace, about.namespace)])) for each in naming]
    members = tuple(each for each, found in answers if found.is_yes)
    rows = tuple(row for row in usage(inputs) if row.workload in members)
    is_whole = all(found is not Answer.UNKNOWN for _, found in answers)
    return PodGroup(about=about, least=whole_number(about.at(*LEAST)), members=members, rows=rows, is_whole=is_whole)
