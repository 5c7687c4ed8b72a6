"""Kueue's queues: the GPUs that each ClusterQueue hands out of each ResourceFlavor, and the queue of a workload.

Kueue admits a workload whose GPUs are within the quota, and counts nothing that stands outside of its queues: the quota
is to be what the nodes offer without that (kubernetes-sigs/kueue apis/kueue/v1beta2/clusterqueue_types.go,
pkg/cache/scheduler/resource_node.go at v0.19.2, 2026-11-28). With a topology in the flavor Kueue also counts the free
GPUs of each node, without those of pods outside of its queues (pkg/cache/scheduler/tas_flavor.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...upstream.nvidia.gpu_resources import is_gpu
from ...upstream.programs.cluster_programs import COHORT_FIELDS, DEFAULT_QUEUE, QUEUE_LABEL
from ..model import (
    Answer,
    Inputs,
    KubernetesObject,
    Path,
    Unknown,
    all_of,
    any_of,
    at,
    equals,
    is_among,
    is_open,
    is_unknown,
    known_items,
    known_str,
    mappings,
    question,
    text_of,
)
from ..nodes.node import described_node, label_text
from ..objects.object_names import named
from ..placement.selection import Requirement
from ..pods.pod_counts import whole_amount
from ..pods.pod_templates import Workload
from .gpu_usage import offers
from .quotas import in_namespace

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes

_GROUP = "kueue.x-k8s.io/"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FlavorQuota:
    """The GPUs of one flavor that a ClusterQueue hands out: `nominal` of its own, and from its cohort at most
    `borrowing`, of which it keeps all but `lending` for itself. None stands for no limit.

    `classes` are the described classes that the flavor selects; `is_sure` says that it surely selects them. `by_node` says
    that Kueue counts, or may count, the free GPUs of each node: the quota is then an upper limit.
    """

    queue: KubernetesObject
    path: Path
    flavor: str
    resource: str
    nominal: int
    borrowing: int | None
    lending: int | None
    cohort: str
    classes: tuple[GpuNodes, ...]
    is_sure: bool
    by_node: bool

    @property
    def kept(self) -> int:
        """The part of the quota that no other queue of the cohort borrows."""
        return 0 if self.lending is None else max(self.nominal - self.lending, 0)


@question
def flavor_quotas(inputs: Inputs) -> tuple[FlavorQuota, ...]:
    """The quotas of GPUs of all ClusterQueues, as far as their numbers can be read."""
    return tuple(each for queue in _queues(inputs) for each in _of_queue(queue, inputs))


def _queues(inputs: Inputs) -> list[KubernetesObject]:
    """The ClusterQueues of Kueue that admit workloads."""
    queues = [each for each in inputs.of_kind("ClusterQueue") if (known_str(each.api_version) or "").startswith(_GROUP)]
    return [each for each in queues if is_among(each.at("spec", "stopPolicy"), (None, "None")).is_yes]


def _of_queue(queue: KubernetesObject, inputs: Inputs) -> Iterator[FlavorQuota]:
    for group_index, group in mappings(queue.at("spec", "resourceGroups")):
        for flavor_index, flavor in mappings(at(group, "flavors")):
            for index, resource in mappings(at(flavor, "resources")):
                path: Path = ("spec", "resourceGroups", group_index, "flavors", flavor_index, "resources", index, "nominalQuota")
                flavor_name, name = known_str(at(flavor, "name")), known_str(at(resource, "name"))
                nominal = whole_amount(at(resource, "nominalQuota"))
                if flavor_name is not None and name is not None and is_gpu(name) and nominal is not None:
                    classes, is_sure = _classes(inputs, flavor_name, name)
                    yield FlavorQuota(
                        queue=queue, path=path, flavor=flavor_name, resource=name, nominal=nominal, cohort=cohort_of(queue),
                        borrowing=whole_amount(at(resource, "borrowingLimit")), lending=whole_amount(at(resource, "lendingLimit")),
                        classes=classes, is_sure=is_sure, by_node=_has_topology(inputs, flavor_name),
                    )  # fmt: skip


def cohort_of(queue: KubernetesObject) -> str:
    """The cohort of a ClusterQueue; empty without one."""
    return next((f"{name}" for field in COHORT_FIELDS if (name := text_of(queue.at("spec", field))) is not None), "")


def _classes(inputs: Inputs, name: str, resource: str) -> tuple[tuple[GpuNodes, ...], bool]:
    """The classes whose nodes a flavor selects, or may, and whether it surely selects all of them and nothing else."""
    flavors = named(inputs, "ResourceFlavor", name)
    if len(flavors) != 1:
        return (), False
    labels = flavors[0].at("spec", "nodeLabels")
    answers = [(each, _selects(labels, each, inputs.all_nodes)) for each in inputs.nodes if offers(each, resource)]
    selected = tuple(nodes for nodes, each in answers if not each.is_no)
    return selected, all(each is not Answer.UNKNOWN for _, each in answers) and not is_open(labels)


def _has_topology(inputs: Inputs, name: str) -> bool:
    return any(each.at("spec", "topologyName") is not None for each in named(inputs, "ResourceFlavor", name))


def _selects(labels: Any, nodes: GpuNodes, every: Sequence[GpuNodes]) -> Answer:
    node = described_node(nodes, every)
    unread = [Answer.UNKNOWN] if is_open(labels) else []
    return all_of([*(Requirement(key, "In", (label_text(value),)).holds(node) for key, value in known_items(labels)), *unread])


def capacity(quota: FlavorQuota, inputs: Inputs) -> int | None:
    """The most GPUs of the flavor that the queue ever hands out, with all that its cohort lends; None where the cohort
    has further quotas that are not counted here (`potentialAvailable` in Kueue)."""
    if not quota.cohort:
        return quota.nominal
    if inputs.of_kind("Cohort") or any(_is_unread(each) for each in _queues(inputs)):
        return None
    members = [
        each for each in flavor_quotas(inputs) if (each.cohort, each.flavor, each.resource) == (quota.cohort, quota.flavor, quota.resource)
    ]
    most = quota.kept + sum(each.nominal - each.kept for each in members)
    return most if quota.borrowing is None else min(most, quota.nominal + quota.borrowing)


def _is_unread(queue: KubernetesObject) -> bool:
    """Whether a number or the cohort of a ClusterQueue can't be read."""
    flavors = [flavor for _, group in mappings(queue.at("spec", "resourceGroups")) for _, flavor in mappings(at(group, "flavors"))]
    numbers = [at(resource, "nominalQuota") for flavor in flavors for _, resource in mappings(at(flavor, "resources"))]
    return any(map(is_unknown, (*numbers, *(queue.at("spec", field) for field in COHORT_FIELDS))))


def queue_name(workload: Workload) -> tuple[str | Unknown | None, Path]:
    """The LocalQueue that a workload names, with the path of the label. None without one, `Unknown` for a label that can't
    be read."""
    about, own = workload.about, (("metadata", "labels"), ("spec", "jobTemplate", "metadata", "labels"))
    of_pods: Path = (*workload.path[:-1], "metadata", "labels")
    paths: tuple[Path, ...] = own if isinstance(about, KubernetesObject) else ()
    for labels, path in (*((about.at(*each), each) for each in paths), (at(workload.metadata, "labels"), of_pods)):
        written = text_of(at(labels, QUEUE_LABEL))
        if written is not None and not equals(written, "").is_yes:
            return written, (*path, QUEUE_LABEL)
    return None, ()


def is_queued(workload: Workload, inputs: Inputs) -> Answer:
    """Whether a workload stands in a queue: it names one, or its namespace has a default queue."""
    written, _ = queue_name(workload)
    if written is not None:
        return Answer.UNKNOWN if is_unknown(written) else Answer.YES
    return any_of(in_namespace(each.namespace, workload.namespace) for each in named(inputs, "LocalQueue", DEFAULT_QUEUE))


def cluster_queue(workload: Workload, inputs: Inputs) -> tuple[KubernetesObject, KubernetesObject] | None:
    """The LocalQueue of a workload and its ClusterQueue, if both surely are the only ones of their names."""
    written, _ = queue_name(workload)
    name = DEFAULT_QUEUE if written is None else written
    local = (
        [each for each in named(inputs, "LocalQueue", name) if in_namespace(each.namespace, workload.namespace).is_yes]
        if isinstance(name, str)
        else []
    )
    target = known_str(local[0].at("spec", "clusterQueue")) if len(local) == 1 else None
    queues = [] if target is None else [each for each in named(inputs, "ClusterQueue", target) if each in _queues(inputs)]
    return (local[0], queues[0]) if len(queues) == 1 else None
