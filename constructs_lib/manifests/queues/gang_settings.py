"""The checked arguments of `GpuGang`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import attrs

from ...arguments.errors import warn, wrong
from ...arguments.fields import to_flag, to_optional_count, to_texts
from ...arguments.names import dns_label
from ...arguments.plain_values import choice, given, mapping, text, whole_number
from ...upstream.choice import Choice
from ...upstream.nvidia.gpu_resources import is_gpu
from ...upstream.nvidia.plugin_words import MigStrategy
from ...upstream.programs.cluster_programs import RENDEZVOUS_PORT, WORKER_INDEX_LABEL
from ..workload.kinds import CompletionMode, UpdateStrategy
from ..workload.settings import NAME_LABEL, gpu_first
from .gang_placement import PlacedGangSettings

# The Job of a JobSet in which all pods are equal.
NODE_JOB = "node"
# The most characters of the hash in the label `controller-revision-hash` of a StatefulSet's pod, with its '-'.
_REVISION = 11
# The random end of the name of a Job's pod, with its '-'.
_POD_END = 6
_RESTARTS = 3


class GangKind(Choice):
    """The kind of object that runs a gang."""

    LEADER_WORKER_SET = "LeaderWorkerSet"
    """A server: pods that run for ever, in groups of one leader and its workers."""
    JOB_SET = "JobSet"
    """A training: pods that end."""


_ONLY_FOR = {
    "port": GangKind.LEADER_WORKER_SET,
    "service_fields": GangKind.LEADER_WORKER_SET,
    "replicas": GangKind.LEADER_WORKER_SET,
    "leader_command": GangKind.LEADER_WORKER_SET,
    "leader_args": GangKind.LEADER_WORKER_SET,
    "max_restarts": GangKind.JOB_SET,
    "ttl_seconds_after_finished": GangKind.JOB_SET,
    "suspend": GangKind.JOB_SET,
}


def _to_kind(value: GangKind | str, argument: str = "") -> GangKind:
    return choice(argument, value, GangKind)


def _to_size(value: int, argument: str = "") -> int:
    return whole_number(argument, value, 2, hint="a gang of one pod is a GpuWorkload")


def _to_port(value: int, argument: str = "") -> int:
    return whole_number(argument, value, 1, 65535)


def _to_interface(value: str | None, argument: str = "") -> str | None:
    rule = "the name of a network interface in the pod, such as 'eth0', or prefixes in NCCL's form, such as '=net1,=net2' and '^lo'"
    if value is not None and not re.fullmatch(r"\^?=?[a-zA-Z0-9_.:-]{1,15}(,=?[a-zA-Z0-9_.:-]{1,15})*", text(argument, value, rule)):
        raise wrong(argument, rule, value)
    return value


def _to_rdma(value: Mapping[str, int] | None, argument: str = "") -> Mapping[str, int]:
    resources = mapping(argument, given(value), "a mapping of resource names to numbers, such as {'rdma/hca': 1}")
    for name, count in resources.items():
        if not re.fullmatch(r"[a-z0-9.-]+/[A-Za-z0-9_.-]+", name) or is_gpu(name):
            raise wrong(argument, "keyed by the extended resources of an RDMA device plugin, such as 'rdma/hca'", name)
        whole_number(f"{argument}[{name}]", count, 1)
    return MappingProxyType(resources)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=gpu_first)
class GangSettings(PlacedGangSettings):
    """The checked arguments of `GpuGang`, which documents each argument."""

    has_peers: ClassVar[bool] = True

    size: int = attrs.field(converter=_to_size)
    kind: GangKind = attrs.field(default=GangKind.LEADER_WORKER_SET, converter=_to_kind)  # type: ignore[assignment]
    leader_command: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    leader_args: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    rendezvous_port: int = attrs.field(default=RENDEZVOUS_PORT, converter=_to_port)
    network_interface: str | None = attrs.field(default=None, converter=_to_interface)
    rdma: Mapping[str, int] = attrs.field(default=None, converter=_to_rdma)
    compute_domain: bool = attrs.field(default=False, converter=to_flag)
    max_restarts: int | None = attrs.field(default=None, converter=to_optional_count)
    # The arguments of other kinds of objects.
    update_strategy: UpdateStrategy | None = attrs.field(default=None, init=False)
    schedule: str | None = attrs.field(default=None, init=False)
    time_zone: str | None = attrs.field(default=None, init=False)
    starting_deadline_seconds: int | None = attrs.field(default=None, init=False)
    parallelism: int | None = attrs.field(default=None, init=False)
    completions: int | None = attrs.field(default=None, init=False)
    completion_mode: CompletionMode | None = attrs.field(default=None, init=False)
    backoff_limit: int | None = attrs.field(default=None, init=False)
    active_deadline_seconds: int | None = attrs.field(default=None, init=False)
    hashed_name: bool = attrs.field(default=False, init=False)
    disruption_budget: bool = attrs.field(default=False, init=False)

    @property
    def is_server(self) -> bool:
        """Whether the pods run for ever and may serve ports."""
        return self.kind is GangKind.LEADER_WORKER_SET

    @property
    def service_selector(self) -> dict[str, str]:
        """The labels of the pods that the Service selects: the leaders."""
        return {NAME_LABEL: self.name, WORKER_INDEX_LABEL: "0"}

    @property
    def restarts(self) -> int:
        """How often a failed JobSet starts again."""
        return _RESTARTS if self.max_restarts is None else self.max_restarts

    def _check_kind(self, kind: object) -> None:
        fields = attrs.fields_dict(GangSettings)
        for name, only in _ONLY_FOR.items():
            if kind is not only and getattr(self, name) != fields[name].default and getattr(self, name) not in ((), {}):
                raise wrong(fields[name].alias or name, f"given only to a {only}", getattr(self, name), f"this is a {kind}")

    def _check_together(self) -> None:
        if self.is_server:
            longest = 63 - _REVISION - len(f"-{max(1, self.replicas or 1) - 1}")
        else:
            longest = 63 - len(f"-{NODE_JOB}-0-{self.size - 1}") - _POD_END
        dns_label("name", self.name, longest)
        for path, volume in self.volumes.items():
            if volume.single_node_mode:
                hint = f"the claim at {path} is {volume.single_node_mode}: use access_mode='ReadWriteMany', or a volume of each node"
                raise wrong("volumes", "without a claim that only one node can mount", path, hint)
        self._check_gpu_shares()
        self._check_pod_group()
        self._check_topology()
        if self.compute_domain:
            from ..dra.compute_domain import check_compute_domain  # deferred: few gangs have a ComputeDomain

            check_compute_domain(self, pods=self.size * (self.replicas or 1), queue=self.queue)
        super()._check_together()

    def _check_gpu_shares(self) -> None:
        nodes = self.nodes
        if nodes.dra and nodes.dra.is_one_claim:
            hint = "one claim is on one node, and a gang runs on several; with share='exclusive' each pod has its own claim"
            raise wrong("nodes", "a class whose pods have claims of their own", str(nodes.dra.share), hint, part="dra")
        if nodes.sharing or self.profile or nodes.mig_strategy is MigStrategy.SINGLE or (nodes.dra and nodes.dra.consumable_shares):
            warn(
                f"{self.name}: NCCL refuses two processes on one GPU, and does not run between partitions of a GPU; on nodes that share their GPUs "
                "two pods of a gang may get the same GPU. Use a class of whole GPUs"
            )

    def _check_replicas(self) -> None:
        most = self.most_pods
        pods = self.size * (self.replicas or 1)
        if most is None or pods <= most:
            return
        each = f"with gpus={self.gpus}, as each of {self.nodes.count} nodes offers {self.nodes.advertised(self.profile)}"
        if self.size > most:
            raise wrong(
                "size", f"at most {most} {each}", self.size, "a part of the gang would stay Pending, and the other part would wait for it"
            )
        raise wrong(
            "replicas", f"at most {most // self.size} groups of {self.size} pods {each}", self.replicas, "the other groups would wait"
        )
