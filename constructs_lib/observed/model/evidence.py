"""Evidence and logs: lines that were read, each with its source."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class LogKind(enum.StrEnum):
    """The program that wrote a log."""

    KERNEL = "kernel"
    SERVICE = "service"
    """A service of Talos; `name` is the service."""
    CONTAINER = "container"
    """A container of a pod; `namespace`, `pod` and `name` name the container, as far as they are known."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Log:
    """A log, and the symptoms in it. `node` is the name or the address under which its lines were printed; empty if it
    is not known.
    """

    kind: LogKind
    source: str
    matches: tuple[Any, ...]
    """The matches of `LogSearch`. Symptoms are above this room."""
    lines: int
    node: str = ""
    namespace: str = ""
    pod: str = ""
    name: str = ""
    is_previous: bool = False
    """Whether a container wrote the log before its last restart."""
    kept: tuple[tuple[int, str], ...] = ()
    """Lines that readers keep for the links, with their numbers: of a kernel, those that name NVRM, nvidia, Xid, vfio
    or nouveau, at most some hundred; of another program, the first in which it names a GPU that it uses.
    """
    errors: tuple[tuple[int, str], ...] = ()
    """The first lines that a program marks as errors and no symptom knows, with their numbers."""

    loading: Evidence | None = None
    """The line by which the program fetches or loads a model, if it is among the last ones of the log."""

    def evidence(self, match: Any) -> Evidence:
        """The first line of a match."""
        return Evidence(text=match.text, source=f"{self.source}:{match.line}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A line as it was read, and its place: `gpu-1/dmesg.log:120`, or `Pod gpu/ollama, status.conditions (a.json)`."""

    text: str
    source: str
