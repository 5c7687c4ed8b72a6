"""Reads files, folders and texts into the one set of inputs that the rules check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...nodes.talos_version import TalosVersion
from ...yaml.located import NO_LINE, Document, Map, Seq, in_one_place
from ...yaml.unknown import FILLED_IN
from ..model import Inputs, Read, Unknown, UnknownKey, no_place
from .files import Files, absolute, is_folder, normal
from .loader import Loader

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes

_Read = TypeVar("_Read", bound=Read)


def read_manifests(
    manifests: Iterable[tuple[str, Mapping[str, Any]]],
    *,
    talos: str | TalosVersion | None = None,
    kubernetes: str | None = None,
    nodes: Sequence[GpuNodes] = (),
    is_live: bool = False,
) -> Inputs:
    """The inputs in manifests, each given with the path of its construct, or with the file of a live object, in which
    no tool fills in anything.
    """
    documents = []
    for path, manifest in manifests:
        place = (path, NO_LINE)
        documents.append(Document(in_one_place(manifest, place) if is_live else _read(manifest), place))
    inputs = read_documents(documents, talos=talos, kubernetes=kubernetes, nodes=nodes)
    return replace(
        inputs,
        objects=tuple(map(_without_lines, inputs.objects)),
        of_unknown_kind=tuple(map(_without_lines, inputs.of_unknown_kind)),
        releases=tuple(map(_without_lines, inputs.releases)),
        node_configs=tuple(map(_without_lines, inputs.node_configs)),
        skipped=tuple(replace(each, line=None) for each in inputs.skipped),
    )


def _without_lines(read: _Read) -> _Read:
    """The input without the lines inside a text that it holds, such as the values in a ConfigMap."""
    return read if read.place_at is no_place else replace(read, place_at=no_place)


def _read(value: Any) -> Any:
    """The value as if it had been read from YAML."""
    kind = type(value)
    if kind is str:  # most values: no class has to be looked up
        return Unknown(value) if FILLED_IN.search(value) else value
    if kind is int or kind is bool:
        return value
    if kind is dict or isinstance(value, Mapping):
        result = Map()
        for key, each in value.items():
            text = str(key)
            result[UnknownKey(text) if FILLED_IN.search(text) else text] = _read(each)
        return result
    if isinstance(value, list | tuple):
        return Seq([_read(each) for each in value])
    if isinstance(value, str) and FILLED_IN.search(value):
        return Unknown(value)
    return value


def read_text(
    text: str,
    *,
    file: str = "-",
    chart: str | None = None,
    talos: str | TalosVersion | None = None,
    kubernetes: str | None = None,
    nodes: Sequence[GpuNodes] = (),
) -> Inputs:
    """The inputs in one stream of documents.

    Args:
        text: YAML or JSON: manifests, Lists, Flux's and Argo CD's objects, documents of Talos, talhelper, Omni and the
            Image Factory.
        file: The name of the stream in reports. Default: `-`.
        chart: The chart, such as `gpu-operator@v26.7.0`, of a document with chart values. Default: such a document is
            skipped.
        talos: The Talos version of the cluster. Default: the version that the documents agree about.
        kubernetes: The Kubernetes version of the cluster. Default: the version that the documents agree about.
        nodes: The classes of GPU nodes of the cluster. Default: none are known.
    """
    loader = Loader(Files(), chart)
    loader.take_stream(loader.files.parse(text, file))
    return loader.inputs(talos, kubernetes, nodes)


def read_documents(
    documents: Iterable[Document], *, talos: str | TalosVersion | None = None, kubernetes: str | None = None, nodes: Sequence[GpuNodes] = ()
) -> Inputs:
    """The inputs in documents without a file. The other arguments are those of `read_text`."""
    loader = Loader(Files(), None)
    loader.take_stream(documents)
    return loader.inputs(talos, kubernetes, nodes)


def read(
    paths: Iterable[str | Path],
    *,
    stream: str | None = None,
    texts: Mapping[Path, str] | None = None,
    chart: str | None = None,
    talos: str | TalosVersion | None = None,
    kubernetes: str | None = None,
    nodes: Sequence[GpuNodes] = (),
) -> Inputs:
    """The inputs in the files and folders of one cluster. Of a folder with kustomizations, Flux or Argo CD, only the
    deployed files.

    Args:
        paths: Files and folders.
        stream: The text of standard input, named `-` in reports. Default: none.
        texts: Texts in place of those of files, by absolute path. Default: none.
        chart: The chart, such as `gpu-operator@v26.7.0`, of the given files with chart values, and of the files in
            folders whose keys are those of its values. Default: values are known by their keys alone.
        talos: The Talos version of the cluster. Default: the version that the files agree about.
        kubernetes: The Kubernetes version of the cluster. Default: the version that the files agree about.
        nodes: The classes of GPU nodes of the cluster. Default: none are known.
    """
    sources = [Path(each) for each in paths]
    loader = Loader(Files(sources, texts), chart)
    for each in sources:
        path, before = normal(absolute(each)), loader.size
        if is_folder(path):
            loader.take_folder(path)
        else:
            loader.take_file(path)
        loader.note(str(each), before)
    if stream is not None:
        before = loader.size
        loader.take_stream(loader.files.parse(stream, "-"))
        loader.note("-", before)
    if any(map(is_folder, sources)):
        loader.values.check_chart()
    return loader.inputs(talos, kubernetes, nodes)
