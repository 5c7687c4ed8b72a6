"""Identities of objects: an object and the release that it installs are one, and an ApplicationSet makes its
Applications."""

from __future__ import annotations

from ..model import ChartRelease, Inputs, KubernetesObject, Read, at, question


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


Identity = tuple[str, ...]

_RELEASING = ("HelmRelease", "Application")


def is_released_by_object(release: ChartRelease) -> bool:
    """Whether an object of Flux or Argo CD installs the chart, and not a kustomization, or a chart that wraps it."""
    kind = release.at("kind")
    return isinstance(kind, str) and kind in _RELEASING


def identity(about: Read) -> Identity:
    """The place, the kind and the name of an object; the same for the object and for its releases."""
    written = [text_at(about, "kind"), text_at(about, "metadata", "namespace"), text_at(about, "metadata", "name")]
    if not isinstance(about, KubernetesObject) and not (isinstance(about, ChartRelease) and is_released_by_object(about)):
        written.append(about.label)
    return (about.file, str(about.line_of(())), *written)


def have_one_name(one: Read, other: Read) -> bool:
    """Whether two objects have one kind, namespace and name: the cluster keeps one of them."""
    names = [[text_at(each, *path) for path in (("kind",), ("metadata", "namespace"), ("metadata", "name"))] for each in (one, other)]
    return names[0] == names[1]


def text_at(about: Read, *path: str) -> str:
    """The text at a path, also of an unknown value; empty without a value."""
    value = about.at(*path)
    return "" if value is None else str(value)
