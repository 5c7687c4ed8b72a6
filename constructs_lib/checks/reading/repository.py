"""Everything that was given, as the one set of inputs that rules judge."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ...nodes import GpuNodes
from ...talos_version import TalosVersion
from ..read import ChartRelease, Inputs, KubernetesObject, NodeConfig, Read, Skipped
from .charts import chart_name
from .flux import helm_release, is_helm_release
from .manifests import is_object, kubernetes_objects, lines
from .talos_documents import is_talos, read_talos
from .yaml import Document, Map, documents


def read_text(
    text: str,
    *,
    file: str = "-",
    chart: str | None = None,
    talos: str | TalosVersion | None = None,
    kubernetes: str | None = None,
    nodes: Sequence[GpuNodes] = (),
) -> Inputs:
    """What one stream of documents holds; with `chart`, such as `gpu-operator@v26.7.0`, a document of another kind is its values."""
    found, skipped = documents(text, file)
    return _inputs(found, skipped, chart=chart, talos=talos, kubernetes=kubernetes, nodes=nodes)


def read(
    paths: Iterable[str | Path],
    *,
    chart: str | None = None,
    talos: str | TalosVersion | None = None,
    kubernetes: str | None = None,
    nodes: Sequence[GpuNodes] = (),
) -> Inputs:
    """What files and folders hold."""
    found: list[Document] = []
    skipped: list[Skipped] = []
    for path in paths:
        for file in _files(Path(path)):
            more, less = documents(file.read_text(), str(file))
            found += more
            skipped += less
    return _inputs(found, skipped, chart=chart, talos=talos, kubernetes=kubernetes, nodes=nodes)


def _files(path: Path) -> Iterable[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            if name.endswith((".yaml", ".yml", ".json")):
                yield Path(folder, name)


def _inputs(
    found: list[Document],
    skipped: list[Skipped],
    *,
    chart: str | None,
    talos: str | TalosVersion | None,
    kubernetes: str | None,
    nodes: Sequence[GpuNodes],
) -> Inputs:
    objects: list[KubernetesObject] = []
    releases: list[ChartRelease] = []
    node_configs: list[NodeConfig] = []
    for each in found:
        body = each.value
        if not isinstance(body, Map):
            continue
        if is_talos(body):
            more, less = read_talos(Read(body=body, **lines(body, each.place)), Path())
            node_configs += more
            skipped += less
        elif is_object(body):
            for one in kubernetes_objects(body, each.place):
                objects.append(one)
                if is_helm_release(one):
                    releases.append(helm_release(one))
        elif chart is not None:
            releases.append(_bare(body, each, chart))
    return Inputs(
        objects=tuple(objects),
        releases=tuple(releases),
        node_configs=tuple(node_configs),
        nodes=tuple(nodes),
        talos_version=TalosVersion.parse("talos", talos) if talos is not None else None,
        kubernetes_version=kubernetes,
        skipped=tuple(skipped),
    )


def _bare(body: Map, document: Document, chart: str) -> ChartRelease:
    name, _, version = chart.partition("@")
    place: dict[str, Any] = lines(body, document.place)
    return ChartRelease(body=body, chart=chart_name(name), name=name, namespace=None, version=version or None, values=body, **place)
