"""`talos-gpu doctor cluster.yaml`: what was read of a cluster, compared with its file."""

import json

import jsonschema
import pytest
import yaml

from conftest import ROOT

SCHEMA = json.loads((ROOT / "docs" / "doctor-schema.json").read_text())
FILE = """\
talos: 1.14.6
nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5}}
workloads:
  chat: {image: "example.com/chat:1", gpus: 1, env: {MODE: fast}}
"""
NODE = """\
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels: {extensions.talos.dev/nvidia-container-toolkit-production: "595", extensions.talos.dev/nvidia-open-gpu-kernel-modules-production: "595"}
status:
  addresses: [{type: InternalIP, address: 10.0.0.5}]
  allocatable: {nvidia.com/gpu: "1"}
  capacity: {nvidia.com/gpu: "1"}
  nodeInfo: {osImage: "Talos (v1.14.6)"}
  conditions: [{type: Ready, status: "True"}]
"""


@pytest.fixture
def compared(run, tmp_path, monkeypatch):
    """The lines of the section for a cluster with these changes, and the exit status."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home.yaml").write_text(FILE)
    (tmp_path / "fleet.yaml").write_text(FILE + "clusters: {berlin: {}, paris: {talos: 1.13.9}}\n")
    run("synth", "home.yaml")
    objects = [each for path in sorted(tmp_path.glob("dist/**/*.k8s.yaml")) for each in yaml.safe_load_all(path.read_text())]

    def call(*flags, change=lambda objects: objects, file="home.yaml"):
        (tmp_path / "dump.yaml").write_text(
            yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": change([yaml.safe_load(NODE), *objects])})
        )
        status, out, err = run("doctor", file, "dump.yaml", *flags)
        assert err == ""
        return status, out if flags[:1] == ("--format",) else out.partition(f"compared with {file}\n")[2].partition("\n\n")[0].splitlines()

    return call


def of(objects, kind):
    return next(each for each in objects if each["kind"] == kind)


def test_a_cluster_as_its_file_describes_it_has_no_difference_also_in_hidden_values(compared):
    _, lines = compared()

    assert lines[0] == "   no difference in what was read"


def test_another_talos_and_another_image_are_named(compared):
    def change(objects):
        of(objects, "Node")["status"]["nodeInfo"]["osImage"] = "Talos (v1.13.9)"
        of(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]["image"] = "example.com/chat:2"
        return objects

    assert compared(change=change)[1][:2] == [
        "   nodes.gpu-1.talos: described 1.14.6, observed 1.13.9",
        "   Deployment workloads/chat spec.template.spec.containers[0].image: described 'example.com/chat:1', observed 'example.com/chat:2'",
    ]


def test_a_runtime_class_that_the_whole_list_lacks_is_absent_and_a_workload_is_not_read(compared):
    def change(objects):
        of(objects, "RuntimeClass")["metadata"]["name"] = "other"
        return [each for each in objects if each["kind"] != "Deployment"]

    lines = compared(change=change)[1]

    assert lines[0] == "   RuntimeClass nvidia: described an object of the cluster, observed no such object"
    assert not any("Deployment" in each for each in lines)
    assert lines[-1].endswith("of the described nodes, objects and fields; talos-gpu verify reads them")


def test_long_lists_are_cut_in_text_and_whole_as_json(compared):
    def change(objects):
        spec = of(objects, "Deployment")["spec"]
        spec["template"]["spec"] = {"runtimeClassName": "nvidia", "containers": [{"name": "c", "image": "a"}]}
        daemon = of(objects, "DaemonSet")["spec"]["template"]["spec"]
        daemon["containers"] = [{"name": "nvidia-device-plugin", "image": "nvidia"}]
        return objects

    lines = compared(change=change)[1]
    report = json.loads(compared("--format", "json", change=change)[1])
    jsonschema.validate(report, SCHEMA)
    differing = [each for each in report["differences"] if each["observed"] != "not read"]

    assert len(differing) > 15
    assert lines[15] == f"   {len(differing) - 15} more with --format json"


def test_the_differences_change_neither_causes_nor_the_exit_status(compared, run):
    def change(objects):
        of(objects, "Node")["status"]["nodeInfo"]["osImage"] = "Talos (v1.13.9)"
        return objects

    assert compared(change=change)[0] == run("doctor", "dump.yaml")[0]


def test_the_cluster_of_a_file_with_several_is_named(compared, refusal):
    assert compared("--cluster", "paris", file="fleet.yaml")[1][0] == "   nodes.gpu-1.talos: described 1.13.9, observed 1.14.6"
    assert (
        refusal("doctor", "fleet.yaml", "dump.yaml")
        == "--cluster must be one of the clusters of fleet.yaml, 'berlin', 'paris' (got nothing)"
    )
    assert (
        refusal("doctor", "fleet.yaml", "dump.yaml", "--cluster", "pari")
        == "--cluster must be the name of a cluster of the file (got 'pari'); did you mean 'paris'?"
    )
    assert refusal("doctor", "dump.yaml", "--cluster", "paris") == "--cluster must be given with a cluster file (got 'paris')"


def test_markdown_has_the_section(compared):
    assert "\n## Compared with home.yaml\n\n- no difference in what was read\n" in compared("--format", "markdown")[1]


def test_a_cluster_file_without_an_output_and_in_an_issue_is_refused(compared, refusal):
    assert refusal("doctor", "home.yaml") == "a PATH with what was read must be given beside the cluster file home.yaml, or --live"
    assert (
        refusal("doctor", "home.yaml", "dump.yaml", "--report")
        == "--report must be given without a cluster file (got home.yaml), whose names it would show"
    )
