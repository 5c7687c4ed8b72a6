"""DeviceClasses that resource claims request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Inputs, KubernetesObject, Path, at, mappings, question


@question
def claimed_classes(inputs: Inputs) -> list[tuple[KubernetesObject, Path, str]]:
    """Every DeviceClass that a claim or a claim template requests, with its path."""
    classes = []
    for each in inputs.of_kind("ResourceClaim", "ResourceClaimTemplate"):
        below: Path = ("spec", "spec") if each.kind == "ResourceClaimTemplate" else ("spec",)
        for index, request in mappings(each.at(*below, "devices", "requests")):
            for path, one in _requests(request):
                name = at(one, "deviceClassName")
                if isinstance(name, str):
                    classes.append((each, (*below, "devices", "requests", index, *path, "deviceClassName"), name))
    return classes


def _requests(request: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The parts of a request that name a class: the request itself, since v1beta2 `exactly`, or the entries of `firstAvailable`."""
    yield (), request
    if isinstance(at(request, "exactly"), Mapping):
        yield ("exactly",), request["exactly"]
    for index, one in mappings(at(request, "firstAvailable")):
        yield ("firstAvailable", index), one
