"""The checked arguments of `GpuWorkload`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import attrs

from .._arguments.errors import wrong, wrong_kind
from .._arguments.fields import (
    named,
    to_annotations,
    to_dns_subdomains,
    to_image,
    to_labels,
    to_optional_bytes,
    to_optional_count,
    to_optional_dns_label,
    to_optional_dns_subdomain,
    to_optional_namespace,
    to_optional_positive,
    to_pod_security_context,
    to_pod_spec,
    to_security_context,
    to_texts,
)
from .._arguments.names import dns_label, env_name
from .._arguments.plain_values import choice, given, instance, mapping, text, whole_number
from .._arguments.quantities import amount_of, cpu_quantity
from .._arguments.talos_warnings import warn
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.choice import Choice
from .gpu_memory import check_gpu_memory
from .gpu_pod import check_gpus, check_profile, visible_devices_error

if TYPE_CHECKING:
    from .container_values import ConfigMapKey, Probe, SecretKey
    from .volumes import Volume

    Env = Mapping[str, str | SecretKey | ConfigMapKey]

SHARED_MEMORY = "/dev/shm"  # noqa: S108  # the folder in the container


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


_SERVERS = {WorkloadKind.DEPLOYMENT, WorkloadKind.STATEFUL_SET}
# The kinds that an argument is for; every other argument is for all kinds.
_ONLY_FOR = {
    "port": _SERVERS,
    "replicas": _SERVERS,
    "update_strategy": {WorkloadKind.DEPLOYMENT},
    "schedule": {WorkloadKind.CRON_JOB},
    "parallelism": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
    "completions": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
    "backoff_limit": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
    "ttl_seconds_after_finished": {WorkloadKind.JOB, WorkloadKind.CRON_JOB},
}
# Kubernetes appends a suffix to these names, such as a Job's time or a revision's hash, and uses the result as a label.
_LONGEST_NAMES = {WorkloadKind.CRON_JOB: 52, WorkloadKind.STATEFUL_SET: 52}
_SCHEDULE = r"@(yearly|annually|monthly|weekly|daily|midnight|hourly)|(\S+ +){4}\S+"
_PORT_NAME = r"(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*"
# The label of the selector. A selector is immutable in the cluster.
NAME_LABEL = "app.kubernetes.io/name"


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    return instance(argument, value, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.12')")


def _to_kind(value: WorkloadKind | str, argument: str = "") -> WorkloadKind:
    return choice(argument, value, WorkloadKind)


def _to_update_strategy(value: UpdateStrategy | str, argument: str = "") -> UpdateStrategy:
    return choice(argument, value, UpdateStrategy)


def _to_cpu(value: str | float | None, argument: str = "") -> str | None:
    return None if value is None else cpu_quantity(argument, value)


def _to_env(value: Env | None, argument: str = "") -> Env:
    variables = mapping(argument, given(value), "a mapping of names to values")
    for name, each in variables.items():
        env_name(argument, name)
        if name == "NVIDIA_VISIBLE_DEVICES":
            raise visible_devices_error(argument, "the container", each)
        if not isinstance(each, str) and not _is_reference(each):
            quoted = str(each).lower() if isinstance(each, bool) else each
            hint = f"did you mean '{quoted}'?" if isinstance(each, bool | int | float) else ""
            raise wrong_kind(f"{argument}[{name}]", "a string, a SecretKey or a ConfigMapKey", each, hint)
    return MappingProxyType(variables)


def _is_reference(value: object) -> bool:
    from .container_values import ConfigMapKey, SecretKey  # deferred: only references need it

    return isinstance(value, ConfigMapKey | SecretKey)


def _to_probe(value: Probe | None, argument: str = "") -> Probe | None:
    if value is None:
        return None
    from .container_values import Probe

    hint = f"did you mean HttpProbe({value!r})?" if isinstance(value, str) and value.startswith("/") else ""
    return instance(argument, value, Probe, "an HttpProbe, a TcpProbe or an ExecProbe", hint)


def _to_ports(value: int | Mapping[str, int] | None, argument: str = "") -> Mapping[str, int] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return MappingProxyType({"http": whole_number(argument, value, 1, 65535)})
    ports = mapping(argument, value, "a port, or a mapping of names to ports")
    for name, number in ports.items():
        if not re.fullmatch(_PORT_NAME, name):
            raise wrong(argument, "named by at most 15 lower-case letters, digits and '-'", name)
        whole_number(f"{argument}[{name}]", number, 1, 65535)
    if not ports or len(set(ports.values())) < len(ports):
        raise wrong(argument, "at least one port, each once", value)
    return MappingProxyType(ports)


def _to_volumes(value: Mapping[str, Volume] | None, argument: str = "") -> Mapping[str, Volume]:
    volumes = mapping(argument, given(value), "a mapping of mount paths to volumes")
    shared: dict[str, Volume] = {}
    for path, volume in volumes.items():
        if not path.startswith("/") or ":" in path or path != path.rstrip("/"):
            raise wrong(argument, "keyed by absolute mount paths, without ':' and without a trailing '/'", path)
        _check_volume(f"{argument}[{path}]", volume)
        if volume.shared_name:
            first = shared.setdefault(volume.shared_name, volume)
            if first.claim != volume.claim:
                rule = f"of the same size, class and access mode as every other '{volume.shared_name}'"
                raise wrong(f"{argument}[{path}]", rule, volume)
    return MappingProxyType(volumes)


def _check_volume(argument: str, value: object) -> None:
    from .volumes import Volume

    kinds = "Persistent, ExistingClaim, HostPath, ConfigMapFiles, SecretFiles, Memory, Empty"
    hint = f"did you mean Persistent({value!r})?" if isinstance(value, str) and value[:1].isdigit() else ""
    instance(argument, value, Volume, f"one of {kinds}", hint)


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class GpuWorkloadSettings:
    """The checked arguments of `GpuWorkload`, which documents each argument."""

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    image: str = attrs.field(converter=to_image)
    gpus: int = 1
    profile: str | None = None
    gpu_memory: str | None = None
    kind: WorkloadKind = attrs.field(default=WorkloadKind.DEPLOYMENT, converter=_to_kind)
    name: str = attrs.field(default=None, converter=to_optional_dns_label)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    command: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    args: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    env: Env = attrs.field(default=None, converter=_to_env)
    port: Mapping[str, int] | None = attrs.field(default=None, converter=_to_ports)
    volumes: Mapping[str, Volume] = attrs.field(default=None, converter=_to_volumes)
    startup_probe: Probe | None = attrs.field(default=None, converter=_to_probe)
    liveness_probe: Probe | None = attrs.field(default=None, converter=_to_probe)
    readiness_probe: Probe | None = attrs.field(default=None, converter=_to_probe)
    cpu: str | None = attrs.field(default=None, converter=_to_cpu)
    memory: str | None = attrs.field(default=None, converter=to_optional_bytes)
    shared_memory: str | None = attrs.field(default=None, converter=to_optional_bytes)
    security_context: Mapping[str, Any] = attrs.field(default=None, converter=to_security_context)
    pod_security_context: Mapping[str, Any] = attrs.field(default=None, converter=to_pod_security_context)
    replicas: int | None = attrs.field(default=1, converter=to_optional_count)
    update_strategy: UpdateStrategy = attrs.field(default=UpdateStrategy.RECREATE, converter=_to_update_strategy)
    schedule: str | None = None
    parallelism: int | None = attrs.field(default=None, converter=to_optional_positive)
    completions: int | None = attrs.field(default=None, converter=to_optional_positive)
    backoff_limit: int | None = attrs.field(default=None, converter=to_optional_count)
    ttl_seconds_after_finished: int | None = attrs.field(default=None, converter=to_optional_count)
    termination_grace_period: int | None = attrs.field(default=None, converter=to_optional_count)
    priority_class_name: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain)
    service_account_name: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain)
    image_pull_secrets: tuple[str, ...] = attrs.field(default=(), converter=to_dns_subdomains)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)
    pod_annotations: Mapping[str, str] = attrs.field(default=None, converter=to_annotations)
    pod_spec: Mapping[str, Any] = attrs.field(default=None, converter=to_pod_spec)

    def __attrs_post_init__(self) -> None:
        dns_label("name", self.name, _LONGEST_NAMES.get(self.kind, 63))
        check_gpus(self.gpus, self.nodes, check_profile(self.profile, self.nodes))
        if self.gpu_memory is not None:
            check_gpu_memory(self.gpu_memory, self.nodes)
        self._check_kind(self.kind)
        self._check_together()

    def _check_kind(self, kind: WorkloadKind) -> None:
        for name, kinds in _ONLY_FOR.items():
            if kind not in kinds and getattr(self, name) != getattr(attrs.fields(GpuWorkloadSettings), name).default:
                rule = "given only to a " + " or a ".join(sorted(str(each) for each in kinds))
                raise wrong(name, rule, getattr(self, name), f"this is a {kind}")
        if kind is WorkloadKind.CRON_JOB:
            rule = "a cron schedule such as '0 3 * * *' or '@daily'"
            if not re.fullmatch(_SCHEDULE, text("schedule", self.schedule, rule, "a CronJob needs one")):
                raise wrong("schedule", rule, self.schedule)

    def _check_together(self) -> None:
        if self.labels.get(NAME_LABEL, self.name) != self.name:
            raise wrong("labels", f"without {NAME_LABEL}", self.labels[NAME_LABEL], "the workload's selector uses this label")
        if self.nodes.by_mps and (self.shared_memory or SHARED_MEMORY in self.volumes):
            name, value = ("shared_memory", self.shared_memory) if self.shared_memory else ("volumes", SHARED_MEMORY)
            raise wrong(
                name,
                f"without a volume at {SHARED_MEMORY} on nodes that share by MPS",
                value,
                f"the MPS daemon mounts its own volume at {SHARED_MEMORY}",
            )
        if self.shared_memory and SHARED_MEMORY in self.volumes:
            raise wrong("shared_memory", f"left out when 'volumes' has {SHARED_MEMORY}", self.shared_memory)
        if self.shared_memory and self.memory and amount_of(self.memory) <= amount_of(self.shared_memory):
            hint = "shared memory counts towards the container's memory"
            raise wrong("memory", f"more than 'shared_memory' ({self.shared_memory})", self.memory, hint)
        self._check_replicas()

    def _check_replicas(self) -> None:
        pods = (self.replicas if self.kind in _SERVERS else self.parallelism) or 1
        nodes = self.nodes
        offered = nodes.advertised(self.profile)
        if nodes.count is not None and offered is not None:
            most = nodes.count * (offered // self.gpus)
            if pods > most:
                each = f"with gpus={self.gpus}, as each of {nodes.count} nodes offers {offered}"
                if self.kind in _SERVERS:
                    raise wrong("replicas", f"at most {most} {each}", pods, "the other pods would stay Pending")
                warn(f"'parallelism' is more than {most} {each} (got {pods}); the other pods wait until pods end")
        if self.kind is WorkloadKind.DEPLOYMENT and pods > 1:
            for path, volume in self.volumes.items():
                if volume.single_node_mode:
                    hint = f"the claim at {path} is {volume.single_node_mode}: use kind='StatefulSet', or access_mode='ReadWriteMany'"
                    raise wrong("replicas", "1 for a Deployment whose claim only one node can mount", pods, hint)

    @property
    def mounts(self) -> dict[str, Volume]:
        """The volumes by mount path, with shared memory."""
        if not self.shared_memory:
            return dict(self.volumes)
        from .volumes import Memory

        return {**self.volumes, SHARED_MEMORY: Memory(self.shared_memory)}

    @property
    def ports(self) -> Mapping[str, int]:
        """The ports by name."""
        return given(self.port)
