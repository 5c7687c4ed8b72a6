"""The checked arguments of a GPU workload."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._arguments.errors import wrong, wrong_kind
from .._arguments.keywords import named_arguments
from .._arguments.names import annotation_map, dns_label, dns_subdomain, env_name, image_reference, label_map, namespace_name
from .._arguments.plain_values import choice, instance, mapping, plain_mapping, text, texts, whole_number
from .._arguments.quantities import amount_of, byte_quantity, cpu_quantity
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.choice import Choice
from .gpu_memory import check_gpu_memory
from .gpu_pod import check_gpus, check_profile, visible_devices_error

if TYPE_CHECKING:
    from .container_values import ConfigMapKey, Probe, SecretKey
    from .volumes import Volume

    Env = Mapping[str, str | SecretKey | ConfigMapKey]

SHARED_MEMORY = "/dev/shm"  # noqa: S108  # the folder itself, in the container


class WorkloadKind(Choice):
    """What runs the pods."""

    DEPLOYMENT = "Deployment"
    STATEFUL_SET = "StatefulSet"
    JOB = "Job"
    CRON_JOB = "CronJob"


class UpdateStrategy(Choice):
    """How a changed Deployment replaces its pods."""

    RECREATE = "Recreate"
    """The old pods go first: the only way when they hold the GPUs, or the claim, that the new ones need."""
    ROLLING_UPDATE = "RollingUpdate"
    """One at a time, and never one more than before."""


_SERVERS = {WorkloadKind.DEPLOYMENT, WorkloadKind.STATEFUL_SET}
# Which kinds an argument is for; every other argument is for all of them.
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
# Kubernetes puts a suffix after these, and the whole into a label: a Job's time, a revision's hash.
_LONGEST_NAMES = {WorkloadKind.CRON_JOB: 52, WorkloadKind.STATEFUL_SET: 52}
_SCHEDULE = r"@(yearly|annually|monthly|weekly|daily|midnight|hourly)|(\S+ +){4}\S+"
_PORT_NAME = r"(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*"
# The label that the selector is made of, which is immutable in the cluster.
NAME_LABEL = "app.kubernetes.io/name"


@named_arguments(nodes="a GPU workload runs on a class of GPU nodes", image="say which image to run")
@dataclass(kw_only=True, eq=False, repr=False)
class GpuWorkloadSettings:
    """The checked arguments of a workload; `GpuWorkload` documents each."""

    nodes: GpuNodes
    name: str
    image: str
    gpus: int = 1
    profile: str | None = None
    gpu_memory: str | None = None
    kind: WorkloadKind | str = WorkloadKind.DEPLOYMENT
    namespace: str | None = None
    command: Sequence[str] = ()
    args: Sequence[str] = ()
    env: Env = field(default_factory=dict)
    port: int | Mapping[str, int] | None = None
    volumes: Mapping[str, Volume] = field(default_factory=dict)
    startup_probe: Probe | None = None
    liveness_probe: Probe | None = None
    readiness_probe: Probe | None = None
    cpu: str | int | float | None = None
    memory: str | None = None
    shared_memory: str | None = None
    security_context: Mapping[str, Any] = field(default_factory=dict)
    pod_security_context: Mapping[str, Any] = field(default_factory=dict)
    replicas: int | None = 1
    update_strategy: UpdateStrategy | str = UpdateStrategy.RECREATE
    schedule: str | None = None
    parallelism: int | None = None
    completions: int | None = None
    backoff_limit: int | None = None
    ttl_seconds_after_finished: int | None = None
    termination_grace_period: int | None = None
    priority_class_name: str | None = None
    service_account_name: str | None = None
    image_pull_secrets: Sequence[str] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_spec: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = instance("nodes", self.nodes, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.12')")
        kind = choice("kind", self.kind, WorkloadKind)
        resolved: dict[str, Any] = {
            "kind": kind,
            "name": dns_label("name", self.name, _LONGEST_NAMES.get(kind, 63)),
            "gpus": check_gpus(self.gpus, nodes, check_profile(self.profile, nodes)),
            "command": tuple(texts("command", self.command)),
            "args": tuple(texts("args", self.args)),
            "env": _env(self.env),
            "port": _ports(self.port),
            "volumes": _volumes(self.volumes),
            "cpu": None if self.cpu is None else cpu_quantity("cpu", self.cpu),
            "memory": None if self.memory is None else byte_quantity("memory", self.memory),
            "shared_memory": None if self.shared_memory is None else byte_quantity("shared_memory", self.shared_memory),
            "security_context": plain_mapping("security_context", self.security_context),
            "pod_security_context": plain_mapping("pod_security_context", self.pod_security_context),
            "update_strategy": choice("update_strategy", self.update_strategy, UpdateStrategy),
            "image_pull_secrets": tuple(dns_subdomain("image_pull_secrets", name) for name in texts("image_pull_secrets", self.image_pull_secrets)),
            "labels": label_map("labels", self.labels),
            "pod_annotations": annotation_map("pod_annotations", self.pod_annotations),
            "pod_spec": plain_mapping("pod_spec", self.pod_spec, "a mapping of fields of a pod spec"),
        }  # fmt: skip
        image_reference("image", self.image)
        if self.gpu_memory is not None:
            check_gpu_memory(self.gpu_memory, nodes)
        if self.namespace is not None:
            namespace_name("namespace", self.namespace)
        for name in ("priority_class_name", "service_account_name"):
            if getattr(self, name) is not None:
                dns_subdomain(name, getattr(self, name))
        for name in ("startup_probe", "liveness_probe", "readiness_probe"):
            if getattr(self, name) is not None:
                _probe(name, getattr(self, name))
        for name in ("parallelism", "completions"):
            _optional_number(name, getattr(self, name), 1)
        for name in ("backoff_limit", "ttl_seconds_after_finished", "termination_grace_period", "replicas"):
            _optional_number(name, getattr(self, name), 0)
        self._check_kind(kind)
        for name, value in resolved.items():
            object.__setattr__(self, name, value)
        self._check_together()

    def _check_kind(self, kind: WorkloadKind) -> None:
        for name, kinds in _ONLY_FOR.items():
            if kind not in kinds and getattr(self, name) != _DEFAULTS[name]:
                rule = "given only to a " + " or a ".join(sorted(str(each) for each in kinds))
                raise wrong(name, rule, getattr(self, name), f"this is a {kind}")
        if kind is WorkloadKind.CRON_JOB:
            rule = "a cron schedule such as '0 3 * * *' or '@daily'"
            if not re.fullmatch(_SCHEDULE, text("schedule", self.schedule, rule, "a CronJob needs one")):
                raise wrong("schedule", rule, self.schedule)

    def _check_together(self) -> None:
        if self.labels.get(NAME_LABEL, self.name) != self.name:
            raise wrong("labels", f"without {NAME_LABEL}", self.labels[NAME_LABEL], "the workload's selector is made of it")
        if self.nodes.by_mps and (self.shared_memory or SHARED_MEMORY in self.volumes):
            name, value = ("shared_memory", self.shared_memory) if self.shared_memory else ("volumes", SHARED_MEMORY)
            raise wrong(
                name, f"without a volume at {SHARED_MEMORY} on nodes that share by MPS", value, "the MPS daemon mounts its own there"
            )
        if self.shared_memory and SHARED_MEMORY in self.volumes:
            raise wrong("shared_memory", f"left out when 'volumes' has {SHARED_MEMORY}", self.shared_memory)
        if self.shared_memory and self.memory and amount_of(self.memory) <= amount_of(self.shared_memory):
            hint = "what is in shared memory counts as the container's own"
            raise wrong("memory", f"more than 'shared_memory' ({self.shared_memory})", self.memory, hint)
        self._check_replicas()

    def _check_replicas(self) -> None:
        pods = (self.replicas if self.kind in _SERVERS else self.parallelism) or 1
        nodes = self.nodes
        offered = nodes.advertised(self.profile)
        if nodes.count is not None and offered is not None:
            most = nodes.count * (offered // self.gpus)
            if pods > most:
                name = "replicas" if self.kind in _SERVERS else "parallelism"
                rule = f"at most {most} with gpus={self.gpus}, as each of {nodes.count} nodes offers {offered}"
                raise wrong(name, rule, pods, "the other pods would stay Pending")
        if self.kind is WorkloadKind.DEPLOYMENT and pods > 1:
            for path, volume in self.volumes.items():
                if volume.single_node_mode:
                    hint = f"the claim at {path} is {volume.single_node_mode}: use kind='StatefulSet', or access_mode='ReadWriteMany'"
                    raise wrong("replicas", "1 for a Deployment whose claim one node can mount", pods, hint)

    @property
    def mounts(self) -> dict[str, Volume]:
        """What is mounted where, shared memory with it."""
        if not self.shared_memory:
            return dict(self.volumes)
        from .volumes import Memory

        return {**self.volumes, SHARED_MEMORY: Memory(self.shared_memory)}

    @property
    def ports(self) -> dict[str, int]:
        """The ports by name."""
        return dict(self.port) if isinstance(self.port, Mapping) else {}


_DEFAULTS = {name: GpuWorkloadSettings.__init__.__wrapped__.__kwdefaults__[name] for name in _ONLY_FOR}  # type: ignore[attr-defined]


def _optional_number(name: str, value: object, minimum: int) -> None:
    if value is not None:
        whole_number(name, value, minimum)


def _env(value: object) -> dict[str, Any]:
    variables = mapping("env", value, "a mapping of names to values")
    for name, given in variables.items():
        env_name("env", name)
        if name == "NVIDIA_VISIBLE_DEVICES":
            raise visible_devices_error("env", "the container", given)
        if not isinstance(given, str) and not _is_reference(given):
            hint = (
                f"did you mean '{str(given).lower() if isinstance(given, bool) else given}'?"
                if isinstance(given, bool | int | float)
                else ""
            )
            raise wrong_kind(f"env[{name}]", "a string, a SecretKey or a ConfigMapKey", given, hint)
    return variables


def _is_reference(value: object) -> bool:
    from .container_values import ConfigMapKey, SecretKey  # whoever has one has loaded them

    return isinstance(value, ConfigMapKey | SecretKey)


def _probe(name: str, value: object) -> None:
    from .container_values import Probe

    hint = f"did you mean HttpProbe({value!r})?" if isinstance(value, str) and value.startswith("/") else ""
    instance(name, value, Probe, "an HttpProbe, a TcpProbe or an ExecProbe", hint)


def _ports(value: object) -> dict[str, int] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return {"http": whole_number("port", value, 1, 65535)}
    ports = mapping("port", value, "a port, or a mapping of names to ports")
    for name, number in ports.items():
        if not re.fullmatch(_PORT_NAME, name):
            raise wrong("port", "named by at most 15 lower-case letters, digits and '-'", name)
        whole_number(f"port[{name}]", number, 1, 65535)
    if not ports or len(set(ports.values())) < len(ports):
        raise wrong("port", "at least one port, each once", value)
    return ports


def _volumes(value: object) -> dict[str, Volume]:
    volumes = mapping("volumes", value, "a mapping of mount paths to volumes")
    named: dict[str, Volume] = {}
    for path, volume in volumes.items():
        if not path.startswith("/") or ":" in path or path != path.rstrip("/"):
            raise wrong("volumes", "keyed by absolute mount paths, without ':' and without a trailing '/'", path)
        _volume(path, volume)
        if volume.shared_name:
            first = named.setdefault(volume.shared_name, volume)
            if first.claim != volume.claim:
                raise wrong(f"volumes[{path}]", f"of the same size, class and access mode as every other '{volume.shared_name}'", volume)
    return volumes


def _volume(path: str, value: object) -> None:
    from .volumes import Volume

    kinds = "Persistent, ExistingClaim, HostPath, ConfigMapFiles, SecretFiles, Memory, Empty"
    hint = f"did you mean Persistent({value!r})?" if isinstance(value, str) and value[:1].isdigit() else ""
    instance(f"volumes[{path}]", value, Volume, f"one of {kinds}", hint)
