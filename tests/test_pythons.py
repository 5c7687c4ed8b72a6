"""Every Python that the package declares, as far as this machine has it: the same manifests, and every public name."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from conftest import ROOT, environment, needs

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = re.findall(r"^Programming Language :: Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
EVERY_NAME = (
    "from importlib import import_module as get; from constructs_lib.arguments.public_names import PACKAGES, public_names;"
    " print(len([getattr(get(package), name) for package in PACKAGES for name in public_names(package)]))"
)


def interpreter(version: str) -> str | None:
    """The interpreter of a version: on the PATH, or of pyenv."""
    found = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}")]
    return next((str(each) for each in found if each and is_of(each, version)), None)


def is_of(path: str | Path, version: str) -> bool:
    """Whether an interpreter runs and has the version: a shim of pyenv stands on the PATH for versions that are not chosen."""
    asked = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True, check=False)
    return asked.stdout.strip() == version


PYTHONS = {RUNNING: sys.executable, **{version: path for version in DECLARED if version != RUNNING and (path := interpreter(version))}}


def names(python: str | Path, *flags: str) -> int:
    """The number of public names that an interpreter imports."""
    return int(subprocess.run([python, *flags, "-c", EVERY_NAME], cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def test_every_public_name_is_there_without_docstrings():
    assert names(sys.executable, "-OO") == names(sys.executable)


@pytest.mark.parametrize("version", PYTHONS)
def test_each_python_has_every_name_and_synthesizes_the_same_files(version, tmp_path):
    needs("PACKAGE_INDEX", "a package index to install the locked packages from")
    python = environment(PYTHONS[version], tmp_path / "venv", "--require-hashes", "-r", ROOT / "requirements" / "synth.txt")

    assert names(python) == names(python, "-OO") == names(sys.executable)

    subprocess.run([python, "main.py"], cwd=ROOT, env=os.environ | {"CDK8S_OUTDIR": str(tmp_path / "dist")}, check=True)
    compared = subprocess.run(["diff", "--recursive", ROOT / "dist", tmp_path / "dist"], capture_output=True, text=True, check=False)
    assert compared.stdout == ""
