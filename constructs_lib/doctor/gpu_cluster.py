"""A cluster as the chain is walked over it: GPU nodes, pods that want GPUs, agents, events and logs, joined from a
dump."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from ..arguments.patterns import pattern
from ..manifests.dra.claim_objects import DRIVER
from ..observed.model import NodeConfig
from ..observed.model.dump import Dump
from ..observed.model.evidence import Log
from ..observed.model.live_object import LiveObject
from ..observed.pods.claims import claims_of, is_of_nvidia
from ..observed.pods.pod_templates import pod_of, state_of
from ..observed.read.talos.node_configs import hostname
from ..upstream.kubernetes.scheduler_words import JOB_ENDS
from ..upstream.nvidia.agent_programs import AgentKind
from .gpu_node import GpuNode, has_gpus
from .gpu_supply import GpuSupplies
from .live_pods import LiveAgent, LivePod
from .node_fit import NodeFits

_LIVING = ("Pending", "Running", "Succeeded")
_RUN = pattern(r"-\d+$")
"""The end of the name of a Job that a CronJob makes: the minute of the run."""

_Key = tuple[str, str, str]


class Replacements:
    """The pods that have not failed, by what made them."""

    def __init__(self, pods: Iterable[LivePod], jobs: Iterable[LiveObject]) -> None:
        self._jobs = {(each.namespace, each.name): each for each in jobs}
        self._newest: dict[_Key, str] = {}
        for each in pods:
            if each.phase in _LIVING and not each.is_being_deleted:
                for key in filter(None, (_maker(each), self._series(each))):
                    self._newest[key] = max(self._newest.get(key, ""), _created(each))

    def replace(self, pod: LivePod) -> bool:
        """Whether a pod has failed, and another one stands in its place. A Job of a CronJob is in the place of the
        older ones only."""
        maker, series = _maker(pod), self._series(pod)
        is_overtaken = series is not None and self._newest.get(series, "") > _created(pod)
        return pod.phase == "Failed" and (maker in self._newest or is_overtaken)

    def _series(self, pod: LivePod) -> _Key | None:
        """The CronJob whose Job made the pod: by the Job's owner, or by its name where the Job was not read."""
        kind, name = pod.maker
        if kind != "Job":
            return None
        job = self._jobs.get((pod.about.namespace, name))
        if job is None:
            return (pod.about.namespace, "CronJob", _RUN.sub("", name)) if _RUN.search(name) else None
        owners: list[Mapping[str, object]] = [each for each in job.mappings("metadata", "ownerReferences") if each.get("kind") == "CronJob"]
        return (pod.about.namespace, "CronJob", str(owners[0].get("name", ""))) if owners else None


def _maker(pod: LivePod) -> _Key | None:
    kind, name = ("Deployment", pod.deployment) if pod.deployment else pod.maker
    return (pod.about.namespace, kind, name) if name else None


def _created(pod: LivePod) -> str:
    return str(pod.about.at("metadata", "creationTimestamp") or "")


_MAKERS = ("DaemonSet", "StatefulSet", "ReplicaSet", "Job")
"""The controllers that create pods themselves."""


class GpuCluster:
    """The joined view of a dump. Everything is computed once."""

    def __init__(self, dump: Dump) -> None:
        self.dump = dump

    @cached_property
    def nodes(self) -> list[GpuNode]:
        """The GPU nodes by name."""
        return [each for each in self.all_nodes if has_gpus(each) or each.name in self.slices]

    @cached_property
    def suspects(self) -> list[GpuNode]:
        """The nodes whose image was not read, if a pod waits for a GPU and no GPU node was seen: a node may have GPUs
        though its labels do not tell."""
        is_awaited = not self.nodes and "Node" in self.dump.listed and any(not each.node for each in self.pods)
        return [each for each in self.all_nodes if is_awaited and (each.machine is None or each.machine.extensions is None)]

    @cached_property
    def all_nodes(self) -> list[GpuNode]:
        """All nodes by name, with the machines that no Node object names."""
        nodes = []
        known: set[int] = set()
        for each in self.dump.of_kind("Node"):
            addresses = [str(address.get("address", "")) for address in each.mappings("status", "addresses")]
            machine = self.dump.machine([each.name, *addresses])
            known.add(id(machine))
            nodes.append(GpuNode(name=each.name, node=each, machine=machine))
        nodes += [GpuNode(name=each.name, node=None, machine=each) for each in self.dump.machines if id(each) not in known]
        return sorted(nodes, key=lambda each: each.name)

    @cached_property
    def node_configs(self) -> Mapping[str, NodeConfig]:
        """The machine configurations of the GPU nodes by the names of the nodes, as far as they were read."""
        configs: dict[str, NodeConfig] = {}
        for each in self.nodes:
            if each.machine is not None and (config := each.machine.config) is not None:
                is_named = hostname(config.at("documents")) is not None
                configs[each.name] = config if is_named else replace(config, name=each.name)
        return configs

    @cached_property
    def slices(self) -> Mapping[str, list[LiveObject]]:
        """The ResourceSlices of NVIDIA's DRA driver for GPUs, by the name of their node."""
        slices: dict[str, list[LiveObject]] = defaultdict(list)
        for each in self.dump.of_kind("ResourceSlice"):
            if each.at("spec", "driver") == DRIVER and each.at("spec", "nodeName"):
                slices[str(each.at("spec", "nodeName"))].append(each)
        return slices

    def node(self, name: str) -> GpuNode | None:
        """The node of this name, with GPUs or without."""
        return self._nodes_by_name.get(name)

    @cached_property
    def _nodes_by_name(self) -> Mapping[str, GpuNode]:
        return {each.name: each for each in self.all_nodes}

    @cached_property
    def fits(self) -> NodeFits:
        """The refusals of pods by the GPU nodes."""
        return NodeFits(self.nodes)

    @cached_property
    def holders(self) -> Mapping[str, list[LivePod]]:
        """The pods that hold GPUs by a limit, by the name of their node."""
        holders: dict[str, list[LivePod]] = defaultdict(list)
        for each in self.live_pods:
            if each.node and each.phase not in ("Succeeded", "Failed") and each.gpus:
                holders[each.node].append(each)
        return holders

    @cached_property
    def supplies(self) -> GpuSupplies:
        """The GPUs that nodes offer and have left."""
        return GpuSupplies(self.holders, self.slices)

    @cached_property
    def rollouts(self) -> Mapping[tuple[str, str], list[LivePod]]:
        """The pods of Deployments that hold GPUs, by the namespace and the name of the Deployment."""
        rollouts: dict[tuple[str, str], list[LivePod]] = defaultdict(list)
        for each in (each for holders in self.holders.values() for each in holders):
            if each.deployment:
                rollouts[each.about.namespace, each.deployment].append(each)
        return rollouts

    @cached_property
    def live_pods(self) -> list[LivePod]:
        """All pods that concern GPUs, the agents too."""
        return [pod_of(each) for each in self.dump.of_kind("Pod")]

    @cached_property
    def pods(self) -> list[LivePod]:
        """The pods that want GPUs, and the controllers of such pods that have made none, without the agents. Pods that
        have succeeded or are past are left out."""
        past = {id(each) for each in self.past_pods}
        wanting = [each for each in self._wanting if id(each) not in past]
        return sorted([*wanting, *self._without_pods], key=lambda each: each.about.full_name)

    @cached_property
    def past_pods(self) -> list[LivePod]:
        """The pods that want GPUs and are no part of the diagnosis: somebody has deleted them, or they have failed and
        were replaced."""
        replacements = Replacements(self.live_pods, self.dump.of_kind("Job"))
        return [each for each in self._wanting if each.is_being_deleted or replacements.replace(each)]

    @cached_property
    def _wanting(self) -> list[LivePod]:
        unfinished = (each for each in self.live_pods if each.phase != "Succeeded")
        return [each for each in unfinished if self.uses_gpus(each) and each.agent is None]

    @cached_property
    def _without_pods(self) -> list[LivePod]:
        controllers = [pod_of(each) for each in self.dump.of_kind(*_MAKERS) if self.failed_creations(each)]
        return [each for each in controllers if self.uses_gpus(each) and each.agent is None]

    @property
    def gpu_makers(self) -> list[LivePod]:
        """The controllers of pods that want GPUs, without the agents."""
        makers = map(pod_of, self.dump.of_kind("Deployment", *_MAKERS))
        return [each for each in makers if self.uses_gpus(each) and each.agent is None]

    def failed_creations(self, controller: LiveObject) -> list[LiveObject]:
        """The events by which a controller reports that it can't create its pods, if it lacks pods now."""
        wanted = controller.at("spec", "replicas")
        status = controller.mapping("status")
        wanted = status.get("desiredNumberScheduled") if controller.kind == "DaemonSet" else 1 if wanted is None else wanted
        made = status.get(
            "currentNumberScheduled" if controller.kind == "DaemonSet" else "active" if controller.kind == "Job" else "replicas"
        )
        if (controller.kind == "Job" and _makes_no_pods(controller)) or (
            isinstance(wanted, int) and isinstance(made, int) and made >= wanted
        ):
            return []
        return [each for each in self.events(controller) if each.at("reason") == "FailedCreate"]

    def uses_gpus(self, pod: LivePod) -> bool:
        """Whether a pod uses GPUs: by a limit, NVIDIA's runtime, a variable, or a claim."""
        return pod.uses_gpus or self.claims_gpus(pod)

    def claims_gpus(self, pod: LivePod) -> bool:
        """Whether a claim of the pod is for a device of NVIDIA's, as far as claims and templates were read; without
        them, whether it has any claim."""
        read = self.claims_of(pod)
        return any(map(is_of_nvidia, read)) if read else bool(pod.claims)

    def has_unread_claims(self, pod: LivePod) -> bool:
        """Whether nothing that was read says whose devices a pod wants: it has claims, of which none was read, and no
        limit of GPUs."""
        return bool(pod.claims) and not pod.uses_gpus and not self.claims_of(pod)

    def claims_of(self, pod: LivePod) -> list[LiveObject]:
        """The claims and templates that a pod names, as far as they were read."""
        named = ((kind, pod.about.namespace, name) for kind, name in claims_of(pod))
        return [self.claim_objects[key] for key in named if key in self.claim_objects]

    @cached_property
    def claim_objects(self) -> Mapping[tuple[str, str, str], LiveObject]:
        """The ResourceClaims and ResourceClaimTemplates by kind, namespace and name."""
        return {(each.kind, each.namespace, each.name): each for each in self.dump.of_kind("ResourceClaim", "ResourceClaimTemplate")}

    @cached_property
    def agents(self) -> list[LiveAgent]:
        """The agents of the GPU stack."""
        agents: dict[tuple[str, str, str], LiveAgent] = {}
        for each in self.dump.of_kind("DaemonSet", "Deployment"):
            kind = pod_of(each).agent
            if kind is not None:
                agents[each.kind, each.namespace, each.name] = LiveAgent(kind=kind, workload=each)
        for pod in self.live_pods:
            kind = pod.agent
            if kind is None:
                continue
            controller, name = pod.maker
            if controller == "ReplicaSet":
                key = ("Deployment", pod.about.namespace, pod.deployment)
            else:
                key = (controller or "Pod", pod.about.namespace, name or pod.about.name)
            agents.setdefault(key, LiveAgent(kind=kind, workload=None)).pods.append(pod)
        return list(agents.values())

    def of_agent(self, *kinds: AgentKind) -> list[LiveAgent]:
        """The agents of these kinds."""
        return [each for each in self.agents if each.kind in kinds]

    @cached_property
    def _events(self) -> dict[tuple[str, str, str], list[LiveObject]]:
        events: dict[tuple[str, str, str], list[LiveObject]] = defaultdict(list)
        for each in self.dump.of_kind("Event"):
            about = each.mapping("involvedObject") or each.mapping("regarding")
            events[str(about.get("kind", "")), str(about.get("namespace", "")), str(about.get("name", ""))].append(each)
        return events

    def events(self, about: LiveObject) -> list[LiveObject]:
        """The events about an object."""
        return self._events.get((about.kind, about.namespace, about.name), [])

    def logs(self, pod: LivePod) -> list[Log]:
        """The logs of the pod's containers."""
        named = self._logs.get((pod.about.name, pod.about.namespace), [])
        return [*named, *self._logs.get((pod.about.name, ""), [])]

    def comes_back(self, pod: LivePod) -> bool:
        """Whether an agent that ends soon after each start is up for a moment: it ended with an error, the kubelet held
        its start back, and its node offers no GPU.
        """
        node = self.node(pod.node) if pod.agent is not None else None
        if node is None or node.offer is not None or self.slices.get(pod.node):
            return False
        failed = any((state_of(status, "terminated", "lastState") or {}).get("exitCode") for _, status in pod.statuses)
        return failed and any(each.at("reason") == "BackOff" for each in self.events(pod.about))

    @cached_property
    def current_logs(self) -> list[Log]:
        """The logs of containers and of unknown programs. What a container wrote before its last restart is history
        once the container is ready again."""
        pods = {(each.about.name, each.about.namespace): each for each in self.live_pods}
        return [
            each
            for each in self.dump.logs
            if not each.is_previous
            or (pod := pods.get((each.pod, each.namespace))) is None
            or not pod.is_ready(each.name)
            or self.comes_back(pod)
        ]

    @property
    def all_logs(self) -> Iterator[Log]:
        """The current logs, then those of kernels and of Talos' services."""
        yield from self.current_logs
        for machine in self.dump.machines:
            yield from [machine.kernel_log] if machine.kernel_log else []
            yield from machine.service_logs.values()

    @cached_property
    def _logs(self) -> Mapping[tuple[str, str], list[Log]]:
        logs: dict[tuple[str, str], list[Log]] = defaultdict(list)
        for each in self.current_logs:
            logs[each.pod, each.namespace].append(each)
        return logs


def _makes_no_pods(job: LiveObject) -> bool:
    """Whether a Job is suspended, or has ended in one way or the other."""
    conditions = {each.get("type") for each in job.mappings("status", "conditions") if each.get("status") == "True"}
    return job.at("spec", "suspend") is True or bool(job.at("status", "succeeded")) or bool(conditions & JOB_ENDS)
