"""TG124: versions that a chart's repository does not have."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text


def findings(version, chart="gpu-operator"):
    release = f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: gpus, namespace: gpu-operator}}
spec:
  chart:
    spec:
      chart: {chart}
      version: "{version}"
"""
    return [(str(each.severity), each.line, each.message, each.fix) for each in run_rules(read_text(release), select=["TG124"])]


def test_a_version_between_the_releases_is_a_warning_with_the_release_before_as_its_fix():
    assert findings("v25.3.9") == [
        (
            "warning",
            8,
            (
                "the chart gpu-operator has no release v25.3.9 (index of 2026-08-21). Unless the version was released later, Helm installs "
                'nothing: \'chart "gpu-operator" version "v25.3.9" not found\''
            ),
            "Set version: v25.3.4, the release before, or one of: helm search repo gpu-operator --versions",
        )
    ]


@pytest.mark.parametrize(
    ("chart", "version", "before"),
    [
        ("nvidia-device-plugin", "0.18.5", "0.18.2"),
        ("dcgm-exporter", "4.3.0", "4.2.0"),
        ("node-feature-discovery", "0.17.9", "0.17.4"),
    ],
)
def test_each_chart_has_an_index_of_its_own(chart, version, before):
    [(_, _, message, fix)] = findings(version, chart)
    assert f"the chart {chart} has no release {version}" in message
    assert f"Set version: {before}," in fix


@pytest.mark.parametrize(
    "version",
    [
        "v25.3.4",
        "25.3.4",  # Helm compares without the v
        "25.3.x",
        ">=25.3.9",
        "25.3",
        "v25.3.9-rc.1",  # pre-releases are not listed
        "v26.7.9",  # later than the index
        "v22.9.9",  # earlier than the index
        "${OPERATOR_VERSION}",
    ],
)
def test_a_release_a_range_and_a_version_of_which_nothing_is_known_are_no_finding(version):
    assert findings(version) == []


def test_a_chart_without_an_index_is_not_judged():
    assert findings("0.4.9", "dra-driver-nvidia-gpu") == []
    assert findings("25.3.9", "ollama") == []
