"""Kustomize: what a folder's kustomization makes of its resources, components, generators and charts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..model import ChartRelease, Unknown, at, is_given, literal, mappings, source_of
from ..model.unknown import FILLED_IN
from .files import KUSTOMIZATIONS, Files, exists, is_folder, kustomization_of, normal
from .kubernetes_objects import is_object, kind_of, objects_of
from .kustomize_generators import chart, config_map, named, with_generated
from .kustomize_transformers import annotated, at_fields, labelled, namespaced, patched, replaced, scaled, with_images
from .located_yaml import Document, Map, Place, place_of
from .release_values import first_map, within

_DEEPEST = 50
_MOST = 20_000


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
    """Builds folders, each once, and knows which files it came by, and which of them are held by something, as a ConfigMap or a patch."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.reached: set[Path] = set()
        self.held: set[Path] = set()
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
        if real in self._building or len(self._building) >= _DEEPEST:
            self.files.skip(
                path, "a kustomization that includes itself" if real in self._building else "within more kustomizations than are built"
            )
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
        self.generator_options = at(self.body, "generatorOptions")

    def made(self, before: Built) -> Built:
        built = Built(list(before.documents), list(before.releases))
        for key in ("resources", "bases"):
            for index, written in self.texts(key):
                if len(built.documents) > _MOST:  # two that each name the next two double at every step
                    self.files.skip(self.path, f"more than the {_MOST} objects that are read", self.at(key, index)[1])
                    break
                built.add(self.resource(written, self.at(key, index)))
        for index, entry in mappings(at(self.body, "configMapGenerator")):
            made = config_map(entry, self.generator_options, self.file, self.files, self.at("configMapGenerator", index))
            built.documents = with_generated(built.documents, made, at(entry, "behavior"))
        for index, entry in mappings(at(self.body, "secretGenerator")):
            built.documents.append(named("Secret", entry, self.generator_options, Map(), self.at("secretGenerator", index)))
        for index, entry in mappings(at(self.body, "helmCharts")):
            built.releases.append(chart(self.body, entry, index, self.file, self.files, self.at("helmCharts", index)))
        for _, written in self.texts("components"):
            built = self.kustomize.component(normal(self.folder / written), built)
        for key in ("generators", "namePrefix", "nameSuffix"):
            if is_given(at(self.body, key)):
                self.files.skip(self.path, f"'{key}' of a kustomization is not applied", self.at(key)[1])
        return self.transformed(built)

    def at(self, *path: str | int) -> Place:
        return place_of(self.body, path, self.place)

    def texts(self, key: str) -> list[tuple[int, str]]:
        found = self.body.get(key)
        listed = enumerate(map(literal, found)) if isinstance(found, list) else ()
        return [(index, each) for index, each in listed if isinstance(each, str) and each]

    def file(self, written: str) -> Path:
        path = normal(self.folder / written)
        self.kustomize.reached.add(path)
        self.kustomize.held.add(path)
        return path

    def resource(self, written: str, place: Place) -> Built:
        path = normal(self.folder / written)
        if FILLED_IN.search(written) or (not exists(path) and _is_remote(written)):
            self.files.skip(place[0], f"'{written}' is not among the files", place[1])
        elif is_folder(path):
            return self.kustomize.build(path)
        elif path.name not in KUSTOMIZATIONS:
            return Built(self.kustomize.manifests(path))
        return Built()

    def transformed(self, built: Built) -> Built:
        """What was collected, as kustomize changes it: in its own order, except for what changes no result."""
        found = built.documents
        for index, written in self.texts("patchesStrategicMerge"):
            path = None if "\n" in written else written
            found = patched(found, self.patch(path, written, self.at("patchesStrategicMerge", index)), None)
        found = self.patched(found, "patches")
        namespace, releases = at(self.body, "namespace"), built.releases
        if is_given(namespace):
            found = namespaced(found, namespace, self.at("namespace"))
            releases = [replace(each, namespace=namespace) for each in releases]
        found = self.patched(self.labelled(found), "patchesJson6902")
        for index, entry in mappings(at(self.body, "replicas")):
            found = scaled(found, at(entry, "name"), at(entry, "count"), self.at("replicas", index))
        for index, entry in mappings(at(self.body, "replacements")):
            for _, target in mappings(at(entry, "targets")):
                found = replaced(found, target, self.at("replacements", index))
        for index, written in self.texts("transformers"):
            place = self.at("transformers", index)
            inline = self.files.embedded(written, within(written, place)) if "\n" in written else self.resource(written, place).documents
            for each in inline:
                found = self.by_transformer(found, each) if is_object(each.value) else found
        return Built(with_images(found, at(self.body, "images")), releases)

    def patched(self, found: list[Document], key: str) -> list[Document]:
        for index, entry in mappings(at(self.body, key)):
            patch = self.patch(at(entry, "path"), at(entry, "patch"), self.at(key, index, "patch"))
            found = patched(found, patch, at(entry, "target"))
        return found

    def labelled(self, found: list[Document]) -> list[Document]:
        for _, entry in mappings(at(self.body, "labels")):
            if isinstance(at(entry, "pairs"), Map):
                selectors, templates = at(entry, "includeSelectors") is True, at(entry, "includeTemplates") is True
                found = labelled(found, entry["pairs"], selectors=selectors, templates=templates)
        common, annotations = at(self.body, "commonLabels"), at(self.body, "commonAnnotations")
        found = labelled(found, common, selectors=True, templates=True) if isinstance(common, Map) else found
        return annotated(found, annotations) if isinstance(annotations, Map) else found

    def by_transformer(self, found: list[Document], transformer: Document) -> list[Document]:
        """What a transformer makes that is an object itself."""
        body, place = transformer.value, transformer.place
        namespace = at(body, "metadata", "namespace")
        kind = kind_of(body)
        if kind == "NamespaceTransformer" and isinstance(namespace, str | Unknown):
            return at_fields(namespaced(found, namespace, place), at(body, "fieldSpecs"), namespace, place)
        if kind == "PatchTransformer":
            where = place_of(body, ("patch",), place)
            return patched(found, self.patch(at(body, "path"), at(body, "patch"), where), at(body, "target"))
        self.files.skip(place[0], f"kustomize's {kind} is not applied", place[1])
        return found

    def patch(self, path: Any, text: Any, place: Place) -> list[Document]:
        if isinstance(path, str):
            return self.files.documents(self.file(path))
        source = source_of(text)
        return [] if source is None else self.files.embedded(source, within(source, place))


def _is_remote(written: str) -> bool:
    return "://" in written or "?ref=" in written or written.startswith(("github.com/", "git@"))
