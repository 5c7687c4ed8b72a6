"""What our values change of upstream's chart: nothing without a reason, and nothing that the chart does not read."""

from pathlib import Path

import pytest
import yaml
from cdk8s import App, Chart

from chart_key_tables import keys_at
from conftest import RecordedHelm, needs, reference, synth
from constructs_lib import ArgoCd, GpuNodes, HelmTemplate, NodeFeatureDiscovery, Taint
from constructs_lib.manifests.objects import merged
from constructs_lib.upstream.charts import NODE_FEATURE_DISCOVERY
from test_device_plugin_parity import assert_exactly, differences

NODES = GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")])
TAINTS = "the taints of the nodes, which the chart does not know; its own list is empty"
VENDOR = "NVIDIA's charts wait for pci-10de.present, where NFD's own label is pci-0300_10de.present"
LABELS = "as NVIDIA's device plugin chart sets it: labels of nvidia.com are published wherever others are denied"

VALUES = {
    "- worker/config": "an empty mapping is null in the chart",
    "+ worker/config/sources/pci/deviceClassWhitelist/* = 0[23]": VENDOR,
    "+ worker/config/sources/pci/deviceLabelFields/0 = vendor": VENDOR,
    "- master/config": "an empty mapping is null in the chart",
    "+ master/config/extraLabelNs/0 = nvidia.com": LABELS,
    "+ master/tolerations/nvidia.com/gpu/*": TAINTS,
    "+ master/tolerations/dedicated/*": TAINTS,
    "- gc/tolerations": "an empty list in the chart",
    "+ gc/tolerations/nvidia.com/gpu/*": TAINTS,
    "+ gc/tolerations/dedicated/*": TAINTS,
    "- worker/tolerations": "an empty list in the chart",
    "+ worker/tolerations/nvidia.com/gpu/*": TAINTS,
    "+ worker/tolerations/dedicated/*": TAINTS,
}
RENDERED = {
    "- ConfigMap-node-feature-discovery-worker-conf/data/nfd-worker.conf": VENDOR,
    "+ ConfigMap-node-feature-discovery-worker-conf/data/nfd-worker.conf = sources:*": VENDOR,
    "- ConfigMap-node-feature-discovery-master-conf/data/nfd-master.conf": LABELS,
    "+ ConfigMap-node-feature-discovery-master-conf/data/nfd-master.conf = extraLabelNs:*": LABELS,
    "- *-node-feature-discovery-*/spec/template/metadata/annotations/checksum/config": "of the two files above",
    "+ *-node-feature-discovery-*/spec/template/metadata/annotations/checksum/config = *": "of the two files above",
    "+ DaemonSet-node-feature-discovery-worker/spec/template/spec/tolerations/nvidia.com/gpu/*": TAINTS,
    "+ DaemonSet-node-feature-discovery-worker/spec/template/spec/tolerations/dedicated/*": TAINTS,
    "- */spec/revisionHistoryLimit": "null, which cdk8s leaves out; Kubernetes takes the two for the same",
    "- */spec/template/spec/imagePullSecrets": "null, which cdk8s leaves out; Kubernetes takes the two for the same",
}


def upstreams_values():
    return yaml.safe_load(reference("values/node-feature-discovery-v0.19.0.yaml").read_text())


def values():
    return NodeFeatureDiscovery(Chart(App(), "nfd"), "nfd", nodes=NODES, delivery=ArgoCd()).chart_values


def test_every_value_that_differs_from_the_charts_has_a_reason():
    upstream = upstreams_values()

    assert_exactly(differences(upstream, merged(upstream, values())), VALUES)


def test_the_keys_that_are_accepted_are_the_charts_own():
    upstream, read = upstreams_values(), keys_at(NODE_FEATURE_DISCOVERY, "0.19.0")

    assert upstream.keys() <= read.keys()
    for component, keys in read.items():
        if keys:
            assert upstream[component].keys() == keys


def by_name(manifests):
    return {f"{made['kind']}-{made['metadata']['name']}": made for made in manifests if made}


def upstreams_objects():
    """The chart with its own values; its release has another name than ours."""
    text = reference("rendered/nfd-v0.19.0.yaml").read_text()
    text = text.replace("nfd-node-feature-discovery", "node-feature-discovery").replace("instance: nfd", "instance: node-feature-discovery")
    return by_name(yaml.safe_load_all(text))


@pytest.fixture
def helm(tmp_path):
    return RecordedHelm(tmp_path, reference("rendered/nfd-v0.19.0-gpu.yaml"))


@pytest.fixture
def mine(helm):
    """What the construct makes of the chart's rendering for our values."""
    chart = Chart(App(), "nfd")
    NodeFeatureDiscovery(chart, "nfd", nodes=NODES, delivery=HelmTemplate(helm=str(helm.path)))
    return by_name(synth(chart))


def test_the_chart_was_rendered_with_our_values(helm, mine):
    # The reference is older than the tolerations of master and garbage collector.
    own = {part: {"tolerations": helm.values[part]["tolerations"]} for part in ("master", "gc")}
    assert all(each in own[part]["tolerations"] for part in own for each in helm.values["worker"]["tolerations"])
    assert helm.values == merged(yaml.safe_load(reference("values/input-nfd.yaml").read_text()), own)


def test_every_object_that_differs_from_upstreams_rendering_has_a_reason(mine):
    upstream = upstreams_objects()

    assert_exactly(differences(upstream, {name: made for name, made in mine.items() if name in upstream}), RENDERED)
    # The reference is rendered without them.
    assert mine.keys() - upstream.keys() == {"Namespace-node-feature-discovery", "NodeFeatureRule-nvidia-gpu-present"}


def test_the_rules_kind_is_among_the_crds_of_the_chart(mine):
    crds = by_name(yaml.safe_load_all((Path(needs("CRDS", "the CRDs of NFD")) / "nfd-api-crds.yaml").read_text()))
    definition = crds["CustomResourceDefinition-nodefeaturerules.nfd.k8s-sigs.io"]["spec"]
    rule = mine["NodeFeatureRule-nvidia-gpu-present"]

    assert definition["names"]["kind"] == rule["kind"]
    assert rule["apiVersion"] in {f"{definition['group']}/{version['name']}" for version in definition["versions"] if version["served"]}


def test_the_reference_is_rendered_with_the_charts_own_values():
    upstream = upstreams_objects()

    assert upstream["ConfigMap-node-feature-discovery-worker-conf"]["data"] == {"nfd-worker.conf": "null"}
    assert upstream["ConfigMap-node-feature-discovery-master-conf"]["data"] == {"nfd-master.conf": "null"}
    assert "tolerations" not in upstream["DaemonSet-node-feature-discovery-worker"]["spec"]["template"]["spec"]
