"""How a queue of Kueue shares: what it borrows and lends in its cohort, whose GPUs it takes back, and its weight."""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named, to_optional_count, to_optional_dns_subdomain
from ...arguments.plain_values import choice, whole_number
from ...arguments.quantities import any_quantity
from ...upstream.choice import Choice
from ..objects import plain


class ReclaimWithinCohort(Choice):
    """Whose workloads a queue may preempt to get back the GPUs that it has lent."""

    NEVER = "Never"
    """Nobody's."""
    LOWER_PRIORITY = "LowerPriority"
    """Those of a lower priority."""
    ANY = "Any"
    """Everybody's."""


class WithinClusterQueue(Choice):
    """Which workloads of its own queue a workload may preempt."""

    NEVER = "Never"
    """None."""
    LOWER_PRIORITY = "LowerPriority"
    """Those of a lower priority."""
    LOWER_OR_NEWER_EQUAL_PRIORITY = "LowerOrNewerEqualPriority"
    """Those of a lower priority, and newer ones of the same."""


class BorrowWithinCohort(Choice):
    """Whose workloads a workload may preempt for GPUs that its queue borrows."""

    NEVER = "Never"
    """Nobody's."""
    LOWER_PRIORITY = "LowerPriority"
    """Those of a lower priority."""


"""The policies of a ClusterQueue.

Source: kubernetes-sigs/kueue apis/kueue/v1beta2/clusterqueue_types.go, ClusterQueuePreemption and BorrowWithinCohort,
at v0.19.2 (2026-11-28)
"""

_FAIR_SHARING_STRATEGIES = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
"""The order in which Kueue tries its strategies of fair sharing, in the examples of Kueue's Configuration.

Source: kubernetes-sigs/kueue apis/config/v1beta2/configuration_types.go, FairSharing, at v0.19.2 (2026-11-28)
"""

_OF_A_COHORT = (
    "borrowing_limit",
    "lending_limit",
    "reclaim_within_cohort",
    "borrow_within_cohort",
    "max_priority_threshold",
    "fair_sharing_weight",
)


def _to_reclaim(value: ReclaimWithinCohort | str | None, argument: str = "") -> ReclaimWithinCohort | None:
    return None if value is None else choice(argument, value, ReclaimWithinCohort)


def _to_within_queue(value: WithinClusterQueue | str | None, argument: str = "") -> WithinClusterQueue | None:
    return None if value is None else choice(argument, value, WithinClusterQueue)


def _to_borrow(value: BorrowWithinCohort | str | None, argument: str = "") -> BorrowWithinCohort | None:
    return None if value is None else choice(argument, value, BorrowWithinCohort)


def _to_weight(value: str | float | None, argument: str = "") -> str | None:
    if value is None:
        return None
    any_quantity(argument, value)
    return str(value)


def _to_threshold(value: int | None, argument: str = "") -> int | None:
    return None if value is None else whole_number(argument, value, -(2**31))


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class QueuePolicies:
    """The arguments of `KueueQueue` that say how the queue shares."""

    cohort: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain)
    borrowing_limit: int | None = attrs.field(default=None, converter=to_optional_count)
    lending_limit: int | None = attrs.field(default=None, converter=to_optional_count)
    reclaim_within_cohort: ReclaimWithinCohort | None = attrs.field(default=None, converter=_to_reclaim)
    borrow_within_cohort: BorrowWithinCohort | None = attrs.field(default=None, converter=_to_borrow)
    max_priority_threshold: int | None = attrs.field(default=None, converter=_to_threshold)
    within_cluster_queue: WithinClusterQueue | None = attrs.field(default=None, converter=_to_within_queue)
    fair_sharing_weight: str | None = attrs.field(default=None, converter=_to_weight)

    def _check_policies(self) -> None:
        """Refuse what Kueue refuses, and what would do nothing."""
        for name in _OF_A_COHORT:
            if self.cohort is None and (value := getattr(self, name)) is not None:
                raise wrong(name, "given only with 'cohort'", value, "a queue shares GPUs with those of its cohort")
        borrow = self.borrow_within_cohort
        if borrow is BorrowWithinCohort.LOWER_PRIORITY:
            if self.reclaim_within_cohort in (None, ReclaimWithinCohort.NEVER):
                hint = "Kueue refuses a queue that preempts only while it borrows"
                raise wrong("borrow_within_cohort", "left out without 'reclaim_within_cohort'", borrow, hint)
            if self.fair_sharing_weight is not None:
                raise wrong(
                    "borrow_within_cohort", "left out with 'fair_sharing_weight'", borrow, "Kueue has it for classic preemption alone"
                )
        elif self.max_priority_threshold is not None:
            hint = "it limits whom a workload preempts while its queue borrows"
            raise wrong("max_priority_threshold", "given only with borrow_within_cohort='LowerPriority'", self.max_priority_threshold, hint)

    @property
    def fair_sharing(self) -> dict[str, Any]:
        """`fairSharing` of Kueue's own Configuration, without which Kueue reads no weight; empty without a weight."""
        return {} if self.fair_sharing_weight is None else {"preemptionStrategies": list(_FAIR_SHARING_STRATEGIES)}


def limits(settings: QueuePolicies) -> dict[str, str]:
    """What the queue borrows and lends of each of its GPU resources, at most."""
    given = {"borrowingLimit": settings.borrowing_limit, "lendingLimit": settings.lending_limit}
    return {field: str(number) for field, number in given.items() if number is not None}


def policies(settings: QueuePolicies) -> dict[str, Any]:
    """The fields of the ClusterQueue."""
    borrow = _given(policy=settings.borrow_within_cohort, maxPriorityThreshold=settings.max_priority_threshold)
    preemption = _given(
        reclaimWithinCohort=settings.reclaim_within_cohort,
        borrowWithinCohort=borrow or None,
        withinClusterQueue=settings.within_cluster_queue,
    )
    return _given(preemption=preemption or None, fairSharing=_given(weight=settings.fair_sharing_weight) or None)


def _given(**fields: Any) -> dict[str, Any]:
    return {field: plain(value) for field, value in fields.items() if value is not None}
