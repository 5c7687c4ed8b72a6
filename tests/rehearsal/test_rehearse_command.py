"""`talos-gpu rehearse`: the plan, the question, what this machine lacks, and the command for Docker."""

import itertools
import sys
from pathlib import Path

import pytest
from command_line import process

from conftest import ROOT
from talos_gpu_rehearsal import command, needs
from talos_gpu_rehearsal.docker import IMAGE, docker_arguments, inner_words
from talos_gpu_rehearsal.sources import SOURCES

FOLDER = (ROOT / "dist/standalone-shared/manifests", "--talos", "1.12.11", "--label", "nvidia.com/gpu.present=true")
UNBUILT = ["containerd", "kubernetes"]


@pytest.fixture
def unbuilt(monkeypatch):
    """A machine that meets every need and has built nothing."""
    monkeypatch.setattr(command, "missing", lambda _: UNBUILT)
    monkeypatch.setattr(command, "lacking", lambda _: [])
    monkeypatch.setattr(command, "_started", lambda _: pytest.fail("the cluster was started"))


def test_without_the_package_the_command_says_what_to_install():
    made = process("rehearse", "cluster.yaml")

    assert (made.returncode, made.stdout) == (2, b"")
    assert made.stderr.decode() == (
        "talos-gpu rehearse needs the package cdk8s-nvidia-talos-rehearsal: docs/rehearsal.md says how to install it\n"
    )


def test_the_plan_names_nodes_images_mocks_and_the_version_of_each_download(run, unbuilt):
    status, out, err = run("rehearse", *FOLDER, "--plan")

    assert (status, err) == (0, "")
    assert "  node gpu-1: Talos 1.12.11, 1 x NVIDIA GeForce RTX 4090 (24564 MiB)\n" in out
    assert "Application argocd/node-feature-discovery: what it delivers is not rehearsed" in out
    assert "the cards, the driver and nvidia-smi: " in out
    for name, module in (("containerd", "github.com/containerd/containerd/v2"), ("kubernetes", "k8s.io/kubernetes")):
        version = SOURCES[name].module.versions[module]
        assert f"- {name}: " in out
        assert f"{module} {version}" in out


def test_what_is_built_is_not_downloaded_again(run, unbuilt, monkeypatch):
    monkeypatch.setattr(command, "missing", lambda _: [])

    assert "Nothing is downloaded: " in run("rehearse", *FOLDER, "--plan")[1]


def test_nothing_is_built_before_somebody_agreed(run, unbuilt):
    status, out, err = run("rehearse", *FOLDER)

    assert (status, out) == (2, "")
    assert err.endswith("nobody agreed to it; run it on a terminal, or with --yes\n")


@pytest.mark.parametrize(("answer", "agreed"), [("y\n", True), ("\n", False), ("", False), ("no\n", False)])
def test_the_question_is_asked_on_a_terminal(monkeypatch, answer, agreed):
    class Terminal:
        def isatty(self):
            return True

        def readline(self):
            return answer

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert command._agreed() is agreed


def test_everything_that_the_machine_lacks_is_said_at_once(run, unbuilt, monkeypatch):
    monkeypatch.setattr(command, "lacking", lambda _: ["no root; use sudo", "no Go; install it"])

    assert run("rehearse", *FOLDER) == (2, "", "talos-gpu rehearse: no root; use sudo\ntalos-gpu rehearse: no Go; install it\n")


def test_another_system_than_linux_is_pointed_to_docker(monkeypatch):
    monkeypatch.setattr(needs.platform, "system", lambda: "Darwin")

    assert needs.lacking([]) == ["this is Darwin, and a node needs Linux; --docker runs the rehearsal in a container"]


def test_each_need_has_one_sentence_with_its_fix(monkeypatch):
    monkeypatch.setattr(needs.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(needs.shutil, "which", lambda _: None)
    monkeypatch.setattr(needs.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 2**20})())

    found = needs.lacking([SOURCES["runc"]])

    assert [each.split()[0] for each in found[:1]] == ["it"]
    assert any(each.startswith("nsenter is not on the PATH; ") for each in found)
    assert any("needs Go" in each for each in found)
    assert any("needs gcc" in each for each in found)
    assert any("1 MiB left" in each for each in found)
    assert all(";" in each for each in found)


def test_only_a_program_with_c_needs_gcc(monkeypatch):
    monkeypatch.setattr(needs.shutil, "which", lambda name: None if name == "gcc" else f"/bin/{name}")
    monkeypatch.setattr(needs, "need_go", lambda *_: None)

    assert not [each for each in needs.lacking([SOURCES["containerd"]]) if "gcc" in each]
    assert [each for each in needs.lacking([SOURCES["containerd"], SOURCES["runc"]]) if "gcc to build runc" in each]


@pytest.mark.parametrize(("unbuilt", "room"), [((), 2), (("containerd",), 6)])
def test_one_disk_has_room_for_builds_and_nodes(monkeypatch, tmp_path, unbuilt, room):
    monkeypatch.setattr(needs, "cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(needs, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(needs.shutil, "disk_usage", lambda _: type("Usage", (), {"free": room * 2**30 - 1})())

    (sentence,) = (each for each in needs.lacking([SOURCES[each] for each in unbuilt]) if "MiB left" in each)
    assert sentence.startswith(f"{tmp_path} has ")
    assert sentence.endswith(f"takes up to {room} GiB there; set TMPDIR to another disk")


def test_controllers_that_cgroup_v2_lacks_are_named(tmp_path):
    file = tmp_path / "cgroup.controllers"

    assert needs._controllers(file) == needs._CONTROLLERS
    file.write_text("hugetlb memory\n")
    assert sorted(needs._CONTROLLERS - needs._controllers(file)) == ["cpu", "pids"]


def test_what_is_built_needs_no_compiler(monkeypatch):
    monkeypatch.setattr(needs.shutil, "which", lambda name: None if name in ("go", "gcc") else f"/bin/{name}")

    assert not [each for each in needs.lacking([]) if "Go" in each or "gcc" in each]


def test_the_container_sees_the_callers_folder_read_only_and_keeps_what_it_builds_in_a_volume(tmp_path):
    words = docker_arguments(["a.yaml", "--yes"], folder=tmp_path, named=[], packages={"yaml": Path("/site/yaml")})

    assert words[:4] == ["docker", "run", "--rm", "--privileged"]
    pairs = list(itertools.pairwise(words))
    assert {f"{tmp_path}:{tmp_path}:ro", "talos-gpu-rehearsal:/cache", "/site/yaml:/python/yaml:ro"} <= {
        to for word, to in pairs if word == "--volume"
    }
    assert ("--workdir", str(tmp_path)) in pairs
    assert {"XDG_CACHE_HOME=/cache", "PYTHONPATH=/python"} <= {to for word, to in pairs if word == "--env"}
    assert words[words.index(IMAGE) :] == [IMAGE, "python3", "-m", "constructs_lib", "rehearse", "a.yaml", "--yes"]


def test_the_container_sees_what_the_words_name_wherever_it_lies(tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    (tmp_path / "there/cluster.yaml").touch()
    named = [tmp_path / "here/../there/cluster.yaml", Path("/etc/hostname")]

    words = docker_arguments([], folder=tmp_path / "here", named=named, packages={})
    mounts = [to for word, to in itertools.pairwise(words) if word == "--volume"]

    assert mounts[:3] == [f"{each}:{each}:ro" for each in (tmp_path / "here", tmp_path / "there", "/etc/hostname")]
    assert "/etc:/etc:ro" not in mounts


def test_the_plan_for_docker_is_that_of_the_container(run, unbuilt, monkeypatch):
    monkeypatch.setattr(command, "missing", lambda _: [])
    monkeypatch.setattr(command, "proxy", lambda: "https://proxy.of.this.machine")

    status, out, _ = run("rehearse", *FOLDER, "--plan", "--docker")

    assert status == 0
    assert (
        "Downloaded from https://proxy.golang.org,direct through Go, checked by go.sum, and built into the volume talos-gpu-rehearsal"
        in out
    )
    assert "  - kubernetes: " in out


def test_standard_input_does_not_reach_the_container(refusal):
    assert refusal("rehearse", "-", "--docker", "--talos", "1.12.11").endswith("standard input does not reach the container")


def test_the_plan_names_the_proxy_of_go_without_its_password(run, unbuilt, monkeypatch, tmp_path):
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho 'https://me:se@cret@proxy.example/go,direct'\n")
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    assert "Downloaded from https://proxy.example/go,direct through Go" in run("rehearse", *FOLDER, "--plan")[1]


def test_the_command_in_the_container_is_the_same_without_docker_and_its_answer_is_written_here():
    assert inner_words(["a.yaml", "--docker", "--output", "x", "--format", "json"]) == ["a.yaml", "--format", "json", "--yes"]
    assert inner_words(["a.yaml", "--output=x", "--yes"]) == ["a.yaml", "--yes"]


@pytest.mark.parametrize("wait", ["0", "soon"])
def test_the_time_to_wait_is_a_number(refusal, wait):
    assert refusal("rehearse", *FOLDER, "--wait", wait).startswith("--wait must be a whole number of seconds of at least 1 (got ")


def test_a_path_must_be_given(refusal):
    assert refusal("rehearse").startswith("a PATH must be given: a cluster file, ")
