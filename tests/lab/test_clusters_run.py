"""Every cluster of dist/ on a real control plane, with real Kueue and JobSet: everything runs, as many GPU pods as the class of nodes says, and every change comes to its end.

The machines have the Talos files of dist/, and the objects are applied in the order of the files, as GitOps would.
"""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from agents import PRESENT
from control_plane import ControlPlane
from gang_controllers import GangControlPlane
from lab_site import Site, furnish
from machines import Card, Machine

import main
from conftest import needs
from constructs_lib import GpuNodes

ROOT = Path(__file__).resolve().parents[2]
CLUSTERS = [cluster.__name__.replace("_", "-") for cluster in main.CLUSTERS]


class Hardware(NamedTuple):
    """The machines of a class in one cluster, and the workload that the class is for."""

    machines: int
    cards: tuple[Card, ...]
    workload: str
    control_plane: bool = False
    profile: str | None = None


H100 = Card("NVIDIA H100 80GB HBM3", 81559, "0302")
RTX_5070 = Card("NVIDIA GeForce RTX 5070 Ti", 16303)
HARDWARE: dict[str, dict[str, Hardware]] = {
    "operator-argocd": {"": Hardware(1, (RTX_5070,), "ollama")},
    "operator-flux": {"": Hardware(1, (RTX_5070,), "ollama")},
    "standalone-shared": {"": Hardware(2, (RTX_5070,), "ollama")},
    "runtime-class-taint": {"": Hardware(1, (Card("NVIDIA GeForce RTX 2070 SUPER", 8192),), "smoke-test")},
    "single-node-h100": {"": Hardware(1, (Card("NVIDIA H100 NVL", 95830, "0302"),) * 2, "vllm", control_plane=True)},
    "today": {
        "rtx": Hardware(2, (Card(),) * 2, "ollama"),
        "h100": Hardware(1, (H100,) * 8, "vllm"),
    },
    "llm-platform": {
        "serving": Hardware(1, (H100,) * 8, "llama"),
        "training": Hardware(2, (H100,) * 8, "finetune"),
        "partitioned": Hardware(1, (H100,) * 8, "ada", profile="1g.10gb"),
    },
}
PLAIN_IMAGE = "customization: {systemExtensions: {officialExtensions: []}}"


def gpu_machines(cluster: str) -> list[Machine]:
    folder = ROOT / "dist" / cluster / "talos"
    machines = []
    for prefix, hardware in HARDWARE[cluster].items():
        names = [f"{prefix}-{part}" if prefix else part for part in ("machine-config.yaml", "schematic.yaml", "installer-image.txt")]
        config, schematic, image = ((folder / name).read_text(encoding="utf-8") for name in names)
        talos = image.strip().rpartition(":v")[2]
        for index in range(hardware.machines):
            name = f"{prefix or 'gpu'}-{index}"
            machines.append(Machine(name, config, schematic, talos, hardware.cards, hardware.control_plane))
    return machines


def other_machines(cluster: str) -> list[Machine]:
    """A control plane and a worker without GPUs, beside GPU nodes that are workers."""
    machine = gpu_machines(cluster)[0]
    if machine.control_plane:
        return []
    return [Machine(name, "", PLAIN_IMAGE, machine.talos, (), name == "control") for name in ("control", "plain")]


def written(cluster: str) -> list[dict[str, Any]]:
    """The objects of dist/, file after file."""
    files = sorted((ROOT / "dist" / cluster / "manifests").glob("*.yaml"))
    return [made for file in files for made in yaml.safe_load_all(file.read_text(encoding="utf-8"))]


class _DescribedError(Exception):
    pass


def described(cluster: str, monkeypatch: pytest.MonkeyPatch) -> list[GpuNodes]:
    """The classes of nodes that main.py describes for the cluster."""
    classes: list[GpuNodes] = []

    def recorded(**arguments: Any) -> GpuNodes:
        classes.append(GpuNodes(**arguments))
        return classes[-1]

    def enough(*_: object, **__: object) -> None:
        raise _DescribedError

    monkeypatch.setattr(main, "GpuNodes", recorded)
    monkeypatch.setattr(main, "os_layer", enough)
    with pytest.raises(_DescribedError):
        getattr(main, cluster.replace("-", "_"))(None)
    return classes


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of Argo CD, Flux, Prometheus and NFD (tools/reference.py)"))
    gangs = Path(needs("GANG_ASSETS", "the folder with Kueue and JobSet (tools/kueue.sh)"))
    with GangControlPlane(assets, gangs) as started:
        furnish(started, crds)
        yield started


@pytest.fixture(scope="module", params=CLUSTERS)
def cluster(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def site(lab: ControlPlane, cluster: str) -> Iterator[Site]:
    with Site(lab, [*gpu_machines(cluster), *other_machines(cluster)]) as site:
        site.apply(written(cluster))
        yield site


def runs(site: Site) -> bool:
    """Whether every workload has its pods, and every pod runs or has ended."""
    complete = site.eventually(site.rollouts, site.desired()) == site.desired()
    return complete and site.eventually(lambda: set(site.pods().values()) <= {"Running", "Succeeded"}, expected=True)


def test_every_pod_runs_on_the_nodes_that_are_meant_and_every_claim_is_bound(site):
    assert site.eventually(site.rollouts, site.desired()) == site.desired()
    assert set(site.pods().values()) <= {"Running", "Succeeded"}
    claims = site.lab.list("v1", "PersistentVolumeClaim")
    assert [each["metadata"]["name"] for each in claims if each["status"]["phase"] != "Bound"] == []
    # No pod of a DaemonSet or a workload for GPUs is on a machine without one.
    nodes = {each["spec"]["nodeName"] for each in site.lab.list("v1", "Pod")}
    assert nodes <= {machine.name for machine in site.machines if machine.cards}


def requested(site: Site, nodes: GpuNodes, resource: str) -> int:
    """The GPUs, or partitions, of a class that running pods have."""
    names = {machine.name for machine in site.of_class(nodes.name or "default")}
    pods = [each for each in site.lab.list("v1", "Pod") if each["spec"].get("nodeName") in names and each["status"]["phase"] == "Running"]
    limits = [container.get("resources", {}).get("limits", {}) for pod in pods for container in pod["spec"]["containers"]]
    return sum(int(each.get(resource, 0)) for each in limits)


def filled(site: Site, cluster: str, nodes: GpuNodes, more: int) -> list[str]:
    """The states of added pods: one for each GPU that the class still offers, and some more."""
    hardware = HARDWARE[cluster][nodes.name or ""]
    resource, offered = nodes.resource(hardware.profile), nodes.advertised(hardware.profile)
    assert offered is not None
    free = hardware.machines * offered - requested(site, nodes, resource)
    states = list(site.filled(hardware.workload, resource, free + more).values())
    assert states.count("Running") == free
    return [state for state in states if state != "Running"]


def test_as_many_gpu_pods_run_at_once_as_the_class_advertises_and_the_next_one_is_pending(site, cluster, monkeypatch):
    assert runs(site)
    for nodes in described(cluster, monkeypatch):
        (pending,) = filled(site, cluster, nodes, more=1)

        assert f"Insufficient {nodes.resource(HARDWARE[cluster][nodes.name or ''].profile)}" in pending
    site.clear()


def changed_image(owner: dict[str, Any]) -> dict[str, Any]:
    changed = copy.deepcopy(owner)
    for container in changed["spec"]["template"]["spec"]["containers"]:
        container["image"] = f"{container['image'].partition('@')[0]}-next"
    return changed


def test_a_changed_image_rolls_out_to_its_end_while_no_gpu_is_free(site, cluster, monkeypatch):
    assert runs(site)
    for nodes in described(cluster, monkeypatch):
        filled(site, cluster, nodes, more=0)
    before = copy.deepcopy(site.objects)
    rolled = [each for each in before if each["kind"] in ("Deployment", "DaemonSet", "StatefulSet")]
    assert rolled

    site.apply([changed_image(each) for each in rolled])

    assert site.eventually(site.rollouts, site.desired()) == site.desired()
    templates = [site.template(each["metadata"]["name"])[1]["spec"]["containers"][0]["image"] for each in rolled]
    running = {container["image"] for pod in site.lab.list("v1", "Pod") for container in pod["spec"]["containers"]}
    assert running.issuperset(templates)
    site.clear()
    site.apply(rolled)
    assert runs(site)


def agents_of(site: Site) -> dict[str, int]:
    return {name: number for name, number in site.desired().items() if name.startswith("DaemonSet/")}


def rollouts_of(site: Site, names: dict[str, int]) -> dict[str, int]:
    return {name: number for name, number in site.rollouts().items() if name in names}


def owners_of(pod: dict[str, Any]) -> list[str]:
    return [each["kind"] for each in pod["metadata"].get("ownerReferences", ())]


def cordon(site: Site, machine: Machine, *, unschedulable: bool) -> None:
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": machine.name}}
    site.lab.patch({**node, "spec": {"unschedulable": True} if unschedulable else {}}, manager="kubectl")


def test_a_drained_node_keeps_its_agents_and_gets_its_workloads_back(site):
    assert runs(site)
    machines = [machine for machine in site.machines if machine.cards]
    for machine in machines:
        cordon(site, machine, unschedulable=True)

    for pod in site.lab.list("v1", "Pod"):
        if "ReplicaSet" in owners_of(pod):
            eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod["metadata"]["name"]}}
            site.lab.post(f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}/eviction", eviction)

    workloads = sum(number for name, number in site.desired().items() if name.startswith("Deployment/"))
    refused = lambda: sum("unschedulable" in state for state in site.pods().values())  # noqa: E731
    assert site.eventually(refused, workloads) == workloads
    assert site.eventually(lambda: rollouts_of(site, agents_of(site)), agents_of(site)) == agents_of(site)
    for machine in machines:
        cordon(site, machine, unschedulable=False)
    assert runs(site)


def test_a_taint_of_somebody_else_takes_the_pods_away_until_it_goes(site):
    assert runs(site)
    machines = [machine for machine in site.machines if machine.cards]
    taint = {"key": "example.com/maintenance", "effect": "NoExecute"}
    for machine in machines:
        node = machine.node()
        site.lab.apply([{**node, "spec": {"taints": [*machine.taints, taint]}}])

    none = dict.fromkeys(agents_of(site), 0)
    assert site.eventually(lambda: rollouts_of(site, none), none) == none
    assert site.eventually(lambda: [state for state in site.pods().values() if state == "Running"], []) == []

    for machine in machines:
        site.lab.apply([machine.node()])
    assert runs(site)


def test_a_node_that_loses_its_labels_loses_its_agents_until_talos_sets_the_labels_again(site):
    assert runs(site)
    assert agents_of(site)
    machines = [machine for machine in site.machines if machine.cards]
    for machine in machines:
        node = machine.node()
        ours = {key: value for key, value in machine.labels.items() if key.startswith("kubernetes.io/")}
        site.lab.apply([{**node, "metadata": {"name": machine.name, "labels": ours}}])

    # The operator and the rule of NFD set gpu.present too.
    left = {
        name: number if site.template(name.partition("/")[2])[1]["spec"].get("nodeSelector") == {PRESENT: "true"} else 0
        for name, number in agents_of(site).items()
    }
    assert site.eventually(lambda: rollouts_of(site, left), left) == left

    for machine in machines:
        site.lab.apply([machine.node()])
    assert runs(site)


def test_a_rebooted_node_takes_a_gpu_pod_as_soon_as_its_plugin_has_started(site, cluster, monkeypatch):
    assert runs(site)
    nodes = described(cluster, monkeypatch)[0]
    hardware = HARDWARE[cluster][nodes.name or ""]
    rebooted = {machine.name for machine in site.machines if machine.cards}
    site.agents.unplugged |= rebooted
    allocatable = lambda: {  # noqa: E731
        site.lab.get("v1", "Node", name)["status"]["allocatable"].get(nodes.resource_name) for name in rebooted
    }
    assert site.eventually(allocatable, {"0"}) == {"0"}
    site.restart()
    if not any(name.startswith("Deployment/") for name in site.desired()):  # the smoke test has ended
        site.lab.apply([site.another_pod(hardware.workload, "more")])

    waits = lambda: any(f"Insufficient {nodes.resource_name}" in state for state in site.pods().values())  # noqa: E731
    assert site.eventually(waits, expected=True)

    site.agents.unplugged.clear()
    assert runs(site)
    site.clear()
