"""Who makes which label of a node: Kubernetes and Talos themselves, node configurations, NFD and its rules, GPU feature discovery, the operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...upstream.charts.device_plugin_chart import DISCOVERED_LABELS, PRESENT_LABEL
from ...upstream.charts.gpu_operator_chart import DEPLOY_LABEL
from ...upstream.charts.nfd_chart import FEATURE_PREFIX
from ...upstream.driver_branches import DriverTrack
from ...upstream.extension_names import LABEL_PREFIX, MODULES, TOOLKIT
from ...upstream.kubernetes_api import CLOUD_LABEL_DOMAINS
from ..model import Inputs, Unknown, mappings, question
from .agents import GFD, agents
from .discoverers import discoverers
from .node_selection import text_of
from .operators import operators

Values = frozenset[str] | None
"""The values that a label is given; None: any."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class NodeLabels:
    """The labels that something in the inputs makes.

    `made` maps a key to its values. `inventory` says whether anything that was read gives nodes labels of their author's choice; `open`
    whether some of those could not be read.
    """

    made: Mapping[str, Values]
    inventory: bool
    open: bool
    operator: bool
    feature_discovery: bool
    nfd: bool
    extensions: frozenset[str] | None

    def makes(self, key: str, values: frozenset[str] | None = None) -> bool:
        """Whether a node may have the label, with one of these values."""
        if self.open or isinstance(key, Unknown):
            return True
        if key in self.made:
            made = self.made[key]
            if made is None or values is None or made & values:
                return True
        return self._made_by_others(key)

    def _made_by_others(self, key: str) -> bool:
        if key == PRESENT_LABEL or key.startswith(DEPLOY_LABEL):
            return self.operator
        if key.startswith(DISCOVERED_LABELS):
            return self.feature_discovery
        if key.startswith(FEATURE_PREFIX):
            return self.nfd and not key.startswith(f"{FEATURE_PREFIX}pci-")
        if key.startswith(LABEL_PREFIX):
            return self.extensions is None or "nvidia" not in key or key.removeprefix(LABEL_PREFIX) in self.extensions
        domain = key.rpartition("/")[0]
        return any(domain == own or domain.endswith(f".{own}") for own in CLOUD_LABEL_DOMAINS)


@question
def node_labels_made(inputs: Inputs) -> NodeLabels:
    """What makes labels of nodes, as far as it was read."""
    made: dict[str, set[str] | None] = {}
    unread = False
    for key, value in _given(inputs):
        if isinstance(key, Unknown):
            unread = True
        elif value is None or isinstance(value, Unknown) or (key in made and made[key] is None):
            made[key] = None
        else:
            made.setdefault(key, set()).add(value)  # type: ignore[union-attr]  # the None above
    nfds = discoverers(inputs)
    for nfd in nfds:
        for key in nfd.labels:
            made[key] = None
    return NodeLabels(
        made={key: None if values is None else frozenset(values) for key, values in made.items()},
        inventory=bool(inputs.nodes) or bool(inputs.of_kind("Node")) or any(each.labels is not None for each in inputs.node_configs),
        open=unread or any(isinstance(each.labels, Unknown) for each in inputs.node_configs),
        operator=bool(operators(inputs)),
        feature_discovery=_has_feature_discovery(inputs),
        nfd=bool(nfds),
        extensions=_extensions(inputs),
    )


def _given(inputs: Inputs) -> Iterator[tuple[str, str | None]]:
    """Labels that somebody wrote down, with their values."""
    for config in inputs.node_configs:
        if isinstance(config.labels, Mapping):
            yield from ((key, text_of(value)) for key, value in config.labels.items())
    for nodes in inputs.nodes:
        yield from nodes.node_labels.items()
        if not nodes.node_selector:
            yield PRESENT_LABEL, "true"
    for node in inputs.of_kind("Node"):
        yield from ((key, text_of(value)) for key, value in node.labels.items())
    for rule in inputs.of_kind("NodeFeatureRule"):
        yield from _of_rules(rule.at("spec", "rules"))
    for nfd in discoverers(inputs):
        yield from _of_rules(nfd.custom)


def _of_rules(rules: Any) -> Iterator[tuple[str, str | None]]:
    """The labels that rules for NFD make."""
    if isinstance(rules, Unknown):
        yield rules, None
    for _, each in mappings(rules):
        labels = each.get("labels")
        yield from ((_with_prefix(key), text_of(value)) for key, value in (labels.items() if isinstance(labels, Mapping) else ()))
        if each.get("labelsTemplate") or isinstance(labels, Unknown):
            yield Unknown(""), None


def _with_prefix(key: str) -> str:
    """NFD puts its own domain before a label without one."""
    return key if "/" in key or isinstance(key, Unknown) else f"{FEATURE_PREFIX}{key}"


def _has_feature_discovery(inputs: Inputs) -> bool:
    return any(each.kind == GFD for each in agents(inputs)) or any(each.is_on("gfd", "enabled") is not False for each in operators(inputs))


def _extensions(inputs: Inputs) -> frozenset[str] | None:
    """The extensions by which Talos labels its nodes, where those of the GPU nodes were read."""
    known: set[str] = set()
    for config in inputs.node_configs:
        if isinstance(config.extensions, Unknown) or any(isinstance(each, Unknown) for each in config.extensions or ()):
            return None
        known |= {_labelled(each) for each in config.extensions or ()}
    for nodes in inputs.nodes:
        known |= {f"{TOOLKIT}-{nodes.driver_track}", f"{MODULES[nodes.kernel_modules]}-{nodes.driver_track}"}
    return frozenset(known) if any("nvidia" in each for each in known) else None


def _labelled(extension: str) -> str:
    """The name in an extension's manifest: without its maker, and on a track (the Image Factory takes a bare name for the LTS one)."""
    name = extension.rpartition("/")[2].partition(":")[0].partition("@")[0]
    return f"{name}-{DriverTrack.LTS}" if name in (TOOLKIT, *MODULES.values()) else name
