"""TG153 and TG154 with real Kueue and real JobSet: the findings say what happens, and what they do not find runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from control_plane import state_of
from gang_controllers import GangControlPlane

from conftest import needs
from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_manifests

NAMESPACE, GPU, KUEUE = "queues", "nvidia.com/gpu", "kueue.x-k8s.io/v1beta2"
CARDS = 4
NODES = GpuNodes(talos_version="1.14", name="gpu", count=1, gpus_per_node=CARDS)


@pytest.fixture(scope="module")
def lab() -> Iterator[GangControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    gangs = Path(needs("GANG_ASSETS", "the folder with Kueue and JobSet (tools/kueue.sh)"))
    with GangControlPlane(assets, gangs) as started:
        started.apply([manifest("v1", "Namespace", NAMESPACE, namespace=None)])
        labels = {**NODES.node_labels, "kubernetes.io/hostname": "gpu-1", "kubernetes.io/os": "linux"}
        started.create(manifest("v1", "Node", "gpu-1", namespace=None, metadata={"labels": labels}))
        amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: str(CARDS)}
        started.patch_status(manifest("v1", "Node", "gpu-1", namespace=None, status={"capacity": amounts, "allocatable": amounts}))
        started.eventually(lambda: started.get("v1", "Node", "gpu-1")["spec"].get("taints", []), lambda left: not left)
        yield started


def manifest(api_version: str, kind: str, name: str, *, namespace: str | None = NAMESPACE, **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def queue(gpus: int) -> list[dict[str, Any]]:
    flavor = {"name": "gpu", "resources": [{"name": GPU, "nominalQuota": gpus}]}
    return [
        manifest(KUEUE, "ResourceFlavor", "gpu", namespace=None, spec={"nodeLabels": dict(NODES.node_selector)}),
        manifest(
            KUEUE, "ClusterQueue", "gpus", namespace=None,
            spec={"namespaceSelector": {}, "resourceGroups": [{"coveredResources": [GPU], "flavors": [flavor]}]},
        ),
        manifest(KUEUE, "LocalQueue", "gpus", spec={"clusterQueue": "gpus"}),
    ]  # fmt: skip


def container(gpus: int) -> dict[str, Any]:
    return {"name": "main", "image": "a/b:1", "resources": {"limits": {GPU: gpus}}}


def server(gpus: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "server"}}, "spec": {"containers": [container(gpus)]}}
    spec = {"replicas": 1, "strategy": {"type": "Recreate"}, "selector": {"matchLabels": {"app": "server"}}, "template": template}
    return manifest("apps/v1", "Deployment", "server", spec=spec)


def gang(pods: int) -> dict[str, Any]:
    template = {
        "metadata": {"annotations": {"lab/runs-on": "for ever"}},
        "spec": {"restartPolicy": "Never", "containers": [container(1)]},
    }
    job = {"parallelism": pods, "completions": pods, "backoffLimit": 0, "template": template}
    spec = {"replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": job}}]}
    return manifest("jobset.x-k8s.io/v1alpha2", "JobSet", "gang", metadata={"labels": {"kueue.x-k8s.io/queue-name": "gpus"}}, spec=spec)


def found(objects: list[dict[str, Any]], *severities: str) -> set[str]:
    """The rules about sums that speak, with one of these severities."""
    findings = run_rules(read_manifests([("app", each) for each in objects], nodes=[NODES]))
    return {each.rule for each in findings if not severities or str(each.severity) in severities} & {"TG153", "TG154"}


@pytest.fixture
def played(lab):
    """The states of the pods of the gang, and what Kueue says of it, once both are settled."""
    applied = []

    def play(*objects: dict[str, Any]) -> tuple[list[str], str]:
        for each in objects:
            lab.apply([each])
            applied.append(each)
        admitted = lab.eventually(lambda: said(lab), bool)
        if "couldn't assign" in admitted:
            return [], admitted
        pods = objects[-1]["spec"]["replicatedJobs"][0]["template"]["spec"]["parallelism"]
        return lab.eventually(lambda: states(lab), lambda seen: len(seen) == pods and all(seen)), admitted

    yield play
    for each in reversed(applied):
        lab.delete(each)
    lab.eventually(lambda: [*lab.list("v1", "Pod"), *lab.list(KUEUE, "Workload"), *lab.list(KUEUE, "ClusterQueue")], lambda left: not left)


def said(lab: GangControlPlane) -> str:
    """The final word of Kueue about the workload; empty before."""
    for each in lab.list(KUEUE, "Workload"):
        for condition in each.get("status", {}).get("conditions", ()):
            if (condition["type"] == "Admitted" and condition["status"] == "True") or "couldn't assign" in condition["message"]:
                return str(condition["message"])
    return ""


def states(lab: GangControlPlane) -> list[str]:
    """What is known of each pod of the gang: empty before the scheduler or the kubelet has spoken, and while another pod gives way."""
    pods = [each for each in lab.list("v1", "Pod") if each["metadata"]["name"].startswith("gang-")]
    return sorted(text if _is_settled(text := state_of(each)) else "" for each in pods)


def _is_settled(text: str) -> bool:
    return text == "Running" or ("Insufficient" in text and "found a potential placement" not in text)


def test_kueue_admits_pods_onto_gpus_that_a_server_holds_and_they_stay_pending(played):
    objects = [*queue(3), server(2), gang(3)]
    pods, admitted = played(*objects)

    assert found(objects) == {"TG153"}
    assert "admitted" in admitted.lower()
    assert pods[0].startswith(f"0/1 nodes are available: 1 Insufficient {GPU}. ")
    assert pods[1:] == ["Running", "Running"]


def test_the_pods_of_the_queue_preempt_a_server_of_a_lower_priority(lab, played):
    low = server(2)
    low["spec"]["template"]["spec"]["priorityClassName"] = "low"
    objects = [manifest("scheduling.k8s.io/v1", "PriorityClass", "low", namespace=None, value=-1), *queue(3), low, gang(3)]
    pods, _ = played(*objects)

    assert found(objects, "remark") == {"TG153"}
    assert found(objects, "error", "warning") == set()
    assert pods == ["Running"] * 3
    assert any(each["reason"] == "Preempted" and each["involvedObject"]["name"].startswith("server-") for each in lab.list("v1", "Event"))


def test_with_the_quota_that_the_server_leaves_what_kueue_admits_runs(played):
    objects = [*queue(2), server(2), gang(2)]
    pods, _ = played(*objects)

    assert found(objects) == set()
    assert pods == ["Running", "Running"]


def test_a_gang_that_is_larger_than_its_queue_is_never_admitted(played):
    objects = [*queue(2), gang(3)]
    pods, words = played(*objects)

    assert found(objects) == {"TG154"}
    assert pods == []
    assert words == (
        "couldn't assign flavors to pod set node: insufficient quota for nvidia.com/gpu in flavor gpu, previously considered podsets requests (0) + current "
        "podset request (3) > maximum capacity (2)"
    )
