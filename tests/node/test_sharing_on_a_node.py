"""Shared cards on real kubelets, each class of nodes with a release of the device plugin, all from emitted objects."""

from __future__ import annotations

import feature_discovery
import pytest

from constructs_lib import GpuNodes, Mps, TimeSlicing
from constructs_lib.nodes.nodes_file import class_arguments
from constructs_lib.observed.nodes.offers import card_name
from nodes import IMAGE, PLUGIN, emitted, report, start
from talos_gpu_rehearsal.cards import L4, RTX_4090, T4
from talos_gpu_rehearsal.layout import write

pytestmark = pytest.mark.filterwarnings("ignore:no report is known of MPS")
TALOS = "1.13.9"
SHARING = {
    "plain": None,
    "shared": TimeSlicing(replicas=5),
    "renamed": TimeSlicing(replicas=4, rename_by_default=True, fail_requests_greater_than_one=True),
    "mps": Mps(replicas=4),
}
CARDS = {"plain": (RTX_4090, RTX_4090), "shared": (RTX_4090,), "renamed": (L4, L4), "mps": (T4,)}
RELEASES = {"plain": "0.18.2", "shared": "0.17.4", "renamed": "0.18.2", "mps": "0.19.1"}
CONTROL = """#!/bin/sh
# In place of NVIDIA's closed program: it knows no GPU, and answers as a daemon that runs.
[ "$1" = -d ] && { echo started > "$CUDA_MPS_LOG_DIRECTORY/control.log"; exit; }
read -r command rest
echo "$command $rest" >> "$CUDA_MPS_LOG_DIRECTORY/asked.log"
[ "$command" != get_default_active_thread_percentage ] || echo 25.0
"""


def nodes_of(name: str) -> GpuNodes:
    """A class of nodes as the file below describes it."""
    return GpuNodes(talos_version=TALOS, name=name, gpus_per_node=len(CARDS[name]), sharing=SHARING[name])


def described(name: str) -> dict:
    """The class in a cluster file."""
    return class_arguments(nodes_of(name))


def pod(name: str, nodes: str) -> dict:
    """The part of a file that gives a pod of a program of ours one GPU of a class."""
    spec = {"containers": [{"name": "main", "image": IMAGE}], "terminationGracePeriodSeconds": 0}
    workload = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
    return {"request_gpus": {"nodes": nodes, "workload": workload}}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    plugins = {
        f"plugin-{name}": {"StandaloneDevicePlugin": {"nodes": name, "image": PLUGIN.format(release), "feature_discovery": True}}
        for name, release in RELEASES.items()
    }
    pods = {f"shared-{number}": pod(f"shared-{number}", "shared") for number in range(6)}
    pods |= {name: pod(name, name) for name in ("plain", "renamed", "mps")}
    whole = emitted([described(name) for name in SHARING], {"runtime-class": {"NvidiaRuntimeClass": {}}, **plugins, **pods})
    labels = emitted(
        [described(name) for name in SHARING],
        {"privileged": {"PrivilegedNamespace": {}}, "nfd": feature_discovery.construct("shared")},
        namespace=feature_discovery.NAMESPACE,
    )
    objects = [*whole.objects, *feature_discovery.deployed(labels.objects), *labels.objects]
    specs = [whole.node(f"node-{name}", TALOS, CARDS[name], name) for name in SHARING]
    cluster = start(tmp_path_factory.mktemp("sharing") / "cluster", specs, objects)
    write(cluster.nodes["node-mps"].root / "usr/local/bin/nvidia-cuda-mps-control", CONTROL, mode=0o755)
    with cluster:
        feature_discovery.bring(cluster, objects)
        yield cluster


def phases(made, prefix: str) -> dict[str, str]:
    pods = (each for each in made.list("Pod", "default") if each["metadata"]["name"].startswith(prefix))
    return {each["metadata"]["name"]: each["status"]["phase"] for each in pods}


def offered(made, name: str) -> dict[str, int]:
    resources = made.get("Node", f"node-{name}")["status"]["allocatable"]
    return {resource: int(number) for resource, number in resources.items() if resource.startswith("nvidia.com/")}


@pytest.mark.parametrize("name", SHARING)
def test_the_nodes_of_each_class_offer_what_the_class_says(made, name):
    nodes = nodes_of(name)
    made.eventually(lambda: offered(made, name), lambda found: found == nodes.advertised_resources, f"what {name} offers")


def test_five_pods_share_one_card_and_a_sixth_waits(made):
    six = made.eventually(lambda: phases(made, "shared-"), lambda found: sorted(found.values()) == ["Pending"] + ["Running"] * 5)
    cards = {report(made, name)["nvidia_smi"]["output"] for name, phase in six.items() if phase == "Running"}
    (waiting,) = (made.get("Pod", name) for name, phase in six.items() if phase == "Pending")
    assert len(cards) == 1
    assert "NVIDIA GeForce RTX 4090 (UUID: GPU-" in cards.pop()
    assert "Insufficient nvidia.com/gpu" in waiting["status"]["conditions"][0]["message"]


def test_a_pod_of_one_class_has_a_card_of_that_class_alone(made):
    for name, card in (("plain", "RTX 4090"), ("renamed", "NVIDIA L4")):
        seen = report(made, name)
        assert seen["nvidia_smi"]["output"].count("GPU ") == 1
        assert card in seen["nvidia_smi"]["output"]
        assert len([each for each in seen["devices"] if each["path"].removeprefix("/dev/nvidia").isdigit()]) == 1


def test_two_shares_are_refused_at_admission_where_the_class_refuses_them(made):
    container = {"name": "main", "image": IMAGE, "resources": {"limits": {"nvidia.com/gpu.shared": "2"}}}
    spec = {"nodeName": "node-renamed", "runtimeClassName": "nvidia", "containers": [container]}
    made.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "two", "namespace": "default"}, "spec": spec}])
    status = made.eventually(lambda: made.get("Pod", "two")["status"], lambda found: found["phase"] == "Failed")
    assert status["reason"] == "UnexpectedAdmissionError"
    assert status["message"] == (
        "Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = invalid allocation request for "
        '"nvidia.com/gpu.shared": invalid request: maximum request size for shared resources is 1; found 2, which is unexpected'
    )


def test_a_pod_of_mps_reaches_the_daemon_with_its_share_of_threads(made):
    seen = report(made, "mps")
    assert seen["environment"]["CUDA_MPS_PIPE_DIRECTORY"] == "/mps/nvidia.com/gpu/pipe"
    asked = made.nodes["node-mps"].enter(["/usr/bin/cat", "/run/nvidia/mps/nvidia.com/gpu/log/asked.log"])
    assert "/dev/shm" in {each["path"] for each in seen["mounts"]}
    assert "set_default_active_thread_percentage 25" in asked
    assert "set_default_device_pinned_mem_limit 0 3840M" in asked


@pytest.mark.parametrize(
    ("name", "product", "replicas", "strategy"),
    [
        ("plain", "NVIDIA-GeForce-RTX-4090", "1", "none"),
        ("shared", "NVIDIA-GeForce-RTX-4090-SHARED", "5", "time-slicing"),
        ("renamed", "NVIDIA-L4", "4", "time-slicing"),
        ("mps", "Tesla-T4-SHARED", "4", "mps"),
    ],
)
def test_the_labels_of_gpu_feature_discovery_say_how_a_card_is_shared(made, name, product, replicas, strategy):
    def labels() -> dict[str, str]:
        return made.get("Node", f"node-{name}")["metadata"]["labels"]

    found = made.eventually(labels, lambda each: "nvidia.com/gpu.replicas" in each, "the labels of GPU feature discovery")
    assert {each: found[f"nvidia.com/gpu.{each}"] for each in ("product", "replicas", "sharing-strategy", "count")} == {
        "product": product,
        "replicas": replicas,
        "sharing-strategy": strategy,
        "count": str(len(CARDS[name])),
    }
    assert card_name(found["nvidia.com/gpu.product"]) == product.removesuffix("-SHARED")
