"""What the kernel of a node shows of its cards, in the files of the node: below /proc/driver, /sys/bus/pci/devices, /dev.

In a container the kernel mounts a new /proc, in which a machine without a card has nothing of NVIDIA. So a hook of each
container mounts the node's /proc/driver there; the file of the cards lies in it too, for the library in the container.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .card_files import device_nodes, proc_files, sys_files
from .cards import Card, Driver, write_cards

_MOCK = "nvidia-mock"
CARDS = f"/proc/driver/{_MOCK}/cards.conf"
"""Where the mock library finds the cards, on the node and in its containers."""
BASE_SPEC = "/etc/cri/conf.d/base-spec.json"
"""The specification that each container begins with, as on Talos."""
_PROC, _PCI = "/proc/driver", "/sys/bus/pci/devices"
_MOUNT = """\
state=$(cat); bundle=${state#*'"bundle":"'}; exec mount --rbind /proc/driver "${bundle%%'"'*}/rootfs/proc/driver"
"""
"""The hook: the state that runc hands to it has the bundle, in which the container's root is mounted.

Source: opencontainers/runtime-spec runtime.md and config.md at v1.3.0 (2026-11-23)
"""


def write(folder: Path, cards: Sequence[Card], driver: Driver, node: str) -> None:
    """The files of a node's folder: `proc-driver/` and `pci/`, which the node mounts over the kernel's own."""
    for place, prefix, files in (
        (folder / "proc-driver", _PROC, proc_files(cards, driver, node)),
        (folder / "pci", _PCI, sys_files(cards)),
    ):
        _replace(place, {path.removeprefix(prefix).lstrip("/"): text for path, text in files.items()})
    cards_file = folder / "proc-driver" / CARDS.removeprefix(f"{_PROC}/")
    cards_file.parent.mkdir(exist_ok=True)
    write_cards(cards_file, cards, driver, node)


def devices(cards: Sequence[Card]) -> dict[str, tuple[int, int]]:
    """The device files by their paths below /dev; none without a card."""
    return {each.path.removeprefix("/dev/"): (each.major, each.minor) for each in device_nodes(cards)} if cards else {}


def base_spec(ctr: Path) -> str:
    """Containerd's own specification of a container, without limits as on Talos, and with the hook.

    Source: siderolabs/talos internal/app/machined/pkg/controllers/files/cri_base_runtime_spec.go at v1.13.9
    (2026-11-23)
    """
    spec = json.loads(subprocess.run([ctr, "oci", "spec"], capture_output=True, text=True, check=True).stdout)  # noqa: S603
    spec["process"].pop("rlimits", None)
    spec["hooks"] = {"createContainer": [{"path": "/bin/sh", "args": ["sh", "-c", _MOUNT], "env": ["PATH=/usr/bin:/bin"]}]}
    return json.dumps(spec)


def _replace(folder: Path, files: dict[str, str]) -> None:
    """The files of a folder, and no others. The folder stays, since it is mounted."""
    folder.mkdir(exist_ok=True)
    for each in folder.iterdir():
        if each.name != _MOCK:
            shutil.rmtree(each)
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
