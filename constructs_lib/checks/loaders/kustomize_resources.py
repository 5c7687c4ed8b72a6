"""An object within kustomize, which knows what the object was called before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..model import at, literal
from .kubernetes_objects import kind_of
from .kustomize_fields import group_of
from .located_yaml import Document


class Identity(NamedTuple):
    """What kustomize knows an object by, as it stands before Flux fills anything in."""

    kind: str
    group: str
    name: str
    namespace: str

    def is_of(self, kind: str, group: str) -> bool:
        """Whether it is of a kind; an empty group is any."""
        return self.kind == kind and group in ("", self.group)


def identity(body: Any) -> Identity:
    """What an object is known by now; one that names no namespace is in `default`."""
    metadata = at(body, "metadata")
    name, namespace = (str(literal(at(metadata, key)) or "") for key in ("name", "namespace"))
    return Identity(kind_of(body), group_of(body), name, namespace or "default")


@dataclass(frozen=True, slots=True)
class Resource(Document):
    """An object with its earlier names, and with what was put around its name."""

    before: tuple[Identity, ...] = ()
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    gets_hash: bool = False
    is_generated: bool = False
    shared: frozenset[tuple[str, str]] = frozenset()
    """The labels and annotations that were set in several fields at once."""


def identities(each: Document) -> list[Identity]:
    """What an object was known by, first to last, and is now."""
    return [*(each.before if isinstance(each, Resource) else ()), identity(each.value)]


def as_resource(each: Document) -> Resource:
    """An object of kustomize."""
    return each if isinstance(each, Resource) else Resource(each.value, each.place, each.written)


def remembering(each: Document) -> Resource:
    """An object that will still be known by what it is known by now."""
    each, now = as_resource(each), identity(each.value)
    return each if now in each.before else replace(each, before=(*each.before, now))
