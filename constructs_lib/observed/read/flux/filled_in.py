"""Values that Flux fills in: the literal variables of Kustomizations, and the literal inputs of the Flux Operator's
ResourceSets.

Variables go by the rules of Flux' envsubst (https://github.com/fluxcd/pkg/tree/main/envsubst, read 2026-11-22):
`${var}`, `${var:=default}`, `${var:-default}`, `${var=default}`, and `$$` for a dollar. The values of ConfigMaps and
Secrets (`substituteFrom`) stay unknown, and so do the functions that cut or replace text. A variable without a value
and without a default stays unknown, too: a feature gate of the controller decides between an error and an empty text.

The templates of a ResourceSet are Go templates with the delimiters `<< >>`
(https://fluxoperator.dev/docs/crd/resourceset, read 2026-11-22). Only the values of `inputs` are filled in, as text,
number or boolean. Other expressions stay unknown: conditions, loops, other functions, and the inputs of a
ResourceSetInputProvider.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ....arguments.patterns import pattern
from ....yaml.located import FILLED_IN as FROM
from ....yaml.located import Document, Place, place_of, rewritten, size_of, traced
from ....yaml.unknown import FILLED_IN
from ...model import Unknown, UnknownKey, at, equals, is_given, is_open, known_items, known_str, literal, mappings, source_of
from .. import limits
from ..documents import blocks_opened, documents
from ..files import Files
from ..helm.release_values import Text, within
from ..objects import objects_of

_DISABLED = "kustomize.toolkit.fluxcd.io/substitute"
_VARIABLE = pattern(r"\$\$|\$\{(\w+)(?:(:?=|:-)((?:[^{}]|\$\{[^{}]*\})*))?\}")
# YAML quotes a text with one of these patterns, so that its value stays a string.
_QUOTED = pattern(r"\n|: |:$| #|^[-?] |^\s|\s$")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Variables:
    """The variables of a Kustomization with known values. `complete` is False if there may be others."""

    known: Mapping[str, str]
    complete: bool
    may_write: Callable[[int], bool]
    """Whether so many more characters may be written."""
    places: Mapping[str, Place]
    """The places of the variables."""


def variables_of(kustomization: Document, files: Files) -> Variables | None:
    """The variables that a Kustomization substitutes. None if it has no literal variables."""
    build = at(kustomization.value, "spec", "postBuild")
    written = at(build, "substitute")
    known = {name: text.replace("\n", "") for name, value in known_items(written) if (text := known_str(value)) is not None}
    if not known and not equals(at(build, "substituteStrategy"), "Always").is_yes:
        return None
    is_unread = is_given(at(build, "substituteFrom")) or is_open(build) or is_open(written)
    return Variables(
        known=known,
        complete=not is_unread and not any(isinstance(value, Unknown) for _, value in known_items(written)),
        may_write=lambda characters: files.may_spend(limits.WRITTEN * characters, kustomization.place),
        places={name: place_of(written, (name,), kustomization.place) for name in known},
    )


def substituted(objects: Iterable[Document], variables: Variables | None) -> list[Document]:
    """The objects with their variables substituted. Each object keeps its original value as `written`."""
    if variables is None:
        return list(objects)
    return [
        each if _is_excluded(each) else Document(_substituted(each.value, variables, each.place), each.place, each.value)
        for each in objects
    ]


def parsed(text: str, place: Place) -> Any:
    """The value of a text after substitution, parsed again as YAML: `"${N}"` becomes a number, because YAML does not
    keep its quotes."""
    if FILLED_IN.search(text):
        return Unknown(text)
    if not text:
        return None
    if _QUOTED.search(text) and not text.startswith(("{", "[")):
        return text
    result, _ = documents(text, *place)
    return result[0].value if len(result) == 1 and not isinstance(result[0].value, Unknown) else text


def _is_excluded(each: Document) -> bool:
    return any(equals(at(each.value, "metadata", key, _DISABLED), "disabled").is_yes for key in ("labels", "annotations"))


def _substituted(body: Any, variables: Variables, place: Place) -> Any:
    def scalar(value: Any, where: Place) -> Any:
        if isinstance(value, Text):
            return Text(_with_variables(value, variables))
        if not isinstance(value, Unknown) or "${" not in value.text:
            return value
        text = _with_variables(value.text, variables)
        return text if _QUOTED.search(value.text) and not FILLED_IN.search(text) else parsed(text, where)

    def key(name: Any) -> Any:
        if not isinstance(name, UnknownKey):
            return name
        text = _with_variables(name.text, variables)
        return UnknownKey(text) if FILLED_IN.search(text) else text

    def placed(value: Any, where: Place) -> Place:
        names = _VARIABLE.finditer(value.text) if isinstance(value, Unknown) else ()
        name = next((match[1] for match in names if match[1] in variables.places), None)
        return where if name is None else traced(where, variables.places[name], FROM)

    return rewritten(body, place, scalar, key, placed)


def _with_variables(text: str, variables: Variables) -> str:
    return _VARIABLE.sub(lambda variable: _variable(variable, variables), text)


def _variable(variable: re.Match[str], variables: Variables) -> str:
    if variable[0] == "$$":
        return "$"
    name, operator, default = variable.groups()
    value = variables.known.get(name)
    if value is not None and (value or operator is None):
        return value if variables.may_write(len(value)) else variable[0]
    if operator is not None and (value is not None or variables.complete):
        return _with_variables(default, variables)
    return variable[0]


_MARK = "<<"
_EXPRESSION = pattern(r"<<((?:(?!<<).)*?)>>")
_INPUT = pattern(r"<<-?\s*inputs\.([\w.]+)\s*((?:\|\s*(?:quote|squote|int|bool|toString)\s*)*)-?>>")
_EXCLUDED = "fluxcd.controlplane.io/reconcile"
_IN_A_BLOCK = "the object is within a condition or a loop of a ResourceSet's template"


class _Inputs(NamedTuple):
    """One set of inputs, and whether so many more characters may be written."""

    known: Mapping[str, Any]
    may_write: Callable[[int], bool]


def has_other_inputs(resource_set: Document) -> bool:
    """Whether a ResourceSet has inputs that are not literal, or an input strategy that combines them."""
    spec = at(resource_set.value, "spec")
    return any(is_given(at(spec, key)) for key in ("inputsFrom", "inputStrategy", "steps")) or is_open(at(spec, "inputs"))


def resources(resource_set: Document, files: Files) -> Iterator[Document]:
    """The objects of a ResourceSet, once for each of its literal inputs."""
    spec = at(resource_set.value, "spec")
    size = 10 * size_of(at(spec, "resources")) + len(source_of(at(spec, "resourcesTemplate")) or "")
    for known in _inputs(resource_set):
        inputs = _Inputs(known, lambda characters: files.may_spend(limits.WRITTEN * characters, resource_set.place))
        if not files.may_spend(limits.WRITTEN * size, resource_set.place):
            return
        for each in (*_listed(resource_set, inputs), *_templated(resource_set, inputs, files)):
            if not equals(at(each.value, "metadata", "annotations", _EXCLUDED), "disabled").is_yes:
                yield each


def _inputs(resource_set: Document) -> list[Mapping[str, Any]]:
    """The literal inputs, each with the ResourceSet as its provider. One empty input if the ResourceSet has none."""
    spec, metadata = at(resource_set.value, "spec"), at(resource_set.value, "metadata")
    if is_given(at(spec, "inputStrategy")):
        return []
    provider = {key: at(metadata, key) for key in ("name", "namespace")}
    own: list[Mapping[str, Any]] = [inputs for _, inputs in mappings(at(spec, "inputs"))]
    has_none = not is_given(at(spec, "inputs")) and not is_given(at(spec, "inputsFrom"))
    return [{"provider": provider, **inputs} for inputs in (own or ([{}] if has_none else []))]


def _listed(resource_set: Document, inputs: _Inputs) -> Iterator[Document]:
    """The objects in `spec.resources`."""
    for index, body in mappings(at(resource_set.value, "spec", "resources")):
        place = place_of(resource_set.value, ("spec", "resources", index), resource_set.place)
        yield from objects_of(Document(_with_known(body, inputs, place), place))


def _templated(resource_set: Document, inputs: _Inputs, files: Files) -> Iterator[Document]:
    """The objects in `spec.resourcesTemplate`."""
    path = ("spec", "resourcesTemplate")
    template = source_of(at(resource_set.value, *path))
    if template is None:
        return
    place = within(template, place_of(resource_set.value, path, resource_set.place))
    text = _EXPRESSION.sub(r"{{\1}}", _with_inputs(template, inputs))
    for document in files.embedded(_without_blocks(text, place, files), place, template="{{" in text):
        yield from objects_of(document)


def _without_blocks(text: str, place: Place, files: Files) -> str:
    """The template without documents that begin within a condition or a loop. Line numbers stay the same."""
    lines: list[str] = []
    depth, is_included = 0, True
    for number, line in enumerate(text.split("\n")):
        if line.startswith("---"):
            is_included = depth == 0
            if not is_included:
                files.skip(place[0], _IN_A_BLOCK, place[1] + number)
        depth = max(0, depth + blocks_opened(line))
        lines.append(line if is_included else "")
    return "\n".join(lines)


def _with_known(body: Any, inputs: _Inputs, place: Place) -> Any:
    """A resource with its inputs filled in."""

    def scalar(value: Any, where: Place) -> Any:
        text = literal(value)
        if not isinstance(text, str) or _MARK not in text:
            return value
        text = _with_inputs(text, inputs)
        return Unknown(text) if _MARK in text else parsed(text, where)

    def key(name: Any) -> Any:
        if not isinstance(name, str) or _MARK not in name:
            return name
        text = _with_inputs(name, inputs)
        return UnknownKey(text) if _MARK in text else text

    return rewritten(body, place, scalar, key)


def _with_inputs(text: str, inputs: _Inputs) -> str:
    return _INPUT.sub(lambda expression: _input(expression, inputs), text)


def _input(expression: re.Match[str], inputs: _Inputs) -> str:
    path, functions = expression.groups()
    value = at(inputs.known, *path.split("."))
    if isinstance(value, Unknown) and "${" in value.text and inputs.may_write(len(value.text)):
        return value.text  # an unknown input stays unknown in the object
    text = known_str(value)
    if text is None or not inputs.may_write(len(text)):
        return expression[0]
    return f'"{text}"' if "quote" in functions else text
