"""The chain of a GPU node and of a GPU pod: its links are walked from bottom to top, up to the first broken one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ..symptoms.link import NODE_LINKS, POD_LINKS, Link
from ..upstream.kubernetes.scheduler_words import UNKNOWN_HANDLER
from ..upstream.talos.features import RUNTIME_CLASS
from .fault import Broken, Fault, Follows, Healthy, NotSeen, State
from .gpu_cluster import GpuCluster
from .gpu_node import GpuNode
from .links.admission_link import admitted
from .links.allocatable_link import allocatable
from .links.driver_link import driver
from .links.image_link import image
from .links.module_link import modules
from .links.plugin_link import plugin
from .links.runtime_link import runtime
from .links.scheduling_link import scheduled
from .links.start_link import started
from .links.visibility_link import seen
from .live_pods import LivePod
from .node_commands import EXTENSIONS

_OF_NODES: Mapping[Link, Callable[[GpuCluster, GpuNode], State]] = {
    Link.IMAGE: image,
    Link.MODULES: modules,
    Link.DRIVER: driver,
    Link.RUNTIME: runtime,
    Link.PLUGIN: plugin,
    Link.ALLOCATABLE: allocatable,
}
_OF_PODS: Mapping[Link, Callable[[GpuCluster, LivePod, Mapping[str, Link]], State]] = {
    Link.ADMITTED: admitted,
    Link.SCHEDULED: scheduled,
    Link.STARTED: started,
    Link.SEEN: seen,
}


_BELOW_PLUGIN = NODE_LINKS[: NODE_LINKS.index(Link.PLUGIN)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """The links of a node or a pod that were walked. The walk ends at the first link that is broken, or that follows
    from a broken link of a node; that of a node without any sign of a GPU at its image."""

    subject: str
    """The name of the node, or the title of the pod."""
    node: str
    """The node itself, or that of the pod; empty for a pod without one."""
    is_of_pod: bool
    states: tuple[tuple[Link, State], ...]

    @property
    def links(self) -> tuple[Link, ...]:
        """All links of a node, or of a pod."""
        return POD_LINKS if self.is_of_pod else NODE_LINKS

    @property
    def is_whole(self) -> bool:
        """Whether each link was shown to hold."""
        states = dict(self.states)
        return all(isinstance(states.get(link), Healthy) for link in self.links)

    @property
    def healthy(self) -> int:
        """The number of links that were shown to hold."""
        return sum(isinstance(state, Healthy) for _, state in self.states)

    @property
    def broken(self) -> tuple[Link, Broken] | None:
        """The link at which the chain is broken."""
        link, state = self.states[-1]
        return (link, state) if isinstance(state, Broken) else None

    @property
    def follows(self) -> Follows | None:
        """The broken nodes that explain the state of a pod."""
        state = self.states[-1][1]
        return state if isinstance(state, Follows) else None

    @property
    def not_seen(self) -> list[tuple[Link, NotSeen]]:
        """The links of which nothing was read."""
        return [(link, state) for link, state in self.states if isinstance(state, NotSeen)]


def walk(cluster: GpuCluster) -> list[Chain]:
    """The chains of all GPU nodes, or of the nodes that may be some, then those of all GPU pods."""
    nodes = [*(_node_chain(cluster, each) for each in cluster.nodes), *map(_unread_chain, cluster.suspects)]
    broken = {each.node: each.broken for each in nodes if each.broken}
    return [*nodes, *(_pod_chain(cluster, each, broken) for each in cluster.pods)]


def _node_chain(cluster: GpuCluster, node: GpuNode) -> Chain:
    states = _until_broken((link, _OF_NODES[link](cluster, node)) for link in NODE_LINKS)
    return Chain(subject=node.name, node=node.name, is_of_pod=False, states=states)


def _unread_chain(node: GpuNode) -> Chain:
    return Chain(subject=node.name, node=node.name, is_of_pod=False, states=((Link.IMAGE, NotSeen(command=EXTENSIONS)),))


def _pod_chain(cluster: GpuCluster, pod: LivePod, broken: Mapping[str, tuple[Link, Broken]]) -> Chain:
    links = {name: link for name, (link, _) in broken.items()}
    states = _until_broken((link, _explained(_OF_PODS[link](cluster, pod, links), pod, broken)) for link in POD_LINKS)
    return Chain(subject=pod.title, node=pod.node, is_of_pod=True, states=states)


def _explained(state: State, pod: LivePod, broken: Mapping[str, tuple[Link, Broken]]) -> State:
    """The state; that of a pod whose node has a broken link follows from the node, unless the pod has a fault of its
    own, or one that this link does not explain."""
    if pod.node not in broken or not isinstance(state, Broken):
        return state
    own = tuple(each for each in state.faults if each.is_of_pod or not _explains(*broken[pod.node], each))
    return Broken(faults=own) if own else Follows(nodes=(pod.node,), evidence=state.faults[0].evidence[0])


_OF_RUNTIME = ("runtime-not-configured", "runtime-program-missing", "cdi-hook", "device-filter")
"""The faults of a start that no device plugin has a part in."""


def _explains(link: Link, broken: Broken, fault: Fault) -> bool:
    """Whether a broken link of the node explains a fault of a pod there."""
    if any(each.name == fault.name and _handlers(each) == _handlers(fault) for each in broken.faults):
        return True
    return fault.name not in _OF_RUNTIME or (link in _BELOW_PLUGIN and _handlers(fault) <= {RUNTIME_CLASS})


def _handlers(fault: Fault) -> set[str]:
    """The handlers that containerd does not know, by the evidence of a fault."""
    return {found["name"] for each in fault.evidence for found in UNKNOWN_HANDLER.finditer(each.text)}


def _until_broken(states: Iterator[tuple[Link, State]]) -> tuple[tuple[Link, State], ...]:
    walked = []
    for link, state in states:
        walked.append((link, state))
        if isinstance(state, Broken | Follows):
            break
    return tuple(walked)
