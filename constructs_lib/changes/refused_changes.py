"""The fields that the API server lets nobody change, and what is left to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..arguments.quantities import is_less
from ..observed.model import KubernetesObject, Path, is_unknown, known_str
from ..observed.pods.pod_counts import whole_number
from .field_changes import FieldChange


class _Change(NamedTuple):
    was: KubernetesObject
    now: KubernetesObject
    field: FieldChange

    @property
    def path(self) -> Path:
        return self.field.path


_OF_STATEFUL_SET = (
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
)  # fmt: skip
"""The fields of a StatefulSet that may change."""
_OF_JOB = ("selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
"""The fields of a Job that never change."""
_OF_POD = ("activeDeadlineSeconds", "tolerations", "schedulingGates", "terminationGracePeriodSeconds")
"""The fields of a Pod that may change in some way, beside the images of its containers."""
_OF_GATED = (("nodeSelector",), ("affinity", "nodeAffinity"))
"""The fields that may also be narrowed while a Pod has gates."""
_OF_CLAIM = ("volumeAttributesClassName",)
_FILLED_IN = ("storageClassName", "volumeName")
"""The fields of a claim that the cluster fills in: the files may write later what the claim has."""
_OF_SUSPENDED = (("metadata", "labels"), ("metadata", "annotations"), ("spec", "nodeSelector"), ("spec", "tolerations"),
                 ("spec", "affinity", "nodeAffinity"), ("spec", "schedulingGates"))  # fmt: skip
"""The fields of the template of a suspended Job that may change, beside the resources of its containers."""


def refused(was: KubernetesObject, now: KubernetesObject, fields: Sequence[FieldChange]) -> str | None:
    """The sentence about the first field whose change the API server refuses; None where it takes all changes."""
    refuses = _REFUSES.get((f"{now.api_version}".rpartition("/")[0], now.kind))
    first = next((each for each in fields if refuses is not None and refuses(_Change(was, now, each))), None)
    if first is None:
        return None
    # The data of a claim goes with it.
    way = (
        "a claim with another name can have it, and its data must be copied"
        if now.kind == "PersistentVolumeClaim"
        else f"delete the {now.kind} first, and apply it again"
    )
    return f"the API server refuses a change of {first.where}: {way}"


def _of_selector(change: _Change) -> bool:
    return change.path[:2] == ("spec", "selector")


def _of_spec(change: _Change) -> bool:
    return change.path[0] == "spec"


def _of_handler(change: _Change) -> bool:
    return change.path[0] == "handler"


def _of_stateful_set(change: _Change) -> bool:
    return change.path[0] == "spec" and change.path[1] not in _OF_STATEFUL_SET


def _of_claim(change: _Change) -> bool:
    if change.path == ("spec", "resources", "requests", "storage"):
        return is_less(change.field.new, change.field.old)
    if change.path[0] != "spec" or change.path[1] in _OF_CLAIM or change.path[1:3] == ("resources", "requests"):
        return False
    return not (change.field.old is None and change.path[1] in _FILLED_IN)


def _of_pod(change: _Change) -> bool:
    path = change.path[1:]
    if change.path[0] != "spec" or path[0] in _OF_POD or path[-1] == "image":
        return False
    return not (change.was.at("spec", "schedulingGates") is not None and any(path[: len(each)] == each for each in _OF_GATED))


def _of_job(change: _Change) -> bool:
    if change.path[:2] == ("spec", "completions"):
        return not _is_elastic(change.now)
    if change.path[:2] == ("spec", "template"):
        suspended = change.was.at("spec", "suspend")
        return not ((suspended is True or is_unknown(suspended)) and _is_of_suspended(change.path[2:]))
    return change.path[0] == "spec" and change.path[1] in _OF_JOB


def _is_elastic(job: KubernetesObject) -> bool:
    """Whether the completions of a Job may change: together with its parallelism. Unread numbers may be equal."""
    mode, completions, parallelism = (job.at("spec", each) for each in ("completionMode", "completions", "parallelism"))
    if not (is_unknown(mode) or known_str(mode) == "Indexed"):
        return False
    numbers = whole_number(completions), 1 if parallelism is None else whole_number(parallelism)
    return completions is not None and (None in numbers or numbers[0] == numbers[1])


def _is_of_suspended(path: Path) -> bool:
    of_resources = path[:1] == ("spec",) and path[1:2] in (("containers",), ("initContainers",)) and path[3:4] == ("resources",)
    return of_resources or any(path[: len(each)] == each for each in _OF_SUSPENDED)


_REFUSES: Mapping[tuple[str, str], Callable[[_Change], bool]] = {
    ("apps", "DaemonSet"): _of_selector,
    ("apps", "Deployment"): _of_selector,
    ("apps", "ReplicaSet"): _of_selector,
    ("apps", "StatefulSet"): _of_stateful_set,
    ("batch", "Job"): _of_job,
    ("node.k8s.io", "RuntimeClass"): _of_handler,
    ("resource.k8s.io", "ResourceClaim"): _of_spec,
    ("resource.k8s.io", "ResourceClaimTemplate"): _of_spec,
    ("", "PersistentVolumeClaim"): _of_claim,
    ("", "Pod"): _of_pod,
}
"""Whether the API server refuses the change of a field, by group and kind.

Source: kubernetes/kubernetes v1.36.3, in pkg/apis: apps/validation Validate{StatefulSet,DaemonSet,Deployment,ReplicaSet}Update,
batch/validation ValidateJobSpecUpdate, validateCompletions, validatePodTemplateUpdate, core/validation
ValidatePersistentVolumeClaimUpdate, ValidatePodUpdate, node/validation ValidateRuntimeClassUpdate, resource/validation ValidateResourceClaimUpdate and
ValidateResourceClaimTemplateUpdate (2026-11-28)
"""
