"""`make zipapp`: the command with PyYAML and attrs inside, without cdk8s, as `build/talos-gpu.pyz`. Equal sources give an equal file, byte for byte."""

from __future__ import annotations

import argparse
import hashlib
import zipfile
from pathlib import Path

from tools.pure_library import ROOT, pure_files

OUTPUT = ROOT / "build" / "talos-gpu.pyz"
_LAUNCHER = Path(__file__).with_name("launcher.py")
_SHEBANG = b"#!/usr/bin/env python3\n"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of a zip archive
_PLAIN_FILE = 0o100644


def write_single_file(path: Path) -> None:
    """Write the archive with its first line, and make it executable."""
    files = pure_files()
    launcher = _LAUNCHER.read_text(encoding="utf-8").replace('"unpacked"', f'"{_digest(files)}"', 1)
    launcher = launcher.replace("FILES = 0", f"FILES = {len(files) + 1}", 1)  # and the launcher itself
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as output:
        output.write(_SHEBANG)
        with zipfile.ZipFile(output, "w") as archive:
            for name, content in {"__main__.py": launcher.encode(), **files}.items():
                entry = zipfile.ZipInfo(name, _FIRST_DAY)
                entry.create_system, entry.external_attr = 3, _PLAIN_FILE << 16
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    path.chmod(0o755)


def _digest(files: dict[str, bytes]) -> str:
    """A digest of the names and contents: the cache keeps one folder for each."""
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{len(name)} {name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make zipapp", description="Write the command as one file of Python.")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="default: build/talos-gpu.pyz")
    output: Path = parser.parse_args().output
    write_single_file(output)
    print(f"zipapp: {output.stat().st_size / 1_000_000:.2f} MB in {output}")
