"""The flags of a class of GPU nodes, and the nodes file."""

from __future__ import annotations

import argparse
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..arguments.errors import Refusal, in_file, wrong
from ..arguments.spelling import did_you_mean
from . import streams
from .flags import add_flag, flag_of

if TYPE_CHECKING:
    from ..nodes.gpu_nodes import GpuNodes
    from ..upstream.choice import Choice

_T = TypeVar("_T")

# Flags with the name of their argument of GpuNodes.
_SAME = ("kernel_modules", "driver_track", "product", "gpus_per_node", "memory_per_gpu", "count", "mig_strategy", "name")

IMAGE_SOURCES = (
    "a schematic, a talconfig.yaml, the output of kubectl get nodes -o yaml or of talosctl get extensions -o yaml; - for standard input"
)
"""The sources of `--from`."""

# A class of nodes has a few lines. A file that is much larger is another file.
_LARGEST = 2_000_000


def add_nodes_flags(parser: argparse.ArgumentParser, *, talos: str = "required without --nodes") -> None:
    """Add the flags, named as the arguments of GpuNodes. `talos` is the help for a missing version."""
    from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
    from ..upstream.nvidia.plugin_words import MigStrategy

    group = parser.add_argument_group("nodes", "the class of GPU nodes, from a file or from flags")
    add_flag(group, "--nodes FILE", "a YAML file with the arguments of GpuNodes; a list for several classes")
    add_flag(group, "--class NAME", "the class to use from a file with several classes")
    add_flag(group, "--talos --talos-version VERSION", f"such as 1.12.11; {talos}")
    add_flag(group, "--kernel-modules FLAVOUR", _choices(KernelModules, "those that the card needs, else open"))
    add_flag(group, "--driver-track TRACK", _choices(DriverTrack, "the one that runs the card, else production"))
    add_flag(group, "--label KEY=VALUE", "a label of the nodes, by which pods select them; repeatable", action="append")
    add_flag(group, "--extra-label KEY=VALUE", "a label of the nodes that no pod selects; repeatable", action="append")
    add_flag(group, "--taint KEY[=VALUE][:EFFECT]", "a taint of the nodes; repeatable", action="append")
    add_flag(group, "--product NAME", "the card, such as 'RTX 5070 Ti'; modules and drivers that can't run the card are refused")
    add_flag(group, "--gpus-per-node NUMBER", "the number of physical GPUs in each node", type=number)
    add_flag(group, "--memory-per-gpu QUANTITY", "the memory of one GPU, such as 16Gi")
    add_flag(group, "--count NUMBER", "the number of nodes in the class", type=number)
    add_flag(group, "--time-slicing REPLICAS", "the number of pods that share each GPU by time-slicing", type=number)
    add_flag(group, "--mps REPLICAS", "the number of pods that share each GPU by MPS", type=number)
    add_flag(group, "--mig-strategy STRATEGY", _choices(MigStrategy, "none"))
    add_flag(
        group, "--passthrough ID[,ID]", "the PCI IDs of one card whose GPU belongs to virtual machines, the GPU first: 10de:2204,10de:1aef"
    )
    add_flag(group, "--name NAME", "the name of the class, for clusters with several classes")


def _choices(kind: type[Choice], default: str) -> str:
    return ", ".join(str(each) for each in kind) + f"; default: {default}"


def nodes_of(options: argparse.Namespace) -> GpuNodes:
    """The class of the flags or of the file."""
    from ..nodes.gpu_nodes import GpuNodes  # the help and the errors of a command line need no class of nodes

    flags = _flags(options)
    if options.nodes is None:
        if options.chosen is not None:
            raise wrong("class", "given with --nodes alone", options.chosen, "the flag for the name of a class is --name")
        return GpuNodes(**flags)
    return _chosen(options.nodes, _classes_of_file(options, flags), options.chosen)


def classes_of(options: argparse.Namespace) -> list[GpuNodes]:
    """All classes of the file, or the class of the flags; none when --talos is the only flag."""
    flags = _flags(options)
    if options.nodes is not None and options.chosen is None:
        return _classes_of_file(options, flags)
    return [nodes_of(options)] if options.chosen is not None or flags.keys() - {"talos_version"} else []


def _classes_of_file(options: argparse.Namespace, flags: dict[str, Any]) -> list[GpuNodes]:
    from ..nodes.nodes_file import read_nodes

    if flags:
        names = ", ".join("--time-slicing or --mps" if name == "sharing" else flag_of(name) for name in flags)
        raise wrong("nodes", "given without other flags for the nodes", options.nodes, f"write {names} into the file")
    return read_file("nodes", options.nodes, read_nodes)


def _chosen(path: str, classes: list[GpuNodes], name: str | None) -> GpuNodes:
    if name is None and len(classes) == 1:
        return classes[0]
    named = {nodes.name: nodes for nodes in classes if nodes.name}
    if name in named:
        return named[name]
    if len(classes) > 1 and not named:
        raise wrong("nodes", "a file whose classes have names", path, "--class chooses a class by its 'name'")
    rule = f"one of the file's classes, {', '.join(map(repr, named))}" if named else "left out for a file whose class has no name"
    raise wrong("class", rule, name, did_you_mean(name or "", named))


def read_text(flag: str, path: str, largest: int = _LARGEST) -> str:
    """The text of a file or a pipe, such as `<(sops -d nodes.yaml)`, with its line ends unchanged, up to a size. A
    device is not opened."""
    rule = "a file that can be read"
    try:
        mode = Path(path).stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise wrong(flag, rule, path, "is a directory" if stat.S_ISDIR(mode) else "it is a device or a socket, not a file")
        with Path(path).open("rb") as file:
            content = file.read(largest + 1)
        if len(content) > largest:
            raise wrong(flag, rule, path, f"it is larger than {largest // 1_000_000} MB")
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise wrong(flag, "a file of text", path) from None
    except OSError as error:
        raise wrong(flag, rule, path, streams.reason(error)) from None


def read_file(flag: str, path: str, read: Callable[[str], _T]) -> _T:
    """The answer of a reader to the text of a file. An error of the reader names the file."""
    text = read_text(flag, path)
    try:
        return read(text)
    except Refusal as error:
        raise in_file(path, error) from None


def number(written: str) -> int | str:
    """The number of a flag. Other text is returned unchanged, and the check of the argument refuses it."""
    try:
        return int(written)
    except ValueError:
        return written


def _flags(options: argparse.Namespace) -> dict[str, Any]:
    flags: dict[str, Any] = {name: getattr(options, name) for name in ("talos_version", *_SAME)}
    if options.label:
        flags["labels"] = pairs("label", options.label, "a label such as 'role=gpu'")
    if options.extra_label:
        flags["extra_labels"] = pairs("extra_label", options.extra_label, "a label such as 'role=gpu'")
    if options.taint:
        from ..nodes.taints import Taint

        flags["taints"] = [Taint.parse("taint", taint) for taint in options.taint]
    if options.time_slicing is not None and options.mps is not None:
        raise wrong("mps", "given without --time-slicing", options.mps, "a GPU has one kind of sharing")
    if options.time_slicing is not None:
        from ..nodes.sharing import TimeSlicing

        flags["sharing"] = TimeSlicing(replicas=options.time_slicing)
    if options.mps is not None:
        from ..nodes.sharing import Mps

        flags["sharing"] = Mps(replicas=options.mps)
    if options.passthrough is not None:
        from ..nodes.passthrough import Passthrough

        flags["passthrough"] = Passthrough(pci_ids=options.passthrough.split(","))
    return {name: value for name, value in flags.items() if value is not None}


def pairs(flag: str, written: list[str], rule: str) -> dict[str, str]:
    """The values of a flag such as `--label role=gpu` by their keys."""
    found: dict[str, str] = {}
    for each in written:
        key, equals, value = each.partition("=")
        if not equals:
            raise wrong(flag, rule, each)
        if found.setdefault(key, value) != value:
            raise wrong(flag, "given with one value for each key", each, f"another flag sets {key}={found[key]}")
    return found
