"""Claims of devices: the device classes that they ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Inputs, KubernetesObject, Path, at, mappings, question


@question
def claimed_classes(inputs: Inputs) -> list[tuple[KubernetesObject, Path, str]]:
    """Every device class that a claim, or a template of one, asks for, and where."""
    found = []
    for each in inputs.of_kind("ResourceClaim", "ResourceClaimTemplate"):
        below: Path = ("spec", "spec") if each.kind == "ResourceClaimTemplate" else ("spec",)
        for index, request in mappings(each.at(*below, "devices", "requests")):
            for path, one in _requests(request):
                name = at(one, "deviceClassName")
                if isinstance(name, str):
                    found.append((each, (*below, "devices", "requests", index, *path, "deviceClassName"), name))
    return found


def _requests(request: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The ways in which a request names a class: flat, since v1beta2 inside `exactly`, or one of several."""
    yield (), request
    if isinstance(at(request, "exactly"), Mapping):
        yield ("exactly",), request["exactly"]
    for index, one in mappings(at(request, "firstAvailable")):
        yield ("firstAvailable", index), one
