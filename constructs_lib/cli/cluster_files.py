"""The cluster file as an argument of a command: its clusters, its classes of nodes, and the files that it gives."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments.errors import Refusal, in_file, wrong
from ..arguments.spelling import did_you_mean

if TYPE_CHECKING:
    from ..clusters.cluster_file import ClusterFile
    from ..clusters.description import Description
    from ..clusters.file_values import FileError
    from ..clusters.synthesis import Synthesis
    from ..nodes.file_classes import FileClass
    from ..nodes.gpu_nodes import GpuNodes
    from ..observed.model import Inputs

LARGEST = 50_000_000
"""The largest cluster file, in bytes: that of a large fleet."""
LARGEST_AMONG_PATHS = 20_000_000
"""The largest file that is read to see whether it is a cluster file."""
_KEY = re.compile(r"(?:^|[{,\s])[\"']?(?:nodes|clusters)[\"']?\s*:", re.MULTILINE)
_VERSION = re.compile(r"v?\d+\.\d+(\.\d+)?")
_SUFFIXES = (".yaml", ".yml", ".json")


def cluster_file_at(path: str) -> ClusterFile | None:
    """The cluster file at a path; None for another file, and for a folder."""
    place = Path(path)
    if not path.lower().endswith(_SUFFIXES) or not place.is_file() or place.stat().st_size > LARGEST_AMONG_PATHS:
        return None
    from .texts import read_text

    try:
        text = read_text("file", path, LARGEST)
    except Refusal:
        return None  # the reader of manifests says what is wrong
    return file_of(path, text) if is_cluster_file(text) else None


def is_cluster_file(text: str) -> bool:
    """Whether a text is a cluster file, and no object or configuration of another program."""
    if not _KEY.search(text):
        return False
    from ..yaml.load import YamlError, handwritten

    try:
        documents = [each.value for each in handwritten(text, LARGEST)]
    except YamlError:
        return False  # the reader of manifests says what is wrong
    keys = set(documents[0]) if len(documents) == 1 and isinstance(documents[0], Mapping) else set()
    from ..clusters.cluster_file import KEYS

    # The values of a chart may have a key `nodes`, too.
    return bool(keys) and ("clusters" in keys or isinstance(documents[0].get("nodes"), Mapping)) and ("talos" in keys or keys <= {*KEYS})


def file_of(path: str, text: str) -> ClusterFile:
    """The cluster file with a text."""
    from ..clusters.cluster_file import ClusterFile  # only a cluster file needs it

    return ClusterFile(path, text)


def described(file: ClusterFile, chosen: str | None) -> tuple[str, Description, str | None]:
    """The name and the description of the cluster that `--class` names, and the class that it names: `rtx`, or
    `paris/rtx` in a file with several clusters."""
    cluster, slash, name = (chosen or "").rpartition("/")
    clusters = _clusters(file)
    if len(clusters) > 1 and not slash:
        cluster, name = name, ""
    if len(clusters) > 1 and cluster not in clusters:
        rule = (
            f"a cluster of {file.path}, {', '.join(map(repr, list(clusters)[:5]))}, or a class of one, such as {next(iter(clusters))}/rtx"
        )
        raise wrong("class", rule, chosen, did_you_mean(cluster, clusters))
    if cluster and cluster not in clusters:
        raise wrong("class", f"a class of the only cluster of {file.path}, without the name of a cluster", chosen)
    key = cluster or next(iter(clusters))
    _raise_first(file, clusters[key].errors, _named(clusters, key))
    return key, clusters[key], name or None


def _clusters(file: ClusterFile) -> dict[str, Description]:
    from ..clusters.file_values import FileError

    try:
        return dict(file.clusters())
    except FileError as error:
        raise _said(file, error) from None


def _named(clusters: Mapping[str, Description], key: str) -> str:
    """The cluster whose own lines count for an error; empty in a file with one."""
    return key if len(clusters) > 1 else ""


def _raise_first(file: ClusterFile, errors: Sequence[FileError], cluster: str) -> None:
    if errors:
        raise _said(file, errors[0], cluster)


def nodes_in(file: ClusterFile, chosen: str | None) -> list[tuple[FileClass, GpuNodes]]:
    """The classes of the file, or the one that `--class` names."""
    from ..clusters.file_values import FileError
    from ..nodes.nodes_file import nodes_in as made

    cluster, description, name = described(file, chosen)
    classes = description.classes
    if name is not None:
        keys = [key for each in classes for key in each.keys]
        if name not in keys:
            raise wrong("class", f"one of the classes of {file.path}, {', '.join(map(repr, keys))}", chosen, did_you_mean(name, keys))
        classes = [each for each in classes if name in each.keys]
    found = []
    for each in classes:
        try:
            found += [(each, nodes) for nodes in made([each.arguments])]
        except Refusal as error:
            told = each.told(error)
            path = tuple(told.argument.partition("[")[0].split("."))
            raise _said(file, FileError(path, told), _named(_clusters(file), cluster)) from None
    return found


def _said(file: ClusterFile, error: FileError, cluster: str = "") -> ValueError:
    """An error with its line. No value is quoted: the file may be another one, with secrets."""
    from ..clusters.messages import message_of

    message = message_of(file, error, cluster)
    if not isinstance(error.error, Refusal):
        return ValueError(str(message))
    place = message.place.removesuffix(":")
    said = str(in_file(place, error.error))
    return ValueError(said.replace(message.place, f"{message.place} [{cluster}]", 1) if cluster else said)


def needs_of_class(options: argparse.Namespace, own_gates: Sequence[str] = ()) -> tuple[bool, dict[str, list[str]]]:
    """What the cluster file of a verb says of its class: whether the GPU operator runs on it, and the argument
    `kubelet_feature_gates` with the class's own gates and those that a DRA driver needs."""
    if options.file is None:
        return False, {}
    from ..clusters.composer import Composer
    from ..clusters.talos_outputs import kubelet_gates

    file = file_of(options.file, file_text(options))
    _, description, name = described(file, options.chosen)
    composer = Composer(description, runs_helm=False)
    composer.compose()  # synth tells the errors of other parts
    own = description.classes[0].name if name is None else composer.class_name(name)
    gates = kubelet_gates(composer, composer.classes[own], own_gates) if own in composer.classes else {}
    return any(each.name == own for each in composer.with_operator), gates


def file_text(options: argparse.Namespace) -> str:
    """The text of the cluster file of a verb. A pipe is read once."""
    from .texts import read_text

    if "file_text" not in options:
        try:
            options.file_text = read_text("file", options.file, LARGEST)
        except Refusal as error:
            meant = f"did you mean '--talos {options.file}'?" if _VERSION.fullmatch(options.file) else str(error.hint)
            hint = f"; {meant}" if meant else ""
            raise ValueError(f"FILE must be {error.rule} (got {error.got_text}){hint}") from None
    text: str = options.file_text
    return text


def synthesized(file: ClusterFile, chosen: str | None, *, runs_helm: bool = True) -> tuple[str, Description, Synthesis]:
    """The cluster that `--class` names, with its files, without the findings of the rules."""
    name, description, of_class = described(file, chosen)
    if of_class is not None:
        raise wrong("class", "left out, or the name of a cluster: every class of the cluster is read", chosen)
    return name, description, _synthesis(file, description, _named(_clusters(file), name), runs_helm=runs_helm)


def synthesized_cluster(file: ClusterFile, cluster: str | None) -> tuple[str, Description, Synthesis]:
    """The cluster that `--cluster` names, or the only one."""
    clusters = _clusters(file)
    if cluster is None and len(clusters) > 1:
        raise wrong("cluster", f"one of the clusters of {file.path}, {', '.join(map(repr, list(clusters)[:5]))}", None)
    key = cluster or next(iter(clusters))
    if key not in clusters:
        raise wrong("cluster", "the name of a cluster of the file", cluster, did_you_mean(key, clusters))
    return key, clusters[key], _synthesis(file, clusters[key], _named(clusters, key))


def _synthesis(file: ClusterFile, description: Description, cluster: str, *, runs_helm: bool = True) -> Synthesis:
    from ..clusters.fleet import beside
    from ..clusters.messages import message_of
    from ..clusters.synthesis import synthesize

    _raise_first(file, description.errors, cluster)
    result = synthesize(description, lambda path: beside(file, path), with_checks=False, runs_helm=runs_helm)
    if result.errors:
        raise ValueError("\n".join(str(message_of(file, each, cluster)) for each in result.errors))
    return result


def inputs_of(file: ClusterFile, options: argparse.Namespace) -> Inputs:
    """What synth would write, as if it were read from the cluster's folder. The file may be a stranger's: no Helm runs."""
    import contextlib  # imported here, as every verb's help would load them
    import tempfile

    from ..observed.read.repository import read

    _, _, result = synthesized(file, options.chosen, runs_helm=False)
    with tempfile.TemporaryDirectory(prefix="talos-gpu-") as folder:
        for name, text in result.files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        # A place is named as in the folder that synth writes.
        with contextlib.chdir(folder):
            folders = sorted({name.partition("/")[0] for name in result.files})
            return read([*map(Path, folders)], kubernetes=options.kubernetes, nodes=result.nodes)


def split(paths: Sequence[str]) -> tuple[ClusterFile | None, list[str]]:
    """The only cluster file among the paths, and the other paths."""
    found = {path: file for path in paths if (file := cluster_file_at(path)) is not None}
    if len(found) > 1:
        raise ValueError(f"PATH must be at most one cluster file (got {', '.join(found)}); each is a cluster of its own")
    return next(iter(found.values()), None), [path for path in paths if path not in found]


def refuse_chart(options: argparse.Namespace, path: str) -> None:
    """Refuse the chart of a values file, where a cluster file is the only file."""
    if options.chart is not None:
        raise wrong("chart", "given with a plain values file", options.chart, f"{path} is a cluster file, whose charts have their versions")


def refuse_node_flags(options: argparse.Namespace, path: str, given: Mapping[str, Any]) -> None:
    """Refuse flags for the nodes beside a cluster file, which describes its nodes."""
    from .flags import flag_of

    if given:
        names = ", ".join("--time-slicing or --mps" if name == "sharing" else flag_of(name, options) for name in given)
        raise ValueError(f"{names} must be left out beside the cluster file {path}, which describes its nodes")
