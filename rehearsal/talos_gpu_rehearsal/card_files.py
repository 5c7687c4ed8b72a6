"""What the kernel shows of a node's cards: files in /dev, /proc and /sys that NVIDIA's programs read beside the library.

The functions say what has to be there; whoever builds the node makes it, in namespaces of its own.
"""

from __future__ import annotations

import functools
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .cards import Card, Driver, Placed, placed

NVIDIA_MAJOR = 195
"""The major number of NVIDIA's cards.

Source: Linux admin-guide/devices.txt (2026-11-23)
"""
_DYNAMIC = range(511, 383, -1)
"""The major numbers that the kernel hands out to drivers without one of their own, in its order.

Source: Linux include/linux/fs.h, CHRDEV_MAJOR_DYN_EXT_START and CHRDEV_MAJOR_DYN_EXT_END (2026-11-24)
"""

_CI_OF_GI = 8  # places for compute instances in a GPU instance
_GI_OF_CARD = 15  # places for GPU instances on a card


_DISPLAY, _ACCELERATOR = 0x030000, 0x030200  # PCI classes: a VGA controller, and a 3D controller without an output
_RESOURCES = 13  # lines of a device's file `resource`
_CONFIG = 256  # bytes of the configuration space that everybody may read


@dataclass(frozen=True)
class DeviceNode:
    """A file in /dev, which `mknod PATH c MAJOR MINOR` makes."""

    path: str
    major: int
    minor: int


def dynamic_majors(devices: str) -> tuple[int, int]:
    """The numbers of UVM and of the capabilities: two that no driver of this machine has, by its /proc/devices, or a file of a
    card would open another driver's device."""
    taken = {int(number) for number in re.findall(r"^ *(\d+) ", devices.partition("Block devices")[0], re.MULTILINE)}
    uvm, capabilities = [each for each in _DYNAMIC if each not in taken][1::-1]
    return uvm, capabilities


@functools.cache
def _majors() -> tuple[int, int]:
    return dynamic_majors(Path("/proc/devices").read_text())


def device_nodes(cards: Sequence[Card]) -> list[DeviceNode]:
    """The files in /dev: one for each card, those of the driver, and those of the MIG capabilities."""
    uvm, capabilities = _majors()
    nodes = [
        DeviceNode("/dev/nvidiactl", NVIDIA_MAJOR, 255),
        DeviceNode("/dev/nvidia-modeset", NVIDIA_MAJOR, 254),
        DeviceNode("/dev/nvidia-uvm", uvm, 0),
        DeviceNode("/dev/nvidia-uvm-tools", uvm, 1),
    ]
    nodes += [DeviceNode(f"/dev/nvidia{one.place}", NVIDIA_MAJOR, one.place) for one in placed(cards)]
    used = {minor for one in placed(cards) for minor in _capabilities(one).values()}
    minors = sorted({1, 2} | used) if used else []
    return nodes + [DeviceNode(f"/dev/nvidia-caps/nvidia-cap{minor}", capabilities, minor) for minor in minors]


def proc_files(cards: Sequence[Card], driver: Driver | None = None, node: str = "") -> dict[str, bytes]:
    """The content of each file below /proc/driver."""
    driver = driver or Driver()
    files = {"/proc/driver/nvidia/version": f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {driver.version}  Release Build\n"}
    for one in placed(cards, node):
        files[f"/proc/driver/nvidia/gpus/{_address(one)}/information"] = (
            f"Model: \t\t {one.card.name}\nGPU UUID: \t {one.uuid}\nBus Type: \t PCIe\n"
            f"Bus Location: \t {_address(one)}\nDevice Minor: \t {one.place}\nGPU Excluded:\t No\n"
        )
        for capability, minor in _capabilities(one).items():
            files[f"/proc/driver/nvidia/capabilities/{capability}"] = _capability(minor)
    if any(one.card.profiles for one in placed(cards)):
        files["/proc/driver/nvidia/capabilities/mig/config"] = _capability(1)
        files["/proc/driver/nvidia/capabilities/mig/monitor"] = _capability(2)
        files["/proc/driver/nvidia-caps/mig-minors"] = "".join(f"{name} {minor}\n" for name, minor in _mig_minors(len(cards)))
    return {path: text.encode() for path, text in files.items()}


def proc_devices(text: str, cards: Sequence[Card]) -> str:
    """/proc/devices: the kernel's own text with the majors of NVIDIA's devices, where the node has cards."""
    uvm, capabilities = _majors()
    names = {
        "nvidia": NVIDIA_MAJOR,
        "nvidia-modeset": NVIDIA_MAJOR,
        "nvidiactl": NVIDIA_MAJOR,
        "nvidia-uvm": uvm,
        "nvidia-caps": capabilities,
    }
    characters, blocks, rest = text.partition("\nBlock devices:")
    return characters + "".join(f"{major:3} {name}\n" for name, major in names.items() if cards) + blocks + rest


def sys_files(cards: Sequence[Card]) -> dict[str, bytes]:
    """The content of each file below /sys/bus/pci/devices: vendor and device, and the class by which NFD finds a card."""
    files: dict[str, bytes] = {}
    for one in placed(cards):
        vendor, device = one.card.pci_device & 0xFFFF, one.card.pci_device >> 16
        kind = _DISPLAY if one.card.brand == "GeForce" else _ACCELERATOR
        values = {"vendor": f"0x{vendor:04x}", "device": f"0x{device:04x}", "class": f"0x{kind:06x}", "numa_node": str(one.card.numa)}
        values |= {"subsystem_vendor": values["vendor"], "subsystem_device": values["device"]}
        values["resource"] = "\n".join(["0x0000000000000000 0x0000000000000000 0x0000000000000000"] * _RESOURCES)
        folder = f"/sys/bus/pci/devices/{_address(one)}"
        files |= {f"{folder}/{name}": f"{value}\n".encode() for name, value in values.items()}
        files[f"{folder}/config"] = (struct.pack("<HH4xI", vendor, device, kind << 8)).ljust(_CONFIG, b"\0")
    return files


def _address(one: Placed) -> str:
    """The PCI address as the kernel writes it: 0000:01:00.0."""
    return one.pci.lower().removeprefix("0000")


def _capability(minor: int) -> str:
    """The file of a capability."""
    return f"DeviceFileMinor: {minor}\nDeviceFileMode: 292\nDeviceFileModify: 1\n"


def _capabilities(one: Placed) -> dict[str, int]:
    """The minor number of each file of the capabilities of a card's MIG devices."""
    minors: dict[str, int] = {}
    for instance in one.card.instances():
        minor = _minor(one.place, instance.gi)
        folder = f"gpu{one.place}/mig/gi{instance.gi}"
        minors |= {f"{folder}/access": minor, f"{folder}/ci0/access": minor + 1}
    return minors


def _minor(card: int, gi: int) -> int:
    """The minor number of a GPU instance's capability; its compute instances follow.

    Source: /proc/driver/nvidia-caps/mig-minors of driver 450 and newer, in NVIDIA/nvidia-container-toolkit
    internal/nvcaps at v1.19.1 (2026-11-23)
    """
    return 3 + (card * _GI_OF_CARD + gi) * (_CI_OF_GI + 1)


def _mig_minors(cards: int) -> list[tuple[str, int]]:
    """The lines of mig-minors: each capability that these cards can have."""
    lines = [("config", 1), ("monitor", 2)]
    for card in range(cards):
        for gi in range(_GI_OF_CARD):
            minor = _minor(card, gi)
            lines.append((f"gpu{card}/gi{gi}/access", minor))
            lines += [(f"gpu{card}/gi{gi}/ci{ci}/access", minor + 1 + ci) for ci in range(_CI_OF_GI)]
    return lines
