"""`talos-gpu rehearse` on real nodes: a cluster file and a folder come up, a fault has its words, and an interrupt leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from nodes import REHEARSAL, needs_a_node

SHARED = """\
talos: 1.12.11
nodes:
  gpu:
    labels: {nvidia.com/gpu.present: "true"}
    taints: ["dedicated=ai:NoSchedule"]
    cards: 1
    memory: 16Gi
    sharing: {time_slicing: 5}
"""


def start(*words: object, folder: Path) -> subprocess.Popen:
    """The command, with its temporary files in a folder."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{REHEARSAL}", "TMPDIR": str(folder)}
    line = [sys.executable, "-m", "constructs_lib", "rehearse", *map(str, words), "--yes"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(line, cwd=folder, env=environment, preexec_fn=_interruptible, **pipes)  # noqa: PLW1509  # no thread is there yet


def _interruptible() -> None:
    """As in a terminal: a shell lets the commands that it starts in the background ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="module")
def rehearse(tmp_path_factory):
    """The report of a rehearsal, and its exit status."""
    needs_a_node()

    def run(*words: object) -> tuple[dict, int]:
        with start(*words, "--format", "json", folder=tmp_path_factory.mktemp("rehearsal")) as process:
            out, err = process.communicate()
        assert out, err
        return json.loads(out), process.returncode

    return run


@pytest.fixture(scope="module")
def folder(rehearse, tmp_path_factory):
    """The rehearsal of the folder that shares a card between five pods."""
    nodes = tmp_path_factory.mktemp("nodes") / "cluster.yaml"
    nodes.write_text(SHARED)
    return rehearse(ROOT / "dist" / "standalone-shared", nodes)


def test_a_folder_of_manifests_comes_up_on_the_node_that_its_class_describes(folder):
    report, status = folder
    (node,) = report["nodes"]

    assert (status, report["well"], report["refusals"]) == (0, True, [])
    assert node["allocatable"] == {"nvidia.com/gpu": "5"}
    assert node["labels"]["nvidia.com/gpu.present"] == "true"
    assert node["taints"] == ["dedicated=ai:NoSchedule"]
    assert {each["phase"] for each in report["pods"]} <= {"Running", "Succeeded"}


def test_a_gpu_container_of_the_folder_sees_its_card(folder):
    (seen,) = [each for each in folder[0]["containers"] if each["container"] == "ollama"]

    assert "/dev/nvidia0" in seen["devices"]
    assert seen["smi"].startswith("GPU 0: ")
    assert "NVIDIA_VISIBLE_DEVICES" in seen["environment"]


def test_the_smoke_test_of_the_class_passes(folder):
    (smoke,) = folder[0]["smoke_tests"]

    assert smoke["passed"]
    assert smoke["lines"][-1] == "passed all"


def test_what_is_not_rehearsed_is_named(folder):
    assert "Application argocd/node-feature-discovery" in [each["what"] for each in folder[0]["left_out"]]


def test_of_a_cluster_file_the_nodes_follow_too(rehearse):
    report, status = rehearse(ROOT / "docs" / "cluster.yaml")

    assert status == 0
    assert report["nodes"][0]["talos"] == "1.14.6"
    assert report["nodes"][0]["allocatable"] == {"nvidia.com/gpu": "4"}
    assert report["nodes"][0]["taints"] == ["dedicated=ai:NoSchedule"]


def test_a_pod_that_asks_for_more_than_its_class_has_and_an_agent_that_pod_security_refuses_have_the_words_of_the_cluster(
    rehearse, tmp_path
):
    (tmp_path / "cluster.yaml").write_text(
        "nodes: {gpu: {talos: 1.14.0, card: RTX 4090, cards: 1}}\n"
        "charts:\n"
        "  gpu:\n"
        "    namespace: gpu\n"
        "    objects: {runtime-class: {NvidiaRuntimeClass: {}}, device-plugin: {StandaloneDevicePlugin: {}}}\n"
        "  ai:\n"
        "    objects:\n"
        "      greedy:\n"
        "        Object:\n"
        "          apiVersion: v1\n"
        "          kind: Pod\n"
        "          metadata: {name: greedy, namespace: default}\n"
        "          spec:\n"
        "            containers: [{name: app, image: 'a.example/a:1', resources: {limits: {nvidia.com/gpu: 2}}}]\n"
    )

    report, status = rehearse(tmp_path / "cluster.yaml")
    (greedy,) = [each for each in report["pods"] if each["name"] == "default/greedy"]

    assert status == 1
    assert any("Insufficient nvidia.com/gpu" in reason for reason in greedy["reasons"])
    assert any('violates PodSecurity "baseline:latest"' in each for each in report["refusals"])
    assert report["nodes"][0]["allocatable"] == {}


def test_a_class_with_claims_gets_the_dra_driver_and_its_pods_get_cards(rehearse, tmp_path):
    (tmp_path / "cluster.yaml").write_text(
        "nodes: {gpu: {talos: 1.14.0, card: L4, cards: 2, labels: {role: gpu}, taints: ['dedicated=ai:NoSchedule'], dra: {}}}\n"
        "charts:\n"
        "  gpu: {namespace: gpu, objects: {driver: {DraDriver: {delivery: {Flux: {}}}}}}\n"
        "  ai: {namespace: ai, create_namespace: true, objects: {app: {GpuWorkload: {image: 'a.example/a:1'}}}}\n"
    )

    report, status = rehearse(tmp_path / "cluster.yaml")
    (app,) = report["containers"]

    assert (status, report["well"]) == (0, True)
    assert report["nodes"][0]["claimable"] == ["gpu-0 (NVIDIA L4)", "gpu-1 (NVIDIA L4)"]
    assert app["smi"].count("GPU ") == 1
    assert report["smoke_tests"][0]["passed"]


def test_an_interrupt_leaves_no_process_and_no_file(tmp_path):
    needs_a_node()
    with start(ROOT / "docs" / "cluster.yaml", folder=tmp_path) as process:
        for line in process.stderr:
            if "waiting until the pods settle" in line:
                break
        process.send_signal(signal.SIGINT)
        process.communicate()

    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []
    assert [each for each in Path("/proc").glob("[0-9]*") if str(tmp_path) in command_line(each)] == []


def command_line(process: Path) -> str:
    try:
        return (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
