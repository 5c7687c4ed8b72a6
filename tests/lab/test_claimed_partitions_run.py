"""Claims of MIG partitions on a real control plane: each pod has a partition of its profile, and as many pods run as the card has partitions."""

from collections import Counter
from typing import Any

import pytest
from cdk8s import App, Chart
from lab_site import Site
from machines import Card, Machine
from test_options_run import H100, lab, namespaces_of

from constructs_lib import Dra, DraDriver, Flux, GpuNodes, GpuWorkload
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import synthesize

__all__ = ["lab"]

PARTITIONS = {"1g.10gb": 3, "2g.20gb": 2}
PARTITIONED = Card(H100.product, H100.memory, H100.pci_class, tuple(Counter(PARTITIONS).elements()))
WORKLOADS: dict[str, dict[str, Any]] = {"small": {"profile": "1g.10gb"}, "large": {"profile": "2g.20gb"}, "whole": {}}


def synthesized(nodes: GpuNodes) -> list[dict[str, Any]]:
    app = App()
    driver = Chart(app, "driver", namespace="agents-partitions")
    DraDriver(driver, "dra-driver", nodes=nodes, mig_profiles=list(PARTITIONS), kubernetes_version="1.36", delivery=Flux())
    work = Chart(app, "work", namespace="work-partitions")
    for name, arguments in WORKLOADS.items():
        GpuWorkload(work, name, nodes=nodes, image="app:1", **arguments)
    return synthesize(app)


def machine_of(nodes: GpuNodes) -> Machine:
    """A machine with a partitioned card and a whole one."""
    config, image = MachineConfigPatch(nodes=nodes).text, Schematic(nodes=nodes).text
    return Machine("gpu-partitions", config, image, str(nodes.talos_version), (PARTITIONED, H100))


def device_of(name: str) -> str:
    """The first part of a device's name: the card with the profile, or `gpu`."""
    return name.rsplit("-", 2 if "-mig-" in name else 1)[0]


def allocated(site: Site) -> dict[str, list[str]]:
    """The device of each pod's claim, without the profile's number and the place on the card, by the name of the pod's workload."""
    pods = {each["metadata"]["uid"]: each["metadata"]["labels"].get("app.kubernetes.io/name", "") for each in site.lab.list("v1", "Pod")}
    devices: dict[str, list[str]] = {}
    for claim in site.lab.list("resource.k8s.io/v1", "ResourceClaim"):
        results = claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
        workload = pods.get(claim["metadata"]["ownerReferences"][0]["uid"], "")
        devices.setdefault(workload, []).extend(device_of(each["device"]) for each in results)
    return devices


@pytest.fixture(scope="module", params=["1.13", "1.14"])
def site(lab, request):
    nodes = GpuNodes(talos_version=request.param, dra=Dra(), count=1)
    objects = synthesized(nodes)
    with Site(lab, [machine_of(nodes)]) as site:
        site.apply(namespaces_of(objects))
        site.apply(objects)
        assert site.eventually(site.rollouts, site.desired()) == site.desired()
        yield site


def test_the_claim_of_each_pod_has_a_partition_of_its_profile_or_a_whole_card(site):
    assert allocated(site) == {"small": ["gpu-0-mig-1g10gb"], "large": ["gpu-0-mig-2g20gb"], "whole": ["gpu"]}


@pytest.mark.parametrize("name", WORKLOADS)
def test_as_many_pods_run_as_the_cards_have_partitions_of_the_profile(site, name):
    number = PARTITIONS.get(WORKLOADS[name].get("profile", ""), 1)

    states = list(site.filled(name, "", number).values())

    site.clear()
    assert states.count("Running") == number - 1
    assert ["cannot allocate all claims" in state for state in states if state != "Running"] == [True]


def test_a_limit_of_the_profile_gets_a_partition_without_a_claim_of_the_pod(site):
    """The scheduler itself makes the claim: the DeviceClass of the profile names the extended resource."""
    pod = site.another_pod("small", "another-by-limit")
    del pod["spec"]["resourceClaims"]
    pod["metadata"]["labels"]["app.kubernetes.io/name"] = "limit"
    pod["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/mig-1g.10gb": 1}}
    site.lab.apply([pod])

    assert site.eventually(lambda: site.pods()["work-partitions/another-by-limit"], "Running") == "Running"
    assert allocated(site)["limit"] == ["gpu-0-mig-1g10gb"]
    site.clear()
