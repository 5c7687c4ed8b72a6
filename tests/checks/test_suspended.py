"""Releases that Flux does not apply now: an error that needs one is a warning, because what it installed may be gone."""

import pytest

from constructs_lib.checks.engine import run_rules
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
