"""`talos-gpu synth --page`: the page of each cluster, in the record of what the command has written."""

import json

import pytest
from command_line import run  # noqa: F401  # a fixture

from constructs_lib import GpuNodes, cluster_page
from constructs_lib.clusters.output_folder import RECORD

FILE = """\
nodes: {gpu: {talos: 1.14.0, card: RTX 4090, cards: 1, count: 1}}
charts:
  gpu:
    namespace: kube-system
    objects:
      runtime-class: {NvidiaRuntimeClass: {}}
      device-plugin: {StandaloneDevicePlugin: {}}
  ai:
    namespace: ai
    create_namespace: true
    objects:
      ollama: {Ollama: {}}
clusters:
  berlin: {}
  paris: {nodes: {gpu: {count: 2}}}
"""
HALF = (
    "      half: {Object: {apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {talos-gpu/ignore-TG045: of a test}},"
    " spec: {containers: [{name: c, image: 'a:1', resources: {limits: {nvidia.com/gpu: 0.5}}}]}}}\n"
)


@pytest.fixture
def synth(run, tmp_path, monkeypatch):  # noqa: F811
    """The answer of the command for a file with this text, by lines: the clusters, and the messages."""
    monkeypatch.chdir(tmp_path)

    def call(text, *flags):
        (tmp_path / "fleet.yaml").write_text(text)
        status, answer, messages = run("synth", "fleet.yaml", *flags)
        assert status == 0
        return answer.splitlines(), messages.splitlines()

    return call


def nodes(count):
    return GpuNodes(talos_version="1.14.0", product="RTX 4090", gpus_per_node=1, count=count)


def test_each_cluster_has_the_page_of_its_folder(synth, tmp_path):
    synth(FILE)

    for cluster, count in (("berlin", 1), ("paris", 2)):
        folder = tmp_path / "dist" / cluster
        page = (folder / "README.md").read_text()
        (folder / "README.md").unlink()
        assert page.partition("\n## Decisions")[0] == cluster_page(folder, nodes=nodes(count))


def test_the_page_has_the_lines_of_silenced_findings(synth, tmp_path):
    synth(FILE.replace("clusters:\n", HALF + "clusters:\n"))
    page = (tmp_path / "dist/berlin/README.md").read_text()

    assert page.partition("\n## Decisions")[0] == cluster_page(tmp_path / "dist/berlin", nodes=nodes(1))
    line = 1 + (tmp_path / "dist/berlin/manifests/ai.k8s.yaml").read_text().splitlines().index("          nvidia.com/gpu: 0.5")
    assert f"| `TG045` | `Pod ai/p` | of a test | `manifests/ai.k8s.yaml:{line}` |" in page


def test_a_file_of_somebody_else_in_the_folder_is_not_on_the_page(synth, tmp_path):
    synth(FILE)
    before = (tmp_path / "dist/berlin/README.md").read_text()
    (tmp_path / "dist/berlin/other.yaml").write_text(
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: other}\nhandler: nvidia\n"
    )

    assert synth(FILE)[0][0] == "dist/berlin: 6 files, 0 of them new or changed"
    assert (tmp_path / "dist/berlin/README.md").read_text() == before


def test_the_record_has_the_page(synth, tmp_path):
    synth(FILE)

    assert "README.md" in json.loads((tmp_path / "dist/berlin" / RECORD).read_text())["files"]
    assert synth(FILE, "--changed")[0] == ["dist/berlin: unchanged", "dist/paris: unchanged"]
    (tmp_path / "dist/paris/README.md").unlink()
    assert synth(FILE, "--changed")[0] == ["dist/berlin: unchanged", "dist/paris: 6 files, 1 of them new or changed"]


def test_a_page_that_no_flag_asks_for_is_deleted_and_named(synth, tmp_path):
    synth(FILE)
    answer, messages = synth(FILE, "--no-page", "--changed")

    assert answer == [f"dist/{name}: 5 files, 0 of them new or changed" for name in ("berlin", "paris")]
    assert messages == [
        f"talos-gpu synth: dist/{name}/README.md is deleted: the cluster file and the flags no longer ask for it"
        for name in ("berlin", "paris")
    ]
    assert not (tmp_path / "dist/berlin/README.md").exists()


def test_the_printed_manifests_are_the_same_with_a_page(synth, tmp_path):
    flags = ("--print", "--cluster", "paris")

    assert synth(FILE, *flags) == synth(FILE, "--no-page", *flags)
    assert not (tmp_path / "dist").exists()
