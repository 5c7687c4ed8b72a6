"""Kustomize: builds a folder's kustomization from its resources, components, generators and charts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ....yaml.limits import DEEPEST
from ...model import at, is_given, literal, mappings, source_of
from ...model.unknown import FILLED_IN
from .. import growth
from ..built import Built, finished
from ..files import KUSTOMIZATIONS, Files, exists, is_folder, kustomization_of, normal
from ..helm.release_values import first_map, within
from ..kubernetes.located_yaml import Document, Map, Place, place_of, size_of
from ..kubernetes.objects import is_object, kind_of, objects_of
from .fields import METADATA_LABELS, configured, fields_of
from .finish import is_local
from .generators import chart, generated, with_generated
from .names import renamed
from .patch_targets import skip_unsupported
from .plugins import PLUGINS
from .replacements import replaced
from .sharing import with_shared
from .transformers import namespaced, patched, scaled, with_images

_MOST = 20_000
_USUAL = 1000
"""The characters of a usual object, for the objects that no file has."""


class Kustomize:
    """Builds folders, each once. `reached` are the files that were read, `held` are those with data or patches only."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.reached: set[Path] = set()
        self.held: set[Path] = set()
        self.read = 0
        """The characters of the manifests in all builds. A manifest counts once for each build that includes it."""
        self._built: dict[Path, tuple[Built, int]] = {}
        self._building: list[Path] = []

    def build(self, folder: Path) -> Built:
        """The finished build of a folder with a kustomization."""
        return finished(self.base(folder))

    def base(self, folder: Path) -> Built:
        """The build of a folder as a base of another kustomization: names have no hash yet, and references are unchanged."""
        path = kustomization_of(folder)
        if path is None:
            self.files.skip(folder, "the folder has no kustomization file, but a kustomization lists the folder", is_reference=True)
            return Built()
        if path not in self._built:
            before = self.read
            self._built[path] = self._accumulated(path, Built()), self.read - before
        elif not self._may_read(path, self._built[path][1]):
            return Built()
        return self._built[path][0]

    def _may_read(self, path: Path, size: int) -> bool:
        self.read += size
        return self.files.may_grow(growth.READ_AGAIN, size, path)

    def _accumulated(self, path: Path, before: Built) -> Built:
        """The build of a kustomization on top of the build `before`, which is empty except for a component."""
        real = path.resolve()
        if real in self._building or len(self._building) >= DEEPEST:
            self.files.skip(
                path,
                "the kustomization includes itself"
                if real in self._building
                else f"kustomizations are nested deeper than {DEEPEST} levels",
            )
            return before
        self.reached.add(path)
        document = first_map(self.files.documents(path))
        if document is None:
            return before
        self._building.append(real)
        try:
            return _Kustomization(self, path, document).build(before)
        finally:
            self._building.pop()

    def component(self, folder: Path, before: Built) -> Built:
        """The build `before` with a component applied."""
        path = kustomization_of(folder)
        return self._accumulated(path, before) if path else before

    def over(self, built: Built, settings: Document, folder: Path) -> Built:
        """The build of a folder with further settings applied."""
        return _Kustomization(self, folder / KUSTOMIZATIONS[0], settings).build(built)

    def manifests(self, path: Path) -> list[Document]:
        """The objects of a file."""
        self.reached.add(path)
        documents = self.files.documents(path)
        if not self._may_read(path, len(self.files.text(path))):
            return []
        return [each for document in documents for each in objects_of(document)]


class _Kustomization:
    """One kustomization file, with its build steps."""

    def __init__(self, kustomize: Kustomize, path: Path, document: Document) -> None:
        self.kustomize, self.files = kustomize, kustomize.files
        self.path, self.folder = path, path.parent
        self.body, self.place = document.value, document.place
        self.generator_options = at(self.body, "generatorOptions")
        self.knows_schema = at(self.body, "openapi", "path") is None
        self.size = 0
        """The characters of the collected objects."""

    def build(self, before: Built) -> Built:
        built = Built()
        built.add(before)
        read = self.kustomize.read
        for key in ("resources", "bases"):
            for index, written in self.texts(key):
                if len(built.documents) > _MOST:  # kustomizations that each name the next one twice double at every step
                    self.files.skip(
                        self.path, f"the kustomization has more than {_MOST} objects, and the rest is not read", self.at(key, index)[1]
                    )
                    break
                built.add(self.resource(written, self.at(key, index)))
        for _, written in self.texts("configurations"):
            built.configurations += [each.value for each in self.files.documents(self.file(written))]
        self.generate(built)
        for index, written in self.texts("components"):
            folder = normal(self.folder / written)
            if not self.files.excludes(folder, written, self.at("components", index)):
                built = self.kustomize.component(folder, built)
        built.settings.append(Document(self.body, self.place))
        self.size = self.kustomize.read - read + _USUAL * len(built.documents)
        built = self.transformed(built)
        for each in self.objects("transformers"):
            if self.may_change(size_of(each.value), each.place):
                built.documents = self.by_transformer(built, each)
        return built

    def may_change(self, changes: int, place: Place) -> bool:
        """Whether the kustomization may make this many changes of its objects."""
        return self.files.may_grow(growth.CHANGED, changes * self.size, place)

    def generate(self, built: Built) -> None:
        """Add the objects of generators and the releases of `helmCharts`."""
        for key, kind in (("secretGenerator", "Secret"), ("configMapGenerator", "ConfigMap")):
            for index, entry in mappings(at(self.body, key)):
                if not self.files.may_grow(growth.CHANGED, _USUAL * len(built.documents), self.at(key, index)):
                    break
                resource = generated(kind, entry, self.generator_options, self.file, self.files, self.at(key, index))
                built.documents = with_generated(built.documents, resource, at(entry, "behavior"))
        for index, entry in mappings(at(self.body, "helmCharts")):
            built.releases.append(chart(self.body, entry, index, self.file, self.files, self.at("helmCharts", index)))
        for each in self.objects("generators"):
            kind = kind_of(each.value).removesuffix("Generator")
            if kind not in ("ConfigMap", "Secret"):
                self.files.skip(each.place[0], f"kustomize's {kind_of(each.value)} is not supported, and is not applied", each.place[1])
                continue
            entry = Map({**each.value, **at(each.value, "metadata")}, each.value.places)
            resource = generated(kind, entry, None, self.file, self.files, each.place)
            built.documents = with_generated(built.documents, resource, at(entry, "behavior"))

    def objects(self, key: str) -> list[Document]:
        """The objects in a list: inline objects, and the objects in the files and folders that it names."""
        objects = []
        for index, written in self.texts(key):
            place = self.at(key, index)
            inline = self.files.embedded(written, within(written, place)) if "\n" in written else self.resource(written, place).documents
            objects += [each for each in inline if is_object(each.value)]
        return objects

    def at(self, *path: str | int) -> Place:
        return place_of(self.body, path, self.place)

    def texts(self, key: str) -> list[tuple[int, str]]:
        value = self.body.get(key)
        listed = enumerate(map(literal, value)) if isinstance(value, list) else ()
        return [(index, each) for index, each in listed if isinstance(each, str) and each]

    def file(self, written: str) -> Path:
        path = normal(self.folder / written)
        self.kustomize.reached.add(path)
        self.kustomize.held.add(path)
        return path

    def resource(self, written: str, place: Place) -> Built:
        path = normal(self.folder / written)
        if not FILLED_IN.search(written) and not _is_remote(written) and self.files.excludes(path, written, place):
            return Built()
        if FILLED_IN.search(written) or (not exists(path) and _is_remote(written)):
            self.files.skip(place[0], f"'{written}' is not a local path", place[1], is_reference=True)
        elif is_folder(path):
            return self.kustomize.base(path)
        elif path.name not in KUSTOMIZATIONS:
            return Built([each for each in self.kustomize.manifests(path) if not is_local(each)])
        return Built()

    def transformed(self, built: Built) -> Built:
        """The collected objects with all transformations, in kustomize's order."""
        documents = built.documents
        for index, written in self.texts("patchesStrategicMerge"):
            path, place = None if "\n" in written else written, self.at("patchesStrategicMerge", index)
            patch = self.patch(path, written, place)
            if self.may_change(_changes(patch), place):
                documents = patched(documents, patch, None, known=self.knows_schema)
        documents = self.patched(documents, "patches")
        namespace, releases = at(self.body, "namespace"), built.releases
        configured_size = sum(map(size_of, built.configurations))
        if not self.may_change(1 + configured_size, self.place):
            return built
        if is_given(namespace):
            documents = namespaced(documents, namespace, self.at("namespace"), fields_of("namespace", built.configurations))
            releases = [replace(each, namespace=namespace) for each in releases]
        for key, side in (("namePrefix", "prefix"), ("nameSuffix", "suffix")):
            added = at(self.body, key)
            if is_given(added) and self.files.may_grow(growth.WRITTEN, len(f"{added}") * len(documents), self.at(key)):
                documents = renamed(documents, fields_of(key, built.configurations), **{side: added})
        documents = self.labelled(documents, built)
        documents = self.patched(documents, "patchesJson6902")
        for index, entry in mappings(at(self.body, "replicas")):
            fields = fields_of("replicas", built.configurations)
            if self.may_change(1 + configured_size, self.at("replicas", index)):
                documents = scaled(documents, at(entry, "name"), at(entry, "count"), self.at("replicas", index), fields)
        images = at(self.body, "images")
        if self.may_change((1 + configured_size) * size_of(images), self.at("images")):
            documents = with_images(documents, images, fields_of("images", built.configurations))
        return replace(built, documents=self.replaced(documents), releases=releases)

    def patched(self, documents: list[Document], key: str) -> list[Document]:
        for index, entry in mappings(at(self.body, key)):
            patch = self.patch(at(entry, "path"), at(entry, "patch"), self.at(key, index, "patch"))
            skip_unsupported(at(entry, "target"), self.at(key, index), self.files)
            if self.may_change(_changes(patch), self.at(key, index)):
                documents = patched(documents, patch, at(entry, "target"), at(entry, "options"), known=self.knows_schema)
        return documents

    def labelled(self, documents: list[Document], built: Built) -> list[Document]:
        for _, entry in mappings(at(self.body, "labels")):
            if isinstance(pairs := at(entry, "pairs"), Map) and self.may_change(size_of(entry), self.at("labels")):
                fields = [*configured(at(entry, "fields")), *METADATA_LABELS, *fields_of("labels", built.configurations)]
                for flag, name in _WIDER.items():
                    fields += fields_of(name, built.configurations) if at(entry, flag) is True else ()
                documents = with_shared(documents, pairs, fields, "labels")
        for key, where in (("commonLabels", "labels"), ("commonAnnotations", "annotations")):
            if isinstance(pairs := at(self.body, key), Map):
                documents = with_shared(documents, pairs, fields_of(key, built.configurations), where)
        return documents

    def replaced(self, objects: list[Document]) -> list[Document]:
        for index, entry in mappings(at(self.body, "replacements")):
            path, place = literal(at(entry, "path")), self.at("replacements", index)
            documents = self.files.documents(self.file(path)) if isinstance(path, str) else [Document(entry, place)]
            for each in documents:
                for _, replacement in mappings(each.value if isinstance(each.value, list) else [each.value]):
                    if self.may_change(size_of(replacement), place):
                        objects = replaced(objects, replacement, place)
        return objects

    def by_transformer(self, built: Built, transformer: Document) -> list[Document]:
        """The objects after a transformer that is an object itself."""
        body, place = transformer.value, transformer.place
        if kind_of(body) == "PatchTransformer":
            patch = self.patch(at(body, "path"), at(body, "patch"), place_of(body, ("patch",), place))
            return patched(built.documents, patch, at(body, "target"), at(body, "options"))
        if kind_of(body) not in PLUGINS:
            self.files.skip(place[0], f"kustomize's {kind_of(body)} is not supported, and is not applied", place[1])
            return built.documents
        return PLUGINS[kind_of(body)](built.documents, transformer)

    def patch(self, path: Any, text: Any, place: Place) -> list[Document]:
        if isinstance(path, str):
            return self.files.documents(self.file(path))
        source = source_of(text)
        return [] if source is None else self.files.embedded(source, within(source, place))


_WIDER = {
    "includeTemplates": "templateLabels",
    "includeVolumeClaimTemplates": "volumeClaimTemplateLabels",
    "includeSelectors": "commonLabels",
}
"""The flags of `labels`, each with the fields that it adds."""


def _changes(patch: list[Document]) -> int:
    """The number of merges and operations of a patch."""
    return sum(len(each.value) if isinstance(each.value, list) else 1 for each in patch)


def _is_remote(written: str) -> bool:
    return "://" in written or "?ref=" in written or written.startswith(("github.com/", "git@"))
