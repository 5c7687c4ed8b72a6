"""The messages of the programs around a GPU: what each can say, in which releases, and where in its source.

`make pins` writes the tables in the folder `messages`; each has its source and the date it was read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pkgutil import get_data

PROGRAMS = (
    "container-device-interface",
    "containerd",
    "dcgm-exporter",
    "gpu-operator",
    "image-factory",
    "kubelet",
    "kubernetes-control-plane",
    "kueue",
    "mig-parted",
    "node-feature-discovery",
    "nvidia-container-toolkit",
    "nvidia-device-plugin",
    "nvidia-dra-driver",
    "runc",
    "talos",
    "talos-extensions",
)
"""Every program by the name of its table.

Source: the folder `messages` of this package (2026-11-28)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaker:
    """A program, or several of one repository."""

    title: str
    repository: str
    """Its address."""
    names: tuple[str, ...]
    """Words of the names of its pods, services and logs."""


@dataclass(frozen=True, slots=True)
class Message:
    """A format string of a program, with the file in which it stands in the last release that says it."""

    speaker: Speaker
    format: str
    severity: str
    first: str
    last: str
    path: str

    @property
    def releases(self) -> str:
        """The minor releases that say it, of those that were read."""
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


def messages() -> Iterator[Message]:
    """Every message that was read."""
    for name in PROGRAMS:
        table = json.loads(get_data(__package__, f"messages/{name}.json") or b"")
        speaker = Speaker(title=table["program"], repository=table["source"], names=tuple(table["speakers"]))
        oldest, *_, newest = table["minors"]
        for path, rows in table["messages"].items():
            for text, row in rows.items():
                severity, _, span = row.partition(" ")
                first, _, last = span.partition("-")
                yield Message(speaker, text, severity, first or oldest, last or newest, path)
