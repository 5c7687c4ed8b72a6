"""The kinds of objects of `GpuWorkload`, and the arguments of each kind."""

from __future__ import annotations

from ...upstream.choice import Choice


class WorkloadKind(Choice):
    """The kind of object that runs the pods."""

    DEPLOYMENT = "Deployment"
    STATEFUL_SET = "StatefulSet"
    JOB = "Job"
    CRON_JOB = "CronJob"


class UpdateStrategy(Choice):
    """How a changed Deployment replaces its pods."""

    RECREATE = "Recreate"
    """The old pods are deleted first: the only way when the old pods hold the GPUs or the volume claim that the new
    pods need."""
    ROLLING_UPDATE = "RollingUpdate"
    """One pod at a time is replaced, without a surge."""


class CompletionMode(Choice):
    """How a Job counts its completions."""

    NON_INDEXED = "NonIndexed"
    """Every completion is the same work."""
    INDEXED = "Indexed"
    """Each pod has its own number from 0 on, in the variable `JOB_COMPLETION_INDEX`."""


OTHER_KINDS = {
    "DaemonSet": "a DaemonSet would take a GPU of every node: set kind='Deployment' and 'replicas', or give a DaemonSet of cdk8s-plus to request_gpus",
    "Pod": "nothing starts a single Pod again: set kind='Job' for a program that ends, and kind='Deployment' for a server",
    "ReplicaSet": "set kind='Deployment', which makes its ReplicaSets itself",
}
"""The kinds of Kubernetes that users try, and what to write instead."""
SERVERS = {WorkloadKind.DEPLOYMENT, WorkloadKind.STATEFUL_SET}
JOBS = {WorkloadKind.JOB, WorkloadKind.CRON_JOB}
# The kinds that an argument is for; every other argument is for all kinds.
ONLY_FOR = {
    "port": SERVERS,
    "replicas": SERVERS,
    "disruption_budget": SERVERS,
    "update_strategy": {WorkloadKind.DEPLOYMENT},
    "schedule": {WorkloadKind.CRON_JOB},
    "time_zone": {WorkloadKind.CRON_JOB},
    "starting_deadline_seconds": {WorkloadKind.CRON_JOB},
    "parallelism": JOBS,
    "completions": JOBS,
    "completion_mode": JOBS,
    "backoff_limit": JOBS,
    "active_deadline_seconds": JOBS,
    "ttl_seconds_after_finished": JOBS,
    "suspend": JOBS,
    "hashed_name": {WorkloadKind.JOB},
}
# The digits of the hash in the name of a Job, which follow the workload's name and a '-'.
HASH_DIGITS = 8
# Kubernetes appends a suffix to these names, such as a Job's time or a revision's hash, and uses the result as a label.
_LONGEST_NAMES = {WorkloadKind.CRON_JOB: 52, WorkloadKind.STATEFUL_SET: 52}


def longest_name(kind: WorkloadKind, *, hashed: bool, indexes: int = 0) -> int:
    """The most characters in the name of a workload, so that the names that Kubernetes derives from the name are DNS
    labels.

    `indexes` is the number of completions of an Indexed Job, whose pods have the host names `<job>-<index>`.
    """
    longest = _LONGEST_NAMES.get(kind, 63) - (1 + HASH_DIGITS if hashed else 0)
    return longest - len(f"-{indexes - 1}") if indexes else longest
