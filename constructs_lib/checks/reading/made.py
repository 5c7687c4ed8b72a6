"""Manifests that a program made: they have no file and no line, but the path of what made them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...nodes import GpuNodes
from ..read import Inputs, KubernetesObject
from .files import Files
from .flux import helm_releases


def read_made(made: Iterable[tuple[str, Mapping[str, Any]]], *, nodes: Iterable[GpuNodes] = (), whole: bool = False) -> Inputs:
    """What manifests hold, each given with the path of what made it."""
    objects = [_object(path, manifest) for path, manifest in made]
    classes = tuple(nodes)
    versions = {each.talos_version for each in classes}
    return Inputs(
        objects=tuple(objects),
        releases=tuple(helm_releases(objects, Files())),
        nodes=classes,
        talos_version=versions.pop() if len(versions) == 1 else None,
        whole=whole,
    )


def _object(path: str, manifest: Mapping[str, Any]) -> KubernetesObject:
    metadata = manifest.get("metadata")
    namespace = metadata.get("namespace") if isinstance(metadata, Mapping) else None
    return KubernetesObject(body=manifest, file=path, namespace=namespace if isinstance(namespace, str) else None)
