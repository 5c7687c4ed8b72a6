"""What the checks cost: function calls an object, which grow no faster than what is read."""

import sys

import pytest

from conftest import ROOT
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.loaders.repository import read, read_text
from counting import calls

sys.path.append(str(ROOT / "benchmarks"))
from checks import manifests

FILES = {
    "deployment.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app-NUMBER}
spec:
  selector: {matchLabels: {app: app-NUMBER}}
  template:
    metadata: {labels: {app: app-NUMBER}}
    spec:
      containers:
        - {name: app, image: vllm/vllm-openai:v0.11.0, resources: {limits: {nvidia.com/gpu: 1}}}
""",
    "service.yaml": """\
apiVersion: v1
kind: Service
metadata: {name: app-NUMBER}
spec: {selector: {app: app-NUMBER}, ports: [{name: http, port: 8000}]}
""",
    "helm-release.yaml": """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: chart-NUMBER}
spec:
  chart: {spec: {chart: ollama, version: 1.2.3}}
  values: {replicaCount: 1, image: {tag: latest}, resources: {limits: {memory: 1Gi}}}
""",
}


def counted(size):
    """The calls an object to read, and to check, about so many objects."""
    read_, found = [], []
    text = manifests(size)
    reading = calls(lambda: read_.append(read_text(text, talos="1.12")))
    checking = calls(lambda: found.extend(run_rules(read_[0])))
    objects = len(read_[0].objects)
    assert objects >= size
    assert found
    return {"read": reading / objects, "check": checking / objects}


@pytest.fixture(scope="module")
def thousand():
    counted(10)  # what is loaded and compiled once
    return counted(1_000)


def test_an_object_is_read_and_judged_in_under_two_thousand_calls(thousand):
    assert thousand["read"] + thousand["check"] < 2_000


@pytest.mark.parametrize("part", ["read", "check"])
def test_four_times_the_objects_take_about_four_times_the_calls(thousand, part):
    assert counted(4_000)[part] < 1.1 * thousand[part]


def tree(folder, apps):
    """A repository with that many folders of an app."""
    for number in range(apps):
        app = folder / f"group-{number // 50}" / f"app-{number}"
        app.mkdir(parents=True)
        for name, text in FILES.items():
            (app / name).write_text(text.replace("NUMBER", str(number)))
        (app / "kustomization.yaml").write_text(f"namespace: team-{number}\nresources: [{', '.join(FILES)}]\n")
    return folder


def test_a_file_of_a_repository_costs_no_more_where_there_are_more_files(tmp_path):
    def calls_a_file(apps):
        folder = tree(tmp_path / str(apps), apps)
        inputs = []
        made = calls(lambda: inputs.append(read([folder], talos="1.13")) or run_rules(inputs[0]))
        assert len(inputs[0].objects) == 3 * apps
        return made / (4 * apps)

    calls_a_file(2)
    assert calls_a_file(200) < 1.1 * calls_a_file(50) < 4_000
