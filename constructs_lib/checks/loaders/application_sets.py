"""Argo CD's ApplicationSets: the Applications that list, git and matrix generators make. The parameters of other generators are unknown."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..model import Answer, Unknown, at, is_among, known_items, known_list, known_str, mappings, source_of, text_of
from .files import Files, is_file, is_folder
from .located_yaml import Document, Map, Seq

_MOST = 1000
_PARAMETER = re.compile(r"\{\{-?\s*(?:\.|index \.)?([\w.\[\]-]+(?: \d+)?)\s*-?\}\}")
_CHOICE = re.compile(r'\{\{-?\s*if hasKey \. "(\w+)"\s*-?\}\}(.*?)\{\{-?\s*else\s*-?\}\}(.*?)\{\{-?\s*end\s*-?\}\}')


def applications(application_set: Document, root: Path | None, files: Files) -> Iterator[Document]:
    """The Applications of an ApplicationSet. The paths of its git generators begin at `root`."""
    spec = at(application_set.value, "spec")
    template = at(spec, "template")
    if not isinstance(template, Map):
        return
    head = {"apiVersion": at(application_set.value, "apiVersion"), "kind": "Application"}
    patch = source_of(at(spec, "templatePatch")) or ""
    for parameters in itertools.islice(_generated(at(spec, "generators"), root, files), _MOST):
        application = _filled(template, parameters)
        body = Map({**head, **application}, {**dict.fromkeys(head, application_set.place), **application.places})
        yield Document(_patched(body, patch, parameters, application_set), application_set.place)


def _patched(body: Map, patch: str, parameters: Mapping[str, Any], application_set: Document) -> Map:
    """The Application with the two parts of `templatePatch` that can be followed: a source path, and the labels of the Namespace."""
    spec = at(body, "spec")
    if not patch or not isinstance(spec, Map):
        return body
    added: dict[str, Any] = {}
    if "source" not in spec and "sources" not in spec and (path := known_str(at(parameters, "path", "path"))):
        added["source"] = Map({"path": path, "directory": Map({"recurse": True})})
    labels = at(parameters, "managedNamespaceMetadata")
    if "managedNamespaceMetadata" in patch and isinstance(labels, Map):
        added["syncPolicy"] = Map({"managedNamespaceMetadata": labels})
    return Map({**body, "spec": Map({**spec, **added}, {**spec.places, **dict.fromkeys(added, application_set.place)})}, body.places)


def _generated(generators: Any, root: Path | None, files: Files) -> Iterator[Mapping[str, Any]]:
    for _, generator in mappings(generators):
        is_selected = _selector(at(generator, "selector"))
        yield from (each for each in _of_one(generator, root, files) if is_selected(each))


def _of_one(generator: Mapping[str, Any], root: Path | None, files: Files) -> Iterator[Mapping[str, Any]]:
    if isinstance(settings := at(generator, "list"), Map):
        yield from (element for _, element in mappings(at(settings, "elements")))
    elif isinstance(settings := at(generator, "git"), Map) and root is not None:
        # Folders and files that are not here may be in another repository: their parameters are unknown.
        for each in [*_of_git(settings, root, files)] or [{}]:
            yield {**each, "values": _filled(settings["values"], each)} if isinstance(at(settings, "values"), Map) else each
    elif isinstance(settings := at(generator, "matrix"), Map):
        parts = [list(_generated([each], root, files)) for _, each in mappings(at(settings, "generators"))]
        yield from ({key: value for each in several for key, value in each.items()} for several in itertools.product(*parts))
    else:
        yield {}


def _of_git(git: Map, root: Path, files: Files) -> Iterator[Mapping[str, Any]]:
    entries = [each for _, each in mappings(at(git, "directories"))]
    excluded = {path for each in entries if at(each, "exclude") is True for path in _glob(root, at(each, "path"))}
    for each in entries:
        if at(each, "exclude") is not True:
            yield from ({"path": _path(path, root)} for path in _glob(root, at(each, "path")) if is_folder(path) and path not in excluded)
    for _, each in mappings(at(git, "files")):
        for path in _glob(root, at(each, "path")):
            for document in files.documents(path) if is_file(path) else []:
                items = document.value if isinstance(document.value, Seq) else [document.value]
                yield from ({**one, "path": _path(path.parent, root)} for _, one in mappings(items))


def _glob(root: Path, pattern: Any) -> list[Path]:
    if not isinstance(pattern, str) or ".." in pattern or pattern.count("**") > 1 or not (relative := pattern.strip("/")):
        return []
    try:
        return sorted(itertools.islice(root.glob(relative), _MOST))
    except (ValueError, NotImplementedError, OSError):
        return []


def _path(path: Path, root: Path) -> dict[str, Any]:
    relative = path.relative_to(root)
    normalized = re.sub(r"[^a-z0-9]+", "-", relative.name.lower())
    return {"path": str(relative), "basename": relative.name, "basenameNormalized": normalized, "segments": list(relative.parts)}


def _selector(selector: Any) -> Callable[[Mapping[str, Any]], bool]:
    expressions = [each for _, each in mappings(at(selector, "matchExpressions"))]
    labels = at(selector, "matchLabels")

    def selected(parameters: Mapping[str, Any]) -> bool:
        if not parameters:
            return True
        for each in expressions:
            is_in, operator = _is_in(at(parameters, at(each, "key")), known_list(at(each, "values"))), known_str(at(each, "operator"))
            if (operator == "In" and is_in.is_no) or (operator == "NotIn" and is_in.is_yes):
                return False
        return not any(_is_in(at(parameters, key), [value]).is_no for key, value in known_items(labels))

    return selected


def _is_in(value: Any, others: list[Any]) -> Answer:
    """Whether a parameter is one of several values. The comparison is of their texts."""
    return is_among(text_of(value), map(text_of, others))


def _filled(value: Any, parameters: Mapping[str, Any]) -> Any:
    """A template with its parameters filled in. A value with other expressions stays unknown."""
    if isinstance(value, Map):
        return Map({key: _filled(item, parameters) for key, item in value.items()}, value.places)
    if isinstance(value, Seq):
        return Seq([_filled(item, parameters) for item in value], value.places)
    if not isinstance(value, Unknown):
        return value

    def fill(match: re.Match[str]) -> str:
        known = _parameter(match[1], parameters)
        return match[0] if known is None else known

    chosen = _CHOICE.sub(lambda match: match[2] if match[1] in parameters else match[3], value.text) if parameters else value.text
    text = _PARAMETER.sub(fill, chosen)
    return Unknown(text) if "{{" in text or "${" in text else text


def _parameter(name: str, parameters: Mapping[str, Any]) -> str | None:
    parts: list[str | int] = [int(each) if each.isdecimal() else each for each in re.split(r"[.\[\] ]+", name.strip(".]")) if each]
    if parts[:1] == ["path"] and len(parts) == 2 and isinstance(parts[1], int):  # noqa: PLR2004  # path[1]
        parts.insert(1, "segments")
    value = at(parameters, *parts)
    if isinstance(value, Mapping):
        value = at(value, "path")
    return value if isinstance(value, str) else None
