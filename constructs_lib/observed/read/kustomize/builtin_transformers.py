"""The transformers of kustomize that are objects themselves. Each does what a key of a kustomization does, in fields of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....yaml.located import Document, Map, Place, Seq
from ...model import at, is_given, is_unknown, literal, mappings
from ..objects import kind_of
from .fields import Field, configured, with_pairs
from .transformers import namespaced, renamed, scaled, with_images

_NAME = (Field(("metadata", "name")),)


def settings_of(body: Any) -> Map | None:
    """The keys of a kustomization that change objects as a transformer with patches or replacements does; None for another transformer."""
    make = _SETTINGS.get(kind_of(body)) if _is_read(body) else None
    return None if make is None else make(body)


def transformed_by(documents: list[Document], body: Any, place: Place) -> list[Document] | None:
    """The objects after a transformer that changes fields; None where it is not known what the transformer changes."""
    change = _CHANGES.get(kind_of(body)) if _is_read(body) else None
    return None if change is None else change(documents, body, place)


def _is_read(body: Any) -> bool:
    """Whether a transformer is kustomize's own, and each of its fields was read."""
    return literal(at(body, "apiVersion")) == _BUILTIN and not any(map(is_unknown, body.values()))


def _with(body: Any, **keys: str) -> Map:
    """A mapping of the values in the body, by the names that another form has for them."""
    found = {name: at(body, key) for name, key in keys.items()}
    return Map({name: value for name, value in found.items() if value is not None})


def _merged(body: Any) -> Map:
    paths, patches = at(body, "paths"), at(body, "patches")
    return Map({"patchesStrategicMerge": Seq([*(paths or ()), *([patches] if patches else ())])})


def _namespaced(documents: list[Document], body: Any, place: Place) -> list[Document] | None:
    namespace, unset_only = at(body, "metadata", "namespace"), at(body, "unsetOnly") is True
    return (
        namespaced(documents, namespace, place, configured(at(body, "fieldSpecs")), unset_only=unset_only) if is_given(namespace) else None
    )


def _paired(key: str) -> Callable[[list[Document], Any, Place], list[Document] | None]:
    def change(documents: list[Document], body: Any, _: Place) -> list[Document] | None:
        pairs = at(body, key)
        return with_pairs(documents, pairs, configured(at(body, "fieldSpecs"))) if isinstance(pairs, Map) else None

    return change


def _named(side: str) -> Callable[[list[Document], Any, Place], list[Document] | None]:
    def change(documents: list[Document], body: Any, _: Place) -> list[Document] | None:
        return renamed(documents, **{side: at(body, side) or ""}) if configured(at(body, "fieldSpecs")) == _NAME else None

    return change


def _scaled(documents: list[Document], body: Any, place: Place) -> list[Document]:
    return scaled(documents, at(body, "replica", "name"), at(body, "replica", "count"), place, configured(at(body, "fieldSpecs")))


def _imaged(documents: list[Document], body: Any, _: Place) -> list[Document]:
    return with_images(documents, [at(body, "imageTag")], configured(at(body, "fieldSpecs")))


_BUILTIN = "builtin"
_SETTINGS: Mapping[str, Callable[[Any], Map]] = {
    "PatchTransformer": lambda body: Map({"patches": Seq([_with(body, path="path", patch="patch", target="target", options="options")])}),
    "PatchJson6902Transformer": lambda body: Map({"patchesJson6902": Seq([_with(body, path="path", patch="jsonOp", target="target")])}),
    "PatchStrategicMergeTransformer": _merged,
    "ReplacementTransformer": lambda body: Map({"replacements": Seq([each for _, each in mappings(at(body, "replacements"))])}),
}
_CHANGES: Mapping[str, Callable[[list[Document], Any, Place], list[Document] | None]] = {
    "NamespaceTransformer": _namespaced,
    "AnnotationsTransformer": _paired("annotations"),
    "LabelTransformer": _paired("labels"),
    "PrefixTransformer": _named("prefix"),
    "SuffixTransformer": _named("suffix"),
    "ReplicaCountTransformer": _scaled,
    "ImageTagTransformer": _imaged,
}
"""
Source: kubernetes-sigs/kustomize api/internal/builtins, api/internal/plugins/builtinhelpers/builtins.go at v5.8.1 (2026-11-28)
"""
