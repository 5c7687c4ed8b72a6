"""TG110: labels that a worker may not set on itself, and labels with which a kubelet does not start."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

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


ARGUMENTS = [
    "machine: {kubelet: {extraArgs: {node-labels: %s}}}\n",
    "apiVersion: v1alpha1\nkind: KubeletConfig\nextraArgs: {node-labels: %s}\n",
]


@pytest.mark.parametrize("text", ARGUMENTS)
@pytest.mark.parametrize("labels", [f"'role=gpu,{FORBIDDEN}=yes'", f"[role=gpu, {FORBIDDEN}=yes]", f"['{FORBIDDEN}=yes,role=gpu']"])
def test_an_argument_of_the_kubelet_is_an_error_as_text_and_as_list(text, labels):
    assert [(severity, fix) for severity, _, fix in found(text % labels)] == [
        ("error", remove_and_run(f"kubectl label nodes NODE {FORBIDDEN}=yes --overwrite"))
    ]


def test_the_kubelet_of_a_control_plane_node_does_not_start_either():
    argument = f"machine: {{type: controlplane, kubelet: {{extraArgs: {{node-labels: {FORBIDDEN}=}}}}}}"
    (finding,) = run_rules(read_text(argument, file="talos.yaml"), select=["TG110"])

    assert finding.message == (
        f"the argument node-labels has the label {FORBIDDEN}, which a kubelet may not set on its own node. The kubelet does not start: failed to "
        "validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels"
    )


@pytest.mark.parametrize(
    ("labels", "count"),
    [
        ("role=gpu", 0),
        ("node.kubernetes.io/gpu=yes", 0),
        ("'topology.kubernetes.io/zone=a,nvidia.com/gpu.present=true'", 0),
        ("'${LABELS}'", 0),
        (f"'${{PREFIX}}{FORBIDDEN}=yes'", 0),
        (f"'${{LABELS}},{FORBIDDEN}=${{VALUE}}'", 1),
        ("''", 0),
        ("null", 0),
        ("{$patch: delete}", 0),
    ],
)
@pytest.mark.parametrize("text", ARGUMENTS)
def test_an_argument_is_read_as_far_as_it_is_known(text, labels, count):
    assert len(found(text % labels)) == count


POOL = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: gpu}
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.13
      strategicPatches:
        - "machine: {nodeLabels: {node-role.kubernetes.io/gpu: yes}}"
"""
MACHINE_SET = """\
kind: Cluster
name: home
talos: {version: v1.13.9}
---
kind: Workers
name: gpu
machines: [4aed1106-6f44-4be9-9796-d4b5b0b5b0b0]
patches:
  - name: gpu
    inline: {machine: {%snodeLabels: {node-role.kubernetes.io/gpu: yes}}}
"""
MACHINE_SET_PATCH = """\
metadata:
  type: ConfigPatches.omni.sidero.dev
  id: gpu
  labels: {omni.sidero.dev/cluster: home, omni.sidero.dev/machine-set: home-gpu}
spec:
  data: |
    machine: {%snodeLabels: {node-role.kubernetes.io/gpu: yes}}
"""


@pytest.mark.parametrize(
    ("text", "node"),
    [
        (POOL, "NODE"),
        (MACHINE_SET % "", "NODE"),
        (MACHINE_SET % "network: {hostname: gpu-1}, ", "gpu-1"),
        (MACHINE_SET_PATCH % "", "NODE"),
        (MACHINE_SET_PATCH % "network: {hostname: gpu-1}, ", "NODE"),
    ],
)
def test_the_name_of_an_object_or_a_machine_is_no_name_of_a_node(text, node):
    (fix,) = {fix for _, _, fix in found(text)}

    assert fix.startswith(remove_and_run(f"kubectl label nodes {node} {FORBIDDEN}="))
