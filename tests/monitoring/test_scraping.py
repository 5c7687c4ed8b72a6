import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import message
from constructs_lib import ArgoCd, GpuNodes, NvidiaGpuOperator
from constructs_lib.arguments.quantities import milliseconds, scrape_duration
from constructs_lib.monitoring import operator_exporter_values
from constructs_lib.monitoring.scraping import relabelings, sampling

NODE = {"action": "replace", "sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}
DURATION = "a duration such as '15s' or '1m30s'"


@pytest.mark.parametrize(
    ("written", "expected"), [("15s", 15_000), ("1m", 60_000), ("1m30s", 90_000), ("500ms", 500), ("1h2m3s4ms", 3_723_004)]
)
def test_the_exporter_looks_as_often_as_it_is_scraped(written, expected):
    assert sampling(scrape_duration("interval", written)) == {"DCGM_EXPORTER_INTERVAL": str(expected)}


@pytest.mark.parametrize(
    ("value", "error", "then"),
    [
        ("15", ValueError, "; did you mean '15s'?"),
        (15, TypeError, "; did you mean '15s'?"),
        ("1.5m", ValueError, ""),
        ("30s1m", ValueError, ""),
        ("-5s", ValueError, ""),
        ("0s", ValueError, ""),
        ("", ValueError, ""),
        ("1d", ValueError, ""),
        (True, TypeError, ""),
        (None, TypeError, ""),
    ],
)
def test_a_duration_that_prometheus_does_not_read_is_refused(value, error, then):
    assert message(lambda: scrape_duration("interval", value), error) == f"'interval' must be {DURATION} (got {value!r}){then}"


@given(st.integers(0, 50), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_duration_is_the_sum_of_its_units(hours, minutes, seconds, rest):
    units = {"h": hours, "m": minutes, "s": seconds, "ms": rest}
    written = "".join(f"{count}{unit}" for unit, count in units.items() if count)

    assert milliseconds(written) == ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest


def test_the_node_is_named_by_a_label_of_the_target():
    assert relabelings(honor_labels=False) == [NODE]


def test_where_the_exporter_s_labels_win_those_of_its_own_pod_are_dropped():
    assert relabelings(honor_labels=True) == [NODE, {"action": "labeldrop", "regex": "namespace|pod|container"}]


def test_the_operator_s_exporter_is_scraped_with_the_node_as_a_label():
    assert operator_exporter_values() == {
        "dcgmExporter": {
            "env": [{"name": "DCGM_EXPORTER_INTERVAL", "value": "15000"}],
            "serviceMonitor": {
                "enabled": True,
                "interval": "15s",
                "honorLabels": False,
                "additionalLabels": {},
                "relabelings": [NODE],
            },
        }
    }


def test_each_argument_is_found_among_the_operator_s_values():
    values = operator_exporter_values(interval="1m", service_monitor_labels={"release": "kps"}, honor_labels=True)["dcgmExporter"]

    assert values["env"] == [{"name": "DCGM_EXPORTER_INTERVAL", "value": "60000"}]
    monitor = values["serviceMonitor"]
    assert (monitor["interval"], monitor["honorLabels"], monitor["additionalLabels"]) == ("1m", True, {"release": "kps"})
    assert monitor["relabelings"] == relabelings(honor_labels=True)


def test_the_operators_exporter_is_scraped_no_faster_than_it_is_waited_for():
    assert operator_exporter_values(interval="10s")["dcgmExporter"]["serviceMonitor"]["interval"] == "10s"


def test_what_is_given_out_is_nobody_else_s():
    operator_exporter_values()["dcgmExporter"]["serviceMonitor"]["relabelings"][0]["sourceLabels"].clear()

    assert operator_exporter_values()["dcgmExporter"]["serviceMonitor"]["relabelings"] == [NODE]


@pytest.mark.parametrize(("talos", "version"), [("1.12", "v25.3.4"), ("1.12", "v25.10.1"), ("1.14", "v26.7.0")])
def test_the_operator_takes_the_values_without_a_warning(chart, talos, version):
    made = NvidiaGpuOperator(
        chart, "operator", nodes=GpuNodes(talos_version=talos), version=version, delivery=ArgoCd(), values=operator_exporter_values()
    )

    assert made.chart_values["dcgmExporter"] == operator_exporter_values()["dcgmExporter"]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"interval": "fast"}, ValueError, f"'interval' must be {DURATION} (got 'fast')"),
        ({"interval": "9s"}, ValueError, "'interval' must be at least the chart's scrape timeout of '10s' (got '9s')"),
        ({"honor_labels": "false"}, TypeError, "'honor_labels' must be True or False (got 'false'); did you mean False?"),
        ({"service_monitor_labels": ["release"]}, TypeError, "'service_monitor_labels' must be a mapping of label keys to label values (got ['release'])"),
        ({"job": "x"}, TypeError, "'job' must be an argument of operator_exporter_values (got job='x'); the arguments of operator_exporter_values are 'interval', 'service_monitor_labels', 'honor_labels'"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused(arguments, error, says):
    assert message(lambda: operator_exporter_values(**arguments), error) == says
