"""Two synths give the same bytes: in every process, with every seed of Python's hashes, and in every order of the arguments."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT, message
from constructs_lib import DcgmExporter, Flux, GpuNodes, NvidiaGpuOperator, StandaloneDevicePlugin, Taint
from constructs_lib.monitoring import AlertThresholds

PROGRAM = """\
import random, sys, warnings
warnings.simplefilter("ignore")
from cdk8s import App, Chart
from constructs_lib import *

order = random.Random(int(sys.argv[2]))
def ordered(given):
    names = list(given)
    if int(sys.argv[2]):
        order.shuffle(names)
    return {name: given[name] for name in names}

app = App(outdir=sys.argv[1])
chart = Chart(app, "gpu")
rtx = GpuNodes(**ordered(dict(talos_version="1.14", name="rtx", taints=[Taint("a", "b"), Taint("c")], sharing=TimeSlicing(replicas=4), gpus_per_node=2)))
h100 = GpuNodes(**ordered(dict(talos_version="1.14", name="h100", mig_devices={"1g.10gb": 5, "2g.20gb": 1}, extra_labels={"a": "b", "c": "d"})))
dra = GpuNodes(**ordered(dict(talos_version="1.14", name="dra", dra=Dra(share="consumable", shares=4), taints=[Taint("dra")])))
fields = {"port": {"http": 80, "admin": 81}, "env": {"A": "1", "B": "2"}, "volumes": {"/a": Persistent("1Gi"), "/b": Empty()}, "gpus": 1,
          "labels": {"a": "b"}, "pod_annotations": {"a": "b", "c": "d"}, "memory": "8Gi", "readiness_probe": TcpProbe(), "pod_spec": {"dnsPolicy": "Default"}}
NvidiaRuntimeClass(chart, "runtime-class")
PrivilegedNamespace(chart, "nvidia", **ordered(dict(name="nvidia", labels={"a": "b", "c": "d"})))
for nodes in (rtx, h100):
    StandaloneDevicePlugin(chart, f"plugin-{nodes.name}", **ordered(dict(nodes=nodes, namespace="nvidia", feature_discovery=True,
        device_list_strategy=["cdi-cri", "envvar"], pod_annotations={"a": "b"}, resources={"limits": {"memory": "1Gi"}})))
    DcgmExporter(chart, f"exporter-{nodes.name}", **ordered(dict(nodes=nodes, namespace="nvidia", profiling=True, honor_labels=True)))
DraDriver(chart, "driver", **ordered(dict(nodes=dra, delivery=Flux(namespace="flux-system"), mig_profiles=["1g.10gb"], compute_domains=True)))
NodeFeatureDiscovery(chart, "nfd", **ordered(dict(nodes=[rtx, h100, dra], delivery=ArgoCd(), values={"master": {"replicaCount": 2}})))
GpuClaim(chart, "claim", **ordered(dict(nodes=dra, gpus=2, namespace="ai")))
GpuWorkload(chart, "rtx", **ordered(dict(nodes=rtx, image="a:1", **fields)))
GpuWorkload(chart, "dra", **ordered(dict(nodes=dra, image="a:1", **fields)))
GpuWorkload(chart, "job", **ordered(dict(nodes=h100, image="a:1", profile="1g.10gb", kind="Job", hashed_name=True, parallelism=2, backoff_limit=1)))
GpuAlerts(chart, "alerts", **ordered(dict(operator=True, alert_labels={"a": "b", "c": "d"}, for_={"GpuXidFatal": "1m", "GpuXidContained": "0s"})))
GpuDashboard(chart, "dashboard", **ordered(dict(folder="GPUs", profiling=True, labels={"a": "b"})))
operator = Chart(App(outdir=sys.argv[1] + "/operator"), "operator")
old = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=2))
NvidiaGpuOperator(operator, "operator", **ordered(dict(nodes=old, delivery=Flux(), namespace="nvidia", values={"gfd": {"enabled": True}})))
operator.node.root.synth()
app.synth()
"""


def synthesized(folder, seed, order):
    """The manifests of one more process."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-c", PROGRAM, str(folder), order], cwd=ROOT, env=environment, check=True, capture_output=True)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.yaml"))}


def test_the_same_bytes_in_every_process_with_every_hash_seed_and_order_of_arguments(tmp_path):
    first = synthesized(tmp_path / "first", "0", "0")

    assert sorted(first) == ["gpu.k8s.yaml", "operator/operator.k8s.yaml"]
    for seed, order in (("1", "0"), ("2", "7"), ("random", "8")):
        assert synthesized(tmp_path / f"{seed}-{order}", seed, order) == first


NODES = GpuNodes(talos_version="1.14")


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda _: GpuNodes(talos_version="1.14", taints={Taint("a")}), "taints"),
        (lambda chart: NvidiaGpuOperator(chart, "a", nodes={NODES}, delivery=Flux()), "nodes"),
        (lambda chart: StandaloneDevicePlugin(chart, "a", nodes=NODES, device_list_strategy={"envvar"}), "device_list_strategy"),
        (lambda chart: DcgmExporter(chart, "a", nodes=NODES, counters={"DCGM_FI_DEV_GPU_TEMP"}), "counters"),
        (lambda _: AlertThresholds(fatal_xids=frozenset({48, 79})), "fatal_xids"),
    ],
)
def test_a_set_is_refused_as_it_has_another_order_in_every_process(chart, make, argument):
    said = message(lambda: make(chart), TypeError)

    assert said.startswith(f"'{argument}' must be ")
    assert said.endswith("; a set has no order; give a list")
