"""The output folder of `talos-gpu synth`: the folders of other cluster files, symbolic links, and files that somebody has edited."""

import json
import os
import subprocess

import pytest
from command_line import run  # noqa: F401  # a fixture

from constructs_lib.clusters.output_folder import RECORD

FILE = """\
name: home
nodes: {talos_version: "1.14.0"}
charts:
  gpu: {namespace: kube-system, objects: {runtime-class: {NvidiaRuntimeClass: {}}}}
"""
FLEET = FILE.removeprefix("name: home\n") + "delivery: {flux: {repository: oci://ghcr.io/acme/clusters}}\nclusters:\n"
AI = "  ai: {namespace: ai, create_namespace: true, objects: {config: {Object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}}}}\n"


def contents(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def synth(run, tmp_path, monkeypatch):  # noqa: F811
    """The exit status and the messages of the command for a file with this text, in a folder with this path."""
    monkeypatch.chdir(tmp_path)

    def call(text, path="home.yaml", *flags):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        status, _, messages = run("synth", path, "--no-check", *flags)
        return status, messages

    return call


def test_the_cluster_of_another_file_is_refused_and_nothing_changes(synth, tmp_path):
    assert synth(FILE + AI, "a/home.yaml") == (0, "")
    before = contents(tmp_path / "dist")
    status, messages = synth(FILE, "b/home.yaml")

    assert status == 2
    assert messages.startswith(
        "talos-gpu synth: 'output_folder' must be a folder without clusters of these names from another cluster file (got 'dist/home'); "
        "'a/home.yaml' has written it: choose another folder or another name; where the cluster file was renamed: sed -i.bak "
    )
    assert contents(tmp_path / "dist") == before


def test_the_fleet_folder_of_another_file_is_refused(synth, tmp_path):
    assert synth(FLEET + "  berlin: {}\n", "a.yaml") == (0, "")
    status, messages = synth(FLEET + "  paris: {}\n", "b.yaml")

    assert status == 2
    assert "(got 'dist/fleet'); 'a.yaml' has written it" in messages
    assert (tmp_path / "dist/fleet/flux/berlin.yaml").exists()
    assert not (tmp_path / "dist/paris").exists()


def test_the_command_of_the_hint_gives_the_folder_to_a_renamed_file(synth, tmp_path):
    synth(FILE + AI, "old.yaml")
    _, messages = synth(FILE + AI, "new.yaml")
    subprocess.run(["sh", "-c", messages[messages.index("sed -i") :]], cwd=tmp_path, check=True)

    assert synth(FILE + AI, "new.yaml") == (0, "")
    assert json.loads((tmp_path / "dist/home" / RECORD).read_text())["source"] == "../new.yaml"


def test_a_record_without_a_source_is_taken(synth, tmp_path):
    synth(FILE + AI, "a.yaml")
    record = tmp_path / "dist/home" / RECORD
    content = json.loads(record.read_text())
    del content["source"]
    record.write_text(json.dumps(content))

    assert synth(FILE.replace("{NvidiaRuntimeClass: {}}", "{NvidiaRuntimeClass: {name: other}}") + AI, "b.yaml") == (0, "")


def test_the_record_is_the_same_in_each_copy_of_a_repository(synth, tmp_path, monkeypatch):
    records = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        synth(FILE, f"{folder}/home.yaml", "--output-folder", f"{folder}/dist")
        records.append((tmp_path / folder / "dist/home" / RECORD).read_text())

    assert records[0] == records[1]


@pytest.mark.parametrize("name", ["prod.eu.yaml", "prod.us.yml"])
def test_a_file_name_with_a_further_dot_is_no_name_of_a_cluster(synth, tmp_path, name):
    status, messages = synth(FILE.removeprefix("name: home\n"), name)

    assert status == 2
    assert f"(got '{name.rpartition('.')[0]}')" in messages
    assert synth(FILE.removeprefix("name: home\n"), "prod-eu.yml") == (0, "")
    assert (tmp_path / "dist/prod-eu").is_dir()
