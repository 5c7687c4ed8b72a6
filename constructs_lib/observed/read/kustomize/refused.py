"""The refusals of kustomize for the text of a kustomization: fields that it does not know, values of another type, and another
kind or version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from ....arguments.spelling import did_you_mean
from ....upstream.kubernetes.kustomize_fields import FIELDS, VERSIONS, Fields, Scalar, Type
from ....yaml.located import Document, Map, Seq
from ....yaml.unknown import FILLED_IN
from ...model import Path, at, known_str
from ..files import Files
from ..helm.release_values import first_map

_GROUP = "kustomize.config.k8s.io/"
_FOLDED = {name.casefold(): name for name in FIELDS}


def kustomization(path: FilePath, files: Files) -> Document | None:
    """The kustomization in a file, with its fields in the case of kustomize: Go's decoder takes any."""
    document = first_map(files.documents(path))
    if document is None or document.value.keys() <= FIELDS.keys():
        return document
    names = {key: _FOLDED.get(key.casefold(), key) for key in document.value if isinstance(key, str)}
    body = {names.get(key, key): value for key, value in document.value.items()}
    places = {names.get(key, key): place for key, place in document.value.places.items()}
    return Document(Map(body, places), document.place, document.written)


def is_component(body: Any) -> bool:
    """Whether a kustomization is a component, which a build takes under `components` only."""
    return known_str(at(body, "kind")) == "Component"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A refusal of kustomize at a path of a kustomization. `by_flux` is what Flux does instead, where it reads the file
    itself; empty if Flux refuses it, too.
    """

    path: Path
    reason: str
    by_flux: str = ""


def refusals(body: Map) -> Iterator[Refusal]:
    """The refusals for the text of a kustomization. None for an object of Flux."""
    group = at(body, "apiVersion")
    if group is None or (known_str(group) or "").startswith(_GROUP):
        if reason := _wrong_head(body):
            yield Refusal((), reason)
        yield from _refused(body, FIELDS, ())


def _wrong_head(body: Map) -> str:
    """Why kustomize refuses the kind or the API version of a kustomization. Empty if it takes them."""
    kind, version = (None if (value := at(body, key)) is None else known_str(value) or "" for key in ("kind", "apiVersion"))
    expected = VERSIONS.get("Kustomization" if kind is None else kind)
    if kind and not expected:
        return f"its kind is '{kind}': 'kind should be Kustomization or Component'"
    if version and expected and version != expected:
        return f"its API version is '{version}': 'apiVersion for {kind or 'Kustomization'} should be {expected}'"
    return ""


_WORDS = {bool: "bool", int: "number", float: "number", str: "string", Map: "object", Seq: "array"}
_TAKEN: Mapping[Scalar, type] = {Scalar.STRING: str, Scalar.BOOL: bool, Scalar.INT: int, Scalar.STRINGS: Seq, Scalar.MAP: Map}


def _refused(value: Any, kind: Type, path: Path) -> Iterator[Refusal]:
    """The unknown fields of a value, and the values of another type than Go's. A null is of any type."""
    found, form = type(value), type(kind)
    if found not in _WORDS or kind is Scalar.ANY or (kind is Scalar.INT and found is float):
        return
    taken = Seq if form is tuple else _TAKEN[kind] if isinstance(kind, Scalar) else Map
    if found is not taken:
        yield _of_other_type(value, taken, path)
    elif found is Seq:
        inside = kind[0] if isinstance(kind, tuple) else Scalar.STRING
        for index, item in enumerate(value):
            if type(item) is not str or inside is not Scalar.STRING:
                yield from _refused(item, inside, (*path, index))
    elif found is Map:
        yield from _refused_fields(value, kind if isinstance(kind, Mapping) else dict.fromkeys(value, Scalar.STRING), path)


def _refused_fields(value: Map, fields: Fields, path: Path) -> Iterator[Refusal]:
    for key, item in value.items():
        is_known = key in fields
        if (is_known and fields[key] is Scalar.STRING and type(item) is str) or not (is_known or isinstance(key, str)):
            continue
        name = key if is_known else next((each for each in fields if each.casefold() == key.casefold()), None)
        if name is not None:
            yield from _refused(item, fields[name], (*path, key))
        elif not FILLED_IN.search(key):
            hint = did_you_mean(key, fields)
            reason = f"there is no field '{key}'{f', {hint}' if hint else ':'} 'json: unknown field \"{key}\"'"
            yield Refusal((*path, key), reason, by_flux="drops the field")


def _of_other_type(value: Any, taken: type, path: Path) -> Refusal:
    word = _WORDS[type(value)]
    field = ".".join(map(str, path))
    reason = (
        f"{field} is {_article(word)}, and a build takes {_article(_WORDS[taken])}: 'json: cannot unmarshal {word} into Go struct field'"
    )
    return Refusal(path, reason, by_flux="reads the value as text" if taken is str and word in ("bool", "number") else "")


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "ao" else f"a {word}"
