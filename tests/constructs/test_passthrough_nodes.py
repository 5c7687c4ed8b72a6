"""Nodes whose GPUs belong to virtual machines, in an app: constructs for containers refuse the nodes, the operator serves both kinds."""

import cdk8s_plus_28 as kplus
import pytest
from cdk8s import App, Chart

from conftest import message
from constructs_lib import (
    DcgmExporter,
    DraDriver,
    Flux,
    GpuClaim,
    GpuNodes,
    GpuWorkload,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    Passthrough,
    StandaloneDevicePlugin,
    ValidationBridge,
    attach,
    check,
    gpu_pod,
    request_gpus,
)

CARDS = Passthrough(pci_ids=["10de:2236", "10de:1aef"], resource_name="nvidia.com/GA102GL_A10")
MACHINES = GpuNodes(talos_version="1.14", name="vms", passthrough=CARDS, gpus_per_node=2, count=3)
APPS = GpuNodes(talos_version="1.14", name="apps", gpus_per_node=1, count=2)
POD = {"spec": {"containers": [{"name": "main", "image": "a:1"}]}}


def plus_pod(chart):
    return kplus.Pod(chart, "pod", containers=[kplus.ContainerProps(image="a:1", name="a")])


@pytest.fixture
def chart():
    return Chart(App(), "gpu")


@pytest.mark.parametrize(
    "make",
    [
        lambda chart: GpuWorkload(chart, "made", nodes=MACHINES, image="a:1"),
        lambda chart: request_gpus(plus_pod(chart), nodes=MACHINES),
        lambda chart: GpuClaim(chart, "made", nodes=MACHINES),
        lambda chart: StandaloneDevicePlugin(chart, "made", nodes=MACHINES),
        lambda chart: DcgmExporter(chart, "made", nodes=MACHINES),
        lambda chart: ValidationBridge(chart, "made", nodes=MACHINES),
        lambda _: gpu_pod(POD, nodes=MACHINES),
    ],
    ids=["GpuWorkload", "request_gpus", "GpuClaim", "StandaloneDevicePlugin", "DcgmExporter", "ValidationBridge", "gpu_pod"],
)
def test_what_needs_a_gpu_in_a_container_is_refused_with_the_resource_of_machines(make, chart):
    refusal = message(lambda: make(chart))

    assert refusal.startswith("'nodes' must be a class without 'passthrough' (got Passthrough(")
    assert "which request nvidia.com/GA102GL_A10; give a class of other nodes" in refusal


def test_the_dra_driver_is_refused(chart):
    assert message(lambda: DraDriver(chart, "made", nodes=MACHINES, kubernetes_version="1.34")).startswith(
        "'nodes' must be classes with 'dra'"
    )


def test_node_feature_discovery_labels_the_nodes(chart):
    assert NodeFeatureDiscovery(chart, "nfd", nodes=MACHINES, delivery=Flux()).nodes == (MACHINES,)


@pytest.mark.parametrize("containers", [GpuNodes(talos_version="1.14"), GpuNodes(talos_version="1.14", labels={"role": "gpu"})])
def test_a_class_of_containers_that_can_be_the_same_nodes_is_refused(containers, chart):
    NodeFeatureDiscovery(chart, "nfd", nodes=MACHINES, delivery=Flux())
    refusal = message(lambda: GpuWorkload(chart, "made", nodes=containers, image="a:1"))

    assert refusal.startswith("'nodes' must be a class with passthrough=Passthrough(")
    assert refusal.endswith("or give each class of nodes its own 'name' or 'labels'")


@pytest.mark.parametrize("talos", ["1.12", "1.14"])
def test_an_operator_for_both_kinds_passes_the_checks(talos, tmp_path):
    apps, machines = (
        GpuNodes(talos_version=talos, name=each.name, passthrough=each.passthrough, count=2, gpus_per_node=2) for each in (APPS, MACHINES)
    )
    app = App(outdir=str(tmp_path))
    attach(app)
    chart = Chart(app, "gpu")
    NvidiaGpuOperator(chart, "gpu-operator", nodes=[apps, machines], delivery=Flux())
    GpuWorkload(chart, "ollama", nodes=apps, image="ollama/ollama:0.32.15")
    app.synth()

    assert [finding.rule for finding in check([tmp_path], nodes=[apps, machines])] == []


def test_an_operator_for_machines_alone_passes_the_checks(tmp_path):
    app = App(outdir=str(tmp_path))
    attach(app)
    NvidiaGpuOperator(Chart(app, "gpu"), "gpu-operator", nodes=GpuNodes(talos_version="1.12", passthrough=CARDS), delivery=Flux())
    app.synth()
