"""The agents of NVIDIA's stack among the programs of a cluster, by image, program and container name."""

import pytest
from doctor.pod_parts import workload

from constructs_lib.doctor.live_agents import AgentKind, agent_kind, is_unknown_plugin, repository

SOCKETS = {"volumes": [{"name": "sockets", "hostPath": {"path": "/var/lib/kubelet/device-plugins/"}}]}


def spec(image, name="main", **fields):
    return {"containers": [{"name": name, "image": image, **fields}]}


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        ("nvcr.io/nvidia/k8s-device-plugin:v0.20.0", AgentKind.PLUGIN),
        ("harbor.corp:5000/mirror/nvidia/k8s-device-plugin@sha256:abc", AgentKind.PLUGIN),
        ("localhost/k8s-device-plugin:1", AgentKind.PLUGIN),
        ("nvcr.io/nvidia/gpu-operator:v26.7.0", AgentKind.OPERATOR),
        ("nvcr.io/nvidia/driver:580.178.04-talosv1.13.9", AgentKind.DRIVER),
        ("rocm/k8s-device-plugin:latest", None),
        ("docker.io/rocm/gpu-operator:v1.4.0", None),
        ("ghcr.io/intel/intel-gpu-plugin:0.34", None),
        ("ollama/ollama:0.12.6", None),
    ],
)
def test_an_agent_is_known_by_the_repository_of_its_image_and_another_vendors_is_none(image, kind):
    assert agent_kind(spec(image)) == kind


def test_an_agent_is_known_by_its_program_and_not_by_words_in_its_arguments():
    assert agent_kind(spec("a/b", command=["/usr/bin/nvidia-device-plugin"])) is AgentKind.PLUGIN
    assert agent_kind(spec("registry.k8s.io/kube-state-metrics:v2", args=["--namespaces=gpu-operator,dcgm-exporter"])) is None
    assert agent_kind(spec("a/b", command=["watch", "--of=nvidia-device-plugin"])) is None


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("nvidia/a:1", "nvidia/a"),
        ("a:1", "a"),
        ("localhost:5000/a", "a"),
        ("x.io/a/b:1@sha256:c", "a/b"),
        ("library/a", "library/a"),
    ],
)
def test_the_repository_of_an_image_has_no_registry_tag_or_digest(image, name):
    assert repository(image) == name


@pytest.mark.parametrize(
    ("image", "is_one"),
    [
        ("projecthami/hami:v2.9.0", True),
        ("volcanosh/volcano-vgpu-device-plugin:v1", True),
        ("rocm/gpu-plugin", False),
        ("sriov-network", False),
    ],
)
def test_a_daemon_set_of_gpus_with_the_kubelets_sockets_is_an_unknown_plugin(image, is_one):
    assert is_unknown_plugin(workload("DaemonSet", "plugin", {**spec(image), **SOCKETS})) is is_one
    assert not is_unknown_plugin(workload("DaemonSet", "plugin", spec(image)))


def test_a_known_plugin_is_no_unknown_one():
    assert not is_unknown_plugin(workload("DaemonSet", "plugin", {**spec("nvcr.io/nvidia/k8s-device-plugin:v0.20.0"), **SOCKETS}))
