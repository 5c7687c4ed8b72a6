"""The playground as files of the site: the page, Pyodide from npm, and Python with the library in one archive."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from tools.pure_library import ROOT, pure_files

PYODIDE = ROOT / "tools" / "node" / "node_modules" / "pyodide"
_PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
_PAGE = Path(__file__).parent / "playground"
_EXAMPLE = ROOT / "docs" / "example.yaml"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of a zip archive: the same files give the same archive


def write_playground(folder: Path) -> None:
    """Write the playground into a folder of the site."""
    shutil.copytree(_PAGE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (folder / "pyodide").mkdir()
    for name in _PYODIDE_FILES:
        shutil.copy(PYODIDE / name, folder / "pyodide")
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8"))
    (folder / "pyodide" / "pyodide-lock.json").write_text(json.dumps({"info": lock["info"], "packages": {}}), encoding="utf-8")
    shutil.copy(_EXAMPLE, folder)
    _write_python(folder / "python.zip")


def _write_python(archive: Path) -> None:
    """Write the standard library, the library and its packages, with bytecode for each module that the playground loads."""
    with zipfile.ZipFile(PYODIDE / "python_stdlib.zip") as file:
        standard = {info.filename: file.read(info) for info in file.infolist()}
    own = {"playground.py": (_PAGE / "playground.py").read_bytes(), _EXAMPLE.name: _EXAMPLE.read_bytes()}
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "sources.zip")
        with zipfile.ZipFile(sources, "w") as file:
            for name, content in {**standard, **pure_files(), **own}.items():
                file.writestr(zipfile.ZipInfo(name, _FIRST_DAY), content)
        compiler = Path(__file__).with_name("bytecode.mjs")
        subprocess.run([os.environ.get("JSII_NODE", "node"), compiler, PYODIDE, sources, archive], check=True)
