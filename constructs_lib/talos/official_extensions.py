"""Which system extensions a class of GPU nodes needs, and which exist: by the names that the Image Factory knows."""

from __future__ import annotations

from collections.abc import Sequence

from .._arguments.refusals import flag, texts, wrong
from ..nodes.driver import KernelModules
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from .kernel_settings import check_gdrcopy

PREFIX = "siderolabs/"
MODULES = {KernelModules.OPEN: "nvidia-open-gpu-kernel-modules", KernelModules.PROPRIETARY: "nonfree-kmod-nvidia"}
TOOLKIT, FABRIC_MANAGER, GDRDRV = "nvidia-container-toolkit", "nvidia-fabricmanager", "nvidia-gdrdrv-device"

# By the minor of Talos that brought it: what siderolabs/extensions builds (TARGETS and NONFREE_TARGETS of its Makefile) at every tag from
# v1.8.0 to v1.14.0-rc.1. Its image is named so, and the image's name is what the factory goes by, not the name in its manifest
# (siderolabs/image-factory internal/profile/profile.go, findExtension).
_SINCE = {
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
    14: "harbor-credential-provider hyperv-guest-agent kata-containers-snp",
}
_RENAMED = 9
_RENAMED_IN_1_9 = {"amdgpu-firmware": "amdgpu", "i915-ucode": "i915"}
# The factory finds these under another name (internal/profile/profile.go, ExtensionNameAlias); the NVIDIA ones of the lts track, whatever
# the track of the others.
_NVIDIA_ALIASES = {bare: f"{bare}-lts" for bare in (*MODULES.values(), TOOLKIT)}
_ALIASES = {
    "gasket": "gasket-driver",
    "talos-vmtoolsd": "vmtoolsd-guest-agent",
    "usb-modem": "usb-modem-drivers",
    "v4l-uvc": "v4l-uvc-drivers",
    "xe-guest-utilities": "xen-guest-agent",
    **_RENAMED_IN_1_9,
}


def official_extensions(
    nodes: GpuNodes, extensions: Sequence[str] = (), *, fabric_manager: bool = False, gdrcopy: bool = False
) -> list[str]:
    """Everything that the image of these nodes carries, in the alphabetical order of the factory's own form."""
    needed = nvidia_extensions(nodes, fabric_manager=fabric_manager, gdrcopy=gdrcopy)
    further = texts("extensions", extensions)
    for index, name in enumerate(further):
        argument = f"extensions[{index}]"
        if name in further[:index]:
            raise wrong(argument, "named once", name)
        if name not in needed:
            _check_official(argument, name, nodes.talos_version, needed)
            _check_nvidia(argument, name.removeprefix(PREFIX), nodes)
    return sorted({*needed, *further})


def nvidia_extensions(nodes: GpuNodes, *, fabric_manager: bool = False, gdrcopy: bool = False) -> list[str]:
    """What NVIDIA's driver needs: modules of one flavour and libraries of the same track."""
    track = nodes.driver_track
    if track not in nodes.talos_version.release.drivers:
        raise wrong("nodes", "of a Talos whose extensions are published", nodes, f"those of Talos {nodes.talos_version} are not yet")
    names = [f"{MODULES[nodes.kernel_modules]}-{track}", f"{TOOLKIT}-{track}"]
    if flag("fabric_manager", fabric_manager):
        names.append(f"{FABRIC_MANAGER}-{track}")
    if flag("gdrcopy", gdrcopy):
        check_gdrcopy(gdrcopy, nodes)
        names.append(GDRDRV)
    return [PREFIX + name for name in names]


def available(talos: TalosVersion) -> set[str]:
    """The official extensions of a Talos, without the prefix."""
    names = {name for minor, names in _SINCE.items() if minor <= talos.minor for name in names.split()}
    return names - _RENAMED_IN_1_9.keys() if talos.minor >= _RENAMED else names


def _first_minor(name: str) -> int:
    """The minor of Talos that brought an extension; 0 for a name that none has."""
    return next((minor for minor, names in _SINCE.items() if name in names.split()), 0)


def _check_official(argument: str, name: str, talos: TalosVersion, needed: list[str]) -> None:
    official = available(talos)
    if not name.startswith(PREFIX) or name.removeprefix(PREFIX) not in official:
        raise wrong(argument, f"an official extension of Talos {talos.minor_version}", name, _why_not(name, official, needed))


def _why_not(name: str, official: set[str], needed: list[str]) -> str:
    """What was probably meant by a name that is not the factory's."""
    import difflib  # what goes well never needs it

    short = name.removeprefix(PREFIX)
    if "/" in short:
        return "the Image Factory has the extensions of siderolabs alone"
    if short in official or short in _ALIASES:
        return f"did you mean '{PREFIX}{short if short in official else _ALIASES[short]}'?"
    if since := _first_minor(short):
        return f"it came with Talos 1.{since}"
    if "nvidia" in short:
        alias = f"the factory takes the bare name for {PREFIX}{_NVIDIA_ALIASES[short]}; " if short in _NVIDIA_ALIASES else ""
        return f"{alias}'kernel_modules' and 'driver_track' of GpuNodes choose NVIDIA's extensions, here {' and '.join(needed)}"
    if close := difflib.get_close_matches(short, sorted(official), n=1):
        return f"did you mean '{PREFIX}{close[0]}'?"
    return "no extension of that name is known; give the ID of a schematic with a newer one to existing_schematic"


def _check_nvidia(argument: str, name: str, nodes: GpuNodes) -> None:
    """Refuse an NVIDIA extension beside those that the nodes need."""
    kind, _, track = name.rpartition("-")
    if name == GDRDRV:
        raise wrong(argument, "asked for by gdrcopy=True", PREFIX + name)
    if kind not in {*MODULES.values(), TOOLKIT, FABRIC_MANAGER}:
        return
    if track != nodes.driver_track:
        then = "modules and libraries of two tracks don't work together; leave it out, or change 'driver_track' of GpuNodes"
        raise wrong(argument, f"of the track of nodes with driver_track='{nodes.driver_track}'", PREFIX + name, then)
    if kind == FABRIC_MANAGER:
        raise wrong(argument, "asked for by fabric_manager=True", PREFIX + name)
    then = "a node loads modules of one flavour; leave it out, or change 'kernel_modules' of GpuNodes"
    raise wrong(argument, f"of the flavour of nodes with kernel_modules='{nodes.kernel_modules}'", PREFIX + name, then)
