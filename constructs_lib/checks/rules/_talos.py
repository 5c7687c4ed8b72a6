"""Helpers and example configurations of the rules about node configurations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...observed.model import Inputs, NodeConfig, Path, at, known_items, known_str
from ..rule import Check, Violation

_LABELS: Mapping[str | None, Path] = {None: ("machine", "nodeLabels"), "KubeNodeConfig": ("labels",)}


def once(check: Check) -> Check:
    """A check that reports a violation of a patch once, though the patch reaches many nodes."""

    @functools.wraps(check)
    def checked(inputs: Inputs) -> Iterator[Violation]:
        reported = set()
        for found in check(inputs):
            about = found.about
            key = (about.file_of(found.path) or about.file, about.line_of(found.path), found.message)
            if key not in reported:
                reported.add(key)
                yield found

    return checked


def each_node(check: Callable[[NodeConfig, Inputs], Iterator[Violation]]) -> Check:
    """The check of all node configurations by a check of one; it reports a violation of a patch once."""
    return once(functools.wraps(check)(lambda inputs: (found for config in inputs.node_configs for found in check(config, inputs))))


def declared_labels(config: NodeConfig) -> Iterator[tuple[Path, str, Any]]:
    """The labels with a known key that Talos keeps on a node. A mapping in place of a value is Talos' `$patch:
    delete`."""
    for path, labels in values_at(config, _LABELS):
        for key, value in known_items(labels):
            if isinstance(key, str) and not isinstance(value, Mapping):
                yield path, key, value


def values_at(config: NodeConfig, places: Mapping[str | None, Path]) -> Iterator[tuple[Path, Any]]:
    """The value at the place of each kind of document, with its path."""
    for index, document in config.documents:
        path = places.get(known_str(at(document, "kind")) if "kind" in document else None)
        if path is not None:
            yield ("documents", index, *path), at(document, *path)


def talconfig(node: str, talos: str = "v1.13.9") -> str:
    """A talhelper cluster with one worker; `node` holds further lines of the worker."""
    return f"""\
clusterName: home
talosVersion: {talos}
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
{node}"""


def schematic(*extensions: str) -> str:
    """The schematic of a talhelper node with these extensions."""
    names = "".join(f"            - siderolabs/{name}\n" for name in extensions)
    return f"""\
    schematic:
      customization:
        systemExtensions:
          officialExtensions:
{names}"""


MODULES = "    kernelModules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]\n"
OPEN = ("nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit-production")
