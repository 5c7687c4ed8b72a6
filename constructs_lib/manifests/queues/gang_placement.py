"""Who places the pods of a gang: Kueue, Kubernetes' own PodGroup, or both; and within which part of the data centre."""

from __future__ import annotations

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import to_flag, to_optional_dns_subdomain
from ...arguments.names import label_key, label_value
from ...arguments.plain_values import choice
from ...upstream.kubernetes.pod_groups import POD_GROUP_GATE, POD_GROUPS_SINCE, SCHEDULING_API, TOPOLOGY_GATE, DisruptionMode
from ...upstream.programs.cluster_programs import TOPOLOGY_ANNOTATIONS
from ..workload.settings import GpuWorkloadSettings, gpu_first

_DEFAULT_SCHEDULER = "default-scheduler"


def _to_queue(value: str | None, argument: str = "") -> str | None:
    queue = to_optional_dns_subdomain(value, argument)
    return None if queue is None else label_value(argument, queue)


def _to_disruption_mode(value: DisruptionMode | str | None, argument: str = "") -> DisruptionMode | None:
    return None if value is None else choice(argument, value, DisruptionMode)


def _to_node_label(value: str | None, argument: str = "") -> str | None:
    return None if value is None else label_key(argument, value)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=gpu_first)
class PlacedGangSettings(GpuWorkloadSettings):
    """The arguments of `GpuGang` that say where its pods start, and when."""

    queue: str | None = attrs.field(default=None, converter=_to_queue)
    pod_group: bool = attrs.field(default=False, converter=to_flag)
    disruption_mode: DisruptionMode | None = attrs.field(default=None, converter=_to_disruption_mode)
    required_topology: str | None = attrs.field(default=None, converter=_to_node_label)
    preferred_topology: str | None = attrs.field(default=None, converter=_to_node_label)

    @property
    def feature_gates(self) -> tuple[str, ...]:
        """The feature gates of Kubernetes that the gang needs, and that are off by default; for `ControlPlanePatch`."""
        if not self.pod_group:
            return ()
        return (POD_GROUP_GATE, TOPOLOGY_GATE) if self.group_topology else (POD_GROUP_GATE,)

    @property
    def runtime_config(self) -> tuple[str, ...]:
        """The versions of APIs that the gang needs, and that are not served by default; for `ControlPlanePatch`."""
        return (SCHEDULING_API,) if self.pod_group else ()

    @property
    def group_topology(self) -> str | None:
        """The label of the nodes within which Kubernetes itself places the gang; with a queue Kueue does."""
        return self.required_topology if self.pod_group and self.queue is None else None

    @property
    def queued_topology(self) -> tuple[str, str] | None:
        """The argument with the level of Kueue's topology, and the level; None for a gang without one."""
        given = {"required_topology": self.required_topology, "preferred_topology": self.preferred_topology}
        return next(((argument, label) for argument, label in given.items() if label is not None and self.queue is not None), None)

    def _check_pod_group(self) -> None:
        """Refuse a PodGroup that this Kubernetes does not have, that would be of several gangs, or that no scheduler reads."""
        if not self.pod_group:
            if self.disruption_mode is not None:
                raise wrong("disruption_mode", "given only with 'pod_group'", self.disruption_mode, "it is a field of the PodGroup")
            return
        talos = self.nodes.talos_version
        newest = talos.release.kubernetes[1]
        if newest < POD_GROUPS_SINCE:
            hint = f"Kubernetes has this API from 1.{POD_GROUPS_SINCE} on, and Talos {talos} runs up to 1.{newest}; 'queue' needs no newer Kubernetes"
            raise wrong("pod_group", f"False on Talos {talos}", self.pod_group, hint)
        if self.is_server and self.replicas != 1:
            hint = "a PodGroup is of one gang, and a LeaderWorkerSet makes none for its groups; make a GpuGang for each gang, or use 'queue' alone"
            raise wrong("replicas", "1 with 'pod_group'", self.replicas, hint)
        if "schedulingGroup" in self.pod_spec:
            raise wrong(
                "pod_spec", "without schedulingGroup with 'pod_group'", self.pod_spec["schedulingGroup"], "the group is the gang's own"
            )
        scheduler = self.pod_spec.get("schedulerName", _DEFAULT_SCHEDULER)
        if scheduler != _DEFAULT_SCHEDULER:
            hint = "it is not known whether another scheduler reads PodGroups; without that each pod is placed by itself"
            raise wrong("pod_spec", f"without another schedulerName than {_DEFAULT_SCHEDULER!r} with 'pod_group'", scheduler, hint)

    def _check_topology(self) -> None:
        """Refuse a topology that nothing in the cluster would read."""
        required, preferred = self.required_topology, self.preferred_topology
        if required is not None and preferred is not None:
            raise wrong("preferred_topology", "left out with 'required_topology'", preferred, "Kueue refuses pods with both")
        if required is not None and self.queue is None and not self.pod_group:
            hint = "without both the scheduler places each pod by itself"
            raise wrong("required_topology", "given with 'queue' or 'pod_group'", required, hint)
        if preferred is not None and self.queue is None:
            raise wrong(
                "preferred_topology", "given only with 'queue'", preferred, "a PodGroup has no preferences; use 'required_topology'"
            )
        if required is not None or preferred is not None:
            for key in TOPOLOGY_ANNOTATIONS:
                if key in self.pod_annotations:
                    raise wrong("pod_annotations", f"without {key}", self.pod_annotations[key], "the topology of the gang is an argument")
