"""The nodes of a rehearsal: one for each class, with mock cards of the described kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.nodes.taints import TaintEffect
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.upstream.nvidia.gpu_resources import PRESENT_LABEL

from .cards import Card
from .class_cards import class_cards, in_words
from .manifests import Manifest, pod_templates
from .node import NodeSpec
from .subject import Subject


@dataclass(frozen=True)
class RehearsedNode:
    """A node that stands for a class."""

    name: str
    nodes: GpuNodes
    talos: str
    """The release of Talos."""
    mock: tuple[Card, ...]
    machine_config: tuple[Manifest, ...]
    labels: Mapping[str, str]
    """The labels of a program that does not run here, the GPU operator."""
    assumed: tuple[str, ...] = ()
    """What the class does not say, and the rehearsal has chosen."""

    @property
    def cards(self) -> str:
        """The cards in words."""
        return in_words(self.mock)

    @property
    def spec(self) -> NodeSpec:
        """The node to start."""
        track = str(self.nodes.track)
        return NodeSpec(name=self.name, talos=self.talos, cards=self.mock, machine_config=self.machine_config, track=track)


def rehearsed_nodes(subject: Subject) -> list[RehearsedNode]:
    """A node for each class. Classes whose cards belong to virtual machines have none, as no container sees the cards."""
    return [_node(each, subject) for each in subject.classes if each.passthrough is None]


def other_node(nodes: Sequence[RehearsedNode], objects: Iterable[Manifest]) -> NodeSpec | None:
    """A node without cards, if some pods tolerate no node of a class; clusters have such nodes for everything else."""
    every = [{each.key for each in node.nodes.taints if each.effect is not TaintEffect.PREFER_NO_SCHEDULE} for node in nodes]
    if not all(every):
        return None
    templates = (template for each in objects if each.get("kind") != "DaemonSet" for template in pod_templates(each))
    if not any(all(taints - _tolerated(template["spec"], taints) for taints in every) for template in templates):
        return None
    return NodeSpec(name="other-1", talos=nodes[0].talos, has_toolkit=False)


def _tolerated(spec: Manifest, taints: set[str]) -> set[str]:
    """The keys of taints that a pod tolerates; a toleration without a key is of every taint."""
    keys = {each.get("key") for each in spec.get("tolerations") or ()}
    return taints if None in keys else {each for each in keys if each}


def _node(nodes: GpuNodes, subject: Subject) -> RehearsedNode:
    config = subject.machine_configs.get(nodes.name)
    if config is None:
        config = tuple(MachineConfigPatch(nodes=nodes, operator=subject.with_operator).documents)
    mock, assumed = class_cards(nodes)
    talos = str(nodes.talos_version) if nodes.talos_version.patch is not None else nodes.talos_version.release.newest
    labels = _labels(nodes, subject)
    return RehearsedNode(f"{nodes.name or 'gpu'}-1", nodes, talos.removeprefix("v"), mock, config, labels, tuple(assumed))


def _labels(nodes: GpuNodes, subject: Subject) -> dict[str, str]:
    """The label of the GPU operator, which does not run here, as far as pods of the class select nodes by it."""
    return {PRESENT_LABEL: "true"} if subject.with_operator and PRESENT_LABEL in nodes.node_labels else {}
