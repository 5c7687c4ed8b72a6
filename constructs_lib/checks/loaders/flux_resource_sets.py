"""Flux Operator: the objects that a ResourceSet makes of its literal inputs; what else its templates are filled with stays unknown.

The templates are those of Go with `<< >>` for marks (https://fluxoperator.dev/docs/crd/resourceset, read 2026-11-22). Of them the values of
`inputs` are filled in, and conditions on them are decided; loops, functions and inputs of providers are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..model import Unknown, at, equals, is_given, is_open, known_str, literal, mappings, source_of
from .files import Files
from .flux_substitution import typed
from .kubernetes_objects import is_of, objects_of
from .located_yaml import Document, Map, Place, Seq, place_of
from .release_values import within

_INPUT = r"""inputs\.([\w.]+)|\(?(?:index|get) inputs "([\w.-]+)"\)?"""
_VALUE = re.compile(rf"<<-?\s*(?:{_INPUT})\s*((?:\|\s*(?:quote|squote|int|toString)\s*)*)-?>>")
_CONTROL = re.compile(r"\s*<<-?\s*(if|else if|else|end|range|with)\b\s*(.*?)\s*-?>>\s*$")
_CONDITION = re.compile(rf"""(not\s+)?(?:(eq)\s+)?(?:{_INPUT})(?:\s+"([^"]*)")?$""")


def is_resource_set(body: Mapping[str, Any]) -> bool:
    """Whether an object is a ResourceSet of the Flux Operator."""
    return is_of(body, "ResourceSet", "fluxcd.controlplane.io/")


def resources(resource_set: Document, files: Files) -> Iterator[Document]:
    """The objects of a ResourceSet, for each of its literal inputs."""
    spec = at(resource_set.value, "spec")
    template, place = (
        source_of(at(spec, "resourcesTemplate")),
        place_of(resource_set.value, ("spec", "resourcesTemplate"), resource_set.place),
    )
    listed = at(spec, "resources")
    for inputs in _inputs(resource_set):
        for index, each in mappings(listed):
            body = _filled(each, inputs, resource_set.place)
            yield from objects_of(Document(body, place_of(resource_set.value, ("spec", "resources", index), resource_set.place)))
        if template is not None:
            text = _text(_decided(template, inputs), inputs).replace("<<", "{{").replace(">>", "}}")
            for document in files.embedded(text, within(template, place), template="{{" in text):
                yield from objects_of(document)


def is_read(resource_set: Document) -> bool:
    """Whether all inputs of a ResourceSet are its own."""
    spec = at(resource_set.value, "spec")
    return not any(is_given(at(spec, key)) for key in ("inputsFrom", "inputStrategy", "steps")) and not is_open(at(spec, "inputs"))


def _inputs(resource_set: Document) -> list[Mapping[str, Any]]:
    """The literal inputs, each with who provides it; one set of none where there are none at all."""
    spec, metadata = at(resource_set.value, "spec"), at(resource_set.value, "metadata")
    if is_given(at(spec, "inputStrategy")):
        return []
    provider = {
        "apiVersion": at(resource_set.value, "apiVersion"),
        "kind": at(resource_set.value, "kind"),
        "name": at(metadata, "name"),
        "namespace": at(metadata, "namespace"),
    }
    own = [each for _, each in mappings(at(spec, "inputs"))] or ([] if is_given(at(spec, "inputsFrom")) else [{}])
    return [{"provider": provider, **each} for each in own]


def _filled(value: Any, inputs: Mapping[str, Any], place: Place) -> Any:
    """A resource with its inputs filled in."""
    if isinstance(value, Map):
        return Map({key: _filled(item, inputs, value.places.get(key, place)) for key, item in value.items()}, value.places)
    if isinstance(value, Seq):
        return Seq([_filled(item, inputs, where) for item, where in zip(value, value.places, strict=True)], value.places)
    text = literal(value)
    if not isinstance(text, str) or "<<" not in text:
        return value
    filled = _text(text, inputs)
    return Unknown(filled) if "<<" in filled or "${" in filled else typed(filled, place)


def _text(text: str, inputs: Mapping[str, Any]) -> str:
    def fill(found: re.Match[str]) -> str:
        value = literal(_input(found, inputs))
        known = known_str(value)
        if known is None:
            return found[0]
        quoted = '"' if "quote" in found[3] else ""
        return f"{quoted}{known}{quoted}"

    return _VALUE.sub(fill, text)


def _input(found: re.Match[str], inputs: Mapping[str, Any], first: int = 1) -> Any:
    dotted, key = found[first], found[first + 1]
    return at(inputs, *dotted.split(".")) if dotted else at(inputs, key)


def _decided(template: str, inputs: Mapping[str, Any]) -> str:
    """A template without the lines of conditions that don't hold, line for line; a condition that can't be decided stays."""
    lines: list[str] = []
    stack: list[_Block] = []
    for line in template.split("\n"):
        control = _CONTROL.match(line)
        word = control[1] if control else ""
        if word in ("if", "range", "with"):
            stack.append(_Block(_holds(control[2], inputs) if control and word == "if" else None))
        elif word in ("else", "else if") and stack:
            stack[-1].turn(_holds(control[2], inputs) if control and word == "else if" else True)
        is_decided = bool(word and stack and stack[-1].is_decided)
        if word == "end" and stack:
            stack.pop()
        is_live = all(block.is_live for block in stack)
        lines.append("" if is_decided or not is_live else line)
    return "\n".join(lines)


class _Block:
    """A condition: whether it was decided, and whether its lines are live."""

    def __init__(self, holds: bool | None) -> None:
        self.is_decided = holds is not None
        self.is_live = holds is not False
        self.was_live = holds is True

    def turn(self, holds: bool | None) -> None:
        """Come to the next branch."""
        if holds is None and not self.was_live:
            self.is_decided = False
        self.is_live = not self.is_decided or (not self.was_live and holds is True)
        self.was_live = self.was_live or holds is True


def _holds(condition: str, inputs: Mapping[str, Any]) -> bool | None:
    """Whether a condition holds, None where that can't be told."""
    found = _CONDITION.match(condition.strip())
    if not found:
        return None
    value = _input(found, inputs, 3)
    if isinstance(value, Unknown):
        return None
    holds = equals(value, found[5]).is_yes if found[2] else bool(value)
    return not holds if found[1] else holds
