"""The messages of the programs around a GPU: what each can say, in which releases, and where in its source.

`make pins` writes the tables in the folder `messages`; each has its source, the tags that were read, and the date up to
which its copy was complete. No manifest comes of them, so they are not among the tables of `table_files`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
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
    "libnvidia-container",
    "mig-parted",
    "node-feature-discovery",
    "nvidia-container-toolkit",
    "nvidia-device-plugin",
    "nvidia-dra-driver",
    "nvidia-kernel-modules",
    "runc",
    "talos",
    "talos-extensions",
)
"""Every program by the name of its table.

Source: the folder `messages` of this package (2026-11-28)
"""


MOST_FREQUENT = "error"
"""The severity of a message whose row names none.

Source: tools/pins/message_tables.py (2026-11-28)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaker:
    """A program, or several of one repository."""

    title: str
    repository: str
    """Its address."""
    names: tuple[str, ...]
    """Words of the names of its pods, services and logs."""
    minors: tuple[str, ...]
    """The minor releases that were read, the oldest first."""

    def releases(self, messages: Sequence[Message]) -> str:
        """The releases that have one of these messages, from the first to the last."""
        first = min(self.minors.index(message.first) for message in messages)
        last = max(self.minors.index(message.last) for message in messages)
        return self.minors[first] if first == last else f"{self.minors[first]} to {self.minors[last]}"


@dataclass(frozen=True, slots=True)
class Message:
    """A format string of a program, with the file in which it stands in the last release that says it."""

    speaker: Speaker
    format: str
    severity: str
    first: str
    last: str
    path: str


def messages() -> Iterator[Message]:
    """Every message that was read."""
    for name in PROGRAMS:
        table = json.loads(get_data(__package__, f"messages/{name}.json") or b"")
        speaker = Speaker(title=table["program"], repository=table["source"], names=tuple(table["speakers"]), minors=tuple(table["minors"]))
        oldest, newest = speaker.minors[0], speaker.minors[-1]
        for path, rows in table["messages"].items():
            for text, row in rows.items():
                severity, _, span = row.partition(" ")
                first, _, last = span.partition("-")
                yield Message(speaker, text, severity or MOST_FREQUENT, first or oldest, last or newest, path)
