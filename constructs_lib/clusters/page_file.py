"""The page of a cluster, from the files of its synthesis."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..nodes.gpu_nodes import GpuNodes

PAGE = "README.md"
"""The file of the page in a cluster's folder."""


def page_of(cluster: str, files: Mapping[str, str], nodes: Iterable[GpuNodes]) -> str:
    """The page that `cluster_page` writes about the cluster's folder. Nothing else of that folder is on the page."""
    from ..checks.formats.cluster_page import cluster_page  # only --page needs it

    with tempfile.TemporaryDirectory(prefix="talos-gpu-") as parent:
        folder = Path(parent, cluster)
        folder.mkdir()
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        return cluster_page(folder, nodes=nodes)
