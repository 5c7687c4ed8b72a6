"""The names of Talos' system extensions, as the Image Factory knows them.

The names are in tables/extension_names.json, which `make pins` renews: the minor of Talos that added each name, without
its maker, and the newest release of each minor whose whole list was read. An extension may come with a patch release,
so a missing name is unknown, and known to be wrong only up to that release.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from ..nvidia.driver_branches import KernelModules
from ..version import Version

# The maker of every official extension. The Image Factory finds no extension by a name without its maker, or with its
# registry.
PREFIX = "siderolabs/"
REGISTRY = "ghcr.io/"  # The registry of every official extension
"""The names of every official extension.

Source: siderolabs/image-factory internal/profile/profile.go, findExtension at 26b95ca; siderolabs/extensions Makefile,
REGISTRY (2026-11-22)
"""

# The extension with NVIDIA's kernel modules, without its track.
MODULES = {KernelModules.OPEN: "nvidia-open-gpu-kernel-modules", KernelModules.PROPRIETARY: "nonfree-kmod-nvidia"}
# The extension with the driver's libraries and commands, without its track; up to Talos 1.14 also with the container
# toolkit.
TOOLKIT = "nvidia-container-toolkit"
FABRIC_MANAGER = "nvidia-fabricmanager"  # The extension for machines with NVSwitch, without its track
# The flavour of the kernel modules by the extension's name without its track.
FLAVOURS = {name: flavour for flavour, name in MODULES.items()}
TRACKED = (*FLAVOURS, TOOLKIT, FABRIC_MANAGER)  # The extensions whose names end in a track
GDRDRV = "nvidia-gdrdrv-device"  # The extension that creates the device of GDRCopy. It has no track.
"""NVIDIA's extensions.

Source: siderolabs/extensions nvidia-gpu at v1.12.0 and v1.14.0-rc.1 (2026-08-22)
"""

RENAMED = {"amdgpu-firmware": "amdgpu", "i915-ucode": "i915"}  # The extensions that have another name from Talos 1.9 on
RENAMED_SINCE = 9  # The first minor of Talos for which `RENAMED` holds
# The names of NVIDIA's extensions without a track. The Image Factory takes each for the extension of the lts track.
NVIDIA_ALIASES = {bare: f"{bare}-lts" for bare in (*MODULES.values(), TOOLKIT)}
# The alias names under which the Image Factory finds an extension.
ALIASES = {
    "gasket": "gasket-driver",
    "talos-vmtoolsd": "vmtoolsd-guest-agent",
    "usb-modem": "usb-modem-drivers",
    "v4l-uvc": "v4l-uvc-drivers",
    "xe-guest-utilities": "xen-guest-agent",
    **RENAMED,
}
"""The names under which the Image Factory finds an extension.

Source: siderolabs/image-factory internal/profile/profile.go, ExtensionNameAlias at 26b95ca; siderolabs/extensions
Makefile at v1.8.4 and v1.9.0 (2026-08-22)
"""

# The prefix of the labels by which Talos shows a node's extensions, each with its version as the value.
LABEL_PREFIX = "extensions.talos.dev/"
# The annotation by which Talos shows the ID of a node's schematic, which is too long for a label.
SCHEMATIC_ANNOTATION = f"{LABEL_PREFIX}schematic"
"""The marks by which Talos shows a node's extensions.

Source: siderolabs/talos pkg/machinery/constants/constants.go, K8sExtensionPrefix at v1.13.9;
internal/app/machined/pkg/controllers/k8s/node_label_spec.go, extensionsToNodeKV, and node_label_spec_test.go
(2026-08-22)
"""


class _Table(NamedTuple):
    """The minor of Talos that brought each extension, and the newest release of each minor whose whole list was
    read."""

    since: dict[str, int]
    whole: dict[int, Version | None]


@functools.cache
def _table() -> _Table:
    from ..table_files import read_table

    table = read_table("tables/extension_names")
    return _Table(
        since={name: _minor(talos) for name, talos in table["since"].items()},
        whole={_minor(talos): Version.parse(newest) for talos, newest in table["whole"].items()},
    )


def _minor(talos: str) -> int:
    return int(talos.partition(".")[2])


def extension_names(minor: int) -> set[str]:
    """The official extensions of a minor of Talos, without their maker."""
    names = {name for name, since in _table().since.items() if since <= minor}
    return names - RENAMED.keys() if minor >= RENAMED_SINCE else names


def every_extension() -> list[str]:
    """The official extensions of every minor of Talos, without their maker."""
    return sorted(_table().since)


def is_whole(talos: Version) -> bool:
    """Whether every extension of this Talos is known; of a release without its patch, whether that is so of the newest
    one."""
    newest = _table().whole.get(talos.minor)
    if newest is None or (talos.patch is None and newest.pre_release):
        return False
    return talos <= newest


def first_minor(name: str) -> int:
    """The minor of Talos that brought an extension; 0 for a name that none is known to have."""
    return _table().since.get(name, 0)
