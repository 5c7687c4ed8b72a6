"""Node feature discovery: the installations, and the labels that they set on a node with an NVIDIA card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...upstream.charts.nfd_chart import CARD_FIELDS, DEFAULT_FIELDS, FEATURE_PREFIX
from ..model import Inputs, Read, Unknown, at, equals, is_open, known_list, known_str, question
from .agents import NFD_WORKER, agents

# The paths of the label fields and of the custom rules, below `sources` in a worker's configuration.
_FIELDS, _CUSTOM = ("pci", "deviceLabelFields"), ("custom",)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Discoverer:
    """An installation of NFD. `fields` are the parts of its PCI labels, None if they can't be read; `custom` holds the
    rules in its worker's configuration, as written.
    """

    about: Read
    fields: tuple[str, ...] | None
    custom: Any

    @property
    def labels(self) -> list[str]:
        """The labels of a node with an NVIDIA card; every likely label if the fields can't be read."""
        if self.fields is None:
            return [*_labels(("vendor",)), *_labels(DEFAULT_FIELDS)]
        return _labels(self.fields)


def _labels(fields: tuple[str, ...]) -> list[str]:
    parts: list[list[str]] = [[]]
    for field in fields:
        parts = [[*before, value] for before in parts for value in CARD_FIELDS.get(field, ("*",))]
    return [f"{FEATURE_PREFIX}pci-{'_'.join(each)}.present" for each in parts]


@question
def discoverers(inputs: Inputs) -> tuple[Discoverer, ...]:
    """Every installation of NFD in the inputs."""
    result = []
    for agent in agents(inputs):
        if agent.kind == NFD_WORKER:
            if agent.release:
                fields, custom = (agent.value("config", "sources", *path) for path in (_FIELDS, _CUSTOM))
            else:
                config = _config(inputs, agent.namespace)
                fields, custom = (at(config, "sources", *path) for path in (_FIELDS, _CUSTOM))
            result.append(Discoverer(about=agent.about, fields=_fields(fields), custom=custom))
    return tuple(result)


def _fields(fields: Any) -> tuple[str, ...] | None:
    if fields is None:
        return DEFAULT_FIELDS
    if is_open(fields) or not isinstance(fields, list):
        return None
    return tuple(known_str(each) or "" for each in known_list(fields))


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
