"""CUDA versions of images, and the drivers of the GPU nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...upstream.driver_branches import CUDA_13_IMAGES, CUDA_FLOORS
from ..model import Inputs, NodeConfig, Unknown, known_text, question
from .gpu_node_configs import gpu_node_configs
from .node_settings import talos_of

_NEWEST = max(CUDA_FLOORS)
_NAMED = r"(?<![a-z])cu(?:da)?[-_.:]?(1[1-9])\d?(?!\d)"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Driver:
    """The driver that a node may have: NVIDIA's branch, and the source of the driver in words."""

    node: str
    branch: int
    source: str


def cuda_major(image: str | Unknown) -> int | None:
    """The major version of CUDA that an image is built with, by its name or tag, or by its vendor's statement."""
    if not isinstance(image, str):
        return None
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    match = re.search(_NAMED, f"{name}:{tag}".lower())
    if match:
        return int(match[1])
    version = re.match(r"v?(\d+)\.(\d+)", tag)
    is_since = version is not None and name in CUDA_13_IMAGES and (int(version[1]), int(version[2])) >= CUDA_13_IMAGES[name]
    return _NEWEST if is_since else None


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
        candidates.append(_driver_of(nodes.name or "the GPU nodes", version, source))
    if not candidates and inputs.talos_version is not None:
        newest = max(inputs.talos_version.release.drivers.values(), key=_branch, default=None)
        candidates.append(_driver_of("the nodes", newest, f"the newest driver of Talos {inputs.talos_version}"))
    known = tuple(each for each in candidates if each is not None)
    return known if known and len(known) == len(candidates) else None


def _driver(config: NodeConfig, inputs: Inputs, only: str) -> Driver | None:
    talos = talos_of(config, inputs)
    if talos is None:
        return None
    track = _track(config) or only
    known = talos.release.drivers
    if track in known:
        return _driver_of(config.label, known[track], f"the {track} driver of Talos {talos}")
    return _driver_of(config.label, max(known.values(), key=_branch, default=None), f"the newest driver of Talos {talos}")


def _track(config: NodeConfig) -> str:
    """The track of the modules; a bare name is the LTS one for the Image Factory."""
    for extension in config.extensions or ():
        match = re.search(r"(?:nvidia-open-gpu-kernel-modules|nonfree-kmod-nvidia)(?:-(lts|production))?(?:[:@]|$)", known_text(extension))
        if match:
            return match[1] or "lts"
    return ""


def _driver_of(node: str, version: str | None, source: str) -> Driver | None:
    return None if version is None else Driver(node=node, branch=_branch(version), source=f"{source} ({version})")


def _branch(version: str) -> int:
    return int(version.partition(".")[0])
