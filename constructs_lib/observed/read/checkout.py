"""The local checkout of a repository: its paths, and the sources of Flux and Argo CD that refer to it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...yaml.located import Document
from ..model import Unknown, at, has, known_list, known_str, mappings
from .files import Files, absolute, exists, normal
from .limits import OUTSIDE
from .objects import deployer_kind


class Checkout:
    """The repository that contains a folder. Without a folder, no path exists."""

    def __init__(self, folder: Path | None = None, files: Files | None = None) -> None:
        self.folder, self.files = folder, files or Files([folder] if folder else [])
        self._git = [above for above in (folder, *folder.parents) if exists(above / ".git")][:1] if folder else []
        self._sources: Counter[str] = Counter()

    def learn(self, documents: Iterable[Document]) -> None:
        """Count the source names in these deployers: Flux has names, and Argo CD addresses. The frequent ones of either are
        taken for this repository."""
        for each in documents:
            kind, spec = deployer_kind(each.value), at(each.value, "spec")
            if kind == "Kustomization":
                self._learn(at(spec, "sourceRef", "name"))
            elif kind == "Application":
                sources = known_list(at(spec, "sources")) or [at(spec, "source")]  # as Argo CD does
                self._learn(*(at(source, "repoURL") for source in sources if has(source, "chart").is_no))
            elif kind == "ApplicationSet":
                self._learn(*(at(generator, "git", "repoURL") for _, generator in mappings(at(spec, "generators"))))

    def _learn(self, *sources: Any) -> None:
        self._sources.update(name for source in sources if (name := known_str(source)) is not None)

    def find(self, written: Any, beside: Document, source: Any = None) -> Path | None:
        """The local path of a path that an object names. None if the source is another repository, or the path is
        missing."""
        if not isinstance(written, str) or not self._is_meant_by(source):
            return None
        if os.path.normpath(written.strip("/")).split("/")[0] == "..":
            self.files.skip(beside.place[0], f"'{written}' is {OUTSIDE}", beside.place[1], is_reference=True)
            return None
        root = self.root(beside, written)
        if root is None or self.files.excludes(normal(root / written.strip("/")), written, beside.place):
            return None
        return normal(root / written.strip("/"))

    def _is_meant_by(self, source: Any) -> bool:
        if source is None or isinstance(source, Unknown) or source == "flux-system" or not self._sources:
            return True
        alike = [count for name, count in self._sources.items() if ("/" in name) == ("/" in str(source))]
        return self._sources[str(source)] * 2 >= max(alike, default=0)

    def root(self, beside: Document, written: str = ".") -> Path | None:
        """The root folder of the repository: the folder with `.git`, or another folder around the deployer, in which
        `written` exists.

        An artifact of Flux may be a part of a repository, so a path never means a folder that contains the given folder.
        """
        if self.folder is None:
            return None
        inner = [above for above in reversed(absolute(Path(beside.place[0])).parents) if above.is_relative_to(self.folder)]
        for root in [*self._git, *inner]:
            target = normal(root / written.strip("/"))
            if exists(target) and target not in self.folder.parents:
                return root
        for root in self.folder.parents:
            target = normal(root / written.strip("/"))
            if target.is_relative_to(self.folder) and exists(target):
                return root
        return None
