"""The last steps of a kustomize build, over the objects of all its kustomizations: hashes, references, variables and build metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ....upstream.kubernetes.kustomize_defaults import BUILD_METADATA, LOCAL_CONFIG
from ...model import Unknown, at, known_list, literal, mappings
from ...model.unknown import GAP
from ..kubernetes.located_yaml import Document, Map, Seq
from .fields import Field, group_of, with_pairs
from .names import hashed, referred
from .resources import Resource, identity


def is_local(each: Document) -> bool:
    """Whether an object is for kustomize only (`config.kubernetes.io/local-config`), and is not in the output."""
    value = at(each.value, "metadata", "annotations", LOCAL_CONFIG)
    return literal(value) not in (None, "false") and not (isinstance(value, Unknown) and not value.text)


def finished_documents(documents: Sequence[Document], settings: Sequence[Document], configurations: Iterable[Any]) -> list[Document]:
    """The objects as the cluster gets them. The last of the kustomizations is the outermost one."""
    documents = referred(hashed(documents), configurations)
    if any(at(each.value, "crds") for each in settings):
        documents = _unsure(documents, {known.name for each in documents if isinstance(each, Resource) for known in each.before})
    names = [literal(at(entry, "name")) for each in settings for _, entry in mappings(at(each.value, "vars"))]
    if names:
        known = {f"$({name})" for name in names}
        documents = [replace(each, value=_filled(each.value, known)) for each in documents]
    for word in known_list(at(settings[-1].value, "buildMetadata")) if settings else ():
        where, key = BUILD_METADATA.get(str(literal(word)), ("annotations", ""))
        documents = (
            with_pairs(documents, Map({key: Unknown()}, {key: settings[-1].place}), [Field(("metadata", where), create=True)])
            if key
            else documents
        )
    return [_without_empty(each) for each in documents if not is_local(each)]


def _without_empty(each: Document) -> Document:
    """The object without an empty `annotations`."""
    metadata = at(each.value, "metadata")
    if not isinstance(metadata, Map) or metadata.get("annotations", True):
        return each
    remaining = Map({key: item for key, item in metadata.items() if key != "annotations"}, metadata.places)
    return replace(each, value=Map({**each.value, "metadata": remaining}, each.value.places))


_VARIABLE = re.compile(r"\$\([^()$]*\)")


def _filled(value: Any, names: set[str]) -> Any:
    """The value in which each text with a kustomize variable is unknown."""
    if isinstance(value, Map):
        return Map({key: _filled(item, names) for key, item in value.items()}, value.places)
    if isinstance(value, Seq):
        return Seq([_filled(item, names) for item in value], value.places)
    if not isinstance(value, str):
        return value
    known = _VARIABLE.sub(lambda match: GAP if match[0] in names else match[0], value)
    return value if known == value else Unknown(value, known)


def _unsure(documents: list[Document], names: set[str]) -> list[Document]:
    """The objects, where a renamed object's name in a custom resource is unknown: only the CRD tells if it is a reference."""
    changed = names - {identity(each.value).name for each in documents}
    own = re.compile(r"(|apps|batch|policy|autoscaling|[\w.]+\.k8s\.io)")
    return [
        each
        if own.fullmatch(group_of(each.value))
        else replace(each, value=Map({**each.value, "spec": _doubted(at(each.value, "spec"), changed)}, each.value.places))
        for each in documents
    ]


def _doubted(value: Any, names: set[str]) -> Any:
    if isinstance(value, Mapping):
        return Map({key: _doubted(item, names) for key, item in value.items()}, getattr(value, "places", {}))
    if isinstance(value, Seq):
        return Seq([_doubted(item, names) for item in value], value.places)
    return Unknown(value, GAP) if isinstance(value, str) and value in names else value
