"""Two classes of nodes side by side on real nodes: another Talos, another plugin, and each pod on the nodes of its class alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from nodes import IMAGE, allocatable, applied, apply, emitted, report, start
from talos_gpu_rehearsal.cards import A100, RTX_4090
from talos_gpu_rehearsal.cluster import Cluster

CLASSES = {"rtx": ("1.12.11", RTX_4090), "a100": ("1.14.0", A100)}
DESCRIPTION = [
    {"name": "rtx", "talos_version": "1.12.11", "taints": ["dedicated=rtx:NoSchedule"], "sharing": {"time_slicing": {"replicas": 3}}},
    {"name": "a100", "talos_version": "1.14.0", "taints": ["dedicated=a100:NoSchedule"]},
]
VALIDATIONS = "run/nvidia/validations"


def pod(name: str) -> dict[str, object]:
    """A pod that `request_gpus` sends to a class."""
    spec = {"containers": [{"name": "main", "image": IMAGE}]}
    workload = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
    return {"request_gpus": {"nodes": name, "workload": workload}}


EMITTED = emitted(
    DESCRIPTION,
    {
        "runtime-class": {"NvidiaRuntimeClass": {}},
        "rtx-plugin": {"StandaloneDevicePlugin": {"nodes": "rtx"}},
        "a100-plugin": {"StandaloneDevicePlugin": {"nodes": "a100", "device_list_strategy": "cdi-cri"}},
        "bridge": {"ValidationBridge": {"nodes": "rtx", "interval": 1}},
        **{f"pod-{each}": pod(each) for each in CLASSES},
    },
)
PODS = [each for each in EMITTED.objects if each["kind"] == "Pod"]
AGENTS = [each for each in EMITTED.objects if each["kind"] != "Pod"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A node of each class, with the agents of both."""
    nodes = [EMITTED.node(f"{name}-1", talos, [card], name) for name, (talos, card) in CLASSES.items()]
    with start(tmp_path_factory.mktemp("classes") / "cluster", nodes, EMITTED.objects) as cluster:
        apply(cluster, AGENTS)
        yield cluster


def test_the_kubelet_registers_with_the_labels_and_taints_of_the_emitted_machine_configuration(made):
    for name in CLASSES:
        node = made.get("Node", f"{name}-1")
        assert node["metadata"]["labels"]["nvidia.com/device-plugin.config"] == name
        assert {"key": "dedicated", "value": name, "effect": "NoSchedule"} in node["spec"]["taints"]


def test_each_plugin_serves_its_own_class_with_its_own_configuration(made):
    made.eventually(lambda: [allocatable(made, f"{each}-1") for each in CLASSES], lambda found: found == [3, 1], "shares")
    plugins = {
        each["spec"]["nodeName"]: each["metadata"]["name"] for each in made.list("Pod", "kube-system") if "plugin" in str(each["metadata"])
    }
    assert {node: re.sub("-[a-z0-9]{5}$", "", name) for node, name in plugins.items()} == {
        "rtx-1": "nvidia-device-plugin-rtx",
        "a100-1": "nvidia-device-plugin-a100",
    }


def test_the_pods_of_a_class_run_on_its_own_node_with_its_own_card(made):
    with applied(made, PODS):
        for name, (_, card) in CLASSES.items():
            seen = report(made, name)
            assert made.get("Pod", name)["spec"]["nodeName"] == f"{name}-1"
            assert seen["nvidia_smi"]["output"].startswith(f"GPU 0: {card.name} (UUID: GPU-")


def test_a_pod_of_a_class_without_a_free_gpu_waits_and_goes_to_no_other_class(made):
    names = [f"a100-{number}" for number in (1, 2)]
    [one] = [each for each in PODS if each["metadata"]["name"] == "a100"]
    pods = [{**one, "metadata": {**one["metadata"], "name": each}} for each in names]
    with applied(made, pods):
        found = made.eventually(
            lambda: {each["metadata"]["name"]: each for each in made.list("Pod", "default")},
            lambda read: (
                any(_waits(each) for each in read.values()) and any(each["status"]["phase"] == "Running" for each in read.values())
            ),
        )
    assert {each["spec"].get("nodeName") for each in found.values()} == {"a100-1", None}


def _waits(found: dict) -> bool:
    conditions = found["status"].get("conditions") or []
    return any(each.get("reason") == "Unschedulable" and "Insufficient nvidia.com/gpu" in each["message"] for each in conditions)


def test_the_bridge_writes_the_files_of_the_validator_on_the_nodes_of_its_class_and_writes_them_again(made):
    folder = made.nodes["rtx-1"].view / VALIDATIONS

    def ready() -> list[str]:
        pods = [each for each in made.list("Pod", "kube-system") if each["metadata"]["name"].startswith("nvidia-validation-bridge-rtx-")]
        return [each["spec"]["nodeName"] for each in pods if each["status"]["containerStatuses"][0]["ready"]]

    assert made.eventually(ready, what="the bridge") == ["rtx-1"]
    assert "NVIDIA_DRIVER_ROOT=" in (folder / "driver-ready").read_text()
    (folder / "toolkit-ready").unlink()
    made.eventually((folder / "toolkit-ready").exists, what="the file again")
    assert not (made.nodes["a100-1"].view / VALIDATIONS).exists()
