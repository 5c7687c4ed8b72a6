"""The files that pages of the site load: the styles, Mermaid from npm with the script that draws the diagrams, and the search for symptoms."""

from __future__ import annotations

import shutil
from pathlib import Path

from .pages import ROOT
from .symptom_table import symptom_table

MERMAID = ROOT / "tools" / "node" / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"
_FILES = Path(__file__).parent / "_static"


def write_static_files(folder: Path) -> None:
    """Write the files into a folder of the site."""
    shutil.copytree(_FILES, folder)
    shutil.copy(MERMAID, folder)
    (folder / "symptoms.json").write_text(symptom_table(), encoding="utf-8")
