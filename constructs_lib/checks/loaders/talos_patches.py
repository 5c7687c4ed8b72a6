"""Patches as talhelper and Omni take them: text among their own YAML, or the name of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..model import Unknown, source_of
from ..model.unknown import GAP
from .files import Files, normal
from .located_yaml import Document, Map, Place, Seq

# What a patch has and a file's name has not (siderolabs/talos pkg/machinery/config/configpatcher/load.go).
_INSIDE = ("\n", " ", "[", "{")


class Patches:
    """The patches that the documents of one file name: each is read once, however many nodes have it.

    `merged` are the files that were read, `complete` turns False with the first patch that could not be.
    """

    def __init__(self, files: Files, root: Path) -> None:
        self.files, self.root = files, root
        self.merged: set[str] = set()
        self.complete = True
        self._read: dict[str | Place, tuple[Seq, bool]] = {}

    def of_list(self, written: Any) -> list[Seq | Unknown]:
        """The patches of a list as talhelper has them: text, or `@` and a file's name, which may also stand by itself."""
        found: list[Seq | Unknown] = [written] if isinstance(written, Unknown) else []
        for index, each in enumerate(written if isinstance(written, Seq) else ()):
            place = written.places[index]
            text = source_of(each)
            if isinstance(each, Unknown) and text is None:
                found.append(each)
            elif text is None:
                self.files.skip(place[0], "a patch that is no text", place[1])
                self.complete = False
            elif text.startswith("@") or not any(mark in text for mark in _INSIDE):
                found.append(self.of_file(text.removeprefix("@"), place))
            else:
                patch = self.of_text(text, place)
                # A text with a placeholder that is no patch yet may become any.
                is_open = isinstance(each, Unknown) and not (patch and self._is_read(place))
                found.append(Unknown(text, GAP) if is_open else patch)
        return found

    def _is_read(self, place: Place) -> bool:
        """Whether the whole patch at a place was read."""
        return self._read[place][1]

    def of_text(self, text: str, place: Place) -> Seq:
        """A patch among other YAML, which begins in the line below its key where it has several lines."""
        if place not in self._read:
            before = len(self.files.skipped)
            found = self.files.embedded(text, (place[0], place[1] + ("\n" in text)), template="{{" in text)
            self._read[place] = _patch(found), len(self.files.skipped) == before
        return self._once(place)

    def of_file(self, name: str, place: Place) -> Seq:
        """The patch in a file; an empty one where it can't be read. Omni looks from where its tool is called, so a folder above may be it."""
        found = next((path for folder in (self.root, *self.root.parents) if (path := normal(folder / name)).is_file()), None)
        if found is None:
            self.files.skip(place[0], f"the patch {name} can't be read", place[1])
            self.complete = False
            return Seq()
        file = str(found)
        if file not in self._read:
            patch = _patch(self.files.documents(found))
            self.merged.add(file)
            self._read[file] = patch, all(each.file != file for each in self.files.skipped)
        return self._once(file)

    def _once(self, key: str | Place) -> Seq:
        patch, complete = self._read[key]
        self.complete = self.complete and complete
        return patch


def _patch(found: list[Document]) -> Seq:
    """The documents of a strategic merge patch, or the operations of one of RFC 6902."""
    if len(found) == 1 and isinstance(found[0].value, Seq):
        return found[0].value
    kept = [each for each in found if isinstance(each.value, Map)]
    return Seq([each.value for each in kept], [each.place for each in kept])
