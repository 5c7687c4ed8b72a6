"""The model: the three things that every input becomes (objects, chart releases, node configurations), and what of them is unknown."""

from __future__ import annotations

from .inputs import (
    ChartRelease,
    Inputs,
    KubernetesObject,
    NodeConfig,
    Path,
    Read,
    Skipped,
    Unknown,
    at,
    mappings,
    no_line,
    no_other_file,
    question,
)

__all__ = [
    "ChartRelease",
    "Inputs",
    "KubernetesObject",
    "NodeConfig",
    "Path",
    "Read",
    "Skipped",
    "Unknown",
    "at",
    "mappings",
    "no_line",
    "no_other_file",
    "question",
]
