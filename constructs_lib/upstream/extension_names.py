"""The names of Talos' system extensions, as the Image Factory knows them."""

from __future__ import annotations

from .driver_branches import KernelModules
from .version import Version

PREFIX = "siderolabs/"
"""The maker of every official extension.

Source: siderolabs/image-factory internal/profile/profile.go (2026-08-22)
"""

MODULES = {KernelModules.OPEN: "nvidia-open-gpu-kernel-modules", KernelModules.PROPRIETARY: "nonfree-kmod-nvidia"}
"""The extension with NVIDIA's kernel modules, without its track.

Source: siderolabs/extensions nvidia-gpu at v1.14.0-rc.1 (2026-08-22)
"""

TOOLKIT = "nvidia-container-toolkit"
"""The extension with the driver's libraries and commands, without its track; up to Talos 1.14 also with the container toolkit.

Source: siderolabs/extensions nvidia-gpu/nvidia-container-toolkit at v1.14.0-rc.1 (2026-08-22)
"""

FABRIC_MANAGER = "nvidia-fabricmanager"
"""The extension for machines with NVSwitch, without its track.

Source: siderolabs/extensions nvidia-gpu/nvidia-fabricmanager at v1.14.0-rc.1 (2026-08-22)
"""

GDRDRV = "nvidia-gdrdrv-device"
"""The extension that makes the device of GDRCopy; it has no track.

Source: siderolabs/extensions nvidia-gpu/nvidia-gdrdrv-device at v1.12.0 (2026-08-22)
"""

EXTENSIONS_SINCE: dict[int, str] = {
    8: "amd-ucode amdgpu-firmware binfmt-misc bnx2-bnx2x btrfs chelsio-drivers chelsio-firmware crun drbd ecr-credential-provider fuse3 "
    "gasket-driver gvisor gvisor-debug hello-world-service i915-ucode intel-ice-firmware intel-ucode iscsi-tools kata-containers mdadm "
    "mei nonfree-kmod-nvidia-lts nonfree-kmod-nvidia-production nut-client nvidia-container-toolkit-lts "
    "nvidia-container-toolkit-production nvidia-fabricmanager-lts nvidia-fabricmanager-production nvidia-open-gpu-kernel-modules-lts "
    "nvidia-open-gpu-kernel-modules-production qemu-guest-agent qlogic-firmware realtek-firmware spin stargz-snapshotter tailscale "
    "thunderbolt uinput usb-modem-drivers util-linux-tools v4l-uvc-drivers vmtoolsd-guest-agent wasmedge xen-guest-agent zfs",
    9: "amdgpu cloudflared dvb-cx23885 glibc i915 lldpd metal-agent",
    10: "amazon-ena ctr nebula nfsd nvme-cli panfrost revpi-firmware vc4 xdma-driver youki zerotier",
    11: "dvb-m88ds3103 hailort newt nfsrahead tenstorrent",
    12: "bird2 gpio-pinctrl mellanox-mstflint multipath-tools netbird nfs-utils nvidia-gdrdrv-device soci-snapshotter trident-iscsi-tools "
    "usb-audio-drivers xe",
    13: "intel-npu joydev px-fuse rockchip-rknn uhid",
    14: "amd-npu cachefilesd harbor-credential-provider hyperv-guest-agent intel-hd-audio kata-containers-nvidia-gpu-snp kata-containers-snp "
    "libvirtd qaic",
    15: "dvb-pt3 nfs-server nvidia-container-toolkit-new-feature nvidia-fabricmanager-new-feature nvidia-open-gpu-kernel-modules-new-feature urunc",
}
"""The names of the official extensions, without their maker, by the minor of Talos that brought them.

An extension may come with a patch release, so a name that is not here is unheard of, and not known to be wrong.

Source: siderolabs/extensions Makefile (TARGETS, NONFREE_TARGETS) at every tag from v1.8.0 to v1.14.0-rc.1, at 0037b07d, and the release notes of
v1.14.0 to v1.14.6 and v1.15.0-beta.0 (2026-11-20)
"""

WHOLE_LISTS = {8: "1.8.4", 9: "1.9.6", 10: "1.10.9", 11: "1.11.6", 12: "1.12.11", 13: "1.13.12", 14: "1.14.0-rc.1"}
"""The newest release of each minor of Talos whose whole list of extensions was read: up to there a name that is missing does not exist.

Source: siderolabs/extensions Makefile at these tags, at v1.13.9 with the release notes up to v1.13.12 (2026-11-20)
"""

RENAMED = {"amdgpu-firmware": "amdgpu", "i915-ucode": "i915"}
"""Extensions that have another name from Talos 1.9 on.

Source: siderolabs/image-factory internal/profile/profile.go, ExtensionNameAlias (2026-08-22)
"""

RENAMED_SINCE = 9
"""The minor of Talos from which on `RENAMED` holds.

Source: siderolabs/extensions Makefile at v1.8.4 and v1.9.0 (2026-08-22)
"""

NVIDIA_ALIASES = {bare: f"{bare}-lts" for bare in (*MODULES.values(), TOOLKIT)}
"""NVIDIA's extensions without a track, which the Image Factory takes for those of the lts track.

Source: siderolabs/image-factory internal/profile/profile.go, ExtensionNameAlias at 26b95ca (2026-08-22)
"""

ALIASES = {
    "gasket": "gasket-driver",
    "talos-vmtoolsd": "vmtoolsd-guest-agent",
    "usb-modem": "usb-modem-drivers",
    "v4l-uvc": "v4l-uvc-drivers",
    "xe-guest-utilities": "xen-guest-agent",
    **RENAMED,
}
"""Names under which the Image Factory finds an extension of another name.

Source: siderolabs/image-factory internal/profile/profile.go, ExtensionNameAlias at 26b95ca (2026-08-22)
"""

LABEL_PREFIX = "extensions.talos.dev/"
"""The prefix of the labels by which Talos shows a node's extensions, each with its version as the value.

Source: siderolabs/talos pkg/machinery/constants/constants.go, K8sExtensionPrefix at v1.13.9 (2026-08-22)
"""


def extension_names(minor: int) -> set[str]:
    """The official extensions of a minor of Talos, without their maker."""
    names = {name for since, found in EXTENSIONS_SINCE.items() if since <= minor for name in found.split()}
    return names - RENAMED.keys() if minor >= RENAMED_SINCE else names


def is_whole(talos: Version) -> bool:
    """Whether every extension of this Talos is known; of a release without its patch, whether that is so of the newest one."""
    newest = Version.parse(WHOLE_LISTS.get(talos.minor, ""))
    if newest is None or (talos.patch is None and newest.pre_release):
        return False
    return talos <= newest


def first_minor(name: str) -> int:
    """The minor of Talos that brought an extension; 0 for a name that none is known to have."""
    return next((minor for minor, names in EXTENSIONS_SINCE.items() if name in names.split()), 0)
