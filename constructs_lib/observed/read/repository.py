"""Reads files, folders and texts into the one set of inputs that the rules check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ...yaml.located import Document
from ..model import Inputs
from .files import Files, absolute, is_folder, normal
from .loader import Loader


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
        chart: The chart, such as `gpu-operator@v26.7.0`, of a given file with chart values. Default: such a file is
            skipped.
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
    return loader.inputs(talos, kubernetes, nodes)
