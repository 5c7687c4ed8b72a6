"""Sources of node labels: Kubernetes, Talos and its configurations, NFD, GPU feature discovery, the operator."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...upstream.charts.device_plugin_chart import DISCOVERED_LABELS
from ...upstream.charts.gpu_operator_chart import DEPLOY_LABEL
from ...upstream.charts.nfd_chart import CARD_FIELDS, COMPANION_CLASSES, DEFAULT_CLASSES, DEFAULT_FIELDS, FEATURE_PREFIX, FIELDS
from ...upstream.kubernetes.api import CLOUD_LABEL_DOMAINS
from ...upstream.kubernetes.registries import split_reference
from ...upstream.nvidia.driver_branches import DriverTrack
from ...upstream.nvidia.gpu_resources import CONFIG_LABEL, MIG_CONFIG_LABEL, PRESENT_LABEL
from ...upstream.nvidia.virtual_machines import PASSTHROUGH_WORKLOAD, WORKLOAD_LABEL
from ...upstream.talos.extension_names import LABEL_PREFIX, MODULES, TOOLKIT
from ..agents.agents import GFD, NFD_WORKER, agents, hidden_kinds, may_run
from ..agents.operators import may_run_operator, operators
from ..model import Answer, Inputs, Read, Unknown, at, equals, is_open, known_items, known_list, known_str, mappings, question
from .label_scripts import scripted_labels
from .node import label_text

# The paths of the label fields, of the labelled classes and of the custom rules, below `sources` in a worker's configuration.
_PATHS = (("pci", "deviceLabelFields"), ("pci", "deviceClassWhitelist"), ("custom",))
_CARD_CLASSES = (*CARD_FIELDS["class"], *COMPANION_CLASSES)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Discoverer:
    """An installation of NFD. `fields` are the parts of its PCI labels, and `classes` the beginnings of the classes of the
    devices that have a label, each None if they can't be read; `custom` holds the rules in its worker's configuration, as
    written.
    """

    about: Read
    fields: tuple[str, ...] | None
    classes: tuple[str, ...] | None
    custom: Any

    @property
    def labels(self) -> list[str]:
        """The labels of a node with an NVIDIA card; every likely label if the fields or the classes can't be read."""
        of_card = _CARD_CLASSES
        if self.classes is not None:
            of_card = tuple(each for each in of_card if each.startswith(tuple(map(str.lower, self.classes))))
        every = (
            [("vendor",), DEFAULT_FIELDS]
            if self.fields is None
            else [tuple(each for each in FIELDS if each in self.fields) or DEFAULT_FIELDS]
        )
        return [label for fields in every for label in _card_labels(fields, of_card)] if of_card else []


def _card_labels(fields: tuple[str, ...], classes: tuple[str, ...]) -> list[str]:
    parts: list[list[str]] = [[]]
    for field in fields:
        values = classes if field == "class" else CARD_FIELDS.get(field, ("*",))
        parts = [[*before, value] for before in parts for value in values]
    return [f"{FEATURE_PREFIX}pci-{'_'.join(each)}.present" for each in parts]


@question
def discoverers(inputs: Inputs) -> tuple[Discoverer, ...]:
    """Every installation of NFD in the inputs."""
    result = []
    for agent in agents(inputs):
        if agent.kind == NFD_WORKER:
            if agent.release:
                fields, classes, custom = (agent.value("config", "sources", *path) for path in _PATHS)
            else:
                config = _config(inputs, agent.namespace)
                fields, classes, custom = (at(config, "sources", *path) for path in _PATHS)
            result.append(
                Discoverer(
                    about=agent.about, fields=_texts(fields, DEFAULT_FIELDS), classes=_texts(classes, DEFAULT_CLASSES), custom=custom
                )
            )
    return tuple(result)


def _texts(written: Any, default: tuple[str, ...]) -> tuple[str, ...] | None:
    if written is None:
        return default
    if is_open(written) or not isinstance(written, list) or not all(isinstance(each, str) for each in written):
        return None
    return tuple(known_list(written))


def _config(inputs: Inputs, namespace: str | Unknown | None) -> Any:
    """The configuration in a worker's ConfigMap, from the worker's namespace; an `Unknown` if the ConfigMap can't be
    read."""
    from ...yaml.load import YamlError, documents  # only a rendered NFD needs it

    for each in inputs.of_kind("ConfigMap"):
        text = each.at("data", "nfd-worker.conf")
        if isinstance(text, str) and equals(each.namespace, namespace).is_yes:
            try:
                return next(documents(text), None)
            except YamlError:
                break
    return Unknown()


Values = frozenset[str] | None
"""The values of a label; None: any."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class NodeLabels:
    """The labels that something in the inputs sets on nodes.

    `values` maps a key to its values. `inventory` says whether the labels of nodes were read, from configurations or
    Nodes: a described class names only the labels by which pods select it. `open` says whether some of these labels
    can't be read. `operator`, `feature_discovery` and `nfd` say whether the component runs, or may. `infrastructure`
    holds the texts of Terraform and Nix, which may set every label that they name.
    """

    values: Mapping[str, Values]
    inventory: bool
    open: bool
    operator: bool
    feature_discovery: bool
    nfd: bool
    extensions: frozenset[str] | None
    infrastructure: tuple[str, ...] = ()

    def makes(self, key: str, values: frozenset[str] | None = None) -> bool:
        """Whether a node may have the label, with one of these values."""
        if self.open:
            return True
        if key in self.values:
            known = self.values[key]
            if known is None or values is None or known & values:
                return True
        return self._set_by_program(key) or self._is_named(key, values)

    def _is_named(self, key: str, values: Values) -> bool:
        """Whether a file of Terraform or Nix names the label; a key that may mean anything with one of these values."""
        if not self.infrastructure:
            return False
        if "/" in key:
            return any(key in text for text in self.infrastructure)
        among = "|".join(map(re.escape, sorted(values or ()))) or r"\w"
        label = re.compile(rf"""\b{re.escape(key)}["']?\s*[:=]\s*["']?(?:{among})\b""")
        return any(label.search(text) for text in self.infrastructure)

    def may_give(self, key: str, value: str | None = None) -> bool:
        """Whether the author sets this label on nodes, with this value, or may."""
        return not self.gives(key, value).is_no

    def gives(self, key: str, value: str | None = None) -> Answer:
        """Whether the author sets this label on nodes, with this value."""
        known = self.values.get(key, frozenset())
        if known and (value is None or value in known):
            return Answer.YES
        return Answer.UNKNOWN if self.open or known is None else Answer.NO

    def _set_by_program(self, key: str) -> bool:
        """Whether the program that sets the label runs, or may, and sets it."""
        if (setter := label_setter(key)) is LabelSetter.OPERATOR:
            return self.operator
        if setter is LabelSetter.FEATURE_DISCOVERY:
            return self.feature_discovery
        if setter is LabelSetter.NFD:
            return self.nfd and not key.startswith(f"{FEATURE_PREFIX}pci-")
        if setter is LabelSetter.TALOS:
            return self.extensions is None or "nvidia" not in key or key.removeprefix(LABEL_PREFIX) in self.extensions
        return setter is LabelSetter.PLATFORM


SET_BY_PEOPLE = (CONFIG_LABEL, MIG_CONFIG_LABEL, WORKLOAD_LABEL)
"""The labels of NVIDIA's that people set to configure a node."""


class LabelSetter(enum.Enum):
    """A program that sets labels of nodes itself: a value that a person writes there is wrong, or does not last."""

    OPERATOR = enum.auto()
    FEATURE_DISCOVERY = enum.auto()
    NFD = enum.auto()
    TALOS = enum.auto()
    PLATFORM = enum.auto()
    """Kubernetes, or a cloud. In the domain of Kubernetes people set labels, too, such as roles."""


def label_setter(key: str) -> LabelSetter | None:
    """The program that sets a label; None for a label that people set."""
    if key == PRESENT_LABEL or key.startswith(DEPLOY_LABEL):
        return LabelSetter.OPERATOR
    if key.startswith(DISCOVERED_LABELS):
        return LabelSetter.FEATURE_DISCOVERY
    if key.startswith(FEATURE_PREFIX):
        return LabelSetter.NFD
    if key.startswith(LABEL_PREFIX):
        return LabelSetter.TALOS
    domain = key.rpartition("/")[0]
    is_of_platform = any(domain == own or domain.endswith(f".{own}") for own in CLOUD_LABEL_DOMAINS)
    return LabelSetter.PLATFORM if is_of_platform else None


@question
def labels_of_nodes(inputs: Inputs) -> NodeLabels:
    """The node labels that the inputs set."""
    label_values: dict[str, set[str] | None] = {}
    unread = False
    for key, value in _explicit_labels(inputs):
        if not isinstance(key, str):
            unread = True
        elif value is None or (key in label_values and label_values[key] is None):
            label_values[key] = None
        else:
            label_values.setdefault(key, set()).add(value)  # type: ignore[union-attr]  # the None above
    nfds = discoverers(inputs)
    for nfd in nfds:
        for key in nfd.labels:
            label_values[key] = None
    return NodeLabels(
        values={key: None if values is None else frozenset(values) for key, values in label_values.items()},
        inventory=bool(inputs.of_kind("Node")) or any(each.labels is not None for each in inputs.node_configs),
        open=unread or inputs.may_hide(*_LABEL_KINDS) or NFD_WORKER in hidden_kinds(inputs),
        operator=may_run_operator(inputs),
        feature_discovery=_has_feature_discovery(inputs),
        nfd=may_run(inputs, NFD_WORKER),
        extensions=_extensions(inputs),
        infrastructure=inputs.infrastructure,
    )


_LABEL_KINDS = ("Node", "NodeFeatureRule", "KubeNodeConfig", "ConfigPatch", "Machine", "Cluster")

_NodeLabel = tuple[str | Unknown, str | None]
"""A label's key and its value; None stands for any value, and an unknown key for further labels."""


def _explicit_labels(inputs: Inputs) -> Iterator[_NodeLabel]:
    """The labels that configurations, nodes, rules and the user set explicitly."""
    for key, values in inputs.outside_labels.items():
        yield from ((key, value) for value in values)
    for config in inputs.node_configs:
        yield from _of_running_agents(list(_labels(config.labels)))
    for nodes in inputs.all_nodes:
        yield from _of_running_agents(list(nodes.node_labels.items()))
        if not nodes.node_selector:
            yield PRESENT_LABEL, "true"
    for node in inputs.of_kind("Node"):
        yield from _labels(node.at("metadata", "labels"))
    for rule in inputs.of_kind("NodeFeatureRule"):
        yield from _of_rules(rule.at("spec", "rules"))
    for nfd in discoverers(inputs):
        yield from _of_rules(nfd.custom)
    yield from scripted_labels(inputs)


def _of_running_agents(labels: Sequence[_NodeLabel]) -> Sequence[_NodeLabel]:
    """The labels of one node, without that of the device plugin where virtual machines have the GPUs."""
    if not any(equals(key, WORKLOAD_LABEL).is_yes and equals(value, PASSTHROUGH_WORKLOAD).is_yes for key, value in labels):
        return labels
    return [(key, value) for key, value in labels if not equals(key, CONFIG_LABEL).is_yes]


def _labels(labels: Any) -> Iterator[_NodeLabel]:
    yield from ((key, known_str(label_text(value))) for key, value in known_items(labels))
    if is_open(labels):
        yield Unknown(), None


def _of_rules(rules: Any) -> Iterator[_NodeLabel]:
    """The labels that rules of NFD set."""
    if is_open(rules):
        yield Unknown(), None
    for _, each in mappings(rules):
        yield from ((_with_prefix(key) if isinstance(key, str) else key, value) for key, value in _labels(at(each, "labels")))
        if at(each, "labelsTemplate") is not None:
            yield Unknown(), None


def _with_prefix(key: str) -> str:
    """NFD puts its own domain before a label without one."""
    return key if "/" in key else f"{FEATURE_PREFIX}{key}"


def _has_feature_discovery(inputs: Inputs) -> bool:
    running = operators(inputs)
    return (
        may_run(inputs, GFD)
        or any(not each.is_on("gfd", "enabled").is_no for each in running)
        or (may_run_operator(inputs) and not running)
    )


def _extensions(inputs: Inputs) -> frozenset[str] | None:
    """The extensions that Talos sets labels for, None if the extensions of the GPU nodes were not read."""
    known: set[str] = set()
    for config in inputs.node_configs:
        if is_open(config.extensions):
            return None
        known |= {_labelled(each) for each in config.extensions or () if isinstance(each, str)}
    for nodes in inputs.all_nodes:
        if nodes.passthrough is not None:
            continue
        for track in nodes.talos_version.release.drivers if nodes.driver_track is None else [nodes.driver_track]:
            known |= {f"{TOOLKIT}-{track}", f"{MODULES[nodes.kernel_modules]}-{track}"}
    return frozenset(known) if any("nvidia" in each for each in known) else None


def _labelled(extension: str) -> str:
    """The name in an extension's manifest: without author, with a track.

    The Image Factory takes a bare name for LTS.
    """
    name = split_reference(extension).name
    return f"{name}-{DriverTrack.LTS}" if name in (TOOLKIT, *MODULES.values()) else name
