"""Claims where the DRA driver makes MIG partitions itself: the real scheduler counts the slices of the card, and gives it whole or in partitions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from control_plane import ControlPlane
from dra_slices import API, DRIVER, device_classes

from conftest import needs
from constructs_lib import Dra, GpuNodes, gpu_claim, gpu_pod
from constructs_lib.manifests.dra.settings import DraDriverSettings

NODES = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra())
NODE, PROFILE, SLICES = "gpu-1", "3g.40gb", 8
COUNTERS = "gpu-0-counter-set"


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    driver = DraDriverSettings(nodes=[NODES], dynamic_mig=True, mig_profiles=[PROFILE], kubernetes_version="1.36")
    with ControlPlane(Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))) as started:
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE, "labels": {"role": "gpu"}}}
        started.apply([node, *device_classes(), driver.companions[f"DeviceClass-{PROFILE}"]])
        started.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ai"}}])
        started.patch_status({**node, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}})
        started.apply(resource_slices())
        started.apply([gpu_claim(nodes=NODES, namespace="ai", profile=PROFILE), gpu_claim(nodes=NODES, namespace="ai")])
        yield started


def resource_slices() -> list[dict[str, Any]]:
    """The slices of one card as the driver publishes them from Kubernetes 1.35 on: the counters, and the card with its possible partitions
    (cmd/gpu-kubelet-plugin/driver.go, generateSplitResourceSlices)."""
    counters = {f"memory-slice-{number}": {"value": "1"} for number in range(SLICES)}
    devices = [device("gpu-0", "gpu", range(SLICES))]
    devices += [device(f"gpu-0-mig-3g40gb-9-{start}", "mig", range(start, start + 4)) for start in (0, 4)]
    parts: list[dict[str, Any]] = [{"sharedCounters": [{"name": COUNTERS, "counters": counters}]}, {"devices": devices}]
    pool = {"name": NODE, "generation": 1, "resourceSliceCount": len(parts)}
    return [
        {
            "apiVersion": API,
            "kind": "ResourceSlice",
            "metadata": {"name": f"{NODE}-{number}"},
            "spec": {"driver": DRIVER, "nodeName": NODE, "pool": pool, **part},
        }
        for number, part in enumerate(parts)
    ]


def device(name: str, kind: str, slices: range) -> dict[str, Any]:
    profile = {"profile": {"string": PROFILE}} if kind == "mig" else {}
    taken = {f"memory-slice-{number}": {"value": "1"} for number in slices}
    consumed = [{"counterSet": COUNTERS, "counters": taken}]
    return {"name": name, "attributes": {"type": {"string": kind}, **profile}, "consumesCounters": consumed}


def pod(name: str, profile: str | None) -> dict[str, Any]:
    template = gpu_pod({"spec": {"containers": [{"name": "a", "image": "app:1"}]}}, nodes=NODES, profile=profile)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ai"}, "spec": template["spec"]}


def running(lab: ControlPlane) -> set[str]:
    return {each["metadata"]["name"] for each in lab.list("v1", "Pod") if each["status"]["phase"] == "Running"}


def waiting(lab: ControlPlane) -> str:
    return "".join(str(each["status"].get("conditions")) for each in lab.list("v1", "Pod") if each["status"]["phase"] == "Pending")


def test_a_card_serves_partitions_or_is_whole(lab):
    lab.apply([pod("small-1", PROFILE), pod("small-2", PROFILE)])
    assert lab.eventually(lambda: running(lab), lambda found: len(found) == 2) == {"small-1", "small-2"}

    lab.apply([pod("whole", None)])
    assert "cannot allocate all claims" in lab.eventually(lambda: waiting(lab), lambda found: "cannot allocate" in found)
    for name in ("small-1", "small-2"):
        lab.delete(pod(name, PROFILE))
    assert lab.eventually(lambda: running(lab), lambda found: found == {"whole"}) == {"whole"}
    lab.apply([pod("small-3", PROFILE)])
    assert "cannot allocate all claims" in lab.eventually(lambda: waiting(lab), lambda found: "cannot allocate" in found)
