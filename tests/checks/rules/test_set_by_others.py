"""What a pod or a node has from elsewhere: policies that change pods, agents with their own taints, and scripts that set labels."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

KYVERNO = """\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: gpu-pods}
spec:
  rules: [{name: gpu, match: {any: [{resources: {kinds: [Pod]}}]}, %s: {patchStrategicMerge: {spec: {%s: x}}}}]
"""
OWN = """\
apiVersion: %s
kind: %s
metadata: {name: gpu-pods}
spec: {mutations: [{applyConfiguration: {expression: "Object{spec: Object.spec{runtimeClassName: 'nvidia'}}"}}]}
"""
CILIUM = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: cilium, namespace: kube-system}
spec: {chart: {spec: {chart: cilium, version: 1.18.4}}, values: {agentNotReadyTaintKey: %s}}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: label}
spec: {template: {spec: {containers: [{name: label, image: kubectl, command: %s}]}}}
"""


def found(rule, beside):
    failing = RULES[rule].failing
    text = failing.yaml.replace("  tolerations: [{key: dedicated, operator: Exists}]\n", "")
    inputs = read_text(f"{text}---\n{beside}", talos=failing.talos)
    return [(each.severity, each.message) for each in run_rules(inputs, select=[rule])]


@pytest.mark.parametrize(("rule", "field"), [("TG040", "runtimeClassName"), ("TG053", "tolerations")])
def test_a_policy_that_sets_what_pods_lack_makes_a_remark_of_the_finding(rule, field):
    findings = found(rule, KYVERNO % ("mutate", field))

    assert any(
        severity == "remark" and message.endswith(f". Unless the ClusterPolicy gpu-pods sets {field}") for severity, message in findings
    )
    assert found(rule, KYVERNO % ("mutate", "priorityClassName")) == found(rule, "")
    assert found(rule, KYVERNO % ("validate", field)) == found(rule, "")


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy"),
        ("policies.kyverno.io/v1", "MutatingPolicy"),
        ("mutations.gatekeeper.sh/v1", "Assign"),
    ],
)
def test_each_kind_of_policy_that_changes_pods_is_read(api, kind):
    assert [severity for severity, _ in found("TG040", OWN % (api, kind))] == ["remark"]
    assert found("TG040", OWN % ("example.org/v1", kind)) == found("TG040", "")


def test_cilium_takes_away_the_taint_that_its_values_name():
    assert found("TG053", CILIUM % "dedicated") == []
    assert found("TG053", CILIUM % "other") == found("TG053", "") != []


SELECTING = """\
apiVersion: v1
kind: Pod
metadata: {name: smi}
spec:
  nodeSelector: {nvidia.com/gpu.present: "true"}
  containers: [{name: smi, image: cuda, resources: {limits: {nvidia.com/gpu: 1}}}]
---
machine: {type: worker, kernel: {modules: [{name: nvidia}]}, nodeLabels: {a: b}}
---
"""


@pytest.mark.parametrize(
    ("command", "is_set"),
    [
        ("[kubectl, label, node, gpu-1, nvidia.com/gpu.present=true]", True),
        ("[sh, -c, 'kubectl -n x label --overwrite nodes $NODE \"nvidia.com/gpu.present=$HAS\" && true']", True),
        ("[sh, -c, 'kubectl label nodes gpu-1 other=true; echo nvidia.com/gpu.present=true']", False),
        ("[kubectl, label, nodes, -l, nvidia.com/gpu.present=true, other=true]", False),
        ("[kubectl, label, pod, smi, nvidia.com/gpu.present=true]", False),
    ],
)
def test_a_script_that_labels_nodes_sets_their_labels(command, is_set):
    findings = run_rules(read_text(SELECTING + JOB % command, talos="1.13"), select=["TG007"])
    assert (findings == []) is is_set


def test_a_script_in_a_configmap_sets_labels_too():
    script = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\ndata: {a.sh: 'kubectl label node gpu-1 nvidia.com/gpu.present=true'}\n"
    assert run_rules(read_text(SELECTING + script, talos="1.13"), select=["TG007"]) == []
    assert run_rules(read_text(SELECTING, talos="1.13"), select=["TG007"]) != []
