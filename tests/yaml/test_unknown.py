"""What may be said of a value of which a part is not known."""

import dataclasses

import pytest

from constructs_lib.observed.model import Answer, Inputs, KubernetesObject, Unknown
from constructs_lib.observed.model.input_kinds import ChartRelease
from constructs_lib.observed.model.talos_documents import default_runtime
from constructs_lib.observed.objects.object_names import may_have
from constructs_lib.observed.pods.workloads import workloads
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.charts import DEVICE_PLUGIN, GPU_OPERATOR
from constructs_lib.yaml.unknown import contains, starts_with


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("amd.com/gpu", Answer.YES),
        ("intel.com/gpu", Answer.NO),
        (Unknown("nvidia.com/${NAME}"), Answer.YES),
        (Unknown("nvi${REST}"), Answer.UNKNOWN),
        (Unknown("a${REST}"), Answer.UNKNOWN),
        (Unknown("intel${REST}"), Answer.NO),
        (Unknown("${ALL}"), Answer.UNKNOWN),
    ],
)
def test_a_text_that_is_known_to_its_gap_may_begin_with_one_of_several_prefixes(value, expected):
    assert starts_with(value, "nvidia.com/", "amd.com/") is expected


@pytest.mark.parametrize(
    ("value", "expected"), [("abc", Answer.YES), ("ac", Answer.NO), (Unknown("b${A}"), Answer.YES), (Unknown("a${A}"), Answer.UNKNOWN)]
)
def test_a_gap_may_contain_any_part(value, expected):
    assert contains(value, "b") is expected


def test_a_fragment_of_which_a_part_is_unknown_may_set_the_default_runtime():
    documents = [{"kind": "CRICustomizationConfig", "content": Unknown("[plugins]\n${MORE}")}]

    assert isinstance(default_runtime(documents), Unknown)
    assert default_runtime([{"kind": "CRICustomizationConfig", "content": "[plugins]\n"}]) is None


def release(chart="gpu-operator", **more):
    return ChartRelease(body={}, file="a.yaml", chart=chart, name="a", namespace=None, version=None, **more)


def test_a_value_that_is_not_written_is_unknown_only_where_more_values_come_from_elsewhere():
    values = {"driver": {"enabled": False}}
    whole, part = release(given=values), release(given=values, complete=False)

    assert (whole.value("driver", "enabled"), part.value("driver", "enabled")) == (False, False)
    assert whole.value("toolkit", "enabled") is None
    assert isinstance(part.value("toolkit", "enabled"), Unknown)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (Inputs(), False),
        (Inputs(releases=(release("nvidia-device-plugin"),)), False),
        (Inputs(releases=(release(Unknown("${CHART}")),)), True),
        (Inputs(releases=(release(Unknown("nvidia-${CHART}")),)), True),
        (Inputs(releases=(release(Unknown("ingress-${CHART}")),)), False),
        (Inputs(of_unknown_kind=(KubernetesObject(body={"kind": Unknown("Helm${KIND}")}, file="a.yaml"),)), True),
        (Inputs(of_unknown_kind=(KubernetesObject(body={"kind": Unknown("Deploy${KIND}")}, file="a.yaml"),)), False),
    ],
)
def test_a_release_of_an_unknown_chart_may_install_a_chart_of_a_name_that_fits(inputs, expected):
    assert inputs.may_install(DEVICE_PLUGIN, GPU_OPERATOR) is expected


def test_a_value_that_is_not_known_stays_as_it_was_read():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Unknown("${A}").text = "b"


@pytest.mark.parametrize(("text", "expected"), [("a1b2c", True), ("abc", True), ("a1c", False), ("a1b2", False), ("1b2c", False)])
def test_a_text_fits_a_value_with_two_gaps_by_each_part_between_them(text, expected):
    assert Unknown("a${X}b${Y}c").may_be(text) is expected


def test_objects_of_a_kind_stand_in_the_order_in_which_they_were_read():
    first, other, last = (KubernetesObject(body={"kind": kind}, file="a.yaml") for kind in ("Pod", "Service", "Pod"))

    assert [
        each is expected for each, expected in zip(Inputs(objects=(first, other, last)).of_kind("Pod"), (first, last), strict=True)
    ] == [
        True,
        True,
    ]


def test_an_object_may_be_there_where_its_name_or_a_kind_is_not_known():
    hidden = KubernetesObject(body={"kind": Unknown("${KIND}")}, file="a.yaml")

    assert not may_have(Inputs(), "RuntimeClass", "nvidia", None)
    assert may_have(Inputs(), "RuntimeClass", Unknown("${NAME}"), None)
    assert may_have(Inputs(of_unknown_kind=(hidden,)), "RuntimeClass", "nvidia", None)


@pytest.mark.parametrize(
    ("part", "is_complete"),
    [("containers: []", True), ("containers: []\n  initContainers: '${INIT}'", False), ("containers: '${CONTAINERS}'", False)],
)
def test_a_workload_is_complete_where_each_list_of_containers_is_known(part, is_complete):
    inputs = read_text(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  {part}\n")

    assert [each.complete for each in workloads(inputs)] == [is_complete]
