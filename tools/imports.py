"""Write ``imports/``: typed constructs for the CRDs that ``cdk8s.yaml`` lists under ``imports``.

``cdk8s import`` alone writes the same files from the same list, but it takes whatever an
address serves and whatever npm resolves that day. This checks each CRD against the
``#sha256=`` at the end of its entry (the CLI and the server both ignore a URL's fragment)
and runs the CLI that ``tools/node`` locks; ``make imports`` installs it.

Every entry has a name of its own before ``:=``, because without one two CRDs of the same
API group are written to the same folder and the last one wins.

Environment:

* ``CRDS``: a folder that holds the CRD files, for a machine that cannot reach GitHub. A file
  is known by its sha256, so what it is called there does not matter.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent
# Locked with all that it depends on, or the version of npm's cdk8s, which goes into each assembly, would drift.
CLI = ROOT / "tools" / "node" / "node_modules" / ".bin" / "cdk8s"
ENTRY = re.compile(r"(\w+):=(https://[^\s#]+)#sha256=([0-9a-f]{64})")


class Source(NamedTuple):
    """One entry of ``imports``: the package to write, where its CRD is, and what it must be."""

    package: str
    url: str
    sha256: str


def sources(config: Path) -> list[Source]:
    """Read the entries of a ``cdk8s.yaml``. Raises SystemExit for one that is not pinned."""
    found = []
    for entry in yaml.safe_load(config.read_text(encoding="utf-8"))["imports"]:
        match = ENTRY.fullmatch(entry)
        if match is None:
            sys.exit(f"{config.name}: {entry!r} is not name:=https://…#sha256=<64 hex digits>")
        found.append(Source(*match.groups()))
    if len({source.package for source in found}) != len(found):
        sys.exit(f"{config.name}: two imports have the same name, so one would overwrite the other")
    return found


def digest(content: bytes) -> str:
    """Return the sha256 of a file's content, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def read(source: Source, folder: Path | None) -> bytes:
    """Return the CRD of a source, from a folder or from its URL. Raises SystemExit if it is another."""
    if folder is not None:
        for path in sorted(folder.glob("*.yaml")):
            content = path.read_bytes()
            if digest(content) == source.sha256:
                return content
        sys.exit(f"{folder} has no file with sha256 {source.sha256}, which is {source.url}")
    with urllib.request.urlopen(source.url, timeout=60) as response:
        content = bytes(response.read())
    if digest(content) != source.sha256:
        sys.exit(f"{source.url} has changed: cdk8s.yaml pins {source.sha256}, it has {digest(content)}")
    return content


def generate(crds: dict[str, bytes], work: Path) -> Path:
    """Run ``cdk8s import`` in an empty folder for CRDs by package, and return the folder it wrote."""
    for package, content in crds.items():
        (work / f"{package}.yaml").write_bytes(content)
    config = {"language": "python", "imports": [f"{package}:={package}.yaml" for package in crds]}
    (work / "cdk8s.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    subprocess.run([str(CLI), "import", "--no-save", "--check-upgrade=false", "--output=imports"], cwd=work, check=True)
    written = {folder.name for folder in (work / "imports").iterdir()}
    if written != set(crds):
        sys.exit(f"cdk8s import wrote {sorted(written)} instead of {sorted(crds)}")
    return work / "imports"


def main() -> None:
    """Replace ``imports/``, and only when all of it could be written."""
    folder = Path(os.environ["CRDS"]).resolve() if os.environ.get("CRDS") else None
    crds = {source.package: read(source, folder) for source in sources(ROOT / "cdk8s.yaml")}
    with tempfile.TemporaryDirectory() as work:
        generated = generate(crds, Path(work))
        shutil.rmtree(ROOT / "imports", ignore_errors=True)
        shutil.copytree(generated, ROOT / "imports")


if __name__ == "__main__":
    main()
