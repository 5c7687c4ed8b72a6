"""Manifests from a program: they have no file and no line, but the path of their construct."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ..model import Inputs, Unknown, UnknownKey, no_place
from ..model.unknown import FILLED_IN
from .located_yaml import Document, Map, Seq
from .repository import read_documents


def read_manifests(
    manifests: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    talos: str | TalosVersion | None = None,
    kubernetes: str | None = None,
    nodes: Sequence[GpuNodes] = (),
) -> Inputs:
    """The inputs in manifests, each given with the path of its construct."""
    documents = [Document(_read(manifest), (path, 1)) for path, manifest in manifests]
    inputs = read_documents(documents, talos=talos, kubernetes=kubernetes, nodes=nodes)
    return replace(
        inputs,
        objects=tuple(replace(each, place_at=no_place) for each in inputs.objects),
        of_unknown_kind=tuple(replace(each, place_at=no_place) for each in inputs.of_unknown_kind),
        releases=tuple(replace(each, place_at=no_place) for each in inputs.releases),
        node_configs=tuple(replace(each, place_at=no_place) for each in inputs.node_configs),
        skipped=tuple(replace(each, line=None) for each in inputs.skipped),
    )


def _read(value: Any) -> Any:
    """The value as if it had been read from YAML."""
    kind = type(value)
    if kind is str:  # most values: no class has to be looked up
        return Unknown(value) if FILLED_IN.search(value) else value
    if kind is int or kind is bool:
        return value
    if isinstance(value, Mapping):
        return Map(
            {
                UnknownKey(key) if FILLED_IN.search(key) else key: _read(each)
                for key, each in zip(map(str, value), value.values(), strict=True)
            }
        )
    if isinstance(value, list | tuple):
        return Seq(map(_read, value))
    if isinstance(value, str) and FILLED_IN.search(value):
        return Unknown(value)
    return value
