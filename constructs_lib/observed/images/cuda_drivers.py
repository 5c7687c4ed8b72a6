"""CUDA versions of images, and the drivers of the GPU nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...nodes.talos_version import TalosVersion
from ...upstream.nvidia.driver_branches import cuda_of
from ..model import Inputs, NodeConfig, Unknown, known_text, question
from ..nodes.node_settings import gpu_node_configs, talos_of


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Driver:
    """The driver that a node may have: NVIDIA's branch, and the source of the driver in words."""

    node: str
    branch: int
    source: str
    talos: TalosVersion


def cuda_major(image: str | Unknown) -> int | None:
    """The major version of CUDA that an image is built with, by its name or tag, or by its vendor's statement."""
    return cuda_of(image) if isinstance(image, str) else None


@question
def drivers(inputs: Inputs) -> tuple[Driver, ...] | None:
    """The drivers of the GPU nodes, by their Talos and their track; None if a driver is not known.

    A node with an unknown track has the track of all other nodes, or else the newest driver of its Talos.
    """
    configs = gpu_node_configs(inputs)
    tracks = {track for config in configs if (track := _track(config))}
    only = next(iter(tracks)) if len(tracks) == 1 else ""
    candidates = [_driver(config, inputs, only) for config in configs]
    for nodes in inputs.nodes:
        if nodes.passthrough is not None:
            continue
        version = nodes.talos_version.release.drivers.get(str(nodes.track))
        kind = nodes.track if nodes.driver_track else f"default ({nodes.track})"
        source = f"the {kind} driver of Talos {nodes.talos_version}"
        candidates.append(_driver_of(nodes.name or "the GPU nodes", version, source, nodes.talos_version))
    if not candidates and inputs.talos_version is not None:
        newest = max(inputs.talos_version.release.drivers.values(), key=_branch, default=None)
        candidates.append(_driver_of("the nodes", newest, f"the newest driver of Talos {inputs.talos_version}", inputs.talos_version))
    known = tuple(each for each in candidates if each is not None)
    return known if known and len(known) == len(candidates) else None


def _driver(config: NodeConfig, inputs: Inputs, only: str) -> Driver | None:
    talos = talos_of(config, inputs)
    if talos is None:
        return None
    track = _track(config) or only
    known = talos.release.drivers
    if track in known:
        return _driver_of(config.label, known[track], f"the {track} driver of Talos {talos}", talos)
    return _driver_of(config.label, max(known.values(), key=_branch, default=None), f"the newest driver of Talos {talos}", talos)


def _track(config: NodeConfig) -> str:
    """The track of the modules; a bare name is the LTS one for the Image Factory."""
    for extension in config.extensions or ():
        match = re.search(r"(?:nvidia-open-gpu-kernel-modules|nonfree-kmod-nvidia)(?:-(lts|production))?(?:[:@]|$)", known_text(extension))
        if match:
            return match[1] or "lts"
    return ""


def _driver_of(node: str, version: str | None, source: str, talos: TalosVersion) -> Driver | None:
    return None if version is None else Driver(node=node, branch=_branch(version), source=f"{source} ({version})", talos=talos)


def _branch(version: str) -> int:
    return int(version.partition(".")[0])
