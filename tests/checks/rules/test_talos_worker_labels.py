"""TG110: labels that a worker may not set on itself."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.loaders.repository import read_text

FORBIDDEN = "node-role.kubernetes.io/gpu"


def found(text):
    return [(str(each.severity), each.line, each.fix) for each in run_rules(read_text(text, file="talos.yaml"), select=["TG110"])]


def talconfig(labels, more=""):
    return f"""\
clusterName: home
talosVersion: v1.13.9
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
    nodeLabels: {labels}
{more}"""


def remove_and_run(command):
    return f"Remove the label from the machine configuration, and run {command}"


def test_the_label_of_a_worker_is_an_error_at_its_line():
    assert found(talconfig(f"{{{FORBIDDEN}: 'yes'}}")) == [
        ("error", 7, remove_and_run(f"kubectl label nodes gpu-1 {FORBIDDEN}=yes --overwrite"))
    ]


def test_a_control_plane_node_may_set_every_label():
    assert found(talconfig(f"{{{FORBIDDEN}: ''}}", "    controlPlane: true\n")) == []


@pytest.mark.parametrize("key", ["machine:\n  nodeLabels:\n    %s: ''", "apiVersion: v1alpha1\nkind: KubeNodeConfig\nlabels:\n  %s: ''"])
def test_a_patch_of_unknown_nodes_is_a_warning_in_both_styles(key):
    text = key % FORBIDDEN

    assert found(text) == [("warning", len(text.split("\n")), remove_and_run(f"kubectl label nodes NODE {FORBIDDEN}= --overwrite"))]


def test_the_role_of_the_control_plane_is_an_error_on_a_worker_alone():
    label = "node-role.kubernetes.io/control-plane"

    assert found(f"machine:\n  nodeLabels:\n    {label}: ''") == []
    assert [severity for severity, *_ in found(talconfig(f"{{{label}: ''}}"))] == ["error"]


@pytest.mark.parametrize("labels", ["{role: gpu, node.kubernetes.io/gpu: ''}", f"{{{FORBIDDEN}: {{$patch: delete}}}}", "{'${LABEL}': x}"])
def test_a_label_that_a_node_may_set_or_that_a_patch_deletes_or_that_is_unknown_is_left_alone(labels):
    assert found(talconfig(labels)) == []


def test_an_unknown_value_is_named_as_such():
    assert found(talconfig(f"{{{FORBIDDEN}: '${{ROLE}}'}}"))[0][2] == remove_and_run(
        f"kubectl label nodes gpu-1 {FORBIDDEN}=VALUE --overwrite"
    )


def test_a_patch_that_reaches_two_workers_is_reported_once():
    patch = f"""\
worker:
  patches:
    - |
      machine:
        nodeLabels:
          {FORBIDDEN}: ""
"""
    text = talconfig("{role: gpu}", "  - hostname: gpu-2\n    ipAddress: 10.0.0.31\n" + patch)

    assert [(severity, line) for severity, line, _ in found(text)] == [("error", 15)]
