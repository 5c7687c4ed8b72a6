"""What was skipped and names NVIDIA: found by the path, the reason or the text, within bounds."""

import os

import pytest

from constructs_lib.observed.read import remarks as nvidia_mentions
from constructs_lib.observed.read.repository import read

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
CLAIM = POD + "spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: NAME}\nsops: {mac: a}\n"


@pytest.fixture
def skipped(tmp_path, monkeypatch):
    """The skipped places of a folder with these files: whether each names NVIDIA."""
    monkeypatch.chdir(tmp_path)

    def read_all(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return {(each.file, each.line): each.names_nvidia for each in read(["."]).skipped}

    return read_all


def test_a_manifest_that_is_not_applied_names_nvidia_by_its_text(skipped):
    assert skipped({"kustomization.yaml": "resources: []\n", "a.yaml": CLAIM, "b.yaml": POD}) == {
        ("a.yaml", None): True,
        ("b.yaml", None): False,
    }


def test_of_a_file_with_several_documents_only_the_skipped_one_counts(skipped):
    broken = "---\napiVersion: v1\nkind: Pod\nmetadata: [\n"

    assert skipped({"a.yaml": CLAIM + broken}) == {("a.yaml", 9): False}
    assert skipped({"a.yaml": POD + broken.replace("Pod", "Pod # nvidia") + "---\n" + POD}) == {("a.yaml", 8): True}


def test_an_encrypted_document_names_nvidia_by_its_path_or_its_keys(skipped):
    files = {"nvidia/a.yaml": SECRET, "b/a.yaml": SECRET, "c/a.yaml": SECRET.replace("NAME", "nvidia-api-key")}

    assert skipped(files) == {("nvidia/a.yaml", 1): True, ("b/a.yaml", 1): False, ("c/a.yaml", 1): True}


def test_a_reference_names_nvidia_by_itself_and_not_by_its_file(skipped):
    resources = "[https://example.com/nvidia.yaml, https://example.com/a.yaml, gpu.yaml]"
    kustomization = f"# nvidia\nresources: {resources}\n".replace(", ", ",\n  ")

    assert sorted(skipped({"kustomization.yaml": kustomization, "gpu.yaml": CLAIM}).items()) == [
        (("kustomization.yaml", 2), True),
        (("kustomization.yaml", 3), False),
    ]


@pytest.mark.parametrize(
    ("inside", "names"), [("deep/down/old.yaml", True), (".hidden/old.yaml", False), ("deep/.old.yaml", False), ("deep/old.py", False)]
)
def test_a_skipped_folder_names_nvidia_if_a_file_below_does(skipped, inside, names):
    assert skipped({f"archive/{inside}": CLAIM, "archive/b.yaml": POD, "c.yaml": POD}) == {("archive", None): names}


@pytest.mark.parametrize("name", ["main.tf", "gpu.tfvars", "a.hcl", "a.nix", "a.j2", "rules.mk", "a.cue"])
def test_a_file_of_a_format_that_is_not_read_is_named_if_it_names_nvidia(skipped, name):
    assert skipped({name: 'extensions = ["siderolabs/nvidia-open-gpu-kernel-modules-lts"]\n', "a.yaml": POD}) == {(name, None): True}
    assert skipped({name: "extensions = []\n"}) == {}


def test_a_file_for_people_and_a_program_are_not_named(skipped):
    assert (
        skipped({"README.md": "nvidia\n", "main.py": "nvidia\n", "a.sh": "nvidia-smi\n", ".terraform.tf": "nvidia\n", "a.yaml": POD}) == {}
    )


def test_files_outside_of_the_repository_and_pipes_are_not_opened(skipped, tmp_path):
    outside = tmp_path.parent / "outside.tf"
    outside.write_text("nvidia\n")
    (tmp_path / "linked.tf").symlink_to(outside)
    os.mkfifo(tmp_path / "pipe.tf")

    assert skipped({"a.yaml": POD}) == {("linked.tf", None): False}


def test_the_scan_reads_so_many_files_and_characters_and_no_more(skipped, monkeypatch):
    files = {f"{number}.tf": "# nvidia\n" for number in range(9)}
    monkeypatch.setattr(nvidia_mentions, "_MOST_FILES", 4)
    assert len(skipped(files)) == 4
    monkeypatch.setattr(nvidia_mentions, "_MOST_FILES", 100)
    monkeypatch.setattr(nvidia_mentions, "_MOST_CHARACTERS", 9 * 5)
    assert len(skipped(files)) == 5


def test_a_file_of_talos_that_was_read_is_not_said_to_be_skipped(skipped):
    talconfig = "clusterName: a\nendpoint: https://a\nnodes: [{hostname: a}]\npatches:\n  - |-\n    cluster:\n      inlineManifests:\n"
    talconfig += "        - name: a\n          contents: |-\n            apiVersion: v1\n            kind: Pod\n"
    flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ./apps}\n"

    assert skipped({"talconfig.yaml": talconfig, "flux.yaml": flux, "apps/a.yaml": POD, "b.yaml": POD}) == {("b.yaml", None): False}


TOPF = """\
clusterName: kubernetes
talosVersion: v1.13.9
nodes: [{host: gpu-1, ip: 10.0.0.48, schematicId: 0a74, data: {kernelModules: [nvidia, nvidia_uvm]}}]
"""


@pytest.mark.parametrize(
    ("text", "is_skipped"),
    [
        (TOPF, True),
        (TOPF.replace("talosVersion", "talos_version"), True),
        (TOPF.replace("nvidia", "zfs"), False),
        (TOPF.replace("talosVersion", "version"), False),
    ],
)
def test_the_gpu_nodes_of_an_unknown_tool_are_a_skipped_file_that_names_nvidia(text, is_skipped, tmp_path):
    (tmp_path / "topf.yaml").write_text(text)
    inputs = read([tmp_path])

    assert [(each.reason, each.names_nvidia) for each in inputs.skipped] == (
        [("the nodes of Talos in a format that is not read", True)] if is_skipped else []
    )
    assert len(inputs.unrecognized) == (not is_skipped)
