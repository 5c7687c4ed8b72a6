"""DeviceClasses that resource claims request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Inputs, KubernetesObject, Path, at, known_str, mappings, question
from .pod_templates import Body, Pod

CLAIM_KINDS = {"resourceClaimTemplateName": "ResourceClaimTemplate", "resourceClaimName": "ResourceClaim"}
"""The kind of the object that each field of a pod's claim names."""


@question
def claimed_classes(inputs: Inputs) -> list[tuple[KubernetesObject, Path, str]]:
    """Every DeviceClass that a claim or a claim template requests, with its path."""
    return [(each, path, name) for each in inputs.of_kind(*CLAIM_KINDS.values()) for path, name in classes_of(each)]


def classes_of(claim: Body) -> Iterator[tuple[Path, str]]:
    """The DeviceClasses that a claim or a claim template requests, each with its path."""
    below: Path = ("spec", "spec") if claim.at("kind") == "ResourceClaimTemplate" else ("spec",)
    for index, request in mappings(claim.at(*below, "devices", "requests")):
        for path, one in _requests(request):
            name = at(one, "deviceClassName")
            if isinstance(name, str):
                yield (*below, "devices", "requests", index, *path, "deviceClassName"), name


def is_of_nvidia(claim: Body) -> bool:
    """Whether a claim or a claim template requests a device of NVIDIA's."""
    return any("nvidia" in name for _, name in classes_of(claim))


def claims_of(pod: Pod[Any]) -> Iterator[tuple[str, str]]:
    """The kind and the name of each claim object that a pod names."""
    for entry in pod.claims:
        for key, kind in CLAIM_KINDS.items():
            if name := known_str(at(entry, key)):
                yield kind, name


def _requests(request: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The parts of a request that name a class: the request itself, since v1beta2 `exactly`, or the entries of `firstAvailable`."""
    yield (), request
    if isinstance(at(request, "exactly"), Mapping):
        yield ("exactly",), request["exactly"]
    for index, one in mappings(at(request, "firstAvailable")):
        yield ("firstAvailable", index), one
