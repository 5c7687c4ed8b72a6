"""Constructs with every option that changes scheduling, for each Talos, on a real control plane: the pods run, and as many as the class advertises."""

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from cdk8s import App, Chart
from control_plane import ControlPlane
from lab_site import Site, furnish
from machines import Card, Machine

from conftest import needs
from constructs_lib import (
    Dra,
    DraDriver,
    Flux,
    GpuNodes,
    GpuWorkload,
    Mps,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    StandaloneDevicePlugin,
    Taint,
    TimeSlicing,
)
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import synthesize

H100 = Card("NVIDIA H100 80GB HBM3", 81559, "0302")
TALOS = ("1.11", "1.12", "1.13", "1.14", "1.15")
LABELLED: dict[str, Any] = {"labels": {"role": "gpu"}, "taints": [Taint("dedicated", "ai"), Taint("nvidia.com/gpu")]}
SHARED: dict[str, Any] = {"sharing": TimeSlicing(replicas=3)}
MIXED: dict[str, Any] = {"mig_devices": [{"1g.10gb": 3, "2g.20gb": 1}, {}]}


class Case(NamedTuple):
    """The classes of one cluster, how their GPUs are allocated, and the arguments of their workloads."""

    talos: str
    route: str
    classes: tuple[dict[str, Any], ...]
    workload: Mapping[str, Any] = MappingProxyType({})


CASES: dict[str, Case] = {
    **{f"{talos}-{route}": Case(talos, route, ({},)) for talos in TALOS[:4] for route in ("plugin", "operator")},
    **{f"{talos}-{route}-labels": Case(talos, route, (LABELLED | SHARED,)) for talos in TALOS[:4] for route in ("plugin", "operator")},
    "1.15-operator": Case("1.15", "operator", ({},)),
    "1.15-operator-labels": Case("1.15", "operator", (LABELLED | SHARED,)),
    "named": Case("1.14", "plugin", ({"name": "a100"},)),
    "renamed": Case("1.14", "plugin", ({"sharing": TimeSlicing(replicas=2, rename_by_default=True)},)),
    "renamed-operator": Case("1.14", "operator", ({"sharing": TimeSlicing(replicas=2, rename_by_default=True)},)),
    "one-share": Case("1.14", "plugin", ({"sharing": TimeSlicing(replicas=2, fail_requests_greater_than_one=True)},)),
    "mps": Case("1.13", "plugin", ({"sharing": Mps(replicas=4)},)),
    "mps-renamed": Case("1.14", "plugin", ({"sharing": Mps(replicas=2, rename_by_default=True)},)),
    "mig-single": Case("1.14", "plugin", ({"mig_strategy": "single", "mig_devices": {"1g.10gb": 3}},)),
    "mig-single-shared": Case("1.12", "plugin", ({"mig_strategy": "single", "mig_devices": {"2g.20gb": 2}, **SHARED},)),
    "mig-mixed": Case("1.14", "plugin", (MIXED,), {"profile": "1g.10gb"}),
    "mig-mixed-whole-card": Case("1.13", "plugin", (MIXED,)),
    "mig-mixed-shared": Case("1.14", "plugin", (MIXED | SHARED,), {"profile": "2g.20gb"}),
    "mig-mixed-renamed": Case(
        "1.12", "plugin", ({"mig_devices": {"1g.10gb+me": 1}, "sharing": TimeSlicing(replicas=2, rename_by_default=True)},),
        {"profile": "1g.10gb+me"},
    ),
    "mig-beside-operator": Case("1.14", "operator", (MIXED | {"name": "parts"}, {"name": "whole"})),
    "two-plugins": Case("1.13", "plugin", ({"name": "rtx", **SHARED}, {"name": "h100", "taints": [Taint("dedicated", "llm")]})),
    "two-classes-operator": Case("1.12", "operator", ({"name": "rtx", **SHARED}, {"name": "h100", "taints": [Taint("dedicated", "llm")]})),
    "control-plane": Case("1.14", "plugin", ({"taints": [Taint("node-role.kubernetes.io/control-plane")]},)),
    # test_kinds_run.py has the kinds with a device plugin of their own.
    **{f"{talos}-operator-{kind}": Case(talos, "operator", ({},), {"kind": kind}) for talos in TALOS for kind in ("StatefulSet", "Job")},
    **{f"{talos}-dra-{kind}": Case(talos, "dra", ({"dra": Dra()},), {"kind": kind}) for talos in TALOS[2:4] for kind in ("StatefulSet", "Job")},
    "two-gpus": Case("1.11", "plugin", ({},), {"gpus": 2}),
    "lts": Case("1.12", "plugin", ({"driver_track": "lts"},)),
    "proprietary": Case("1.11", "operator", ({"kernel_modules": "proprietary", "driver_track": "lts"},)),
    "dra-1.13": Case("1.13", "dra", ({"dra": Dra()},)),
    "dra": Case("1.14", "dra", ({"dra": Dra(), **LABELLED},)),
    "dra-consumable": Case("1.14", "dra", ({"dra": Dra(share="consumable", shares=3)},)),
    "dra-claim": Case("1.14", "dra", ({"dra": Dra(share="claim")},)),
    "dra-time-slicing": Case("1.14", "dra", ({"dra": Dra(share="time-slicing", interval="Long")},)),
    "dra-selected": Case("1.14", "dra", ({"dra": Dra(selectors=["device.attributes['gpu.nvidia.com'].productName.contains('H100')"])},)),
    "dra-beside-operator": Case("1.14", "dra-operator", ({"dra": Dra(), "name": "claimed"},)),
}  # fmt: skip


def classes_of(case: Case) -> list[GpuNodes]:
    return [GpuNodes(talos_version=case.talos, gpus_per_node=2, count=1, **each) for each in case.classes]


def synthesized(case: Case, classes: list[GpuNodes], key: str, **operator: Any) -> list[dict[str, Any]]:
    """What the constructs of the case emit; each case has its own namespaces. `operator` has further arguments of the GPU operator."""
    app = App()
    agents = Chart(app, "agents", namespace=f"agents-{key}")
    if case.route == "plugin":
        if classes[0].runtime_class:
            NvidiaRuntimeClass(agents, "runtime-class")
        for nodes in classes:
            StandaloneDevicePlugin(agents, f"plugin-{nodes.name}" if nodes.name else "plugin", nodes=nodes)
    if "operator" in case.route:
        NvidiaGpuOperator(agents, "gpu-operator", nodes=classes, namespace=f"operator-{key}", **{"delivery": Flux(), **operator})
        for nodes in classes:
            if nodes.mig_devices is not None:
                StandaloneDevicePlugin(agents, f"plugin-{nodes.name}", nodes=nodes)
    if "dra" in case.route:
        DraDriver(agents, "dra-driver", nodes=classes, namespace=f"driver-{key}", delivery=Flux())
    for index, nodes in enumerate(classes):
        work = Chart(app, f"work-{index}", namespace=f"work-{key}")
        arguments = case.workload if index == 0 else {}
        GpuWorkload(work, f"work-{index}", nodes=nodes, **{"image": "app:1", **arguments})
    return synthesize(app)


def machines_of(case: Case, classes: list[GpuNodes], key: str) -> list[Machine]:
    machines = [Machine(f"plain-{key}", "", "customization: {systemExtensions: {officialExtensions: []}}", case.talos, ())]
    for index, nodes in enumerate(classes):
        control_plane = any(taint.key == "node-role.kubernetes.io/control-plane" for taint in nodes.taints)
        config = MachineConfigPatch(nodes=nodes, operator="operator" in case.route).text
        machines.append(Machine(f"gpu-{key}-{index}", config, Schematic(nodes=nodes).text, case.talos, (H100, H100), control_plane))
    return machines


def namespaces_of(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The namespaces that the objects need and do not make; that of the agents is privileged, as the docs of the constructs ask."""
    needed = {each["metadata"]["namespace"] for each in objects if "namespace" in each["metadata"]}
    made = {each["metadata"]["name"] for each in objects if each["kind"] == "Namespace"}
    privileged = {"pod-security.kubernetes.io/enforce": "privileged"}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each, "labels": privileged if each.startswith("agents-") else {}}}
        for each in sorted(needed - made - {"flux-system", "kube-system", "default"})
    ]


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of Argo CD, Flux, Prometheus and NFD (tools/reference.py)"))
    with ControlPlane(assets) as started:
        furnish(started, crds)
        yield started


@pytest.mark.parametrize("name", CASES)
def test_every_pod_runs_and_as_many_gpu_pods_as_the_class_advertises(lab, name):
    case, key = CASES[name], name.replace(".", "-").lower()
    with warnings.catch_warnings(action="ignore"):  # of MPS, and of a Talos that is not released
        classes = classes_of(case)
        objects = synthesized(case, classes, key)
        machines = machines_of(case, classes, key)
    with Site(lab, machines) as site:
        site.apply(namespaces_of(objects))
        site.apply(objects)

        assert site.eventually(site.rollouts, site.desired()) == site.desired()
        for index, nodes in enumerate(classes):
            arguments = case.workload if index == 0 else {}
            check_capacity(site, nodes, f"work-{index}", arguments)


def check_capacity(site: Site, nodes: GpuNodes, workload: str, arguments: Mapping[str, Any], taken: int | None = None) -> None:
    """As many pods run on the one node of the class as it advertises, and the next one is Pending, with the reason.

    `taken` counts the GPUs that pods of the class hold. Default: those of one pod of the workload; none for a Job, whose pod has ended.
    """
    profile, gpus = arguments.get("profile"), arguments.get("gpus", 1)
    if taken is None:
        taken = 0 if arguments.get("kind") == "Job" else gpus
    advertised = nodes.advertised(profile)
    resource = nodes.resource(profile)
    if advertised is None:  # the pods share one claim, or claims without a number
        assert set(site.filled(workload, resource, 4).values()) == {"Running"}
        return

    states = list(site.filled(workload, resource, advertised - taken + 1).values())

    assert states.count("Running") == advertised - taken
    words = "cannot allocate all claims" if nodes.dra else f"Insufficient {resource}"
    assert [words in state for state in states if state != "Running"] == [True]
