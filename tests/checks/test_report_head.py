"""The head of a report: the versions and where they are stated, and what was read."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import rules_without_talos
from constructs_lib.checks.report import Report
from constructs_lib.checks.report_words import source
from constructs_lib.observed.model import Inputs, KubernetesObject
from constructs_lib.observed.read.repository import read, read_text

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {runtimeClassName: nvidia}\n"
TALCONFIG = "clusterName: a\nendpoint: https://a\ntalosVersion: v1.13.7\nkubernetesVersion: v1.36.1\nnodes:\n  - hostname: a\n"


def head(inputs):
    return Report(inputs=inputs, all_findings=(), not_applied=len(rules_without_talos(inputs))).head


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG)
    return tmp_path


def test_the_versions_come_with_the_lines_that_state_them(folder):
    report = Report(inputs=read(["."]), all_findings=())

    assert report.head == [
        "Talos 1.13.7 (talconfig.yaml:3)",
        "Kubernetes 1.36.1 (talconfig.yaml:4)",
        "read 1 object and 1 node configuration",
    ]
    assert (source("talos", "1.13.7", report.inputs), source("kubernetes", "1.36.1", report.inputs)) == (
        "talconfig.yaml:3",
        "talconfig.yaml:4",
    )


def test_the_versions_of_arguments_and_described_nodes_come_with_their_names():
    assert head(read_text(POD, talos="1.13", kubernetes="1.36"))[:2] == ["Talos 1.13 (--talos)", "Kubernetes 1.36 (--kubernetes)"]
    assert head(read_text(POD, nodes=[GpuNodes(talos_version="1.14")]))[0] == "Talos 1.14 (the described nodes)"


def test_a_variable_that_is_the_only_source_is_said_to_be_weak(folder):
    (folder / "talconfig.yaml").unlink()
    (folder / "versions.env").write_text("TALOS_VERSION=v1.13.7\n")

    assert head(read(["."]))[0] == ("Talos 1.13.7 (versions.env:1, a variable and the only source: errors that need it become warnings)")


def test_without_a_version_the_rules_that_need_it_are_counted():
    inputs = read_text(POD)
    number = len(rules_without_talos(inputs))

    assert number > 1
    assert head(inputs)[0] == f"Talos version unknown: {number} rules were not applied; give --talos VERSION, such as --talos 1.14"


def test_versions_that_differ_are_named_with_a_place_for_each(folder):
    (folder / "versions.env").write_text("TALOS_VERSION=v1.12.4\nKUBERNETES_VERSION=1.36.1\n")

    inputs = read(["."])

    assert head(inputs)[0].startswith("Talos version unknown: ")
    assert Report(inputs=inputs, all_findings=(), not_applied=0).head == [
        "Talos version unknown: only the nodes that state theirs were judged by it; give --talos 1.13",
        "Kubernetes 1.36.1 (talconfig.yaml:4)",
        "Talos versions differ: talconfig.yaml:3 says 1.13.7 and versions.env:1 says 1.12.4",
        "read 1 object and 1 node configuration",
    ]


def test_an_argument_that_differs_from_the_files_is_named_beside_them(folder):
    assert "Talos versions differ: --talos says 1.12 and talconfig.yaml:3 says 1.13.7" in head(read(["."], talos="1.12"))


def test_a_version_without_its_patch_does_not_differ_from_one_of_its_patches(folder):
    assert head(read(["."], talos="1.13"))[:2] == ["Talos 1.13 (--talos)", "Kubernetes 1.36.1 (talconfig.yaml:4)"]


def test_many_different_versions_are_cut_with_their_number(folder):
    for number in range(6):
        (folder / f"{number}.env").write_text(f"TALOS_VERSION=v1.13.{number}\n")
    (sentence,) = [each for each in head(read(["."])) if "differ" in each]

    assert sentence.count(" says ") == 4
    assert sentence.endswith(" and 3 more")


def test_several_clusters_are_said_to_be_judged_apart(folder):
    (folder / "dev").mkdir()
    (folder / "dev" / "talconfig.yaml").write_text(TALCONFIG.replace("clusterName: a", "clusterName: dev"))

    assert head(read(["."]))[-1] == "2 clusters were judged apart: a and dev; what no folder and no deployer assigns was judged in each"


def test_more_clusters_than_are_judged_apart_are_said_to_be_judged_as_one(folder):
    for number in range(20):
        (folder / f"c{number}").mkdir()
        (folder / f"c{number}" / "talconfig.yaml").write_text(TALCONFIG.replace("clusterName: a", f"clusterName: c{number}"))

    assert head(read(["."]))[-1].startswith("21 clusters were judged as one: a (talconfig.yaml), c0 (c0/talconfig.yaml)")


def test_what_a_terminal_would_obey_is_escaped():
    inputs = read_text(TALCONFIG, file="\x1b[2J.yaml")

    assert "\x1b" not in "".join(head(inputs))
    assert "\x1b" not in source("talos", inputs.talos_version, inputs)


def test_a_version_without_a_source_stands_alone():
    from constructs_lib.talos import TalosVersion

    assert head(Inputs(objects=(KubernetesObject(body={}, file="a"),), talos_version=TalosVersion(13)))[0] == "Talos 1.13"


def test_folders_that_are_not_live_are_named_where_they_speak_of_nvidia(folder):
    for name, text in {"old/a.yaml": "a: nvidia\n", "examples/b.yaml": "a: web\n"}.items():
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)

    assert "not judged: old, not live, according to the name" in head(read(["."]))


def test_of_a_folder_that_is_not_live_only_what_nothing_deploys_is_named_as_not_judged(folder):
    (folder / "samples").mkdir()
    (folder / "kustomization.yaml").write_text("resources: [samples/a.yaml]\n")
    (folder / "samples/a.yaml").write_text("apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n")
    assert not [each for each in head(read(["."])) if each.startswith("not judged")]

    (folder / "samples/b.yaml").write_text("a: nvidia\n")
    assert "not judged: samples/b.yaml, not live, according to the name" in head(read(["."]))


def test_gpu_patches_that_talhelper_does_not_apply_are_named(folder):
    (folder / "talconfig.yaml").write_text(TALCONFIG + "patches: []\n")
    (folder / "gpu.yaml").write_text("machine: {kernel: {modules: [{name: nvidia}]}}\n")
    (folder / "other.yaml").write_text("machine: {sysctls: {a: b}}\n")

    assert "talconfig.yaml does not apply gpu.yaml: no GPU node was read from there" in head(read(["."]))
