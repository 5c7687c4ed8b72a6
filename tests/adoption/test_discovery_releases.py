"""The release of node feature discovery: the labels that parts of the tree select keep their names."""

import pytest
import yaml
from test_talos_differences import talconfig

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import differences
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.observed.nodes.node_labels import discoverers
from constructs_lib.observed.read.repository import read_text

_SOURCE = {
    "apiVersion": "source.toolkit.fluxcd.io/v1",
    "kind": "HelmRepository",
    "metadata": {"name": "nfd", "namespace": "kube-system"},
    "spec": {"interval": "1h", "url": "https://kubernetes-sigs.github.io/node-feature-discovery/charts"},
}


def adopted(pci=None, version="0.19.0"):
    chart = {"chart": "node-feature-discovery", "version": version, "sourceRef": {"kind": "HelmRepository", "name": "nfd"}}
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "node-feature-discovery", "namespace": "kube-system"},
        "spec": {
            "interval": "30m",
            "chart": {"spec": chart},
            "values": {"worker": {"config": {"sources": {"pci": pci}}}} if pci is not None else {},
        },
    }
    adoption = adopt(read_text(f"{talconfig()}---\n{yaml.safe_dump_all([_SOURCE, release])}"), "1.14.0")
    (made,) = [
        each
        for text in adoption.files.values()
        for each in yaml.safe_load_all(text)
        if isinstance(each, dict) and each.get("kind") == "HelmRelease"
    ]
    return adoption, made["spec"]["values"]["worker"]["config"]["sources"]["pci"]


DEFAULTS = {"deviceClassWhitelist": ["03", "0b40", "12"], "deviceLabelFields": ["class", "vendor"]}


@pytest.mark.parametrize(
    ("pci", "expected"),
    [
        (None, DEFAULTS),
        ({"deviceClassWhitelist": ["0300"]}, {**DEFAULTS, "deviceClassWhitelist": ["0300"]}),
        ({"deviceLabelFields": ["vendor"]}, {**DEFAULTS, "deviceLabelFields": ["vendor"]}),
        (
            {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]},
            {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]},
        ),
    ],
    ids=("defaults", "classes", "fields", "as the construct"),
)
def test_the_labels_of_devices_are_those_of_the_tree(pci, expected):
    adoption, made = adopted(pci)

    assert made == expected
    assert not [each.text for each in differences(adoption) if "sources.pci" in each.text]
    after = read_text("---\n".join(text for name, text in adoption.files.items() if name.startswith("manifests/")))
    (before,), (now,) = discoverers(adoption.inputs), discoverers(after)
    assert now.labels == before.labels


def test_a_value_that_the_construct_has_too_is_not_written():
    adoption, _ = adopted({"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]})

    assert "values" not in adoption.description["charts"]["kube-system"]["objects"]["node-feature-discovery"]["NodeFeatureDiscovery"]


def test_a_part_that_stays_still_finds_its_nodes_and_synth_has_no_warning():
    adoption, _ = adopted()

    assert [str(each.error) for each in synthesize(adoption.description, lambda _: "").warnings] == []
