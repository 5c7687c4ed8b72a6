"""The playground as files of the site: the page, Pyodide from npm, and the library."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

from tools.pure_library import ROOT, pure_files

PYODIDE = ROOT / "tools" / "node" / "node_modules" / "pyodide"
_PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
_PAGE = Path(__file__).parent / "playground"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of a zip archive: the same files give the same archive


def write_playground(folder: Path) -> None:
    """Write the playground into a folder of the site."""
    shutil.copytree(_PAGE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (folder / "pyodide").mkdir()
    for name in _PYODIDE_FILES:
        shutil.copy(PYODIDE / name, folder / "pyodide")
    shutil.copy(ROOT / "docs" / "example.yaml", folder)
    (folder / "library.zip").write_bytes(_library())


def _library() -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in {**pure_files(), "playground.py": (_PAGE / "playground.py").read_bytes()}.items():
            file.writestr(zipfile.ZipInfo(name, _FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()
