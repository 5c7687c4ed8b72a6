"""Gangs of Kubernetes itself on a real control plane: its scheduler places all pods of a PodGroup, or none, and preempts them together."""

from collections.abc import Iterator
from typing import Any

import pytest
from gang_controllers import GangControlPlane
from gang_scene import HOSTNAME, NAMESPACE, clear, condition, furnish, gang_lab, hosts, machines, manifest, placed, start, training

from constructs_lib import GpuGang, GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_manifests

NODES = GpuNodes(talos_version="1.14", name="h100", count=4, gpus_per_node=8)
CLIQUE = "nvidia.com/gpu.clique"
SCHEDULING = "scheduling.k8s.io/v1beta1"
GROUPS = [f"apis/{SCHEDULING}/namespaces/{NAMESPACE}/{kind}" for kind in ("podgroups", "workloads")]


def gang(name: str, **given: Any) -> GpuGang:
    """A training with a PodGroup."""
    return training(name, NODES, **{"pod_group": True, **given})


@pytest.fixture(scope="module")
def control_plane() -> Iterator[GangControlPlane]:
    needed = gang("any", required_topology=CLIQUE)
    with gang_lab(feature_gates=needed.feature_gates, runtime_config=needed.runtime_config) as started:
        furnish(started)
        yield started


@pytest.fixture
def lab(control_plane: GangControlPlane) -> Iterator[GangControlPlane]:
    yield control_plane
    clear(control_plane, *GROUPS, f"api/v1/namespaces/{NAMESPACE}/events")


def verdict(lab: GangControlPlane, name: str) -> tuple[str, str]:
    """Whether the scheduler has placed the group, and its reason."""
    found = condition(lab.get(SCHEDULING, "PodGroup", name, NAMESPACE), "PodGroupInitiallyScheduled")
    return found.get("status", ""), found.get("reason", "")


def test_a_gang_that_fits_runs_and_one_that_does_not_holds_no_node(lab):
    machines(lab, NODES, [{}] * 3)
    start(lab, gang("fits"))
    assert placed(lab, fits=2) == {"fits": 2}

    start(lab, gang("waits"))
    assert lab.eventually(lambda: verdict(lab, "waits"), lambda found: found[0] != "") == ("False", "Unschedulable")
    assert verdict(lab, "fits") == ("True", "Scheduled")
    assert placed(lab, fits=2) == {"fits": 2}


def test_a_leader_and_its_workers_are_one_gang(lab):
    machines(lab, NODES, [{}] * 5)
    start(lab, gang("fits", kind="LeaderWorkerSet", size=3))
    assert placed(lab, fits=3) == {"fits": 3}

    start(lab, gang("waits", kind="LeaderWorkerSet", size=3))
    assert lab.eventually(lambda: verdict(lab, "waits"), lambda found: found[0] != "") == ("False", "Unschedulable")
    assert placed(lab, fits=3) == {"fits": 3}
    lab.delete(manifest("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "fits"))
    assert placed(lab, waits=3) == {"waits": 3}


def test_without_a_pod_group_a_gang_that_does_not_fit_holds_nodes(lab):
    machines(lab, NODES, [{}] * 3)
    start(lab, gang("alone", size=4, pod_group=False))

    assert placed(lab, alone=3) == {"alone": 3}


def test_a_gang_that_waits_runs_once_a_node_is_free(lab):
    machines(lab, NODES, [{}] * 3)
    start(lab, gang("first"))
    placed(lab, first=2)
    start(lab, gang("second"))
    lab.eventually(lambda: verdict(lab, "second"), lambda found: found[0] != "")
    lab.delete(manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "first"))

    assert placed(lab, second=2) == {"second": 2}


@pytest.mark.parametrize(("mode", "taken"), [(None, 2), ("Single", 1)])
def test_a_gang_of_a_higher_priority_takes_the_gpus_of_a_whole_gang_or_of_the_pods_in_its_way(lab, mode, taken):
    machines(lab, NODES, [{}] * 2)
    start(lab, gang("low", priority_class_name="low", disruption_mode=mode, max_restarts=0))
    placed(lab, low=2)
    start(lab, gang("high", gpus=4, required_topology=HOSTNAME, priority_class_name="high"))
    lab.eventually(lambda: len(hosts(lab).get("high", ())), lambda number: number == 2)

    assert len(set(hosts(lab)["high"])) == 1
    assert sum(each["reason"] == "Preempted" for each in lab.list("v1", "Event")) == taken


def test_a_gang_is_placed_within_one_domain_of_the_topology(lab):
    machines(lab, NODES, [{CLIQUE: domain} for domain in ("a", "b", "b", "c")])
    start(lab, gang("close", required_topology=CLIQUE))

    placed(lab, close=2)
    assert hosts(lab) == {"close": ["gpu-1", "gpu-2"]}


def test_a_gang_waits_where_no_domain_has_room_for_all_of_it(lab):
    machines(lab, NODES, [{CLIQUE: domain} for domain in ("a", "b", "c")])
    start(lab, gang("wide", required_topology=CLIQUE))

    assert lab.eventually(lambda: verdict(lab, "wide"), lambda found: found[0] != "") == ("False", "Unschedulable")
    assert hosts(lab) == {}


def test_a_gang_of_fewer_pods_than_its_group_waits_for_is_found_and_runs_once_the_group_waits_for_fewer(lab):
    machines(lab, NODES, [{}] * 3)
    objects = gang("few").scope.to_json()
    (group,) = (each for each in objects if each["kind"] == "PodGroup")
    group["spec"]["schedulingPolicy"]["gang"]["minCount"] = 3
    lab.apply(objects)
    lab.eventually(lambda: lab.list("v1", "Pod"), lambda found: len(found) == 2)
    findings = run_rules(read_manifests([("app", each) for each in objects], nodes=[NODES]), select=["TG158"])

    assert [each.message for each in findings] == [
        "the gang waits for 3 pods, but only 2 name the group. The scheduler places none of them"
    ]
    assert hosts(lab) == {}
    assert [condition(each, "PodScheduled") for each in lab.list("v1", "Pod")] == [{}, {}]

    group["spec"]["schedulingPolicy"]["gang"]["minCount"] = 2
    lab.apply([group])
    assert placed(lab, few=2) == {"few": 2}


def test_a_gang_whose_group_has_another_priority_than_its_pods_is_found_and_never_runs(lab):
    machines(lab, NODES, [{}] * 3)
    objects = gang("other", priority_class_name="high").scope.to_json()
    (group,) = (each for each in objects if each["kind"] == "PodGroup")
    group["spec"]["priorityClassName"] = "low"
    lab.apply(objects)
    values = {"high": 1000, "low": 10}
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in values.items()
    ]
    findings = run_rules(read_manifests([("app", each) for each in (*objects, *classes)], nodes=[NODES]), select=["TG158"])

    assert [str(each.severity) for each in findings] == ["error"]
    assert "the pods have the PriorityClass high, and their PodGroup the PriorityClass low" in findings[0].message
    told = lab.eventually(lambda: [condition(each, "PodScheduled").get("message", "") for each in lab.list("v1", "Pod")], any)
    assert "all pods in a single pod group should have the same priority as the pod group's priority" in "".join(told)
    assert hosts(lab) == {}
