"""The charts: their versions, and the keys that each of them reads."""

import re

import pytest

from constructs_lib.upstream.charts import CHARTS, DRA_DRIVER, GPU_OPERATOR, NODE_FEATURE_DISCOVERY, chart_name, gpu_operator_chart
from constructs_lib.upstream.charts.chart import Chart, ChartTable, Span, Subchart
from constructs_lib.upstream.talos import generations
from constructs_lib.upstream.version import Version

FLOORS = [
    GPU_OPERATOR.oldest,
    gpu_operator_chart.LEGACY,
    generations.CDI.operator,
    generations.NRI.operator,
    GPU_OPERATOR.default_version,
]
INNER = Chart(
    name="inner", read_table=lambda: ChartTable(oldest="0.1.0", newest="0.3.0", keys={"master.port": Span(until="0.2.0"), "worker": Span()})
)
SOME = Chart(
    name="some",
    read_table=lambda: ChartTable(
        oldest="1.0.0",
        newest="2.0.0",
        keys={
            "worker.config": Span(),
            "worker.tolerations": Span(),
            "worker.late": Span(since="1.5.0"),
            "image": Span(),
            "gone": Span(until="1.9.0"),
        },
        subcharts={"sub": {"1.0.0": "0.1.0", "1.5.0": "0.2.0"}},
    ),
    instead={"*.env": "use extraEnv", "flags": "use worker.config"},
    subcharts={"sub": Subchart(chart=INNER, own_keys=("enabled",))},
)


def paths(values, version=None):
    return [unread.path for unread in SOME.unread_keys(values, version and Version.parse(version))]


@pytest.mark.parametrize(
    ("values", "unread"),
    [
        ({"image": {"anything": 1}, "worker": {"config": {"anything": 1}, "tolerations": []}}, []),
        ({"workers": {}}, ["workers"]),
        ({"worker": {"tolerationz": []}}, ["worker.tolerationz"]),
        ({"worker": "a string"}, []),
    ],
)
def test_a_key_that_no_template_reads_is_found_at_its_path(values, unread):
    assert paths(values) == unread


def test_an_unread_key_says_what_could_have_been_meant():
    first, second, third = SOME.unread_keys({"flags": {}, "worker": {"env": [], "late": 1}}, Version(1, 0, 0))

    assert (first.instead, first.siblings) == ("use worker.config", ("worker", "image", "gone", "sub"))
    assert (second.instead, second.siblings) == ("use extraEnv", ("config", "tolerations", "late"))
    assert (third.path, third.since, third.chart) == ("worker.late", "1.5.0", "some")


@pytest.mark.parametrize(
    ("version", "unread"),
    [(None, []), ("0.9.0", []), ("1.4.9", ["worker.late"]), ("1.5.0", []), ("1.9.0", ["gone"]), ("2.0.1", [])],
)
def test_a_version_reads_what_it_has_and_of_one_that_was_not_read_nothing_is_found(version, unread):
    assert paths({"worker": {"late": 1}, "gone": 1}, version) == unread


@pytest.mark.parametrize(("version", "unread"), [(None, []), ("1.4.9", []), ("1.5.0", ["sub.master"])])
def test_a_subcharts_keys_are_those_of_the_version_that_the_chart_brings(version, unread):
    assert paths({"sub": {"enabled": True, "master": {"port": 1}, "worker": {"anything": 1}}}, version) == unread
    assert paths({"sub": {"workers": 1}}, version) == ["sub.workers"]


def test_a_chart_that_was_renumbered_is_held_to_the_table_of_its_own_numbers():
    values = {"altProcDevices": {}}

    assert [unread.path for unread in DRA_DRIVER.unread_keys(values, Version.parse("25.12.0"))] == ["altProcDevices"]
    assert list(DRA_DRIVER.unread_keys(values, Version.parse("0.5.0"))) == []
    assert not DRA_DRIVER.is_newer_than_known(Version.parse("25.12.0"))
    assert DRA_DRIVER.is_newer_than_known(Version.parse("0.6.0"))


@pytest.mark.parametrize("chart", [chart for chart in CHARTS.values() if chart.newest], ids=lambda chart: chart.name)
def test_the_tables_of_a_chart_agree_with_each_other(chart):
    """A key with a rule of its own is one that is read, a hint stands for one that is not, and every default is one that the chart reads."""
    for path in [*chart.table.booleans, *chart.table.strings, *chart.table.switches]:
        assert path in chart.table.keys or path.rpartition(".")[0] in chart.table.keys, path
    assert {path for path in chart.instead if path in chart.table.keys} == set()
    assert [path for path in chart.table.keys if any(path.startswith(f"{other}.") for other in chart.table.keys)] == []
    assert list(chart.unread_keys(chart.defaults)) == []
    assert Version.parse(chart.oldest) < Version.parse(chart.newest) <= Version.parse(chart.table.released)
    for span in chart.table.keys.values():
        limits = [chart.oldest, *filter(None, (span.since, span.until)), chart.newest]
        assert [Version.parse(limit) for limit in limits] == sorted(Version.parse(limit) for limit in limits), span


@pytest.mark.parametrize("chart", [GPU_OPERATOR, DRA_DRIVER, NODE_FEATURE_DISCOVERY], ids=lambda chart: chart.name)
def test_the_version_that_is_installed_by_default_is_one_whose_templates_were_read(chart):
    assert chart.knows(Version.parse(chart.default_version))
    assert chart.written(Version.parse(chart.default_version)) == chart.default_version


def test_the_operators_floors_stand_in_the_order_of_the_generations():
    versions = [Version.parse(each) for each in FLOORS]

    assert versions == sorted(versions)
    assert versions[0] < versions[1] < versions[2]


@pytest.mark.parametrize("version", FLOORS)
def test_an_operator_version_is_exact_and_has_its_v(version):
    assert re.fullmatch(r"v\d{2}\.\d{1,2}\.\d+", version)


def test_no_default_and_no_floor_is_a_broken_release():
    assert not set(FLOORS) & set(gpu_operator_chart.BROKEN)


def test_a_broken_release_lies_where_users_may_pick_one_and_says_what_breaks():
    for version, symptom in gpu_operator_chart.BROKEN.items():
        assert Version.parse(GPU_OPERATOR.oldest) < Version.parse(version) < Version.parse(GPU_OPERATOR.newest)
        assert "NVIDIA/gpu-operator#" in symptom


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("nvdp/nvidia-device-plugin", "nvidia-device-plugin"),
        ("nvdp", "nvidia-device-plugin"),
        ("oci://registry.k8s.io/nfd/charts/node-feature-discovery:0.19.0", "node-feature-discovery"),
        ("charts/nvidia-gpu-operator/", "gpu-operator"),
        ("gpu-operator-v26.7.0.tgz", "gpu-operator-v26.7.0"),
        ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu"),
        ("ollama", "ollama"),
    ],
)
def test_a_chart_is_known_by_one_name_whatever_a_mirror_calls_it(written, name):
    assert chart_name(written) == name


def test_charts_come_from_their_makers():
    assert f"{NODE_FEATURE_DISCOVERY.repository}/{NODE_FEATURE_DISCOVERY.name}" == "oci://registry.k8s.io/nfd/charts/node-feature-discovery"
    assert f"{GPU_OPERATOR.repository}/{GPU_OPERATOR.name}" == "https://helm.ngc.nvidia.com/nvidia/gpu-operator"
    assert f"{DRA_DRIVER.repository}/{DRA_DRIVER.name}" == "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"
