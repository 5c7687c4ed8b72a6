"""A class of nodes as the flags of the command, and as the file of `--nodes`."""

from __future__ import annotations

from typing import Any

import attrs

from ..upstream.nvidia.driver_branches import KernelModules
from ..upstream.nvidia.plugin_words import MigStrategy
from .gpu_nodes import CardMemory, GpuNodes
from .mig import plain_devices
from .taints import Taint


def class_flags(nodes: GpuNodes) -> list[str]:
    """The flags that describe a class, without its Talos."""
    flags: list[str] = []
    if nodes.kernel_modules is not KernelModules.OPEN or nodes.product is not None:  # a card may have another default than open modules
        flags += ["--kernel-modules", str(nodes.kernel_modules)]
    if nodes.driver_track is not None:
        flags += ["--driver-track", str(nodes.driver_track)]
    for key, value in nodes.labels.items():
        flags += ["--label", f"{key}={value}"]
    for key, value in nodes.extra_labels.items():
        flags += ["--extra-label", f"{key}={value}"]
    for taint in nodes.taints:
        flags += ["--taint", _written(taint)]
    numbers = {"product": nodes.product, "gpus-per-node": nodes.gpus_per_node, "memory-per-gpu": _memory(nodes), "count": nodes.count}
    flags += [word for name, value in numbers.items() if value is not None for word in (f"--{name}", str(value))]
    if nodes.sharing is not None:
        flags += ["--mps" if nodes.by_mps else "--time-slicing", str(nodes.sharing.replicas)]
    if nodes.mig_strategy is not MigStrategy.NONE:
        flags += ["--mig-strategy", str(nodes.mig_strategy)]
    return flags + (["--name", nodes.name] if nodes.name else [])


def is_of_flags(nodes: GpuNodes) -> bool:
    """Whether flags describe the whole class."""
    sharing = nodes.sharing is None or nodes.sharing == type(nodes.sharing)(replicas=nodes.sharing.replicas)
    return sharing and nodes.mig_devices is None and nodes.dra is None and nodes.passthrough is None


def class_document(nodes: GpuNodes) -> dict[str, Any]:
    """The class as the file of `--nodes` has it."""
    given = {field.name: getattr(nodes, field.name) for field in attrs.fields(GpuNodes)}
    given |= {
        "talos_version": str(nodes.talos_version),
        "kernel_modules": str(nodes.kernel_modules),
        "mig_strategy": str(nodes.mig_strategy),
    }
    given |= {"driver_track": nodes.driver_track and str(nodes.driver_track), "memory_per_gpu": _memory(nodes)}
    given |= {"labels": dict(nodes.labels), "extra_labels": dict(nodes.extra_labels), "taints": [_written(each) for each in nodes.taints]}
    given |= {"mig_devices": plain_devices(nodes.mig_devices)}
    if nodes.sharing is not None:
        from .nodes_file import SHARING  # only the file needs this module

        kind = next(name for name, each in SHARING.items() if isinstance(nodes.sharing, each))
        given["sharing"] = {kind: attrs.asdict(nodes.sharing)}
    for name in ("dra", "passthrough"):
        if given[name] is not None:
            given[name] = {key: _plain(value) for key, value in attrs.asdict(given[name], recurse=False).items() if value is not None}
    return {name: value for name, value in given.items() if value not in (None, [], {})}


def _plain(value: Any) -> Any:
    return [str(each) for each in value] if isinstance(value, tuple) else str(value)


def _memory(nodes: GpuNodes) -> str | None:
    """The memory, unless it follows from the card."""
    return None if isinstance(nodes.memory_per_gpu, CardMemory) else nodes.memory_per_gpu


def _written(taint: Taint) -> str:
    """A taint in kubectl's notation."""
    return f"{taint.key}{'' if taint.value is None else f'={taint.value}'}:{taint.effect}"
