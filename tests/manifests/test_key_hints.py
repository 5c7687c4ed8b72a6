"""The hints for keys that a chart does not read, measured on typos of every key: a hint is right, or there is none."""

import random
from collections.abc import Iterator

import pytest

from constructs_lib.manifests.charts.key_hints import meant_key, other_places
from constructs_lib.upstream.charts import CHARTS
from constructs_lib.upstream.kubernetes.fields import OF_CONTAINER, OF_POD, OF_PROBE
from constructs_lib.upstream.version import Version

KNOWN = [chart for chart in CHARTS.values() if chart.table.newest]
VALUES = {"boolean": True, "number": 1, "string": "text", "list": [1], "mapping": {"a": 1}}
each_chart = pytest.mark.parametrize("chart", KNOWN, ids=[chart.name for chart in KNOWN])


def nested(path: str, value: object) -> dict[str, object]:
    for key in reversed(path.split(".")):
        value = {key: value}
    return value  # type: ignore[return-value]  # a path has a key


def hints(chart, path: str, value: object) -> list[str]:
    return [meant_key(unread, value) for unread in chart.unread_keys(nested(path, value)) if unread.path == path]


def slips(key: str, chance: random.Random) -> Iterator[str]:
    at = chance.randrange(len(key))
    yield key[:at] + key[at + 1 :]
    yield key[:at] + key[at] + key[at:]
    yield key[:at] + chance.choice("abcdefghij") + key[at + 1 :]
    yield key.lower() if key.lower() != key else key.upper()
    yield f"{key}s"


def kind_of(chart, key: str) -> str:
    return next(kind for kind in VALUES if chart.table.may_be(key, kind))


@each_chart
def test_the_hint_for_a_slip_is_the_key_that_was_meant(chart):
    chance = random.Random(1)
    right, wrong, none = 0, [], []
    for path in chart.table.keys:
        around, _, key = path.rpartition(".")
        for slip in slips(key, chance):
            written = f"{around}.{slip}".lstrip(".")
            for hint in hints(chart, written, VALUES[kind_of(chart, path)]):
                right += hint == path
                wrong += [(written, hint)] if hint not in ("", path) else []
                none += [] if hint else [written]
    assert wrong == []
    assert len(none) < right / 10, none  # a slip that makes two keys near, or a name of three letters


@each_chart
def test_a_name_of_another_thing_gets_no_hint(chart):
    words = [
        "operator",
        "labels",
        "hostPath",
        "replicas",
        "mode",
        "metadata",
        "selector",
        "limits",
        "requests",
        *OF_POD,
        *OF_CONTAINER,
        *OF_PROBE,
    ]
    places = {"", *(f"{path.rpartition('.')[0]}." for path in chart.table.keys if "." in path)}
    own = {path.rpartition(".")[2].lower() for path in chart.table.keys}
    spoken = [
        (f"{place}{word}", hint)
        for place in sorted(places)
        for word in words
        if word.lower() not in own
        for hint in hints(chart, f"{place}{word}", VALUES["string"])
        if hint
    ]
    assert spoken == []


@pytest.mark.parametrize(
    ("chart", "path", "value", "meant"),
    [
        ("gpu-operator", "operator.driverInstallDir", "/usr/local", "hostPaths.driverInstallDir"),
        ("gpu-operator", "migStrategy", "mixed", ""),
        ("gpu-operator", "daemonsets.operator", "Exists", ""),
        ("dcgm-exporter", "serviceMonitor.labels", {"a": "b"}, ""),
        ("nvidia-device-plugin", "nfd.worker.toleration", [{"key": "a"}], "nfd.worker.tolerations"),
        ("nvidia-device-plugin", "devicePlugin.deviceListStrategy", "cdi-cri", "deviceListStrategy"),
        ("nvidia-device-plugin", "deviceListStrategies", "cdi-cri", "deviceListStrategy"),
        ("nvidia-device-plugin", "fail_on_init_error", False, "failOnInitError"),
        ("nvidia-device-plugin", "failOnInitErorr", {"a": 1}, ""),
        ("node-feature-discovery", "resources", {"limits": {}}, ""),
    ],
)
def test_a_hint_goes_by_the_place_and_the_kind_of_the_value(chart, path, value, meant):
    assert hints(CHARTS[chart], path, value) == [meant]


@pytest.mark.parametrize(
    ("chart", "path", "value", "places"),
    [
        ("gpu-operator", "tolerations", [{"key": "a"}], ["daemonsets.tolerations", "operator.tolerations"]),
        ("gpu-operator", "tolerations", "text", []),
        ("gpu-operator", "imagePullSecrets", ["a"], []),
        ("gpu-operator", "repository", "a", []),
        ("node-feature-discovery", "tolerations", [1], ["worker.tolerations", "gc.tolerations", "master.tolerations", "topologyUpdater.tolerations"]),
        ("nvidia-device-plugin", "nfd.affinity", {"a": 1}, ["nfd.worker.affinity", "nfd.gc.affinity", "nfd.master.affinity", "nfd.topologyUpdater.affinity"]),
    ],
)  # fmt: skip
def test_a_field_of_a_pod_has_the_places_at_which_the_chart_reads_it(chart, path, value, places):
    assert [other_places(unread, value) for unread in CHARTS[chart].unread_keys(nested(path, value))] == [places]


def test_a_place_that_only_another_version_reads_is_no_hint():
    chart = CHARTS["gpu-operator"]

    def others(version):
        return [other_places(unread) for unread in chart.unread_keys({"nodeSelector": {}}, Version.parse(version))]

    assert others("26.3.0") == [["operator.nodeSelector", "driver.nvidiaDriverCRD.nodeSelector"]]
    assert others("26.7.0") == [["operator.nodeSelector"]]
