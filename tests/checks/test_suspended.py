"""What Flux does not apply now: a finding that needs it is one step less severe, because what it installed may be gone."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

OPERATOR = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: operator, namespace: kube-system}}
spec:
  suspend: {operator}
  chart: {{spec: {{chart: gpu-operator, version: v26.7.0}}}}
  values: {{driver: {{enabled: false}}, toolkit: {{enabled: false}}, hostPaths: {{driverInstallDir: /usr/local}}}}
"""
PLUGIN = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: plugin, namespace: kube-system}}
spec:
  suspend: {plugin}
  chart: {{spec: {{chart: nvidia-device-plugin, version: 0.20.0}}}}
  values: {{runtimeClassName: nvidia, affinity: null, nodeSelector: {{kubernetes.io/os: linux}}}}
"""


@pytest.mark.parametrize(
    ("operator", "plugin", "severity"),
    [("false", "false", "error"), ("true", "false", "warning"), ("false", "true", "warning"), ("'${OFF}'", "false", "error")],
)
def test_an_error_that_needs_a_suspended_release_is_a_warning(operator, plugin, severity):
    given = read_text((OPERATOR + PLUGIN).format(operator=operator, plugin=plugin), talos="1.13")
    (found,) = run_rules(given, select=["TG026"])

    assert str(found.severity) == severity
    assert ("(Flux does not apply what is suspended: HelmRelease kube-system/" in found.message) == (severity == "warning")


def test_an_error_of_another_release_stands_beside_a_suspended_one():
    text = OPERATOR.replace("{{enabled: false}}, toolkit", "{{enabled: true}}, toolkit") + PLUGIN
    given = read_text(text.format(operator="false", plugin="true"), talos="1.13")

    assert [str(each.severity) for each in run_rules(given, select=["TG010"])] == ["error"]


def kustomization(name, *, suspend="false", path=""):
    return (
        f"---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\n"
        f"spec: {{suspend: {suspend}, path: ./{path or name}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )


def severities(given, rule):
    return [(str(each.severity), each.message) for each in run_rules(given, select=[rule])]


LIVE = {"operator/release.yaml": OPERATOR.format(operator="false"), "plugin/release.yaml": PLUGIN.format(plugin="false")}
BOTH = kustomization("operator") + kustomization("plugin")
HALVES = {
    "neither is suspended": ({"flux.yaml": BOTH}, "error"),
    "one half is suspended": ({"flux.yaml": kustomization("operator", suspend="true") + kustomization("plugin")}, "warning"),
    "the other half is suspended": ({"flux.yaml": kustomization("operator") + kustomization("plugin", suspend="true")}, "warning"),
    "a variable decides": ({"flux.yaml": kustomization("operator", suspend="'${OFF}'") + kustomization("plugin")}, "error"),
    "a second deployer applies it": ({"flux.yaml": BOTH + kustomization("again", suspend="true", path="plugin")}, "error"),
    "something else is suspended": ({"flux.yaml": BOTH + kustomization("web", suspend="true"), "web/web.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n"}, "error"),
    "the Kustomization that applies the deployer": ({"flux.yaml": kustomization("apps", suspend="true"), "apps/flux.yaml": BOTH}, "error"),
}  # fmt: skip


@pytest.mark.parametrize("case", HALVES)
def test_an_error_that_needs_what_only_a_suspended_kustomization_applies_is_a_warning(inputs, case):
    files, severity = HALVES[case]
    ((found, message),) = severities(inputs(LIVE | files), "TG026")

    assert found == severity
    assert (" (Flux does not apply what is suspended: Kustomization flux-system/" in message) == (severity == "warning")


@pytest.mark.parametrize(("suspend", "severity"), [("false", "warning"), ("true", "remark")])
def test_a_warning_about_what_is_suspended_is_a_remark_that_names_the_kustomization(inputs, suspend, severity):
    files = {"flux.yaml": kustomization("gpu", suspend=suspend), "gpu/pod.yaml": RULES["TG118"].failing.yaml}
    ((found, message),) = severities(inputs(files), "TG118")

    assert found == severity
    assert message.endswith(" (Flux does not apply what is suspended: Kustomization flux-system/gpu)") == (severity == "remark")


def test_broken_text_beside_a_suspended_release_is_an_error(inputs):
    files = {
        "operator.yaml": OPERATOR.format(operator="true"),
        "nvidia.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nvidia}\ndata:\n  a: b: c\n",
    }

    assert [found for found, _ in severities(inputs(files), "TG141")] == ["error"]
