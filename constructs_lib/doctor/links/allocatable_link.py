"""The link `allocatable` of a GPU node: the Node or a ResourceSlice offers its GPUs, as many as the machine has."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import command
from ...observed.model.evidence import Evidence, Log
from ...observed.model.live_object import LiveObject
from ...symptoms.link import Link
from ...upstream.nvidia.agent_programs import AgentKind
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, MIG_RESOURCE
from ..fault import Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..symptom_faults import symptom_fault, symptom_matches
from .agent_faults import is_ready, pods_for, with_runtime_class

_SLICES = command("kubectl get resourceslices -o yaml")
_DESCRIBE = command("kubectl describe node NODE")
_PENDING = "Pods that ask for a GPU of the node stay Pending"
_PLUGIN_LOG = command("kubectl logs --namespace NAMESPACE POD --all-containers")
_PLUGIN_RESTART = command("kubectl delete pod POD --namespace NAMESPACE").explained("the device plugin lists the cards again")
_HEALTH = "NVIDIA/k8s-device-plugin internal/rm/health.go"


def allocatable(cluster: GpuCluster, node: GpuNode) -> State:
    """The state of the link on a node."""
    slices = cluster.slices.get(node.name, [])
    devices = sum(len(each.mappings("spec", "devices")) for each in slices)
    if node.node is None and not slices:
        return NotSeen(command=_DESCRIBE)
    faults = tuple(_few(node, cluster)) if node.node is not None else ()
    if faults:
        return Broken(faults=faults)
    if node.offer is not None:
        return Healthy(evidence=node.offer)
    if devices:
        return Healthy(evidence=slices[0].evidence(f"{devices} devices", "spec.devices"))
    return _none_offered(cluster, node, slices)


def _few(node: GpuNode, cluster: GpuCluster) -> Iterator[Fault]:
    """The faults of a node that has registered more GPUs than it offers, or that has more cards than it has
    registered."""
    if node.node is None:
        return
    unhealthy = {name: (amount, node.offered.get(name, 0)) for name, amount in node.capacity.items() if amount > node.offered.get(name, 0)}
    if unhealthy:
        yield _unhealthy(cluster, node, node.node, unhealthy)
        return
    cards = node.cards
    whole = node.capacity.get(GPU_RESOURCE, 0)
    is_divided = any(each.startswith(MIG_RESOURCE) for each in node.capacity)
    if cards and 0 < whole < len(cards) and not is_divided and not cluster.slices.get(node.name):
        yield Fault(
            name="fewer-gpus-than-cards",
            cause="The device plugin has registered fewer GPUs than the machine has cards",
            evidence=(node.node.evidence(f"{GPU_RESOURCE}: {whole}", "status.capacity"), *cards[:8]),
            consequence=f"{_PENDING} sooner than need be",
            fix=command("talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e xid -e vfio   # why the driver leaves a card out").followed_by(
                _PLUGIN_RESTART
            ),
            about=_plugin_objects(cluster, node),
            verify=_DESCRIBE,
            source=_HEALTH,
        )


def _unhealthy(cluster: GpuCluster, node: GpuNode, live: LiveObject, amounts: dict[str, tuple[int, int]]) -> Fault:
    lines = tuple(live.evidence(f"{name}: capacity {has}, allocatable {offers}", "status") for name, (has, offers) in amounts.items())
    logs = [node.machine.kernel_log if node.machine else None, *_plugin_logs(cluster, node)]
    match, log = next(symptom_matches(logs, Link.DRIVER, Link.ALLOCATABLE), (None, None))
    if match is not None and log is not None:
        fault = symptom_fault(match, log)
        return Fault(
            name="gpus-unhealthy",
            cause=f"The device plugin has taken unhealthy GPUs out of the node. {fault.cause}",
            evidence=(*lines, log.evidence(match)),
            consequence=_PENDING,
            fix=fault.fix,
            verify=fault.verify,
            source=fault.source,
            rules=fault.rules,
            is_hardware=True,
        )
    return Fault(
        name="gpus-unhealthy",
        cause="The device plugin has registered more GPUs than it calls healthy now: the driver has reported an error (XID) of the others, or the plugin has stopped",
        evidence=lines,
        consequence=_PENDING,
        fix=command(
            "talosctl --nodes ADDRESS dmesg | grep -i xid   # an XID names the error of the card: talos-gpu why tells its remedy"
        ).followed_by(
            _PLUGIN_RESTART.explained(
                "the device plugin lists the cards again; a card that stays unhealthy needs a drain and a reboot of the node"
            )
        ),
        verify=_DESCRIBE,
        source=_HEALTH,
        about=_plugin_objects(cluster, node),
    )


def _plugin_objects(cluster: GpuCluster, node: GpuNode) -> tuple[LiveObject, ...]:
    """The pods of the device plugin on a node."""
    return tuple(each.about for each in pods_for(cluster.of_agent(AgentKind.PLUGIN), node.name))


def _plugin_logs(cluster: GpuCluster, node: GpuNode) -> list[Log]:
    agents = cluster.of_agent(AgentKind.PLUGIN, AgentKind.DRA)
    return [log for pod in pods_for(agents, node.name) for log in cluster.logs(pod)]


def _none_offered(cluster: GpuCluster, node: GpuNode, slices: list[LiveObject]) -> State:
    """The state of a node that offers no GPU: which of its agents should."""
    plugins = [each for each in pods_for(cluster.of_agent(AgentKind.PLUGIN), node.name) if is_ready(each)]
    drivers = [each for each in pods_for(cluster.of_agent(AgentKind.DRA), node.name) if is_ready(each)]
    if node.node is not None and plugins:
        line = node.node.evidence(
            ", ".join(f"{name}: {amount}" for name, amount in node.capacity.items()) or "no nvidia.com/gpu", "status.capacity"
        )
        found = next(symptom_matches(_plugin_logs(cluster, node), *Link), None)
        if found is not None:
            fault = symptom_fault(*found, consequence=_PENDING)
            return Broken(faults=with_runtime_class(cluster, plugins[0], (fault,)))
        return Broken(faults=(_unregistered(line, plugins[0].about),))
    if drivers and (slices or "ResourceSlice" in cluster.dump.listed):
        return Broken(faults=(_no_slice(drivers[0].about.evidence("Ready: True", "status.conditions"), slices),))
    return NotSeen(command=_DESCRIBE.followed_by(_SLICES))


def _unregistered(line: Evidence, plugin: LiveObject) -> Fault:
    return Fault(
        name="no-gpus-registered",
        cause="The device plugin runs on the node and has registered no GPU with the kubelet",
        evidence=(line, plugin.evidence("Ready: True", "status.conditions")),
        consequence=_PENDING,
        fix=_PLUGIN_LOG.followed_by(_PLUGIN_RESTART.explained("helps a plugin that started before the driver")),
        about=(plugin,),
        verify=_DESCRIBE,
        source="NVIDIA/k8s-device-plugin cmd/nvidia-device-plugin/main.go at v0.20.0",
        rules=("TG018", "TG022"),
    )


def _no_slice(ready: Evidence, slices: list[LiveObject]) -> Fault:
    lines = tuple(each.evidence("no devices", "spec.devices") for each in slices)
    return Fault(
        name="no-resource-slice",
        cause="The DRA driver runs on the node and has published no device of it",
        evidence=(ready, *lines),
        consequence="Pods with a claim for a GPU of the node stay Pending",
        fix=command("kubectl logs --namespace dra-driver-nvidia-gpu --selector dra-driver-nvidia-gpu-component=kubelet-plugin -c gpus"),
        verify=command("kubectl get resourceslices"),
        source="https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/",
        rules=("TG031", "TG032"),
    )
