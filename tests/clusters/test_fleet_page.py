"""docs/fleet.md: its fleet, its plugin of Argo CD, its KRM function and its app in TypeScript."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest
import yaml
from command_line import environment, run  # noqa: F401  # a fixture

from conftest import ROOT
from constructs_lib.clusters.resource_list import run_function

PAGE = (ROOT / "docs" / "fleet.md").read_text()
PLUGIN = yaml.safe_load((ROOT / "docs" / "argocd-plugin.yaml").read_text())
FLEET = ROOT / "docs" / "fleet.yaml"

# The fields that Argo CD reads (cmpserver/plugin/config.go and ParameterAnnouncement of reposerver/repository/repository.proto, v3.6.1).
COMMAND = {"command", "args"}
SPEC = {"version", "init", "generate", "discover", "parameters", "preserveFileMode", "provideGitCreds"}
ANNOUNCEMENT = {"name", "title", "tooltip", "required", "itemType", "collectionType", "string", "array", "map"}


def block(language, word):
    """The block of the page in which a word stands."""
    return next(each for each in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if word in each)


@pytest.fixture
def generated(tmp_path):
    """What the plugin's command does in a folder with the fleet as cluster.yaml."""
    program = tmp_path / "bin" / "talos-gpu"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m constructs_lib "$@"\n')
    program.chmod(0o755)
    source = tmp_path / "source"
    source.mkdir()

    def call(text, **variables):
        (source / "cluster.yaml").write_text(text)
        generate = PLUGIN["spec"]["generate"]
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [*generate["command"], *generate["args"]],
            cwd=source, env={**environment(), "PATH": path, **variables}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert [each.name for each in source.iterdir()] == ["cluster.yaml"]
        return done

    return call


def test_the_fleet_of_the_page_is_written_without_a_warning(run, tmp_path):  # noqa: F811
    status, answer, messages = run("synth", FLEET, "--output-folder", tmp_path / "dist")

    assert (status, messages) == (0, "")
    assert answer.count("\n") == 4


def test_the_plugin_has_only_fields_that_argo_cd_reads():
    spec = PLUGIN["spec"]

    assert (PLUGIN["apiVersion"], PLUGIN["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    assert PLUGIN["metadata"] == {"name": "talos-gpu"}
    assert spec.keys() <= SPEC
    assert spec["generate"].keys() <= COMMAND
    assert spec["generate"]["command"]
    assert spec["parameters"].keys() <= {"static", "dynamic"}
    assert all(each.keys() <= ANNOUNCEMENT for each in spec["parameters"]["static"])


def test_the_plugin_prints_the_manifests_of_the_cluster_that_the_application_names(generated, tmp_path, run):  # noqa: F811
    done = generated(FLEET.read_text(), PARAM_CLUSTER="paris")
    run("synth", FLEET, "--output-folder", tmp_path / "dist", "--cluster", "paris")

    assert (done.returncode, done.stderr) == (0, "")
    written = [
        each for name in ("gpu", "ai") for each in yaml.safe_load_all((tmp_path / f"dist/paris/manifests/{name}.k8s.yaml").read_text())
    ]
    assert list(yaml.safe_load_all(done.stdout)) == written


def test_the_plugin_prints_nothing_and_fails_for_a_wrong_file_or_cluster(generated):
    wrong = generated(FLEET.read_text().replace("recipe: Ollama", "recipe: Ollama, gpus: 0"), PARAM_CLUSTER="paris")
    none, hostile = (generated(FLEET.read_text(), PARAM_CLUSTER=name) for name in ("", "rome; touch x --schema"))

    assert [(each.returncode, each.stdout) for each in (wrong, none, hostile)] == [(2, "")] * 3
    assert "cluster.yaml:5: [paris] workloads.ollama: 'gpus' must be" in wrong.stderr
    assert "--cluster must be given with --print" in none.stderr
    assert "--cluster must be the name of a cluster of the file" in hostile.stderr


def test_the_parameter_of_the_page_is_one_of_the_plugin():
    plugin = yaml.safe_load(block("yaml", "parameters:\n      -"))["source"]["plugin"]

    assert plugin["name"] == PLUGIN["metadata"]["name"]
    assert [each["name"] for each in plugin["parameters"]] == [each["name"] for each in PLUGIN["spec"]["parameters"]["static"]]


def test_the_function_of_the_page_makes_the_objects_of_its_cluster():
    config = yaml.safe_load(block("yaml", "talos-gpu/v1"))
    text = json.dumps({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [], "functionConfig": config})
    output = yaml.safe_load(run_function(text).text)

    assert "Deployment" in {each["kind"] for each in output["items"]}
