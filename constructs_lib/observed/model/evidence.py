"""Evidence: a line that was read, and its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A line as it was read, and its place: `gpu-1/dmesg.log:120`, or `Pod gpu/ollama, status.conditions (a.json)`."""

    text: str
    source: str
