"""What our values change of upstream's chart: nothing without a reason, and nothing that the chart does not read."""

from pathlib import Path

import yaml
from cdk8s import App, Chart

from chart_key_tables import keys_at
from conftest import needs, synth
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
    "- worker/tolerations": "an empty list in the chart",
    "+ worker/tolerations/nvidia.com/gpu/*": TAINTS,
    "+ worker/tolerations/dedicated/*": TAINTS,
}
RENDERED = {
    "- ConfigMap-nfd-node-feature-discovery-worker-conf/data/nfd-worker.conf": VENDOR,
    "+ ConfigMap-nfd-node-feature-discovery-worker-conf/data/nfd-worker.conf = sources:*": VENDOR,
    "- ConfigMap-nfd-node-feature-discovery-master-conf/data/nfd-master.conf": LABELS,
    "+ ConfigMap-nfd-node-feature-discovery-master-conf/data/nfd-master.conf = extraLabelNs:*": LABELS,
    "- *-nfd-node-feature-discovery-*/spec/template/metadata/annotations/checksum/config": "of the two files above",
    "+ *-nfd-node-feature-discovery-*/spec/template/metadata/annotations/checksum/config = *": "of the two files above",
    "+ DaemonSet-nfd-node-feature-discovery-worker/spec/template/spec/tolerations/nvidia.com/gpu/*": TAINTS,
    "+ DaemonSet-nfd-node-feature-discovery-worker/spec/template/spec/tolerations/dedicated/*": TAINTS,
    "- */spec/revisionHistoryLimit": "null, which cdk8s leaves out; Kubernetes takes the two for the same",
    "- */spec/template/spec/imagePullSecrets": "null, which cdk8s leaves out; Kubernetes takes the two for the same",
}


def reference() -> Path:
    return Path(needs("REFERENCE", "the folder with upstream's values and rendered charts"))


def upstreams_values():
    return yaml.safe_load((reference() / "values/node-feature-discovery-v0.19.0.yaml").read_text())


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


def rendered():
    """What Helm renders of the chart at v0.19.0 with our values."""
    charts = Path(needs("CHARTS", "a folder with the chart node-feature-discovery at v0.19.0"))
    chart = Chart(App(), "nfd")
    delivery = HelmTemplate(helm=needs("HELM", "the path of a Helm"))
    folder = str(charts.resolve() / "node-feature-discovery")
    NodeFeatureDiscovery(chart, "nfd", nodes=NODES, delivery=delivery, chart=folder, release_name="nfd")
    return by_name(synth(chart))


def test_every_object_that_differs_from_upstreams_rendering_has_a_reason():
    upstream = by_name(yaml.safe_load_all((reference() / "rendered/nfd-v0.19.0.yaml").read_text()))
    mine = rendered()
    beside = mine.keys() - upstream.keys()

    assert_exactly(differences(upstream, {name: made for name, made in mine.items() if name in upstream}), RENDERED)
    # The reference is rendered without them.
    assert {name for name in beside if not name.startswith("CustomResourceDefinition-")} == {
        "Namespace-node-feature-discovery",
        "NodeFeatureRule-nvidia-gpu-present",
    }


def test_the_rules_kind_is_among_the_crds_that_helm_renders():
    assert "CustomResourceDefinition-nodefeaturerules.nfd.k8s-sigs.io" in rendered()


def test_the_reference_is_rendered_with_the_charts_own_values():
    upstream = by_name(yaml.safe_load_all((reference() / "rendered/nfd-v0.19.0.yaml").read_text()))

    assert upstream["ConfigMap-nfd-node-feature-discovery-worker-conf"]["data"] == {"nfd-worker.conf": "null"}
    assert upstream["ConfigMap-nfd-node-feature-discovery-master-conf"]["data"] == {"nfd-master.conf": "null"}
    assert "tolerations" not in upstream["DaemonSet-nfd-node-feature-discovery-worker"]["spec"]["template"]["spec"]
