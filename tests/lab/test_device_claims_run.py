"""A limit that DRA serves, a tainted device and admin access, on a real API server, scheduler and controllers of the Kubernetes that is there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cdk8s import App, Chart, Testing
from control_plane import ControlPlane
from dra_slices import API, DRIVER, device_classes

from api_server import ApiError
from conftest import needs
from constructs_lib import Dra, GpuNodes, GpuQuota, GpuWorkload, device_taint_rule, gpu_claim
from constructs_lib.upstream.kubernetes.dra_gates import DRA_GATES

NODES = GpuNodes(talos_version="1.14", dra=Dra())
NODE = "gpu-1"


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    with ControlPlane(Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))) as started:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE, "labels": {"kubernetes.io/hostname": NODE}}}
        started.apply([node, *device_classes()])
        started.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ai"}}])
        started.patch_status({**node, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}})
        started.apply([resource_slice()])
        yield started


def resource_slice() -> dict[str, Any]:
    attributes = {"type": {"string": "gpu"}}
    spec = {
        "driver": DRIVER,
        "nodeName": NODE,
        "pool": {"name": NODE, "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"gpu-{index}", "attributes": attributes} for index in range(2)],
    }
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": "gpu-1"}, "spec": spec}


def by_limit(name: str) -> dict[str, Any]:
    container = {"name": "a", "image": "app:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ai"}, "spec": {"containers": [container]}}


def minor(lab: ControlPlane) -> int:
    return int(lab._call("GET", "/version", {})[0]["minor"])


def state(lab: ControlPlane, name: str) -> str:
    """The phase of the pod, or what the scheduler says; empty where the pod is gone."""
    pods = [each for each in lab.list("v1", "Pod") if each["metadata"]["name"] == name and "deletionTimestamp" not in each["metadata"]]
    if not pods:
        return ""
    return " ".join([pods[0]["status"]["phase"], *(each.get("message", "") for each in pods[0]["status"].get("conditions", []))])


def devices(lab: ControlPlane) -> set[str]:
    claims = lab.list(API, "ResourceClaim")
    return {
        each["device"] for claim in claims for each in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
    }


def test_plain_limits_are_served_by_dra_where_the_gate_is_on(lab):
    lab.apply([by_limit(f"limit-{index}") for index in range(3)])

    states = lab.eventually(
        lambda: [state(lab, f"limit-{index}") for index in range(3)],
        lambda found: sum("Running" in each for each in found) == 2 and any("cannot allocate all claims" in each for each in found),
    )
    assert minor(lab) >= DRA_GATES["DRAExtendedResource"].on_since
    assert sorted("Running" in each for each in states) == [False, True, True]
    assert devices(lab) == {"gpu-0", "gpu-1"}
    for index in range(3):
        lab.delete(by_limit(f"limit-{index}"))
    assert lab.eventually(lambda: devices(lab), lambda found: not found) == set()


def test_workloads_of_limits_by_dra_run_and_a_quota_counts_their_limits(lab):
    nodes = GpuNodes(talos_version="1.14", labels={"kubernetes.io/hostname": NODE}, dra=Dra(extended_resource=True))
    team = Chart(App(), "team", namespace="ai")
    GpuQuota(team, "gpus", nodes=nodes, gpus=1, gpus_per_container=1)
    GpuWorkload(team, "served", nodes=nodes, image="app:1")
    lab.apply(sorted(Testing.synth(team), key=lambda each: each["kind"] == "Deployment"))

    deployed = lambda: lab.get("apps/v1", "Deployment", "served", "ai")  # noqa: E731
    assert lab.eventually(lambda: deployed()["status"].get("readyReplicas"), bool) == 1
    assert len(devices(lab)) == 1
    assert lab.list(API, "ResourceClaimTemplate") == []
    with pytest.raises(ApiError, match=r"exceeded quota: gpus, requested: requests\.nvidia\.com/gpu=1, used: requests\.nvidia\.com/gpu=1"):
        lab.apply([by_limit("above")])
    for manifest in Testing.synth(team):
        lab.delete(manifest)
    assert lab.eventually(lambda: devices(lab), lambda found: not found) == set()


def test_a_rule_takes_a_device_out_where_the_api_is_served_and_is_refused_where_it_is_not(lab):
    rule = device_taint_rule(node=NODE, device="gpu-0", kubernetes_version=f"1.{minor(lab)}", effect="NoExecute")
    if minor(lab) < DRA_GATES["DRADeviceTaintRules"].on_since:
        with pytest.raises(ApiError, match="has no kind DeviceTaintRule"):
            lab.apply([rule])
        return
    lab.apply([by_limit("taken-0"), by_limit("taken-1")])
    assert lab.eventually(lambda: devices(lab), lambda found: len(found) == 2) == {"gpu-0", "gpu-1"}
    lab.apply([rule])

    assert lab.eventually(lambda: devices(lab), lambda found: found == {"gpu-1"}) == {"gpu-1"}
    lab.apply([by_limit("waits")])
    assert "cannot allocate all claims" in lab.eventually(lambda: state(lab, "waits"), lambda found: "cannot allocate" in found)
    lab.delete(rule)
    assert "Running" in lab.eventually(lambda: state(lab, "waits"), lambda found: "Running" in found)


def test_admin_access_needs_the_label_of_the_namespace(lab):
    claim = gpu_claim(nodes=NODES, namespace="ai", admin_access=True)
    with pytest.raises(ApiError, match="admin-access"):
        lab.apply([claim])

    labels = {"resource.kubernetes.io/admin-access": "true"}
    lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ai", "labels": labels}}, claim])
    assert (
        lab.get(API, "ResourceClaimTemplate", "gpu-admin", "ai")["spec"]["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] is True
    )
