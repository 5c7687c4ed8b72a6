"""Workloads of every kind, for each Talos with a device plugin, side by side on a real control plane: the pods run on the nodes of their class and end.

The clock of the control plane starts the CronJobs. The machines of all Talos versions stand in one cluster, so that one minute is enough for all runs.
"""

import warnings
from typing import Any

import pytest
from cdk8s import App, Chart
from control_plane import ControlPlane, state_of
from lab_site import Site
from machines import Machine
from test_options_run import H100, TALOS, check_capacity, lab, namespaces_of

from constructs_lib import GpuNodes, GpuWorkload, NvidiaRuntimeClass, StandaloneDevicePlugin
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import synthesize

__all__ = ["lab"]

KINDS: dict[str, dict[str, Any]] = {"Deployment": {}, "StatefulSet": {}, "Job": {}, "CronJob": {"schedule": "* * * * *"}}
SERVERS = ("Deployment", "StatefulSet")
NEXT_RUN = 90.0  # seconds: a CronJob starts a run at the next full minute


def described() -> dict[str, GpuNodes]:
    """A class of nodes for each Talos, by the name of the class."""
    with warnings.catch_warnings(action="ignore"):
        classes = [GpuNodes(talos_version=talos, name=f"talos-{talos.replace('.', '-')}", gpus_per_node=4, count=1) for talos in TALOS[:4]]
    return {str(nodes.name): nodes for nodes in classes}


def name_of(kind: str, nodes: GpuNodes) -> str:
    return f"{kind.lower()}-{nodes.name}"


def synthesized(classes: dict[str, GpuNodes], **of_cron_jobs: Any) -> list[dict[str, Any]]:
    app = App()
    agents, work = Chart(app, "agents", namespace="agents-kinds"), Chart(app, "work", namespace="work-kinds")
    NvidiaRuntimeClass(agents, "runtime-class")
    for name, nodes in classes.items():
        StandaloneDevicePlugin(agents, f"plugin-{name}", nodes=nodes)
        for kind, arguments in KINDS.items():
            further = of_cron_jobs if kind == "CronJob" else {}
            GpuWorkload(work, name_of(kind, nodes), nodes=nodes, image="app:1", kind=kind, **arguments, **further)
    return synthesize(app)


def machine_of(nodes: GpuNodes) -> Machine:
    config, image = MachineConfigPatch(nodes=nodes).text, Schematic(nodes=nodes).text
    return Machine(f"gpu-{nodes.name}", config, image, str(nodes.talos_version), (H100,) * 4)


def runs(lab: ControlPlane) -> dict[str, set[str]]:
    """The nodes on which the pods of each CronJob have ended well."""
    ended: dict[str, set[str]] = {}
    for pod in lab.list("v1", "Pod", "batch.kubernetes.io/job-name"):
        name = pod["metadata"]["labels"]["app.kubernetes.io/name"]
        if name.startswith("cronjob-") and state_of(pod) == "Succeeded":
            ended.setdefault(name, set()).add(pod["spec"]["nodeName"])
    return ended


@pytest.fixture(scope="module")
def site(lab):
    classes = described()
    objects = synthesized(classes)
    with Site(lab, map(machine_of, classes.values())) as site:
        site.apply(namespaces_of(objects))
        site.apply(objects)
        yield site


def test_a_server_and_a_job_of_each_talos_run_on_the_node_of_their_class(site):
    assert site.eventually(site.rollouts, site.desired()) == site.desired()
    nodes = {
        pod["metadata"]["labels"]["app.kubernetes.io/name"]: pod["spec"]["nodeName"]
        for pod in site.lab.list("v1", "Pod", "talos-gpu/class")
    }

    wanted = {name_of(kind, each): f"gpu-{each.name}" for kind in (*SERVERS, "Job") for each in described().values()}
    assert wanted.items() <= nodes.items()


def test_a_cron_job_of_each_talos_starts_pods_that_end_on_the_node_of_their_class(site):
    wanted = {name_of("CronJob", nodes): {f"gpu-{nodes.name}"} for nodes in described().values()}

    def turn() -> dict[str, set[str]]:
        site.agents.publish()
        return runs(site.lab)

    assert site.lab.eventually(turn, wanted.__eq__, NEXT_RUN) == wanted


@pytest.mark.parametrize("name", described())
def test_pods_as_those_of_a_suspended_cron_job_run_up_to_what_the_class_advertises(site, name):
    nodes = described()[name]
    site.apply(each for each in synthesized(described(), suspend=True) if each["kind"] == "CronJob")

    # The two servers hold a GPU each.
    check_capacity(site, nodes, name_of("CronJob", nodes), {"kind": "CronJob", "gpus": 1}, taken=len(SERVERS))
    site.clear()
