"""`make zipapp`: what the file holds, and that it starts anywhere, as a process of its own."""

import os
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import ROOT
from constructs_lib.cli.own_version import VERSION as NUMBER
from constructs_lib.upstream.talos.releases import READ_ON

EXAMPLE = ROOT / "docs" / "example.yaml"
VERSION = f"talos-gpu {NUMBER} (tables of {READ_ON})\n"


def build(path):
    subprocess.run([sys.executable, "-m", "tools.single_file", "--output", str(path)], cwd=ROOT, check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def single_file(tmp_path_factory):
    return build(tmp_path_factory.mktemp("built") / "talos-gpu.pyz")


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def run(path, *arguments, python=sys.executable, flags=("-I", "-S"), folder="/", **environment):
    """A run with no other environment: no PATH, and so no Node."""
    command = [python, *flags, str(path), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def cached(home):
    folder = home / ".cache" / "talos-gpu"
    return sorted(folder.iterdir()) if folder.exists() else []


def test_two_builds_are_equal_byte_for_byte(single_file, tmp_path):
    assert build(tmp_path / "again.pyz").read_bytes() == single_file.read_bytes()


def test_the_file_is_executable_smaller_than_3_mb_and_names_its_interpreter(single_file):
    assert os.access(single_file, os.X_OK)
    assert single_file.stat().st_size < 3_000_000
    assert single_file.read_bytes().startswith(b"#!/usr/bin/env python3\n")


def test_the_file_holds_the_library_without_constructs_with_its_dependencies_and_their_licences(single_file):
    names = zipfile.ZipFile(single_file).namelist()

    assert {name.partition("/")[0] for name in names} == {"__main__.py", "constructs_lib", "yaml", "attr", "attrs", "licenses"}
    assert [name for name in names if name.startswith("constructs_lib/constructs/")] == []
    assert {name for name in names if name.startswith("licenses/")} == {
        f"licenses/{name}" for name in ("LICENSE", "NOTICE", "PyYAML", "attrs")
    }
    assert all(zipfile.ZipFile(single_file).read(f"licenses/{name}") for name in ("PyYAML", "attrs"))


def test_the_file_starts_by_its_name(single_file, home):
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(home)}

    assert subprocess.run([single_file, "--version"], env=environment, capture_output=True, text=True, check=True).stdout == VERSION


def test_an_answer_is_that_of_the_library_without_site_packages_environment_and_node(single_file, home):
    for arguments in (["check", str(EXAMPLE), "--format", "json"], ["schematic", "--talos", "1.13"], ["check", "--explain", "TG007"]):
        library = subprocess.run(
            [sys.executable, "-m", "constructs_lib", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        for environment in ({"HOME": str(home)}, {"HOME": "/proc/nowhere"}):
            answer = run(single_file, *arguments, **environment)
            assert (answer.returncode, answer.stdout) == (library.returncode, library.stdout), answer.stderr


def test_the_first_start_unpacks_the_file_and_the_next_ones_run_the_bytecode_of_that_folder(single_file, home):
    assert run(single_file, "--version", HOME=str(home)).stdout == VERSION
    (folder,) = cached(home)
    command = folder / "constructs_lib" / "cli" / "command.py"
    assert list((command.parent / "__pycache__").glob("command.*.pyc"))

    command.write_text("main = lambda: print('from the folder')\n")
    assert run(single_file, "--version", HOME=str(home)).stdout == "from the folder\n"


def test_a_folder_that_others_can_write_is_not_run(single_file, home):
    run(single_file, "--version", HOME=str(home))
    (folder,) = cached(home)
    (folder / "constructs_lib" / "cli" / "command.py").write_text("main = lambda: print('by a stranger')\n")
    for shared in (folder, folder.parent):
        shared.chmod(0o777)
        assert run(single_file, "--version", HOME=str(home)).stdout == VERSION
        shared.chmod(0o700)
    assert [path.name for path in cached(home)] == [folder.name]


def test_a_link_in_place_of_the_folder_is_not_followed(single_file, home, tmp_path):
    run(single_file, "--version", HOME=str(home))
    (folder,) = cached(home)
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "constructs_lib" / "cli" / "command.py").write_text("main = lambda: print('by a link')\n")

    assert run(single_file, "--version", HOME=str(home)).stdout == VERSION


def test_a_folder_that_lacks_files_is_not_run_and_is_unpacked_anew_by_the_next_start(single_file, home):
    run(single_file, "--version", HOME=str(home))
    (folder,) = cached(home)
    (folder / "constructs_lib" / "cli" / "command.py").unlink()

    first = run(single_file, "--version", HOME=str(home))
    second = run(single_file, "--version", HOME=str(home))

    assert [(each.stdout, each.stderr) for each in (first, second)] == [(VERSION, "")] * 2
    assert (folder / "constructs_lib" / "cli" / "command.py").is_file()


@pytest.mark.parametrize("flags", [("-I", "-S"), ("-I", "-S", "-B")], ids=["read-only", "without bytecode"])
def test_without_a_cache_the_file_runs_from_the_archive_and_writes_nothing(single_file, home, flags):
    cache = home / ".cache"
    if "-B" not in flags:
        cache.write_text("no folder")  # as root no folder is read-only
    before = sorted(home.rglob("*"))

    assert run(single_file, "--version", flags=flags, HOME=str(home)).stdout == VERSION
    assert sorted(home.rglob("*")) == before


def test_processes_that_start_at_once_all_answer_and_leave_one_folder(single_file, home):
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: run(single_file, "--version", HOME=str(home)), range(6)))

    assert {(answer.returncode, answer.stdout) for answer in answers} == {(0, VERSION)}, [answer.stderr for answer in answers]
    assert len(cached(home)) == 1


def test_the_cache_is_that_of_xdg_and_a_relative_path_is_ignored(single_file, home, tmp_path):
    run(single_file, "--version", HOME=str(home), XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert cached(home) == []
    assert list((tmp_path / "xdg" / "talos-gpu").iterdir())

    run(single_file, "--version", HOME=str(home), XDG_CACHE_HOME="xdg", folder=str(tmp_path))
    assert len(cached(home)) == 1


def other_pythons():
    """The interpreters of other versions on this machine: those on PATH, and those of pyenv."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in ("3.11", "3.12", "3.13", "3.14"):
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        for python in (shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))):
            if version != own and python and subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode == 0:
                yield python
                break


def test_the_other_pythons_of_this_machine_give_the_same_answer(single_file, home):
    arguments = ("check", str(EXAMPLE), "--format", "json")
    expected = run(single_file, *arguments, HOME=str(home)).stdout

    assert {python: run(single_file, *arguments, python=python, HOME=str(home)).stdout for python in other_pythons()} == dict.fromkeys(
        other_pythons(), expected
    )


def test_an_older_python_is_told_which_one_is_needed(single_file):
    launcher = zipfile.ZipFile(single_file).read("__main__.py").decode()
    code = "import sys; sys.version_info = (3, 10, 0, 'final', 0); exec(compile(sys.stdin.read(), '__main__.py', 'exec'))"
    refused = subprocess.run([sys.executable, "-c", code], input=launcher, capture_output=True, text=True, check=False)

    assert (refused.returncode, refused.stderr) == (1, "talos-gpu: Python 3.11 or newer is needed\n")


def test_the_file_holds_every_table_and_text_of_the_package_and_explains_the_number_of_an_error(single_file):
    """A table that is not in the archive ends a command with a traceback."""
    kinds = (".json", ".tsv", ".md", ".pyi")
    files = {f"{path.relative_to(ROOT)}" for path in (ROOT / "constructs_lib").rglob("*") if path.suffix in kinds}
    done = run(single_file, "why", "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.", HOME="/nowhere")

    assert {name for name in files if not name.startswith("constructs_lib/constructs/")} <= set(zipfile.ZipFile(single_file).namelist())
    assert (done.returncode, done.stderr) == (0, "")
    assert "Xid 79" in done.stdout or "XID 79" in done.stdout
