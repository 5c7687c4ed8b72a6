"""MIG on real kubelets: what the plugin offers of a card's partitions, what a pod of a partition sees, and the labels of both discoveries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import feature_discovery
import pytest

from constructs_lib import GpuNodes, TalosGpuWarning
from constructs_lib.adoption.present_nodes import present_live
from constructs_lib.doctor.gpu_node import GpuNode
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.observed.nodes.offers import card_name
from constructs_lib.upstream.charts.nfd_chart import CLASS_LABELS, VENDOR_LABEL
from constructs_lib.upstream.nvidia.card_memory import card_memory
from constructs_lib.upstream.nvidia.card_names import architecture
from constructs_lib.upstream.nvidia.gpu_resources import PRESENT_LABEL, mig_resource
from nodes import IMAGE, PLUGIN, emitted, log_of, report, start
from talos_gpu_rehearsal.card_files import proc_files
from talos_gpu_rehearsal.cards import A100, H100

TALOS = "1.13.9"
CLASSES = {
    "single": {"gpus_per_node": 2, "mig_strategy": "single", "mig_devices": {"3g.20gb": 2}},
    "mixed": {"gpus_per_node": 2, "mig_devices": [{"1g.10gb": 2, "3g.40gb": 1}, {}]},
    "uneven": {"gpus_per_node": 1, "mig_strategy": "single"},
}
CARDS = {
    "single": (replace(A100, mig=("3g.20gb", "3g.20gb")),) * 2,
    "mixed": (replace(H100, mig=("1g.10gb", "1g.10gb", "3g.40gb")), H100),
    "uneven": (replace(A100, mig=("1g.5gb", "2g.10gb")),),
}
RELEASES = {"single": "0.17.4", "mixed": "0.19.1", "uneven": "0.18.2"}
PODS = {"one": ("single", None), "small": ("mixed", "1g.10gb"), "large": ("mixed", "3g.40gb"), "whole": ("mixed", None)}


def pod(name: str, nodes: str, profile: str | None) -> dict:
    """The part of a file that gives a pod of a program of ours one GPU, or partition, of a class."""
    spec = {"containers": [{"name": "main", "image": IMAGE}], "terminationGracePeriodSeconds": 0}
    workload = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
    return {"request_gpus": {"nodes": nodes, "workload": workload, **({"profile": profile} if profile else {})}}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    classes = [{"name": name, "talos_version": TALOS, **fields} for name, fields in CLASSES.items()]
    plugins = {
        f"plugin-{name}": {"StandaloneDevicePlugin": {"nodes": name, "image": PLUGIN.format(release), "feature_discovery": True}}
        for name, release in RELEASES.items()
    }
    pods = {name: pod(name, *asked) for name, asked in PODS.items()}
    whole = emitted(classes, {"runtime-class": {"NvidiaRuntimeClass": {}}, **plugins, **pods})
    labels = emitted(
        classes,
        {"privileged": {"PrivilegedNamespace": {}}, "nfd": feature_discovery.construct("single")},
        namespace=feature_discovery.NAMESPACE,
    )
    objects = [*whole.objects, *feature_discovery.deployed(labels.objects), *labels.objects]
    specs = [whole.node(f"node-{name}", TALOS, CARDS[name], name) for name in CLASSES]
    with start(tmp_path_factory.mktemp("mig") / "cluster", specs, objects) as cluster:
        feature_discovery.bring(cluster, objects)
        yield cluster


def offered(made, name: str) -> dict[str, int]:
    resources = made.get("Node", f"node-{name}")["status"]["allocatable"]
    return {resource: int(number) for resource, number in resources.items() if resource.startswith("nvidia.com/")}


@pytest.mark.parametrize("name", ["single", "mixed"])
def test_a_node_offers_the_partitions_that_its_class_says(made, name):
    nodes = GpuNodes(talos_version="1.13.9", name=name, **CLASSES[name])
    made.eventually(lambda: offered(made, name), lambda found: found == nodes.advertised_resources, f"what {name} offers")


def capabilities(cards, place: int, *gis: int) -> set[str]:
    """The device files of some MIG devices of one card: that of the GPU instance, and that of its compute instance."""
    folder = f"/proc/driver/nvidia/capabilities/gpu{place}/mig"
    files = proc_files(cards)
    texts = (files[f"{folder}/gi{gi}/{path}access"].decode() for gi in gis for path in ("", "ci0/"))
    return {f"/dev/nvidia-caps/nvidia-cap{text.split()[1]}" for text in texts}


def devices(made, name: str) -> set[str]:
    return {each["path"] for each in report(made, name)["devices"]}


@pytest.mark.parametrize("name", ["one", "small", "large"])
def test_a_pod_has_the_files_of_exactly_one_partition(made, name):
    nodes, profile = PODS[name]
    cards = CARDS[nodes]
    seen = devices(made, name)
    (card,) = (each for each in seen if each.removeprefix("/dev/nvidia").isdigit())
    place = int(card.removeprefix("/dev/nvidia"))
    found = {each for each in seen if each.startswith("/dev/nvidia-caps/")}
    fitting = [each.gi for each in cards[place].instances() if profile in (None, each.profile.name)]
    assert found in [capabilities(cards, place, gi) for gi in fitting]


@pytest.mark.parametrize("name", ["one", "small", "large"])
def test_nvidia_smi_lists_the_partition_of_its_container_alone(made, name):
    listed = report(made, name)["nvidia_smi"]["output"].splitlines()
    (line,) = (each for each in listed if "MIG" in each)
    assert line.split()[:4] == ["MIG", PODS[name][1] or "3g.20gb", "Device", "0:"]


def test_a_pod_of_a_whole_card_has_no_partition(made):
    seen = devices(made, "whole")
    assert "/dev/nvidia1" in seen
    assert not [each for each in seen if "nvidia0" in each or "nvidia-caps" in each]


def test_the_plugin_asks_for_no_devices_that_nobody_asked_for(made):
    variables = {"NVIDIA_GDRCOPY", "NVIDIA_GDS", "NVIDIA_MOFED"}
    assert not variables & set(report(made, "whole")["environment"])


def test_partitions_of_two_sizes_are_no_layout_for_the_strategy_single(made):
    marks = "app.kubernetes.io/component=device-plugin,talos-gpu/class=uneven"
    log = made.eventually(lambda: log_of(made, marks), lambda text: "more than one MIG device type" in text, "the words of the plugin")
    assert "invalid MIG configuration: " in log
    assert "more than one MIG device type present on node" in log
    assert offered(made, "uneven") == {}


def labels(made, name: str) -> dict[str, str]:
    return made.get("Node", f"node-{name}")["metadata"]["labels"]


def adopted(made, name: str) -> dict:
    node = LiveObject(made.get("Node", f"node-{name}"), "nodes")
    return dict(present_live([GpuNode(name=f"node-{name}", node=node, machine=None)]).classes[0].arguments)


@pytest.mark.parametrize("name", CLASSES)
def test_node_feature_discovery_labels_a_node_by_its_cards(made, name):
    found = made.eventually(lambda: labels(made, name), lambda each: VENDOR_LABEL in each, VENDOR_LABEL)
    assert found[VENDOR_LABEL] == "true"
    assert not set(CLASS_LABELS) & set(found)


def test_the_label_of_the_rule_follows_the_loaded_module(made):
    made.eventually(lambda: labels(made, "mixed"), lambda each: VENDOR_LABEL in each, VENDOR_LABEL)
    if Path("/proc/modules").exists():  # a kernel that loads no modules has no such file, and the node shows none
        made.eventually(lambda: labels(made, "mixed"), lambda each: each.get(PRESENT_LABEL) == "true", PRESENT_LABEL)
    else:
        assert PRESENT_LABEL not in labels(made, "mixed")


@pytest.mark.parametrize(("name", "product", "count"), [("single", "NVIDIA-A100-SXM4-40GB", None), ("mixed", "NVIDIA-H100-80GB-HBM3", 2)])
def test_the_labels_of_gpu_feature_discovery_give_back_the_class(made, name, product, count):
    made.eventually(lambda: labels(made, name), lambda each: "nvidia.com/mig.strategy" in each, "the labels of GPU feature discovery")
    with pytest.warns(TalosGpuWarning) as caught:
        known = adopted(made, name)
    assert f"node-{name}: the partitions of MIG are not taken over" in str(caught[0].message)
    assert (known["product"], known["mig_strategy"], known.get("gpus_per_node")) == (product, name, count)
    assert known["talos_version"] == TALOS
    assert architecture(known["product"])
    assert card_memory(known["product"]) == {"single": 40, "mixed": 80}[name]


def test_the_labels_of_an_invalid_layout_say_so_and_still_name_the_card(made):
    found = made.eventually(lambda: labels(made, "uneven"), lambda each: "nvidia.com/mig.strategy" in each)
    assert {each: found[f"nvidia.com/gpu.{each}"] for each in ("product", "count", "memory")} == {
        "product": "NVIDIA-A100-SXM4-40GB-MIG-INVALID",
        "count": "0",
        "memory": "0",
    }
    assert card_name(found["nvidia.com/gpu.product"]) == "NVIDIA-A100-SXM4-40GB"


def test_the_labels_of_partitions_have_the_names_of_their_resources(made):
    found = made.eventually(lambda: labels(made, "mixed"), lambda each: "nvidia.com/mig.strategy" in each)
    counts = {profile: found[f"{mig_resource(profile)}.count"] for profile in ("1g.10gb", "3g.40gb")}
    assert counts == {"1g.10gb": "2", "3g.40gb": "1"}
    assert labels(made, "single")["nvidia.com/gpu.product"] == "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb"
