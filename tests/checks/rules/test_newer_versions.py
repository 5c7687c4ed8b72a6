"""The remark on versions that are newer than the tables."""

import pytest
from chart_checks import checked, release

from constructs_lib import TalosGpuWarning
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.talos.releases import READ_ON

TALHELPER = "clusterName: a\ntalosVersion: %s\nendpoint: https://a:6443\nnodes: [{hostname: gpu-1}]\n"


@pytest.mark.parametrize(
    "chart", ["gpu-operator", "nvidia-device-plugin", "dcgm-exporter", "dra-driver-nvidia-gpu", "node-feature-discovery"]
)
def test_a_chart_after_the_tables_is_a_remark_and_the_newest_one_is_none(chart):
    [finding] = checked("TG101", release(chart, {}, version="v99.1.0"))

    assert str(finding.severity) == "remark"
    assert finding.message.startswith(f"{chart} v99.1.0 is newer than this library's tables, which were read on {READ_ON}. ")
    assert checked("TG101", release(chart, {})) == []


@pytest.mark.parametrize(("written", "found"), [("v1.16.1", 1), ("v1.14.99", 0), ("v1.13.9", 0), ("${TALOS}", 0)])
def test_a_minor_of_talos_after_the_tables_is_a_remark(written, found):
    assert len(run_rules(read_text(TALHELPER % written), select=["TG101"])) == found


def test_a_talos_after_the_tables_that_is_given_is_a_warning():
    with pytest.warns(TalosGpuWarning, match=r"^Talos 1\.16 is newer than this library's tables, which were read on .*: the rules go by"):
        read_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", talos="1.16")


def test_a_chart_after_the_tables_has_no_error_by_the_templates_of_older_ones():
    values = {"cdi": {"nriPluginEnabled": "true"}, "devicePlugin": {"config": {"create": True}}}

    assert {
        each.rule for each in run_rules_on(release("gpu-operator", values, version="v99.1.0")) if str(each.severity) == "error"
    } == set()
    assert {"TG028", "TG039"} <= {each.rule for each in run_rules_on(release("gpu-operator", values, version="v26.7.0"))}


def run_rules_on(document):
    return [finding for rule in ("TG010", "TG012", "TG028", "TG039") for finding in checked(rule, document)]
