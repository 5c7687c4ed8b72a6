"""The flags of a class of GPU nodes, and the classes of a cluster file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..arguments.errors import wrong
from .flags import add_flag

if TYPE_CHECKING:
    from ..nodes.file_classes import FileClass
    from ..nodes.gpu_nodes import GpuNodes
    from ..upstream.choice import Choice

# Flags with the name of their argument of GpuNodes.
_SAME = ("kernel_modules", "driver_track", "product", "gpus_per_node", "memory_per_gpu", "count", "mig_strategy", "name")

IMAGE_SOURCES = (
    "a schematic, a talconfig.yaml, the output of kubectl get nodes -o yaml or of talosctl get extensions -o yaml; - for standard input"
)
"""The sources of `--from`."""


def add_nodes_flags(parser: argparse.ArgumentParser, *, talos: str = "required without a cluster file") -> None:
    """Add the flags, named as the arguments of GpuNodes. `talos` is the help for a missing version."""
    from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
    from ..upstream.nvidia.plugin_words import MigStrategy

    group = parser.add_argument_group("nodes", "the GPU nodes, if no cluster file describes them")
    add_flag(group, "--class NAME", "the node class, if the cluster file has several; CLUSTER/NAME if the file has several clusters")
    add_flag(group, "--talos --talos-version VERSION", f"such as 1.12.11; {talos}")
    add_flag(group, "--kernel-modules FLAVOUR", _choices(KernelModules, "those that the card needs, else open"))
    add_flag(group, "--driver-track TRACK", _choices(DriverTrack, "the one that runs the card, else production"))
    add_flag(group, "--label KEY=VALUE", "a label of the nodes, by which pods select them; repeatable", action="append")
    add_flag(group, "--extra-label KEY=VALUE", "another label of the nodes, not used in node selectors; repeatable", action="append")
    add_flag(group, "--taint KEY[=VALUE][:EFFECT]", "a taint of the nodes; repeatable", action="append")
    add_flag(group, "--product NAME", "the card, such as 'RTX 5070 Ti'; kernel modules and drivers without support for it are refused")
    add_flag(group, "--gpus-per-node NUMBER", "the number of physical GPUs in each node", type=number)
    add_flag(group, "--memory-per-gpu QUANTITY", "the memory of one GPU, such as 16Gi")
    add_flag(group, "--count NUMBER", "the number of nodes in the node class", type=number)
    add_flag(group, "--time-slicing REPLICAS", "the number of pods that share each GPU by time-slicing", type=number)
    add_flag(group, "--mps REPLICAS", "the number of pods that share each GPU by MPS", type=number)
    add_flag(group, "--mig-strategy STRATEGY", _choices(MigStrategy, "none"))
    add_flag(
        group, "--passthrough ID[,ID]", "the PCI IDs of one card whose GPU belongs to virtual machines, the GPU first: 10de:2204,10de:1aef"
    )
    add_flag(group, "--name NAME", "the name of the node class, for clusters with several")


def _choices(kind: type[Choice], default: str) -> str:
    return ", ".join(str(each) for each in kind) + f"; default: {default}"


def nodes_of(options: argparse.Namespace) -> GpuNodes:
    """The class of the cluster file, or of the flags."""
    from ..nodes.gpu_nodes import GpuNodes  # the help and the errors of a command line need no class of nodes

    if getattr(options, "file", None) is not None:
        return file_class(options)[1]
    refuse_class(options)
    return GpuNodes(**node_flags(options))


def file_class(options: argparse.Namespace) -> tuple[FileClass, GpuNodes]:
    """The class of the cluster file that a verb reads."""
    from .cluster_files import file_of, file_text, nodes_in, refuse_node_flags

    refuse_node_flags(options, options.file, node_flags(options))
    classes = nodes_in(file_of(options.file, file_text(options)), options.chosen)
    if len(classes) > 1:
        keys = ", ".join(repr(each.keys[0]) for each, _ in classes)
        raise wrong("class", f"given for a file with several classes, {keys}", None)
    return classes[0]


def classes_of(options: argparse.Namespace) -> list[GpuNodes]:
    """The class of the flags; none when --talos is the only flag."""
    flags = node_flags(options)
    if not flags.keys() - {"talos_version"}:
        return []
    from ..nodes.gpu_nodes import GpuNodes  # files without described nodes need no class

    return [GpuNodes(**flags)]


def refuse_class(options: argparse.Namespace) -> None:
    """Refuse the name of a class where no cluster file has classes."""
    if getattr(options, "chosen", None) is not None:
        raise wrong("class", "given with a cluster file", options.chosen, "the flag for the name of a class is --name")


def number(written: str) -> int | str:
    """The number of a flag. Other text is returned unchanged, and the check of the argument refuses it."""
    try:
        return int(written)
    except ValueError:
        return written


def node_flags(options: argparse.Namespace) -> dict[str, Any]:
    """The arguments of GpuNodes that the flags give."""
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
