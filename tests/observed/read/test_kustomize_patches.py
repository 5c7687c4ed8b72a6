import pytest

from constructs_lib.observed.model import Answer, answer
from constructs_lib.observed.read.documents import documents
from constructs_lib.observed.read.json_patch import operated
from constructs_lib.observed.read.kustomize.patches import selects, strategic
from constructs_lib.yaml.located import place_of


def read(text, file="base.yaml"):
    (document,) = documents(text, file)[0]
    return document


def merged(base, patch):
    return strategic(read(base).value, read(patch, "patch.yaml").value)


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: b, labels: {x: "1"}}
spec:
  template:
    spec:
      tolerations: [{key: a}]
      containers:
      - name: one
        image: one:1
        args: [a, b]
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
      - {name: two, image: two:1}
"""


def test_mappings_merge_and_named_lists_item_by_item():
    value = merged(
        DEPLOYMENT,
        """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: other, labels: {y: "2"}}
spec:
  replicas: 2
  template:
    spec:
      tolerations: [{key: b}]
      containers:
      - name: two
        image: two:2
      - name: three
      - name: one
        args: [c]
        env: [{name: B, value: "3"}, {name: C, value: "4"}]
""",
    )
    assert value == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a", "namespace": "b", "labels": {"x": "1", "y": "2"}},
        "spec": {
            "replicas": 2,
            "template": {
                "spec": {
                    "tolerations": [{"key": "b"}],
                    "containers": [
                        {"name": "two", "image": "two:2"},
                        {"name": "three"},
                        {
                            "name": "one",
                            "image": "one:1",
                            "args": ["c"],
                            "env": [{"name": "B", "value": "3"}, {"name": "C", "value": "4"}, {"name": "A", "value": "1"}],
                        },
                    ],
                }
            },
        },
    }


def test_what_a_patch_sets_has_its_file_and_line_and_the_rest_keeps_its_own():
    value = merged(
        DEPLOYMENT, "spec:\n  template:\n    spec:\n      containers:\n      - name: two\n        image: two:2\n      - name: three\n"
    )
    place = ("base.yaml", 1)
    container = ("spec", "template", "spec", "containers")
    assert place_of(value, (*container, 0, "image"), place) == ("patch.yaml", 6)
    assert place_of(value, (*container, 1), place) == ("patch.yaml", 7)
    assert place_of(value, (*container, 2, "image"), place) == ("base.yaml", 10)
    assert place_of(value, ("spec",), place) == ("base.yaml", 4)


def test_the_base_is_not_changed():
    base = read(DEPLOYMENT)
    before = str(base.value)
    strategic(base.value, read("spec: {template: {spec: {containers: [{name: one, image: x}]}}}").value)
    assert str(base.value) == before


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ("spec: null", {}),
        ("spec: {$patch: delete}", {}),
        ("spec: {$patch: replace, a: 1}", {"spec": {"a": 1}}),
        ("spec: {l: [{name: x, $patch: delete}]}", {"spec": {"v": 1, "l": []}}),
        ("spec: {v: {w: 1}}", {"spec": {"v": {"w": 1}, "l": [{"name": "x"}]}}),
        ("spec: {new: {$patch: replace, a: null, b: 1}}", {"spec": {"v": 1, "l": [{"name": "x"}], "new": {"b": 1}}}),
    ],
)
def test_directives_and_nulls_remove(patch, expected):
    assert merged("apiVersion: x.io/v1\nkind: A\nspec: {v: 1, l: [{name: x}]}\n", patch) == {
        "apiVersion": "x.io/v1",
        "kind": "A",
        **expected,
    }


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ("[{name: one, $patch: delete}]", ["two"]),
        ("[{$patch: replace}, {name: three}]", ["three"]),
        ("[{name: nothing, $patch: delete}]", ["one", "two"]),
    ],
)
def test_directives_in_named_lists(patch, expected):
    value = merged(DEPLOYMENT, f"spec: {{template: {{spec: {{containers: {patch}}}}}}}")
    assert [each["name"] for each in value["spec"]["template"]["spec"]["containers"]] == expected


def test_a_patch_may_delete_the_object():
    assert merged(DEPLOYMENT, "$patch: delete") is None


def test_ports_are_told_apart_by_what_they_have():
    service = "apiVersion: v1\nkind: Service\nspec: {ports: [{port: 80, name: a}, {port: 81}]}\n"
    assert merged(service, "spec: {ports: [{port: 80, name: b}]}")["spec"]["ports"] == [{"port": 80, "name": "b"}, {"port": 81}]
    pod = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, ports: [{containerPort: 80}]}]}\n"
    (container,) = merged(pod, "spec: {containers: [{name: a, ports: [{containerPort: 80, name: b}]}]}")["spec"]["containers"]
    assert container["ports"] == [{"containerPort": 80, "name": "b"}]


def test_a_list_of_a_custom_resource_is_replaced():
    value = merged(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {values: {env: [{name: A, value: 1}]}}\n",
        "spec: {values: {env: [{name: B}]}}",
    )
    assert value["spec"]["values"]["env"] == [{"name": "B"}]


def json6902(value, operations):
    for operation, place in zip(operations, operations.places, strict=True):
        value = operated(value, operation, place)
    return value


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ("[{op: add, path: /a/c, value: 2}]", {"a": {"b": 1, "c": 2}, "l": [1, 2]}),
        ("[{op: replace, path: /a, value: x}]", {"a": "x", "l": [1, 2]}),
        ("[{op: remove, path: /a/b}]", {"a": {}, "l": [1, 2]}),
        ("[{op: add, path: /l/-, value: 3}]", {"a": {"b": 1}, "l": [1, 2, 3]}),
        ("[{op: add, path: /l/0, value: 3}]", {"a": {"b": 1}, "l": [3, 1, 2]}),
        ("[{op: replace, path: /l/1, value: 3}]", {"a": {"b": 1}, "l": [1, 3]}),
        ("[{op: remove, path: /l/0}, {op: remove, path: /l/0}]", {"a": {"b": 1}, "l": []}),
        ("[{op: add, path: /x~1y~0z, value: 1}]", {"a": {"b": 1}, "l": [1, 2], "x/y~z": 1}),
        ("[{op: add, path: /n/o, value: 1}]", {"a": {"b": 1}, "l": [1, 2]}),
        ("[{op: remove, path: /l/7}, {op: replace, path: /l/-, value: 1}, {op: add, path: /l/x, value: 1}]", {"a": {"b": 1}, "l": [1, 2]}),
        ("[{op: test, path: /a/b, value: 1}, {op: remove, path: /a}]", {"l": [1, 2]}),
        ("[{op: add, path: /l/-, value: 1}, {op: replace, path: /l/-3, value: 0}]", {"a": {"b": 1}, "l": [0, 2, 1]}),
        ("[7, {op: add}, {op: add, path: 1}, {op: add, path: ''}, {op: remove, path: /a/b/c}]", {"a": {"b": 1}, "l": [1, 2]}),
    ],
)
def test_json_operations(operations, expected):
    base = read("a: {b: 1}\nl: [1, 2]\n")
    assert json6902(base.value, read(operations).value) == expected
    assert base.value == {"a": {"b": 1}, "l": [1, 2]}


def test_what_an_operation_sets_has_its_line():
    base = read("a:\n  b: 1\nl:\n- 1\n- 2\n")
    value = json6902(base.value, read("- {op: add, path: /a/c, value: 2}\n- {op: add, path: /l/0, value: 3}\n", "patch.yaml").value)
    assert place_of(value, ("a", "c"), base.place) == ("patch.yaml", 1)
    assert place_of(value, ("l", 0), base.place) == ("patch.yaml", 2)
    assert place_of(value, ("l", 2), base.place) == ("base.yaml", 5)


@pytest.mark.parametrize(
    ("target", "selected"),
    [
        ({}, True),
        ({"kind": "Deployment"}, True),
        ({"kind": "Deploy"}, False),
        ({"kind": "Deploy.*", "name": "gpu-.*"}, True),
        ({"name": "^gpu-app$"}, True),
        ({"name": "gpu"}, False),
        ({"name": "a|gpu-app"}, True),
        ({"namespace": "ns"}, True),
        ({"namespace": "other"}, False),
        ({"group": "apps", "version": "v1"}, True),
        ({"group": "batch"}, False),
        ({"version": "v2"}, False),
        ({"labelSelector": "app=x"}, True),
        ({"labelSelector": "app==x,tier!=y"}, True),
        ({"labelSelector": "app!=x"}, False),
        ({"labelSelector": "app in (x, y),!tier"}, True),
        ({"labelSelector": "app notin (x, y)"}, False),
        ({"labelSelector": "app"}, True),
        ({"labelSelector": "tier"}, False),
        ({"labelSelector": "?"}, False),
        ({"annotationSelector": "note=1"}, True),
        ({"annotationSelector": "note=2"}, False),
        ({"name": ""}, True),
        ({"name": 7}, True),
    ],
)
def test_a_target_selects(target, selected):
    text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: gpu-app, namespace: ns, labels: {app: x}, annotations: {note: 1}}\n"
    assert selects(target)(read(text)) is answer(selected)


def test_an_invalid_name_pattern_selects_nobody_knows_what():
    assert selects({"name": "("})(read("apiVersion: v1\nkind: A\nmetadata: {name: a}\n")) is Answer.UNKNOWN
