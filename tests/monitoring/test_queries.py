"""`MetricsSource`: which names and units it asks for, by the exporter's version, and what it warns of."""

import json
import warnings

import pytest

from conftest import message
from constructs_lib import TalosGpuWarning
from constructs_lib.monitoring import AlertRules, Metric, MetricsSource, gpu_dashboard
from constructs_lib.upstream.talos.releases import READ_ON
from dcgm_encodings import asked_in_base_units

RULE = "'exporter_version' must be a version of dcgm-exporter such as '4.9.0'"
SECOND = "the exporter's version is the second of the two versions in an image's tag"


def said(**given):
    """The warnings with which a source is made."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MetricsSource(**given)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("version", ["3.6.1", "4.8.0", "4.8.4", "4.8.99"])
def test_before_4_9_the_names_and_units_are_the_old_ones_without_a_warning(version):
    source = MetricsSource(exporter_version=version)

    assert not source.has_base_units
    assert gpu_dashboard(source=source, profiling=True) == gpu_dashboard(profiling=True)
    assert AlertRules(source=source).groups == AlertRules().groups


def test_without_a_version_the_names_and_units_are_the_old_ones_which_every_dcgm_exporter_of_ours_exports():
    assert MetricsSource().exporter_version is None
    assert [MetricsSource().name(metric) for metric in Metric] == [str(metric) for metric in Metric]


@pytest.mark.parametrize(("version", "held"), [("4.9.0", "4.9.0"), ("v4.9.1", "4.9.1"), ("4.10.0", "4.10.0"), ("5.0.0", "5.0.0")])
def test_from_4_9_on_the_names_and_units_are_those_of_dcgm_4_7_which_nobody_has_tried(version, held):
    with pytest.warns(TalosGpuWarning) as caught:
        source = MetricsSource(exporter_version=version)

    assert (source.exporter_version, source.has_base_units) == (held, True)
    assert source.name(Metric.GPU_TEMP) == "DCGM_FI_DEV_GPU_TEMP_CELSIUS"
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        f"the metrics of dcgm-exporter {held} are asked for by the names and units of DCGM 4.7 (tables of {READ_ON}): nobody has "
        "compared these names with an exporter's"
    )


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (Metric.GPU_UTIL, '(max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_GPU_UTIL_RATIO{job="dcgm-exporter"}) * 100)'),
        (Metric.FB_USED, '(max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_FB_USED_BYTES{job="dcgm-exporter"}) / 1048576)'),
        (Metric.SM_CLOCK, '(max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_SM_CLOCK_HERTZ{job="dcgm-exporter"}) / 1000000)'),
        (
            Metric.TOTAL_ENERGY,
            '(max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL{job="dcgm-exporter"}) * 1000)',
        ),
        (
            Metric.NVLINK_BANDWIDTH,
            '(max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_NVLINK_THROUGHPUT_BYTES_PER_SECOND{job="dcgm-exporter"}) / 1024000)',
        ),
        (
            Metric.POWER_VIOLATION,
            '(max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_GPU_POWER_THROTTLE_SECONDS_TOTAL{job="dcgm-exporter"}) * 1000000000)',
        ),
        (Metric.POWER_USAGE, 'max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_BOARD_POWER_WATTS{job="dcgm-exporter"})'),
        (Metric.ECC_DBE, 'max by (cluster, node, gpu, UUID, modelName) (DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{job="dcgm-exporter"})'),
    ],
)
def test_a_base_unit_becomes_the_unit_in_which_thresholds_and_panels_are(metric, expected):
    assert asked_in_base_units(MetricsSource()).per_gpu(metric) == expected


@pytest.mark.parametrize(
    ("version", "then"),
    [
        ("4.9", f"; {SECOND}"),
        ("4", f"; {SECOND}"),
        ("4.7.0-4.9.0-distroless", f"; {SECOND}"),
        (">=4.9.0", f"; {SECOND}"),
        ("latest", f"; {SECOND}"),
        ("", ""),
    ],
)
def test_anything_but_one_whole_version_of_the_exporter_is_refused(version, then):
    assert message(lambda: MetricsSource(exporter_version=version)) == f"{RULE} (got {version!r}){then}"


def test_a_version_that_is_no_string_is_refused():
    assert message(lambda: MetricsSource(exporter_version=4.9), TypeError) == f"{RULE} (got 4.9)"


@pytest.mark.parametrize(("version", "own", "other"), [("4.8.2", "Hostname", "hostname"), ("4.8.3", "hostname", "Hostname")])
def test_the_exporters_own_label_of_the_node_in_the_case_of_another_version_is_warned_of(version, own, other):
    assert said(exporter_version=version, node_label=own) == []
    assert said(exporter_version=version, node_label="node") == []
    assert said(exporter_version=version, node_label=other) == [
        f"'node_label' {other!r} is not a label of dcgm-exporter {version}, whose node label is {own!r}"
    ]


def test_a_label_of_the_node_is_taken_at_its_word_where_no_version_is_told():
    assert said(node_label="Hostname") == said(node_label="hostname") == []


def test_no_dashboard_and_no_alert_asks_for_the_exporters_own_label_of_the_node():
    for source in (MetricsSource(), asked_in_base_units(MetricsSource())):
        text = json.dumps([gpu_dashboard(source=source, profiling=True), AlertRules(source=source).groups])
        assert "hostname" not in text.lower()


def test_an_alert_names_the_metrics_that_it_needs_whatever_the_exporter_calls_them():
    old, new = (AlertRules(source=source).all_alerts for source in (MetricsSource(), asked_in_base_units(MetricsSource())))

    assert [alert.metrics for alert in new] == [alert.metrics for alert in old]
    assert sum(len(alert.metrics) for alert in new) > 12


@pytest.mark.parametrize(
    ("honor_labels", "expected"),
    [(True, ("namespace", "pod", "container")), (False, ("exported_namespace", "exported_pod", "exported_container"))],
)
def test_the_labels_of_the_pod_with_the_gpu_are_prometheus_own_or_the_exporters(honor_labels, expected):
    source = MetricsSource(honor_labels=honor_labels)

    assert (source.namespace, source.pod, source.container) == expected
