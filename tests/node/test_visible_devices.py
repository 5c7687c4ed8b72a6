"""`NVIDIA_VISIBLE_DEVICES` on a real node: what the plugin sets by its allocation, and what a container then shows and sees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from nodes import GENERATIONS, advertised, allocated, applied, card_files, emitted, plugin_objects, pod_with_gpu, report, start
from talos_gpu_rehearsal.cards import RTX_4090, placed
from talos_gpu_rehearsal.cluster import Cluster

CARDS = (RTX_4090, RTX_4090)
VARIABLE = "NVIDIA_VISIBLE_DEVICES"
EVERY_UUID = [one.uuid for one in placed(CARDS, "gpu-1")]


@pytest.fixture(scope="module", params=[GENERATIONS["1.12"], GENERATIONS["1.13"]])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a node with two cards and the plugin with its defaults, of Talos 1.12, and of 1.13, whose
    programs and paths 1.14 has too."""
    talos, plugin = request.param, plugin_objects(request.param)
    node = emitted({"talos_version": talos}, {"runtime-class": {"NvidiaRuntimeClass": {}}}).node("gpu-1", talos, CARDS)
    folder = tmp_path_factory.mktemp("visible") / "cluster"
    with start(folder, [node], [*plugin, pod_with_gpu(talos, "any")]) as cluster, advertised(cluster, plugin, len(CARDS)):
        yield cluster


@pytest.fixture
def pod(made: Cluster) -> dict[str, Any]:
    """A pod with a limit of one GPU."""
    return pod_with_gpu(made.nodes["gpu-1"].spec.talos, "one")


def requested_environment(made: Cluster, pod: str) -> dict[str, str]:
    """The environment that the kubelet asks containerd for, before NVIDIA's runtime changes it."""
    [status] = made.get("Pod", pod)["status"]["containerStatuses"]
    ctr = ["/system/containerd/ctr", "--address", "/run/containerd/containerd.sock", "--namespace", "k8s.io"]
    found = json.loads(made.nodes["gpu-1"].enter([*ctr, "containers", "info", status["containerID"].removeprefix("containerd://")]))
    return dict(each.split("=", 1) for each in found["Spec"]["process"]["env"])


def with_variable(pod: dict[str, Any], value: str) -> dict[str, Any]:
    pod["spec"]["containers"][0]["env"] = [{"name": VARIABLE, "value": value}]
    return pod


def test_envvar_sets_the_variable_to_the_allocated_card_and_the_runtime_hides_the_value(made, pod):
    with applied(made, [pod]):
        seen, [card] = report(made, "one"), allocated(made, "one")
        requested = requested_environment(made, "one")
    assert requested[VARIABLE] == card
    assert seen["environment"][VARIABLE] == "void"
    assert card_files(seen) == [f"/dev/nvidia{EVERY_UUID.index(card)}"]


def test_void_beside_a_limit_hides_the_card(made, pod):
    with applied(made, [with_variable(pod, "void")]):
        seen = report(made, "one")
        assert len(allocated(made, "one")) == 1
    assert not seen["devices"]
    assert seen["nvidia_smi"] is None


def test_all_without_a_limit_shows_every_card(made, pod):
    del pod["spec"]["containers"][0]["resources"]
    with applied(made, [with_variable(pod, "all")]):
        seen = report(made, "one")
        assert not allocated(made, "one")
    assert card_files(seen) == ["/dev/nvidia0", "/dev/nvidia1"]


def test_no_variable_and_no_limit_show_no_card(made, pod):
    del pod["spec"]["containers"][0]["resources"]
    with applied(made, [pod]):
        seen = report(made, "one")
    assert not seen["devices"]


def test_a_limit_without_runtime_class_gives_the_variable_and_no_device(made, pod):
    del pod["spec"]["runtimeClassName"]
    with applied(made, [pod]):
        seen, [card] = report(made, "one"), allocated(made, "one")
    assert seen["environment"][VARIABLE] == card
    assert not seen["devices"]
