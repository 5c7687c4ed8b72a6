"""Kustomize: what a folder's kustomization makes of its resources, components, generators and charts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..read import ChartRelease, Unknown, mappings
from .charts import chart_name
from .files import KUSTOMIZATIONS, Files, kustomization_of, normal
from .manifests import objects_of
from .transformers import annotated, labelled, namespaced, patched, scaled, with_images
from .values import Text, first_map, merged, release_lines
from .yaml import Document, Map, Place, place_of


@dataclass(slots=True)
class Built:
    """Objects, and the charts that are rendered among them."""

    documents: list[Document] = field(default_factory=list)
    releases: list[ChartRelease] = field(default_factory=list)

    def add(self, other: Built) -> None:
        """Take what another has as well."""
        self.documents += other.documents
        self.releases += other.releases


class Kustomize:
    """Builds folders, each once, and knows which files it came by."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.reached: set[Path] = set()
        self._built: dict[Path, Built] = {}
        self._building: list[Path] = []

    def build(self, folder: Path) -> Built:
        """What a folder with a kustomization becomes."""
        path = kustomization_of(folder)
        if path is None:
            self.files.skip(folder, "a folder without a kustomization, which a kustomization wants to be one")
            return Built()
        if path not in self._built:
            self._built[path] = self._accumulated(path, Built())
        return self._built[path]

    def _accumulated(self, path: Path, before: Built) -> Built:
        """What a kustomization makes of what is there `before` it: nothing, except for a component."""
        real = path.resolve()
        if real in self._building:
            self.files.skip(path, "a kustomization that includes itself")
            return before
        self.reached.add(path)
        document = first_map(self.files.documents(path))
        if document is None:
            return before
        self._building.append(real)
        try:
            return _Kustomization(self, path, document).made(before)
        finally:
            self._building.pop()

    def component(self, folder: Path, before: Built) -> Built:
        """What a component makes of everything that is there before it."""
        path = kustomization_of(folder)
        return self._accumulated(path, before) if path else before

    def over(self, built: Built, settings: Document, folder: Path) -> Built:
        """What further settings make of what a folder became."""
        return _Kustomization(self, folder / KUSTOMIZATIONS[0], settings).made(built)

    def manifests(self, path: Path) -> list[Document]:
        """The objects of a file."""
        self.reached.add(path)
        return [each for document in self.files.documents(path) for each in objects_of(document)]


class _Kustomization:
    """One kustomization file."""

    def __init__(self, kustomize: Kustomize, path: Path, document: Document) -> None:
        self.kustomize, self.files = kustomize, kustomize.files
        self.path, self.folder = path, path.parent
        self.body, self.place = document.value, document.place

    def made(self, before: Built) -> Built:
        built = Built(list(before.documents), list(before.releases))
        for key in ("resources", "bases"):
            for index, written in self.texts(key):
                built.add(self.resource(written, self.at(key, index)))
        for index, entry in mappings(self.body.get("configMapGenerator")):
            built.documents = self.config_map(built.documents, entry, self.at("configMapGenerator", index))
        for index, entry in mappings(self.body.get("secretGenerator")):
            built.documents.append(_named("Secret", entry, Map(), self.at("secretGenerator", index)))
        for index, entry in mappings(self.body.get("helmCharts")):
            built.releases.append(self.chart(entry, index))
        for _, written in self.texts("components"):
            built = self.kustomize.component(normal(self.folder / written), built)
        for key in ("transformers", "generators", "replacements", "namePrefix", "nameSuffix"):
            if self.body.get(key):
                self.files.skip(self.path, f"'{key}' of a kustomization is not applied", self.at(key)[1])
        return self.transformed(built)

    def at(self, *path: str | int) -> Place:
        return place_of(self.body, path, self.place)

    def texts(self, key: str) -> list[tuple[int, str]]:
        found = self.body.get(key)
        return [(index, each) for index, each in enumerate(found) if isinstance(each, str) and each] if isinstance(found, list) else []

    def file(self, written: str) -> Path:
        path = normal(self.folder / written)
        self.kustomize.reached.add(path)
        return path

    def resource(self, written: str, place: Place) -> Built:
        path = normal(self.folder / written)
        if isinstance(written, Unknown) or (not path.exists() and _is_remote(written)):
            self.files.skip(place[0], f"'{written}' is not among the files", place[1])
        elif path.is_dir():
            return self.kustomize.build(path)
        elif path.name not in KUSTOMIZATIONS:
            return Built(self.kustomize.manifests(path))
        return Built()

    def config_map(self, found: list[Document], entry: Any, place: Place) -> list[Document]:
        data = Map()
        for each in entry.get("files") or []:
            key, _, written = str(each).rpartition("=")
            path = self.file(written)
            data[key or path.name] = Text(self.files.text(path))
            data.places[key or path.name] = (self.files.shown(path), 1)
        for each in entry.get("literals") or []:
            key, _, value = str(each).partition("=")
            data[key], data.places[key] = value, place
        for each in [*(entry.get("envs") or []), *([entry["env"]] if "env" in entry else [])]:
            self.file(str(each))
        made = _named("ConfigMap", entry, Map({"data": data}, {"data": place}), place)
        same = [each for each in found if _identity(each) == _identity(made)]
        if entry.get("behavior") == "merge" and same:
            made = Document(merged([same[0].value, made.value]), same[0].place)
        return [*(each for each in found if each not in same), made]

    def chart(self, entry: Any, index: int) -> ChartRelease:
        path = ("helmCharts", index, "valuesInline")
        layers: list[Any] = []
        complete = True
        more = entry.get("additionalValuesFiles")
        for written in [entry.get("valuesFile"), None, *(more if isinstance(more, list) else [])]:
            if written is None:
                layers.append(entry.get("valuesInline") if len(layers) == 1 else None)
            elif found := first_map(self.files.documents(self.file(str(written)))):
                layers.append(found.value)
            else:
                layers.append(None)
                complete = False
        if entry.get("valuesMerge") == "merge":
            layers[:2] = layers[1::-1]
        elif entry.get("valuesMerge") == "replace" and layers[1]:
            layers[0] = None
        values = merged(layers)
        version = entry.get("version")
        return ChartRelease(
            body=self.body,
            chart=chart_name(str(entry.get("name") or "")),
            name=str(entry.get("releaseName") or entry.get("name") or ""),
            namespace=entry.get("namespace"),
            version=version if isinstance(version, str) else None if version is None else str(version),
            values=values,
            values_path=path,
            complete=complete,
            **release_lines(self.body, self.at("helmCharts", index), values, path),
        )

    def transformed(self, built: Built) -> Built:
        body, found, releases = self.body, built.documents, built.releases
        for index, written in self.texts("patchesStrategicMerge"):
            found = patched(found, self.patch(written if "\n" not in written else None, written, ("patchesStrategicMerge", index)), None)
        for index, entry in mappings(body.get("patches")):
            found = patched(found, self.patch(entry.get("path"), entry.get("patch"), ("patches", index, "patch")), entry.get("target"))
        namespace = body.get("namespace")
        if isinstance(namespace, str) and namespace:
            found = namespaced(found, namespace, self.at("namespace"))
            releases = [replace(each, namespace=namespace) for each in releases]
        for _, entry in mappings(body.get("labels")):
            if isinstance(entry.get("pairs"), Map):
                selectors, templates = entry.get("includeSelectors") is True, entry.get("includeTemplates") is True
                found = labelled(found, entry["pairs"], selectors=selectors, templates=templates)
        if isinstance(body.get("commonLabels"), Map):
            found = labelled(found, body["commonLabels"], selectors=True, templates=True)
        if isinstance(body.get("commonAnnotations"), Map):
            found = annotated(found, body["commonAnnotations"])
        for index, entry in mappings(body.get("patchesJson6902")):
            found = patched(
                found, self.patch(entry.get("path"), entry.get("patch"), ("patchesJson6902", index, "patch")), entry.get("target")
            )
        for index, entry in mappings(body.get("replicas")):
            found = scaled(found, entry.get("name"), entry.get("count"), self.at("replicas", index))
        return Built(with_images(found, body.get("images")), releases)

    def patch(self, path: Any, text: Any, where: tuple[str | int, ...]) -> list[Document]:
        if isinstance(path, str):
            return self.files.documents(self.file(path))
        if not isinstance(text, str):
            return []
        place = self.at(*where)
        return self.files.embedded(text, (place[0], place[1] + 1) if "\n" in text else place)


def _is_remote(written: str) -> bool:
    return "://" in written or "?ref=" in written or written.startswith(("github.com/", "git@"))


def _named(kind: str, entry: Any, rest: Map, place: Place) -> Document:
    names = Map({key: entry[key] for key in ("name", "namespace") if key in entry})
    options = entry.get("options")
    if isinstance(options, Map):
        names.update({key: options[key] for key in ("labels", "annotations") if isinstance(options.get(key), Map)})
    names.places = dict.fromkeys(names, place)
    head = Map({"apiVersion": "v1", "kind": kind, "metadata": names}, dict.fromkeys(("apiVersion", "kind", "metadata"), place))
    return Document(Map({**head, **rest}, {**head.places, **rest.places}), place)


def _identity(each: Document) -> tuple[Any, ...]:
    metadata = each.value.get("metadata")
    return (
        (each.value.get("kind"), metadata.get("name"), metadata.get("namespace")) if isinstance(metadata, Map) else (None, id(each), None)
    )
