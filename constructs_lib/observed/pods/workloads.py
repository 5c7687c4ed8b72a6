"""Pod templates of all inputs in one shape, and the pod templates that request GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from ...upstream.kubernetes.api import GROUP_TEMPLATES
from ...upstream.programs.cluster_programs import DEFAULT_QUEUE, QUEUE_LABEL
from ..model import ChartRelease, Inputs, KubernetesObject, Path, at, below, is_among, is_open, known_str, mappings, question
from ..objects.object_names import named
from .chart_workloads import values_workloads
from .custom_workloads import TEMPLATE, TEMPLATE_KINDS, PodGroup, pod_groups
from .library_workloads import WorkloadFields, names_gpus
from .pod_counts import UNREAD, Count, count_of, replicas_of, whole_number
from .pod_templates import Container, Workload, containers_of

__all__ = ["Container", "Workload", "gpu_workloads", "whole_number", "workloads"]

_PASSING = ("Job", "CronJob", "JobSet")
_ONE = Count(1)


@question
def workloads(inputs: Inputs) -> tuple[Workload, ...]:
    """Every pod template in the inputs, from objects and from chart values.

    The order is that of kinds, namespaces and names, so that a finding about several workloads does not depend on the
    order of files or constructs.
    """
    result = [each for item in inputs.objects for each in _of_object(item, inputs)]
    for release in inputs.releases:
        result += [_of_values(release, fields) for fields in values_workloads(release, inputs)]
    result.sort(key=attrgetter("name"))
    return tuple(result)


@question
def gpu_workloads(inputs: Inputs) -> tuple[Workload, ...]:
    """The workloads that request GPUs by a limit."""
    return tuple(each for each in workloads(inputs) if each.asks_for_gpus)


def _of_values(release: ChartRelease, fields: WorkloadFields) -> Workload:
    kind, pods = fields["kind"], fields.get("pods")
    if not isinstance(pods, Count):
        reason = UNREAD if kind else "the templates of its chart are not read"
        pods = Count(1) if kind == "DaemonSet" else count_of(pods, 1) if pods is not None else Count(0, reason)
    containers = containers_of(fields["spec"], fields["path"])
    given = {**fields, "pods": pods, "passes": kind in _PASSING, "containers": containers}
    return Workload(about=release, namespace=release.namespace, **given)


def _of_object(item: KubernetesObject, inputs: Inputs) -> Iterator[Workload]:
    if item.pod_path is not None:
        yield _workload(
            item, item.kind, below(item.pod_path, "spec"), pods=_pods(item, inputs), controller=_controller(item), complete=True
        )
    elif item.kind == "LeaderWorkerSet":
        yield from _leaders_and_workers(item, inputs)
    elif item.kind == "JobSet":
        yield from _replicated_jobs(item, inputs)
    elif "." in (group := (known_str(item.api_version) or "").partition("/")[0]):
        groups = pod_groups(item, inputs)
        if groups is None and not group.endswith(_WITHOUT_PODS):
            reason = TEMPLATE if item.kind in TEMPLATE_KINDS else f"the number of pods of a {item.kind} is not known"
            groups = [PodGroup(path=path, pods=Count(0, reason), spec=spec) for path, spec in _pod_specs(item.at("spec"), ("spec",))]
        for each in groups or ():
            # The operator of a custom resource may add settings that are missing here.
            yield _workload(item, "", each.path, pods=each.pods, passes=each.passes, spec=each.spec)


# API groups whose objects hold no pods of their own, or are read elsewhere.
_WITHOUT_PODS = (
    "toolkit.fluxcd.io",
    "argoproj.io",
    "apiextensions.k8s.io",
    "admissionregistration.k8s.io",
    "rbac.authorization.k8s.io",
    "networking.k8s.io",
    "monitoring.coreos.com",
    "resource.k8s.io",
    "kyverno.io",
    "storage.k8s.io",
)
_DEEPEST = 8
_NO_FIELDS: Mapping[str, Any] = {}


def _pod_specs(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any] | None]]:
    """The paths of mappings with `containers` that have a name or an image, and of other mappings whose `resources`
    request GPUs.

    For the latter the pod spec has only the request.
    """
    if len(path) > _DEEPEST:
        return
    if isinstance(value, Mapping):
        listed = mappings(at(value, "containers"))
        if listed and all("image" in item or "name" in item for _, item in listed):
            yield path, None
            return
        for key, item in value.items():
            if isinstance(item, Mapping) and isinstance(key, str) and key == "resources" and names_gpus(item):
                yield path, {"containers": [{"name": "", "path": path, "resources": item}]}
            elif isinstance(item, Mapping | list):
                yield from _pod_specs(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield from _pod_specs(item, (*path, index))


def _workload(
    item: KubernetesObject,
    kind: str,
    path: Path,
    *,
    pods: Count,
    passes: bool | None = None,
    spec: Mapping[str, Any] | None = None,
    controller: Mapping[str, Any] | None = None,
    complete: bool = False,
) -> Workload:
    spec = item.at(*path) if spec is None else spec
    metadata = item.at(*(path[:-1] if path[-1] == "spec" else path), "metadata")
    return Workload(
        about=item,
        kind=kind,
        path=path,
        spec=spec,
        containers=containers_of(spec, path),
        namespace=item.namespace,
        metadata=metadata if isinstance(metadata, Mapping) else _NO_FIELDS,
        controller=controller or _NO_FIELDS,
        pods=pods,
        passes=_ends(item, spec) if passes is None else passes,
        complete=complete and not any(is_open(each) for each in (spec, metadata, at(spec, "containers"), at(spec, "initContainers"))),
    )


def _ends(item: KubernetesObject, spec: Mapping[str, Any]) -> bool:
    """Whether pods end: pods of Jobs, and Pods that are not always started again."""
    return item.kind in _PASSING or (item.kind == "Pod" and not is_among(at(spec, "restartPolicy"), (None, "", "Always")).is_yes)


def _controller(item: KubernetesObject) -> Mapping[str, Any]:
    spec = item.at("spec")
    return spec if isinstance(spec, Mapping) and item.kind != "Pod" else _NO_FIELDS


def _pods(item: KubernetesObject, inputs: Inputs) -> Count:
    """The number of pods that a controller keeps, or runs at once at most."""
    if item.kind in ("Pod", "DaemonSet"):
        return _ONE
    if item.kind not in ("Job", "CronJob"):
        return replicas_of(inputs, item)
    return _unless_suspended(item, inputs, _of_job(item.at("spec", "jobTemplate", "spec") if item.kind == "CronJob" else item.at("spec")))


def _unless_suspended(item: KubernetesObject, inputs: Inputs, pods: Count) -> Count:
    """The pods of a Job, a CronJob or a JobSet: none while it is suspended. Kueue suspends each Job of its queues, and ends that
    when it admits the Job."""
    suspended = item.at("spec", "suspend")
    if is_among(suspended, (None, False)).is_yes or (item.kind != "CronJob" and _may_be_queued(item, inputs)):
        return pods
    return Count(0) if suspended is True else Count(0, "suspend can't be read", pods.most)


def _may_be_queued(job: KubernetesObject, inputs: Inputs) -> bool:
    return not is_among(job.at("metadata", "labels", QUEUE_LABEL), (None, "")).is_yes or bool(named(inputs, "LocalQueue", DEFAULT_QUEUE))


def _of_job(job: Any) -> Count:
    pods, completions = count_of(at(job, "parallelism"), 1), at(job, "completions")
    if completions is None:
        return pods
    most = count_of(completions, 1)
    return Count(min(pods.least, most.least), pods.reason or most.reason)


def _leaders_and_workers(item: KubernetesObject, inputs: Inputs) -> Iterator[Workload]:
    groups, size = replicas_of(inputs, item), count_of(item.at("spec", "leaderWorkerTemplate", "size"), 1)
    leader, worker = ((*path, "spec") for path in GROUP_TEMPLATES[item.kind])
    has_leader = isinstance(item.at(*leader), Mapping)
    if has_leader:
        yield _workload(item, item.kind, leader, pods=groups, complete=True)
    if isinstance(item.at(*worker), Mapping):
        workers = Count(max(size.least - has_leader, 0), size.reason)
        yield _workload(item, item.kind, worker, pods=groups.times(workers), complete=True)


def _replicated_jobs(item: KubernetesObject, inputs: Inputs) -> Iterator[Workload]:
    template = GROUP_TEMPLATES[item.kind][0]
    star = template.index("*")
    for index, job in mappings(item.at(*template[:star])):
        path: Path = (*template[:star], index, *template[star + 1 :], "spec")
        if isinstance(item.at(*path), Mapping):
            pods = count_of(at(job, "replicas"), 1).times(_of_job(at(job, "template", "spec")))
            yield _workload(item, item.kind, path, pods=_unless_suspended(item, inputs, pods), complete=True)


def pods_of_group(workload: Workload) -> int:
    """The pods with this template in each group of a LeaderWorkerSet: one leader, and the workers."""
    about, leader = workload.about, (*GROUP_TEMPLATES["LeaderWorkerSet"][0], "spec")
    size = count_of(about.at("spec", "leaderWorkerTemplate", "size"), 1).least
    return 1 if workload.path == leader else max(size - isinstance(about.at(*leader), Mapping), 0)


def surge(workload: Workload, pods: int) -> int:
    """The extra pods of a rolling update of `pods` pods. 0 if an old pod ends first, or may (kubernetes
    deployment_util.ResolveFenceposts). A LeaderWorkerSet adds whole groups, and no more than it has (kubernetes-sigs/lws
    pkg/controllers/leaderworkerset_controller.go, rollingUpdateParameters at v0.9.0, 2026-11-28)."""
    if workload.kind == "LeaderWorkerSet" and (each := pods_of_group(workload)):
        groups, rolling = pods // each, workload.about.at("spec", "rolloutStrategy", "rollingUpdateConfiguration")
        return max(min(_added(rolling, groups, unavailable=1, more=0), groups), _kept(rolling, groups)) * each
    strategy = at(workload.controller, "strategy")
    if workload.kind != "Deployment" or not is_among(at(strategy, "type"), (None, "RollingUpdate")).is_yes:
        return 0
    return _added(at(strategy, "rollingUpdate"), pods, unavailable="25%", more="25%")


def _kept(rolling: Any, groups: int) -> int:
    """The groups that a LeaderWorkerSet adds and keeps, because its partition never updates the first ones (kubernetes-sigs/lws
    calculateRollingUpdateReplicas at v0.9.0, 2026-11-28)."""
    old = min(whole_number(at(rolling, "partition")) or 0, groups)
    added = min(_part(at(rolling, "maxSurge"), groups, 0, up=True) or 0, groups)
    removed = _part(at(rolling, "maxUnavailable"), groups, 1, up=False)
    return 0 if removed is None else added if old > added else max(old - removed, 0)


def _added(rolling: Any, number: int, *, unavailable: Any, more: Any) -> int:
    """What a rolling update adds to a number before it removes one, by its defaults."""
    removed = _part(at(rolling, "maxUnavailable"), number, unavailable, up=False)
    return (_part(at(rolling, "maxSurge"), number, more, up=True) or 0) if number and removed == 0 else 0


def _part(value: Any, pods: int, default: Any, *, up: bool) -> int | None:
    """The pods of a number or a percentage, which is rounded up or down. None for an unreadable value."""
    value = default if value is None else value
    text = known_str(value)
    if text is not None and text.endswith("%"):
        percent = whole_number(text[:-1])
        return None if percent is None else -(-pods * percent // 100) if up else pods * percent // 100
    return whole_number(value)
