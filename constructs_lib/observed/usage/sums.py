"""One sum for each class of nodes and resource: what the nodes offer, and what servers, queues and jobs take of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..model import Answer, Inputs, question
from ..pods.pod_counts import Count, sum_of
from ..pods.workloads import surge
from .gpu_usage import offered, usage
from .preemption import gives_way
from .queues import FlavorQuota, flavor_quotas, is_queued
from .usage_rows import Usage

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Sum:
    """The sum of one resource of a class: the number that its nodes offer, None if unknown; the pods outside of queues
    that stay (`servers`) and that end (`jobs`); those of which it is not known (`unread`); and the quotas of the queues.
    `preempted` is what the servers hold that others of the class surely preempt."""

    nodes: GpuNodes
    resource: str
    offered: int | None
    servers: tuple[Usage, ...]
    jobs: tuple[Usage, ...]
    unread: tuple[Usage, ...]
    quotas: tuple[FlavorQuota, ...]
    preempted: int

    @property
    def held(self) -> Count:
        """What the servers hold."""
        unread = [Count(0, "the queue of a workload can't be read", row.total.most) for row in self.unread]
        return sum_of([*(self._part(row) for row in self.servers), *unread])

    @property
    def handed_out(self) -> Count:
        """What the queues hand out of their own quotas."""
        sure = [each for each in self.quotas if each.classes == (self.nodes,) and not each.by_node]
        several = [
            Count(0, "the flavor has several classes of nodes, or a topology", each.nominal) for each in self.quotas if each not in sure
        ]
        return sum_of([*(Count(each.nominal) for each in sure), *several])

    @property
    def most(self) -> int | None:
        """What servers at the maximum of their autoscalers and in a rolling update, jobs and queues take together."""
        rows = [Count(0, row.reason or "?", most_of(row)) for row in (*self.servers, *self.jobs, *self.unread)]
        return sum_of([*rows, self.handed_out]).most

    @property
    def left(self) -> tuple[int, int] | None:
        """What servers and queues leave at least and at most; None where it is not known."""
        taken = self.held.plus(self.handed_out)
        return None if self.offered is None or taken.most is None else (self.offered - taken.most, self.offered - taken.least)

    def _part(self, row: Usage) -> Count:
        is_alone = row.nodes == (self.nodes,)
        return row.total if is_alone else Count(0, "the pods may run on other nodes", row.total.most)


def most_of(row: Usage) -> int | None:
    """The most GPUs that a workload takes at the maximum of its autoscaler, with the pods that a rolling update adds."""
    pods = row.pods.most
    return None if pods is None or row.gpus is None else (pods + surge(row.workload, pods)) * row.gpus


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Update:
    """A rolling update of one object: its first row and its pods; the pods that it adds before it removes one, and what they
    request."""

    row: Usage
    pods: int
    extra: int
    added: int

    @property
    def without_surge(self) -> str:
        """The setting with which the update adds no pod."""
        is_gang = self.row.workload.kind == "LeaderWorkerSet"
        return f"rolloutStrategy: {{rollingUpdateConfiguration: {{{_NO_SURGE}}}}}" if is_gang else "strategy: {type: Recreate}"


_NO_SURGE = "maxSurge: 0, maxUnavailable: 1"


def updates(rows: Sequence[Usage], amount: Callable[[Usage], int | None]) -> Iterator[Update]:
    """The rolling updates that add pods. A LeaderWorkerSet adds leaders and workers together."""
    objects: dict[int, list[Usage]] = {}
    for row in rows:
        objects.setdefault(id(row.workload.about if row.workload.kind == "LeaderWorkerSet" else row), []).append(row)
    for own in objects.values():
        extra = [(row, surge(row.workload, row.pods.least)) for row in own]
        if added := sum(number * (amount(row) or 0) for row, number in extra):
            pods = sum(row.pods.least for row in own)
            yield Update(row=own[0], pods=pods, extra=sum(number for _, number in extra), added=added)


@question
def sums(inputs: Inputs) -> tuple[Sum, ...]:
    """The sums of the resources that each described class has, or is asked for."""
    return tuple(each for nodes in inputs.nodes for each in _sums(nodes, inputs))


def _sums(nodes: GpuNodes, inputs: Inputs) -> Iterator[Sum]:
    rows = [row for row in usage(inputs) if nodes in row.nodes and row.resource]
    quotas = [each for each in flavor_quotas(inputs) if nodes in each.classes]
    for resource in dict.fromkeys([nodes.resource_name, *(row.resource for row in rows), *(each.resource for each in quotas)]):
        own = [(row, queued(inputs, row)) for row in rows if row.resource == resource]
        alone = [row for row, each in own if each.is_no]
        servers = tuple(row for row in alone if not row.passes)
        has_priorities = bool(inputs.of_kind("PriorityClass", "WorkloadPriorityClass"))  # there may be thousands of servers
        yielding = [row for row in servers if has_priorities and gives_way(row, (each for each, _ in own), inputs).is_yes]
        yield Sum(
            nodes=nodes,
            resource=resource,
            offered=offered(nodes, resource),
            servers=servers,
            jobs=tuple(row for row in alone if row.passes),
            unread=tuple(row for row, each in own if each is Answer.UNKNOWN),
            quotas=tuple(each for each in quotas if each.resource == resource),
            preempted=sum(row.total.least for row in yielding),
        )


def queued(inputs: Inputs, row: Usage) -> Answer:
    """Whether a queue counts a request. Without a queue of GPUs the pods take them all the same."""
    return is_queued(row.workload, inputs) if flavor_quotas(inputs) else Answer.NO
