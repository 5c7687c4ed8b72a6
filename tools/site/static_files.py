"""The files that every page of the site loads: its styles, and Mermaid from npm with the script that draws the diagrams."""

from __future__ import annotations

import shutil
from pathlib import Path

from .pages import ROOT

MERMAID = ROOT / "tools" / "node" / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"
_FILES = Path(__file__).parent / "_static"


def write_static_files(folder: Path) -> None:
    """Write the files into a folder of the site."""
    shutil.copytree(_FILES, folder)
    shutil.copy(MERMAID, folder)
