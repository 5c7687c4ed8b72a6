"""Deployers that delete an object from the cluster when its file leaves the repository, also one that the new files have."""

from __future__ import annotations

from ..observed.model import Inputs, at, known_str, starts_with
from .tree import PlainObject

_FLUX = ("kustomize.toolkit.fluxcd.io/prune", "disabled")
_ARGO = ("argocd.argoproj.io/sync-options", "Prune=false")
_KEPT_BY = {"Kustomization": _FLUX, "Application": _ARGO}
"""The annotation of a live object that each kind of deployer does not delete.

Source: fluxcd/pkg ssa/manager_delete.go (the exclusions are compared with the object in the cluster);
https://fluxcd.io/flux/components/kustomize/kustomizations/#prune,
https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#no-prune-resources (2026-11-28)
"""
_API_OF_FLUX = ("kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/")


def warning(inputs: Inputs, each: PlainObject) -> str:
    """The sentence about a deployer that deletes an object of which the new files have another text.

    Server-side apply leaves the marks of the old deployer on the object. Empty where nothing prunes.
    """
    pruner = inputs.pruners.get(each.read.part, None if _is_of_flux(inputs) else "")
    if pruner == "":
        return ""
    kind = (pruner or "Kustomization").partition(" ")[0]
    annotation = _KEPT_BY.get(kind)
    if annotation is not None and annotation[1] in _values(each, annotation[0]):
        return ""
    who = f"{pruner} deletes" if pruner else "a Kustomization of Flux with prune: true, if one applies this file, deletes"
    other = "" if annotation is None else f", or first let it apply the annotation {annotation[0]}: {annotation[1]} on them"
    return f"{who} from the cluster what leaves its files: put the new file in their place in the same commit{other}"


def _values(each: PlainObject, annotation: str) -> list[str]:
    return (known_str(at(each.body, "metadata", "annotations", annotation)) or "").split(",")


def _is_of_flux(inputs: Inputs) -> bool:
    """Whether objects are of a cluster with Flux, whose Kustomizations may stand in other files."""
    return any(starts_with(each.api_version, api).is_yes for each in inputs.of_kind("Kustomization", "HelmRelease") for api in _API_OF_FLUX)
