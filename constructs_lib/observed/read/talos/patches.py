"""Patches of Talos' machine configuration: as inline text or in files, merged as Talos merges them. Values keep their
places.

Maps are merged by key, lists are appended to, `$patch: delete` removes (siderolabs/talos pkg/machinery/config/merge,
and configloader's decoder/delete.go). talhelper's substitution turns `$$patch` into `$patch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....yaml.located import Document, Map, Place, Seq, opened, opened_throughout, size_of, traced
from ....yaml.unknown import GAP
from ...model import Unknown, UnknownKey, at, literal, source_of
from .. import limits
from ..files import LEFT_OUT, NOT_DEPLOYED, TEMPLATES, Files, absolute, is_file, is_template, normal
from ..generated_files import maker_of
from ..json_patch import operated

_PATCH = ("$patch", "$$patch")
# The only list among the checked settings that is merged by a key (pkg/machinery/config/types/v1alpha1,
# AdmissionPluginConfigList).
_BY_NAME = "admissionControl"


def apply(documents: Seq, patch: Seq | Unknown) -> Seq:
    """Talos' documents with a patch applied: a strategic merge by kind and name, or operations of RFC 6902."""
    if isinstance(patch, Unknown):
        return opened_throughout(documents, patch)  # type: ignore[no-any-return]  # a list stays a list
    if patch and all(isinstance(each, Map) and "op" in each and "path" in each for each in patch):
        for operation in patch:
            documents = _operated(documents, operation)
        return documents
    items: list[Any] = list(documents)
    places = list(documents.places)
    known = {_identity(each): index for index, each in enumerate(items) if isinstance(each, Map)}
    for document, place in zip(patch, patch.places, strict=True):
        if not isinstance(document, Map):
            continue
        index = known.get(_identity(document))
        if index is None:
            if not _deletes(document):
                known[_identity(document)] = len(items)
                items.append(_without_patches(document))
                places.append(place)
        elif _deletes(document):
            items[known.pop(_identity(document))] = None
        else:
            items[index] = _merge(items[index], document)
    remaining = [index for index, each in enumerate(items) if each is not None]
    return Seq([items[index] for index in remaining], [places[index] for index in remaining])


def _identity(document: Mapping[str, Any]) -> tuple[str, str]:
    """The kind and name by which documents are merged. The machine configuration has no kind."""
    kind = str(literal(document.get("kind")) or "")
    return kind, str(literal(at(document, "name")) or "") if kind else ""


def _merge(left: Map, right: Map) -> Map:
    items, places = dict(left), dict(left.places)
    for key, value in right.items():
        if isinstance(key, UnknownKey):  # the key may be any of the existing keys
            items |= {name: opened_throughout(item, Unknown(key.text)) for name, item in left.items() if name not in right}
        # An empty value replaces nothing, but a map gets its key: a label may be empty.
        if _is_directive(key) or value is None or (key in items and _is_zero(value)):
            continue
        if isinstance(value, Map) and _deletes(value):
            items.pop(key, None)
        elif isinstance(value, Unknown) and isinstance(items.get(key), Map | Seq):
            items[key] = opened_throughout(items[key], value)
        elif isinstance(value, Map) and isinstance(old := opened(items.get(key), right.places[key]), Map):
            items[key] = _merge(old, value)
        elif isinstance(value, Seq):
            had = items.get(key)
            items[key] = _extend(had if isinstance(had, Seq) else Seq(), value, by_name=isinstance(key, str) and key == _BY_NAME)
            if not isinstance(had, Seq):
                places[key] = right.places[key]
        else:
            items[key] = _without_patches(value)
            places[key] = traced(right.places[key], places[key]) if key in places else right.places[key]
    return Map(items, places)


def _is_directive(key: Any) -> bool:
    return isinstance(key, str) and key in _PATCH


def _is_zero(value: Any) -> bool:
    """Whether a merge ignores the value as empty if the key has a value. `false` is not empty."""
    return not isinstance(value, bool | Map | Seq | Unknown) and value in {"", 0}


def _extend(left: Seq, right: Seq, *, by_name: bool) -> Seq:
    items, places = list(left), list(left.places)
    for index, value in enumerate(right):
        unread = _unread_deletion(value)
        if unread is not None:  # the item may delete any of the existing items
            items = [unread for _ in items]
        elif isinstance(value, Map) and _deletes(value):
            same = _index(items, _selected(value))
            if same is not None:
                del items[same], places[same]
        elif by_name and isinstance(value, Map) and (same := _index(items, ("name", at(value, "name")))) is not None:
            items[same] = _merge(items[same], value)
        else:
            items.append(value)
            places.append(right.places[index])
    return Seq(items, places)


def _index(items: list[Any], selector: tuple[str, Any] | None) -> int | None:
    if selector is None:
        return None
    key, value = selector
    return next((index for index, each in enumerate(items) if isinstance(each, Mapping) and repr(each.get(key)) == repr(value)), None)


def _selected(value: Map) -> tuple[str, Any] | None:
    """The key and value that select an item to delete: the first key beside `$patch`."""
    return next(((key, item) for key, item in value.items() if not _is_directive(key)), None)


def _deletes(value: Map) -> bool:
    return any(literal(value.get(key)) == "delete" for key in _PATCH)


def _unread_deletion(value: Any) -> Unknown | None:
    """The unknown part of an item that deletes another item, or may. None if there is none."""
    if not isinstance(value, Map):
        return None
    unread = [each for each in (*(value.get(key) for key in _PATCH), *value) if isinstance(each, Unknown)]
    is_directive = _deletes(value) or any(literal(item) == "delete" or _is_directive(key) for key, item in value.items())
    if is_directive and not unread and _deletes(value):
        unread = [selected_value for _, selected_value in (_selected(value) or ("", None),) if isinstance(selected_value, Unknown)]
    return unread[0] if is_directive and unread else None


def _without_patches(value: Any) -> Any:
    """The part of a patch that is added to an empty document: without deletions."""
    if isinstance(value, Map):
        return _merge(Map(), value)
    return _extend(Seq(), value, by_name=False) if isinstance(value, Seq) else value


def _operated(documents: Seq, operation: Map) -> Seq:
    """The documents with one operation applied to the machine configuration. Missing parents are created: they may be
    in unread files."""
    first = next((index for index, each in enumerate(documents) if isinstance(each, Map) and "kind" not in each), None)
    place = operation.places["path"]
    config, around = (documents[first], documents.places[first]) if first is not None else (Map(), place)
    unread = next((operation[key] for key in ("path", "op") if isinstance(operation[key], Unknown)), None)
    more = None if unread is None else opened(unread, around)
    changed = (
        operated(config, operation, place, creates=True) if more is None else Map({**config, **more}, {**config.places, **more.places})
    )
    if first is None:
        return Seq([*documents, changed], [*documents.places, around])
    return Seq([*documents[:first], changed, *documents[first + 1 :]], documents.places)


# Characters of a patch that a file name does not have (siderolabs/talos pkg/machinery/config/configpatcher/load.go).
_INSIDE = ("\n", " ", "[", "{")


class Patches:
    """The patches that the documents of one file name. Each patch is read once, even if several nodes have it.

    `merged` are the patch files that were read. `complete` becomes False with the first unreadable patch, and `made_by` is the
    tool that makes all such patches.
    """

    def __init__(self, files: Files, root: Path) -> None:
        self.files, self.root = files, root
        self.merged: set[str] = set()
        self.complete, self.made_by = True, ""
        self._sizes: dict[int, tuple[Any, int]] = {}
        self._read: dict[str | tuple[Place, str], tuple[Seq, bool]] = {}

    def of_list(self, written: Any) -> list[Seq | Unknown]:
        """The patches in one of talhelper's lists: text, or a file name with or without `@` before it."""
        patches: list[Seq | Unknown] = [written] if isinstance(written, Unknown) else []
        for index, each in enumerate(written if isinstance(written, Seq) else ()):
            place = written.places[index]
            text = source_of(each)
            if text is not None and (text.startswith("@") or not any(mark in text for mark in _INSIDE)):
                patches.append(self.of_file(text.removeprefix("@"), place))
            else:
                patches.append(self.inline(each, place))
        return patches

    def inline(self, written: Any, place: Place) -> Seq | Unknown:
        """The patch in an inline value that should be a text. A text with a placeholder that is no patch yet may become
        any."""
        text = source_of(written)
        if text is None:
            if isinstance(written, Unknown):
                return written
            self.files.skip(place[0], "the patch is not a string", place[1])
            self.leaves_out()
            return Seq()
        patch = self.of_text(text, place)
        is_open = isinstance(written, Unknown) and not (patch and self._read[place, text][1])
        return Unknown(text, GAP) if is_open else patch

    def limited(self, patches: list[Seq | Unknown], place: Place) -> list[Seq | Unknown]:
        """The patches of one node: all, or none if the nodes before have too many. A merge copies what the patches
        before it have set."""
        total = sum(self._size(patch) * (len(patches) - index) for index, patch in enumerate(patches))
        if self.files.may_spend(limits.WRITTEN * total, place):
            return patches
        self.leaves_out()
        return []

    def leaves_out(self, maker: str = "") -> None:
        """Note a patch that was not read, and the tool that makes it."""
        self.made_by = maker if self.complete or self.made_by == maker else ""
        self.complete = False

    def _size(self, patch: Seq | Unknown) -> int:
        """The number of values in a patch. Each document of a patch is counted once, even if several nodes have it."""
        for each in patch if isinstance(patch, Seq) else ():
            if id(each) not in self._sizes:
                self._sizes[id(each)] = each, size_of(each)
        return sum((self._sizes[id(each)][1] for each in patch), 1) if isinstance(patch, Seq) else 1

    def of_text(self, text: str, place: Place) -> Seq:
        """The patch in an inline text. A text of several lines begins in the line below its key."""
        if (place, text) not in self._read:
            before = len(self.files.skipped)
            documents = self.files.embedded(text, (place[0], place[1] + ("\n" in text)), template="{{" in text)
            self._read[place, text] = _patch(documents), len(self.files.skipped) == before
        return self._once((place, text))

    def of_file(self, name: str, place: Place) -> Seq:
        """The patch in a file; empty if it can't be read. Omni resolves paths from its working directory, which may be
        a folder above. The file that a template names may be one too."""
        names = (name, *(name + suffix for suffix in TEMPLATES if is_template(place[0])))
        folders = (self.root, *self.root.parents)
        file_path = next((path for folder in folders for each in names if is_file(path := normal(folder / each))), None)
        if file_path is None or self.files.excludes(file_path, name, place):
            maker = maker_of(normal(self.root / name), self.files) if file_path is None else ""
            if file_path is None:
                reason = f"is made outside of git, by {maker}" if maker else "can't be read"
                self.files.skip(place[0], f"the patch file {name} {reason}", place[1], made=(name, maker) if maker else None)
            self.leaves_out(maker)
            return Seq()
        return self.of_path(file_path)

    def of_path(self, path: Path) -> Seq:
        """The patch in an existing file inside of the repository."""
        file = self.files.shown(absolute(path))
        if file not in self._read:
            patch = _patch(self.files.documents(path))
            self.merged.add(file)
            unread = [each for each in self.files.skipped if each.file == file and each.reason not in (LEFT_OUT, NOT_DEPLOYED)]
            self._read[file] = patch, not unread
        return self._once(file)

    def _once(self, key: str | tuple[Place, str]) -> Seq:
        patch, complete = self._read[key]
        if not complete:
            self.leaves_out()
        return patch


def _patch(documents: list[Document]) -> Seq:
    """The documents of a strategic merge patch, or the operations of an RFC 6902 patch."""
    if len(documents) == 1 and isinstance(documents[0].value, Seq):
        return documents[0].value
    maps = [each for each in documents if isinstance(each.value, Map)]
    return Seq([each.value for each in maps], [each.place for each in maps])
