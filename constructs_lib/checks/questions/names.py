"""Objects by what others refer to them by: their kind, name and namespace."""

from __future__ import annotations

from collections.abc import Mapping

from ..read import Inputs, KubernetesObject, question


@question
def by_name(inputs: Inputs) -> Mapping[tuple[str, str], list[KubernetesObject]]:
    """Every object by its kind and name."""
    found: dict[tuple[str, str], list[KubernetesObject]] = {}
    for each in inputs.objects:
        found.setdefault((each.kind, each.name), []).append(each)
    return found


def has(inputs: Inputs, kind: str, name: str, namespace: str | None) -> bool:
    """Whether there is an object of this name, as far as namespaces tell."""
    return any(namespace is None or each.namespace in (None, namespace) for each in by_name(inputs).get((kind, name), ()))
