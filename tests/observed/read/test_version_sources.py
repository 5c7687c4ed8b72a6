import pytest

from constructs_lib import GpuNodes
from constructs_lib.nodes.talos_version import TalosVersion
from constructs_lib.observed.model import KubernetesObject, NodeConfig, Unknown
from constructs_lib.observed.model.stated_versions import Origin, StatedVersion, agreed
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.observed.read.version_sources import (
    in_arguments,
    in_comments,
    in_configs,
    in_objects,
    in_text,
    talos_version,
    with_weak,
)

TALCONFIG = """\
clusterName: home
endpoint: https://a
talosVersion: v1.13.7
kubernetesVersion: v1.36.1
nodes:
  - hostname: a
"""


def config(talos=None, kubernetes=None):
    return NodeConfig(body={}, file="a", scope="node", name="n", talos_version=talos, kubernetes_version=kubernetes)


def upgrade(version, subject="talos"):
    return StatedVersion(subject=subject, version=version, origin=Origin.UPGRADE, file="b")


def of(kind, spec, name="talos", group="x"):
    return KubernetesObject(body={"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}, file="a")


def places(inputs):
    return [(each.subject, each.version, each.file.rpartition("/")[2], each.line) for each in inputs.stated_versions]


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
        (["v1.13.0-beta.1"], TalosVersion(13, 0, "-beta.1")),
        (["1.7.1"], None),
        (["1.7.1", "1.13"], TalosVersion(13)),
        ([Unknown("v1.13.2")], None),
        (["latest", "", "v2"], None),
    ],
)
def test_the_talos_that_node_configurations_agree_about(versions, expected):
    assert talos_version([*in_configs(config(talos=each) for each in versions)]) == expected


def test_described_nodes_count_before_configurations_and_those_before_other_sources():
    nodes = [*in_arguments(None, None, [GpuNodes(talos_version="1.12")])]
    configs, others = [*in_configs([config(talos="1.13.1")])], [upgrade("1.13.2")]

    assert talos_version([*nodes, *configs, *others]) == TalosVersion(12)
    assert talos_version([*configs, *others]) == TalosVersion(13, 1)
    assert talos_version(others) == TalosVersion(13, 2)


def test_a_file_that_was_left_behind_leaves_the_version_unknown():
    stated = [*in_configs([config(talos="1.9.5", kubernetes="1.32.3")]), upgrade("1.11.2"), upgrade("1.34.1", "kubernetes")]

    assert talos_version(stated) is None
    assert agreed("kubernetes", stated) is None


def test_a_weak_source_counts_only_for_a_version_that_nothing_else_states():
    weak = [upgrade("1.9.5"), upgrade("1.32", "kubernetes")]

    assert with_weak(in_configs([config(kubernetes="v1.35.1")]), weak)[1:] == [weak[0]]
    assert with_weak([upgrade("1.13.1")], weak)[1:] == [weak[1]]
    assert with_weak(in_configs([config(talos=Unknown("1.13"))]), weak) == weak


def test_where_configurations_differ_the_other_sources_count():
    stated = [*in_configs([config(talos="1.12"), config(talos="1.13")]), upgrade("1.13.1"), upgrade("1.35", "kubernetes")]

    assert talos_version(stated) == TalosVersion(13, 1)


@pytest.mark.parametrize(
    ("versions", "expected"),
    [(["v1.35.1"], "1.35.1"), (["1.35.1", "v1.35.2"], "1.35"), (["1.34.1", "1.35.1"], None), (["1.35"], "1.35"), ([None, Unknown("1.35")], None),
     (["latest"], None), (["v1.35.1+k3s1"], "1.35.1")],
)  # fmt: skip
def test_the_kubernetes_that_node_configurations_agree_about(versions, expected):
    assert agreed("kubernetes", [*in_configs(config(kubernetes=each) for each in versions)]) == expected


def test_kubernetes_may_be_known_from_other_sources_alone():
    assert agreed("kubernetes", [*in_configs([config()]), upgrade("1.13"), upgrade("1.35.1", "kubernetes")]) == "1.35.1"


def test_what_upgrades_nodes_says_the_version():
    stated = in_objects(
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
    assert [(each.subject, each.version, each.origin) for each in stated] == [
        ("talos", "1.13.1", Origin.UPGRADE), ("kubernetes", "1.35.1", Origin.UPGRADE), ("talos", "1.13.2", Origin.UPGRADE),
        ("kubernetes", "1.35.2", Origin.UPGRADE), ("talos", "1.13.3", Origin.VARIABLE), ("kubernetes", "1.35.3", Origin.VARIABLE),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [("TALOS_VERSION=v1.13.1", [("talos", "1.13.1", 1)]), ("export KUBERNETES_VERSION='1.35.1'", [("kubernetes", "1.35.1", 1)]),
     ('talos_version: "v1.13.1"', [("talos", "1.13.1", 1)]), ("# TALOS_VERSION=v1.13.1", []), ("TALOS_VERSION=${X}", []), ("MY_TALOS_VERSION=v1.1.1", []),
     ("# renovate\n\n  TALOS_VERSION = v1.13.1-rc.0\nKUBERNETES_VERSION=1.35\n", [("talos", "1.13.1-rc.0", 3), ("kubernetes", "1.35", 4)]),
     ("TALOS_VERSION := v1.13.1", [("talos", "1.13.1", 1)]), ("override TALOS_VERSION ?= 1.13.1 # x", [("talos", "1.13.1", 1)]), ("TALOS_VERSION ::= 1.13", [("talos", "1.13", 1)]),
     ("TALOS_VERSION := $(shell cat version)", []), ('locals {\n  talos_version      = "v1.13.7"\n}', [("talos", "1.13.7", 2)]), ("talos_version = var.talos_version", []),
     ('variable "talos_version" {\n  type    = string\n  default = "v1.13.7"\n}\n', [("talos", "1.13.7", 1)]), ('variable "kubernetes_version" { default = "1.36" }', [("kubernetes", "1.36", 1)]),
     ('variable "talos_version" {\n}\nvariable "x" {\n  default = "1.2.3"\n}\n', []), ('talos_version = "~> 1.13"', []), ('{"talos_version": "v1.13.7"}', []),
     ('  "talos_version": "v1.13.7"', [("talos", "1.13.7", 1)])],
)  # fmt: skip
def test_files_of_variables_state_versions_with_their_lines(text, expected):
    assert [(each.subject, each.version, each.line) for each in in_text(text, "versions.env")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# renovate: datasource=custom.talos-factory depName=siderolabs/talos\ntalos_version: v1.13.8\n", [("talos", "1.13.8", 2)]),
        ("# renovate: datasource=docker depName=ghcr.io/siderolabs/installer\nTALOS := v1.14.0-rc.1\n", [("talos", "1.14.0-rc.1", 2)]),
        ('# renovate: depName=ghcr.io/siderolabs/kubelet\nk8s: "v1.36.2"\n', [("kubernetes", "1.36.2", 2)]),
        ("# renovate: depName=siderolabs/talos-vmtoolsd\nversion: v1.13.8\n", []),
        ("# renovate: depName=siderolabs/talos\n\nversion: v1.13.8\n", []),
        ("# renovate: depName=siderolabs/talos\nversion: ${TALOS}\n", []),
        ("talos: v1.13.8\n", []),
    ],
)
def test_a_comment_for_renovate_says_whose_version_stands_below_it(text, expected):
    assert [(each.subject, each.version, each.line) for each in in_comments(text, "version.yaml")] == expected


def test_a_talconfig_states_both_versions_at_their_lines_once():
    two = TALCONFIG + "  - hostname: b\n"

    assert places(read_text(two, file="talconfig.yaml")) == [
        ("talos", "1.13.7", "talconfig.yaml", 3),
        ("kubernetes", "1.36.1", "talconfig.yaml", 4),
    ]


def test_a_version_that_talhelper_takes_from_its_variables_is_stated_there(tmp_path):
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG.replace("v1.13.7", "${talosVersion}"))
    (tmp_path / "talenv.yaml").write_text("---\ntalosVersion: v1.13.4\n")

    assert places(read([tmp_path])) == [("talos", "1.13.4", "talenv.yaml", 2), ("kubernetes", "1.36.1", "talconfig.yaml", 4)]


def test_an_image_states_the_version_in_its_tag():
    machine = (
        "machine:\n  kubelet:\n    image: ghcr.io/siderolabs/kubelet:v1.36.1\n  install:\n"
        "    disk: /dev/sda\n    image: ghcr.io/siderolabs/installer:v1.13.7\n"
    )

    assert places(read_text(machine, file="a.yaml")) == [("talos", "1.13.7", "a.yaml", 6), ("kubernetes", "1.36.1", "a.yaml", 3)]


def test_a_document_of_the_kubelet_states_the_version_in_its_tag():
    document = "apiVersion: v1alpha1\nkind: KubeletConfig\nimage: ghcr.io/siderolabs/kubelet:v1.36.1\n"

    assert places(read_text(document, file="a.yaml")) == [("kubernetes", "1.36.1", "a.yaml", 3)]


def test_an_omni_template_states_both_versions_at_their_lines():
    template = (
        "kind: Cluster\nname: c\nkubernetes:\n  version: v1.36.1\ntalos:\n  version: v1.13.7\n---\nkind: ControlPlane\nmachines: [a]\n"
    )

    assert places(read_text(template, file="a.yaml")) == [("talos", "1.13.7", "a.yaml", 6), ("kubernetes", "1.36.1", "a.yaml", 4)]


def test_the_arguments_state_their_versions_before_the_files():
    inputs = read_text(TALCONFIG, file="talconfig.yaml", talos="1.14", kubernetes="v1.37")

    assert places(inputs)[:2] == [("talos", "1.14", "--talos", None), ("kubernetes", "1.37", "--kubernetes", None)]
    assert (inputs.talos_version, inputs.kubernetes_version) == (TalosVersion(14), "1.37")
