"""The stack, quotas and queues on a real control plane: pods run, the next one is refused in Kubernetes' words, and Kueue's objects are taken."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cdk8s import App, Chart
from control_plane import ControlPlane, state_of
from lab_site import Site, furnish
from machines import Card, Machine

from api_server import ApiError
from conftest import needs
from constructs_lib import ArgoCd, Dra, GpuClaim, GpuNodes, GpuQuota, GpuStack, GpuWorkload, KueueQueue, Taint, TimeSlicing
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import get_manifest, synthesize

CARDS = (Card(), Card())
TALOS = "1.13"
RTX = GpuNodes(
    talos_version=TALOS, name="rtx", gpus_per_node=2, count=1, sharing=TimeSlicing(replicas=2), taints=[Taint("dedicated", "ai")]
)
WHOLE = GpuNodes(talos_version=TALOS, name="whole", gpus_per_node=2, count=1)
CLAIMED = GpuNodes(talos_version=TALOS, name="claimed", gpus_per_node=2, count=1, dra=Dra())
PLAIN = Machine("plain", "", "customization: {systemExtensions: {officialExtensions: []}}", TALOS, ())


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of Argo CD, Flux, Prometheus, NFD and Kueue (tools/reference.py)"))
    with ControlPlane(assets) as started:
        furnish(started, crds)
        started.apply(yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(crds.glob("kueue.x-k8s.io_*.yaml")))
        yield started


def machine(nodes: GpuNodes) -> Machine:
    return Machine(f"gpu-{nodes.name}", MachineConfigPatch(nodes=nodes).text, Schematic(nodes=nodes).text, TALOS, CARDS)


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def pod(name: str, gpus: int) -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": gpus}} if gpus else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team"},
        "spec": {"containers": [{"name": "a", "image": "a", "resources": resources}]},
    }


def refusal(lab: ControlPlane, manifest: dict[str, Any]) -> str:
    """The words in which the API server refuses an object."""
    with pytest.raises(ApiError) as refused:
        lab.apply([manifest])
    return str(refused.value)


def test_a_stack_of_two_classes_runs_and_so_do_their_workloads(lab):
    app = App()
    GpuStack(Chart(app, "gpu"), "gpu-stack", nodes=[RTX, CLAIMED], namespace="gpu", delivery=ArgoCd())
    for nodes in (RTX, CLAIMED):
        GpuWorkload(Chart(app, f"team-{nodes.name}", namespace="team"), nodes.name, nodes=nodes, image="example.com/app:1")
    with Site(lab, [machine(RTX), machine(CLAIMED), PLAIN]) as site:
        site.apply([namespace("team")])
        site.apply(sorted(synthesize(app), key=lambda each: each["kind"] != "Namespace"))

        assert site.eventually(site.rollouts, site.desired()) == site.desired()


def test_a_pod_above_the_quota_or_with_too_many_gpus_is_refused_and_one_without_a_gpu_runs(lab):
    app = App()
    GpuStack(Chart(app, "gpu"), "gpu-stack", nodes=WHOLE, monitoring=False)
    team = Chart(app, "team", namespace="team")
    GpuQuota(team, "gpus", nodes=WHOLE, gpus=1, gpus_per_container=1)
    GpuWorkload(team, "first", nodes=WHOLE, image="example.com/app:1")
    with Site(lab, [machine(WHOLE), PLAIN]) as site:
        site.apply([namespace("team")])
        site.apply(sorted(synthesize(app), key=lambda each: each["kind"] not in ("ResourceQuota", "LimitRange")))
        assert site.eventually(site.rollouts, site.desired()) == site.desired()

        used = "requests.nvidia.com/gpu=1"
        words = refusal(lab, pod("next", 1))
        assert words == f'pods "next" is forbidden: exceeded quota: gpus, requested: {used}, used: {used}, limited: {used}'
        words = refusal(lab, pod("two", 2))
        assert words == 'pods "two" is forbidden: maximum nvidia.com/gpu usage per Container is 1, but limit is 2'
        site.apply([pod("none", 0)])
        assert lab.eventually(lambda: state_of(lab.get("v1", "Pod", "none", "team")), "Running".__eq__) == "Running"
        limits = lab.get("v1", "Pod", "none", "team")["spec"]["containers"][0]["resources"]["limits"]
        assert limits == {"nvidia.com/gpu": "0"}


def test_a_claim_above_the_quota_is_refused(lab):
    app = App()
    team = Chart(app, "team", namespace="team")
    GpuQuota(team, "gpus", nodes=CLAIMED, gpus=1)
    GpuClaim(team, "claim", nodes=CLAIMED, gpus=2)
    quota, template = (get_manifest(synthesize(app), kind) for kind in ("ResourceQuota", "ResourceClaimTemplate"))
    claim = {**template, **template["spec"], "kind": "ResourceClaim"}
    with Site(lab, [PLAIN]) as site:
        site.apply([namespace("team"), quota])
        devices = "gpu.nvidia.com.deviceclass.resource.k8s.io/devices"
        question = lambda: lab.get("v1", "ResourceQuota", "gpus", "team")["status"].get("used")  # noqa: E731
        assert lab.eventually(question) == {devices: "0"}

        words = refusal(lab, claim)

    name = claim["metadata"]["name"]
    assert words == (
        f'resourceclaims.resource.k8s.io "{name}" is forbidden: exceeded quota: gpus, requested: {devices}=2, used: {devices}=0, limited: {devices}=1'
    )


def test_kueue_takes_the_objects_and_a_flavor_has_the_labels_and_taints_of_its_machines(lab):
    app = App()
    chart = Chart(app, "queues")
    KueueQueue(chart, "gpus", nodes=[RTX, WHOLE], namespaces=["team"], cohort="all")
    KueueQueue(chart, "claims", nodes=CLAIMED, namespaces=["team", "other"])
    unnamed = App()
    KueueQueue(Chart(unnamed, "queues"), "any", nodes=GpuNodes(talos_version=TALOS), namespaces=["team"], gpus=4)
    objects = synthesize(app) + synthesize(unnamed)
    with Site(lab, [machine(RTX), machine(WHOLE), machine(CLAIMED)]) as site:
        site.apply([namespace("team"), namespace("other")])
        site.apply(objects)

        assert sorted(each["kind"] for each in objects) == ["ClusterQueue"] * 3 + ["LocalQueue"] * 4 + ["ResourceFlavor"] * 4
        stored = lab.get("kueue.x-k8s.io/v1beta2", "ClusterQueue", "gpus")["spec"]
        assert stored["resourceGroups"] == get_manifest(objects, "ClusterQueue", "gpus")["spec"]["resourceGroups"]
        for nodes in (RTX, WHOLE, CLAIMED):
            flavor = lab.get("kueue.x-k8s.io/v1beta2", "ResourceFlavor", str(nodes.name))["spec"]
            node = lab.get("v1", "Node", f"gpu-{nodes.name}")
            assert flavor["nodeLabels"].items() <= node["metadata"]["labels"].items()
            assert flavor.get("nodeTaints", []) == node["spec"].get("taints", [])
