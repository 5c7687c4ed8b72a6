"""The kind of agent that a container is: by its program, by the name that NVIDIA's charts give it, and by its image."""

import pytest

from constructs_lib.observed.agents.agent_kinds import agent_kind, is_others_plugin, possible_kinds
from constructs_lib.observed.model import Unknown
from constructs_lib.upstream.kubernetes.registries import split_reference
from constructs_lib.upstream.nvidia.agent_programs import AgentKind

SOCKETS = {"volumes": [{"name": "sockets", "hostPath": {"path": "/var/lib/kubelet/device-plugins/"}}]}
IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"


def kind(image, name="main", **fields):
    return agent_kind([{"name": name, "image": image, **fields}])


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (IMAGE, AgentKind.PLUGIN),
        ("harbor.corp:5000/mirror/nvidia/k8s-device-plugin@sha256:abc", AgentKind.PLUGIN),
        ("localhost/k8s-device-plugin:1", AgentKind.PLUGIN),
        ("registry.example.com/copies/nvidia-k8s-device-plugin", AgentKind.PLUGIN),
        ("nvcr.io/nvidia/gpu-operator:v26.7.0", AgentKind.OPERATOR),
        ("nvcr.io/nvidia/driver:580.178.04-talosv1.13.9", AgentKind.DRIVER),
        ("nvcr.io/nvidia/k8s/container-toolkit:v1.19.1", AgentKind.TOOLKIT),
        ("nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.15.0", AgentKind.MIG_MANAGER),
        ("rocm/k8s-device-plugin:latest", None),
        ("registry.example.com/copies/rocm-k8s-device-plugin", None),
        ("docker.io/rocm/gpu-operator:v1.4.0", None),
        ("ghcr.io/intel/intel-gpu-plugin:0.34", None),
        ("ollama/ollama:0.12.6", None),
        ("k8s-device-plugin.example.com/app:1", None),
    ],
)
def test_an_image_of_nvidias_runs_its_agent_and_another_vendors_image_of_the_same_name_is_none(image, expected):
    assert kind(image) == expected


def test_the_program_decides_before_the_image_and_arguments_name_no_program():
    assert kind("a/b", command=["/usr/bin/nvidia-device-plugin"]) == AgentKind.PLUGIN
    assert kind(IMAGE, command=["gpu-feature-discovery"]) == AgentKind.GFD
    assert kind(IMAGE, command=["/usr/bin/mps-control-daemon"]) == AgentKind.MPS_DAEMON
    assert kind(IMAGE, command=["config-manager"]) is None
    assert kind(IMAGE, command=["sleep", "infinity"]) is None
    assert kind("nvcr.io/nvidia/gpu-operator:v26.7.0", command=["nvidia-validator"]) == AgentKind.VALIDATOR
    assert kind("registry.k8s.io/nfd/node-feature-discovery:v0.19.0", args=["nfd-master"]) == AgentKind.NFD_MASTER
    assert kind("registry.k8s.io/kube-state-metrics:v2", args=["--namespaces=gpu-operator,dcgm-exporter"]) is None
    assert kind("a/b", command=["watch", "--of=nvidia-device-plugin"]) is None
    assert kind("bitnami/kubectl", command=["kubectl", "-n", "gpu-operator", "get", "pods"]) is None


def test_a_shell_runs_the_programs_of_its_script_and_a_script_of_the_image_runs_the_images_own():
    """The operator starts its validator and its plugin so, and the chart of the DRA driver its plugin."""
    script = 'if [ "${MASK}" = "true" ]; then\n  mount --bind /a /b\nfi\ngpu-kubelet-plugin -v $(LOG_VERBOSITY)'
    assert kind("registry.k8s.io/copies/dra:v1", "gpus", command=["bash", "-c"], args=[script]) == AgentKind.DRA
    assert kind("nvcr.io/nvidia/gpu-operator:v26.7.0", command=["sh", "-c"], args=["nvidia-validator"]) == AgentKind.VALIDATOR
    assert kind(IMAGE, command=["/bin/sh", "-c"], args=["/bin/entrypoint.sh"]) == AgentKind.PLUGIN
    assert kind("a/b", command=["sh", "-c", "kubectl rollout status ds/nvidia-device-plugin"]) is None
    assert kind("a/b", command=["sh", "-c", "kubectl -n gpu-operator get pods; sleep 5"]) is None
    assert kind("a/b", command=["sh", "-ec", "cd /tmp && exec /usr/bin/dcgm-exporter -f x"]) == AgentKind.EXPORTER


def test_a_container_with_the_name_of_the_charts_is_the_agent_also_with_an_own_image():
    assert kind("registry.example.com/own:1", "nvidia-device-plugin-ctr") == AgentKind.PLUGIN
    assert (
        kind("nvcr.io/nvidia/gpu-operator:v26.7.0", "nvidia-operator-validator", command=["sh", "-c"], args=["sleep 86400"])
        == AgentKind.VALIDATOR
    )
    assert kind("nvcr.io/nvidia/gpu-operator:v26.7.0", "nvidia-node-status-exporter") == AgentKind.STATUS_EXPORTER
    assert kind("docker.io/library/busybox", "nvidia-device-plugin-ctr", command=["sleep", "infinity"]) is None
    assert kind("registry.example.com/copies/k8s-device-plugin", "amdgpu-dp-cntr") is None


def test_a_container_that_writes_the_marker_files_is_a_bridge():
    assert kind("busybox", command=["sh", "-c", "touch /run/nvidia/validations/toolkit-ready; sleep infinity"]) == AgentKind.BRIDGE
    assert kind("busybox", command=["sh", "-c", "until [ -f /run/nvidia/validations/toolkit-ready ]; do sleep 5; done"]) is None


def test_an_unreadable_image_or_program_leaves_every_agent_possible_that_it_may_be():
    assert possible_kinds({"image": Unknown("${IMAGE}")})[0] is None
    assert AgentKind.PLUGIN in possible_kinds({"image": Unknown("${IMAGE}")})
    assert possible_kinds({"image": Unknown("${REGISTRY}/nvidia/k8s-device-plugin:v0.20.0")}) == [AgentKind.PLUGIN]
    assert possible_kinds({"image": Unknown("${REGISTRY}/rocm/k8s-device-plugin:v1")}) == [None]
    assert possible_kinds({"image": IMAGE, "command": [Unknown("${PROGRAM}")]})[0] == AgentKind.PLUGIN
    assert AgentKind.GFD in possible_kinds({"image": IMAGE, "command": [Unknown("${PROGRAM}")]})
    assert possible_kinds({"image": IMAGE, "command": [Unknown("/usr/bin/${PROGRAM}-discovery")]}) == [AgentKind.PLUGIN]


@pytest.mark.parametrize(
    ("written", "registry", "path", "tag", "digest"),
    [
        ("nvidia/a:1", "", "nvidia/a", "1", ""),
        ("a:1", "", "a", "1", ""),
        ("localhost:5000/a", "localhost:5000", "a", "", ""),
        ("x.io/a/b:1@sha256:c", "x.io", "a/b", "1", "sha256:c"),
        ("library/a", "", "library/a", "", ""),
    ],
)
def test_the_parts_of_a_reference(written, registry, path, tag, digest):
    reference = split_reference(written)

    assert reference == (registry, path, tag, digest)
    assert f"{reference.repository}{reference.suffix}" == written


@pytest.mark.parametrize(
    ("image", "is_one"),
    [
        ("projecthami/hami:v2.9.0", True),
        ("volcanosh/volcano-vgpu-device-plugin:v1", True),
        ("rocm/gpu-plugin", False),
        ("sriov-network", False),
        (IMAGE, False),
    ],
)
def test_a_daemon_set_of_gpus_with_the_kubelets_sockets_is_another_projects_plugin(image, is_one):
    containers = {"containers": [{"name": "main", "image": image}]}

    assert is_others_plugin("plugin", {**containers, **SOCKETS}) is is_one
    assert not is_others_plugin("plugin", containers)
