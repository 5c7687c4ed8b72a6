"""DRA on real nodes: NVIDIA's driver 0.4.1 from our objects, its slices, and claims that get exactly their cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cdk8s import App, Chart
from dra_driver import VERSION, devices, rendered, running, split, waits_with

from conftest import needs
from constructs_lib import Dra, DraDriver, Flux, GpuNodes, GpuWorkload
from constructs_lib.testing import synthesize
from nodes import cluster, needs_a_node
from talos_gpu_rehearsal import cards
from talos_gpu_rehearsal.card_files import proc_files
from talos_gpu_rehearsal.manifest_images import images_of
from talos_gpu_rehearsal.mig_profiles import Instance
from talos_gpu_rehearsal.node import NodeSpec

PARTITIONS = ("3g.20gb", "1g.5gb", "1g.5gb", "1g.5gb")
PARTITIONED = replace(cards.A100, mig=PARTITIONS)
SPECS = (
    NodeSpec(name="whole", talos="1.14.0", cards=(cards.H100, cards.A100), machine_config=({"machine": {"nodeLabels": {"role": "gpu"}}},)),
    NodeSpec(
        name="mixed",
        talos="1.13.9",
        cards=(PARTITIONED, cards.RTX_4090, cards.T4, cards.L4),
        machine_config=({"machine": {"nodeLabels": {"role": "gpu"}}},),
    ),
    NodeSpec(name="legacy", talos="1.12.11", cards=(cards.L4,), machine_config=({"machine": {"nodeLabels": {"role": "gpu"}}},)),
)


def product(card: cards.Card) -> str:
    return f"device.attributes['gpu.nvidia.com'].productName == '{card.name}'"


def claimed(*selectors: str, **share: str) -> GpuNodes:
    return GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra(selectors=selectors, **share))


ANY = claimed()
LARGE = claimed("device.capacity['gpu.nvidia.com'].memory.isGreaterThan(quantity('40Gi'))")
BY_TURNS = claimed(product(cards.T4), share="time-slicing", interval="Long")
WORKLOADS: dict[str, dict[str, Any]] = {
    "large": {"nodes": LARGE},
    "picked": {"nodes": claimed(product(cards.A100))},
    "part": {"nodes": ANY, "profile": "1g.5gb"},
    "shared": {"nodes": claimed(product(cards.RTX_4090), share="claim"), "replicas": 2},
    "sliced": {"nodes": BY_TURNS},
    "greedy": {"nodes": ANY, "gpus": 4},
}


def by_hand(name: str, devices: dict[str, Any]) -> list[dict[str, Any]]:
    """A claim that the library does not write, and a pod with it."""
    about = {"name": name, "namespace": name, "labels": {"app.kubernetes.io/name": name}}
    container = {"name": "app", "image": "app:1", "resources": {"claims": [{"name": "gpu"}]}}
    spec = {"containers": [container], "resourceClaims": [{"name": "gpu", "resourceClaimName": name}]}
    return [
        {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": about, "spec": {"devices": devices}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec},
    ]


def shared_by(strategy: str) -> list[dict[str, Any]]:
    sharing = {"strategy": strategy, **({"timeSlicingConfig": {"interval": "Long"}} if strategy == "TimeSlicing" else {})}
    parameters = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": sharing}
    return [{"requests": ["gpu"], "opaque": {"driver": "gpu.nvidia.com", "parameters": parameters}}]


def exactly(device_class: str, *selectors: str) -> list[dict[str, Any]]:
    matching = {"selectors": [{"cel": {"expression": each}} for each in selectors]} if selectors else {}
    return [{"name": "gpu", "exactly": {"deviceClassName": device_class, **matching}}]


UNKNOWN = {
    "name": "best",
    "deviceClassName": "gpu.nvidia.com",
    "selectors": [{"cel": {"expression": product(replace(cards.H100, name="NVIDIA B200"))}}],
}
SECOND = {"name": "second", "deviceClassName": "mig-3g.20gb.gpu.nvidia.com"}
BY_HAND = [
    *by_hand("listed", {"requests": [{"name": "gpu", "firstAvailable": [UNKNOWN, SECOND]}]}),
    *by_hand("mps", {"requests": exactly("gpu.nvidia.com", product(cards.L4)), "config": shared_by("MPS")}),
    *by_hand("sliced-partition", {"requests": exactly("mig-1g.5gb.gpu.nvidia.com"), "config": shared_by("TimeSlicing")}),
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "limit", "namespace": "limit", "labels": {"app.kubernetes.io/name": "limit"}},
        "spec": {"containers": [{"name": "app", "image": "app:1", "resources": {"limits": {"nvidia.com/mig-1g.5gb": 1}}}]},
    },
]


def objects() -> list[dict[str, Any]]:
    """An app for each workload: in one app a class of nodes has one `Dra`."""
    made = synthesized(DraDriver, "dra-driver", nodes=BY_TURNS, delivery=Flux(), version=VERSION, kubernetes_version="1.36",
                       mig_profiles=[*dict.fromkeys(PARTITIONS)])  # fmt: skip
    return made + [each for name, given in WORKLOADS.items() for each in synthesized(GpuWorkload, name, image="app:1", **given)]


def synthesized(construct: Any, name: str, **arguments: Any) -> list[dict[str, Any]]:
    app = App()
    construct(Chart(app, "chart", namespace=name), name, **arguments)
    return synthesize(app)


def below_root(release: dict[str, Any]) -> dict[str, Any]:
    """The driver's first container with the chart's own driver root, as a pod."""
    (agent,) = (each for each in rendered(release, nvidiaDriverRoot="/") if each["kind"] == "DaemonSet")
    spec = agent["spec"]["template"]["spec"]
    one = {"containers": spec["initContainers"], "volumes": spec["volumes"], "nodeName": "whole"}
    about = {"name": "below-root", "namespace": agent["metadata"]["namespace"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": one}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    needs_a_node()
    needs("HELM", "the path of a Helm")
    release, ours = split(objects())
    everything = [*rendered(release), *ours, *BY_HAND, below_root(release)]
    ready = [each for each in ours if each["kind"] == "Namespace"]
    names = {each["metadata"].get("namespace", "default") for each in everything} - {
        "default",
        *(each["metadata"]["name"] for each in ready),
    }
    first = [*ready, *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each}} for each in sorted(names))]
    with cluster(tmp_path_factory.mktemp("dra") / "cluster", SPECS, images=images_of(everything)) as made:
        made.apply(first)
        for each in first:
            made.eventually(lambda each=each: made.list("ServiceAccount", each["metadata"]["name"]))
        made.apply(each for each in everything if each["kind"] != "Namespace")
        made.eventually(lambda: devices(made, "whole") and devices(made, "mixed"), bool, "the slices of both nodes")
        yield made


def agent_log(site, node: str, container: str) -> str:
    (agent,) = (
        each for each in site.list("Pod") if each["spec"].get("nodeName") == node and each["metadata"]["name"].startswith("dra-driver")
    )
    return site.kubectl("logs", "--namespace", agent["metadata"]["namespace"], agent["metadata"]["name"], "--container", container)


def capabilities(report: dict[str, Any]) -> set[str]:
    """The files of partitions that a container may open."""
    return {each["path"] for each in report["devices"] if each["path"].startswith("/dev/nvidia-caps/")}


def of_partition(instance: Instance) -> set[str]:
    """The files of a partition of the first card."""
    files, folder = proc_files([PARTITIONED]), f"/proc/driver/nvidia/capabilities/gpu0/mig/gi{instance.gi}"
    lines = (files[f"{folder}/{each}"].decode().split()[1] for each in ("access", "ci0/access"))
    return {f"/dev/nvidia-caps/nvidia-cap{minor}" for minor in lines}


def warnings(site, namespace: str) -> list[str]:
    return [each["message"] for each in site.list("Event", namespace) if each["type"] == "Warning"]


def cards_of(report: dict[str, Any]) -> str:
    return report["nvidia_smi"]["output"]


def test_the_first_container_finds_the_driver_below_usr_local(site):
    words = agent_log(site, "whole", "init-container")

    assert "nvidia-smi: '/driver-root/bin/nvidia-smi', libnvidia-ml.so.1: '/driver-root/lib64/libnvidia-ml.so.1'" in words
    assert "nvidia-smi returned with code 0: success, leave" in words


def test_a_driver_root_of_another_system_has_the_words_of_the_rule_and_waits(site):
    words = site.eventually(
        lambda: site.kubectl("logs", "--namespace", "dra-driver-nvidia-gpu", "below-root"), lambda log: "Check failed" in log
    )

    assert "nvidia-smi: not found, libnvidia-ml.so.1: not found" in words
    assert "NVIDIA_DRIVER_ROOT (currently set to '/')" in words


def test_up_to_talos_1_12_the_driver_finds_nvidia_smi_and_no_library_so_claims_are_refused_there(site):
    words = site.eventually(lambda: agent_log(site, "legacy", "init-container"), lambda log: "Check failed" in log)

    assert "nvidia-smi: '/driver-root/bin/nvidia-smi', libnvidia-ml.so.1: not found" in words
    assert devices(site, "legacy") == {}
    with pytest.raises(ValueError, match=r"'dra' must be left out on Talos 1\.12"):
        GpuNodes(talos_version="1.12", dra=Dra())


def test_a_slice_holds_each_card_with_the_attributes_that_claims_select_by(site):
    found = devices(site, "whole")

    assert sorted(found) == ["gpu-0", "gpu-1"]
    assert found["gpu-0"].pop("uuid").startswith("GPU-")
    assert found["gpu-0"] == {
        "type": "gpu",
        "productName": cards.H100.name,
        "brand": "Nvidia",
        "architecture": "Hopper",
        "cudaComputeCapability": "9.0.0",
        "cudaDriverVersion": "13.2.0",
        "driverVersion": "595.91.7",
        "resource.kubernetes.io/pciBusID": "0000:01:00.0",
        "capacity memory": "81559Mi",
    }


def test_in_the_place_of_a_card_with_partitions_stand_its_partitions(site):
    found = dict(sorted(devices(site, "mixed").items(), reverse=True))
    partitions = {name: device for name, device in found.items() if device["type"] == "mig"}

    assert [device["profile"] for device in partitions.values()] == list(PARTITIONS)
    assert list(partitions) == ["gpu-0-mig-3g20gb-9-0", *(f"gpu-0-mig-1g5gb-19-{start}" for start in (6, 5, 4))]
    assert [device["capacity memory"] for device in partitions.values()] == ["19968Mi", *["4864Mi"] * 3]
    assert {device["productName"] for device in partitions.values()} == {cards.A100.name}
    assert [name for name in found if name not in partitions] == ["gpu-3", "gpu-2", "gpu-1"]


@pytest.mark.parametrize(("name", "card"), [("large", cards.H100), ("picked", cards.A100)])
def test_a_claim_by_attributes_gets_exactly_its_card(site, name, card):
    (report,) = running(site, name)

    assert cards_of(report).count("GPU ") == 1
    assert card.name in cards_of(report)
    assert report["environment"]["NVIDIA_VISIBLE_DEVICES"] == "void"


@pytest.mark.parametrize("name", ["part", "limit"])
def test_a_claim_of_a_profile_and_a_limit_of_it_get_one_partition(site, name):
    (report,) = running(site, name)

    assert capabilities(report) in [of_partition(instance) for instance in PARTITIONED.instances() if instance.profile.name == "1g.5gb"]


def test_two_pods_share_one_claim_and_its_card(site):
    first, second = running(site, "shared", 2)

    assert cards.RTX_4090.name in cards_of(first)
    assert cards_of(first) == cards_of(second)


def test_a_time_sliced_claim_is_prepared_by_the_driver(site):
    (report,) = running(site, "sliced")

    assert cards.T4.name in cards_of(report)


def test_sharing_that_the_library_refuses_is_not_prepared(site):
    words = '"MPS" is selected as the GPU sharing strategy, but the "MPSSupport" feature gate is not enabled'
    events = site.eventually(lambda: warnings(site, "mps"), lambda found: any("NodePrepareResources failed" in each for each in found))

    assert words in "".join(events)


def test_sharing_of_a_partition_is_ignored_without_a_word_from_kubernetes_1_37_on(site):
    """The scheduler drops the requests of a configuration for all of them, and the driver applies one without requests only to whole
    cards (dynamic-resource-allocation structured/internal at v0.37.2; the driver's device_state.go at v0.4.1). Kubernetes 1.36 keeps
    the requests, and the driver then refuses the configuration."""
    (report,) = running(site, "sliced-partition")
    (config,) = site.get("ResourceClaim", "sliced-partition", "sliced-partition")["status"]["allocation"]["devices"]["config"]

    assert "requests" not in config
    assert capabilities(report) in [of_partition(instance) for instance in PARTITIONED.instances() if instance.profile.name == "1g.5gb"]


def test_a_prioritized_list_takes_the_second_choice_where_no_card_is_the_first(site):
    (report,) = running(site, "listed")

    assert capabilities(report) == of_partition(PARTITIONED.instances()[0])
    (result,) = site.get("ResourceClaim", "listed", "listed")["status"]["allocation"]["devices"]["results"]
    assert result["request"] == "gpu/second"


def test_a_pod_that_claims_more_cards_than_a_node_has_waits_with_the_words_of_the_scheduler(site):
    words = site.eventually(lambda: waits_with(site, "greedy"), lambda text: "claims" in text)

    assert words.startswith("0/3 nodes are available: ")
    assert "cannot allocate all claims" in words
