"""The clusters of a repository, by the names in Talos' configurations and by the folders of their deployers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..model import at, known_str
from .argo.applications import is_application
from .flux.releases import is_kustomization
from .kubernetes.located_yaml import Document
from .talos.omni_cluster_templates import is_template_document
from .talos.talhelper_configs import is_talconfig

# The layout that the documentation of Flux recommends: https://fluxcd.io/flux/guides/repository-structure/
_FOLDER = re.compile(r"(?:.*/)?clusters/([^/]+)(?=/)")


def clusters(of_talos: Iterable[Document], objects: Iterable[Document]) -> tuple[str, ...]:
    """Each cluster with its file or folder, by Talos' names or by the deployers' folders, whichever are more."""
    by_name: dict[str, str] = {}
    for document in of_talos:
        for name in _names(document):
            by_name.setdefault(name, document.place[0])
    by_folder: dict[str, str] = {}
    for document in objects:
        folder = _FOLDER.match(document.place[0]) if "clusters/" in document.place[0] else None
        if folder is not None and (is_kustomization(document.value) or is_application(document.value)):
            by_folder.setdefault(folder[1], folder[0])
    larger = max(by_name, by_folder, key=len)
    return tuple(f"{name} ({place})" for name, place in larger.items())


def _names(document: Document) -> Iterator[str]:
    """The name of the cluster that a document of Talos, talhelper or Omni states."""
    body = document.value
    if is_talconfig(body):
        written = at(body, "clusterName")
    elif is_template_document(body):
        written = at(body, "name") if at(body, "kind") == "Cluster" else None
    else:
        written = at(body, "cluster", "clusterName")
    if name := known_str(written):
        yield name
