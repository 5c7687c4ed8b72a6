"""A cluster as a KRM function: what joins the list, what is replaced, what stays, and the results."""

import string

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import drawn
from constructs_lib.arguments.printable import HIDDEN
from constructs_lib.clusters.description import Description
from constructs_lib.clusters.resource_list import run_function
from constructs_lib.clusters.synthesis import synthesize

SPEC = {
    "talos": "1.14",
    "nodes": {"gpu": {}},
    "charts": {
        "gpu": {
            "namespace": "kube-system",
            "objects": {"class": {"NvidiaRuntimeClass": {}}, "device-plugin": {"StandaloneDevicePlugin": {}}},
        },
        "ai": {"namespace": "ai", "objects": {"ollama": {"Ollama": {}}}},
    },
}
MINE = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "mine", "annotations": {"config.k8s.io/id": "1"}},
    "data": {"a": "yes"},
}


def resource_list(spec=SPEC, items=(), name="home", **more):
    config = {"apiVersion": "talos-gpu/v1", "kind": "Cluster", "metadata": {"name": name}, "spec": spec}
    content = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": list(items), "functionConfig": config, **more}
    return yaml.safe_dump(content, sort_keys=False)


def called(*args, **more):
    result = run_function(resource_list(*args, **more))
    return result, yaml.safe_load(result.text)


def without_annotations(item):
    metadata = {key: value for key, value in item["metadata"].items() if key != "annotations"}
    own = ("config.kubernetes.io/", "talos-gpu/krm")
    annotations = {k: v for k, v in item["metadata"].get("annotations", {}).items() if not k.startswith(own)}
    return {**item, "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}}


def test_the_objects_are_those_that_synth_writes_in_their_order():
    result, output = called()
    written = [each for text in synthesize(Description(SPEC), lambda _: "").files.values() for each in yaml.safe_load_all(text)]

    assert result.errors == result.violations == ()
    assert [without_annotations(each) for each in output["items"]] == written
    assert output["results"] == []


def test_each_object_has_its_file_and_its_place_in_the_file():
    _, output = called()
    places = [
        (each["metadata"]["annotations"]["config.kubernetes.io/path"], each["metadata"]["annotations"]["config.kubernetes.io/index"])
        for each in output["items"]
    ]

    assert places[:2] == [("manifests/gpu.k8s.yaml", "0"), ("manifests/gpu.k8s.yaml", "1")]
    assert ("manifests/ai.k8s.yaml", "0") in places
    assert len(set(places)) == len(places)


def test_objects_of_others_stay_as_they_are():
    _, output = called(items=[MINE])

    assert output["items"][0] == MINE


def test_the_scalars_of_others_are_written_as_they_were_given():
    numbers = "{octal: 0o14, exponent: 1e3, large: 9007199254740993, text: '1.10', yes: on}"
    text = resource_list(items=[MINE]).replace("a: 'yes'", f"a: {numbers}")

    assert f"data:\n    a: {numbers}\n" in run_function(text).text


def test_a_second_run_gives_the_same_list_and_an_object_of_a_removed_chart_is_gone():
    _, first = called(items=[MINE])
    _, second = called(items=first["items"])
    _, third = called({**SPEC, "charts": {"gpu": SPEC["charts"]["gpu"]}}, items=first["items"])

    assert second["items"] == first["items"]
    paths = {each["metadata"]["annotations"].get("config.kubernetes.io/path") for each in third["items"]}
    assert paths == {None, "manifests/gpu.k8s.yaml"}


def test_an_object_of_the_user_in_a_file_with_the_name_of_a_chart_stays():
    path = {"config.kubernetes.io/path": "manifests/app.k8s.yaml", "config.kubernetes.io/index": "0"}
    theirs = [
        {**MINE, "metadata": {"name": name, "annotations": {**path, **more}}}
        for name, more in (("a", {}), ("b", {"talos-gpu/krm": "other"}))
    ]
    _, output = called(items=theirs)

    assert output["items"][:2] == theirs
    assert output["results"] == []


def test_two_functions_in_one_list_keep_the_objects_of_each_other():
    ai, gpu = ({**SPEC, "charts": {name: SPEC["charts"][name]}} for name in ("ai", "gpu"))
    _, first = called(ai, name="one")
    _, both = called(gpu, items=first["items"], name="two")
    _, again = called(ai, items=both["items"], name="one")

    assert both["items"][: len(first["items"])] == first["items"]
    assert {each["metadata"]["annotations"]["talos-gpu/krm"] for each in both["items"]} == {"one", "two"}
    assert sorted(again["items"], key=str) == sorted(both["items"], key=str)


def test_an_object_gets_a_place_that_no_other_object_of_its_file_has():
    marks = {"config.kubernetes.io/path": "manifests/gpu.k8s.yaml", "config.kubernetes.io/index": "1"}
    theirs = {**MINE, "metadata": {"name": "theirs", "annotations": marks}}
    _, first = called(items=[theirs])
    _, second = called(items=first["items"])
    places = [each["metadata"]["annotations"]["config.kubernetes.io/index"] for each in first["items"]]

    assert places[:3] == ["1", "0", "2"]
    assert second["items"] == first["items"]


def test_each_removed_object_is_a_result_and_a_replaced_one_is_none():
    _, first = called()
    _, second = called({**SPEC, "charts": {"gpu": SPEC["charts"]["gpu"]}}, items=first["items"])
    gone = [each for each in first["items"] if each["metadata"]["annotations"]["config.kubernetes.io/path"] == "manifests/ai.k8s.yaml"]
    words = "in namespace ai is removed: an earlier run made it, and no chart of the spec makes it now"

    assert called(items=first["items"])[1]["results"] == []
    assert gone
    assert [each for each in second["results"] if "removed" in each["message"]] == [
        {"message": f"{each['kind']} {each['metadata']['name']} {words}", "severity": "info"} for each in gone
    ]


def test_an_error_removes_no_object_and_names_none_as_removed():
    _, first = called()
    _, second = called({**SPEC, "charts": {"gpu": {"objects": {"a": {"Nothing": {}}}}}}, items=first["items"])

    assert second["items"] == first["items"]
    assert [each["severity"] for each in second["results"]] == ["error"]


@pytest.mark.parametrize(("name", "got"), [(None, "nothing"), ("", "''"), (1, "1")])
def test_a_configuration_without_a_name_is_refused(name, got):
    assert called(name=name)[0].errors == (
        f"functionConfig.metadata.name: 'name' must be a string that is not empty (got {got}); objects of the function are known by it",
    )


@pytest.mark.parametrize("key", ["annotations", "labels"])
def test_metadata_of_an_object_that_is_no_mapping_is_refused(key):
    an_object = {"Object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", key: "x"}}}
    result, output = called({**SPEC, "charts": {"ai": {"objects": {"a": an_object}}}}, items=[MINE])

    assert result.errors == (f"spec.charts.ai.objects.a.Object: 'Object[metadata.{key}]' must be a mapping (got 'x')",)
    assert output["items"] == [MINE]


def test_an_object_with_annotations_without_a_value_joins_the_list():
    an_object = {"Object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "annotations": None}}}
    _, output = called({**SPEC, "charts": {"ai": {"objects": {"a": an_object}}}})

    assert output["items"][0]["metadata"]["annotations"]["talos-gpu/krm"] == "home"


def test_the_rules_know_the_objects_of_others_and_say_nothing_about_them():
    spec = {**SPEC, "charts": {"gpu": {"objects": {"device-plugin": {"StandaloneDevicePlugin": {"namespace": "kube-system"}}}}}}
    runtime_class = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
    pod = {"containers": [{"name": "c", "image": "a", "resources": {"limits": {"nvidia.com/gpu": 0.5}}}]}
    half = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "half"}, "spec": pod}

    assert "TG041" in called(spec)[0].warnings[0]
    assert called(spec, items=[runtime_class, half])[1]["results"] == []


def test_an_object_of_somebody_else_is_not_replaced():
    theirs = {"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": {"name": "ollama", "namespace": "ai"}}
    result, output = called(items=[theirs])

    assert result.errors == (
        "spec.charts.ai: 'items' must be without the objects that this function makes (got 'Deployment ollama'); remove one of the two",
    )
    assert output["items"] == [theirs]


def test_an_error_leaves_the_items_and_is_a_result_with_its_field():
    spec = {**SPEC, "charts": {"ai": {"objects": {"ollama": {"Ollama": {"keep_aliv": "1h"}}}}}}
    result, output = called(spec, items=[MINE])
    message = "'keep_aliv' must be an argument of Ollama (got keep_aliv='1h'); did you mean 'keep_alive'?"

    assert output["items"] == [MINE]
    assert output["results"] == [{"message": message, "severity": "error", "field": {"path": "spec.charts.ai.objects.ollama.Ollama"}}]
    assert result.errors == (f"spec.charts.ai.objects.ollama.Ollama: {message}",)


def test_an_error_of_the_rules_is_a_result_and_adds_nothing_unless_nobody_checks():
    pod = {"containers": [{"name": "c", "image": "a", "resources": {"limits": {"nvidia.com/gpu": 0.5}}}]}
    half = {"Object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "half"}, "spec": pod}}
    spec = {**SPEC, "charts": {"ai": {"objects": {"half": half}}}}
    result, output = called(spec)

    assert output["items"] == []
    assert (output["results"][0]["severity"], output["results"][0]["field"]) == ("error", {"path": "spec.charts.ai.objects.half"})
    assert result.violations[0].startswith("spec.charts.ai.objects.half: TG045 [ai/half]")
    assert len(yaml.safe_load(run_function(resource_list(spec), with_checks=False).text)["items"]) == 1


def test_a_remark_about_the_cluster_is_an_info():
    _, output = called({**SPEC, "charts": {"ai": SPEC["charts"]["ai"]}})

    assert [each["severity"] for each in output["results"]] == ["warning", "info"]
    assert output["results"][1]["message"].startswith("nothing in this file advertises")


def test_no_talos_file_is_made():
    _, output = called({**SPEC, "talos": "1.14.0"})

    assert output["results"] == []


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (
            {"clusters": {}},
            "spec.clusters: 'clusters' must be a key of a KRM function (got {}); the keys are 'talos', 'nodes', 'stack', 'gitops', 'control_plane', 'workloads', 'charts'",
        ),
        ({"node": {}}, "spec.node: 'node' must be a key of a KRM function (got {}); did you mean 'nodes'?"),
        ([], "functionConfig: 'spec' must be a mapping (got [])"),
    ],
)
def test_another_spec_is_refused_with_its_field(spec, error):
    assert called(spec)[0].errors == (error,)


def test_a_list_without_configuration_is_refused():
    result = run_function("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n")

    assert result.errors == ("functionConfig: 'functionConfig' must be an object whose spec is a cluster file (got None)",)


def test_a_merge_of_the_list_itself_is_refused():
    with pytest.raises(TypeError, match="'<<' must be left out of a ResourceList"):
        run_function("<<: {items: [{kind: A}]}\nkind: ResourceList\n")


@pytest.mark.parametrize("text", ["", "a: [", "kind: List\nitems: []\n", "[]", "kind: ResourceList\n---\nkind: ResourceList\n"])
def test_other_input_is_refused(text):
    with pytest.raises(ValueError, match=r"^standard input must be one ResourceList of config\.kubernetes\.io"):
        run_function(text)


_TEXT = st.text(string.printable, max_size=5)
_ANY = st.recursive(st.none() | st.booleans() | st.integers() | _TEXT, lambda each: st.lists(each) | st.dictionaries(_TEXT, each))


@settings(max_examples=drawn(60), deadline=None)
@given(items=st.lists(st.dictionaries(st.sampled_from(["metadata", "kind", "apiVersion", "spec"]), _ANY)), spec=_ANY)
def test_a_strange_list_is_refused_or_kept(items, spec):
    result, output = called(spec, items=items)

    assert result.errors
    assert output["items"] == items


@settings(max_examples=drawn(30), deadline=None)
@given(items=st.lists(st.dictionaries(st.sampled_from(["metadata", "kind", "apiVersion", "spec"]), _ANY)))
def test_strange_objects_of_others_are_kept_before_the_cluster(items):
    result, output = called(items=items)

    assert result.errors == ()
    assert output["items"][: len(items)] == items
    assert len(output["items"]) > len(items)


def test_a_value_that_contains_itself_is_refused():
    spec = "{talos: 1.14.0, nodes: {gpu: {}}, charts: {gpu: &chart {namespace: n, objects: *chart}}}"
    text = (
        f"{{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [], functionConfig: {{metadata: {{name: a}}, spec: {spec}}}}}"
    )

    with pytest.raises(ValueError, match="an alias has no anchor before it"):
        run_function(text)


def test_hidden_characters_of_an_object_are_escapes_and_its_values_stay():
    """Plain, quoted, folded and block scalars, keys, anchors and tagged values."""
    text = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig: {metadata: {name: gpu}, spec: {talos: "1.14", nodes: {gpu: {}}, stack: none}}
items:
- data:
    plain: evil\u202etxt
    key\u2066: |
      a\u202e
      b
    quoted: 'x\u2028y'
    escaped: "\\u202e\\x85\\\\\U000e0041"
    ? other\u202e
    : !!str \u202e1
    anchor: &x "q\u202e"
    alias: *x
    folded: "a \\
      \u202eb"
    letters: é漢
"""
    written = run_function(text).text

    assert HIDDEN.findall(written) == []
    assert yaml.safe_load(written)["items"] == yaml.safe_load(text)["items"]
    assert "letters: é漢\n" in written
