"""`talos-gpu page`."""

import pytest

from conftest import ROOT
from constructs_lib import GpuNodes, cluster_page

FLAGS = ["--talos", "1.14.0", "--product", "RTX 4090", "--gpus-per-node", "2", "--count", "2"]
NODES = GpuNodes(talos_version="1.14.0", product="RTX 4090", gpus_per_node=2, count=2)


@pytest.mark.parametrize("cluster", ["today", "standalone-shared"])
def test_the_page_is_that_of_the_function(cluster, answer):
    folder = ROOT / "dist" / cluster

    assert answer("page", folder, *FLAGS) == cluster_page(folder, nodes=NODES, talos_version="1.14.0")


def test_a_cluster_file_beside_a_folder_gives_its_nodes_with_their_addresses(answer, tmp_path):
    (tmp_path / "home.yaml").write_text("{talos: 1.14.0, nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5}}}\n")
    page = answer("page", ROOT / "dist" / "standalone-shared", tmp_path / "home.yaml")

    assert "| `gpu-1` | 1: `gpu-1 (10.0.0.5)` | RTX 4090, 24Gi each |" in page
    assert "| `talosctl --nodes 10.0.0.5 get extensions` |" in page
    assert "Write what the new image would lose into the cluster file, or into the schematic:" in page
    assert "--from talos/schematic.yaml" in page
    assert "home.yaml" not in page


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home.yaml").write_text(
        "{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5}}, workloads: {a: {image: 'a:1', gpus: 1}}}\n"
    )
    return "home.yaml"


def test_the_page_of_a_cluster_file_has_the_kubernetes_of_the_flag_and_of_the_settings(home, answer, tmp_path):
    row = "| Kubernetes | `{}` | Talos 1.14 runs 1.32 to 1.37{} |"

    assert row.format("1.30.1", ", and not this one") in answer("page", home, "--kubernetes", "1.30.1")
    (tmp_path / ".talos-gpu.yaml").write_text("kubernetes: 1.35.0\n")
    assert row.format("1.35.0", "") in answer("page", home)


def test_the_settings_silence_findings_of_the_page_of_a_cluster_file(home, answer, tmp_path):
    (tmp_path / ".talos-gpu.yaml").write_text("ignore:\n  - {rule: TG045, reason: a test of the scheduler}\n")
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: 'a:1', resources: {limits: {nvidia.com/gpu: 0.5}}}]}}"
    text = (tmp_path / home).read_text().strip().removesuffix("}")
    (tmp_path / home).write_text(f"{text}, charts: {{own: {{objects: {{p: {{Object: {pod}}}}}}}}}}}\n")

    assert "| `TG045` | `Pod p` | a test of the scheduler |" in answer("page", home)


def test_the_chart_of_a_values_file_is_refused_for_a_cluster_file(home, refusal):
    words = (
        "--chart must be given with a plain values file (got 'gpu-operator'); home.yaml is a cluster file, whose charts have their versions"
    )

    for verb in ("page", "check", "images"):
        assert refusal(verb, home, "--chart", "gpu-operator") == words


def test_the_title_and_the_file_of_the_page_are_given(run, tmp_path):
    assert run("page", ROOT / "dist" / "today", *FLAGS, "--title", "home", "--output", tmp_path / "page.md") == (0, "", "")
    assert (tmp_path / "page.md").read_text().startswith("# home\n")


def test_the_settings_silence_findings_with_their_reason(tmp_path, answer):
    (tmp_path / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 0.5}}}]}\n"
    )
    (tmp_path / ".talos-gpu.yaml").write_text("ignore:\n  - {rule: TG045, path: pod.yaml, reason: a test of the scheduler}\n")

    assert "| `TG045` | `Pod a` | a test of the scheduler | `pod.yaml:4` |" in answer("page", tmp_path, *FLAGS)


def test_a_path_must_be_given(refusal):
    assert refusal("page") == "a PATH must be given, a file or a folder; - is standard input"
