"""Remarks of a report on files, beside their findings: keys that stand twice, builds that fail, and skipped or unread texts that name
NVIDIA. The texts themselves never reach the report.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ...arguments.patterns import pattern
from ...upstream.nvidia.gpu_resources import NVIDIA
from ...upstream.programs.delivery_tools import PROGRAMS, PROJECTS, RENDERED_BY
from ...yaml.located import Document, Map
from ..model import BrokenText, FailedBuild, RepeatedKey, Skipped, WatchedImage, known_str
from .files import KUSTOMIZATIONS, MODULES, NOT_LIVE, READ, UNREAD, Files, absolute, is_file, is_folder
from .objects import objects_of
from .terraform.syntax import is_available


def repeated_keys(documents: Iterable[Document], checked: Container[object], of_talos: Container[object]) -> Iterator[RepeatedKey]:
    """The repeated keys of the documents at these places, of Lists with an object at these places, and of
    kustomizations."""
    for document in documents:
        tool = "Talos" if document.place in of_talos else "kustomize" if _is_of_kustomize(document) else ""
        if tool or document.place in checked or any(each.place in checked for each in objects_of(document)):
            for key, line, first in document.repeated:
                yield _repeated(document, key, line, first, tool)


def _repeated(document: Document, key: str, line: int, first: int, tool: str) -> RepeatedKey:
    body = document.value if isinstance(document.value, Map) else {}
    file = document.place[0]
    return RepeatedKey(body=body, file=file, place_at=lambda _: (file, line), key=key, first_line=first, read_by=tool)


def _is_of_kustomize(document: Document) -> bool:
    """Whether the document is the kustomization of a folder, and no object of Flux."""
    group = document.value.get("apiVersion") if isinstance(document.value, Map) else ""
    return Path(document.place[0]).name in KUSTOMIZATIONS and (
        group is None or str(known_str(group)).startswith("kustomize.config.k8s.io/")
    )


def failed_builds(files: Files) -> tuple[FailedBuild, ...]:
    """The failed builds. Flux reads the kustomization at its path less strictly, but not the bases of others.

    Source: fluxcd/pkg kustomize/kustomize_generator.go, `GenerateManifest` (2026-11-28)
    """
    lenient = {files.shown(path) for path in files.built_by_flux - files.built_strictly} if files.failed_builds else set[str]()
    return tuple(each if each.file in lenient else replace(each, by_flux="") for each in files.failed_builds)


def watched(files: Files) -> tuple[WatchedImage, ...]:
    """The images that Renovate watches by comments, without those that our preset for Renovate replaces."""
    if not files.watched:
        return ()
    from .renovate import watched_images

    return tuple(watched_images(files))


def broken_texts(skipped: Iterable[Skipped]) -> Iterator[BrokenText]:
    """The texts that are no YAML."""
    return (_broken(each) for each in skipped if each.is_broken)


def _broken(skipped: Skipped) -> BrokenText:
    return BrokenText(
        body={},
        file=skipped.file,
        place_at=lambda _: (skipped.file, skipped.line),
        reason=skipped.reason,
        names_nvidia=skipped.names_nvidia,
    )


_REASON = "a format that is not read"
_HCL = "HCL is not read without python-hcl2: pip install python-hcl2"
_NO_RESOURCE = "HCL without a resource that is read, of Talos, Helm or Kubernetes"
_OF_TALOS = pattern(r"\btalos_(?:machine|image_factory|cluster)")
"""The resources of Terraform's provider for Talos."""

_OF_OTHER_TOOL = "the nodes of Talos in a format that is not read"
_TALOS_VERSION = pattern(r"\btalos_?version\b", re.IGNORECASE)


def skip_other_tools(files: Files, unrecognized: Iterable[Path]) -> None:
    """Skip the files in which nothing was recognized, and which name NVIDIA and a version of Talos."""
    for path in unrecognized:
        text = files.text(path)
        if _TALOS_VERSION.search(text) and NVIDIA.search(text):
            files.skip(path, _OF_OTHER_TOOL)


_MOST_FILES = 500
_MOST_CHARACTERS = 8_000_000
_BOUNDARY = pattern(r"^---(?=\s|$)", re.MULTILINE)


def with_mentions(files: Files) -> Iterator[Skipped]:
    """The skipped places, each with whether it names NVIDIA, and then the unread files that name NVIDIA."""
    scan = _Scan(files)
    skipped = [part for whole in files.skipped for part in (_not_live(whole, scan) if whole.reason == NOT_LIVE else (whole,))]
    for each in skipped:
        yield replace(each, names_nvidia=True) if scan.names_nvidia(each) else each
    for path in files.unread:
        names_nvidia = NVIDIA.search(text := scan.text(path)) is not None
        if names_nvidia or (path.name.endswith(MODULES) and _OF_TALOS.search(text)):
            yield Skipped(file=files.shown(path), reason=_reason(path), names_nvidia=names_nvidia)


def _not_live(skipped: Skipped, scan: _Scan) -> Iterator[Skipped]:
    """What nothing reached of a folder or a file that is not live by its name: a deployer or a patch may name a part."""
    path = absolute(Path(skipped.file))
    read = scan.files.read_below(path)
    if not read:
        yield skipped
    elif is_folder(path):
        for file in scan.below(path):
            if file not in read:
                yield replace(skipped, file=scan.files.shown(file))


def _reason(path: Path) -> str:
    """The reason for which a format is not read, with the command that renders it to a format that is."""
    if path.name.endswith(MODULES):
        return _NO_RESOURCE if is_available() else _HCL
    command = RENDERED_BY.get(path.suffix)
    if path.suffix in PROGRAMS:
        command = next((PROJECTS[name] for folder in path.parents for name in PROJECTS if is_file(folder / name)), None)
    return _REASON if command is None else f"{_REASON}: check what this prints or writes: {command.replace('FILE', path.name)}"


class _Scan:
    """The search of skipped texts. It reads so many files and characters, and no more."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.characters = _MOST_CHARACTERS
        self.count = _MOST_FILES
        self.mentions: dict[Path, list[tuple[int, bool]]] = {}

    def names_nvidia(self, skipped: Skipped) -> bool:
        """Whether a skipped place names NVIDIA: by its path, by its reason, or in its text."""
        if NVIDIA.search(f"{skipped.file} {skipped.reason}"):
            return True
        if skipped.reason.startswith("'"):  # a reference to something else; the file itself was read
            return False
        path = absolute(Path(skipped.file))
        if not self.files.holds(path):
            return False
        if is_folder(path):
            return any(NVIDIA.search(self.text(each)) for each in self.below(path))
        if path not in self.mentions:
            self.mentions[path] = _mentions(self.text(path))
        documents = self.mentions[path]
        if skipped.line is None:
            return any(names for _, names in documents)
        # An error at the end of a document has the line of the boundary behind it.
        return documents[max(bisect_left(documents, (skipped.line, False)) - 1, 0)][1]

    def below(self, folder: Path) -> Iterator[Path]:
        """The files below a skipped folder, as long as the scan may read more of them."""
        for path, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if not self.count:
                    return
                if name.endswith((*READ, *UNREAD)) and not name.startswith("."):
                    yield Path(path, name)

    def text(self, path: Path) -> str:
        """The beginning of a file's text; empty once the scan has read enough."""
        if not self.count or not self.characters:
            return ""
        self.count -= 1
        text = self.files.beginning(path, min(self.characters, 1_000_000))
        self.characters -= len(text)
        return text


def _mentions(text: str) -> list[tuple[int, bool]]:
    """The first line of each document of a text, and whether the document names NVIDIA."""
    result, line, start = [], 1, 0
    for end in [*(match.start() for match in _BOUNDARY.finditer(text)), len(text)]:
        result.append((line, NVIDIA.search(text, start, end) is not None))
        line += text.count("\n", start, end)
        start = end
    return result
