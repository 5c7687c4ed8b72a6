"""`talos-gpu krm`: the exit statuses, and the function in the real kustomize."""

import io
import os
import shlex
import subprocess
import sys

import pytest
import yaml
from command_line import environment, run  # noqa: F401  # a fixture

from conftest import needs
from constructs_lib.clusters.description import Description
from constructs_lib.clusters.synthesis import synthesize

CLUSTER = """\
apiVersion: talos-gpu/v1
kind: Cluster
metadata:
  name: home
  annotations:
    config.kubernetes.io/function: |
      exec: {path: talos-gpu, args: [krm]}
spec:
  talos: "1.14"
  nodes: {gpu: {taints: ["gpu=yes:NoSchedule"]}}
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
"""
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n"


def resource_list(cluster):
    content = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [], "functionConfig": yaml.safe_load(cluster)}
    return yaml.safe_dump(content, sort_keys=False)


@pytest.fixture
def called(run, monkeypatch):  # noqa: F811
    def call(text, *flags):
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return run("krm", *flags)

    return call


@pytest.fixture
def built(tmp_path):
    """The real kustomize on a folder, with `talos-gpu` on its PATH."""
    kustomize = needs("KUSTOMIZE", "kustomize (tools/kustomize.sh)")
    folder = tmp_path / "cluster"
    folder.mkdir()
    program = tmp_path / "bin" / "talos-gpu"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m constructs_lib "$@"\n')
    program.chmod(0o755)

    def call(kustomization, **files):
        for name, text in {"kustomization": kustomization, **files}.items():
            (folder / f"{name}.yaml").write_text(text)
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        line = [kustomize, "build", "--enable-alpha-plugins", "--enable-exec", str(folder)]
        return subprocess.run(line, env={**environment(), "PATH": path}, capture_output=True, text=True, check=False)

    return call


def by_name(manifests):
    found = {(each["kind"], each["metadata"]["name"]): each for each in manifests}
    for each in found.values():
        annotations = each["metadata"].get("annotations", {})
        if annotations.pop("talos-gpu/krm", None) and not annotations:
            del each["metadata"]["annotations"]
    return found


def test_the_list_is_printed(called):
    status, answer, messages = called(resource_list(CLUSTER))

    assert (status, messages) == (0, "")
    assert {each["kind"] for each in yaml.safe_load(answer)["items"]} >= {"DaemonSet", "Deployment", "Namespace"}


def test_an_error_has_its_field_and_the_status_of_a_wrong_file(called):
    status, answer, messages = called(resource_list(CLUSTER.replace("Ollama: {}", "Ollama: {gpus: 0}")))

    assert status == 2
    assert messages.startswith("talos-gpu krm: spec.charts.ai.objects.ollama.Ollama: 'gpus' must be a whole number of at least 1 (got 0)")
    assert [each["severity"] for each in yaml.safe_load(answer)["results"]] == ["error"]


def test_an_error_of_the_rules_has_its_own_status(called):
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: a, resources: {limits: {nvidia.com/gpu: 0.5}}}]}}"
    cluster = CLUSTER + f"        half: {{Object: {pod}}}\n"

    assert called(resource_list(cluster))[0] == 1
    assert called(resource_list(cluster), "--no-check")[0] == 0


def test_other_input_is_refused_in_one_sentence(called):
    status, answer, messages = called("kind: List\n")

    assert (status, answer) == (2, "")
    assert messages == "talos-gpu krm: standard input must be one ResourceList of config.kubernetes.io, as kustomize and kpt write it\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: ResourceList\nitems: [1]\n", "'items' must be a list of objects (got [1])"),
        ("<<: {items: []}\nkind: ResourceList\n", "'<<' must be left out of a ResourceList (got '<<')"),
    ],
)
def test_a_wrong_list_is_refused_without_a_word_about_flags(called, text, message):
    assert called(text) == (2, "", f"talos-gpu krm: {message}\n")


def test_kustomize_builds_the_objects_that_synth_writes_beside_its_own(built):
    done = built("generators: [cluster.yaml]\nresources: [settings.yaml]\n", cluster=CLUSTER, settings=SETTINGS)
    written = [
        each
        for text in synthesize(Description(yaml.safe_load(CLUSTER)["spec"]), lambda _: "").files.values()
        for each in yaml.safe_load_all(text)
    ]

    assert (done.returncode, done.stderr) == (0, "")
    assert by_name(yaml.safe_load_all(done.stdout)) == by_name([*written, yaml.safe_load(SETTINGS)])


def test_kustomize_patches_what_the_function_made(built):
    patch = 'patches:\n  - target: {kind: Deployment, name: ollama}\n    patch: \'[{"op": "add", "path": "/metadata/labels/team", "value": "ai"}]\'\n'
    done = built(f"generators: [cluster.yaml]\n{patch}", cluster=CLUSTER)

    assert done.stderr == ""
    assert "talos-gpu/krm: home" in done.stdout
    assert by_name(yaml.safe_load_all(done.stdout))["Deployment", "ollama"]["metadata"]["labels"]["team"] == "ai"


def test_as_a_transformer_the_function_adds_to_the_objects_of_kustomize(built):
    done = built("transformers: [cluster.yaml]\nresources: [settings.yaml]\n", cluster=CLUSTER, settings=SETTINGS)

    assert done.stderr == ""
    assert {("ConfigMap", "settings"), ("Deployment", "ollama")} <= by_name(yaml.safe_load_all(done.stdout)).keys()


def test_kustomize_builds_nothing_from_a_wrong_cluster_and_shows_the_error(built):
    done = built("generators: [cluster.yaml]\n", cluster=CLUSTER.replace("Ollama: {}", "Ollamma: {}"))

    assert (done.returncode, done.stdout) == (1, "")
    assert (
        "talos-gpu krm: spec.charts.ai.objects.ollama: 'ollama' must be a construct of this library, or Object (got 'Ollamma'); did you mean 'Ollama'?"
        in (done.stderr)
    )
