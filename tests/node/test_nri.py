"""Talos 1.15 on a real node: the GPU operator's toolkit with its NRI plugin, and the device plugin as the operator starts it.

Two paths inject here, and only one is NRI. The NRI plugin reads one annotation, `nvidia.cdi.k8s.io/container.NAME`,
which the operator gives to its own pods: by it the device plugin gets every card and NVML. A pod with a limit has its card from
containerd itself, by the CDI names that the device plugin hands to the kubelet (NVIDIA/nvidia-container-toolkit
cmd/nvidia-ctk-installer/container/runtime/nri/plugin.go at v1.20.0; NVIDIA/gpu-operator controllers/object_controls.go at
v26.7.0).

Not here: the operator's controller and validator, whose `driver-ready` the fixture writes, and libnvidia-container, which the toolkit
copies to the node and nothing calls. The device plugin is 0.19, the nearest to 0.20 that is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import operands
import pytest

from nodes import IMAGE, allocatable, applied, apply, delete, emitted, log_of, pod_with_gpu, pods_of, report, start
from talos_gpu_rehearsal import cards

TALOS = "1.15.0"
PLUGIN, TOOLKIT = operands.device_plugin(), operands.toolkit()
FIRST = [
    {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": operands.NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}},
    },
    {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"},
]
WITHOUT_NVML = "CDI --device-list-strategy options are only supported on NVML-based systems"
"""What the plugin says when it finds no libnvidia-ml.so.1."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A node with two cards, the toolkit and the device plugin."""
    pod = pod_with_gpu(TALOS, "any")
    gpu = emitted({"talos_version": TALOS}, {"any": {"request_gpus": {"gpus": 1, "workload": pod}}})
    node = gpu.node("gpu-1", TALOS, [cards.RTX_4090] * 2)
    with start(tmp_path_factory.mktemp("nri") / "cluster", [node], [PLUGIN, TOOLKIT, pod]) as cluster:
        validations = cluster.nodes["gpu-1"].view / operands.VALIDATIONS.lstrip("/")
        validations.mkdir()
        (validations / "driver-ready").write_text(operands.DRIVER_READY)
        apply(cluster, FIRST)
        for each in ("default", operands.NAMESPACE):
            cluster.eventually(lambda each=each: cluster.list("ServiceAccount", each), bool, "the service account of pods")
        start_operands(cluster)
        yield cluster


def start_operands(made) -> None:
    """The toolkit, and then the device plugin: in the operator the plugin waits for `toolkit-ready`."""
    apply(made, [TOOLKIT])
    made.eventually(lambda: log_of_operand(made, TOOLKIT), lambda log: "Started plugin" in log, "the NRI plugin")
    apply(made, [PLUGIN])
    made.eventually(lambda: allocatable(made, "gpu-1"), lambda found: found == 2, "two GPUs")


@contextmanager
def without_toolkit(made) -> Iterator[None]:
    """No NRI plugin until the end of the block."""
    delete(made, [TOOLKIT])
    try:
        yield
    finally:
        delete(made, [PLUGIN])
        start_operands(made)


def log_of_operand(made, operand: dict, *more: str) -> str:
    return log_of(made, f"app={operand['metadata']['name']}", operands.NAMESPACE, *more)


def cards_of(seen: dict) -> list[str]:
    """The devices of cards that a container has, without those of the driver itself."""
    return [each["path"] for each in seen["devices"] if each["path"].removeprefix("/dev/nvidia").isdigit()]


def events_of(made, pod: str) -> str:
    return " ".join(each.get("message", "") for each in made.list("Event", "default") if each["involvedObject"]["name"] == pod)


def test_nvidia_s_plugin_registers_with_the_nri_of_containerd(made):
    log = log_of_operand(made, TOOLKIT)

    assert "Registering plugin 10-nvidia-toolkit using NRI version" in log
    assert "Configuring plugin 10-nvidia-toolkit for runtime containerd/v2." in log


def test_the_toolkit_installs_itself_in_var_and_leaves_containerd_as_it_is(made):
    node = made.nodes["gpu-1"]

    assert node.enter(["/var/lib/nvidia/toolkit/nvidia-cdi-hook", "--version"])
    assert "nvidia-container-runtime" not in node.enter(["/usr/bin/cat", "/etc/cri/conf.d/cri.toml"])


def test_a_pod_with_a_limit_and_no_runtime_class_gets_exactly_its_card(made):
    pod = pod_with_gpu(TALOS, "one")
    with applied(made, [pod]):
        seen = report(made, "one")

        assert "runtimeClassName" not in pod["spec"]
        assert len(cards_of(seen)) == 1
        assert "/usr/local/lib/libnvidia-ml.so.1" in seen["ld_cache"]
        assert seen["nvidia_smi"]["output"].count("GPU-") == 1


def test_a_gpu_workload_names_no_runtime_class_and_gets_its_card(made):
    objects = emitted({"talos_version": TALOS}, {"server": {"GpuWorkload": {"image": IMAGE}}}, "default").objects
    with applied(made, objects):
        [pod] = pods_of(made, "server")
        seen = report(made, pod["metadata"]["name"], "default", "server")

    assert "runtimeClassName" not in pod["spec"]
    assert len(cards_of(seen)) == 1


def test_a_pod_without_a_limit_gets_no_device(made):
    pod = pod_with_gpu(TALOS, "none")
    pod["spec"]["containers"][0].pop("resources")
    with applied(made, [pod]):
        assert report(made, "none")["devices"] == []


def test_a_pod_that_names_the_runtime_class_nvidia_does_not_start(made):
    pod = pod_with_gpu(TALOS, "classed")
    pod["spec"]["runtimeClassName"] = "nvidia"
    with applied(made, [pod]):
        made.eventually(lambda: events_of(made, "classed"), lambda words: 'no runtime for "nvidia" is configured' in words)


def test_the_nri_plugin_gives_every_card_to_pods_of_the_operator_s_namespace_alone(made):
    pod = pod_with_gpu(TALOS, "managed")
    pod["spec"]["containers"][0].pop("resources")
    pod["metadata"]["annotations"] = {"nvidia.cdi.k8s.io/container.main": f"{operands.MANAGEMENT}=all"}
    own = {**pod, "metadata": {**pod["metadata"], "namespace": operands.NAMESPACE}}
    with applied(made, [pod, own]):
        assert report(made, "managed")["devices"] == []
        assert cards_of(report(made, "managed", operands.NAMESPACE)) == ["/dev/nvidia0", "/dev/nvidia1"]
        assert "it is not in one of the allowed namespaces gpu-operator" in log_of_operand(made, TOOLKIT)


def test_without_the_nri_plugin_pods_get_their_cards_until_the_device_plugin_restarts(made):
    with without_toolkit(made):
        with applied(made, [pod_with_gpu(TALOS, "later")]):
            assert len(cards_of(report(made, "later"))) == 1
        delete(made, [PLUGIN])
        made.eventually(lambda: allocatable(made, "gpu-1"), lambda found: not found, "a node without GPUs")
        apply(made, [PLUGIN])
        made.eventually(lambda: log_of_operand(made, PLUGIN), lambda log: WITHOUT_NVML in log, "the words of the plugin")
        with applied(made, [pod_with_gpu(TALOS, "latest")]):
            made.eventually(lambda: events_of(made, "latest"), lambda words: "Insufficient nvidia.com/gpu" in words)
