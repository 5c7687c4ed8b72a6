"""The subject of a rehearsal: the classes of nodes, the machine configurations and the objects of a cluster file, or of
files with manifests and a cluster file for the nodes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from constructs_lib.cli.cluster_files import nodes_in, refuse_node_flags, split, synthesized
from constructs_lib.cli.files import existing, read_inputs
from constructs_lib.cli.nodes_flags import classes_of, node_flags, nodes_of
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.synthesis import TALOS
from constructs_lib.clusters.talos_outputs import MACHINE_CONFIG
from constructs_lib.manifests.objects import plain
from constructs_lib.nodes.gpu_nodes import GpuNodes
from constructs_lib.observed.model import Inputs, KubernetesObject
from constructs_lib.observed.read.repository import read_manifests
from constructs_lib.upstream.charts import GPU_OPERATOR
from constructs_lib.yaml.load import handwritten
from constructs_lib.yaml.unknown import Unknown

from . import discovery
from .manifests import LeftOut, Manifest, label
from .manifests import split as split_objects


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
        raise ValueError("a PATH must be given: a cluster file, or files and folders with manifests and a cluster file")
    existing(options.paths)
    file, others = split(options.paths)
    return _of_cluster_file(file, options) if file is not None and not others else _of_files(options, file)


def _of_cluster_file(file: ClusterFile, options: argparse.Namespace) -> Subject:
    refuse_node_flags(options, file.path, node_flags(options))
    name, _, result = synthesized(file, options.chosen)
    manifests = [(path, each) for path, objects in result.objects.items() for each in objects]
    inputs = read_manifests(manifests, nodes=result.nodes)
    taken, left = split_objects((plain(each) for _, each in manifests), _defined(inputs))
    configs = {each.name: _documents(result.files, each) for each in result.nodes}
    return Subject(
        name, result.nodes, tuple(taken), tuple(left), inputs, {key: documents for key, documents in configs.items() if documents}
    )


def _documents(files: Mapping[str, str], nodes: GpuNodes) -> tuple[Manifest, ...]:
    """The machine configuration that the file emits for a class."""
    text = files.get(f"{TALOS}/{f'{nodes.name}-' if nodes.name else ''}{MACHINE_CONFIG}")
    return () if text is None else tuple(plain(each.value) for each in handwritten(text))


def _of_files(options: argparse.Namespace, file: ClusterFile | None) -> Subject:
    if file is not None:
        classes = [nodes for _, nodes in nodes_in(file, options.chosen)]
    else:
        classes = classes_of(options) or ([] if options.talos_version is None else [nodes_of(options)])
    if not classes:
        raise ValueError(
            "a cluster file must be given with manifests: it has the classes of GPU nodes; or --talos with the flags of a class"
        )
    inputs = read_inputs(options.paths, options, settings=None, subjects=(), nodes=classes)
    whole, left = _whole(inputs.objects)
    taken, further = split_objects(whole, _defined(inputs))
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
