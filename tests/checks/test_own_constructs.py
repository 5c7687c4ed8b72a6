"""The checks find nothing in what our own constructs and our own OS layer make, in every combination that these don't refuse: whoever uses
both would else be told to mend what he did not write. Where the library itself warns, as of MPS, the checks do.
"""

import itertools
import warnings

import cdk8s_plus_28 as kplus_28
import cdk8s_plus_32 as kplus_32
import pytest
from cdk8s import App, Chart

from constructs_lib import (
    ArgoCd,
    DcgmExporter,
    Dra,
    DraDriver,
    Flux,
    GpuAlerts,
    GpuClaim,
    GpuDashboard,
    GpuNodes,
    GpuWorkload,
    Mps,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    Persistent,
    PrivilegedNamespace,
    StandaloneDevicePlugin,
    Taint,
    TimeSlicing,
    attach,
    request_gpus,
)
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Severity
from constructs_lib.observed.read.repository import read
from constructs_lib.talos import (
    MachineConfigPatch,
    OmniTarget,
    Schematic,
    merge_into_talconfig,
    omni_config_patch,
    omni_extensions,
    omni_template,
)

TALOS = ("1.11", "1.12", "1.13", "1.14")
DELIVERIES = {"argo": ArgoCd(), "flux": Flux(), "flux-system": Flux(namespace="flux-system")}
SHARING = {
    "whole": {},
    "time-sliced": {"sharing": TimeSlicing(replicas=4)},
    "renamed": {"sharing": TimeSlicing(replicas=4, rename_by_default=True)},
    "at-most-one": {"sharing": TimeSlicing(replicas=4, fail_requests_greater_than_one=True)},
    "single": {"mig_strategy": "single"},
    "mixed": {"mig_strategy": "mixed"},
}
CUT = {
    "single": {"mig_strategy": "single", "mig_devices": {"1g.10gb": 7}, "product": "H100 SXM5"},
    "mixed": {"mig_strategy": "mixed", "mig_devices": {"1g.10gb": 5, "2g.20gb": 1}, "product": "H100 SXM5", "gpus_per_node": 2},
    "mixed-shared": {"mig_strategy": "mixed", "mig_devices": {"1g.10gb": 7}, "product": "H100 SXM5", "sharing": TimeSlicing(replicas=2)},
}
PLACES = {
    "anywhere": {},
    "labelled": {"labels": {"role": "gpu"}, "taints": [Taint("dedicated", "ai")]},
    "present": {"labels": {"nvidia.com/gpu.present": "true"}, "taints": [Taint("nvidia.com/gpu")]},
    "known": {"taints": [Taint("node-role.kubernetes.io/control-plane")], "gpus_per_node": 8, "memory_per_gpu": "80Gi", "count": 8},
}
CLASSES = {
    "rtx": {"labels": {"class": "rtx"}, "taints": [Taint("nvidia.com/gpu")], "product": "RTX 4090", "gpus_per_node": 2, "count": 4},
    "h100": {"labels": {"class": "h100"}, "taints": [Taint("dedicated", "llm")], "product": "H100 SXM5", "memory_per_gpu": "80Gi"},
}


@pytest.fixture
def app(tmp_path):
    return App(outdir=str(tmp_path / "manifests"))


def workloads(app, nodes):
    """Each kind, and a workload of each cdk8s-plus."""
    name = nodes.name or "gpu"
    chart = Chart(app, f"{name}-workloads", namespace="ai")
    profile = {"profile": "1g.10gb"} if nodes.mig_strategy == "mixed" else {}
    memory = {"gpu_memory": "4Gi"} if nodes.sharing or (nodes.dra and nodes.dra.share == "consumable") else {}
    volumes = {"/root/.ollama": Persistent("100Gi")}
    for kind, given in (
        ("Deployment", {"port": 11434, "volumes": volumes}),
        ("StatefulSet", {"port": 11434, "volumes": volumes}),
        ("Job", {}),
        ("CronJob", {"schedule": "0 0 * * *"}),
    ):
        image = "nvcr.io/nvidia/cuda:12.2.0-base-ubuntu22.04"
        GpuWorkload(chart, f"{name}-{kind.lower()}", nodes=nodes, kind=kind, image=image, **given, **profile, **memory)
    if nodes.dra and nodes.dra.share in ("exclusive", "consumable"):
        GpuClaim(chart, "claim", nodes=nodes, **memory)
    for plus in (kplus_32,) if nodes.dra else (kplus_28, kplus_32):
        containers = [plus.ContainerProps(image="a:1", name="a")]
        made = plus.Deployment(chart, plus.__name__, replicas=1, strategy=plus.DeploymentStrategy.recreate(), containers=containers)
        request_gpus(made, nodes=nodes, **profile)


def standalone(app, classes):
    """Without an operator, everything that there is for it."""
    chart = Chart(app, "gpu", namespace="nvidia")
    PrivilegedNamespace(chart, "nvidia")
    NvidiaRuntimeClass(chart, "runtime-class")
    for nodes in classes:
        suffix = f"-{nodes.name}" if nodes.name else ""
        StandaloneDevicePlugin(chart, f"device-plugin{suffix}", nodes=nodes, feature_discovery=True)
        DcgmExporter(chart, f"dcgm-exporter{suffix}", nodes=nodes)
    watched(chart)


def watched(chart, *, operator=False):
    GpuDashboard(chart, "dashboard")
    GpuAlerts(chart, "alerts", operator=operator)


def synthesized(app):
    """The errors and warnings of a synth with the checks attached."""
    attach(app)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        app.synth()
    return [str(each.message) for each in caught]


def of_files(folder, **given):
    """The errors and warnings of the command on the same as files."""
    inputs = read([folder], **given)
    assert inputs.skipped == ()
    assert inputs.objects
    return [(each.rule, each.file, each.message) for each in run_rules(inputs) if each.severity is not Severity.INFO]


@pytest.mark.thorough
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("talos", "sharing"), list(itertools.product(TALOS, SHARING)))
def test_a_plugin_and_its_workloads_are_left_alone(app, tmp_path, talos, sharing, place):
    nodes = GpuNodes(talos_version=talos, **SHARING[sharing], **PLACES[place])
    StandaloneDevicePlugin(Chart(app, "gpu"), "device-plugin", nodes=nodes)
    NvidiaRuntimeClass(Chart(app, "runtime"), "runtime-class")
    workloads(app, nodes)

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=[nodes]) == []


@pytest.mark.thorough
@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("talos", TALOS)
def test_all_that_goes_beside_a_plugin_is_left_alone(app, tmp_path, talos, place, delivery):
    nodes = GpuNodes(talos_version=talos, **PLACES[place])
    standalone(app, [nodes])
    NodeFeatureDiscovery(Chart(app, "nfd"), "nfd", nodes=nodes, delivery=DELIVERIES[delivery])
    workloads(app, nodes)

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=[nodes]) == []


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_what_nfd_is_told_to_label_needs_no_other_maker(app, tmp_path, delivery):
    nodes = GpuNodes(talos_version="1.13", **PLACES["present"])
    standalone(app, [nodes])
    NodeFeatureDiscovery(Chart(app, "nfd"), "nfd", nodes=nodes, delivery=DELIVERIES[delivery])
    app.synth()

    assert of_files(tmp_path, talos="1.13") == []


@pytest.mark.parametrize("talos", TALOS)
@pytest.mark.parametrize("cut", CUT)
def test_cards_that_are_cut_are_left_alone(app, tmp_path, talos, cut):
    nodes = GpuNodes(talos_version=talos, **CUT[cut])
    standalone(app, [nodes])
    workloads(app, nodes)

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=[nodes]) == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("delivery", "sharing"), [("argo", "whole"), *(("flux", each) for each in SHARING), ("flux-system", "time-sliced")]
)
@pytest.mark.parametrize(("talos", "place"), [*itertools.product(TALOS, ("labelled", "known")), ("1.12", "present"), ("1.14", "anywhere")])
def test_an_operator_and_its_workloads_are_left_alone(app, tmp_path, talos, place, sharing, delivery):
    nodes = GpuNodes(talos_version=talos, **SHARING[sharing], **PLACES[place])
    chart = Chart(app, "gpu")
    NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=DELIVERIES[delivery])
    watched(chart, operator=True)
    workloads(app, nodes)

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=[nodes]) == []


@pytest.mark.parametrize("talos", TALOS)
@pytest.mark.parametrize("operator", [False, True])
def test_several_classes_are_left_alone(app, tmp_path, talos, operator):
    classes = [GpuNodes(talos_version=talos, name=name, **given) for name, given in CLASSES.items()]
    classes[0] = GpuNodes(talos_version=talos, name="rtx", **CLASSES["rtx"], sharing=TimeSlicing(replicas=4), memory_per_gpu="24Gi")
    if operator:
        NvidiaGpuOperator(Chart(app, "gpu"), "operator", nodes=classes, delivery=Flux())
    else:
        standalone(app, classes)
    for nodes in classes:
        workloads(app, nodes)

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=classes) == []


@pytest.mark.thorough
@pytest.mark.parametrize("operator", [False, True])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("share", [Dra(), Dra(share="claim"), Dra(share="time-slicing"), Dra(share="consumable", shares=4)], ids=str)
@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_a_dra_driver_and_its_workloads_are_left_alone(app, tmp_path, talos, share, place, operator):
    nodes = GpuNodes(talos_version=talos, dra=share, **PLACES[place])
    chart = Chart(app, "gpu", namespace="nvidia")
    if operator:
        NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=ArgoCd(), values={"dcgmExporter": {"enabled": False}})
    else:
        NvidiaRuntimeClass(chart, "runtime-class")
    DraDriver(chart, "dra-driver", nodes=nodes, delivery=Flux() if not operator else ArgoCd(), kubernetes_version="1.36")
    PrivilegedNamespace(chart, "nvidia")
    DcgmExporter(chart, "dcgm-exporter", nodes=nodes)
    watched(chart, operator=operator)
    workloads(app, nodes)

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=[nodes], kubernetes="1.36") == []


def test_partitions_by_dra_are_left_alone(app, tmp_path):
    nodes = GpuNodes(talos_version="1.14", dra=Dra())
    DraDriver(Chart(app, "gpu"), "dra-driver", nodes=nodes, delivery=Flux(), mig_profiles=["1g.10gb"], kubernetes_version="1.36")
    chart = Chart(app, "ai", namespace="ai")
    GpuWorkload(chart, "ollama", nodes=nodes, image="ollama/ollama:0.32.15", profile="1g.10gb")

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=[nodes]) == []


def test_classes_with_claims_and_with_limits_under_one_operator_are_left_alone(app, tmp_path):
    claimed = GpuNodes(talos_version="1.14", name="claimed", labels={"class": "claimed"}, dra=Dra())
    limited = GpuNodes(talos_version="1.14", name="limited", labels={"class": "limited"})
    chart = Chart(app, "gpu")
    without = {"devicePlugin": {"enabled": False}, "dcgmExporter": {"enabled": False}}
    NvidiaGpuOperator(chart, "operator", nodes=[claimed, limited], delivery=Flux(), values=without)
    DraDriver(chart, "dra-driver", nodes=claimed, delivery=Flux())
    StandaloneDevicePlugin(chart, "device-plugin", nodes=limited)
    for nodes in (claimed, limited):
        DcgmExporter(chart, f"dcgm-exporter-{nodes.name}", nodes=nodes)
        workloads(app, nodes)

    assert synthesized(app) == []
    assert of_files(tmp_path, nodes=[claimed, limited]) == []


@pytest.mark.parametrize("operator", [False, True])
def test_of_mps_the_checks_warn_as_the_library_does(app, operator):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nodes = GpuNodes(talos_version="1.14", sharing=Mps(replicas=4))
        if operator:
            NvidiaGpuOperator(Chart(app, "gpu"), "operator", nodes=nodes, delivery=Flux())
        else:
            standalone(app, [nodes])
    assert any("MPS" in str(each.message) for each in caught)
    workloads(app, nodes)

    assert [each.split()[0] for each in synthesized(app)] == ["TG025"]


TALCONFIG = """\
clusterName: home
talosVersion: v%s.0
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: control-plane
    ipAddress: 10.0.0.10
    controlPlane: true
    installDisk: /dev/sda
  - hostname: rtx
    ipAddress: 10.0.0.11
    controlPlane: false
    installDisk: /dev/sda
  - hostname: h100
    ipAddress: 10.0.0.12
    controlPlane: false
    installDisk: /dev/sda
"""
TEMPLATE = "kind: Cluster\nname: home\nkubernetes: {version: v1.34.2}\ntalos: {version: v%s.0}\n"


def machine_files(nodes, patch):
    return {f"{nodes.name}.yaml": patch.text, f"{nodes.name}-schematic.yaml": Schematic(nodes=nodes, fabric_manager=False).text}


def omni_resources(nodes, patch):
    target = OmniTarget(cluster="home", machine_set=f"home-{nodes.name}")
    return {
        f"{nodes.name}.yaml": f"{omni_config_patch(patch, target=target)}---\n{omni_extensions(Schematic(nodes=nodes, fabric_manager=False), target=target)}"
    }


def omni_templates(nodes, patch):
    template = omni_template(schematic=Schematic(nodes=nodes, fabric_manager=False), patch=patch, name=nodes.name)
    return {f"{nodes.name}.yaml": f"{TEMPLATE % nodes.talos_version}---\n{template}"}


STYLES = [("1.11", "fields"), ("1.12", "fields"), ("1.13", "fields"), ("1.14", "fields"), ("1.14", "documents")]


@pytest.mark.thorough
@pytest.mark.parametrize(("operator", "default_runtime"), [(False, False), (False, True), (True, False)])
@pytest.mark.parametrize("written", [machine_files, omni_resources, omni_templates])
@pytest.mark.parametrize(("talos", "style"), STYLES)
def test_what_talos_is_told_agrees_with_the_manifests(app, tmp_path, talos, style, written, operator, default_runtime):
    classes = [GpuNodes(talos_version=talos, name=name, **given) for name, given in CLASSES.items()]
    if operator:
        NvidiaGpuOperator(Chart(app, "gpu"), "operator", nodes=classes, delivery=Flux())
    else:
        standalone(app, classes)
    talos_folder = tmp_path / "talos"
    talos_folder.mkdir()
    for nodes in classes:
        workloads(app, nodes)
        patch = MachineConfigPatch(nodes=nodes, style=style, operator=operator, default_runtime=default_runtime)
        for name, text in written(nodes, patch).items():
            (talos_folder / name).write_text(text)
    app.synth()

    assert of_files(tmp_path, talos=talos) == []
    assert of_files(tmp_path, nodes=classes) == []


@pytest.mark.parametrize("operator", [False, True])
@pytest.mark.parametrize("talos", TALOS)
def test_what_talhelper_is_told_agrees_with_the_manifests(app, tmp_path, talos, operator):
    classes = [GpuNodes(talos_version=talos, name=name, **given) for name, given in CLASSES.items()]
    if operator:
        NvidiaGpuOperator(Chart(app, "gpu"), "operator", nodes=classes, delivery=Flux())
    else:
        standalone(app, classes)
    talconfig = TALCONFIG % talos
    for nodes in classes:
        workloads(app, nodes)
        patch = MachineConfigPatch(nodes=nodes, style="fields", operator=operator)
        talconfig = merge_into_talconfig(
            talconfig, hostnames=[nodes.name], schematic=Schematic(nodes=nodes, fabric_manager=False), patch=patch
        )
    app.synth()
    (tmp_path / "talconfig.yaml").write_text(talconfig)

    assert of_files(tmp_path) == []
    assert of_files(tmp_path, nodes=classes) == []
