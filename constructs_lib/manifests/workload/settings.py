"""The checked arguments of `GpuWorkload`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import attrs

from ...arguments import fields
from ...arguments.errors import warn, wrong, wrong_kind
from ...arguments.names import dns_label, env_name
from ...arguments.plain_values import EMPTY, choice, flag, instance, mapping, whole_number, writable
from ...arguments.quantities import cpu_quantity
from ...nodes.gpu_nodes import CLASS_LABEL, GpuNodes, to_container_nodes
from ...upstream.kubernetes.api import SHARED_MEMORY
from ..gpu_pod import check_gpu_memory, check_gpus, check_profile, visible_devices_error
from ..pod_shape import check_privileges
from .kinds import ONLY_FOR, OTHER_KINDS, SERVERS, CompletionMode, UpdateStrategy, WorkloadKind, longest_name
from .ports import Port, check_probes, port_of, to_ports
from .server_facts import ServerFacts

if TYPE_CHECKING:
    from ..volumes.volume import Volume
    from .container_values import ConfigMapKey, Probe, SecretKey

    Env = Mapping[str, str | SecretKey | ConfigMapKey]

# The label of the selector. A selector is immutable in the cluster.
NAME_LABEL = "app.kubernetes.io/name"
# Kubernetes' default of terminationGracePeriodSeconds.
DEFAULT_GRACE = 30


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    return to_container_nodes(instance(argument, value, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.12')"), argument)


def to_kind(value: WorkloadKind | str, argument: str = "") -> WorkloadKind:
    """The kind of a workload."""
    return choice(argument, value, WorkloadKind, OTHER_KINDS)


def _to_update_strategy(value: UpdateStrategy | str | None, argument: str = "") -> UpdateStrategy | None:
    return None if value is None else choice(argument, value, UpdateStrategy)


def _to_completion_mode(value: CompletionMode | str | None, argument: str = "") -> CompletionMode | None:
    return None if value is None else choice(argument, value, CompletionMode)


def _to_shared_memory(value: str | Literal[False] | None, argument: str = "") -> str | Literal[False] | None:
    return False if value is False else fields.to_optional_bytes(value, argument)


def _to_time_zone(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    from .cron_schedule import time_zone  # deferred: only a CronJob needs it

    return time_zone(argument, value)


def _to_starting_deadline(value: int | None, argument: str = "") -> int | None:
    hint = "the CronJob controller looks every 10 seconds, so it may miss every run"
    return None if value is None else whole_number(argument, value, 10, hint=hint)


def _to_cpu(value: str | float | None, argument: str = "") -> str | None:
    return None if value is None else cpu_quantity(argument, value)


def _to_env(value: Env | None, argument: str = "") -> Env:
    if value is None:
        return EMPTY
    rule = "a mapping of names to values"
    _refuse_pairs(argument, value, rule)
    variables = mapping(argument, value, rule)
    for name, each in variables.items():
        env_name(argument, name)
        if name == "NVIDIA_VISIBLE_DEVICES":
            raise visible_devices_error(argument, "the container", each)
        if not isinstance(each, str) and not _is_reference(each):
            quoted = str(each).lower() if isinstance(each, bool) else each
            from ...arguments.credentials.names import is_credential  # deferred: only this error needs the names

            hint = f"did you mean '{quoted}'?" if isinstance(each, bool | int | float) and not is_credential(name) else ""
            if type(each).__module__.startswith("cdk8s_plus_"):
                hint = "a value of cdk8s-plus belongs to its own containers: give the text, SecretKey('secret', 'key') or ConfigMapKey('name', 'key')"
            raise wrong_kind(f"{argument}[{name}]", "a string, a SecretKey or a ConfigMapKey", each, hint)
        if isinstance(each, str):
            writable(f"{argument}[{name}]", each)
    return MappingProxyType(variables)


def _refuse_pairs(argument: str, value: object, rule: str) -> None:
    if not isinstance(value, Mapping):
        from ...arguments.meant import names_meant  # deferred: only an error needs it

        raise wrong_kind(argument, rule, value, names_meant(value))


def _is_reference(value: object) -> bool:
    from .container_values import ConfigMapKey, SecretKey  # deferred: only references need it

    return isinstance(value, ConfigMapKey | SecretKey)


def _to_probe(value: Probe | None, argument: str = "") -> Probe | None:
    if value is None:
        return None
    from .container_values import Probe

    hint = f"did you mean HttpProbe({value!r})?" if isinstance(value, str) and value.startswith("/") else ""
    return instance(argument, value, Probe, "an HttpProbe, a TcpProbe or an ExecProbe", hint)


def _to_volumes(value: Mapping[str, Volume] | None, argument: str = "") -> Mapping[str, Volume]:
    if value is None:
        return EMPTY
    volumes = mapping(argument, value, "a mapping of mount paths to volumes")
    shared: dict[str, Volume] = {}
    for path, volume in volumes.items():
        if not path.startswith("/") or ":" in path or path != path.rstrip("/"):
            raise wrong(argument, "keyed by absolute mount paths, without ':' and without a trailing '/'", path)
        _check_volume(f"{argument}[{path}]", volume)
        if volume.shared_name:
            first = shared.setdefault(volume.shared_name, volume)
            if (first.claim, first.source("")) != (volume.claim, volume.source("")):
                shared_parts = "size, class and access mode" if first.claim and volume.claim else "volume"
                raise wrong(f"{argument}[{path}]", f"of the same {shared_parts} as every other '{volume.shared_name}'", volume)
    return MappingProxyType(volumes)


def _check_volume(argument: str, value: object) -> None:
    from ..volumes.volume import Volume

    kinds = "Persistent, ExistingClaim, HostPath, Nfs, OciImage, ConfigMapFiles, SecretFiles, Memory, Empty"
    if not isinstance(value, Volume):
        from ..volumes.meant import volume_meant  # deferred: only this error needs it

        raise wrong_kind(argument, f"one of {kinds}", value, volume_meant(value))


def _to_service(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    if value is None:
        return EMPTY
    from .service_fields import to_service_fields  # deferred: only a given argument needs the fields of a Service

    return to_service_fields(value, argument)


def _to_init_containers(value: Iterable[Mapping[str, Any]], argument: str = "") -> tuple[Mapping[str, Any], ...]:
    if value == ():
        return ()
    from .containers import to_init_containers  # deferred: see `_to_service`

    return to_init_containers(value, argument)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=fields.named)
class WorkloadSettings(ServerFacts):
    """The checked arguments that every workload has, with and without GPUs."""

    image: str = attrs.field(converter=fields.to_image)
    kind: WorkloadKind = attrs.field(default=WorkloadKind.DEPLOYMENT, converter=to_kind)
    name: str = attrs.field(default=None, converter=fields.to_optional_dns_label)
    namespace: str | None = attrs.field(default=None, converter=fields.to_optional_namespace)
    command: tuple[str, ...] = attrs.field(default=(), converter=fields.to_texts)
    args: tuple[str, ...] = attrs.field(default=(), converter=fields.to_texts)
    env: Env = attrs.field(default=None, converter=_to_env)
    port: Mapping[str, int | str] | None = attrs.field(default=None, converter=to_ports)
    service_fields: Mapping[str, Any] = attrs.field(default=None, converter=_to_service, alias="service")
    volumes: Mapping[str, Volume] = attrs.field(default=None, converter=_to_volumes)
    startup_probe: Probe | None = attrs.field(default=None, converter=_to_probe)
    liveness_probe: Probe | None = attrs.field(default=None, converter=_to_probe)
    readiness_probe: Probe | None = attrs.field(default=None, converter=_to_probe)
    cpu: str | None = attrs.field(default=None, converter=_to_cpu)
    memory: str | None = attrs.field(default=None, converter=fields.to_optional_bytes)
    shared_memory: str | Literal[False] | None = attrs.field(default=None, converter=_to_shared_memory)
    security_context: Mapping[str, Any] = attrs.field(default=None, converter=fields.to_security_context)
    pod_security_context: Mapping[str, Any] = attrs.field(default=None, converter=fields.to_pod_security_context)
    replicas: int | None = attrs.field(default=1, converter=fields.to_optional_count)
    update_strategy: UpdateStrategy | None = attrs.field(default=None, converter=_to_update_strategy)
    schedule: str | None = None
    time_zone: str | None = attrs.field(default=None, converter=_to_time_zone)
    starting_deadline_seconds: int | None = attrs.field(default=None, converter=_to_starting_deadline)
    parallelism: int | None = attrs.field(default=None, converter=fields.to_optional_positive)
    completions: int | None = attrs.field(default=None, converter=fields.to_optional_positive)
    completion_mode: CompletionMode | None = attrs.field(default=None, converter=_to_completion_mode)
    backoff_limit: int | None = attrs.field(default=None, converter=fields.to_optional_count)
    active_deadline_seconds: int | None = attrs.field(default=None, converter=fields.to_optional_positive)
    ttl_seconds_after_finished: int | None = attrs.field(default=None, converter=fields.to_optional_count)
    suspend: bool = attrs.field(default=False, converter=fields.to_flag)
    hashed_name: bool = attrs.field(default=False, converter=fields.to_flag)
    disruption_budget: bool = True
    termination_grace_period: int | None = attrs.field(default=None, converter=fields.to_optional_count)
    pre_stop_sleep: int | None = attrs.field(default=None, converter=fields.to_optional_positive)
    priority_class_name: str | None = attrs.field(default=None, converter=fields.to_optional_dns_subdomain)
    service_account_name: str | None = attrs.field(default=None, converter=fields.to_optional_dns_subdomain)
    image_pull_secrets: tuple[str, ...] = attrs.field(default=(), converter=fields.to_dns_subdomains)
    labels: Mapping[str, str] = attrs.field(default=None, converter=fields.to_labels)
    annotations: Mapping[str, str] = attrs.field(default=None, converter=fields.to_annotations)
    pod_annotations: Mapping[str, str] = attrs.field(default=None, converter=fields.to_annotations)
    init_containers: tuple[Mapping[str, Any], ...] = attrs.field(default=(), converter=_to_init_containers)
    pod_spec: Mapping[str, Any] = attrs.field(default=None, converter=fields.to_pod_spec)

    def __attrs_post_init__(self) -> None:
        indexes = self.completions or 0 if self.completion_mode is CompletionMode.INDEXED else 0
        dns_label("name", self.name, longest_name(self.kind, hashed=self.hashed_name, indexes=indexes))
        self._check_kind(self.kind)
        from . import text_checks  # deferred: only a workload needs the checks of its texts

        text_checks.warn_of_tag("'image'", self.image)
        text_checks.check_variables(self.env)
        text_checks.check_words("args", (*self.command, *self.args))
        text_checks.check_beside(self.init_containers, self.pod_spec, annotations=self.annotations, pod_annotations=self.pod_annotations)
        self._check_together()
        if self.kind is WorkloadKind.DEPLOYMENT:
            fields.settle(self, "update_strategy", UpdateStrategy.ROLLING_UPDATE if self.has_several_pods else UpdateStrategy.RECREATE)
        if self.port and str in map(type, self.port.values()):  # a UDP port
            check_probes(self.ports, self.probes)
        if self.service_fields:
            from .service_fields import check_service

            beside = (*self.init_containers, *(self.pod_spec.get("containers") or ()))
            check_service(self.service_fields, self.kind, self.ports, beside)
        if self.init_containers:
            from .containers import check_init_containers

            check_init_containers(self.init_containers, self.name, *self.allowed_gpu)

    def _check_kind(self, kind: WorkloadKind) -> None:
        declared = attrs.fields_dict(WorkloadSettings)
        for name, kinds in ONLY_FOR.items():
            if kind not in kinds and getattr(self, name) != declared[name].default:
                rule = "given only to a " + " or a ".join(sorted(str(each) for each in kinds))
                raise wrong(name, rule, getattr(self, name), f"this is a {kind}")
        if kind is WorkloadKind.CRON_JOB:
            from .cron_schedule import cron_schedule  # deferred: only a CronJob needs it

            object.__setattr__(self, "schedule", cron_schedule("schedule", self.schedule))
        if self.completion_mode is CompletionMode.INDEXED and self.completions is None:
            raise wrong("completions", "given with completion_mode='Indexed'", None, "each index is one completion")

    def _check_together(self) -> None:
        if self.labels.get(NAME_LABEL, self.name) != self.name:
            raise wrong("labels", f"without {NAME_LABEL}", self.labels[NAME_LABEL], "the workload's selector uses this label")
        if CLASS_LABEL in self.labels:
            raise wrong("labels", f"without {CLASS_LABEL}", self.labels[CLASS_LABEL], "the 'name' of GpuNodes is the value of this label")
        if self.disruption_budget is not True:
            flag("disruption_budget", self.disruption_budget)
        check_privileges("security_context", self.security_context)
        if self.shared_memory and SHARED_MEMORY in self.volumes:
            raise wrong("shared_memory", f"left out when 'volumes' has {SHARED_MEMORY}", self.shared_memory)
        if self.memory and (self.shared_memory or self.volumes):
            from ..volumes.shared_memory import check_memory  # deferred: few workloads have a limit and volumes in memory

            check_memory(self.memory, self.shared_memory, self.volumes)
        grace = DEFAULT_GRACE if self.termination_grace_period is None else self.termination_grace_period
        if self.pre_stop_sleep is not None and self.pre_stop_sleep >= grace:
            hint = "the sleep is a part of the grace period, and the server needs the rest to end"
            raise wrong("pre_stop_sleep", f"less than 'termination_grace_period' ({grace})", self.pre_stop_sleep, hint)
        if self.kind is WorkloadKind.DEPLOYMENT and (self.replicas or 1) > 1:
            check_single_node("replicas", self.volumes, self.replicas)

    @property
    def allowed_gpu(self) -> tuple[str | None, str]:
        """The resource of GPUs that the pods' further containers may ask for, and the rule for every other one."""
        return None, "without GPUs in a workload that has none"

    @property
    def own_namespace(self) -> str | None:
        """The namespace of the objects, where it is known: a construct without a `namespace` has that of its chart."""
        return self.namespace

    @property
    def most_pods(self) -> int | None:
        """The most pods for which the nodes have GPUs; None where nothing limits the pods, or the limit is unknown."""
        return None

    @property
    def is_server(self) -> bool:
        """Whether the pods run for ever and may serve ports."""
        return self.kind in SERVERS

    @property
    def preparation(self) -> int:
        """The seconds that a pod may take before its server starts."""
        return 0

    @property
    def service_selector(self) -> dict[str, str]:
        """The labels of the pods that the Service selects."""
        return {NAME_LABEL: self.name}

    @property
    def has_several_pods(self) -> bool:
        """Whether a server has more than one pod, or the number that an autoscaler chooses."""
        return self.replicas is None or self.replicas > 1

    @property
    def mounts(self) -> dict[str, Volume]:
        """The volumes by mount path, with shared memory."""
        if not self.shared_memory:
            return dict(self.volumes)
        from ..volumes.sources import Memory

        return {**self.volumes, SHARED_MEMORY: Memory(self.shared_memory)}

    @property
    def ports(self) -> Mapping[str, Port]:
        """The ports by name."""
        return {name: port_of(port) for name, port in (self.port or EMPTY).items()}

    @property
    def probes(self) -> dict[str, Probe | None]:
        """The probes by the name of their argument."""
        return {"startup_probe": self.startup_probe, "liveness_probe": self.liveness_probe, "readiness_probe": self.readiness_probe}


def check_single_node(argument: str, volumes: Mapping[str, Volume], pods: object) -> None:
    """Refuse several pods of a Deployment that mount a claim of one node."""
    for path, volume in volumes.items():
        if volume.single_node_mode:
            hint = f"the claim at {path} is {volume.single_node_mode}: use kind='StatefulSet', or access_mode='ReadWriteMany'"
            raise wrong(argument, "1 for a Deployment whose claim only one node can mount", pods, hint)


def gpu_first(kind: type, given: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """The fields in the order of the documentation: the class of nodes, the image and the GPUs come first."""
    first = ("nodes", "image", "gpus", "profile", "gpu_memory")
    return sorted(fields.named(kind, given), key=lambda field: first.index(field.name) if field.name in first else len(first))


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=gpu_first)
class GpuWorkloadSettings(WorkloadSettings):
    """The checked arguments of `GpuWorkload`, which documents each argument."""

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    gpus: int = 1
    profile: str | None = None
    gpu_memory: str | None = None

    def _check_together(self) -> None:
        for path, volume in self.volumes.items():
            volume.check(f"volumes[{path}]", self.nodes)
        self._check_gpus()
        self._check_replicas()
        if self.nodes.by_mps and (self.shared_memory or SHARED_MEMORY in self.volumes):
            name, value = ("shared_memory", self.shared_memory) if self.shared_memory else ("volumes", SHARED_MEMORY)
            hint = f"the MPS daemon mounts its own volume at {SHARED_MEMORY}"
            raise wrong(name, f"without a volume at {SHARED_MEMORY} on nodes that share by MPS", value, hint)
        super()._check_together()
        if self.gpus > 1:
            from ..volumes.shared_memory import default_shared_memory  # deferred: only several GPUs need it

            size = default_shared_memory(self.nodes, self.gpus, self.profile, self.memory, self.volumes, self.pod_spec, self.name)
            fields.settle(self, "shared_memory", size)

    def _check_gpus(self) -> None:
        check_gpus(self.gpus, self.nodes, check_profile(self.profile, self.nodes))
        if self.gpu_memory is not None:
            check_gpu_memory(self.gpu_memory, self.nodes)

    def _check_replicas(self) -> None:
        pods = (self.replicas if self.kind in SERVERS else self.parallelism) or 1
        most = self.most_pods
        if most is not None and pods > most:
            each = f"with gpus={self.gpus}, as each of {self.nodes.count} nodes offers {self.nodes.advertised(self.profile)}"
            if self.kind in SERVERS:
                raise wrong("replicas", f"at most {most} {each}", pods, "the other pods would stay Pending")
            warn(f"'parallelism' is more than {most} {each} (got {pods}); the other pods wait until pods end")

    @property
    def most_pods(self) -> int | None:
        """The most pods for which the class has GPUs; None where the number of nodes or GPUs is unknown."""
        offered = self.nodes.advertised(self.profile)
        return None if self.nodes.count is None or offered is None else self.nodes.count * (offered // self.gpus)

    @property
    def allowed_gpu(self) -> tuple[str | None, str]:
        """The resource of GPUs that the pods' further containers may ask for, and the rule for every other one."""
        if self.nodes.by_claim:
            return None, "without GPUs where pods claim their GPUs ('dra' of GpuNodes)"
        return self.nodes.resource(self.profile), f"without another GPU than {self.nodes.resource(self.profile)}"
