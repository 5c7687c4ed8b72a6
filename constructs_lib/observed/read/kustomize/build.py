"""Kustomize: builds a folder's kustomization from its resources, components, generators and charts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....yaml.located import DEEPEST, Document, Map, Place, place_of, size_of
from ....yaml.unknown import FILLED_IN
from ...model import FailedBuild, at, is_given, is_unknown, known_items, literal, mappings, source_of
from .. import limits
from ..files import KUSTOMIZATIONS, Files, exists, is_folder, kustomization_of, normal
from ..generated_files import maker_of
from ..helm.release_values import within
from ..objects import Rendered, is_object, kind_of, objects_of
from .builtin_transformers import settings_of, transformed_by
from .fields import DEFAULTS, METADATA_LABELS, Identity, configured, identities, identity, with_pairs
from .finished import finished, is_local
from .generators import chart, generated, same_object, with_generated
from .ids import Ids, joined_by_namespace, not_generated, repeated_in_file
from .patches import doubtful, is_own, patched
from .refused import is_component, kustomization, refusals
from .transformers import namespaced, renamed, replaced, scaled, with_images

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
        self._built: dict[Path, tuple[Rendered, int]] = {}
        self._building: list[Path] = []
        self._failures: dict[Path, list[FailedBuild]] = {}
        """The failures inside of each kustomization and its bases, by its resolved path."""

    def build(self, folder: Path) -> Rendered:
        """The finished build of a folder with a kustomization."""
        return finished(self.base(folder))

    def base(self, folder: Path) -> Rendered:
        """The build of a folder as a base of another kustomization: names have no hash yet, references are
        unchanged."""
        path = kustomization_of(folder)
        if path is None:
            self.files.skip(folder, "the folder has no kustomization file, but a kustomization lists the folder", is_reference=True)
            return Rendered(is_partial=True)
        if self._building:
            self.files.built_strictly.add(path)
        if path not in self._built:
            before = self.read
            self._built[path] = self._accumulated(path, Rendered()), self.read - before
        else:
            for each in self._failures.get(path.resolve(), ()):
                self._hold(each)
            if not self._may_read(path, self._built[path][1]):
                return Rendered()
        return self._built[path][0]

    def fails(self, document: Document, place: Place, reason: str, maker: str = "", by_flux: str = "") -> None:
        """Note why kustomize refuses to build a kustomization, and all that include it."""
        file = document.place[0]
        failure = FailedBuild(body=document.value, file=file, place_at=lambda _: place, reason=reason, maker=maker, by_flux=by_flux)
        self.files.failed_builds.append(failure)
        self._hold(failure)

    def _hold(self, failure: FailedBuild) -> None:
        for each in self._building:
            failures = self._failures.setdefault(each, [])
            failures += [failure] if failure not in failures else []

    def _may_read(self, path: Path, size: int) -> bool:
        self.read += size
        return self.files.may_spend(limits.READ_AGAIN * size, path)

    def _accumulated(self, path: Path, before: Rendered) -> Rendered:
        """The build of a kustomization on top of the build `before`, which is empty except for a component."""
        real = path.resolve()
        if real in self._building or len(self._building) >= DEEPEST:
            is_cycle = real in self._building
            reason = "the kustomization includes itself" if is_cycle else f"kustomizations are nested deeper than {DEEPEST} levels"
            self.files.skip(path, reason)
            if is_cycle and (document := kustomization(path, self.files)):
                self.fails(document, document.place, f"{reason}: 'cycle detected'")
            return before
        self.reached.add(path)
        document = kustomization(path, self.files)
        if document is None:
            return before
        self._building.append(real)
        try:
            own = _Kustomization(self, path, document)
            own.check_text()
            built = own.build(before)
        finally:
            self._building.pop()
        for failure in self._failures.get(real, ()):
            failure.held.update(each.place for each in built.documents)
            failure.held.update((each.file, each.line_of(()) or 0) for each in built.releases)
        return built

    def component(self, folder: Path, before: Rendered) -> Rendered:
        """The build `before` with a component applied."""
        path = kustomization_of(folder)
        return self._accumulated(path, before) if path else before

    def over(self, built: Rendered, settings: Document, folder: Path) -> Rendered:
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
        self.size = 0
        """The characters of the collected objects."""
        self.named: set[Identity] | None = None
        """The identities of the collected objects, once a patch asks for them."""

    def check_text(self) -> None:
        """Note what kustomize refuses in the text itself."""
        for each in refusals(self.body):
            self.fails(self.at(*each.path), each.reason, by_flux=each.by_flux)

    def fails(self, place: Place, reason: str, maker: str = "", by_flux: str = "") -> None:
        """Note why kustomize refuses the kustomization."""
        self.kustomize.fails(Document(self.body, self.place), place, reason, maker, by_flux)

    def fails_by_ids(self, place: Place, reason: str) -> None:
        """Note the reason, if any, by ids of objects. They are not known if the reading had to leave out changes of names."""
        if reason and not self.files.has_left_out:
            self.fails(place, reason)

    def build(self, before: Rendered) -> Rendered:
        built = Rendered()
        built.add(before)
        ids = Ids(before)
        read = self.kustomize.read
        for key in ("resources", "bases"):
            for index, written in self.texts(key):
                if len(built.documents) > _MOST:  # kustomizations that each name the next one twice double at every step
                    self.files.skip(
                        self.path, f"the kustomization has more than {_MOST} objects, and the rest is not read", self.at(key, index)[1]
                    )
                    break
                place = self.at(key, index)
                resource = self.resource(written, place)
                self.fails_by_ids(place, ids.repeated(resource, written))
                built.add(resource)
        for _, written in self.texts("configurations"):
            built.configurations += self.files.documents(self.file(written))
        self.generate(built)
        for index, written in self.texts("components"):
            folder, place = normal(self.folder / written), self.at("components", index)
            if not self.files.excludes(folder, written, place):
                if self.check_exists(folder, written, place):
                    self.check_kind(folder, written, place, is_listed=True)
                built = self.kustomize.component(folder, built)
        self.size = self.kustomize.read - read + _USUAL * len(built.documents)
        return self.by_objects(self.transformed(built))

    def by_objects(self, built: Rendered) -> Rendered:
        """The build after the transformers that are objects themselves.

        What a part that is not followed changes is unknown.
        """
        for each in self.objects("transformers"):
            if self.may_change(size_of(each.value), each.place):
                built.documents = self.by_transformer(built, each)
        unread = [(key, self.at(key)) for key in ("openapi", "crds") if at(self.body, key) is not None]
        unread += [(key, each.place) for each in built.configurations for key, _ in known_items(each.value) if key != "nameReference"]
        for key, place in unread:  # which lists a patch merges, and which fields a transformer changes
            self.not_followed(key, place)
        if at(self.body, "vars") is not None:
            self.not_followed("vars", self.at("vars"))
            built.documents = [doubtful(each) for each in built.documents]
        if unread:
            built.documents = [each if is_own(each.value) else doubtful(each) for each in built.documents]
        return built

    def not_followed(self, part: str, place: Place) -> None:
        """Note a part of kustomize that is not followed. What it may change is unknown."""
        self.files.skip(place[0], f"kustomize's {part} is not followed, so what it changes is not known", place[1])

    def may_change(self, changes: int, place: Place) -> bool:
        """Whether the kustomization may make this many changes of its objects."""
        return self.files.may_spend(changes * self.size, place)

    def generate(self, built: Rendered) -> None:
        """Add the objects of generators and the releases of `helmCharts`."""
        for key, kind in (("secretGenerator", "Secret"), ("configMapGenerator", "ConfigMap")):
            for index, entry in mappings(at(self.body, key)):
                if not self.files.may_spend(_USUAL * len(built.documents), self.at(key, index)):
                    break
                place = self.at(key, index)
                resource = generated(kind, entry, self.generator_options, self.files_at(place), self.files, place)
                same, behavior = same_object(built.documents, resource), at(entry, "behavior")
                self.fails_by_ids(place, not_generated(resource, same, behavior, built))
                built.documents = with_generated(built.documents, resource, same, behavior)
        for index, entry in mappings(at(self.body, "helmCharts")):
            place = self.at("helmCharts", index)
            built.releases.append(chart(self.body, entry, index, self.files_at(place), self.files, place))
            built.is_partial = True
        for each in self.objects("generators"):
            self.not_followed(kind_of(each.value), each.place)
            built.is_partial = True

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

    def files_at(self, place: Place) -> Callable[[str], Path]:
        """The function from a path to the file, for the entry at a place."""
        return lambda written: self.file(written, place)

    def check_exists(self, path: Path, written: str, place: Place) -> bool:
        """Whether a path of the kustomization exists, and a folder has a kustomization. Without it the build fails."""
        is_missing = not exists(path)
        if not is_missing and not (is_folder(path) and kustomization_of(path) is None):
            return True
        if FILLED_IN.search(written) or _is_remote(written) or not self.files.holds(path):
            return False
        reason = f"'{written}' does not exist" if is_missing else f"the folder '{written}' has no kustomization file"
        self.fails(place, reason, maker=maker_of(path, self.files))
        return False

    def check_kind(self, folder: Path, written: str, place: Place, *, is_listed: bool) -> None:
        """Note a component that is not listed under `components`, and another kustomization that is."""
        path = kustomization_of(folder)
        document = kustomization(path, self.files) if path else None
        if document and is_component(document.value) != is_listed and not is_unknown(at(document.value, "kind")):
            self.fails(
                place, f"'{written}' is {'no' if is_listed else 'a'} component: 'expected kind {'' if is_listed else '!'}= 'Component''"
            )

    def file(self, written: str, place: Place | None = None) -> Path:
        path = normal(self.folder / written)
        if "\n" not in written:
            self.check_exists(path, written, place or self.place)
        self.kustomize.reached.add(path)
        self.kustomize.held.add(path)
        return path

    def resource(self, written: str, place: Place) -> Rendered:
        path = normal(self.folder / written)
        if not FILLED_IN.search(written) and not _is_remote(written) and self.files.excludes(path, written, place):
            return Rendered(is_partial=True)
        if FILLED_IN.search(written) or (not exists(path) and _is_remote(written)):
            self.files.skip(place[0], f"'{written}' is not a local path", place[1], is_reference=True)
            return Rendered(is_partial=True)
        is_there = self.check_exists(path, written, place)
        if is_folder(path):
            self.check_kind(path, written, place, is_listed=False)
            return self.kustomize.base(path)
        if path.name not in KUSTOMIZATIONS:
            built = Rendered([each for each in self.kustomize.manifests(path) if not is_local(each)], is_partial=not is_there)
            if len(built.documents) > 1:
                self.fails_by_ids(place, repeated_in_file(built.documents, written))
            if self.files.is_broken(path):
                built.is_partial = True
                self.fails(place, f"'{written}' is not YAML")
            return built
        return Rendered()

    def transformed(self, built: Rendered) -> Rendered:
        """The collected objects with all transformations, in kustomize's order."""
        documents, releases, namespace = built.documents, built.releases, at(self.body, "namespace")
        for index, written in self.texts("patchesStrategicMerge"):
            place = self.at("patchesStrategicMerge", index)
            patch = self.patch(None if "\n" in written else written, written, place)
            self.check_named(patch, built, place)
            documents = patched(documents, patch, None, self.files, place) if self.may_change(_changes(patch), place) else documents
        documents = self.patched(documents, "patches", built)
        if is_given(namespace):
            before, documents = documents, namespaced(documents, namespace, self.at("namespace"))
            if not built.has_other_names and (reason := joined_by_namespace(before, documents)):
                self.fails_by_ids(self.at("namespace"), reason)
            releases = [replace(each, namespace=namespace) for each in releases]
        for key, side in (("namePrefix", "prefix"), ("nameSuffix", "suffix")):
            added = at(self.body, key)
            if is_given(added) and self.files.may_spend(limits.WRITTEN * len(f"{added}") * len(documents), self.at(key)):
                documents = renamed(documents, **{side: added})
        documents = self.patched(self.labelled(documents), "patchesJson6902", built)
        for index, entry in mappings(at(self.body, "replicas")):
            if self.may_change(1, self.at("replicas", index)):
                documents = scaled(documents, at(entry, "name"), at(entry, "count"), self.at("replicas", index))
        images = at(self.body, "images")
        documents = with_images(documents, images) if self.may_change(size_of(images), self.at("images")) else documents
        return replace(built, documents=self.replaced(documents), releases=releases)

    def check_named(self, patch: list[Document], built: Rendered, place: Place) -> None:
        """Note a strategic merge patch without an object of its name: kustomize refuses it. An object that was not read
        may have the name.
        """
        if built.is_partial:
            return
        if self.named is None:
            self.named = {each for document in built.documents for each in identities(document)}
            built.is_partial = any(is_unknown(at(each.value, *path)) for each in built.documents for path in _NAMED)
        for each in patch:
            words = [text for path in _NAMED if isinstance(text := at(each.value, *path), str)]
            if not built.is_partial and len(words) == len(_NAMED) and identity(each.value) not in self.named:
                reason = f"no resource matches the strategic merge patch of {' '.join(words[1:])}"
                self.fails(place, reason)

    def patched(self, documents: list[Document], key: str, built: Rendered) -> list[Document]:
        for index, entry in mappings(at(self.body, key)):
            patch = self.patch(at(entry, "path"), at(entry, "patch"), self.at(key, index, "patch"))
            if at(entry, "target") is None:
                self.check_named(patch, built, self.at(key, index))
            if self.may_change(_changes(patch), self.at(key, index)):
                documents = patched(documents, patch, at(entry, "target"), self.files, self.at(key, index), at(entry, "options"))
        return documents

    def labelled(self, documents: list[Document]) -> list[Document]:
        for _, entry in mappings(at(self.body, "labels")):
            if isinstance(pairs := at(entry, "pairs"), Map) and self.may_change(size_of(entry), self.at("labels")):
                wider = (field for flag, fields in DEFAULTS.items() if at(entry, flag) is True for field in fields)
                documents = with_pairs(documents, pairs, [*configured(at(entry, "fields")), *METADATA_LABELS, *wider])
        for key, name in (("commonLabels", "includeSelectors"), ("commonAnnotations", "commonAnnotations")):
            if isinstance(pairs := at(self.body, key), Map):
                documents = with_pairs(documents, pairs, DEFAULTS[name])
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

    def by_transformer(self, built: Rendered, transformer: Document) -> list[Document]:
        """The objects after a transformer that is an object itself."""
        body, place = transformer.value, transformer.place
        if (settings := settings_of(body)) is not None:
            return _Kustomization(self.kustomize, self.path, replace(transformer, value=settings)).transformed(built).documents
        documents = transformed_by(built.documents, body, place)
        if documents is None:
            self.not_followed(kind_of(body), place)
            built.has_other_names = True
            return [doubtful(each) for each in built.documents]
        return documents

    def patch(self, path: Any, text: Any, place: Place) -> list[Document]:
        if isinstance(path, str):
            return self.files.documents(self.file(path, place))
        source = source_of(text)
        return [] if source is None else self.files.embedded(source, within(source, place))


_NAMED = (("apiVersion",), ("kind",), ("metadata", "name"))


def _changes(patch: list[Document]) -> int:
    """The number of merges and operations of a patch."""
    return sum(len(each.value) if isinstance(each.value, list) else 1 for each in patch)


def _is_remote(written: str) -> bool:
    return "://" in written or "?ref=" in written or written.startswith(("github.com/", "git@"))
