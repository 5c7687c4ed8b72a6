import csv
import io
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import message
from constructs_lib import TalosGpuWarning
from constructs_lib.monitoring import Counter, Metric, default_counters
from constructs_lib.monitoring.counters import counters_csv, to_counters
from constructs_lib.monitoring.metrics import MetricKind, metric

KINDS = "'gauge', 'counter', 'label'"
HELP = "a line without commas, quotes and line breaks"
KNOWN = "a metric that this library knows"
LIST = "a list of Counters, or of names of metrics"


def fields(text):
    """What the exporter reads of a file: its fields, without the spaces around them."""
    return [[each.strip() for each in line] for line in csv.reader(io.StringIO(text))]


@pytest.mark.parametrize("name", [Metric.GPU_TEMP, "DCGM_FI_DEV_GPU_TEMP", "GPU_TEMP"])
def test_a_metric_is_known_by_its_member_its_name_in_the_series_and_its_name_here(name):
    assert Counter(name).metric is Metric.GPU_TEMP


def test_kind_and_help_are_the_metric_s_unless_they_are_given():
    temperature = Counter("DCGM_FI_DEV_GPU_TEMP")
    other = Counter("DCGM_FI_DEV_GPU_TEMP", kind="counter", help="  How hot ")

    assert (temperature.kind, temperature.help) == (MetricKind.GAUGE, "GPU temperature in degrees Celsius")
    assert (other.kind, other.help) == (MetricKind.COUNTER, "How hot")


def test_a_line_of_the_file_is_name_kind_and_help():
    assert str(Counter("DCGM_FI_DRIVER_VERSION")) == "DCGM_FI_DRIVER_VERSION, label, Driver version"


def test_counters_that_say_the_same_are_equal():
    assert Counter("GPU_TEMP") == Counter(Metric.GPU_TEMP, kind="gauge")
    assert len({Counter("GPU_TEMP"), Counter(Metric.GPU_TEMP)}) == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Counter("DCGM_FI_DEV_GPU_UTL"), f"'metric' must be {KNOWN} (got 'DCGM_FI_DEV_GPU_UTL'); did you mean 'DCGM_FI_DEV_GPU_UTIL'?"),
        (lambda: Counter("GPU_TMP"), f"'metric' must be {KNOWN} (got 'GPU_TMP'); did you mean 'DCGM_FI_DEV_GPU_TEMP'?"),
        (lambda: Counter("DCGM_FI_PROF_GPU_UTIL"), f"'metric' must be {KNOWN} (got 'DCGM_FI_PROF_GPU_UTIL'); did you mean 'DCGM_FI_DEV_GPU_UTIL'?"),
        (lambda: Counter("DCGM_FI_DEV_FB_USED_BYTES"), f"'metric' must be {KNOWN} (got 'DCGM_FI_DEV_FB_USED_BYTES'); did you mean 'DCGM_FI_DEV_FB_USED'?"),
        (lambda: Counter("DCGM_FI_DEV_BOARD_POWER_WATTS"), f"'metric' must be {KNOWN} (got 'DCGM_FI_DEV_BOARD_POWER_WATTS'); did you mean 'DCGM_FI_DEV_POWER_USAGE'?"),
        (lambda: Counter("dcgm_fi_dev_gpu_temp"), f"'metric' must be {KNOWN} (got 'dcgm_fi_dev_gpu_temp'); did you mean 'DCGM_FI_DEV_GPU_TEMP'?"),
        (lambda: Counter("DCGM_FI_DEV_PSTATE"), f"'metric' must be {KNOWN} (got 'DCGM_FI_DEV_PSTATE'); a DCGM field outside the table needs 'kind' and 'help' as well"),
        (lambda: Counter("temperature"), f"'metric' must be {KNOWN} (got 'temperature'); a DCGM field outside the table needs 'kind' and 'help' as well"),
        (lambda: Counter("temperature", kind="gauge"), f"'metric' must be {KNOWN} (got 'temperature'); a DCGM field outside the table needs 'kind' and 'help' as well"),
        (lambda: Counter(""), f"'metric' must be {KNOWN} (got '')"),
        (
            lambda: Counter("temperature", kind="gauge", help="How hot"),
            "'metric' must be a field of DCGM's ('DCGM_FI_…') or a metric of the exporter's own ('DCGM_EXP_…') (got 'temperature')",
        ),
        (lambda: Counter("GPU_TEMP", kind="histogram"), f"'kind' must be one of {KINDS} (got 'histogram')"),
        (lambda: Counter("GPU_TEMP", kind="guage"), f"'kind' must be one of {KINDS} (got 'guage'); did you mean 'gauge'?"),
        (
            lambda: Counter("GPU_TEMP", help="GPU temperature, in C"),
            f"'help' must be {HELP} (got 'GPU temperature, in C'); the exporter reads three fields in a line of its file, and exits at a line with more",
        ),
        (
            lambda: Counter("GPU_TEMP", help='the "hot" one'),
            f"'help' must be {HELP} (got 'the \"hot\" one'); the exporter reads three fields in a line of its file, and exits at a line with more",
        ),
        (
            lambda: Counter("GPU_TEMP", help="two\nlines"),
            f"'help' must be {HELP} (got 'two\\nlines'); the exporter reads three fields in a line of its file, and exits at a line with more",
        ),
        (lambda: Counter("GPU_TEMP", help=" "), f"'help' must be {HELP} (got ' ')"),
    ],
)  # fmt: skip
def test_what_the_exporter_would_exit_at_is_refused(call, says):
    assert message(call) == says


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Counter(150), f"'metric' must be {KNOWN} (got 150)"),
        (lambda: Counter("GPU_TEMP", kind=1), f"'kind' must be one of {KINDS} (got 1)"),
        (lambda: Counter("GPU_TEMP", help=1), f"'help' must be {HELP} (got 1)"),
        (Counter, "'metric' must be given to Counter (got nothing)"),
        (
            lambda: Counter("GPU_TEMP", type="gauge"),
            "'type' must be an argument of Counter (got type='gauge'); the arguments of Counter are 'metric', 'kind', 'help'",
        ),
        (lambda: default_counters(profiling="yes"), "'profiling' must be True or False (got 'yes'); did you mean True?"),
    ],
)
def test_the_wrong_kind_is_refused(call, says):
    assert message(call, TypeError) == says


def test_another_field_of_dcgm_is_taken_at_its_word_with_a_warning():
    with pytest.warns(TalosGpuWarning) as caught:
        counter = Counter("DCGM_FI_DEV_PSTATE", kind="gauge", help="Performance state")

    assert str(counter) == "DCGM_FI_DEV_PSTATE, gauge, Performance state"
    assert str(caught[0].message) == (
        "DCGM_FI_DEV_PSTATE is not in this library's table (tables of 2026-11-20): an exporter whose DCGM does not know DCGM_FI_DEV_PSTATE exits at start"
    )
    assert caught[0].filename == __file__


def test_the_warning_names_what_was_probably_meant():
    with pytest.warns(TalosGpuWarning, match=r"exits at start; did you mean 'DCGM_FI_DEV_GPU_UTIL'\?$"):
        Counter("DCGM_FI_DEV_GPU_UTL", kind="gauge", help="Load")


def test_a_metric_of_the_table_with_everything_given_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Counter("GPU_TEMP", kind="gauge", help="How hot").metric is Metric.GPU_TEMP


def test_only_the_metrics_of_the_profiling_module_need_profiling():
    assert {each for each in Metric if Counter(each).needs_profiling} == {each for each in Metric if each.needs_profiling}
    with pytest.warns(TalosGpuWarning):
        assert Counter("DCGM_FI_PROF_NVLINK_TX_BYTES", kind="gauge", help="Sent").needs_profiling


def test_no_default_needs_profiling_and_with_it_the_rest_comes_behind():
    plain, profiling = default_counters(), default_counters(profiling=True)

    assert [each for each in plain if each.needs_profiling] == []
    assert profiling[: len(plain)] == plain
    assert [str(each.metric) for each in profiling[len(plain) :]] == [
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "DCGM_FI_PROF_SM_ACTIVE",
        "DCGM_FI_PROF_SM_OCCUPANCY",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "DCGM_FI_PROF_DRAM_ACTIVE",
        "DCGM_FI_PROF_PCIE_TX_BYTES",
        "DCGM_FI_PROF_PCIE_RX_BYTES",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
        "DCGM_FI_DEV_ROW_REMAP_PENDING",
        "DCGM_FI_DEV_RETIRED_PENDING",
        "DCGM_EXP_XID_ERRORS_COUNT",
        "DCGM_FI_DEV_CLOCKS_EVENT_REASONS",
        "DCGM_FI_DEV_SLOWDOWN_TEMP",
        "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION",
        "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
    ],
)
def test_the_health_of_a_card_is_exported_by_default(name):
    assert name in [str(each.metric) for each in default_counters()]


def test_the_defaults_are_a_new_list_each_time():
    default_counters().clear()

    assert len(default_counters()) == 31


def test_what_the_exporter_counts_in_a_window_is_a_gauge_and_the_nvlink_bandwidth_too():
    levels = {"XID_ERRORS_COUNT", "CLOCK_EVENTS_COUNT", "GPU_HEALTH_STATUS", "P2P_STATUS", "NVLINK_BANDWIDTH", "RETIRED_PENDING"}

    assert {Metric[name].kind for name in levels} == {MetricKind.GAUGE}


def test_each_row_of_the_table_is_a_line_of_three_fields_that_the_exporter_takes():
    lines = fields(counters_csv(Counter(each) for each in Metric))

    assert [len(line) for line in lines] == [3] * len(Metric)
    assert lines == [[str(each), str(each.kind), each.help] for each in Metric]
    assert {kind for _, kind, _ in lines} == {"gauge", "counter", "label"}


@given(st.text())
def test_whatever_help_is_taken_the_line_keeps_its_three_fields(said):
    try:
        counter = Counter("GPU_TEMP", help=said)
    except ValueError:
        return
    assert fields(counters_csv([counter, counter])) == [["DCGM_FI_DEV_GPU_TEMP", "gauge", counter.help.strip()]] * 2


def test_names_do_for_counters():
    assert to_counters(["GPU_TEMP", Metric.FB_USED, Counter("DCGM_FI_DEV_FB_FREE")]) == (
        Counter("GPU_TEMP"),
        Counter("FB_USED"),
        Counter("FB_FREE"),
    )


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        ("GPU_TEMP", TypeError, f"{LIST} (got 'GPU_TEMP')"),
        ([1], TypeError, f"{KNOWN} (got 1)"),
        (["GPU_TMP"], ValueError, f"{KNOWN} (got 'GPU_TMP'); did you mean 'DCGM_FI_DEV_GPU_TEMP'?"),
        ([], ValueError, f"{LIST}, with one that is no label (got [])"),
        (["DRIVER_VERSION"], ValueError, f"{LIST}, with one that is no label (got ['DCGM_FI_DRIVER_VERSION'])"),
        (
            ["GPU_TEMP", Counter("GPU_TEMP", kind="counter")],
            ValueError,
            "made of metrics that are each named once (got 'DCGM_FI_DEV_GPU_TEMP'); a duplicate series fails the whole scrape",
        ),
    ],
)
def test_a_list_that_exports_nothing_or_something_twice_is_refused(value, error, says):
    assert message(lambda: to_counters(value, "counters"), error) == f"'counters' must be {says}"


def test_a_metric_that_is_nothing_like_one_of_ours_is_refused_without_a_guess():
    assert message(lambda: metric("metric", "temperature")) == f"'metric' must be {KNOWN} (got 'temperature')"
