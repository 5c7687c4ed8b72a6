import re

import pytest

from conftest import message
from constructs_lib import GpuNodes
from constructs_lib.nodes.talos_version import TalosVersion
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read_text

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\n"


def test_a_manifest_is_an_object_with_its_line():
    inputs = read_text(f"# above\n{POD}", file="pods.yaml")
    (pod,) = inputs.objects
    assert (pod.kind, pod.name, pod.namespace, pod.label) == ("Pod", "a", "b", "Pod b/a")
    assert (pod.file, pod.line_of(()), pod.line_of(("metadata", "name")), pod.line_of(("spec", "containers", 0))) == ("pods.yaml", 2, 4, 2)
    assert inputs.skipped == ()


def test_an_object_without_a_namespace_has_none():
    assert read_text("{apiVersion: v1, kind: Pod, metadata: {name: a}}").objects[0].namespace is None


def test_a_namespace_that_is_filled_in_is_unknown():
    assert isinstance(read_text("{apiVersion: v1, kind: Pod, metadata: {namespace: '${NS}'}}").objects[0].namespace, Unknown)


def test_json_is_read():
    (pod,) = read_text('{\n\t"apiVersion": "v1",\n\t"kind": "Pod",\n\t"metadata": {"name": "a"}\n}').objects
    assert (pod.name, pod.line_of(("metadata", "name"))) == ("a", 4)


def test_the_items_of_a_list_are_objects_and_lists_in_lists_too():
    text = (
        "apiVersion: v1\nkind: PodList\nitems:\n- {apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod, metadata: {name: a}}]}\n"
    )
    text += "- apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n- null\n- {kind: None}\n"
    assert [(each.kind, each.name, each.line_of(())) for each in read_text(text).objects] == [("Pod", "a", 4), ("Pod", "b", 5)]


def test_a_kind_that_only_ends_like_a_list_is_itself():
    assert read_text("{apiVersion: x/v1, kind: AllowList, spec: {}}").objects[0].kind == "AllowList"


def test_one_object_given_twice_is_two_and_the_same_place_is_one():
    assert len(read_text(f"{POD}---\n{POD}").objects) == 2


def test_a_broken_document_is_skipped_and_its_neighbours_are_judged():
    inputs = read_text(f"{POD}---\na: [\n---\n{POD}", file="x.yaml")
    assert len(inputs.objects) == 2
    assert [(each.file, each.line, each.reason) for each in inputs.skipped] == [
        ("x.yaml", 6, "not YAML: did not find expected node content")
    ]


def test_what_sops_encrypted_is_skipped():
    inputs = read_text(f"{POD}---\n{POD}sops: {{mac: x}}\n", file="x.yaml")
    assert len(inputs.objects) == 1
    assert [(each.file, each.line, each.reason) for each in inputs.skipped] == [("x.yaml", 5, "encrypted with SOPS")]


@pytest.mark.parametrize("text", ["a: 1", "just text", "- 1", "kind: Pod", "apiVersion: 1\nkind: Pod", "true"])
def test_what_is_neither_kubernetes_nor_talos_is_skipped(text):
    inputs = read_text(text)
    assert (inputs.objects, inputs.releases, inputs.node_configs) == ((), (), ())
    assert [each.reason for each in inputs.skipped] == [
        "neither a manifest nor a document of Talos; for chart values, name the chart (--chart gpu-operator@v26.7.0)"
    ]


@pytest.mark.parametrize("chart", ["gpu-operater@v26.7.0", "nvidia/gpu-operatr"])
def test_a_misspelt_chart_is_refused(chart):
    with pytest.raises(ValueError, match=re.escape(f"(got '{chart}'); did you mean 'gpu-operator'?")):
        read_text("driver:\n  enabled: false\n", file="values.yaml", chart=chart)


@pytest.mark.parametrize("chart", ["", "@v26.7.0"])
def test_a_chart_without_a_name_is_refused(chart):
    with pytest.raises(ValueError, match=r"^'chart' must be a chart's name"):
        read_text("driver:\n  enabled: false\n", chart=chart)


@pytest.mark.parametrize("chart", ["ollama@1.0.0", "app-template", "nvidia/gpu-operator"])
def test_of_another_chart_nothing_is_told(chart):
    assert read_text("driver:\n  enabled: false\n", chart=chart).skipped == ()


@pytest.mark.parametrize(("version", "error"), [("nine", ValueError), ("", ValueError), (1.35, TypeError)])
def test_what_is_no_version_of_kubernetes_is_refused(version, error):
    assert message(lambda: read_text("", kubernetes=version), error) == (
        f"'kubernetes_version' must be a Kubernetes version such as '1.35' (got {version!r})"
    )


@pytest.mark.parametrize(
    ("chart", "name", "version"),
    [("gpu-operator@v26.7.0", "gpu-operator", "v26.7.0"), ("nvdp", "nvidia-device-plugin", None), ("nvidia/gpu-operator", "gpu-operator", None),
     ("oci://ghcr.io/x/nvidia-gpu-operator@1", "gpu-operator", "1")],
)  # fmt: skip
def test_another_document_is_the_values_of_the_chart_that_is_named(chart, name, version):
    (release,) = read_text("driver:\n  enabled: false\n", chart=chart).releases
    assert (release.chart, release.version, release.namespace, release.complete) == (name, version, None, True)
    assert release.value("driver", "enabled") is False
    assert release.line_of((*release.values_path, "driver", "enabled")) == 2


def test_manifests_beside_the_values_of_a_chart_are_manifests():
    inputs = read_text(f"a: 1\n---\n{POD}", chart="gpu-operator")
    assert (len(inputs.objects), len(inputs.releases)) == (1, 1)


def test_kinds_may_be_mixed_in_one_text():
    text = f"{POD}---\nmachine:\n  type: worker\n  sysctls: {{a: b}}\n---\ncustomization: {{systemExtensions: {{officialExtensions: [siderolabs/x]}}}}\n"
    inputs = read_text(text)
    assert (len(inputs.objects), len(inputs.node_configs)) == (1, 2)


def test_comments_that_silence_are_kept_by_file_and_line():
    assert read_text("a: 1 # talos-gpu: ignore TG007 why\n", file="x.yaml", chart="a").comments == {"x.yaml": {1: {"TG007": "why"}}}


def test_the_versions_that_are_said_count():
    inputs = read_text(POD, talos="v1.13.2", kubernetes="v1.35.1", nodes=[GpuNodes(talos_version="1.12")])
    assert (inputs.talos_version, inputs.kubernetes_version) == (TalosVersion(13, 2), "1.35.1")
    assert len(inputs.nodes) == 1


def test_a_talos_version_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'talos' must be a Talos version"):
        read_text(POD, talos="2.0")


def test_without_any_source_no_version_is_known():
    inputs = read_text(POD)
    assert (inputs.talos_version, inputs.kubernetes_version, inputs.generation) == (None, None, None)
