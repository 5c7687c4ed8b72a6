"""A node's present image, as far as it was read: its schematic, its extensions beside NVIDIA's, its platform and Secure
Boot."""

from __future__ import annotations

import re

from ..upstream.talos.extension_names import ALIASES, GDRDRV, PREFIX, SCHEMATIC_ANNOTATION, every_extension
from ..upstream.talos.installer_images import InstallerImage, read_installer
from .gpu_node import GpuNode
from .nvidia_extensions import nvidia_extensions

_ID = re.compile(r"[0-9a-f]{64}")
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
