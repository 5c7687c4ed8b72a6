"""Objects by kind, name and namespace, as other objects refer to them."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Inputs, KubernetesObject, Unknown, equals, question, same_namespace


@question
def _indices(_: Inputs) -> dict[str, dict[str | None, list[KubernetesObject]]]:
    return {}


def _of_kind(inputs: Inputs, kind: str) -> Mapping[str | None, list[KubernetesObject]]:
    """The objects of a kind by name, with None for unknown names. Only a kind that a rule asks for has an index: most
    objects are of other kinds."""
    indices = _indices(inputs)
    if kind not in indices:
        indices[kind] = {}
        for each in inputs.of_kind(kind):
            indices[kind].setdefault(each.name if isinstance(each.name, str) else None, []).append(each)
    return indices[kind]


def named(inputs: Inputs, kind: str, name: str) -> list[KubernetesObject]:
    """The objects of this kind and name."""
    return _of_kind(inputs, kind).get(name, [])


def may_have(inputs: Inputs, kind: str, name: str | Unknown, namespace: str | Unknown | None) -> bool:
    """Whether an object of this kind and name exists, or may."""
    if not isinstance(name, str) or inputs.may_hide(kind) or any(each.may_create(kind) for each in inputs.installers):
        return True
    unread = [each for each in _of_kind(inputs, kind).get(None, []) if not equals(each.name, name).is_no]
    return any(not same_namespace(each.namespace, namespace).is_no for each in (*unread, *named(inputs, kind, name)))
