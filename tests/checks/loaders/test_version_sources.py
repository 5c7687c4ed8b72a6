import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.loaders.version_sources import in_objects, in_text, kubernetes_version, talos_version, with_weak
from constructs_lib.checks.model import KubernetesObject, NodeConfig, Unknown
from constructs_lib.nodes.talos_version import TalosVersion


def config(talos=None, kubernetes=None):
    return NodeConfig(body={}, file="a", scope="node", name="n", talos_version=talos, kubernetes_version=kubernetes)


def of(kind, spec, name="talos", group="x"):
    return KubernetesObject(body={"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}, file="a")


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([], None),
        ([None], None),
        (["v1.13.2"], TalosVersion(13, 2)),
        (["v1.13.2", "1.13.2", None], TalosVersion(13, 2)),
        (["v1.13.2", "v1.13.4"], TalosVersion(13)),
        (["v1.12.2", "v1.13.2"], None),
        (["1.13", "1.13.2"], TalosVersion(13)),
        (["1.7.1"], None),
        (["1.7.1", "1.13"], TalosVersion(13)),
        ([Unknown("v1.13.2")], None),
        (["latest", "", "v2"], None),
    ],
)
def test_the_talos_that_node_configurations_agree_about(versions, expected):
    assert talos_version((), [config(talos=each) for each in versions], []) == expected


def test_described_nodes_count_before_configurations_and_those_before_other_sources():
    nodes, configs, sources = [GpuNodes(talos_version="1.12")], [config(talos="1.13.1")], [("talos", "1.13.2")]
    assert talos_version(nodes, configs, sources) == TalosVersion(12)
    assert talos_version((), configs, sources) == TalosVersion(13, 1)
    assert talos_version((), [], sources) == TalosVersion(13, 2)


def test_a_file_that_was_left_behind_leaves_the_version_unknown():
    configs, sources = [config(talos="1.9.5", kubernetes="1.32.3")], [("talos", "1.11.2"), ("kubernetes", "v1.34.1")]
    assert talos_version((), configs, sources) is None
    assert kubernetes_version(configs, sources) is None


def test_a_weak_source_counts_only_for_a_version_that_nothing_else_says():
    weak = [("talos", "1.9.5"), ("kubernetes", "1.32")]
    assert with_weak([("talos", None)], weak, [config(kubernetes="v1.35.1")]) == [("talos", None), ("talos", "1.9.5")]
    assert with_weak([("talos", "1.13.1")], weak, []) == [("talos", "1.13.1"), ("kubernetes", "1.32")]
    assert with_weak([], weak, [config(talos=Unknown("1.13"))]) == weak


def test_where_configurations_differ_the_other_sources_count():
    assert talos_version((), [config(talos="1.12"), config(talos="1.13")], [("talos", "1.13.1"), ("kubernetes", "1.35")]) == TalosVersion(
        13, 1
    )


@pytest.mark.parametrize(
    ("versions", "expected"),
    [(["v1.35.1"], "1.35.1"), (["1.35.1", "v1.35.2"], "1.35"), (["1.34.1", "1.35.1"], None), (["1.35"], "1.35"), ([None, Unknown("1.35")], None),
     (["latest"], None), (["v1.35.1+k3s1"], "1.35.1")],
)  # fmt: skip
def test_the_kubernetes_that_node_configurations_agree_about(versions, expected):
    assert kubernetes_version([config(kubernetes=each) for each in versions], []) == expected


def test_kubernetes_may_be_known_from_other_sources_alone():
    assert kubernetes_version([config()], [("talos", "1.13"), ("kubernetes", "v1.35.1")]) == "1.35.1"


def test_what_upgrades_nodes_says_the_version():
    found = in_objects(
        [
            of("TalosUpgrade", {"talos": {"version": "v1.13.1"}}),
            of("KubernetesUpgrade", {"kubernetes": {"version": "v1.35.1"}}),
            of("Plan", {"version": "v1.13.2"}, group="upgrade.cattle.io"),
            of("Plan", {"version": "v1.35.2"}, group="upgrade.cattle.io", name="kubernetes"),
            of("Plan", {"version": "v9"}, group="upgrade.cattle.io", name="k3s"),
            of("Plan", {"version": "v9"}),
            of("Kustomization", {"postBuild": {"substitute": {"TALOS_VERSION": "v1.13.3", "KUBERNETES_VERSION": "v1.35.3"}}}),
        ]
    )
    assert [each for each in found if each[1] is not None] == [
        ("talos", "v1.13.1"), ("kubernetes", "v1.35.1"), ("talos", "v1.13.2"), ("kubernetes", "v1.35.2"), ("talos", "v1.13.3"), ("kubernetes", "v1.35.3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "expected"),
    [("TALOS_VERSION=v1.13.1", [("talos", "v1.13.1")]), ("export KUBERNETES_VERSION='1.35.1'", [("kubernetes", "1.35.1")]),
     ('talos_version: "v1.13.1"', [("talos", "v1.13.1")]), ("# TALOS_VERSION=v1.13.1", []), ("TALOS_VERSION=${X}", []), ("MY_TALOS_VERSION=v1.1.1", []),
     ("# renovate\nTALOS_VERSION = v1.13.1-rc.0\n", [("talos", "v1.13.1-rc.0")]),
     ("TALOS_VERSION := v1.13.1", [("talos", "v1.13.1")]), ("override TALOS_VERSION ?= 1.13.1 # x", [("talos", "1.13.1")]), ("TALOS_VERSION ::= 1.13", [("talos", "1.13")]),
     ("TALOS_VERSION := $(shell cat version)", []), ('locals {\n  talos_version      = "v1.13.7"\n}', [("talos", "v1.13.7")]), ("talos_version = var.talos_version", []),
     ('variable "talos_version" {\n  type    = string\n  default = "v1.13.7"\n}\n', [("talos", "v1.13.7")]), ('variable "kubernetes_version" { default = "1.36" }', [("kubernetes", "1.36")]),
     ('variable "talos_version" {\n}\nvariable "x" {\n  default = "1.2.3"\n}\n', []), ('talos_version = "~> 1.13"', []), ('{"talos_version": "v1.13.7"}', []),
     ('  "talos_version": "v1.13.7"', [("talos", "v1.13.7")])],
)  # fmt: skip
def test_files_of_variables_say_versions(line, expected):
    assert list(in_text(line)) == expected
