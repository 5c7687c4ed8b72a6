"""The manifests that fixes add to files: each once, before the documents that need it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...observed.model import Read, known_str
from ...yaml.block import block, flow
from ...yaml.load import YamlError, documents
from .pending_changes import NotEditedError, notation

_SUFFIXES = (".yaml", ".yml")
_KUSTOMIZE = ("kustomize.config.k8s.io/",)


class AddedManifests:
    """The manifests that are added, by file. A pod is refused before its RuntimeClass or Namespace is there, so a
    manifest comes first."""

    def __init__(self) -> None:
        self._of_files: dict[Path, list[Mapping[str, Any]]] = {}

    def add(self, body: Mapping[str, Any], file: Path, text: str, about: Read) -> None:
        """Add a manifest to a file of manifests, unless another fix adds it."""
        if reason := _why_no_place(file, text, about):
            raise NotEditedError(f"{reason}: add the manifest {flow(body)}")
        if not any(notation(each) == notation(body) for bodies in self._of_files.values() for each in bodies):
            self._of_files.setdefault(file, []).append(body)

    def with_manifests(self, file: Path, text: str) -> str:
        """The text of a file with its manifests, and with the line ends of the text."""
        bodies = self._of_files.get(file, ())
        if not bodies:
            return text
        end = "\r\n" if "\r\n" in text else "\n"
        added = f"---{end}".join("".join(f"{line}{end}" for line in block(body)) for body in bodies)
        return f"---{end}{added}{text}" if text.startswith("---") else f"{added}---{end}{text}"


def _why_no_place(file: Path, text: str, about: Read) -> str:
    """Why a file is no place for another manifest; empty for a file of manifests."""
    if file.suffix not in _SUFFIXES or not known_str(about.at("kind")) or text.startswith("%"):
        return "the file holds no manifests"
    try:
        bodies = list(documents(text))
    except YamlError:
        return "the file is no plain YAML"
    versions = [known_str(each.get("apiVersion")) if isinstance(each, Mapping) else None for each in bodies]
    if not all(version and not version.startswith(_KUSTOMIZE) for version in versions):
        return "the file holds no manifests"
    return ""
