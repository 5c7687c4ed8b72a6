"""`talos-gpu page`."""

import pytest

from conftest import ROOT
from constructs_lib import GpuNodes, cluster_page

FLAGS = ["--talos", "1.14.0", "--product", "RTX 4090", "--gpus-per-node", "2", "--count", "2"]
NODES = GpuNodes(talos_version="1.14.0", product="RTX 4090", gpus_per_node=2, count=2)


@pytest.mark.parametrize("cluster", ["today", "standalone-shared"])
def test_the_page_is_that_of_the_function(cluster, answer, tmp_path):
    folder = ROOT / "dist" / cluster
    (tmp_path / "cluster.yaml").write_text("{talos: 1.14.0, nodes: {gpu: {card: RTX 4090, cards: 2, count: 2}}}\n")

    assert answer("page", folder, tmp_path / "cluster.yaml") == cluster_page(folder, nodes=NODES)


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
