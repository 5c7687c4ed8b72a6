"""The programs of a rehearsal: what pins them, when they are built, and what a build says that cannot go on."""

import dataclasses
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

import nodes
from constructs_lib.upstream.talos.releases import TALOS
from talos_gpu_rehearsal import build, sources
from talos_gpu_rehearsal.build import program
from talos_gpu_rehearsal.errors import RehearsalError
from talos_gpu_rehearsal.go_module import GoModule
from talos_gpu_rehearsal.layout import Layout
from talos_gpu_rehearsal.sources import HERE, NVIDIA_LINKS, SOURCES, Source
from waiting import becomes

VERSION = re.compile(r"v\d+\.\d+\.\d+(-[\w.-]+)?(\+incompatible)?")
GO = """\
#!/bin/sh
case "$1 $2" in
"env GOVERSION") echo go{version} ;;
"env GOPROXY") echo https://proxy.golang.org ;;
list*) exit {lacks} ;;
build*) echo built >> {log}; while [ ! -e {log}.go-on ]; do sleep 0.01; done; [ -d "$3" ] || echo program > "$3" ;;
esac
"""


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A program of one file, and a cache of its own."""
    folder = tmp_path / "programs" / "tiny"
    folder.mkdir(parents=True)
    (folder / "go.mod").write_text("module tiny\n\ngo 1.26.0\n")
    (folder / "main.go").write_text("package main\n\nfunc main() {}\n")
    monkeypatch.setattr(sources, "HERE", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(build.SOURCES, "tiny", Source("tiny"))
    return folder


@pytest.fixture
def fake_go(tmp_path, monkeypatch):
    """A Go on the PATH that says its version, and builds at once what it is told to; it counts its builds."""
    log = tmp_path / "builds"

    def put(version: str = "1.26.8", *, lacks: int = 0, waits: bool = False) -> Path:
        (tmp_path / "bin").mkdir()
        go = tmp_path / "bin" / "go"
        go.write_text(GO.format(version=version, lacks=lacks, log=log))
        go.chmod(0o755)
        monkeypatch.setenv("PATH", f"{go.parent}:/usr/bin:/bin")
        if not waits:
            log.with_suffix(".go-on").touch()
        return log

    return put


def left_in_cache(tmp_path: Path) -> list[str]:
    return [path.name for path in (tmp_path / "cache" / "talos-gpu-rehearsal").iterdir() if path.suffix != ".lock"]


def test_each_folder_is_a_program_and_each_program_a_folder():
    assert {path.name for path in (HERE / "programs").iterdir() if path.is_dir()} == set(SOURCES)


def test_each_requirement_is_one_version_with_a_checksum():
    offenders = []
    for source in SOURCES.values():
        versions = source.module.versions
        checksums = (source.folder / "go.sum").read_text() if versions else ""
        offenders += [f"{source.name}: {module} {version}" for module, version in versions.items() if not VERSION.fullmatch(version)]
        offenders += [
            f"{source.name}: {module}" for module, version in versions.items() if f"{module} {version}/go.mod h1:" not in checksums
        ]
    assert not offenders


def test_the_wheel_of_the_rehearsal_has_every_source():
    data = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["talos_gpu_rehearsal"]
    files = {path.relative_to(HERE).as_posix() for folder in ("programs", "nvml") for path in (HERE / folder).rglob("*") if path.is_file()}
    assert not {name for name in files if not any(fnmatch(name, pattern) and name.count("/") == pattern.count("/") for pattern in data)}


@pytest.mark.parametrize("talos", ["1.12", "1.13", "1.14"])
def test_a_talos_node_has_the_toolkit_of_its_extension(talos):
    layout = Layout.of(f"{talos}.0")
    assert SOURCES[layout.toolkit].release == TALOS[talos].toolkit


def test_programs_print_the_version_that_go_mod_pins():
    kubernetes = SOURCES["kubernetes"]
    assert f"-X k8s.io/component-base/version.gitVersion=v{kubernetes.release}" in kubernetes.linked
    assert f"-X k8s.io/component-base/version.gitMinor={kubernetes.release.split('.')[1]} " in kubernetes.linked
    assert SOURCES["toolkit"].linked.endswith(f"internal/info.version={SOURCES['toolkit'].release}")
    assert SOURCES["device-plugin-0.19"].linked.endswith("internal/info.version=v0.19.1")


def test_programs_of_nvidia_are_linked_lazily():
    """Or none of them starts on a machine without the library."""
    nvidia = [source for source in SOURCES.values() if "NVIDIA" in source.release_of or "nvidia" in source.release_of]
    assert len(nvidia) > 5
    assert all(NVIDIA_LINKS in source.linked and source.cgo for source in nvidia)


def test_the_names_of_a_program_are_links_to_it(tiny, fake_go, monkeypatch):
    fake_go()
    monkeypatch.setitem(build.SOURCES, "tiny", Source("tiny", called=("one", "two")))
    folder = program("tiny")
    assert sorted(path.name for path in folder.iterdir()) == ["one", "tiny", "two"]
    assert (folder / "two").read_text() == "program\n"


def test_a_changed_source_or_flag_is_another_program(tiny):
    before = Source("tiny")
    keys = {before.key, dataclasses.replace(before, cgo=True).key, dataclasses.replace(before, links="-static").key}
    assert len(keys) == 3
    (tiny / "main.go").write_text("package main\n\nfunc main() { println() }\n")
    assert before.key not in keys
    (tiny / "main.go").write_text("package main\n\nfunc main() {}\n")
    assert before.key in keys


def test_a_program_is_built_once(tiny, fake_go, capsys):
    log = fake_go()
    assert program("tiny") == program("tiny")
    assert log.read_text() == "built\n"
    assert capsys.readouterr().err == "rehearsal: tiny: building tiny\n"


def test_a_download_is_said_before(tiny, fake_go, capsys):
    fake_go(lacks=1)
    program("tiny")
    said = capsys.readouterr().err.splitlines()
    assert "downloads" in said[0]
    assert "https://proxy.golang.org" in said[0]
    assert said[1] == "rehearsal: tiny: building tiny"


def test_of_two_builds_at_once_the_second_waits(tiny, fake_go, monkeypatch):
    log = fake_go(waits=True)

    def say(sentence: str) -> None:
        if "waiting" in sentence:
            log.with_suffix(".go-on").touch()

    monkeypatch.setattr(build, "_say", say)
    folders: list[Path] = []
    builders = [threading.Thread(target=lambda: folders.append(program("tiny"))) for _ in range(2)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join(60)
    assert len(folders) == 2
    assert folders[0] == folders[1]
    assert log.read_text() == "built\n"


def test_a_build_that_fails_says_go_s_words_and_leaves_nothing(tiny, tmp_path):
    if not shutil.which("go"):
        pytest.skip("Go is not on the PATH: it refuses the broken program of this test")
    (tiny / "main.go").write_text("package main\n\nfunc main() { absent() }\n")
    with pytest.raises(RehearsalError, match="undefined: absent"):
        program("tiny")
    assert left_in_cache(tmp_path) == []


def test_a_build_that_was_killed_is_no_program_and_does_not_hinder(tiny, fake_go, tmp_path):
    fake_go()
    for name in (Source("tiny").built.name, "tiny-0123456789ab"):
        left = tmp_path / "cache" / "talos-gpu-rehearsal" / f"{name}.building"
        left.mkdir(parents=True)
        (left / "tiny").write_text("half a program")
    assert (program("tiny") / "tiny").read_text() == "program\n"
    assert left_in_cache(tmp_path) == [Source("tiny").built.name]


def test_builds_that_nothing_used_for_long_go_and_those_of_another_program_stay(tiny, fake_go, tmp_path):
    fake_go()
    folder = tmp_path / "cache" / "talos-gpu-rehearsal"
    old, used, other = "tiny-0123456789ab", "tiny-ba9876543210", "tiny-1.18-0123456789ab"
    for each in (old, used, other):
        (folder / each).mkdir(parents=True)
    for each in (old, other):
        os.utime(folder / each, (0, 0))
    program("tiny")
    assert sorted(left_in_cache(tmp_path)) == sorted([used, other, Source("tiny").built.name])


def test_a_use_of_a_build_keeps_it(tiny, fake_go):
    fake_go()
    os.utime(program("tiny"), (0, 0))
    assert program("tiny").stat().st_mtime > 0


def test_a_build_that_is_terminated_leaves_nothing(tmp_path):
    bin_folder, mark = tmp_path / "bin", tmp_path / "builds"
    bin_folder.mkdir()
    script = f'case "$1" in env) echo go1.26.8 ;; build) touch {mark}; exec sleep 600 ;; esac'
    (bin_folder / "go").write_text(f"#!/bin/sh\n{script}\n")
    (bin_folder / "go").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}:/usr/bin:/bin",
        "PYTHONPATH": str(HERE.parent),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    with subprocess.Popen([sys.executable, "-m", "talos_gpu_rehearsal.build", "oci-runtime"], env=environment) as process:
        assert becomes(True, mark.exists)
        process.terminate()
    assert process.returncode == 128 + signal.SIGTERM
    assert left_in_cache(tmp_path) == []


def test_a_run_needs_no_module(tiny, fake_go, monkeypatch, tmp_path):
    """The files that a rehearsal reads beside the programs lie with them."""
    fake_go()
    (tmp_path / "module/hack").mkdir(parents=True)
    (tmp_path / "module/hack/start.sh").write_text("a script")
    source = Source("tiny", release_of="example.com/tiny", texts=("hack/start.sh",))
    monkeypatch.setattr(GoModule, "source_folder", lambda *_: tmp_path / "module")
    monkeypatch.setattr(GoModule, "versions", {"example.com/tiny": "v1.0.0"})
    monkeypatch.setitem(build.SOURCES, "tiny", source)
    program("tiny")
    assert source.text("hack/start.sh").read_text() == "a script"


def test_only_builds_read_go_s_modules():
    readers = {path.name for path in HERE.glob("*.py") if ".source_folder(" in path.read_text() or '.run("mod' in path.read_text()}
    assert readers == {"build.py", "go_module.py"}


def test_programs_that_go_did_not_make_are_named(tiny, fake_go, monkeypatch, tmp_path):
    fake_go()
    (tiny / "go.mod").write_text("module tiny\n\ngo 1.26.0\n\ntool example.com/a/cmd/absent\n")
    with pytest.raises(RehearsalError, match="tiny was built without absent"):
        program("tiny")
    assert left_in_cache(tmp_path) == []


def test_an_absent_go_is_one_error_with_its_fix(tiny, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build.main(["tiny"]) != 0
    (said,) = capsys.readouterr().err.splitlines()
    assert "rehearsal needs Go 1.26 or newer to build tiny; it is not on the PATH: install it from https://go.dev/dl/" in said


def test_an_old_go_is_one_error_with_its_version(tiny, fake_go):
    fake_go("1.25.11")
    with pytest.raises(RehearsalError, match=r"rehearsal needs Go 1\.26 or newer to build tiny \(got go1\.25\.11\)"):
        program("tiny")


def test_a_newer_go_is_new_enough(tiny, fake_go):
    fake_go("2.0")
    assert program("tiny").is_dir()


def test_an_absent_gcc_is_one_error(tiny, fake_go, monkeypatch, tmp_path):
    fake_go()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("talos_gpu_rehearsal.go_module.subprocess.run", lambda *_, **__: type("Done", (), {"stdout": "go1.26.8\n"}))
    monkeypatch.setitem(build.SOURCES, "tiny", Source("tiny", cgo=True))
    with pytest.raises(RehearsalError, match="rehearsal needs gcc to build tiny; it is not on the PATH"):
        program("tiny")
    assert SOURCES["nvml"].cgo
    assert SOURCES["runc"].cgo


def test_a_cache_that_cannot_be_written_is_one_error(tiny, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(RehearsalError, match="set XDG_CACHE_HOME to a folder of yours"):
        program("tiny")


def test_an_unknown_program_is_an_error_with_the_known_ones():
    with pytest.raises(RehearsalError, match=r"'name' must be one of .*containerd.* \(got 'docker'\)"):
        program("docker")


def test_missing_names_what_is_not_built(tiny, fake_go):
    fake_go()
    assert build.missing(["tiny"]) == ["tiny"]
    program("tiny")
    assert build.missing(["tiny"]) == []


@pytest.mark.parametrize(("variables", "outcome"), [({}, pytest.skip.Exception), ({"CI": "true"}, pytest.fail.Exception)])
def test_a_machine_that_can_t_run_a_node_skips_with_the_reason_and_fails_in_continuous_integration(monkeypatch, variables, outcome):
    monkeypatch.delenv("CI", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(nodes, "lacking", lambda _: ["no root; use sudo", "no Go; install it"])

    with pytest.raises(outcome, match="this test needs a real node: no root; use sudo; no Go; install it"):
        nodes.needs_a_node()
