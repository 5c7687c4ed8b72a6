"""Kueue's Topology: the levels of a data centre, as labels of the nodes."""

from __future__ import annotations

from collections.abc import Iterable

from ...arguments.errors import wrong
from ...arguments.names import label_key
from ...arguments.plain_values import texts
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.kubernetes.api import HOSTNAME_LABEL
from ...upstream.programs.cluster_programs import KUEUE_API, MOST_LEVELS
from ..objects import Manifest, manifest


def to_levels(value: Iterable[str] | None, argument: str = "") -> tuple[str, ...]:
    """The labels from the widest domain to the node; empty for None. The node is always the last level."""
    if value is None:
        return ()
    given = [label_key(argument, label) for label in texts(argument, value)]
    if HOSTNAME_LABEL in given[:-1]:
        raise wrong(argument, f"a list of node labels in which {HOSTNAME_LABEL} is the last one", given, "no domain is smaller than a node")
    levels = tuple(given) if given[-1:] == [HOSTNAME_LABEL] else (*given, HOSTNAME_LABEL)
    if len(set(levels)) < len(levels):
        raise wrong(argument, "a list of different node labels", given, "a label is one level")
    if len(levels) > MOST_LEVELS:
        raise wrong(argument, f"a list of at most {MOST_LEVELS} levels with {HOSTNAME_LABEL}", len(levels), "a Topology has no more")
    return levels


def check_topology_nodes(classes: Iterable[GpuNodes], levels: tuple[str, ...]) -> None:
    """Refuse a class whose nodes Kueue could not find, since the flavor of a Topology selects them by labels, and a class
    with `dra`: Kueue places a pod by the requests of its spec, where a claim is no GPU, and by the node's allocatable, which
    has no GPU of DRA.

    Source: kubernetes-sigs/kueue pkg/cache/scheduler/tas_flavor_snapshot.go at v0.19.2 (2026-11-28)
    """
    for nodes in classes:
        if levels and nodes.dra:
            hint = "Kueue does not see the GPUs of DRA when it looks for room on a node"
            raise wrong("nodes", "classes without 'dra' where 'topology' is given", nodes, hint)
        if levels and not nodes.node_selector:
            hint = "Kueue takes a topology only where labels select the nodes of the flavor: give the class a 'name' or 'labels'"
            raise wrong("nodes", "classes with a 'name' or 'labels' where 'topology' is given", nodes, hint)


def kueue_topology(name: str, levels: tuple[str, ...]) -> Manifest:
    """The Topology of a flavor, which has its name."""
    return manifest(KUEUE_API, "Topology", name, spec={"levels": [{"nodeLabel": label} for label in levels]})
