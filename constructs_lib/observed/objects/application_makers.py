"""Argo CD's ApplicationSets, and the Applications that they generate."""

from __future__ import annotations

from ..model import Inputs, KubernetesObject, Read, at, question
from .identities import text_at


@question
def application_sets(inputs: Inputs) -> list[tuple[KubernetesObject, list[KubernetesObject]]]:
    """Every ApplicationSet with its Applications, from the files or from its generators."""
    sets = _of_argo_cd(inputs, "ApplicationSet")
    pairs = [(_maker(application, sets), application) for application in applications(inputs)]
    return [(each, [application for maker, application in pairs if maker is each]) for each in sets]


def applications(inputs: Inputs) -> list[KubernetesObject]:
    """Every Application of Argo CD."""
    return _of_argo_cd(inputs, "Application")


def owning_set(application: Read) -> str:
    """The name of the ApplicationSet that owns an Application of a live cluster; empty without an owner."""
    owners = application.at("metadata", "ownerReferences")
    for owner in owners if isinstance(owners, list) else ():
        kind, name = at(owner, "kind"), at(owner, "name")
        if isinstance(kind, str) and kind == "ApplicationSet" and isinstance(name, str):
            return name
    return ""


def _of_argo_cd(inputs: Inputs, kind: str) -> list[KubernetesObject]:
    return [each for each in inputs.of_kind(kind) if text_at(each, "apiVersion").startswith("argoproj.io/")]


def _maker(application: KubernetesObject, sets: list[KubernetesObject]) -> KubernetesObject | None:
    """The ApplicationSet of an Application; a generated Application has the place of its ApplicationSet."""
    owner = (owning_set(application), text_at(application, "metadata", "namespace"))
    for each in sets:
        is_owner = owner == (text_at(each, "metadata", "name"), text_at(each, "metadata", "namespace"))
        if is_owner or (application.file, application.line_of(())) == (each.file, each.line_of(())):
            return each
    return None
