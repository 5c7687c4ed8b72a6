"""What an agent needs of a real cluster: a namespace that admits it, the RuntimeClass, and the driver's library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from nodes import PLUGIN, PLUGIN_PODS, advertised, allocatable, applied, emitted, log_of, plugin_objects, start
from talos_gpu_rehearsal.cards import A100
from talos_gpu_rehearsal.cluster import Cluster

TALOS = "1.13.9"
NAMESPACE = "gpu-agents"
RELEASES = ("0.17.4", "0.18.2", "0.20.0")
RUNTIME_CLASS, PRIVILEGED = {"NvidiaRuntimeClass": {}}, {"PrivilegedNamespace": {"name": NAMESPACE}}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with a node with one card."""
    node = emitted({"talos_version": TALOS}, {"runtime-class": RUNTIME_CLASS}).node("gpu-1", TALOS, [A100])
    images = [each for release in RELEASES for each in plugin_objects(TALOS, image=PLUGIN.format(release))]
    with start(tmp_path_factory.mktemp("agents") / "cluster", [node], images) as cluster:
        yield cluster


def agents(**parts: object) -> list[dict[str, Any]]:
    """A plugin in a namespace of its own, with these parts beside it."""
    return emitted({"talos_version": TALOS}, {**parts, "plugin": {"StandaloneDevicePlugin": {}}}, NAMESPACE).objects


def refusal(made: Cluster, words: str) -> str:
    """The sentence with these words with which the API server refuses the pods of a DaemonSet."""

    def read() -> str:
        messages = (each["message"] for each in made.list("Event", NAMESPACE) if each["reason"] == "FailedCreate")
        return next((str(each) for each in messages if words in each), "")

    return made.eventually(read, what=f"a refusal: {words}")


def test_a_privileged_namespace_admits_the_agents(made):
    with advertised(made, agents(namespace=PRIVILEGED, runtime_class=RUNTIME_CLASS), 1):
        assert [each["status"]["phase"] for each in made.list("Pod", NAMESPACE)] == ["Running"]


def test_a_namespace_of_taloss_default_level_refuses_the_agents(made):
    plain = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    with applied(made, [plain, *agents(runtime_class=RUNTIME_CLASS)]):
        words = refusal(made, "PodSecurity")
    assert words == (
        f'Error creating: pods "{words.split(chr(34))[1]}" is forbidden: violates PodSecurity "baseline:latest": '
        'hostPath volumes (volume "kubelet-device-plugins-dir")'
    )


def test_without_the_runtime_class_the_api_server_refuses_the_pods_and_the_object_of_the_library_lets_them_run(made):
    with applied(made, agents(namespace=PRIVILEGED)):
        words = refusal(made, "RuntimeClass")
        assert words.endswith('is forbidden: pod rejected: RuntimeClass "nvidia" not found')
        with applied(made, emitted({"talos_version": TALOS}, {"runtime-class": RUNTIME_CLASS}).objects):
            made.eventually(lambda: allocatable(made, "gpu-1"), lambda found: found == 1, "allocatable")


@pytest.mark.parametrize("release", RELEASES)
def test_nvml_finds_the_card_and_says_which_library_is_missing_in_a_container_without_it(made, release):
    objects = plugin_objects(TALOS, image=PLUGIN.format(release))
    with advertised(made, objects, 1):
        log = log_of(made, PLUGIN_PODS)
        assert '"deviceDiscoveryStrategy": "nvml"' in log
        assert "ERROR_LIBRARY_NOT_FOUND" not in log
    daemon_set = next(each for each in objects if each["kind"] == "DaemonSet")
    del daemon_set["spec"]["template"]["spec"]["runtimeClassName"]
    with applied(made, objects):
        log = made.eventually(lambda: log_of(made, PLUGIN_PODS), lambda text: "error starting plugins" in text, "an error of the plugin")
    assert "Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND." in log
    assert "If this is a GPU node, did you set the docker default runtime to `nvidia`?" in log
    assert "error starting plugins: error getting plugins: " in log
    assert "nvml init failed: ERROR_LIBRARY_NOT_FOUND" in log
