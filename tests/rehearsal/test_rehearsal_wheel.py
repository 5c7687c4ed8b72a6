"""The wheel of the rehearsal: what is in it, and that it stands beside the library's, which knows nothing of it."""

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from conftest import ROOT
from constructs_lib.cli.own_version import VERSION
from tools.release import with_licences

PROJECT = tomllib.loads((ROOT / "rehearsal" / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> tuple[Path, Path]:
    """The wheels of the library and of the rehearsal, from what git tracks, or would."""
    source, output = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheels")
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        if (ROOT / name).is_file() and name.partition("/")[0] not in ("tests", "dist"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    for folder in (source, with_licences(source / "rehearsal")):
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(output), str(folder)]
        subprocess.run(command, capture_output=True, check=True)
    rehearsal, library = sorted(output.iterdir(), key=lambda path: "rehearsal" not in path.name)
    return library, rehearsal


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheels):
    names = {each for each in zipfile.ZipFile(wheels[1]).namelist() if ".dist-info/" not in each}
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", "talos_gpu_rehearsal"]
    listed = subprocess.run(command, cwd=ROOT / "rehearsal", capture_output=True, text=True, check=True).stdout.split()

    assert names == {each for each in listed if (ROOT / "rehearsal" / each).is_file()}
    licences = [each for each in zipfile.ZipFile(wheels[1]).namelist() if "/licenses/" in each]
    assert {each.rpartition("/")[2] for each in licences} == {"LICENSE", "NOTICE"}


def test_the_library_s_wheel_has_no_file_of_it(wheels):
    library, rehearsal = ({each for each in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in each} for wheel in wheels)

    assert {each.partition("/")[0] for each in library} == {"constructs_lib", f"cdk8s_nvidia_talos-{VERSION}.data"}
    assert library.isdisjoint(rehearsal)


def test_both_are_of_one_version():
    assert PROJECT["version"] == VERSION
    assert PROJECT["dependencies"] == [f"cdk8s-nvidia-talos=={VERSION}"]


def test_beside_the_library_the_command_finds_it(wheels, tmp_path):
    for each in wheels:
        zipfile.ZipFile(each).extractall(tmp_path / "site")
    line = [sys.executable, "-m", "constructs_lib", "rehearse", str(ROOT / "docs" / "cluster.yaml"), "--plan"]
    done = subprocess.run(line, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path / "site")}, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Rehearsal of cluster\n")
