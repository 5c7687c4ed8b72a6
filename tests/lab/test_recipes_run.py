"""Every recipe on a real control plane: admitted at the Pod Security level that it claims, scheduled, and rolled out."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cdk8s import App, Chart
from control_plane import ControlPlane
from lab_site import Site, furnish
from machines import Card, Machine
from recipe_cases import ARGUMENTS, RECIPES

from conftest import needs
from constructs_lib import Dra, DraDriver, Flux, GpuNodes, NvidiaRuntimeClass, StandaloneDevicePlugin, Taint, TimeSlicing
from constructs_lib.recipes import Vllm
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import synthesize

CARDS = (Card(),) * 8
CLASSES: dict[str, dict[str, Any]] = {
    "1.11": {"talos_version": "1.11"},
    "1.12-shared": {"talos_version": "1.12", "sharing": TimeSlicing(replicas=4)},
    "1.13": {"talos_version": "1.13"},
    "1.14-claims": {"talos_version": "1.14", "dra": Dra()},
}
LEVELS = ("restricted", "baseline")


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of Argo CD, Flux, Prometheus and NFD (tools/reference.py)"))
    with ControlPlane(assets) as started:
        furnish(started, crds)
        yield started


@pytest.mark.parametrize("name", CLASSES)
def test_every_recipe_is_admitted_at_its_level_and_its_pods_run(lab, name):
    key = name.replace(".", "-")
    with warnings.catch_warnings(action="ignore"):  # of images that the tables know less of
        nodes = GpuNodes(gpus_per_node=8, count=3, product="RTX 4090", **CLASSES[name])
        app = App()
        agents = Chart(app, "agents", namespace=f"agents-{key}")
        if nodes.dra:
            DraDriver(agents, "dra-driver", nodes=nodes, namespace=f"driver-{key}", delivery=Flux())
        else:
            NvidiaRuntimeClass(agents, "runtime-class")
            StandaloneDevicePlugin(agents, "device-plugin", nodes=nodes)
        charts = {level: Chart(app, level, namespace=f"{level}-{key}") for level in LEVELS}
        for recipe, construct in RECIPES.items():
            settings = construct(Chart(App(), "level"), "level", nodes=nodes, **ARGUMENTS.get(recipe, {}))
            construct(charts[settings.pod_security], recipe.lower(), nodes=nodes, **ARGUMENTS.get(recipe, {}))
        config, image = MachineConfigPatch(nodes=nodes).text, Schematic(nodes=nodes).text
        objects = synthesize(app)
    machines = [Machine(f"gpu-{key}-{index}", config, image, CLASSES[name]["talos_version"], CARDS) for index in range(3)]
    machines.append(Machine(f"plain-{key}", "", "customization: {systemExtensions: {officialExtensions: []}}", machines[0].talos, ()))
    with Site(lab, machines) as site:
        site.apply([namespace(f"agents-{key}", "privileged"), namespace(f"driver-{key}", "privileged")])
        site.apply([namespace(f"{level}-{key}", level) for level in LEVELS])
        site.apply(objects)

        assert site.eventually(site.rollouts, site.desired()) == site.desired()


def test_a_model_is_downloaded_on_the_node_of_its_server(lab):
    nodes = GpuNodes(talos_version="1.13", gpus_per_node=8, count=3, taints=[Taint("dedicated", "models")], name="models")
    app = App()
    agents = Chart(app, "agents", namespace="agents-models")
    NvidiaRuntimeClass(agents, "runtime-class")
    StandaloneDevicePlugin(agents, "device-plugin", nodes=nodes)
    models = Chart(app, "models", namespace="models")
    servers = [f"vllm-{index}" for index in range(4)]
    for each in servers:
        Vllm(models, each, nodes=nodes, model="example/model", gpus=6)
    config, image = MachineConfigPatch(nodes=nodes).text, Schematic(nodes=nodes).text
    objects = synthesize(app)
    machines = [Machine(f"gpu-models-{index}", config, image, "1.13", CARDS) for index in range(3)]
    with Site(lab, machines) as site:
        site.apply([namespace("agents-models", "privileged"), namespace("models", "restricted")])
        site.apply(objects)

        def places() -> dict[str, str]:
            """The node of each pod, by the name of its workload; empty where the pod waits."""
            pods = [each for each in lab.list("v1", "Pod") if each["metadata"]["namespace"] == "models"]
            return {each["metadata"]["labels"]["app.kubernetes.io/name"]: each["spec"].get("nodeName", "") for each in pods}

        def running() -> list[str]:
            return sorted(name for name, node in places().items() if node and name in servers)

        # One machine has room for one server.
        assert site.eventually(lambda: len(running()), len(machines)) == len(machines)
        of_servers = [places()[name] for name in running()]
        of_jobs = site.eventually(lambda: [places().get(f"{name}-model") for name in running()], of_servers)
        (waiting,) = set(servers) - set(running())

        assert of_jobs == of_servers
        assert places()[waiting] == places()[f"{waiting}-model"] == ""


def namespace(name: str, level: str) -> dict[str, Any]:
    labels = {"pod-security.kubernetes.io/enforce": level}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
