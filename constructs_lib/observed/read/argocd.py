"""Argo CD's Applications, with the charts that they install and their values, and its ApplicationSets: the Applications
that list, git and matrix generators make. The parameters of other generators are unknown.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path as FilePath
from typing import Any

from ...arguments.patterns import pattern
from ...yaml.located import Document, Map, Place, Seq, place_of, rewritten, size_of
from ..model import Answer, ChartRelease, Path, Unknown, at, is_among, known_items, known_list, known_str, mappings, source_of, text_of
from . import limits
from .files import Files, exists, is_file, is_folder, normal
from .helm.release_values import as_helm_reads, at_path, chart_of, first_map, merged, release_lines, within

Find = Callable[[Any], FilePath | None]
"""A function from a path in the repository to the local path; None if the file is not there."""


def sources(application: Document) -> list[tuple[Path, Map]]:
    """The sources of an Application, with their paths in its body."""
    spec = at(application.value, "spec")
    if not isinstance(spec, Map):
        return []
    several: list[tuple[Path, Map]] = [
        (("spec", "sources", index), each) for index, each in mappings(at(spec, "sources")) if isinstance(each, Map)
    ]
    return several or ([(("spec", "source"), spec["source"])] if isinstance(at(spec, "source"), Map) else [])


def namespace(application: Document) -> str | Unknown | None:
    """The destination namespace of an Application, for objects that name no namespace."""
    written = at(application.value, "spec", "destination", "namespace")
    return written if isinstance(written, Unknown) else known_str(written) or None


def created_namespace(application: Document) -> Document | None:
    """The Namespace that Argo CD creates for an Application with `managedNamespaceMetadata`."""
    path = ("spec", "syncPolicy", "managedNamespaceMetadata")
    metadata, name = at(application.value, *path), namespace(application)
    if not isinstance(metadata, Map) or name is None:
        return None
    place = place_of(application.value, path, application.place)
    own = Map({**metadata, "name": name}, {**metadata.places, "name": place})
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": own}
    return Document(Map(body, dict.fromkeys(body, place)), place)


def release(
    application: Document, path: Path, source: Map, chart: str | Unknown, find: Find, files: Files, beside: FilePath | None = None
) -> ChartRelease:
    """The release of a source with a chart. Values files are in the folder `beside`, or in another source that the
    Application names."""
    helm = at(source, "helm")
    inline = (*path, "helm", "valuesObject" if at(helm, "values") is None or at(helm, "valuesObject") is not None else "values")
    values, complete = _values(application, helm, (*path, "helm"), find, files, beside)
    names = [text_of(each) for each in (at(helm, "releaseName"), at(application.value, "metadata", "name"))]
    return ChartRelease(
        body=application.value,
        chart=chart_of(chart),
        name=next((each for each in names if each is not None), ""),
        namespace=namespace(application),
        version=text_of(at(source, "targetRevision")),
        given=values,
        values_path=inline,
        complete=complete,
        **release_lines(application.value, application.place, values, inline),
    )


def _values(application: Document, helm: Any, path: Path, find: Find, files: Files, beside: FilePath | None) -> tuple[Map, bool]:
    layers: list[Any] = []
    listed, text, inline = at(helm, "valueFiles"), at(helm, "values"), at(helm, "valuesObject")
    complete = not (known_list(at(helm, "fileParameters")) or any(isinstance(each, Unknown) for each in (helm, listed, text, inline)))
    for each in known_list(listed):
        file = _value_file(each, find, beside) if isinstance(each, str) else None
        is_read = file is not None and files.may_spend(limits.WRITTEN * len(files.text(file)), application.place)
        document = first_map(files.documents(file)) if file and is_read else None
        layers.append(document.value if document else None)
        complete = complete and (document is not None or at(helm, "ignoreMissingValueFiles") is True)
    if isinstance(inline, Map):
        layers.append(inline)
    elif (written := source_of(text)) is not None and written.strip():
        document = first_map(files.embedded(written, within(written, _at(application, (*path, "values")))))
        layers.append(document.value if document else None)
        complete = complete and document is not None
    for index, parameter in mappings(at(helm, "parameters")):
        value = at(parameter, "value")
        value = value if at(parameter, "forceString") is True else as_helm_reads(value)
        layer = at_path(known_str(at(parameter, "name")) or "", value, _at(application, (*path, "parameters", index)))
        layers.append(layer)
        complete = complete and layer is not None
    return merged(layers), complete


def _at(application: Document, path: Path) -> Place:
    return place_of(application.value, path, application.place)


def _value_file(written: str, find: Find, beside: FilePath | None) -> FilePath | None:
    """The path of a values file: `$name/path` is in the root of the source of that name, any other path is beside the
    chart."""
    if written.startswith("$"):
        path = find(written.partition("/")[2])
    elif "://" in written:
        return None
    elif written.startswith("/"):
        path = find(written)
    else:
        path = normal(beside / written) if beside else None
    return path if path and is_file(path) else None


_MOST = 5000
_MOST_VALUES = 2_000_000
"""The most values in all Applications of a set."""
_LONGEST = 5000
_LONGEST_PARAMETER = 1000
_PARAMETER = pattern(r"\{\{-?\s*(?:\.|index \.)?([\w.\[\]-]+(?: \d+)?)\s*-?\}\}")
# A chart of Applications writes `{{`{{ path }}`}}` or `{{ "{{" }} path {{ "}}" }}`, so that Helm leaves the parameter to Argo CD.
_LITERAL = pattern(r"""\{\{-?\s*(?:`([^`]*)`|"([^"\\]*)")\s*-?\}\}""")
_INDEX = pattern(r"[0-9]{1,6}")
_CHOICE = pattern(r'\{\{-?\s*if hasKey \. "(\w+)"\s*-?\}\}(.*?)\{\{-?\s*else\s*-?\}\}(.*?)\{\{-?\s*end\s*-?\}\}')


def applications(application_set: Document, root: FilePath | None, files: Files) -> Iterator[Document]:
    """The Applications of an ApplicationSet. The paths of its git generators begin at `root`."""
    spec = at(application_set.value, "spec")
    template = at(spec, "template")
    if not isinstance(template, Map):
        return
    head = {"apiVersion": at(application_set.value, "apiVersion"), "kind": "Application"}
    patch = source_of(at(spec, "templatePatch")) or ""
    generators = _Generators(root, files, application_set.place, min(_MOST, _MOST_VALUES // size_of(template)))
    for parameters in generators.all(at(spec, "generators")):
        application = _filled(template, parameters, application_set.place)
        body = Map({**head, **application}, {**dict.fromkeys(head, application_set.place), **application.places})
        yield Document(_patched(body, patch, parameters, application_set), application_set.place)
    if generators.is_cut:
        label = f"the ApplicationSet {text_of(at(application_set.value, 'metadata', 'name')) or ''}".rstrip()
        files.skip(
            application_set.place[0],
            f"{label} generates more than {generators.most} Applications",
            application_set.place[1],
        )


def _patched(body: Map, patch: str, parameters: Mapping[str, Any], application_set: Document) -> Map:
    """The Application with the two parts of `templatePatch` that can be followed: a source path, and the labels of the
    Namespace."""
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


class _Generators:
    """The generators of one set. They give at most this many parameters in total, with those that a selector leaves
    out."""

    def __init__(self, root: FilePath | None, files: Files, place: Place, most: int) -> None:
        self.root, self.files, self.place, self.most = root, files, place, most
        self.count = 0
        self.is_cut = False

    def all(self, generators: Any) -> Iterator[Mapping[str, Any]]:
        """The parameters of a list of generators."""
        for _, generator in mappings(generators):
            is_selected = _selector(at(generator, "selector"))
            for each in self.of_one(generator):
                self.count += 1
                self.is_cut = self.is_cut or self.count > self.most or not self.files.may_spend(limits.GENERATED, self.place)
                if self.is_cut:
                    return
                if is_selected(each):
                    yield each

    def of_one(self, generator: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        if isinstance(settings := at(generator, "list"), Map):
            yield from (element for _, element in mappings(at(settings, "elements")))
        elif isinstance(settings := at(generator, "git"), Map) and self.root is not None:
            # Folders and files that are not here may be in another repository: their parameters are unknown.
            for each in [*self.of_git(settings, self.root)] or [{}]:
                yield {**each, "values": _filled(settings["values"], each, self.place)} if isinstance(at(settings, "values"), Map) else each
        elif isinstance(settings := at(generator, "matrix"), Map):
            parts = [list(self.all([each])) for _, each in mappings(at(settings, "generators"))]
            yield from ({key: value for each in several for key, value in each.items()} for several in itertools.product(*parts))
        else:
            yield {}

    def of_git(self, git: Map, root: FilePath) -> Iterator[Mapping[str, Any]]:
        entries = [each for _, each in mappings(at(git, "directories"))]
        excluded = {path for each in entries if at(each, "exclude") is True for path in self.glob(root, at(each, "path"))}
        for each in entries:
            if at(each, "exclude") is not True:
                folders = (path for path in self.glob(root, at(each, "path")) if is_folder(path) and path not in excluded)
                yield from ({"path": _path(path, root)} for path in folders)
        for _, each in mappings(at(git, "files")):
            for path in self.glob(root, at(each, "path")):
                for document in self.files.documents(path) if is_file(path) else []:
                    items = document.value if isinstance(document.value, Seq) else [document.value]
                    yield from ({**one, "path": _path(path.parent, root)} for _, one in mappings(items))

    def glob(self, root: FilePath, pattern: Any) -> list[FilePath]:
        """The files and folders of a pattern. Links in place of a wildcard are not followed."""
        parts = pattern.strip("/").split("/") if isinstance(pattern, str) and len(pattern) <= _LONGEST_PARAMETER else []
        if ".." in parts or parts.count("**") > 1 or parts in ([], [""]):
            return []
        paths: list[FilePath] = []
        pending: list[tuple[FilePath, list[str]]] = [(root, parts)]
        while pending:
            folder, rest = pending.pop()
            if not rest:
                paths.append(folder)
            elif "*" not in rest[0] and "?" not in rest[0] and "[" not in rest[0]:
                pending += [(folder / rest[0], rest[1:])] if exists(folder / rest[0]) else []
            else:
                pending += self.matching(folder, rest)
        return sorted(path for path in paths if not self.files.excludes(path))

    def matching(self, folder: FilePath, parts: list[str]) -> Iterator[tuple[FilePath, list[str]]]:
        """The entries of a folder that match the first part, each with the parts for the entries below it."""
        part, *rest = parts
        if part == "**":
            yield folder, rest
        for entry in _entries(folder) if not self.files.excludes(folder) else ():
            if not self.files.may_spend(limits.SEARCHED, self.place):
                self.is_cut = True
                return
            is_inner = entry.is_dir(follow_symlinks=False)
            if part == "**":
                if is_inner and entry.name != ".git":
                    yield folder / entry.name, parts
            elif fnmatchcase(entry.name, part) and (is_inner or not rest):
                yield folder / entry.name, rest


def _entries(folder: FilePath) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []


def _path(path: FilePath, root: FilePath) -> dict[str, Any]:
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


def _filled(template: Any, parameters: Mapping[str, Any], place: Place) -> Any:
    """A template with its parameters filled in. A value with other expressions stays unknown."""

    def fill(match: re.Match[str]) -> str:
        known = _parameter(match[1], parameters)
        return match[0] if known is None else known

    def scalar(value: Any, _: Place) -> Any:
        if not isinstance(value, Unknown) or len(value.text) > _LONGEST:
            return value
        chosen = _LITERAL.sub(lambda match: match[1] or match[2] or "", value.text)
        if parameters and len(chosen) <= _LONGEST_PARAMETER:
            chosen = _CHOICE.sub(lambda match: match[2] if match[1] in parameters else match[3], chosen)
        text = _PARAMETER.sub(fill, chosen)
        return Unknown(text) if "{{" in text or "${" in text else text

    return rewritten(template, place, scalar, lambda key: key)


def _parameter(name: str, parameters: Mapping[str, Any]) -> str | None:
    parts: list[str | int] = [int(each) if _INDEX.fullmatch(each) else each for each in re.split(r"[.\[\] ]+", name.strip(".]")) if each]
    if parts[:1] == ["path"] and len(parts) == 2 and isinstance(parts[1], int):  # noqa: PLR2004  # path[1]
        parts.insert(1, "segments")
    value = at(parameters, *parts)
    if isinstance(value, Mapping):
        value = at(value, "path")
    return value if isinstance(value, str) and len(value) <= _LONGEST_PARAMETER else None
