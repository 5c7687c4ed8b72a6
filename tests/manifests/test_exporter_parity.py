"""Every difference between our objects and those of upstream's chart 4.8.2, each with its reason; one more or one less fails."""

import csv
import io

import pytest
import yaml
from cdk8s import App, Chart

from conftest import one, reference, synth
from constructs_lib import DcgmExporter, GpuNodes
from test_device_plugin_parity import assert_exactly, differences

# `- path` is only in upstream's object, `+ path = value` only in ours; what has another value is in both. `*` stands for anything.
OWN_FILE = "a file of our own beside the image's, mounted whole, so that a missing one is an error and not the image's list"
HELM = "what Helm marks its releases with"
DEFAULT = "the default of the API"
NODES = "the labels and taints of GpuNodes say where it runs"
SEES_EVERY_GPU = "the image says so too, and this keeps it when the image is another"
NO_PROFILING = "SYS_ADMIN is for profiling alone, which is off"

EVERYWHERE = {
    "- metadata/labels/helm.sh/chart": HELM,
    "- metadata/labels/app.kubernetes.io/version": HELM,
    "- metadata/labels/app.kubernetes.io/managed-by": HELM,
    "- metadata/namespace": "the namespace that upstream's example was rendered for",
    "+ metadata/namespace = kube-system": "the namespace that Talos exempts from Pod Security",
}
SERVICE_ACCOUNT = {**EVERYWHERE, "- automountServiceAccountToken": "the pod says it, and nothing else uses the account"}
SERVICE = {
    **EVERYWHERE,
    "- spec/type": DEFAULT,
    "- spec/internalTrafficPolicy": DEFAULT,
    "- spec/ports/metrics/protocol": DEFAULT,
}
SERVICE_MONITOR = {
    **EVERYWHERE,
    "- spec/namespaceSelector/matchNames/0": "its own namespace is where it looks anyway",
    "+ spec/jobLabel = app.kubernetes.io/name": "one job for all classes of nodes, where Prometheus would take the Service's name",
    "- spec/endpoints/0/relabelings": "upstream names no node but by a label of the exporter's, which has changed its case",
    "+ spec/endpoints/0/relabelings/0/action = replace": "the label `node`, which queries ask for",
    "+ spec/endpoints/0/relabelings/0/sourceLabels/0 = __meta_kubernetes_pod_node_name": "the label `node`, which queries ask for",
    "+ spec/endpoints/0/relabelings/0/targetLabel = node": "the label `node`, which queries ask for",
    "- spec/endpoints/0/metricRelabelings": "upstream's template writes an empty list",
}
_POD = "spec/template/spec"
_CONTAINER = f"{_POD}/containers/exporter"
DAEMON_SET = {
    **EVERYWHERE,
    "- spec/updateStrategy/rollingUpdate/*": DEFAULT,
    "+ spec/template/metadata/labels/talos-gpu/class = default": "drains and restarts select the pods of a class of nodes by it",
    "+ spec/template/metadata/annotations/checksum/counters = *": "a changed list makes new pods, which upstream's does not",
    f"+ {_POD}/runtimeClassName = nvidia": "on Talos no NVML library is found without it",
    f"- {_POD}/hostPID": DEFAULT,
    f"- {_POD}/tolerations/node-role.kubernetes.io/control-plane/*": NODES,
    f"+ {_POD}/tolerations/nvidia.com/gpu/*": NODES,
    f"+ {_POD}/affinity/*": NODES,
    f"- {_POD}/volumes/pod-gpu-resources/hostPath/path": "another name",
    f"+ {_POD}/volumes/pod-resources/hostPath/path = /var/lib/kubelet/pod-resources": "another name",
    f"+ {_POD}/volumes/pod-resources/hostPath/type = Directory": "the kubelet makes it, and an empty one would hide whose a GPU is",
    f"- {_CONTAINER}/volumeMounts/pod-gpu-resources/*": "another name",
    f"+ {_CONTAINER}/volumeMounts/pod-resources/*": "another name",
    f"- {_POD}/volumes/exporter-metrics-volume/*": OWN_FILE,
    f"+ {_POD}/volumes/counters/*": OWN_FILE,
    f"- {_CONTAINER}/volumeMounts/exporter-metrics-volume/*": OWN_FILE,
    f"+ {_CONTAINER}/volumeMounts/counters/*": OWN_FILE,
    f"- {_CONTAINER}/args/?": OWN_FILE,
    f"+ {_CONTAINER}/env/DCGM_EXPORTER_COLLECTORS/value = /etc/dcgm-exporter/counters.csv": OWN_FILE,
    f"+ {_CONTAINER}/env/DCGM_EXPORTER_INTERVAL/value = 15000": "as often as it is scraped; upstream's reads each sample twice",
    f"+ {_CONTAINER}/env/NVIDIA_VISIBLE_DEVICES/value = all": SEES_EVERY_GPU,
    f"+ {_CONTAINER}/env/NVIDIA_DRIVER_CAPABILITIES/value = compute,utility": SEES_EVERY_GPU,
    f"- {_CONTAINER}/image": "the next release of the same names, which reads the resource.k8s.io that clusters serve",
    f"+ {_CONTAINER}/image = nvcr.io/nvidia/k8s/dcgm-exporter:4.6.1-4.8.4-distroless": "likewise",
    f"+ {_POD}/securityContext/seccompProfile/type = RuntimeDefault": "what Talos' kubelet gives a pod without a profile; every other kubelet gives it too then",
    f"- {_CONTAINER}/securityContext/capabilities/add/0": NO_PROFILING,
    f"- {_CONTAINER}/securityContext/runAsNonRoot": DEFAULT,
    f"- {_CONTAINER}/*Probe/httpGet/scheme": DEFAULT,
}
# Upstream's Role lets it read the ConfigMap by the API, which only `--configmap-data` does.
NOT_MADE = {"Role", "RoleBinding"}


def upstream():
    return [each for each in yaml.safe_load_all(reference("rendered/dcgm-exporter-4.8.2.yaml").read_text()) if each]


def ours(**arguments):
    chart = Chart(App(), "gpu")
    DcgmExporter(chart, "exporter", nodes=GpuNodes(talos_version="1.14"), **arguments)
    return synth(chart)


def rows(manifests, key):
    text = one(manifests, "ConfigMap")["data"][key]
    lines = csv.reader(line for line in io.StringIO(text) if line.strip() and not line.strip().startswith("#"))
    return {name.strip(): kind.strip() for name, kind, _ in lines}


@pytest.mark.parametrize(
    ("kind", "table"),
    [("ServiceAccount", SERVICE_ACCOUNT), ("Service", SERVICE), ("ServiceMonitor", SERVICE_MONITOR), ("DaemonSet", DAEMON_SET)],
)
def test_every_difference_from_upstreams_object_has_a_reason(kind, table):
    assert_exactly(differences(one(upstream(), kind), one(ours(), kind)), table)


def test_there_is_an_object_for_each_of_upstreams_except_those_for_reading_the_counters_by_the_api():
    assert {each["kind"] for each in upstream()} - {each["kind"] for each in ours()} == NOT_MADE


def test_with_profiling_the_container_has_upstreams_capabilities():
    theirs, mine = (one(each, "DaemonSet")["spec"]["template"]["spec"]["containers"][0] for each in (upstream(), ours(profiling=True)))

    assert mine["securityContext"] == {key: value for key, value in theirs["securityContext"].items() if key != "runAsNonRoot"}


def test_every_counter_of_upstreams_is_exported_and_of_one_kind_alone_it_is_told_better():
    theirs, mine = rows(upstream(), "metrics"), rows(ours(profiling=True), "counters.csv")

    assert theirs.keys() - mine.keys() == set()
    # A gauge of MB/s, as upstream says itself from 4.8.3 on.
    assert {name for name, kind in theirs.items() if mine[name] != kind} == {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"}
    assert len(mine.keys() - theirs.keys()) == 14


def test_without_profiling_upstreams_rows_for_it_are_the_only_ones_that_are_missing():
    missing = rows(upstream(), "metrics").keys() - rows(ours(), "counters.csv").keys()

    assert missing == {
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "DCGM_FI_PROF_DRAM_ACTIVE",
        "DCGM_FI_PROF_PCIE_TX_BYTES",
        "DCGM_FI_PROF_PCIE_RX_BYTES",
    }


def test_a_difference_that_nobody_explained_is_found():
    with pytest.raises(AssertionError, match=r"without a reason[\s\S]*hostNetwork = True"):
        assert_exactly(differences(one(upstream(), "DaemonSet"), one(ours(pod_spec={"hostNetwork": True}), "DaemonSet")), DAEMON_SET)
