"""The versions of a cluster that were read, with the nodes that run them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..checks.report_words import count
from ..observed.agents.agent_kinds import agent_kind
from ..observed.pods.pod_templates import pod_of
from ..upstream.kubernetes.registries import split_reference
from ..upstream.nvidia.agent_programs import AgentKind
from .gpu_cluster import GpuCluster
from .gpu_node import GpuNode
from .report_names import names

_MOST_GROUPS = 2
_AGENTS = (AgentKind.OPERATOR, AgentKind.PLUGIN, AgentKind.DRA)


def versions_read(cluster: GpuCluster) -> str:
    """The versions of Talos, Kubernetes and the driver by node, then those of the agents; empty if none was read."""
    groups: dict[str, list[str]] = defaultdict(list)
    for node in cluster.nodes or cluster.all_nodes:
        groups[", ".join(_of_node(node))].append(node.name)
    groups.pop("", None)
    parts = [f"{versions} on {names(nodes)}" for versions, nodes in list(groups.items())[:_MOST_GROUPS]]
    if len(groups) > _MOST_GROUPS:
        parts.append(f"other versions on {count(sum(map(len, list(groups.values())[_MOST_GROUPS:])), 'node')}")
    parts += [f"{kind} {', '.join(versions)}" for kind in _AGENTS if (versions := _of_agents(cluster, kind))]
    return "; ".join(parts)


def _of_node(node: GpuNode) -> Iterator[str]:
    kubelet = node.node.at("status", "nodeInfo", "kubeletVersion") if node.node else None
    driver = node.machine.driver_version if node.machine else None
    for name, version in (("Talos", node.talos_version), ("Kubernetes", kubelet), ("driver", driver)):
        value = version if isinstance(version, str) else version.value if version else ""
        if value:
            yield f"{name} {value.removeprefix('v')}"


def _of_agents(cluster: GpuCluster, kind: AgentKind) -> list[str]:
    """The tags of the images of an agent, each once."""
    agents = cluster.of_agent(kind)
    pods = [pod for agent in agents for pod in [*agent.pods, *([pod_of(agent.workload)] if agent.workload else [])]]
    containers = [each.body for pod in pods for each in pod.containers if agent_kind([each.body]) is kind]
    tags = (split_reference(f"{each.get('image', '')}").tag for each in containers)
    return list(dict.fromkeys(tag.removeprefix("v") for tag in tags if tag))
