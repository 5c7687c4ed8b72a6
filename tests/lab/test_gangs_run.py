"""Gangs on a real control plane with real Kueue and real JobSet: a gang gets all its GPUs, or none."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cdk8s import App, Chart
from gang_controllers import GangControlPlane

from conftest import needs
from constructs_lib import GpuGang, GpuNodes, NvidiaRuntimeClass
from constructs_lib.manifests.objects import Manifest

NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"})
NAMESPACE = "gangs"
CARDS = 8
ROUNDS, ARRIVALS = 20, 50
GPU = "nvidia.com/gpu"
HOSTNAME = "kubernetes.io/hostname"
KUEUE = "kueue.x-k8s.io/v1beta2"


@pytest.fixture(scope="module")
def lab() -> Iterator[GangControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    gangs = Path(needs("GANG_ASSETS", "the folder with Kueue and JobSet (tools/kueue.sh)"))
    with GangControlPlane(assets, gangs) as started:
        started.apply([manifest("v1", "Namespace", NAMESPACE, namespace=None)])
        chart = Chart(App(), "stack")
        NvidiaRuntimeClass(chart, "runtime-class")
        started.apply(chart.to_json())
        yield started


def manifest(api_version: str, kind: str, name: str, *, namespace: str | None = NAMESPACE, **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def machines(lab: GangControlPlane, number: int) -> None:
    """So many nodes of the class, each with eight GPUs, in the place of those before."""
    lab.delete_all("api/v1/nodes")
    names = [f"gpu-{index}" for index in range(number)]
    lab.eventually(lambda: lab.list("v1", "Node"), lambda left: not left)
    for name in names:
        labels = {HOSTNAME: name, "role": "gpu", "kubernetes.io/os": "linux"}
        taints = [{"key": each.key, "value": each.value or "", "effect": str(each.effect)} for each in NODES.taints]
        lab.create(manifest("v1", "Node", name, namespace=None, metadata={"labels": labels}, spec={"taints": taints}))
        amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: str(CARDS)}
        lab.patch_status(manifest("v1", "Node", name, namespace=None, status={"capacity": amounts, "allocatable": amounts}))
    lab.eventually(
        lambda: [each for each in lab.list("v1", "Node") if _is_true(each, "Ready") and not _tainted(each)],
        lambda ready: len(ready) == number,
    )


def _tainted(node: dict[str, Any]) -> bool:
    return any(each["key"].startswith("node.kubernetes.io/") for each in node["spec"].get("taints", ()))


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


def _condition(each: dict[str, Any], kind: str) -> dict[str, Any]:
    """A condition of an object; empty where nobody has set it."""
    return next((found for found in each.get("status", {}).get("conditions", ()) if found["type"] == kind), {})


def _is_true(each: dict[str, Any], kind: str) -> bool | None:
    """The status of a condition; None where nobody has set it."""
    found = _condition(each, kind)
    return found["status"] == "True" if found else None


def placed(lab: GangControlPlane) -> dict[str, int]:
    """The pods that have a node, by gang."""
    counts: dict[str, int] = {}
    for pod in lab.list("v1", "Pod"):
        if pod["spec"].get("nodeName"):
            name = pod["metadata"]["labels"]["app.kubernetes.io/name"]
            counts[name] = counts.get(name, 0) + 1
    return counts


def is_judged(pod: dict[str, Any]) -> bool:
    """Whether the pod runs, or the scheduler has found no node for it."""
    return _is_true(pod, "Ready") is True or (_is_true(pod, "PodScheduled") is False and not pod["spec"].get("schedulingGates"))


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
        found = _condition(each, "QuotaReserved")
        is_final = found.get("status") == "True" or found.get("message", "").startswith("couldn't assign flavors")
        reserved[name] = found["status"] == "True" if is_final else None
        if _is_true(each, "Admitted"):
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
    machines(lab, number)
    if queued:
        queue(lab, number * CARDS, by_node=by_node)
    gangs = arrivals(arriving, "gpus" if queued else None)
    shapes = {each["metadata"]["name"]: shape(each) for each in gangs}
    for each in gangs:
        lab.create(each)
    assert lab.eventually(lambda: settled(lab, shapes, queued=queued), bool, 300)
    counts = placed(lab)
    whole = sum(counts.get(name, 0) == size for name, (size, _) in shapes.items())
    none = sum(name not in counts for name in shapes)
    lab.delete_all(f"apis/jobset.x-k8s.io/v1alpha2/namespaces/{NAMESPACE}/jobsets")
    lab.eventually(lambda: [*lab.list("v1", "Pod"), *(lab.list(KUEUE, "Workload") if queued else ())], lambda left: not left, 300)
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
