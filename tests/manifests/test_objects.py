import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.manifests.objects import manifest, merged
from constructs_lib.upstream.kubernetes.api import CLUSTER_SCOPED

CONTAINER = {"name": "main", "image": "a:1", "args": ["x", "y"]}


def test_a_manifest_begins_as_people_write_it():
    made = manifest("apps/v1", "Deployment", "ollama", namespace="ai", labels={"a": "b"}, annotations={"c": "d"}, spec={"replicas": 1})

    assert list(made) == ["apiVersion", "kind", "metadata", "spec"]
    assert made["metadata"] == {"name": "ollama", "namespace": "ai", "labels": {"a": "b"}, "annotations": {"c": "d"}}


@pytest.mark.parametrize("nothing", [None, {}])
def test_a_manifest_leaves_empty_metadata_out(nothing):
    made = manifest("v1", "ConfigMap", "settings", namespace=None, labels=nothing, annotations=nothing, data={})

    assert made == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {}}


def test_a_manifest_holds_labels_of_its_own():
    labels = {"a": "b"}
    made = manifest("v1", "ConfigMap", "settings", labels=labels)
    made["metadata"]["labels"]["c"] = "d"

    assert labels == {"a": "b"}


@pytest.mark.parametrize(
    "kind", ["ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace", "RuntimeClass", "PriorityClass"]
)
def test_kinds_that_belong_to_no_namespace_are_known(kind):
    assert kind in CLUSTER_SCOPED


@pytest.mark.parametrize("kind", ["ConfigMap", "DaemonSet", "Deployment", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount"])
def test_kinds_that_belong_to_a_namespace_are_not_among_them(kind):
    assert kind not in CLUSTER_SCOPED


@pytest.mark.parametrize(
    ("base", "over", "expected"),
    [
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
        ({"a": {"b": 1}}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}),
        ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}),
        ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({}, {"a": None}, {}),
        ({}, {"a": {"b": None, "c": {"d": None}}}, {"a": {"c": {}}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": [{"name": "x"}]}, {"a": []}, {"a": []}),
        ({"a": []}, {"a": [{"name": "x"}]}, {"a": [{"name": "x"}]}),
        ({"a": [{"key": "x"}]}, {"a": [{"key": "y"}]}, {"a": [{"key": "y"}]}),
        ({"a": [{"name": "x"}]}, {"a": [{"image": "y"}]}, {"a": [{"image": "y"}]}),
        ({"a": False, "b": 0, "c": ""}, {"a": True, "b": 1, "c": "d"}, {"a": True, "b": 1, "c": "d"}),
        ({"a": True, "b": 1, "c": "d"}, {"a": False, "b": 0, "c": ""}, {"a": False, "b": 0, "c": ""}),
    ],
    ids=str,
)
def test_mappings_merge_lists_replace_and_none_removes(base, over, expected):
    assert merged(base, over) == expected


def test_named_things_merge_by_name_and_keep_their_order():
    base = {"containers": [CONTAINER, {"name": "proxy", "image": "b:1"}]}
    over = {"containers": [{"name": "new", "image": "c:1"}, {"name": "main", "image": "a:2"}]}

    assert merged(base, over)["containers"] == [
        {"name": "main", "image": "a:2", "args": ["x", "y"]},
        {"name": "proxy", "image": "b:1"},
        {"name": "new", "image": "c:1"},
    ]


def test_none_removes_a_field_of_a_named_thing():
    assert merged({"containers": [CONTAINER]}, {"containers": [{"name": "main", "args": None}]}) == {
        "containers": [{"name": "main", "image": "a:1"}]
    }


def test_named_things_merge_in_named_things():
    base = {"containers": [{"name": "main", "env": [{"name": "A", "value": "1"}]}]}
    over = {"containers": [{"name": "main", "env": [{"name": "A", "value": "2"}, {"name": "B", "value": "3"}]}]}

    assert merged(base, over)["containers"][0]["env"] == [{"name": "A", "value": "2"}, {"name": "B", "value": "3"}]


def test_the_result_shares_nothing_with_what_it_was_made_of():
    base, over = {"a": {"b": [{"name": "x", "c": [1]}]}}, {"d": {"e": [1]}, "f": [{"g": [1]}]}
    before = copy.deepcopy((base, over))

    result = merged(base, over)
    result["a"]["b"][0]["c"].append(2)
    result["d"]["e"].append(2)
    result["f"][0]["g"].append(2)
    assert (base, over) == before


@pytest.mark.parametrize(
    ("field", "base", "over", "expected"),
    [
        (
            "volumeMounts",
            [{"name": "models", "mountPath": "/a", "subPath": "a"}, {"name": "models", "mountPath": "/b", "subPath": "b"}],
            [{"name": "models", "mountPath": "/c"}, {"name": "other", "mountPath": "/b", "readOnly": True}],
            [
                {"name": "models", "mountPath": "/a", "subPath": "a"},
                {"name": "other", "mountPath": "/b", "subPath": "b", "readOnly": True},
                {"name": "models", "mountPath": "/c"},
            ],
        ),
        ("volumeDevices", [{"name": "a", "devicePath": "/x"}], [{"name": "b", "devicePath": "/x"}], [{"name": "b", "devicePath": "/x"}]),
        (
            "ports",
            [{"name": "http", "containerPort": 80}],
            [{"containerPort": 80, "hostPort": 8080}, {"name": "http2", "containerPort": 81}],
            [{"name": "http", "containerPort": 80, "hostPort": 8080}, {"name": "http2", "containerPort": 81}],
        ),
    ],
    ids=lambda field: field if isinstance(field, str) else "",
)
def test_mounts_merge_by_path_and_ports_by_number(field, base, over, expected):
    assert merged({field: base}, {field: over}) == {field: expected}


@pytest.mark.parametrize(
    ("field", "old", "new"),
    [
        ("env", {"valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}, {"value": "1"}),
        ("env", {"value": "1"}, {"valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}),
        ("volumes", {"emptyDir": {"sizeLimit": "1Gi"}}, {"hostPath": {"path": "/var/mnt"}}),
        ("volumes", {"emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}}, {"emptyDir": {}}),
    ],
)
def test_a_variable_and_a_volume_take_the_place_of_the_old_one_whole(field, old, new):
    # Of two kinds at once Kubernetes refuses both.
    base, kept, added = {field: [{"name": "a", **old}, {"name": "b", **old}]}, {"name": "b", **old}, {"name": "c", **new}

    assert merged(base, {field: [{"name": "a", **new}, added]}) == {field: [{"name": "a", **new}, kept, added]}


# How long it takes is not what is claimed, and other tests run beside it.
KEYS = st.sampled_from("abc")
LEAVES = st.integers() | st.text("ab0", max_size=3) | st.booleans() | st.lists(st.integers(), max_size=2)
MAPPINGS = st.recursive(st.dictionaries(KEYS, LEAVES, max_size=3), lambda inner: st.dictionaries(KEYS, LEAVES | inner, max_size=3))


@given(MAPPINGS)
def test_laying_nothing_or_itself_upon_a_mapping_changes_nothing(base):
    assert merged(base, {}) == base
    assert merged({}, base) == base
    assert merged(base, base) == base


@given(MAPPINGS, MAPPINGS)
def test_laying_twice_is_laying_once(base, over):
    once = merged(base, over)

    assert merged(once, over) == once


@given(MAPPINGS, MAPPINGS)
def test_what_is_laid_on_arrives_and_what_it_does_not_name_stays(base, over):
    result = merged(base, over)

    assert {key: result[key] for key in base.keys() - over.keys()} == {key: base[key] for key in base.keys() - over.keys()}
    assert all(result[key] == value for key, value in over.items() if not isinstance(value, dict))


def test_a_list_in_which_one_item_has_no_name_replaces_the_old_list():
    named, mixed = [{"name": "main"}], [{"name": "main"}, {"image": "b:1"}]

    assert merged({"containers": named}, {"containers": mixed}) == {"containers": mixed}
    assert merged({"containers": mixed}, {"containers": named}) == {"containers": named}


@pytest.mark.parametrize(
    ("field", "base", "over"),
    [
        (
            "parentRefs",
            [{"name": "internal", "sectionName": "http"}, {"name": "internal", "sectionName": "https"}],
            [{"name": "external"}],
        ),
        ("subjects", [{"kind": "User", "name": "ops"}], [{"kind": "User", "name": "ops"}, {"kind": "Group", "name": "ops"}]),
        ("claims", [{"name": "gpu", "request": "big"}], [{"name": "gpu", "request": "big"}, {"name": "gpu", "request": "small"}]),
        ("items", [{"name": ["a"]}], [{"name": ["a"]}]),
        ("ports", [{"port": 80}], [{"port": 443}]),
    ],
)
def test_a_list_replaces_the_old_list_where_two_items_have_the_same_name_or_none_has_a_name(field, base, over):
    assert merged({field: base}, {field: over}) == {field: over}


def test_the_ports_of_a_service_merge_by_name():
    base, over = [{"name": "http", "port": 80}, {"name": "metrics", "port": 9400}], [{"name": "http", "port": 8080}]

    assert merged({"ports": base}, {"ports": over}) == {"ports": [{"name": "http", "port": 8080}, {"name": "metrics", "port": 9400}]}
