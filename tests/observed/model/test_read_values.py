"""Which values a chart reads, and which stand below a part that is off."""

import pytest

from constructs_lib.observed.model import ChartRelease, Unknown
from constructs_lib.observed.model.read_values import ReadValues
from constructs_lib.upstream.charts import CHARTS
from constructs_lib.upstream.version import Version


def reading(chart, values, version="", **rest):
    return ReadValues(chart=CHARTS.get(chart), values=values, version=Version.parse(version or CHARTS[chart].newest), **rest)


@pytest.mark.parametrize(
    ("chart", "values", "path", "is_read"),
    [
        ("gpu-operator", {}, "nfd.enabled", "yes"),
        ("gpu-operator", {}, "node-feature-discovery.worker.config", "yes"),
        ("gpu-operator", {"nfd": {"enabled": False}}, "node-feature-discovery.worker.config", "no"),
        ("gpu-operator", {"nfd": {"enabled": Unknown("${NFD}")}}, "node-feature-discovery.worker.config", "unknown"),
        ("gpu-operator", {"node-feature-discovery": {"worker": {"enable": False}}}, "node-feature-discovery.worker.config", "no"),
        ("gpu-operator", {"driver": {"enabled": False}}, "driver.repository", "no"),
        ("gpu-operator", {"driver": {"enabled": "false"}}, "driver.repository", "unknown"),
        ("gpu-operator", {"driver": {"enabled": False, "nvidiaDriverCRD": {"enabled": True}}}, "driver.repository", "yes"),
        ("gpu-operator", {"driver": {"enabled": False}}, "driver.enabled", "yes"),
        ("gpu-operator", {"devicePlugin": {"enabled": False}}, "devicePlugin.config.name", "yes"),
        ("gpu-operator", {"devicePlugin": {"enabled": False}, "gfd": {"enabled": False}}, "devicePlugin.config.name", "no"),
        ("gpu-operator", {}, "vgpuManager.enabled", "no"),
        ("gpu-operator", {"sandboxWorkloads": {"enabled": True}}, "vgpuManager.enabled", "yes"),
        ("gpu-operator", {"clusterPolicy": {"deployCR": False}}, "toolkit.env", "no"),
        ("nvidia-device-plugin", {}, "nfd.worker.config", "no"),
        ("nvidia-device-plugin", {"gfd": {"enabled": True}}, "nfd.worker.config", "yes"),
        ("nvidia-device-plugin", {"gfd": {"enabled": True}, "nfd": {"enabled": False}}, "nfd.worker.config", "no"),
        ("nvidia-device-plugin", {"devicePlugin": {"enabled": False}}, "nodeSelector", "no"),
        ("nvidia-device-plugin", {"devicePlugin": {"enabled": False}, "gfd": {"enabled": True}}, "nodeSelector", "yes"),
    ],
)
def test_a_value_below_a_part_that_is_off_is_not_read(chart, values, path, is_read):
    assert reading(chart, values).is_read(*path.split(".")).value == is_read


def test_a_switch_that_a_version_lacks_is_on():
    values = {"clusterPolicy": {"deployCR": False}}

    assert reading("gpu-operator", values, "v26.7.0").is_read("toolkit", "env").is_no
    assert reading("gpu-operator", {}, "v25.10.1").is_read("toolkit", "env").is_yes


def test_further_values_may_turn_a_part_on_that_is_off_by_default():
    assert reading("nvidia-device-plugin", {}, complete=False).is_read("sleepInterval").value == "unknown"
    assert reading("nvidia-device-plugin", {}, complete=False).is_read("deviceIDStrategy").is_yes


def test_of_an_unknown_chart_enabled_false_switches_off_what_stands_beside_it():
    values = {"gpu": {"enabled": False, "limits": {"nvidia.com/gpu": 1}}, "other": {"enabled": True, "size": 2}, "size": 1}
    release = ChartRelease(body={}, file="a.yaml", chart="own", name="own", namespace=None, version=None, given=values)

    assert release.values == {"gpu": {"enabled": False}, "other": {"enabled": True, "size": 2}, "size": 1}
    assert release.given == values
