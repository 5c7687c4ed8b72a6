"""Objects by kind, name and namespace, as other objects refer to them."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Inputs, KubernetesObject, Unknown, equals, is_unknown, question, same_namespace


@question
def by_name(inputs: Inputs) -> Mapping[tuple[str, str], list[KubernetesObject]]:
    """Every object with a readable name, by kind and name."""
    objects: dict[tuple[str, str], list[KubernetesObject]] = {}
    for each in inputs.objects:
        if isinstance(each.name, str):
            objects.setdefault((each.kind, each.name), []).append(each)
    return objects


@question
def _of_unknown_name(inputs: Inputs) -> list[KubernetesObject]:
    return [each for each in inputs.objects if is_unknown(each.name)]


def may_have(inputs: Inputs, kind: str, name: str | Unknown, namespace: str | Unknown | None) -> bool:
    """Whether an object of this kind and name exists, or may."""
    if not isinstance(name, str) or inputs.may_hide(kind):
        return True
    unread = [each for each in _of_unknown_name(inputs) if each.kind == kind and not equals(each.name, name).is_no]
    named = by_name(inputs).get((kind, name), [])
    return any(not same_namespace(each.namespace, namespace).is_no for each in (*unread, *named))
