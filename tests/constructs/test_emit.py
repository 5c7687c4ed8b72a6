import pytest
from cdk8s import ApiObject, App, Chart, JsonPatch
from constructs import Construct
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import drawn, message, one, synth
from constructs_lib import (
    ArgoCd,
    DcgmExporter,
    Dra,
    DraDriver,
    Flux,
    GpuAlerts,
    GpuClaim,
    GpuDashboard,
    GpuNodes,
    GpuQuota,
    GpuWorkload,
    KueueQueue,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    Persistent,
    PrivilegedNamespace,
    StandaloneDevicePlugin,
    ValidationBridge,
)
from constructs_lib.constructs._emit import emit
from constructs_lib.manifests.objects import manifest
from constructs_lib.upstream.kubernetes.api import CLUSTER_SCOPED

NODES = GpuNodes(talos_version="1.12")
CLAIMED = GpuNodes(talos_version="1.14", dra=Dra())
CONSTRUCTS = {
    "NvidiaRuntimeClass": lambda chart: NvidiaRuntimeClass(chart, "made"),
    "PrivilegedNamespace": lambda chart: PrivilegedNamespace(chart, "made"),
    "ValidationBridge": lambda chart: ValidationBridge(chart, "made", nodes=NODES),
    "StandaloneDevicePlugin": lambda chart: StandaloneDevicePlugin(chart, "made", nodes=NODES, feature_discovery=True),
    "NvidiaGpuOperator": lambda chart: NvidiaGpuOperator(chart, "made", nodes=NODES, delivery=Flux()),
    "DraDriver": lambda chart: DraDriver(chart, "made", nodes=CLAIMED, delivery=Flux()),
    "GpuClaim": lambda chart: GpuClaim(chart, "made", nodes=CLAIMED),
    "DcgmExporter": lambda chart: DcgmExporter(chart, "made", nodes=NODES),
    "NodeFeatureDiscovery": lambda chart: NodeFeatureDiscovery(chart, "made", nodes=NODES, delivery=ArgoCd()),
    "GpuDashboard": lambda chart: GpuDashboard(chart, "made"),
    "GpuQuota": lambda chart: GpuQuota(chart, "made", nodes=NODES, gpus=1, gpus_per_container=1),
    "KueueQueue": lambda chart: KueueQueue(chart, "made", nodes=NODES, namespaces=["ai"], gpus=1),
    "GpuAlerts": lambda chart: GpuAlerts(chart, "made"),
    "GpuWorkload": lambda chart: GpuWorkload(chart, "made", nodes=NODES, image="app:1", port=80, volumes={"/data": Persistent("1Gi")}),
}
each_construct = pytest.mark.parametrize("make", CONSTRUCTS.values(), ids=CONSTRUCTS)


def emitted(body, **chart):
    """What a manifest is after cdk8s has had it."""
    chart = Chart(App(), "chart", **chart)
    emit(chart, "made", body)
    (found,) = synth(chart)
    return found


@each_construct
def test_a_construct_that_is_in_no_chart_is_no_scope(make):
    app = App()
    scope = Construct(app, "group")

    assert message(lambda: make(scope), TypeError) == (
        "'scope' must be a Chart, or a construct in a Chart (got a Construct); put a Chart between the app and the construct: Chart(app, …)"
    )
    assert scope.node.children == []


@each_construct
def test_a_construct_of_somebody_s_own_in_a_chart_is_a_scope(chart, make):
    make(Construct(chart, "group"))

    assert synth(chart) != []


@each_construct
def test_an_id_that_is_taken_is_refused_in_our_words(chart, make):
    Chart(chart, "made")

    assert message(lambda: make(chart)) == ("'id' must be unique in its scope (got 'made'); another 'name' for the objects is not enough")
    assert [child.node.id for child in chart.node.children] == ["made"]


@pytest.mark.parametrize(
    "body",
    [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "a"},
            "data": {"a": "b"},
            "binaryData": {"c": "ZA=="},
            "immutable": True,
        },
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "type": "Opaque", "stringData": {}},
        {
            "apiVersion": "example.com/v1",
            "kind": "Odd",
            "metadata": {"name": "a"},
            "neverHeardOf": [1, "b", {"c": []}],
            "flag": False,
            "none": "",
        },
        {"apiVersion": "v1", "kind": "Odd", "metadata": {"name": "a"}, "spec": {"limits": {"nvidia.com/gpu": 1}, "a~b": {"c/d": 0.5}}},
        {"apiVersion": "v1", "kind": "Odd", "metadata": {"name": "a"}},
        {
            "apiVersion": "v1",
            "kind": "Odd",
            "metadata": {
                "name": "a",
                "namespace": "b",
                "labels": {"c": "d"},
                "annotations": {"e": "f"},
                "finalizers": ["example.com/hold"],
                "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "g", "uid": "h", "controller": True}],
            },
        },
    ],
    ids=["data", "empty", "unknown", "slashes", "bare", "metadata"],
)
def test_every_field_arrives(body):
    assert emitted(body) == body


def test_tuples_and_read_only_mappings_arrive_as_lists_and_mappings():
    shared = GpuNodes(talos_version="1.14", labels={"role": "gpu"}).labels

    assert emitted(manifest("v1", "Odd", "a", spec={"nodeSelector": shared, "args": ("a", ("b",))}))["spec"] == {
        "nodeSelector": {"role": "gpu"},
        "args": ["a", ["b"]],
    }


def test_the_manifest_that_was_given_is_not_changed():
    body = manifest("v1", "ConfigMap", "a", labels={"b": "c"}, data={"d": "e"})
    emitted(body)

    assert body == manifest("v1", "ConfigMap", "a", labels={"b": "c"}, data={"d": "e"})


# Whole numbers as JavaScript has them; keys that its own objects have are refused by jsii, and no Kubernetes field is called so.
LEAVES = st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-(2**53), 2**53) | st.text(max_size=8)
FIELDS = st.text(min_size=1, max_size=8).filter(lambda key: not key.startswith(("__", "$jsii")))
BODIES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=4), max_leaves=12)


@settings(max_examples=drawn(200))
@given(BODIES)
def test_any_json_without_nulls_arrives_unchanged(body):
    assert emitted(manifest("v1", "Odd", "a", spec=body))["spec"] == body


@pytest.mark.parametrize("kind", sorted(CLUSTER_SCOPED))
def test_cluster_scoped_objects_have_no_namespace_in_a_chart_with_one(kind):
    assert emitted(manifest("v1", kind, "a"), namespace="gpu")["metadata"] == {"name": "a"}
    assert emitted(manifest("v1", kind, "a"))["metadata"] == {"name": "a"}


def test_a_namespace_that_a_cluster_scoped_object_was_given_goes_too():
    assert emitted(manifest("v1", "ClusterRole", "a", namespace="gpu", rules=[]))["metadata"] == {"name": "a"}


def test_other_objects_take_the_charts_namespace_or_keep_their_own():
    assert emitted(manifest("v1", "ConfigMap", "a"), namespace="gpu")["metadata"]["namespace"] == "gpu"
    assert emitted(manifest("v1", "ConfigMap", "a", namespace="own"), namespace="gpu")["metadata"]["namespace"] == "own"
    assert "namespace" not in emitted(manifest("v1", "ConfigMap", "a"))["metadata"]


def test_chart_labels_are_laid_under_those_of_the_object():
    found = emitted(manifest("v1", "ConfigMap", "a", labels={"a": "own"}), labels={"a": "chart", "b": "chart"})

    assert found["metadata"]["labels"] == {"a": "own", "b": "chart"}


@each_construct
def test_the_users_own_patch_and_labels_work_afterwards(make):
    chart = Chart(App(), "chart", labels={"team": "ai"})
    main = ApiObject.of(make(chart))
    before = next(made for made in synth(chart) if (made["kind"], made["metadata"]["name"]) == (main.kind, main.name))

    main.add_json_patch(JsonPatch.add("/extra", {"a": 1}), JsonPatch.add("/metadata/finalizers", ["hold"]))
    main.metadata.add_label("later", "yes")
    main.metadata.add_annotation("note", "here")

    after = one(synth(chart), main.kind, main.name)
    assert after["extra"] == {"a": 1}
    assert after["metadata"] == {
        **before["metadata"],
        "labels": {**before["metadata"]["labels"], "later": "yes"},
        "annotations": {"note": "here"},
        "finalizers": ["hold"],
    }
    assert before["metadata"]["labels"]["team"] == "ai"
    assert {field: value for field, value in after.items() if field not in ("extra", "metadata")} == {
        field: value for field, value in before.items() if field != "metadata"
    }


@each_construct
def test_no_null_is_emitted_and_each_main_child_is_there(make, chart):
    made = make(chart)

    assert made.node.find_child("Resource") is not None
    assert [path for manifest in synth(chart) for path in nulls(manifest)] == []


def nulls(value, path=""):
    if value is None:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from nulls(item, f"{path}.{key}")


@each_construct
def test_attributes_are_read_only(make, chart):
    made = make(chart)
    attribute = "name" if hasattr(made, "name") else "release_name"

    with pytest.raises(AttributeError) as caught:
        setattr(made, attribute, "other")
    assert str(caught.value) == (
        f"'{attribute}' must be given to {type(made).__name__}(…) (got {attribute}='other' afterwards); constructs are immutable"
    )
    assert getattr(made, attribute) != "other"


def test_a_misspelt_attribute_is_not_set_by_accident(chart):
    made = CONSTRUCTS["GpuWorkload"](chart)

    with pytest.raises(AttributeError):
        made.replica = 2
    assert not hasattr(made, "replica")


@each_construct
def test_two_synths_are_alike(make):
    first, second = Chart(App(), "chart"), Chart(App(), "chart")
    make(first)
    make(second)

    assert synth(first) == synth(first) == synth(second)


def test_two_objects_of_one_app_have_not_one_name(cdi):
    app = App()
    one, two, named = Chart(app, "one"), Chart(app, "two"), Chart(app, "named", namespace="ai")
    GpuWorkload(one, "ollama", nodes=cdi, image="app:1", port=80)

    assert message(lambda: GpuWorkload(two, "second", name="ollama", nodes=cdi, image="app:1")) == (
        "'name' must be unique among the objects of kind Deployment in this app (got 'ollama'); GpuWorkload already makes a Deployment of this name; the second object would replace the first"
    )
    assert two.node.children == []
    GpuWorkload(named, "ollama", nodes=cdi, image="app:1")
    GpuWorkload(two, "ollama", nodes=cdi, image="app:1", kind="Job")
    GpuWorkload(Chart(App(), "one"), "ollama", nodes=cdi, image="app:1")
    assert message(lambda: GpuWorkload(one, "third", name="ollama", namespace="ai", nodes=cdi, image="app:1")).startswith("'name' must be")


def test_two_runtime_classes_have_not_one_name(chart):
    NvidiaRuntimeClass(chart, "one")

    assert message(lambda: NvidiaRuntimeClass(Chart(chart, "inner"), "two")) == (
        "'name' must be unique among the objects of kind RuntimeClass in this app (got 'nvidia'); NvidiaRuntimeClass already makes a RuntimeClass of this name; the second object would replace the first"
    )


class Labelled(PrivilegedNamespace):
    def __init__(self, scope, name, *, team):
        super().__init__(scope, name, name=name)
        self.team = team


def test_a_subclass_keeps_attributes_of_its_own_and_the_arguments_stay_read_only(chart):
    construct = Labelled(chart, "gpu", team="ml")

    assert construct.team == "ml"
    with pytest.raises(AttributeError, match=r"'name' must be given to Labelled\(…\)"):
        construct.name = "other"


@each_construct
def test_a_construct_is_equal_to_itself_alone(make):
    one, other = make(Chart(App(), "chart")), make(Chart(App(), "chart"))

    assert one == one  # noqa: PLR0124
    assert one != other
    assert len({one, other}) == 2


@each_construct
def test_a_construct_is_shown_by_its_class(chart, make):
    made = make(chart)

    assert f"{type(made).__name__} object" in repr(made)


def test_an_object_without_a_namespace_gets_none_from_its_chart():
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made", "namespace": None}}

    assert "namespace" not in emitted(body, namespace="ai")["metadata"]
