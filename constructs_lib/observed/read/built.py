"""`Built`: the result of a build by kustomize, Flux or Argo CD."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ..model import ChartRelease, SharedObject
from .kubernetes.located_yaml import Document
from .kustomize.finish import finished_documents


@dataclass(slots=True)
class Built:
    """The result of a build: objects, and the charts that are rendered among them."""

    documents: list[Document] = field(default_factory=list)
    releases: list[ChartRelease] = field(default_factory=list)
    settings: list[Document] = field(default_factory=list)
    """The kustomizations of the build. Their configurations and variables are applied at the end."""
    configurations: list[Any] = field(default_factory=list)
    shared: list[SharedObject] = field(default_factory=list)

    def add(self, other: Built) -> None:
        """Add the result of another build."""
        self.documents += other.documents
        self.releases += other.releases
        self.settings += other.settings
        self.configurations += other.configurations
        self.shared += other.shared


def finished(built: Built) -> Built:
    """The result with the last steps of a build applied: hashes, references and variables."""
    return replace(built, documents=finished_documents(built.documents, built.settings, built.configurations))
