"""Pod templates of all inputs in one shape, and the pod templates that request GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Inputs, KubernetesObject, Path, at, below, is_open, known_str, mappings, question
from .pod_templates import Container, Workload, whole_number
from .workload_values import values_workloads

__all__ = ["Container", "Workload", "gpu_workloads", "whole_number", "workloads"]


@question
def workloads(inputs: Inputs) -> tuple[Workload, ...]:
    """Every pod template in the inputs, from objects and from chart values.

    The order is that of namespaces and names, so that a finding about several workloads does not depend on the order of files or constructs.
    """
    result = [each for item in inputs.objects for each in _of_object(item)]
    for release in inputs.releases:
        result += [
            Workload(about=release, namespace=release.namespace, containers=_containers(each["path"], each["spec"]), **each)
            for each in values_workloads(release)
        ]
    return tuple(sorted(result, key=lambda each: (f"{each.namespace}", each.about.label)))


@question
def gpu_workloads(inputs: Inputs) -> tuple[Workload, ...]:
    """The workloads that request GPUs by a limit."""
    return tuple(each for each in workloads(inputs) if each.asks_for_gpus)


def _of_object(item: KubernetesObject) -> Iterator[Workload]:
    if item.pod_path is not None:
        yield _workload(item, item.kind, item.pod_path, pods=_pods(item), controller=_controller(item))
    elif item.kind == "LeaderWorkerSet":
        yield from _leaders_and_workers(item)
    elif item.kind == "JobSet":
        yield from _replicated_jobs(item)
    elif "." in (group := (known_str(item.api_version) or "").partition("/")[0]) and not group.endswith(_WITHOUT_PODS):
        # A pod spec in a custom resource: its operator may add settings that are missing here.
        for path in _pod_specs(item.at("spec"), ("spec",)):
            yield _workload(item, "", path[:-1] if path[-1] == "spec" else path, nested=path, complete=False)


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


def _pod_specs(value: Any, path: Path) -> Iterator[Path]:
    """The paths of mappings with `containers` that have a name or an image."""
    if len(path) > _DEEPEST:
        return
    if isinstance(value, Mapping):
        listed = mappings(at(value, "containers"))
        if listed and all("image" in item or "name" in item for _, item in listed):
            yield path
            return
        for key, item in value.items():
            if isinstance(item, Mapping | list):
                yield from _pod_specs(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, Mapping):
                yield from _pod_specs(item, (*path, index))


def _workload(
    item: KubernetesObject,
    kind: str,
    template: Path,
    *,
    nested: Path | None = None,
    pods: int | None = None,
    controller: Mapping[str, Any] | None = None,
    complete: bool = True,
) -> Workload:
    path = nested if nested is not None else below(template, "spec")
    spec, metadata = item.at(*path), item.at(*template, "metadata")
    return Workload(
        about=item,
        kind=kind,
        path=path,
        spec=spec,
        containers=_containers(path, spec),
        namespace=item.namespace,
        metadata=metadata if isinstance(metadata, Mapping) else _NO_FIELDS,
        controller=controller or _NO_FIELDS,
        pods=pods,
        complete=complete and not any(is_open(each) for each in (spec, metadata, at(spec, "containers"), at(spec, "initContainers"))),
    )


def _containers(path: Path, spec: Mapping[str, Any]) -> tuple[Container, ...]:
    return tuple(
        Container(
            path=item["path"] if isinstance(item.get("path"), tuple) else below(path, key, index), body=item, init=key == "initContainers"
        )
        for key in ("initContainers", "containers")
        for index, item in mappings(at(spec, key))
    )


def _controller(item: KubernetesObject) -> Mapping[str, Any]:
    spec = item.at("spec")
    return spec if isinstance(spec, Mapping) and item.kind != "Pod" else _NO_FIELDS


def _pods(item: KubernetesObject) -> int | None:
    """The number of pods that a controller keeps, or runs at once at most."""
    if item.kind == "Pod":
        return 1
    if item.kind == "DaemonSet":
        return None
    job = item.at("spec", "jobTemplate", "spec") if item.kind == "CronJob" else item.at("spec")
    key = "parallelism" if item.kind in ("Job", "CronJob") else "replicas"
    pods = _or_one(at(job, key))
    if key == "parallelism" and pods is not None and at(job, "completions") is not None:
        completions = whole_number(at(job, "completions"))
        pods = None if completions is None else min(pods, completions)
    return pods


def _or_one(number: Any) -> int | None:
    return 1 if number is None else whole_number(number)


def _leaders_and_workers(item: KubernetesObject) -> Iterator[Workload]:
    groups, size = _or_one(item.at("spec", "replicas")), _or_one(item.at("spec", "leaderWorkerTemplate", "size"))
    leader, worker = ("spec", "leaderWorkerTemplate", "leaderTemplate"), ("spec", "leaderWorkerTemplate", "workerTemplate")
    has_leader = isinstance(item.at(*leader, "spec"), Mapping)
    if has_leader:
        yield _workload(item, item.kind, leader, pods=groups)
    if isinstance(item.at(*worker, "spec"), Mapping):
        each = None if size is None else size - has_leader
        yield _workload(item, item.kind, worker, pods=None if groups is None or each is None else groups * each)


def _replicated_jobs(item: KubernetesObject) -> Iterator[Workload]:
    for index, job in mappings(item.at("spec", "replicatedJobs")):
        template = ("spec", "replicatedJobs", index, "template", "spec", "template")
        if isinstance(item.at(*template, "spec"), Mapping):
            jobs, pods = _or_one(at(job, "replicas")), _or_one(at(job, "template", "spec", "parallelism"))
            yield _workload(item, item.kind, template, pods=None if jobs is None or pods is None else jobs * pods)
