"""Machines for gangs, and what a test asks about the pods of gangs."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cdk8s import App, Chart
from gang_controllers import GangControlPlane

from conftest import needs
from constructs_lib import GpuGang, GpuNodes, NvidiaRuntimeClass

NAMESPACE = "gangs"
CARDS = 8
GPU = "nvidia.com/gpu"
HOSTNAME = "kubernetes.io/hostname"


def gang_lab(**features: Any) -> GangControlPlane:
    """A control plane with the controllers of gangs, with features of Kubernetes and of Kueue as of `GangControlPlane`."""
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane (tools/cluster.sh)"))
    return GangControlPlane(
        assets, Path(needs("GANG_ASSETS", "the folder with Kueue, JobSet and LeaderWorkerSet (tools/kueue.sh)")), **features
    )


def furnish(lab: GangControlPlane) -> None:
    """The namespace of the gangs, two priorities, and NVIDIA's RuntimeClass."""
    lab.apply([manifest("v1", "Namespace", NAMESPACE, namespace=None)])
    lab.apply(
        [
            manifest("scheduling.k8s.io/v1", "PriorityClass", name, namespace=None, value=value)
            for name, value in (("low", 1), ("high", 1000))
        ]
    )
    chart = Chart(App(), "stack")
    NvidiaRuntimeClass(chart, "runtime-class")
    lab.apply(chart.to_json())


def manifest(api_version: str, kind: str, name: str, *, namespace: str | None = NAMESPACE, **rest: Any) -> dict[str, Any]:
    """An object of the namespace of the gangs."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def machines(lab: GangControlPlane, nodes: GpuNodes, places: Iterable[Mapping[str, str]]) -> None:
    """A node of the class with eight GPUs for each place, whose labels it has, instead of those before."""
    lab.delete_all("api/v1/nodes")
    lab.eventually(lambda: lab.list("v1", "Node"), lambda left: not left)
    places = list(places)
    for index, place in enumerate(places):
        name = f"gpu-{index}"
        labels = {HOSTNAME: name, "kubernetes.io/os": "linux", **nodes.node_selector, **place}
        taints = [{"key": each.key, "value": each.value or "", "effect": str(each.effect)} for each in nodes.taints]
        lab.create(manifest("v1", "Node", name, namespace=None, metadata={"labels": labels}, spec={"taints": taints}))
        amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: str(CARDS)}
        lab.patch_status(manifest("v1", "Node", name, namespace=None, status={"capacity": amounts, "allocatable": amounts}))
    lab.eventually(
        lambda: [each for each in lab.list("v1", "Node") if is_true(each, "Ready") and not _tainted(each)],
        lambda ready: len(ready) == len(places),
    )


def _tainted(node: dict[str, Any]) -> bool:
    return any(each["key"].startswith("node.kubernetes.io/") for each in node["spec"].get("taints", ()))


def condition(each: dict[str, Any], kind: str) -> dict[str, Any]:
    """A condition of an object; empty where nobody has set it."""
    return next((found for found in each.get("status", {}).get("conditions", ()) if found["type"] == kind), {})


def is_true(each: dict[str, Any], kind: str) -> bool | None:
    """The status of a condition; None where nobody has set it."""
    found = condition(each, kind)
    return found["status"] == "True" if found else None


def gang_of(pod: dict[str, Any]) -> str:
    """The gang of a pod."""
    name: str = pod["metadata"]["labels"]["app.kubernetes.io/name"]
    return name


def hosts(lab: GangControlPlane) -> dict[str, list[str]]:
    """The nodes of the pods that have one and stay, by gang."""
    found: dict[str, list[str]] = {}
    for pod in lab.list("v1", "Pod"):
        if pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"]:
            found.setdefault(gang_of(pod), []).append(pod["spec"]["nodeName"])
    return {name: sorted(nodes) for name, nodes in found.items()}


def training(name: str, nodes: GpuNodes, **given: Any) -> GpuGang:
    """A training of two whole nodes that ends never, in a chart of its own."""
    chart = Chart(App(), name, namespace=NAMESPACE)
    whole = {"size": 2, "gpus": CARDS, "kind": "JobSet", "pod_annotations": {"lab/runs-on": "for ever"}}
    return GpuGang(chart, name, nodes=nodes, image="training:1", **{**whole, **given})


def start(lab: GangControlPlane, *gangs: GpuGang) -> None:
    """Apply the charts of gangs, or of queues."""
    for each in gangs:
        lab.apply(each.scope.to_json())


def placed(lab: GangControlPlane, **expected: int) -> dict[str, int]:
    """The number of pods with a node of each gang, once it is as expected."""
    return lab.eventually(lambda: {name: len(nodes) for name, nodes in hosts(lab).items()}, lambda found: found == expected)


def clear(lab: GangControlPlane, *kinds: str) -> None:
    """Delete every gang, and the objects of other kinds by their collections."""
    gangs = [
        f"apis/{api}/namespaces/{NAMESPACE}/{kind}"
        for api, kind in (("jobset.x-k8s.io/v1alpha2", "jobsets"), ("leaderworkerset.x-k8s.io/v1", "leaderworkersets"))
    ]
    for path in (*gangs, *kinds):
        lab.delete_all(path)
    lab.eventually(lambda: lab.list("v1", "Pod"), lambda left: not left, 300)
