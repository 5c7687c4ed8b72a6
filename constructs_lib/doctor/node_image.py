"""A node's present image, as far as it was read: its extensions, its schematic, its platform and Secure Boot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..arguments.patterns import pattern
from ..observed.model.evidence import Evidence
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.talos.extension_names import (
    ALIASES,
    FLAVOURS,
    GDRDRV,
    NVIDIA_ALIASES,
    PREFIX,
    SCHEMATIC_ANNOTATION,
    TRACKED,
    every_extension,
)
from ..upstream.talos.installer_images import InstallerImage, read_installer
from ..upstream.version import Version
from .gpu_node import GpuNode

_VERSION = pattern(r"(?P<driver>\d+(?:\.\d+)+)(?:-(?P<rest>v?\d\S*))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class NvidiaExtension:
    """An extension of NVIDIA that the image has. Driver and Talos are empty where the version does not name them."""

    name: str
    kind: str
    track: DriverTrack | None
    driver: str
    talos: str
    """The Talos for which kernel modules were built; empty for other extensions."""
    evidence: Evidence

    @property
    def flavour(self) -> KernelModules | None:
        """The flavour of the kernel modules; None without kernel modules."""
        return FLAVOURS.get(self.kind)


def nvidia_extensions(node: GpuNode) -> list[NvidiaExtension]:
    """The official extensions of NVIDIA that the image of a node has, by name."""
    return sorted(_read(node), key=lambda each: each.name)


def own_extensions(node: GpuNode) -> list[Evidence]:
    """The lines of extensions for NVIDIA cards that are not official, and may bring anything."""
    official = {each.name for each in _read(node)} | {GDRDRV}
    return [each.evidence for name, each in (node.extensions or {}).items() if "nvidia" in name and name not in official]


def _read(node: GpuNode) -> Iterator[NvidiaExtension]:
    for each in (node.extensions or {}).values():
        kind, track = _kind_and_track(NVIDIA_ALIASES.get(each.name, each.name))
        if kind not in TRACKED:
            continue
        version = _VERSION.fullmatch(each.version)
        yield NvidiaExtension(
            name=each.name,
            kind=kind,
            track=track,
            driver=version["driver"] if version else "",
            talos=(version["rest"] or "") if version and kind in FLAVOURS else "",
            evidence=each.evidence,
        )


def _kind_and_track(name: str) -> tuple[str, DriverTrack | None]:
    """The kind and the track in a name; some tracks have a hyphen."""
    track = next((each for each in DriverTrack if name.endswith(f"-{each}")), None)
    return (name.removesuffix(f"-{track}"), track) if track else (name, None)


def is_built_for_another(extension: NvidiaExtension, talos: str) -> bool:
    """Whether the kernel modules were built for another release of Talos than this one, as far as both are known with
    their patch."""
    built, running = Version.parse(extension.talos), Version.parse(talos)
    return built is not None and running is not None and None not in (built.patch, running.patch) and built != running


_ID = pattern(r"[0-9a-f]{64}")
_NO_EXTENSIONS = {"schematic", "modules.dep"}
"""Entries that Talos lists beside the extensions."""


def schematic_id(node: GpuNode) -> str:
    """The ID of the schematic: from the extension `schematic`, or from the annotation of the Node. Empty if neither was
    read."""
    written = node.machine.schematic.value if node.machine and node.machine.schematic else ""
    annotated = node.node.annotations.get(SCHEMATIC_ANNOTATION) if node.node else None
    return next((each for each in (written, annotated) if isinstance(each, str) and _ID.fullmatch(each)), "")


def official_others(node: GpuNode) -> list[str]:
    """The official extensions beside NVIDIA's, by their names at the Image Factory."""
    others = (node.extensions or {}).keys() & {*every_extension(), *ALIASES} - _nvidia(node)
    return sorted(PREFIX + ALIASES.get(name, name) for name in others)


def custom_extensions(node: GpuNode) -> list[str]:
    """The extensions that the Image Factory does not have."""
    return sorted((node.extensions or {}).keys() - {*every_extension(), *ALIASES} - _nvidia(node) - _NO_EXTENSIONS)


def boot_of(node: GpuNode) -> tuple[str, bool | None]:
    """The platform and Secure Boot of the machine. An empty platform, or None, if it was not read."""
    installer = installer_of(node)
    state = node.machine.is_secure_boot if node.machine else None
    is_secure = state.value == "true" if state else installer.is_secure if installer else None
    return str(installer.platform) if installer else "", is_secure


def installer_of(node: GpuNode) -> InstallerImage | None:
    """The installer image in the machine configuration. An upgrade does not change it, so its schematic may be an older
    one."""
    image = node.machine.config.image if node.machine and node.machine.config else None
    return read_installer(image) if isinstance(image, str) else None


def _nvidia(node: GpuNode) -> set[str]:
    return {each.name for each in nvidia_extensions(node)} | {GDRDRV}
