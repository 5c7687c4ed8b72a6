"""Which pods there are, and which of them ask for GPUs: pod templates wherever they stand, each in one shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...nodes import GPU_RESOURCE
from ..read import Inputs, KubernetesObject, Path, Read, Unknown, at, mappings, question
from .workload_values import values_workloads

MEMORY_ANNOTATION = "talos-gpu/gpu-memory"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Container:
    """A container of a pod, and where it stands."""

    path: Path
    body: Mapping[str, Any]
    init: bool = False

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.body.get("name") or "")

    @property
    def image(self) -> str:
        """Its image, empty where it is not said."""
        return str(self.body.get("image") or "")

    @property
    def env(self) -> Mapping[str, tuple[int, Any]]:
        """Its variables: where each is in the list, and its value, None where it comes from elsewhere."""
        return {str(item.get("name")): (index, item.get("value")) for index, item in mappings(self.body.get("env"))}

    @property
    def gpus(self) -> Mapping[str, Any]:
        """What it asks of each resource of GPUs, by its limit or else by its request."""
        resources = self.body.get("resources")
        return {name: amount for section in ("requests", "limits") for name, amount in _amounts(at(resources, section))}

    @property
    def is_privileged(self) -> bool:
        """Whether it is privileged, and so sees every device of its node."""
        return at(self.body, "securityContext", "privileged") is True


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Workload:
    """A pod template, with what makes pods of it.

    `path` is where the pod spec stands. `kind` is what makes the pods, empty where that can't be told, `controller` its spec. `pods` is how
    many there are at once, None where that is not known. Where `complete` is False, what is missing may come from elsewhere.
    """

    about: Read
    kind: str
    path: Path
    spec: Mapping[str, Any]
    containers: tuple[Container, ...]
    namespace: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    controller: Mapping[str, Any] = field(default_factory=dict)
    pods: int | None = None
    complete: bool = True

    @property
    def gpus(self) -> dict[str, int | None]:
        """How many of each resource one pod asks for, None where that can't be read."""
        before, beside = (_together(each for each in self.containers if each.init is init) for init in (True, False))
        return {name: _larger(before.get(name, 0), beside.get(name, 0)) for name in (*before, *beside)}

    @property
    def asks_for_gpus(self) -> bool:
        """Whether the scheduler counts a GPU for its pods, by a limit. Whose device a claim is of, only its class tells."""
        return any(container.gpus for container in self.containers)

    @property
    def runtime_class(self) -> Any:
        """The RuntimeClass that it names."""
        return self.spec.get("runtimeClassName")

    @property
    def is_nvidia(self) -> bool:
        """Whether it has to do with NVIDIA's GPUs: it asks for one, names NVIDIA's runtime, or is an image of NVIDIA's."""
        runtime_class = str(self.runtime_class or "")
        return runtime_class.startswith("nvidia") or any(container.gpus or "nvidia" in container.image for container in self.containers)

    @property
    def name(self) -> str:
        """`Kind namespace/name` of what it belongs to."""
        return self.about.label


def _together(containers: Iterable[Container]) -> dict[str, int | None]:
    """Containers run at the same time; init containers one after another."""
    asked: dict[str, int | None] = {}
    for container in containers:
        for name, amount in container.gpus.items():
            number, others = whole_number(amount), asked.get(name, 0)
            known = None if number is None or others is None else number + others
            asked[name] = _larger(others, number) if container.init else known
    return asked


def _larger(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def is_gpu(resource: str) -> bool:
    """Whether an extended resource is a GPU of NVIDIA's, a share of one, or a partition."""
    return resource == GPU_RESOURCE or resource.startswith((f"{GPU_RESOURCE}.", "nvidia.com/mig-"))


def _amounts(section: Any) -> list[tuple[str, Any]]:
    return [(str(name), amount) for name, amount in section.items() if is_gpu(str(name))] if isinstance(section, Mapping) else []


def whole_number(amount: Any) -> int | None:
    """A count of whole things, None where it is none, or can't be read."""
    if isinstance(amount, Unknown | bool):
        return None
    if isinstance(amount, str):
        return int(amount) if amount.isascii() and amount.isdecimal() else None
    return amount if isinstance(amount, int) and amount >= 0 else None


@question
def workloads(inputs: Inputs) -> tuple[Workload, ...]:
    """Every pod template that was read, of objects and of the values of charts."""
    found = [each for item in inputs.objects for each in _of_object(item)]
    for release in inputs.releases:
        found += [
            Workload(about=release, namespace=release.namespace, containers=_containers(each["path"], each["spec"]), **each)
            for each in values_workloads(release)
        ]
    return tuple(found)


@question
def gpu_workloads(inputs: Inputs) -> tuple[Workload, ...]:
    """Those that ask for GPUs by a limit."""
    return tuple(each for each in workloads(inputs) if each.asks_for_gpus)


def _of_object(item: KubernetesObject) -> Iterator[Workload]:
    if item.pod_path is not None:
        yield _workload(item, item.kind, item.pod_path, pods=_pods(item), controller=_controller(item))
    elif item.kind == "LeaderWorkerSet":
        yield from _leaders_and_workers(item)
    elif item.kind == "JobSet":
        yield from _replicated_jobs(item)
    elif "." in item.api_version.partition("/")[0] and not item.api_version.partition("/")[0].endswith(_WITHOUT_PODS):
        # A pod spec inside an object of somebody's own kind: its operator may add to it what is missing here.
        for path in _pod_specs(item.at("spec"), ("spec",)):
            yield _workload(item, "", path[:-1] if path[-1] == "spec" else path, nested=path, complete=False)


# Groups whose objects hold no pods that run by themselves, or that are read as what they are.
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


def _pod_specs(value: Any, path: Path) -> Iterator[Path]:
    """Where a mapping has containers with a name or an image each."""
    if len(path) > _DEEPEST:
        return
    if isinstance(value, Mapping):
        listed = mappings(value.get("containers"))
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
    path = nested if nested is not None else (*template, "spec")
    spec, metadata = item.at(*path), item.at(*template, "metadata")
    return Workload(
        about=item,
        kind=kind,
        path=path,
        spec=spec,
        containers=_containers(path, spec),
        namespace=item.namespace,
        metadata=metadata if isinstance(metadata, Mapping) else {},
        controller=controller or {},
        pods=pods,
        complete=complete,
    )


def _containers(path: Path, spec: Mapping[str, Any]) -> tuple[Container, ...]:
    return tuple(
        Container(path=item.get("path") or (*path, key, index), body=item, init=key == "initContainers")
        for key in ("initContainers", "containers")
        for index, item in mappings(spec.get(key))
    )


def _controller(item: KubernetesObject) -> Mapping[str, Any]:
    found = item.at("spec")
    return found if isinstance(found, Mapping) and item.kind != "Pod" else {}


def _pods(item: KubernetesObject) -> int | None:
    """How many pods it keeps, or runs at once at most."""
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
            jobs, pods = _or_one(job.get("replicas")), _or_one(at(job, "template", "spec", "parallelism"))
            yield _workload(item, item.kind, template, pods=None if jobs is None or pods is None else jobs * pods)
