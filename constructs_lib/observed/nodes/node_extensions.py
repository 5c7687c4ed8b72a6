"""NVIDIA's system extensions in an image: flavour and track, by the Image Factory's names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ...upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ...upstream.talos.extension_names import FLAVOURS, GDRDRV, PREFIX, REGISTRY, TRACKED, every_extension
from ..model import NodeConfig, Path, contains, is_open

_BARE_TRACK = DriverTrack.LTS


@dataclass(frozen=True, kw_only=True, slots=True)
class Extension:
    """An extension of NVIDIA: the text that chooses it, its name without version, its kind, and the path of the text.

    `kind` is the name without its track, or the whole name if it has no track. `track` is the track that the Image
    Factory uses, also if the name has none.
    """

    written: str
    name: str
    kind: str
    track: DriverTrack | None
    is_bare: bool
    path: Path

    @property
    def flavour(self) -> KernelModules | None:
        """The flavour of the extension's kernel modules, None without kernel modules."""
        return FLAVOURS.get(self.kind)


def without_version(written: str) -> str:
    """The text of an extension without its tag and digest."""
    return re.split("[:@]", written, maxsplit=1)[0]


def official_name(written: Any) -> str:
    """The official extension that a text means, also if its maker is missing or its registry is given. Empty for
    another extension."""
    if not isinstance(written, str):
        return ""
    name = without_version(written).removeprefix(REGISTRY)
    if name.startswith(PREFIX):
        return name
    return f"{PREFIX}{name}" if name in TRACKED or name in every_extension() else ""


def nvidia_extensions(config: NodeConfig) -> list[Extension]:
    """The NVIDIA extensions of a node, without extensions that may be absent."""
    extensions = []
    for index, written in enumerate(config.extensions or ()):
        if isinstance(written, str) and "nvidia" in written and (name := official_name(written)):
            extensions.append(_extension(written, name, (*config.paths.get("extensions", ()), index)))
    return extensions


def _extension(written: str, name: str, path: Path) -> Extension:
    short = name.removeprefix(PREFIX)
    kind, _, track = short.rpartition("-")
    if kind in TRACKED and track in tuple(DriverTrack):
        return Extension(written=written, name=name, kind=kind, track=DriverTrack(track), is_bare=False, path=path)
    if short in TRACKED:
        return Extension(written=written, name=name, kind=short, track=_BARE_TRACK, is_bare=True, path=path)
    return Extension(written=written, name=name, kind=short, track=None, is_bare=False, path=path)


def drivers(config: NodeConfig) -> list[Extension]:
    """The extensions that bring NVIDIA's kernel modules."""
    return [each for each in nvidia_extensions(config) if each.flavour]


def has_own_driver(config: NodeConfig) -> bool:
    """Whether the image has somebody's own extension for NVIDIA cards, such as
    `jfroy/siderolabs/nvidia-driver-production`, which may bring anything."""
    return any(contains(name, "nvidia").is_yes and not official_name(name) for name in config.extensions or ())


def may_load(config: NodeConfig, module: str) -> bool:
    """Whether a node loads a kernel module, or may."""
    return module in modules(config) or is_open(config.kernel_modules)


def has_gdrcopy(config: NodeConfig) -> Extension | None:
    """The extension that creates gdrcopy's device."""
    return next((each for each in nvidia_extensions(config) if each.kind == GDRDRV), None)


def modules(config: NodeConfig) -> set[str]:
    """The kernel modules that a node surely loads, in the kernel's spelling: `_` in place of `-`."""
    return {each.replace("-", "_") for each in config.kernel_modules or () if isinstance(each, str)}
