"""Gangs on a real control plane with real Kueue and real JobSet: a gang gets all its GPUs, or none."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from cdk8s import App, Chart
from gang_controllers import GangControlPlane
from gang_scene import CARDS, GPU, HOSTNAME, NAMESPACE, clear, condition, furnish, gang_lab, hosts, is_true, machines, manifest

from constructs_lib import GpuGang, GpuNodes
from constructs_lib.manifests.objects import Manifest

NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"})
ROUNDS, ARRIVALS = 20, 50
KUEUE = "kueue.x-k8s.io/v1beta2"


@pytest.fixture(scope="module")
def lab() -> Iterator[GangControlPlane]:
    with gang_lab() as started:
        furnish(started)
        yield started


def queue(lab: GangControlPlane, gpus: int, *, by_node: bool) -> None:
    """A queue with a quota of all GPUs of the class; with `by_node` Kueue looks at the room on each node too."""
    flavor: dict[str, Any] = {"nodeLabels": dict(NODES.labels)}
    if by_node:
        flavor["topologyName"] = "nodes"
        lab.apply([manifest(KUEUE, "Topology", "nodes", namespace=None, spec={"levels": [{"nodeLabel": HOSTNAME}]})])
    resources = [{"name": GPU, "nominalQuota": gpus}]
    groups = [{"coveredResources": [GPU], "flavors": [{"name": flavor_name(by_node=by_node), "resources": resources}]}]
    lab.apply(
        [
            manifest(KUEUE, "ResourceFlavor", flavor_name(by_node=by_node), namespace=None, spec=flavor),
            manifest(KUEUE, "ClusterQueue", "gpus", namespace=None, spec={"namespaceSelector": {}, "resourceGroups": groups}),
            manifest(KUEUE, "LocalQueue", "gpus", spec={"clusterQueue": "gpus"}),
        ]
    )


def flavor_name(*, by_node: bool) -> str:
    return "by-node" if by_node else "by-quota"


def arrivals(shapes: list[tuple[int, int]], queue: str | None) -> list[Manifest]:
    """Gangs that arrive together: the pods of each, and the GPUs of each pod."""
    chart = Chart(App(), "arrivals", namespace=NAMESPACE)
    for index, (size, gpus) in enumerate(shapes):
        GpuGang(
            chart, f"gang-{index}", nodes=NODES, image="training:1", kind="JobSet", size=size, gpus=gpus, queue=queue,
            pod_annotations={"lab/runs-on": "for ever"},
        )  # fmt: skip
    found: list[Manifest] = chart.to_json()
    return found


def shape(gang: Manifest) -> tuple[int, int]:
    """The pods of a gang, and the GPUs of each."""
    job = gang["spec"]["replicatedJobs"][0]["template"]["spec"]
    return job["completions"], job["template"]["spec"]["containers"][0]["resources"]["limits"][GPU]


def is_judged(pod: dict[str, Any]) -> bool:
    """Whether the pod runs, or the scheduler has found no node for it."""
    return is_true(pod, "Ready") is True or (is_true(pod, "PodScheduled") is False and not pod["spec"].get("schedulingGates"))


def settled(lab: GangControlPlane, shapes: dict[str, tuple[int, int]], *, queued: bool) -> bool:
    """Whether Kueue has admitted or refused each gang, and each pod of an admitted gang runs or waits for a node.

    Kueue tries one gang of each shape, and refuses the others of this shape without a word. A gang that lost its place to another one of the same
    turn is tried again.
    """
    pods = lab.list("v1", "Pod")
    if not all(map(is_judged, pods)):
        return False
    if not queued:
        return len(pods) == sum(size for size, _ in shapes.values())
    reserved, admitted = {}, []
    for each in lab.list(KUEUE, "Workload"):
        name = each["metadata"]["ownerReferences"][0]["name"]
        found = condition(each, "QuotaReserved")
        is_final = found.get("status") == "True" or found.get("message", "").startswith("couldn't assign flavors")
        reserved[name] = found["status"] == "True" if is_final else None
        if is_true(each, "Admitted"):
            admitted.append(name)
    refused = {shapes[name] for name, has_quota in reserved.items() if has_quota is False}
    open_ = [name for name, has_quota in reserved.items() if has_quota is None and shapes[name] not in refused]
    return len(reserved) == len(shapes) and not open_ and len(pods) == sum(shapes[name][0] for name in admitted)


def by_chance(seed: int) -> tuple[int, list[tuple[int, int]]]:
    """A random number of machines, and gangs of random sizes."""
    chance = random.Random(seed)
    return chance.randint(2, 6), [(chance.randint(2, 6), chance.choice([1, 2, 3, 4, 8])) for _ in range(ARRIVALS)]


def play(
    lab: GangControlPlane, number: int, arriving: list[tuple[int, int]], *, queued: bool = True, by_node: bool = True
) -> tuple[int, int, int]:
    """One round: machines, and gangs that arrive. How many gangs run whole, run in part, and wait."""
    machines(lab, NODES, [{}] * number)
    if queued:
        queue(lab, number * CARDS, by_node=by_node)
    gangs = arrivals(arriving, "gpus" if queued else None)
    shapes = {each["metadata"]["name"]: shape(each) for each in gangs}
    for each in gangs:
        lab.create(each)
    assert lab.eventually(lambda: settled(lab, shapes, queued=queued), bool, 300)
    counts = {name: len(nodes) for name, nodes in hosts(lab).items()}
    whole = sum(counts.get(name, 0) == size for name, (size, _) in shapes.items())
    none = sum(name not in counts for name in shapes)
    clear(lab)
    lab.eventually(lambda: lab.list(KUEUE, "Workload") if queued else (), lambda left: not left, 300)
    return whole, len(shapes) - whole - none, none


def test_of_a_thousand_gangs_that_arrive_none_gets_a_part_of_its_gpus(lab):
    rounds = [play(lab, *by_chance(seed)) for seed in range(ROUNDS)]

    assert sum(map(sum, rounds)) == 1000
    assert [partial for _, partial, _ in rounds] == [0] * ROUNDS
    assert all(whole and waiting for whole, _, waiting in rounds)  # every round had more gangs than room


def test_a_topology_keeps_a_gang_waiting_where_the_quota_has_room_and_no_node_has(lab):
    # Two pods of five GPUs leave three on each of two nodes: six in sum, but no room for three pods of two.
    arriving = [(2, 5), (3, 2)]

    assert play(lab, 2, arriving, by_node=False) == (1, 1, 0)
    assert play(lab, 2, arriving) == (1, 0, 1)


def test_without_a_queue_gangs_that_arrive_together_hold_gpus_and_wait_for_one_another(lab):
    _, partial, _ = play(lab, *by_chance(0), queued=False)

    assert partial > 0
