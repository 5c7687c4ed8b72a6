"""The charts: their versions, and the keys that each of them reads."""

import re

import pytest

from constructs_lib.upstream.charts import CHARTS, DRA_DRIVER, GPU_OPERATOR, NODE_FEATURE_DISCOVERY, chart_name, gpu_operator_chart
from constructs_lib.upstream.charts.chart import Chart, leaves
from constructs_lib.upstream.version import Version

FLOORS = [
    GPU_OPERATOR.oldest,
    gpu_operator_chart.LEGACY,
    gpu_operator_chart.CDI_OLDEST,
    gpu_operator_chart.NRI_OLDEST,
    GPU_OPERATOR.newest,
]
SOME = Chart(
    name="some",
    newest="2.0.0",
    keys={"worker": {"config": None, **leaves("tolerations late")}, **leaves("image gone")},
    since={"worker.late": "1.5.0"},
    until={"gone": "1.9.0"},
    instead={"*.env": "use extraEnv", "flags": "use worker.config"},
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

    assert (first.instead, first.known) == ("use worker.config", ("worker", "image", "gone"))
    assert (second.instead, second.known) == ("use extraEnv", ("config", "tolerations", "late"))
    assert (third.path, third.since) == ("worker.late", "1.5.0")


@pytest.mark.parametrize(("version", "unread"), [(None, []), ("1.4.9", ["worker.late"]), ("1.5.0", []), ("1.9.0", ["gone"]), ("2.0.1", [])])
def test_a_version_reads_what_it_has_and_of_a_newer_one_nothing_is_known(version, unread):
    assert paths({"worker": {"late": 1}, "gone": 1}, version) == unread


@pytest.mark.parametrize("chart", [chart for chart in CHARTS.values() if chart.newest], ids=lambda chart: chart.name)
def test_the_tables_of_a_chart_agree_with_each_other(chart):
    """What is named by its path is a key, and every default is one that the chart reads."""
    named = [path for table in (chart.since, chart.until) for path in table if not path.startswith("*")]
    for path in [*named, *chart.booleans, *chart.strings, *chart.switches]:
        top, _, below = path.partition(".")
        inner = chart.keys[top]
        assert not below or inner is None or below.partition(".")[0] in inner, path
    for path in chart.instead:
        assert path.startswith("*") or list(
            chart.unread_keys({path: 1} if "." not in path else {path.split(".")[0]: {path.split(".")[1]: 1}})
        )
    assert list(chart.unread_keys(chart.defaults)) == []
    assert chart.oldest == "" or Version.parse(chart.oldest) < Version.parse(chart.newest)


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
