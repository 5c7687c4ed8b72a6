"""What the kernel of a node shows of its cards, in the files of the node: below /proc/driver, /sys/bus/pci/devices and
/dev, in /proc/modules and in /proc/devices.

In a container the kernel mounts a new /proc, in which a machine without a card has nothing of NVIDIA. So hooks of each
container mount these files of the node there (programs/oci-runtime); the file of the cards lies in /proc/driver too,
for the library in the container.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from constructs_lib.upstream.talos.features import KERNEL_MODULES

from . import cards as card_descriptions
from .card_files import device_nodes, proc_devices, proc_files, sys_files
from .cards import Card, Driver

_MOCK = "nvidia-mock"
CARDS = f"/proc/driver/{_MOCK}/cards.conf"
"""Where the mock library finds the cards, on the node and in its containers."""
_PROC, _PCI = "/proc/driver", "/sys/bus/pci/devices"


def write(folder: Path, cards: Sequence[Card], driver: Driver, node: str) -> None:
    """The files of a node's folder: `proc-driver/`, `pci/`, `proc-modules` and `proc-devices`, which the node mounts over the kernel's
    own."""
    for place, prefix, files in (
        (folder / "proc-driver", _PROC, proc_files(cards, driver, node)),
        (folder / "pci", _PCI, sys_files(cards)),
    ):
        _replace(place, {path.removeprefix(prefix).lstrip("/"): text for path, text in files.items()})
    (folder / "proc-modules").write_text(_modules(cards))
    (folder / "proc-devices").write_text(proc_devices(Path("/proc/devices").read_text(), cards))
    cards_file = folder / "proc-driver" / CARDS.removeprefix(f"{_PROC}/")
    cards_file.parent.mkdir(exist_ok=True)
    card_descriptions.write(cards_file, cards, driver, node)


def _modules(cards: Sequence[Card]) -> str:
    """The modules of the driver, as /proc/modules lists them."""
    return "".join(f"{each} 1048576 0 - Live 0x0000000000000000 (OE)\n" for each in KERNEL_MODULES) if cards else ""


def devices(cards: Sequence[Card]) -> dict[str, tuple[int, int]]:
    """The device files by their paths below /dev; none without a card."""
    return {each.path.removeprefix("/dev/"): (each.major, each.minor) for each in device_nodes(cards)} if cards else {}


def _replace(folder: Path, files: dict[str, bytes]) -> None:
    """The files of a folder, and no others. The folder stays, since it is mounted."""
    folder.mkdir(exist_ok=True)
    for each in folder.iterdir():
        if each.name != _MOCK:
            shutil.rmtree(each)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)
