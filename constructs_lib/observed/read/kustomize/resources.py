"""An object in a kustomize build, with its earlier identities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...model import at, literal
from ..kubernetes.located_yaml import Document
from ..kubernetes.objects import kind_of
from .fields import group_of


class Identity(NamedTuple):
    """The identity of an object in kustomize: kind, group, name and namespace, before Flux substitutes variables."""

    kind: str
    group: str
    name: str
    namespace: str

    def is_of(self, kind: str, group: str) -> bool:
        """Whether the identity has this kind and group. An empty group matches every group."""
        return self.kind == kind and group in ("", self.group)


def identity(body: Any) -> Identity:
    """The current identity of an object. An object without a namespace is in `default`."""
    metadata = at(body, "metadata")
    name, namespace = (str(literal(at(metadata, key)) or "") for key in ("name", "namespace"))
    return Identity(kind_of(body), group_of(body), name, namespace or "default")


@dataclass(frozen=True, slots=True)
class Resource(Document):
    """An object with its earlier identities, and the prefixes and suffixes that were added to its name."""

    before: tuple[Identity, ...] = ()
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    gets_hash: bool = False
    is_generated: bool = False
    shared: frozenset[tuple[str, str]] = frozenset()
    """The labels and annotations that were set in several fields at once: `labels` or `annotations`, and the key."""


def identities(each: Document) -> list[Identity]:
    """The identities of an object, from the first to the current one."""
    return [*(each.before if isinstance(each, Resource) else ()), identity(each.value)]


def as_resource(each: Document) -> Resource:
    """The document as a `Resource`."""
    return each if isinstance(each, Resource) else Resource(each.value, each.place, each.written)


def remembering(each: Document) -> Resource:
    """The object with its current identity added to the earlier ones."""
    each, now = as_resource(each), identity(each.value)
    return each if now in each.before else replace(each, before=(*each.before, now))
