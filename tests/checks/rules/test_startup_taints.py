"""TG053 and a taint that something in the files takes away once a node is ready: by the setting that names the taint, whatever its key."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

KEY = "dedicated"  # as in the failing example of the rule
CILIUM = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: cilium, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: cilium, version: 1.19.2, sourceRef: {{kind: HelmRepository, name: cilium}}}}}}
  values: {{agentNotReadyTaintKey: {key}}}
"""
CONFIG = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: cilium-config, namespace: kube-system}}
data: {{agent-not-ready-taint-key: {key}}}
"""
POOL = """\
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: gpu}}
spec: {{template: {{spec: {{startupTaints: [{{key: {key}, value: ai, effect: NoSchedule}}]}}}}}}
"""
PROGRAM = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: controller, namespace: kube-system}}
spec:
  selector: {{matchLabels: {{app: controller}}}}
  template:
    metadata: {{labels: {{app: controller}}}}
    spec: {{containers: [{{name: main, image: "example.com/controller:1", {words}}}]}}
"""
SETTERS = {
    "the value of Cilium's chart": CILIUM,
    "the ConfigMap of Cilium": CONFIG,
    "a NodePool of Karpenter": POOL,
    "a flag of the Cluster Autoscaler": PROGRAM.replace("{words}", 'args: ["--startup-taint={key}"]'),
    "a flag in two words": PROGRAM.replace("{words}", 'args: ["--agent-not-ready-taint-key", {key}]'),
    "nodetaint": PROGRAM.replace("{words}", "env: [{{name: NODE_TAINT, value: {key}}}]"),
}


def severities(*more):
    example = RULES["TG053"].failing
    inputs = read_text(example.yaml + "".join(more), file="example.yaml", talos=example.talos)
    return [str(each.severity) for each in run_rules(inputs, select=["TG053"])]


def test_the_taint_is_found_without_a_setting_about_it():
    assert severities() == ["error"]


@pytest.mark.parametrize("setter", SETTERS)
def test_nothing_has_to_tolerate_a_taint_that_a_setting_names(setter):
    assert severities(SETTERS[setter].format(key=KEY)) == []


@pytest.mark.parametrize("setter", SETTERS)
def test_a_setting_about_another_key_takes_nothing_away(setter):
    assert severities(SETTERS[setter].format(key=f"{KEY}-too")) == ["error"]


def test_a_taint_of_a_node_pool_that_stays_is_still_to_be_tolerated():
    assert severities(POOL.replace("startupTaints", "taints").format(key=KEY)) == ["error"]


def test_a_taint_whose_key_another_tool_fills_in_is_no_finding():
    """It may be a startup taint, and a toleration may name it: nothing is known of either half."""
    example = RULES["TG053"].failing
    inputs = read_text(example.yaml.replace("key: dedicated", "key: ${TAINT}"), file="example.yaml", talos=example.talos)

    assert [*run_rules(inputs, select=["TG053"])] == []
