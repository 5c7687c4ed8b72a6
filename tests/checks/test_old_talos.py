"""A Talos before 1.8: the reader is told, rules for newer ones don't speak, and the others are less sure."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.report_words import head
from constructs_lib.observed.read.repository import read, read_text

SENTENCE = "is older than 1.8, the oldest that the rules know. Rules for newer versions were not applied to it, and the findings of the others are less sure for its nodes"
MODULES = "modules: [{name: nvidia}, {name: nvidia_uvm}]"
FORMS = {
    "talhelper": "clusterName: a\nendpoint: https://a\ntalosVersion: v1.7.6\nnodes: [{hostname: a, ipAddress: 10.0.0.1, nodeLabels: {a: b}}]\n",
    "an installer": f"machine:\n  type: worker\n  install: {{image: ghcr.io/siderolabs/installer:v1.7.6}}\n  kernel: {{{MODULES}}}\n",
    "Omni": "kind: Cluster\nname: a\ntalos: {version: v1.7.6}\nkubernetes: {version: v1.30.1}\n---\nkind: ControlPlane\nmachines: [a]\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_an_old_talos_is_named_in_the_head(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talos.yaml").write_text(FORMS[form])
    inputs = read(["."])

    assert inputs.talos_version is None
    (sentence,) = [each for each in head(inputs, 5) if "older" in each]
    assert sentence.startswith("Talos 1.7.6 (talos.yaml:")
    assert sentence.endswith(SENTENCE)
    assert not any("give --talos" in each for each in head(inputs, 5))


@pytest.mark.parametrize("version", ["v1.8.0", "v1.13.9", "${TALOS_VERSION}", "latest"])
def test_no_other_version_is_called_old(version):
    inputs = read_text(FORMS["talhelper"].replace("v1.7.6", version))

    assert not any("older than" in each for each in head(inputs, 5))


def test_a_fault_of_an_old_node_is_a_warning():
    text = FORMS["an installer"].replace("kernel:", "files: [{path: /etc/a, op: create, content: a}]\n  kernel:")
    old, new = (
        [each for each in run_rules(read_text(text.replace("1.7.6", talos))) if each.rule == "TG075"] for talos in ("1.7.6", "1.9.1")
    )

    assert [str(each.severity) for each in (*old, *new)] == ["warning", "error"]
    assert old[0].message == f"{new[0].message}. This was not tried with Talos 1.7.6"


def test_rules_for_newer_releases_do_not_judge_an_old_node():
    text = FORMS["an installer"].replace("kernel:", "files: [{path: /var/a, op: create, content: /usr/local/glibc}]\n  kernel:")

    assert [each.rule for each in run_rules(read_text(text), select=["TG077"])] == []
    assert [each.rule for each in run_rules(read_text(text.replace("1.7.6", "1.13.9")), select=["TG077"])] == ["TG077"]


TALCONFIG = "clusterName: a\nendpoint: https://a\ntalosVersion: %s\nnodes: [{hostname: a, ipAddress: 10.0.0.1, nodeLabels: {a: b}}]\n"
DEFAULT_RUNTIME = """\
machine:
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        [plugins."io.containerd.grpc.v1.cri".containerd]
          default_runtime_name = "nvidia"
"""


@pytest.mark.parametrize(
    ("versions", "found"),
    [(["v1.7.4"], []), (["v1.7.4", "v1.4.4"], []), (["v1.8.0"], ["TG081"]), (["v1.7.4", "v1.9.0"], ["TG081"]), ([], ["TG081"])],
)
def test_a_patch_without_a_version_has_the_only_one_that_the_files_state(versions, found, tmp_path):
    (tmp_path / "runtime.yaml").write_text(DEFAULT_RUNTIME)
    for number, version in enumerate(versions):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}/talconfig.yaml").write_text(TALCONFIG % version)

    assert [each.rule for each in run_rules(read([tmp_path]), select=["TG081"])] == found


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: a}
spec: {containers: [{name: a, image: example.com/a:1, resources: {limits: {nvidia.com/gpu: 1}}}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec: {runtimeClassName: nvidia, containers: [{name: a, image: "nvcr.io/nvidia/k8s-device-plugin:v0.17.1"}]}
"""


@pytest.mark.parametrize(("version", "found"), [("v1.7.4", []), ("v1.13.0", ["TG040"])])
def test_the_default_runtime_of_containerd_1_counts_on_a_talos_that_has_it(version, found, tmp_path):
    (tmp_path / "runtime.yaml").write_text(DEFAULT_RUNTIME)
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG % version)
    (tmp_path / "pod.yaml").write_text(POD)

    assert [each.rule for each in run_rules(read([tmp_path]), select=["TG040"])] == found


def test_a_fault_of_a_patch_is_less_sure_where_the_only_stated_talos_is_old(tmp_path):
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG % "v1.7.6")
    (tmp_path / "file.yaml").write_text("machine: {files: [{path: /etc/a, op: create, content: a}]}\n")
    (found,) = run_rules(read([tmp_path]), select=["TG075"])

    assert (str(found.severity), found.message.endswith(". This was not tried with Talos 1.7.6")) == ("warning", True)
