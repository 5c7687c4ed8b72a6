"""Machine configurations of running nodes, as `talosctl get machineconfig -o yaml` and `-o json` print them.

The configuration is a text in `spec` (siderolabs/talos pkg/machinery/resources/config/machine_config.go, read 2026-11-22). Of a node's
resources the one with the ID `v1alpha1` is active. The one with the ID `persistent` may be staged, or be behind an active one that is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...model import at, equals, known_str, source_of, text_of
from ..files import Files
from ..helm.release_values import within
from ..kubernetes.located_yaml import Document, Map, place_of
from ..places import in_one_place

LIVE_CONFIG = "MachineConfigs.config.talos.dev"
"""The type of the resource."""
_ACTIVE = "v1alpha1"


class LiveConfig(NamedTuple):
    """The configuration of a running node: its name or address, and its documents."""

    node: str
    documents: list[Document]


def is_live_config(body: Mapping[str, Any]) -> bool:
    """Whether a document is a resource of Talos with a machine configuration."""
    return equals(at(body, "metadata", "type"), LIVE_CONFIG).is_yes


def live_configs(resources: Iterable[Document], files: Files) -> Iterator[LiveConfig]:
    """The active configuration of each node, or else its persistent one."""
    chosen: dict[object, Document] = {}
    for each in resources:
        node: object = known_str(at(each.value, "node")) or each.place
        if node not in chosen or equals(at(each.value, "metadata", "id"), _ACTIVE).is_yes:
            chosen[node] = each
    for each in chosen.values():
        node = text_of(at(each.value, "node"))
        yield LiveConfig(node if isinstance(node, str) else "", _documents(each, files))


def _documents(resource: Document, files: Files) -> list[Document]:
    spec, place = at(resource.value, "spec"), place_of(resource.value, ("spec",), resource.place)
    text = source_of(spec)
    if text is None:  # talosctl before 1.4 printed the configuration as a mapping
        return [Document(spec, place)] if isinstance(spec, Map) else []
    if next(iter(resource.value)) == "node":  # YAML, where the text has its own lines
        return files.embedded(text, within(text, place))
    return [Document(in_one_place(each.value, place), place) for each in files.embedded(text, place)]
