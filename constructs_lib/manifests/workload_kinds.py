"""The kinds of objects of `GpuWorkload`, and the arguments of each kind."""

from __future__ import annotations

from ..upstream.choice import Choice


class WorkloadKind(Choice):
    """The kind of object that runs the pods."""

    DEPLOYMENT = "Deployment"
    STATEFUL_SET = "StatefulSet"
    JOB = "Job"
    CRON_JOB = "CronJob"


class UpdateStrategy(Choice):
    """How a changed Deployment replaces its pods."""

    RECREATE = "Recreate"
    """The old pods are deleted first: the only way when the old pods hold the GPUs or the volume claim that the new pods need."""
    ROLLING_UPDATE = "RollingUpdate"
    """One pod at a time is replaced, without a surge."""


SERVERS = {WorkloadKind.DEPLOYMENT, WorkloadKind.STATEFUL_SET}
# The kinds that an argument is for; every other argument is for all kinds.
ONLY_FOR = {
    "port": SERVERS,
    "replicas": SERVERS,
    "update_strategy": {WorkloadKind.DEPLOYMENT},
    "schedule": {WorkloadKind.CRON_JOB},
    "parallelism": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
    "completions": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
    "backoff_limit": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
    "ttl_seconds_after_finished": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
}
# Kubernetes appends a suffix to these names, such as a Job's time or a revision's hash, and uses the result as a label.
LONGEST_NAMES = {WorkloadKind.CRON_JOB: 52, WorkloadKind.STATEFUL_SET: 52}
