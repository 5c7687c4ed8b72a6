"""The source of the flag `--from`: the image that machines have now, which the new image takes over."""

from __future__ import annotations

import argparse
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments.errors import wrong
from ..arguments.talos_warnings import warn
from . import streams
from .file_inputs import crash_named, existing
from .nodes_flags import IMAGE_SOURCES, read_text

if TYPE_CHECKING:
    from ..doctor.gpu_node import GpuNode
    from ..nodes.gpu_nodes import GpuNodes
    from ..observed.model import Inputs


def read_source(options: argparse.Namespace) -> tuple[Inputs, list[GpuNode]]:
    """The node configurations of the source, and the nodes of a live cluster in it: those with GPUs, if it has such
    nodes."""
    from ..doctor.dump_reader import read_dump
    from ..doctor.gpu_cluster import GpuCluster
    from ..observed.read.repository import read

    given = options.from_source
    paths = existing([given])
    stream = streams.question() if given == "-" else None
    if paths and stat.S_ISFIFO(Path(given).stat().st_mode):
        paths, stream = [], read_text("from", given)
    with crash_named("the reader of the nodes", "so nothing was written"):
        inputs = read(paths, stream=stream, talos=options.talos_version)
        if inputs.node_configs or (paths and Path(given).is_dir() and not inputs.of_kind("Node")):
            return inputs, []
        cluster = GpuCluster(read_dump(paths, stream=stream))
        return inputs, cluster.nodes or cluster.all_nodes


def write_source(options: argparse.Namespace, nodes: GpuNodes) -> None:
    """Write what the source says into the options, as if it were given by flags. A flag that is given comes before the
    source.

    Raises:
        ValueError: For a source without an image, and for an image with the driver of other nodes.
    """
    from ..adoption.present_nodes import present_image

    inputs, live = read_source(options)
    image = present_image(inputs, live)
    if not image.is_read:
        raise wrong("from", f"a source with the image of a node: {IMAGE_SOURCES.partition(';')[0]}", options.from_source, image.hint)
    _check_driver(image.drivers, nodes)
    for note in image.notes:
        warn(note)
    given = dict(image.arguments)
    for name, flag in (("extensions", "extension"), ("extra_kernel_args", "kernel_arg")):
        setattr(options, flag, list(dict.fromkeys([*given.pop(name, ()), *getattr(options, flag)])))
    for name in ("gdrcopy", "secureboot"):
        setattr(options, name, getattr(options, name) or given.pop(name, False))
    for name in ("fabric_manager", "sector_size", "platform", "arch"):
        if getattr(options, name, None) is None:
            setattr(options, name, given.get(name))
        given.pop(name, None)
    options.taken_over = {name: _value(value) for name, value in given.items() if name not in ("gdrcopy", "secureboot")}


def _value(given: Any) -> Any:
    """The value of an argument of `Schematic`, from the notation of a cluster file."""
    from ..talos.image.schematic import Overlay, SecureBoot

    kinds: dict[str, Any] = {"Overlay": Overlay, "SecureBoot": SecureBoot}
    kind = next(iter(given)) if isinstance(given, dict) and len(given) == 1 else None
    return kinds[kind](**given[kind]) if kind in kinds else given


def _check_driver(drivers: set[Any], nodes: GpuNodes) -> None:
    """Refuse an image with another driver than the nodes: the new image would change it without a word."""
    for flavour, track in drivers:
        if (flavour, track) not in {(nodes.kernel_modules, nodes.track), (nodes.kernel_modules, None)}:
            flags = f"--kernel-modules {flavour} --driver-track {track}"
            hint = f"the nodes are of --kernel-modules {nodes.kernel_modules} --driver-track {nodes.track}; give {flags}, or take the driver out of the source"
            raise wrong("from", "a source with the driver of the nodes", f"{flavour} modules, {track} track", hint)
