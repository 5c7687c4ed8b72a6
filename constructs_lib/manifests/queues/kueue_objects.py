"""Kueue's queue for classes of nodes: a ResourceFlavor each, with a Topology, a ClusterQueue, and LocalQueues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Any

import attrs

from ...arguments.errors import wrong, wrong_kind
from ...arguments.fields import named, to_optional_dns_label
from ...arguments.names import label_key, namespace_name
from ...arguments.plain_values import given, mapping, texts, whole_number
from ...arguments.quantities import any_quantity
from ...arguments.spelling import did_you_mean
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.kubernetes.network import NAMESPACE_LABEL
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE
from ...upstream.programs.cluster_programs import KUEUE_API, MOST_PER_FLAVOR, QUEUE_LABEL
from ..charts.settings import to_separate_classes
from ..dra.claim_objects import GPU_CLASS
from ..objects import MAIN, Manifests, manifest
from .gang_placement import PlacedGangSettings
from .gpu_quota_objects import offers_profile, offers_whole_gpus
from .kueue_policies import QueuePolicies, limits, policies
from .kueue_topology import check_topology_nodes, kueue_topology, to_levels

# The quota of what a GPU pod requests beside its GPUs: more than any cluster has, so that GPUs alone run out.
_PLENTY = {"cpu": "1M", "memory": "1Pi", "ephemeral-storage": "1Pi"}
_UNNAMED_FLAVOR = "gpu"


def _to_classes(value: GpuNodes | Iterable[GpuNodes], argument: str = "") -> tuple[GpuNodes, ...]:
    return tuple(to_container_nodes(nodes, argument) for nodes in to_separate_classes(value, argument))


def _to_namespaces(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    namespaces = [namespace_name(argument, name) for name in texts(argument, value)]
    if not namespaces:
        raise wrong(argument, "a list of namespaces", namespaces, "a workload needs a LocalQueue in its own namespace")
    return tuple(dict.fromkeys(namespaces))


def _to_gpus(value: int | Mapping[str, int] | None, argument: str = "") -> int | Mapping[str, int] | None:
    if value is None or not isinstance(value, Mapping):
        return None if value is None else whole_number(argument, value, 0)
    return MappingProxyType({name: whole_number(f"{argument}[{name}]", number, 0) for name, number in mapping(argument, value).items()})


def _to_resources(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str]:
    quotas = mapping(argument, given(value), "a mapping of resources to quantities, such as {'cpu': '64'}")
    for name, amount in quotas.items():
        label_key(argument, name)
        any_quantity(f"{argument}[{name}]", amount)
    return MappingProxyType({**_PLENTY, **{name: str(amount) for name, amount in quotas.items()}})


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class KueueQueueSettings(QueuePolicies):
    """The checked arguments of `KueueQueue`, which documents each argument."""

    nodes: tuple[GpuNodes, ...] = attrs.field(converter=_to_classes)
    namespaces: tuple[str, ...] = attrs.field(converter=_to_namespaces)
    gpus: int | Mapping[str, int] | None = attrs.field(default=None, converter=_to_gpus)
    resources: Mapping[str, str] = attrs.field(default=None, converter=_to_resources)
    topology: tuple[str, ...] = attrs.field(default=None, converter=to_levels)
    name: str = attrs.field(default=None, converter=to_optional_dns_label)

    def __attrs_post_init__(self) -> None:
        for ours, theirs in combinations(self.nodes, 2):
            if flavor_name(ours) == flavor_name(theirs):
                raise wrong("nodes", "classes with a 'name' each", [ours, theirs], "the name of the class is that of its ResourceFlavor")
        for nodes in self.nodes:
            _check_claims(nodes)
            for argument, items in (("labels", nodes.node_selector), ("taints", nodes.taints)):
                if len(items) > MOST_PER_FLAVOR:
                    raise wrong("nodes", f"classes with at most {MOST_PER_FLAVOR} '{argument}'", len(items), "a ResourceFlavor has no more")
        check_topology_nodes(self.nodes, self.topology)
        self._check_policies()
        self._check_gpus()
        for nodes in self.nodes:
            self._check_lending(nodes)

    def _check_lending(self, nodes: GpuNodes) -> None:
        limit = self.lending_limit
        for quota in self.quotas_of(nodes).values():
            if limit is not None and limit > quota:
                raise wrong(
                    "lending_limit",
                    f"at most {quota}, the quota of {flavor_name(nodes)}",
                    limit,
                    "Kueue refuses a queue that lends more than it has",
                )

    def _check_gpus(self) -> None:
        if isinstance(self.gpus, int) and len(self.nodes) > 1:
            hint = f"such as gpus={{'{flavor_name(self.nodes[0])}': {self.gpus}}}"
            raise wrong_kind("gpus", "a mapping of the classes' names to numbers where there are several classes", self.gpus, hint)
        names = [flavor_name(nodes) for nodes in self.nodes]
        for name in self.gpus if isinstance(self.gpus, Mapping) else ():
            if name not in names:
                raise wrong("gpus", "a mapping of the names of the given classes", name, did_you_mean(name, names))
        for nodes in self.nodes:
            number = self._given(nodes)
            if number is not None and not offers_whole_gpus(nodes):
                hint = "the quotas of partitions follow from 'mig_devices' and 'count'"
                raise wrong("gpus", "left out for a class whose every card is partitioned", number, hint)
            self.quotas_of(nodes)

    def _given(self, nodes: GpuNodes) -> int | None:
        return self.gpus.get(flavor_name(nodes)) if isinstance(self.gpus, Mapping) else self.gpus

    def quotas_of(self, nodes: GpuNodes) -> dict[str, int]:
        """The quota of each GPU resource of a class: the given number, or all that its nodes advertise."""
        number = self._given(nodes)
        quotas = {} if number is None else {resource_of(nodes): number}
        whole = [None] if offers_whole_gpus(nodes) and number is None else []
        for profile in (*whole, *(each for each in nodes.mig_profiles if offers_profile(nodes, each))):
            advertised = nodes.advertised(profile)
            if nodes.count is None or advertised is None:
                hint = f"{resource_of(nodes, profile)} has no number: give 'count' and 'gpus_per_node' to GpuNodes"
                raise wrong("nodes", "classes of a known size", nodes, hint if profile else f"{hint}, or 'gpus' to the queue")
            quotas[resource_of(nodes, profile)] = nodes.count * advertised
        return quotas

    @property
    def labels(self) -> dict[str, str]:
        """The label of a workload in this queue: `GpuWorkload(…, labels=queue.labels)`."""
        return {QUEUE_LABEL: self.name}

    @property
    def device_class_mappings(self) -> list[dict[str, Any]]:
        """`resources.deviceClassMappings` of Kueue's own Configuration, by which Kueue counts claims; empty where no
        class has claims."""
        return [{"name": GPU_RESOURCE, "deviceClassNames": [GPU_CLASS]}] if any(nodes.by_claim for nodes in self.nodes) else []


def _check_claims(nodes: GpuNodes) -> None:
    if nodes.dra is not None and (nodes.dra.is_one_claim or nodes.dra.selectors):
        argument = "selectors" if nodes.dra.selectors else "share"
        hint = (
            "Kueue admits no pod that names a ResourceClaim, and no claim with selectors; it counts the devices of ResourceClaimTemplates"
        )
        raise wrong("nodes", f"classes whose 'dra' has another '{argument}'", nodes.dra, hint)


def resource_of(nodes: GpuNodes, profile: str | None = None) -> str:
    """The resource as which Kueue counts the GPUs of a class."""
    return GPU_RESOURCE if nodes.by_claim else nodes.resource(profile)


def flavor_name(nodes: GpuNodes) -> str:
    """The name of the ResourceFlavor of a class, which all queues share."""
    return nodes.name or _UNNAMED_FLAVOR


def kueue_flavor(nodes: GpuNodes, topology: tuple[str, ...] = ()) -> Manifests:
    """The ResourceFlavor: the labels that select the nodes of the class, and their taints; before it its Topology."""
    name = flavor_name(nodes)
    taints = [
        {"key": each.key, **({} if each.value is None else {"value": each.value}), "effect": str(each.effect)} for each in nodes.taints
    ]
    spec: dict[str, Any] = {"nodeLabels": nodes.node_selector, "nodeTaints": taints, "topologyName": name if topology else None}
    flavor = manifest(KUEUE_API, "ResourceFlavor", name, spec={field: value for field, value in spec.items() if value})
    levels = {f"Topology-{name}": kueue_topology(name, topology)} if topology else {}
    return {**levels, f"ResourceFlavor-{name}": flavor}


def kueue_queue(settings: KueueQueueSettings) -> Manifests:
    """The ClusterQueue and the LocalQueues."""
    quotas = {flavor_name(nodes): settings.quotas_of(nodes) for nodes in settings.nodes}
    # A pod is admitted if one group covers all that it requests, so each flavor lists every resource, and has 0 of
    # those of other classes.
    gpus = dict.fromkeys((resource for each in quotas.values() for resource in each), 0)
    covered = {
        flavor: {**settings.resources, **{name: str(number) for name, number in {**gpus, **own}.items()}} for flavor, own in quotas.items()
    }
    group = {
        "coveredResources": [*settings.resources, *gpus],
        "flavors": [
            {
                "name": flavor,
                "resources": [
                    {"name": name, "nominalQuota": quota, **(limits(settings) if name in quotas[flavor] else {})}
                    for name, quota in amounts.items()
                ],
            }
            for flavor, amounts in covered.items()
        ],
    }
    spec: dict[str, Any] = {} if settings.cohort is None else {"cohortName": settings.cohort}
    selected = {"key": NAMESPACE_LABEL, "operator": "In", "values": list(settings.namespaces)}
    spec |= {"namespaceSelector": {"matchExpressions": [selected]}, "resourceGroups": [group], **policies(settings)}
    local = {
        f"LocalQueue-{namespace}": manifest(
            KUEUE_API, "LocalQueue", settings.name, namespace=namespace, spec={"clusterQueue": settings.name}
        )
        for namespace in settings.namespaces
    }  # fmt: skip
    return {MAIN: manifest(KUEUE_API, "ClusterQueue", settings.name, spec=spec), **local}


def check_shared_topology(settings: KueueQueueSettings, others: Iterable[KueueQueueSettings]) -> None:
    """Refuse a topology that is not that of the queues which share a flavor: a flavor has one."""
    for other in others:
        shared = {flavor_name(nodes) for nodes in settings.nodes} & {flavor_name(nodes) for nodes in other.nodes}
        if shared and other.topology != settings.topology:
            rule = f"{list(other.topology)}, as KueueQueue '{other.name}' has for the ResourceFlavor {min(shared)}"
            raise wrong("topology", rule, list(settings.topology), "queues share the flavor of a class, and a flavor has one Topology")


def topology_errors(gang: PlacedGangSettings, queues: Iterable[KueueQueueSettings]) -> Iterator[str]:
    """The queues of the gang's name whose topology lacks the level within which Kueue should place the gang."""
    if gang.queued_topology is None:
        return
    argument, label = gang.queued_topology
    for queue in queues:
        if queue.name == gang.queue and label not in queue.topology:
            hint = f"Kueue would never admit {gang.name}: give KueueQueue '{queue.name}' a 'topology' with {label}"
            rule = f"a level of the topology of its queue '{queue.name}', which has {', '.join(queue.topology) or 'none'}"
            yield str(wrong(argument, rule, label, hint))
