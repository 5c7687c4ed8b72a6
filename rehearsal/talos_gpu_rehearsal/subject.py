"""The subject of a rehearsal: the classes of nodes, the machine configurations and the objects of a cluster file, or of
files with manifests and a nodes file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from constructs_lib.arguments.errors import wrong
from constructs_lib.arguments.spelling import did_you_mean
from constructs_lib.cli.files import existing, read_inputs
from constructs_lib.cli.nodes_flags import classes_of, nodes_of, read_text
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.file_values import FileError
from constructs_lib.clusters.fleet import beside
from constructs_lib.clusters.messages import message_of
from constructs_lib.clusters.synthesis import TALOS, synthesize
from constructs_lib.clusters.talos_outputs import MACHINE_CONFIG
from constructs_lib.manifests.objects import plain
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.observed.model import Inputs, KubernetesObject
from constructs_lib.observed.read.repository import read_manifests
from constructs_lib.upstream.charts import GPU_OPERATOR
from constructs_lib.yaml.load import YamlError, handwritten
from constructs_lib.yaml.unknown import Unknown

from . import discovery
from .manifests import LeftOut, Manifest, label, split

_LARGEST = 50_000_000


@dataclass(frozen=True)
class Subject:
    """What a rehearsal is about."""

    name: str
    classes: tuple[GpuNodes, ...]
    objects: tuple[Manifest, ...]
    """The objects that are applied."""
    left_out: tuple[LeftOut, ...]
    inputs: Inputs
    """The same as the checks see it."""
    machine_configs: Mapping[str | None, tuple[Manifest, ...]] = field(default_factory=dict)
    """The machine configuration of each class by its name, where the file has one."""

    @property
    def with_operator(self) -> bool:
        """Whether a chart of the GPU operator is among the objects."""
        return bool(self.inputs.of_chart(GPU_OPERATOR))


def subject_of(options: argparse.Namespace) -> Subject:
    """The subject that the paths and flags of the command name."""
    if not options.paths:
        raise ValueError("a PATH must be given: a cluster file, or files and folders with manifests and --nodes")
    if len(options.paths) == 1 and options.paths[0] != "-":
        existing(options.paths)
        path = options.paths[0]
        if Path(path).is_file() and (file := _cluster_file(path)) is not None:
            return _of_cluster_file(file, options)
    if options.cluster is not None:
        raise wrong("cluster", "given with a cluster file", options.cluster)
    return _of_files(options)


def _cluster_file(path: str) -> ClusterFile | None:
    """The cluster file at a path; None for another file."""
    text = read_text("path", path, _LARGEST)
    try:
        documents = [each.value for each in handwritten(text)]
    except YamlError:
        return None  # the reader of manifests says what is wrong
    keys = set(documents[0]) if len(documents) == 1 and isinstance(documents[0], Mapping) else set()
    is_cluster = bool(keys & {"charts", "clusters"} or {"nodes", "talos"} <= keys) and keys.isdisjoint({"apiVersion", "kind"})
    return ClusterFile(path, text) if is_cluster else None


def _of_cluster_file(file: ClusterFile, options: argparse.Namespace) -> Subject:
    if classes_of(options) or options.talos_version is not None:
        raise wrong("nodes", "left out with a cluster file, which describes its nodes", options.nodes or options.talos_version)
    try:
        clusters = dict(file.clusters())
    except FileError as error:
        raise ValueError(str(message_of(file, error))) from None
    name = _chosen(clusters, options.cluster)
    result = synthesize(clusters[name], lambda path: beside(file, path), with_checks=False)
    if result.errors:
        several = name if len(clusters) > 1 else ""
        raise ValueError("\n".join(str(message_of(file, each, several)) for each in result.errors))
    manifests = [(path, each) for path, objects in result.objects.items() for each in objects]
    inputs = read_manifests(manifests, nodes=result.nodes)
    taken, left = split((plain(each) for _, each in manifests), _defined(inputs))
    configs = {each.name: _documents(result.files, each) for each in result.nodes}
    return Subject(
        name, result.nodes, tuple(taken), tuple(left), inputs, {key: documents for key, documents in configs.items() if documents}
    )


def _chosen(clusters: Mapping[str, Any], given: str | None) -> str:
    if given is None and len(clusters) == 1:
        return next(iter(clusters))
    if given is None:
        raise wrong("cluster", f"given for a file with several clusters, one of {', '.join(map(repr, clusters))}", None)
    if given not in clusters:
        raise wrong("cluster", "the name of a cluster of the file", given, did_you_mean(given, clusters))
    return given


def _documents(files: Mapping[str, str], nodes: GpuNodes) -> tuple[Manifest, ...]:
    """The machine configuration that the file emits for a class."""
    text = files.get(f"{TALOS}/{f'{nodes.name}-' if nodes.name else ''}{MACHINE_CONFIG}")
    return () if text is None else tuple(plain(each.value) for each in handwritten(text))


def _of_files(options: argparse.Namespace) -> Subject:
    classes = classes_of(options) or ([] if options.talos_version is None else [nodes_of(options)])
    if not classes:
        rule = "given with manifests: the file of the classes of GPU nodes"
        raise wrong("nodes", rule, options.nodes, "or --talos with the flags of a class; a cluster file has its own classes")
    inputs = read_inputs(options.paths, options, settings=None, subjects=(), nodes=classes)
    whole, left = _whole(inputs.objects)
    taken, further = split(whole, _defined(inputs))
    left += [
        *further,
        *(LeftOut(str(each.at("kind")), f"its kind is filled in by another tool ({each.file})") for each in inputs.of_unknown_kind),
    ]
    left += [LeftOut(each.file, _OTHER_CONFIG) for each in inputs.node_configs]
    left += [LeftOut(each.file, each.reason) for each in inputs.skipped]
    return Subject(options.paths[0], tuple(classes), tuple(taken), tuple(dict.fromkeys(left)), inputs)


def _defined(inputs: Inputs) -> frozenset[tuple[str, str]]:
    """The custom resources that the rehearsal defines, in place of a chart."""
    return discovery.KINDS if discovery.installed_by(inputs) else frozenset()


_OTHER_CONFIG = "a node here has the machine configuration that talos-gpu patch prints for its class, and no image is made"
_FILLED_IN = ("${", "ENC[", "op://", "<path:")


def _whole(objects: Sequence[KubernetesObject]) -> tuple[list[Manifest], list[LeftOut]]:
    """The objects that hold all their values, and the others. A text with the braces of another template language, as
    dashboards have them, is a value."""
    found, left = [], []
    for each in objects:
        gaps: list[str] = []
        manifest = _filled(each.body, gaps)
        if gaps:
            left.append(LeftOut(label(manifest), f"another tool fills in {gaps[0]!r}"))
        else:
            found.append(manifest)
    return found, left


def _filled(value: Any, gaps: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _filled(each, gaps) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(each, gaps) for each in value]
    if isinstance(value, Unknown):
        if not value.text or value.text.startswith(_FILLED_IN) or "${" in value.text:
            gaps.append(value.text or "a value")
        return value.text
    return value
