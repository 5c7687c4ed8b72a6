"""Objects by what others refer to them by: their kind, name and namespace."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Inputs, KubernetesObject, Unknown, question


@question
def by_name(inputs: Inputs) -> Mapping[tuple[str, str], list[KubernetesObject]]:
    """Every object by its kind and name."""
    found: dict[tuple[str, str], list[KubernetesObject]] = {}
    for each in inputs.objects:
        found.setdefault((each.kind, each.name), []).append(each)
    return found


@question
def _filled_in_later(inputs: Inputs) -> frozenset[str]:
    """The kinds of which an object's name can't be read: it may be any."""
    return frozenset(each.kind for each in inputs.objects if isinstance(each.at("metadata", "name"), Unknown))


def may_have(inputs: Inputs, kind: str, name: str, namespace: str | None) -> bool:
    """Whether there is an object of this name, as far as names and namespaces can be read."""
    if kind in _filled_in_later(inputs):
        return True
    return any(namespace is None or each.namespace in (None, namespace) for each in by_name(inputs).get((kind, name), ()))
