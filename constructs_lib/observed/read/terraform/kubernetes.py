"""The objects of the providers hashicorp/kubernetes and gavinbunney/kubectl."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ....yaml.located import Document, Map, Place, Seq
from ....yaml.unknown import source_of
from ..objects import is_object, objects_of
from .computed import argument
from .instances import Instance
from .values import Encoded


def _manifest(instance: Instance) -> Iterator[Document]:
    """The object in a map."""
    value = argument(instance, "manifest")
    if is_object(value):
        yield from objects_of(Document(value, next(iter(value.places.values()), instance.block.place)))


def _yaml(instance: Instance) -> Iterator[Document]:
    """The objects in a text of YAML."""
    written = argument(instance, "yaml_body")
    if isinstance(written, Encoded):
        yield from objects_of(Document(written.value, written.place))
    text, tree = source_of(written), instance.module.tree
    if text is None:
        return
    place = instance.body.lines["yaml_body"]
    begins = tree.origins.get(text, (place[0], place[1] + ("\n" in text)))
    for each in tree.files.embedded(text, begins, template="{{" in text):
        yield from objects_of(each)


def _namespace(instance: Instance) -> Iterator[Document]:
    yield _object("v1", "Namespace", instance)


def _runtime_class(instance: Instance) -> Iterator[Document]:
    fields = Map()
    if "handler" in instance.body.attributes:
        fields = Map({"handler": argument(instance, "handler")}, {"handler": instance.body.lines["handler"]})
    yield _object("node.k8s.io/v1", "RuntimeClass", instance, fields)


def _object(version: str, kind: str, instance: Instance, fields: Map | None = None) -> Document:
    """The object of a resource with `metadata` and these fields."""
    place = instance.block.place
    metadata, where = _metadata(instance)
    body = Map({"apiVersion": version, "kind": kind, "metadata": metadata}, {"apiVersion": place, "kind": place, "metadata": where})
    if fields:
        body.update(fields)
        body.places.update(fields.places)
    return Document(body, place)


def _metadata(instance: Instance) -> tuple[Any, Place]:
    inner = next(instance.body.inner("metadata"), None)
    if inner is None:
        return Map(), instance.block.place
    values = instance.module.value(inner, instance.scope)
    return Map({key: each for key, each in values.items() if not isinstance(each, Seq)}, dict(values.places)), inner.place


KINDS: dict[str, Callable[[Instance], Iterator[Document]]] = {
    "kubernetes_manifest": _manifest,
    "kubectl_manifest": _yaml,
    "kubernetes_namespace": _namespace,
    "kubernetes_namespace_v1": _namespace,
    "kubernetes_runtime_class_v1": _runtime_class,
}
"""The resources that are read as objects."""
