"""A node as observed: a live Node with its status, a node of Talos' configuration, or a described class of nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...arguments.patterns import pattern
from ...upstream.charts.nfd_chart import FEATURE_PREFIX
from ...upstream.kubernetes.controlled_taints import CORDONED
from ...upstream.nvidia.gpu_resources import is_gpu
from ...upstream.nvidia.virtual_machines import PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD, WORKLOAD_LABEL
from ...upstream.talos.extension_names import LABEL_PREFIX, MODULES, TOOLKIT
from ..model import Answer, NodeConfig, NodeTaint, Unknown, at, known_items, mappings, text_of

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes

HOSTNAME = "kubernetes.io/hostname"
_ANY_VALUE = Unknown()
_EXTENSIONS = tuple(f"{LABEL_PREFIX}{name}" for name in (TOOLKIT, *MODULES.values()))
_CARD_LABEL = pattern(rf"^{re.escape(FEATURE_PREFIX)}pci-(?:[0-9a-f]{{4}}_)?10de(?:[._].*)?\.present$")
_AMOUNT = pattern("[0-9]{1,9}")


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Node:
    """A node, or a class of equal nodes, with its known labels and its taints.

    A live node has a `status`, and no other labels. Of any other node, only the labels in `lacking` are surely not
    there.
    """

    name: str | Unknown
    labels: Mapping[str, Any] | Unknown
    taints: tuple[NodeTaint, ...]
    lacking: frozenset[str] = frozenset()
    status: Mapping[str, Any] | None = None

    def label(self, key: str) -> str | Unknown | None:
        """The value of a label; None if the node surely lacks the label."""
        value = at(self.labels, key)
        if value is not None:
            return label_text(value)
        return None if self.status is not None or key in self.lacking else _ANY_VALUE

    def has(self, key: str) -> Answer:
        """Whether the node has a label."""
        if isinstance(self.labels, Mapping) and key in self.labels:
            return Answer.YES
        return Answer.NO if self.label(key) is None else Answer.UNKNOWN

    @property
    def has_gpus(self) -> bool:
        """Whether an extension, a card or a resource says that the node has GPUs for containers, or should have."""
        labels = dict(known_items(self.labels))
        if labels.get(WORKLOAD_LABEL) in (PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD):
            return False
        return bool(self.capacity) or any(key.startswith(_EXTENSIONS) or is_card_label(key) for key in labels)

    @property
    def keeping_off(self) -> tuple[NodeTaint, ...]:
        """The taints that keep pods off, or may.

        The scheduler only prefers other nodes to one with `PreferNoSchedule`.
        """
        return tuple(each for each in self.taints if each.keeps_off)

    @property
    def capacity(self) -> Mapping[str, int]:
        """The GPUs that a device plugin has registered, by resource."""
        return self._gpus("capacity")

    @property
    def allocatable(self) -> Mapping[str, int]:
        """The GPUs that are registered and healthy, by resource; zeros stay."""
        return self._gpus("allocatable")

    def _gpus(self, field: str) -> Mapping[str, int]:
        amounts = known_items(at(self.status, field))
        return {name: int(f"{amount}") for name, amount in amounts if is_gpu(name) and _AMOUNT.fullmatch(f"{amount}")}


def is_card_label(key: str) -> bool:
    """Whether NFD sets a label on nodes with a card of NVIDIA's."""
    return _CARD_LABEL.match(key) is not None


def label_text(value: Any) -> str | Unknown:
    """A label's value in the cluster. Unknown if a template, or an `@` of NFD's, fills it in later."""
    text = text_of(value)
    return _ANY_VALUE if text is None or (isinstance(text, str) and text.startswith("@")) else text


def live_node(body: Mapping[str, Any]) -> Node:
    """The node of a Node object. A cordon is a taint, also where the taint itself is not there yet."""
    taints = [
        NodeTaint(*(_text(at(each, name)) for name in ("key", "value", "effect"))) for _, each in mappings(at(body, "spec", "taints"))
    ]
    if at(body, "spec", "unschedulable") is True and not any(each.key == CORDONED for each in taints if isinstance(each.key, str)):
        taints.append(NodeTaint(CORDONED, "", "NoSchedule"))
    name, labels, status = at(body, "metadata", "name"), at(body, "metadata", "labels"), at(body, "status")
    return Node(
        name=_text(name),
        labels={} if labels is None else labels,
        taints=tuple(taints),
        status=status if isinstance(status, Mapping) else None,
    )


def configured_node(config: NodeConfig) -> Node:
    """The node, or the group of nodes, of a node configuration."""
    labels = {} if config.labels is None else config.labels
    if isinstance(labels, Mapping) and config.scope == "node" and config.is_hostname:
        labels = {HOSTNAME: config.name, **labels}
    return Node(name=config.name, labels=labels, taints=config.taints or ())


def described_node(nodes: GpuNodes, classes: Sequence[GpuNodes] = ()) -> Node:
    """A node of a described class.

    The class lacks a label that describes another of the `classes`; further labels are unknown.
    """
    labels = nodes.node_labels
    taints = [NodeTaint(each.key, each.value or "", str(each.effect)) for each in nodes.taints]
    lacking = frozenset(key for each in classes for key in each.node_labels if key not in labels)
    return Node(name=Unknown(), labels=labels, taints=tuple(taints), lacking=lacking)


def _text(value: Any) -> str | Unknown:
    return "" if (text := text_of(value)) is None else text
