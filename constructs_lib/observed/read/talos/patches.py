"""Patches of Talos' machine configuration that other files hold: as inline text, or as the name of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....yaml.located import Document, Map, Place, Seq, size_of
from ....yaml.unknown import GAP
from ...model import Unknown, source_of
from .. import budget
from ..files import Files, absolute, is_file, normal

# Characters of a patch that a file name does not have (siderolabs/talos pkg/machinery/config/configpatcher/load.go).
_INSIDE = ("\n", " ", "[", "{")


class Patches:
    """The patches that the documents of one file name. Each patch is read once, even if several nodes have it.

    `merged` are the patch files that were read. `complete` becomes False with the first unreadable patch.
    """

    def __init__(self, files: Files, root: Path) -> None:
        self.files, self.root = files, root
        self.merged: set[str] = set()
        self.complete = True
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
            self.complete = False
            return Seq()
        patch = self.of_text(text, place)
        is_open = isinstance(written, Unknown) and not (patch and self._read[place, text][1])
        return Unknown(text, GAP) if is_open else patch

    def limited(self, patches: list[Seq | Unknown], place: Place) -> list[Seq | Unknown]:
        """The patches of one node: all, or none if the nodes before have too many. A merge copies what the patches
        before it have set."""
        total = sum(self._size(patch) * (len(patches) - index) for index, patch in enumerate(patches))
        if self.files.may_spend(budget.WRITTEN * total, place):
            return patches
        self.complete = False
        return []

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
        a folder above."""
        file_path = next((path for folder in (self.root, *self.root.parents) if is_file(path := normal(folder / name))), None)
        if file_path is None or self.files.excludes(file_path, name, place):
            if file_path is None:
                self.files.skip(place[0], f"the patch file {name} can't be read", place[1])
            self.complete = False
            return Seq()
        return self.of_path(file_path)

    def of_path(self, path: Path) -> Seq:
        """The patch in an existing file inside of the repository."""
        file = self.files.shown(absolute(path))
        if file not in self._read:
            patch = _patch(self.files.documents(path))
            self.merged.add(file)
            self._read[file] = patch, all(each.file != file for each in self.files.skipped)
        return self._once(file)

    def _once(self, key: str | tuple[Place, str]) -> Seq:
        patch, complete = self._read[key]
        self.complete = self.complete and complete
        return patch


def _patch(documents: list[Document]) -> Seq:
    """The documents of a strategic merge patch, or the operations of an RFC 6902 patch."""
    if len(documents) == 1 and isinstance(documents[0].value, Seq):
        return documents[0].value
    maps = [each for each in documents if isinstance(each.value, Map)]
    return Seq([each.value for each in maps], [each.place for each in maps])
