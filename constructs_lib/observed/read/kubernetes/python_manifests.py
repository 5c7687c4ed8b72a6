"""Manifests from a program: they have no file and no line, but the path of their construct."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ....nodes.gpu_nodes import GpuNodes
from ....nodes.talos_version import TalosVersion
from ...model import Inputs, Read, Unknown, UnknownKey, no_place
from ...model.unknown import FILLED_IN
from ..repository import read_documents
from .located_yaml import NO_LINE, Document, Map, Seq

_Read = TypeVar("_Read", bound=Read)


def read_manifests(
    manifests: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    talos: str | TalosVersion | None = None,
    kubernetes: str | None = None,
    nodes: Sequence[GpuNodes] = (),
) -> Inputs:
    """The inputs in manifests, each given with the path of its construct."""
    documents = [Document(_read(manifest), (path, NO_LINE)) for path, manifest in manifests]
    inputs = read_documents(documents, talos=talos, kubernetes=kubernetes, nodes=nodes)
    return replace(
        inputs,
        objects=tuple(map(_without_lines, inputs.objects)),
        of_unknown_kind=tuple(map(_without_lines, inputs.of_unknown_kind)),
        releases=tuple(map(_without_lines, inputs.releases)),
        node_configs=tuple(map(_without_lines, inputs.node_configs)),
        skipped=tuple(replace(each, line=None) for each in inputs.skipped),
    )


def _without_lines(read: _Read) -> _Read:
    """The input without the lines inside a text that it holds, such as the values in a ConfigMap."""
    return read if read.place_at is no_place else replace(read, place_at=no_place)


def _read(value: Any) -> Any:
    """The value as if it had been read from YAML."""
    kind = type(value)
    if kind is str:  # most values: no class has to be looked up
        return Unknown(value) if FILLED_IN.search(value) else value
    if kind is int or kind is bool:
        return value
    if kind is dict or isinstance(value, Mapping):
        result = Map()
        for key, each in value.items():
            text = str(key)
            result[UnknownKey(text) if FILLED_IN.search(text) else text] = _read(each)
        return result
    if isinstance(value, list | tuple):
        return Seq([_read(each) for each in value])
    if isinstance(value, str) and FILLED_IN.search(value):
        return Unknown(value)
    return value
