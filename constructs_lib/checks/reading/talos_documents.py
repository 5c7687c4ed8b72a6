"""Talos' own documents among those that were read."""

from __future__ import annotations

from pathlib import Path

from ..read import NodeConfig, Read, Skipped


def is_talos(body: object) -> bool:
    """Whether a document is one of Talos, talhelper, Omni or the Image Factory."""
    return False


def read_talos(document: Read, root: Path) -> tuple[list[NodeConfig], list[Skipped]]:
    """The node configurations of a document; the files that it names are below `root`."""
    return [], []
