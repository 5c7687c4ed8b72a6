"""What a queue shares, and where it places gangs, on a real control plane with real Kueue: topology, preemption, cohorts, weights, and a PodGroup beside it."""

from collections.abc import Iterator
from typing import Any

import pytest
from cdk8s import App, Chart
from gang_controllers import GangControlPlane
from gang_scene import NAMESPACE, clear, condition, furnish, gang_lab, hosts, machines, placed, start, training

from constructs_lib import GpuGang, GpuNodes, KueueQueue

NODES = GpuNodes(talos_version="1.14", name="h100", count=4, gpus_per_node=8)
BLOCK, RACK = "example.com/block", "example.com/rack"
RACKS = [{BLOCK: "a", RACK: "a1"}, {BLOCK: "a", RACK: "a2"}, {BLOCK: "a", RACK: "a2"}, {BLOCK: "b", RACK: "b1"}]
KUEUE = "kueue.x-k8s.io/v1beta2"
COLLECTIONS = ("clusterqueues", "resourceflavors", "topologies")


def queue(name: str = "gpus", **given: Any) -> KueueQueue:
    """A queue in a chart of its own."""
    return KueueQueue(Chart(App(), name), name, nodes=NODES, namespaces=[NAMESPACE], **given)


def gang(name: str, **given: Any) -> GpuGang:
    """A training in the queue."""
    return training(name, NODES, **{"queue": "gpus", **given})


@pytest.fixture(scope="module")
def control_plane() -> Iterator[GangControlPlane]:
    native = gang("any", pod_group=True)
    weighed = queue(cohort="all", fair_sharing_weight=1)
    kueue = {"fairSharing": weighed.fair_sharing}
    with gang_lab(kueue=kueue, feature_gates=native.feature_gates, runtime_config=native.runtime_config) as started:
        furnish(started)
        yield started


@pytest.fixture
def lab(control_plane: GangControlPlane) -> Iterator[GangControlPlane]:
    yield control_plane
    groups = (f"apis/scheduling.k8s.io/v1beta1/namespaces/{NAMESPACE}/{kind}" for kind in ("podgroups", "workloads"))
    clear(control_plane, *groups, f"apis/{KUEUE}/namespaces/{NAMESPACE}/localqueues", *(f"apis/{KUEUE}/{kind}" for kind in COLLECTIONS))
    control_plane.eventually(
        lambda: [each for kind in ("ClusterQueue", "ResourceFlavor", "Topology") for each in control_plane.list(KUEUE, kind)],
        lambda left: not left,
    )


def refusal(lab: GangControlPlane, name: str) -> str:
    """Why Kueue does not admit a gang, or nothing."""
    found = [each for each in lab.list(KUEUE, "Workload") if each["metadata"]["ownerReferences"][0]["name"] == name]
    quota = condition(found[0], "QuotaReserved") if found else {}
    return quota.get("message", "") if quota.get("status") == "False" else ""


def test_a_gang_is_placed_in_one_rack(lab):
    machines(lab, NODES, RACKS)
    start(lab, queue(topology=[BLOCK, RACK]), gang("close", required_topology=RACK))

    placed(lab, close=2)
    assert hosts(lab) == {"close": ["gpu-1", "gpu-2"]}


def test_a_leader_and_its_workers_are_placed_in_one_rack(lab):
    machines(lab, NODES, [*RACKS, {BLOCK: "b", RACK: "b1"}, {BLOCK: "b", RACK: "b1"}])
    start(lab, queue(gpus=48, topology=[BLOCK, RACK]), gang("server", kind="LeaderWorkerSet", size=3, required_topology=RACK))

    placed(lab, server=3)
    assert hosts(lab) == {"server": ["gpu-3", "gpu-4", "gpu-5"]}


def test_a_gang_waits_where_no_rack_has_room_for_all_of_it(lab):
    machines(lab, NODES, RACKS)
    start(lab, queue(topology=[BLOCK, RACK]), gang("wide", size=3, required_topology=RACK))

    words = 'topology "h100" allows to fit only 2 out of 3 pod(s)'
    assert words in lab.eventually(lambda: refusal(lab, "wide"), lambda found: words in found)
    assert hosts(lab) == {}


def test_a_gang_with_a_preference_takes_the_smallest_part_that_has_room(lab):
    machines(lab, NODES, RACKS)
    start(lab, queue(topology=[BLOCK, RACK]), gang("wide", size=3, preferred_topology=RACK))

    placed(lab, wide=3)
    assert hosts(lab) == {"wide": ["gpu-0", "gpu-1", "gpu-2"]}


def test_a_gang_of_a_higher_priority_takes_the_place_of_a_whole_gang(lab):
    machines(lab, NODES, [{}] * 3)
    start(lab, queue(gpus=24, within_cluster_queue="LowerPriority"), gang("low", priority_class_name="low"))
    placed(lab, low=2)
    start(lab, gang("high", priority_class_name="high"))

    assert placed(lab, high=2) == {"high": 2}


def test_without_a_policy_a_gang_of_a_higher_priority_waits(lab):
    machines(lab, NODES, [{}] * 3)
    start(lab, queue(gpus=24), gang("low", priority_class_name="low"))
    placed(lab, low=2)
    start(lab, gang("high", priority_class_name="high"))

    assert "insufficient unused quota" in lab.eventually(lambda: refusal(lab, "high"))
    assert placed(lab, low=2) == {"low": 2}


def test_a_queue_takes_back_what_it_has_lent(lab):
    machines(lab, NODES, [{}] * 4)
    start(lab, queue("ours", gpus=16, cohort="all", reclaim_within_cohort="Any"), queue("theirs", gpus=16, cohort="all"))
    start(lab, gang("first", queue="theirs"), gang("borrows", queue="theirs"))
    placed(lab, first=2, borrows=2)
    start(lab, gang("owner", queue="ours"))

    found = lab.eventually(lambda: hosts(lab), lambda found: len(found) == len(found.get("owner", ())) == 2)
    assert (len(found["owner"]), len(found)) == (2, 2)


@pytest.mark.parametrize("limits", [({"lending_limit": 8}, {}), ({}, {"borrowing_limit": 8})], ids=["lending", "borrowing"])
def test_a_limit_keeps_a_gang_from_borrowing_more(lab, limits):
    machines(lab, NODES, [{}] * 4)
    lends, borrows = limits
    start(lab, queue("ours", gpus=16, cohort="all", **lends), queue("theirs", gpus=16, cohort="all", **borrows))
    start(lab, gang("first", queue="theirs"))
    placed(lab, first=2)
    start(lab, gang("second", queue="theirs"))

    assert "insufficient" in lab.eventually(lambda: refusal(lab, "second"))
    assert placed(lab, first=2) == {"first": 2}


def test_queues_share_what_is_lent_by_their_weights(lab):
    machines(lab, NODES, [{}] * 4)
    start(lab, queue("owner", gpus=32, cohort="all"))
    for name, weight in (("one", 1), ("three", 3)):
        start(lab, queue(name, gpus=0, cohort="all", reclaim_within_cohort="Any", fair_sharing_weight=weight))
    small = {"gpus": 4}  # a gang is one node's GPUs
    start(lab, *(gang(f"{name}-{index}", queue=name, **small) for name in ("one", "three") for index in range(4)))

    def nodes() -> tuple[int, int]:
        names = [name.partition("-")[0] for name in hosts(lab)]
        return names.count("one"), names.count("three")

    assert lab.eventually(nodes, lambda found: found == (1, 3)) == (1, 3)


def test_a_pod_group_stands_beside_a_queue_with_a_topology(lab):
    machines(lab, NODES, RACKS)
    start(lab, queue(topology=[BLOCK, RACK]), gang("both", pod_group=True, required_topology=RACK))

    placed(lab, both=2)
    assert hosts(lab) == {"both": ["gpu-1", "gpu-2"]}
    group = lab.get("scheduling.k8s.io/v1beta1", "PodGroup", "both", NAMESPACE)
    assert condition(group, "PodGroupInitiallyScheduled")["status"] == "True"


def test_a_pod_group_keeps_an_admitted_gang_whole_where_another_pod_holds_a_node(lab):
    """Kueue counts what its own workloads hold, and a topology counts other pods: here there is neither."""
    machines(lab, NODES, [{}] * 2)
    start(lab, training("outside", NODES, gpus=1))
    placed(lab, outside=2)
    start(lab, queue(gpus=16), gang("whole", pod_group=True))

    found = lab.eventually(
        lambda: condition(lab.get("scheduling.k8s.io/v1beta1", "PodGroup", "whole", NAMESPACE), "PodGroupInitiallyScheduled"), bool
    )
    assert (found["status"], found["reason"]) == ("False", "Unschedulable")
    assert placed(lab, outside=2) == {"outside": 2}
