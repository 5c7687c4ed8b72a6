"""The ComputeDomain of a gang on a real API server with upstream's CRD, and its channel on the real scheduler. Upstream's controller is played."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cdk8s import App, Chart, Testing
from control_plane import ControlPlane
from dra_slices import API, DRIVER, device_classes

from api_server import ApiError
from conftest import needs
from constructs_lib import Dra, GpuGang, GpuNodes, TalosGpuWarning

NODES = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, gpus_per_node=4, count=2, dra=Dra())
CHANNEL = "compute-domain.nvidia.com"


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    (crd,) = Path(needs("GANG_ASSETS", "the folder of tools/kueue.sh")).glob("computedomains-*.yaml")
    with ControlPlane(assets) as started:
        started.apply([yaml.safe_load(crd.read_text()), *device_classes(), channel_class()])
        started.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ai"}}])
        for name in ("tray-1", "tray-2"):
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"role": "gpu"}}}
            started.apply([node])
            started.patch_status({**node, "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}}})
            started.apply([slice_of(name, DRIVER, [("gpu", index) for index in range(4)]), slice_of(name, CHANNEL, [("channel", 0)])])
        yield started


def channel_class() -> dict[str, Any]:
    """templates/deviceclass-compute-domain-default-channel.yaml of the chart."""
    expression = (
        f"device.driver == '{CHANNEL}' && device.attributes['{CHANNEL}'].type == 'channel' && device.attributes['{CHANNEL}'].id == 0"
    )
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    return {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": "compute-domain-default-channel.nvidia.com"}, "spec": spec}


def slice_of(node: str, driver: str, devices: list[tuple[str, int]]) -> dict[str, Any]:
    listed = [{"name": f"{kind}-{index}", "attributes": {"type": {"string": kind}, "id": {"int": index}}} for kind, index in devices]
    spec = {"driver": driver, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": listed}
    return {"apiVersion": API, "kind": "ResourceSlice", "metadata": {"name": f"{node}-{driver}"}, "spec": spec}


def template_of_the_controller(domain: dict[str, Any]) -> dict[str, Any]:
    """templates/compute-domain-workload-claim-template.tmpl.yaml of the driver."""
    exactly = {"deviceClassName": "compute-domain-default-channel.nvidia.com"}
    name, place = domain["spec"]["channel"]["resourceClaimTemplate"]["name"], domain["metadata"]["namespace"]
    spec = {"spec": {"devices": {"requests": [{"name": "channel", "exactly": exactly}]}}}
    return {"apiVersion": API, "kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": place}, "spec": spec}


def gang() -> dict[str, dict[str, Any]]:
    chart = Chart(App(), "ai", namespace="ai")
    with pytest.warns(TalosGpuWarning, match="no extension of Talos names this program"):
        GpuGang(chart, "train", nodes=NODES, image="app:1", size=2, gpus=2, compute_domain=True)
    return {each["kind"]: each for each in Testing.synth(chart)}


def test_upstreams_crd_takes_the_object_as_it_is_and_refuses_what_it_can_not_serve(lab):
    domain = gang()["ComputeDomain"]
    lab.apply([domain])

    assert lab.get("resource.nvidia.com/v1beta1", "ComputeDomain", "train", "ai")["spec"] == domain["spec"]
    other = copy.deepcopy(domain)
    other["spec"]["channel"]["resourceClaimTemplate"]["name"] = "other"
    with pytest.raises(ApiError, match=r"A computeDomain\.spec is immutable"):
        lab.apply([other])
    lab.delete(domain)


def test_a_pod_gets_its_gpus_and_the_channel_of_its_node_and_a_node_has_no_second_channel(lab):
    objects = gang()
    spec = objects["LeaderWorkerSet"]["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"]
    lab.apply([objects["ResourceClaimTemplate"], objects["ComputeDomain"]])
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"train-{index}", "namespace": "ai"}, "spec": spec} for index in range(3)
    ]
    lab.apply(pods)

    def seen() -> list[tuple[str, str]]:
        found = sorted(lab.list("v1", "Pod"), key=lambda each: each["metadata"]["name"])
        return [(each["spec"].get("nodeName", ""), str(each["status"].get("conditions"))) for each in found]

    waiting = lab.eventually(seen, lambda found: all("train-channel" in words for _, words in found))
    assert [node for node, _ in waiting] == ["", "", ""]
    lab.apply([template_of_the_controller(objects["ComputeDomain"])])
    placed = lab.eventually(seen, lambda found: sum(bool(node) for node, _ in found) == 2 and "cannot allocate" in str(found))
    assert sorted(node for node, _ in placed) == ["", "tray-1", "tray-2"]
    assert ["cannot allocate all claims" in words for node, words in placed if not node] == [True]
