"""The class of GPU nodes that a command is about: from flags, or from a small YAML file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .._arguments.errors import wrong
from .._arguments.spelling import did_you_mean
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.nodes_file import read_nodes
from ..nodes.sharing import Mps, TimeSlicing
from ..nodes.taints import Taint
from ..upstream.driver_branches import DriverTrack, KernelModules
from ..upstream.plugin_words import MigStrategy

# What a flag gives to GpuNodes under the same name.
_SAME = ("kernel_modules", "driver_track", "product", "gpus_per_node", "memory_per_gpu", "count", "mig_strategy", "name")


def add_nodes_flags(parser: argparse.ArgumentParser, *, talos: str = "without a file it has to be given") -> None:
    """The flags, each named as the argument of GpuNodes that it is; `talos` says what holds without a version."""
    group = parser.add_argument_group("nodes", "the class of GPU nodes: from a file, or from the other flags")
    group.add_argument("--nodes", metavar="FILE", help="a YAML file with the arguments of GpuNodes; a list for several classes")
    group.add_argument("--class", dest="chosen", metavar="NAME", help="which class of the file, where it has several")
    group.add_argument("--talos-version", "--talos", metavar="VERSION", help=f"such as 1.12.11; {talos}")
    group.add_argument("--kernel-modules", metavar="FLAVOUR", help=_choices(KernelModules, "open"))
    group.add_argument("--driver-track", metavar="TRACK", help=_choices(DriverTrack, "production"))
    group.add_argument("--label", action="append", metavar="KEY=VALUE", help="a label of the nodes; may be given again")
    group.add_argument("--taint", action="append", metavar="KEY[=VALUE][:EFFECT]", help="a taint of the nodes; may be given again")
    group.add_argument("--product", metavar="NAME", help="the card, such as 'RTX 5070 Ti': what can't run it is refused")
    group.add_argument("--gpus-per-node", type=number, metavar="NUMBER", help="physical GPUs in each node")
    group.add_argument("--memory-per-gpu", metavar="QUANTITY", help="the memory of one GPU, such as 16Gi")
    group.add_argument("--count", type=number, metavar="NUMBER", help="how many such nodes there are")
    group.add_argument("--time-slicing", type=number, metavar="REPLICAS", help="how many pods take turns on each GPU")
    group.add_argument("--mps", type=number, metavar="REPLICAS", help="how many pods share each GPU by MPS")
    group.add_argument("--mig-strategy", metavar="STRATEGY", help=_choices(MigStrategy, "none"))
    group.add_argument("--name", metavar="NAME", help="the class's name, where the cluster has several")


def _choices(kind: type[KernelModules | DriverTrack | MigStrategy], default: str) -> str:
    return ", ".join(str(each) for each in kind) + f"; default: {default}"


def nodes_of(given: argparse.Namespace) -> GpuNodes:
    """The class that the flags, or the file, describe."""
    flags = _flags(given)
    if given.nodes is None:
        if given.chosen is not None:
            raise wrong("class", "given with --nodes alone", given.chosen, "the class's own name is --name")
        return GpuNodes(**flags)
    return _chosen(given.nodes, _classes_of_file(given, flags), given.chosen)


def classes_of(given: argparse.Namespace) -> list[GpuNodes]:
    """All classes that the file describes, or the one of the flags; none where the flags say no more than the version of Talos."""
    flags = _flags(given)
    if given.nodes is not None and given.chosen is None:
        return _classes_of_file(given, flags)
    return [nodes_of(given)] if given.chosen is not None or flags.keys() - {"talos_version"} else []


def _classes_of_file(given: argparse.Namespace, flags: dict[str, Any]) -> list[GpuNodes]:
    if flags:
        said = ", ".join(_FLAG_OF.get(name, f"--{name.replace('_', '-')}") for name in flags)
        raise wrong("nodes", "given without other flags for the nodes", given.nodes, f"write {said} into the file")
    written = read_text("nodes", given.nodes)
    try:
        return read_nodes(written)
    except (TypeError, ValueError) as error:
        # In the words of the file, which has no flags.
        raise ValueError(f"{given.nodes}: {error}") from None


def _chosen(path: str, classes: list[GpuNodes], name: str | None) -> GpuNodes:
    if name is None and len(classes) == 1:
        return classes[0]
    named = {nodes.name: nodes for nodes in classes if nodes.name}
    if name in named:
        return named[name]
    if len(classes) > 1 and not named:
        raise wrong("nodes", "a file whose classes have names, where it has several", path, "--class chooses one by its 'name'")
    rule = f"one of the file's classes, {', '.join(map(repr, named))}" if named else "left out for a file whose class has no name"
    raise wrong("class", rule, name, did_you_mean(name or "", named))


def read_text(flag: str, path: str) -> str:
    """A file of text, with its line ends as they are."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError:
        raise wrong(flag, "a file of text", path) from None
    except OSError as error:
        raise wrong(flag, "a file that can be read", path, reason(error)) from None


def reason(error: OSError) -> str:
    """Why a file can't be read or written, without its number and its path."""
    return (error.strerror or str(error)).lower()


def number(written: str) -> int | str:
    """A number of a flag; what is none is left to the check that knows the rule."""
    try:
        return int(written)
    except ValueError:
        return written


# Where a flag has another name than the argument that it gives.
_FLAG_OF = {"labels": "--label", "taints": "--taint", "sharing": "--time-slicing or --mps"}


def _flags(given: argparse.Namespace) -> dict[str, Any]:
    flags: dict[str, Any] = {name: getattr(given, name) for name in ("talos_version", *_SAME)}
    if given.label:
        flags["labels"] = _labels(given.label)
    if given.taint:
        flags["taints"] = [Taint.parse("taint", taint) for taint in given.taint]
    if given.time_slicing is not None and given.mps is not None:
        raise wrong("mps", "given without --time-slicing", given.mps, "a GPU is shared in one way")
    if given.time_slicing is not None:
        flags["sharing"] = TimeSlicing(replicas=given.time_slicing)
    if given.mps is not None:
        flags["sharing"] = Mps(replicas=given.mps)
    return {name: value for name, value in flags.items() if value is not None}


def _labels(written: list[str]) -> dict[str, str]:
    labels: dict[str, str] = {}
    for label in written:
        key, value = _pair(label)
        if labels.setdefault(key, value) != value:
            raise wrong("label", "given with one value for each key", label, f"it is {key}={labels[key]} as well")
    return labels


def _pair(label: str) -> tuple[str, str]:
    key, equals, value = label.partition("=")
    if not equals:
        raise wrong("label", "a label such as 'role=gpu'", label)
    return key, value
