"""Random kustomizations of two levels, as `kubectl kustomize` builds them: each value that we call known is kubectl's."""

import json
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import assume, event, given, settings

from kubectl_kustomize import NotBuiltError, differences, kubectl_objects, own_objects, write

SHARED = {path.name: path.read_text() for path in sorted((Path(__file__).parent / "kustomizations" / "shared").iterdir())}
KINDS = ("Deployment", "StatefulSet", "Pod", "Service", "ConfigMap", "RoleBinding", "Engine", "Depl.*", ".*Set")
NAMES = ("app", "stateful", "pod", "service", "settings", "engine", "a.*", "x-app", "[a-s].*")

words = st.sampled_from(["a", "b", "new", "nvidia"])
pairs = st.dictionaries(st.sampled_from(["app", "team", "note", "x"]), words, min_size=1, max_size=2)
target = st.fixed_dictionaries(
    {}, optional={"kind": st.sampled_from(KINDS), "name": st.sampled_from(NAMES), "labelSelector": st.sampled_from(["team=gpu", "!team"])}
).filter(bool)
literals = st.dictionaries(st.sampled_from(["a", "b", "c"]), words, min_size=1).map(lambda found: [f"{key}={found[key]}" for key in found])


def items(key, values, others):
    """A list whose items have a key, in which no value stands twice."""
    item = st.fixed_dictionaries({key: st.sampled_from(values)}, optional=others)
    return st.lists(item, max_size=3, unique_by=lambda found: found[key])


containers = items(
    "name",
    ["c", "d", "i", "e"],
    {
        "image": st.sampled_from(["nvidia/cuda:2", "other"]),
        "args": st.lists(words, max_size=2),
        "env": items("name", ["A", "B", "D"], {"value": words, "$patch": st.just("delete")}),
        "ports": items("containerPort", [80, 81, 82], {"name": words}),
        "volumeMounts": items("mountPath", ["/v", "/u"], {"name": words}),
        "resources": st.sampled_from([{}, {"limits": {"nvidia.com/gpu": 1}}, None]),
    },
)
pod_spec = st.fixed_dictionaries(
    {"containers": containers},
    optional={
        "initContainers": containers,
        "volumes": st.one_of(items("name", ["v", "s", "w"], {"emptyDir": st.just({}), "$patch": st.just("delete")}), st.none()),
        "tolerations": st.lists(st.fixed_dictionaries({"key": words}), max_size=2),
        "imagePullSecrets": items("name", ["pull", "more"], {}),
        "nodeSelector": st.one_of(pairs, st.none(), st.just({"$patch": "delete"})),
        "serviceAccountName": st.sampled_from(["runner", "default", None]),
        "topologySpreadConstraints": items("topologyKey", ["a", "b"], {"maxSkew": st.just(1)}),
    },
)
metadata = st.fixed_dictionaries(
    {}, optional={"labels": st.one_of(pairs, st.none()), "annotations": st.one_of(pairs, st.just({"note": None}))}
)
change = st.fixed_dictionaries(
    {"template": st.fixed_dictionaries({"spec": pod_spec}, optional={"metadata": metadata})},
    optional={
        "replicas": st.integers(0, 3),
        "selector": st.fixed_dictionaries({"matchLabels": pairs}),
    },
)


def merge(name, meta, spec):
    kind = {"app": "Deployment", "stateful": "StatefulSet"}[name]
    return {"patch": json.dumps({"apiVersion": "apps/v1", "kind": kind, "metadata": {**meta, "name": name}, "spec": spec})}


def operations(selected, found):
    return {"target": selected, "patch": json.dumps(found)}


mapping_path = st.sampled_from(["/metadata/labels", "/metadata/annotations", "/spec/template/spec/nodeSelector"])
path = st.sampled_from(["/spec/replicas", "/spec/template/spec/containers/0/image", "/data/host", "/spec/list/-", "/metadata/labels/team"])
operation = st.one_of(
    st.builds(lambda where, value: {"op": "add", "path": where, "value": value}, path, words),
    st.builds(lambda where, value: {"op": "add", "path": where, "value": value}, mapping_path, pairs),
    st.builds(lambda where: {"op": "remove", "path": where}, path),
)
field_path = st.sampled_from(
    [
        "metadata.name",
        "metadata.labels.team",
        "metadata.annotations.[a.b/c]",
        "spec.replicas",
        "spec.template.spec.containers.*.image",
        "spec.template.spec.containers.[name=c].image",
        "spec.template.spec.containers.0.env.[name=A].value",
        "spec.template.spec.nodeSelector.x",
        "data.host",
    ]
)
options = st.fixed_dictionaries(
    {}, optional={"create": st.booleans(), "delimiter": st.sampled_from([":", "/"]), "index": st.integers(-1, 2)}
)
replacement = st.fixed_dictionaries(
    {
        "source": st.fixed_dictionaries(
            {"kind": st.sampled_from(["ConfigMap", "Deployment"])},
            optional={"fieldPath": st.sampled_from(["data.host", "data.port", "spec.replicas", "metadata.name"]), "options": options},
        ),
        "targets": st.lists(
            st.fixed_dictionaries(
                {
                    "select": st.fixed_dictionaries({"kind": st.sampled_from(KINDS[:7])}),
                    "fieldPaths": st.lists(field_path, min_size=1, max_size=2),
                },
                optional={"options": options},
            ),
            min_size=1,
            max_size=2,
        ),
    }
)
generator = st.fixed_dictionaries(
    {"name": st.sampled_from(["g", "pull", "other"]), "literals": literals},
    optional={"options": st.fixed_dictionaries({}, optional={"disableNameSuffixHash": st.booleans(), "labels": pairs})},
)
image = st.fixed_dictionaries(
    {"name": st.sampled_from(["nvidia/cuda", "nvidia/.*", "other"])},
    optional={"newName": st.sampled_from(["m/cuda", "other"]), "newTag": st.sampled_from(["1", "2"]), "digest": st.just("sha256:1")},
)
label = st.fixed_dictionaries({"pairs": pairs}, optional={"includeSelectors": st.booleans(), "includeTemplates": st.booleans()})
settings_of_a_kustomization = {
    "namespace": st.sampled_from(["gpu", "x", "own"]),
    "namePrefix": st.sampled_from(["x-", "y-"]),
    "nameSuffix": st.just("-z"),
    "labels": st.lists(label, min_size=1, max_size=2),
    "commonLabels": pairs,
    "commonAnnotations": pairs,
    "images": st.lists(image, min_size=1, max_size=2),
    "replicas": st.lists(st.fixed_dictionaries({"name": st.sampled_from(NAMES[:2]), "count": st.integers(0, 3)}), min_size=1, max_size=2),
    "patches": st.lists(
        st.one_of(
            st.builds(merge, st.sampled_from(["app", "stateful"]), metadata, change),
            st.builds(operations, target, st.lists(operation, min_size=1, max_size=2)),
        ),
        min_size=1,
        max_size=2,
    ),
    "replacements": st.lists(replacement, min_size=1, max_size=1),
    "configMapGenerator": st.lists(generator, min_size=1, max_size=2, unique_by=lambda found: found["name"]),
    "secretGenerator": st.lists(generator, min_size=1, max_size=1),
}


def kustomizations(parts):
    """Kustomizations with at most three of these settings."""
    some = st.lists(st.sampled_from([*sorted(parts), *["patches"] * 6]), max_size=3, unique=True)
    return some.flatmap(lambda chosen: st.fixed_dictionaries({key: parts[key] for key in chosen}))


@given(
    inner=kustomizations(settings_of_a_kustomization),
    outer=kustomizations(settings_of_a_kustomization),
    resources=st.lists(st.sampled_from(["more.yaml", "rbac.yaml"]), unique=True),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_each_known_value_is_kubectls(tmp_path_factory, inner, outer, resources):
    root = tmp_path_factory.mktemp("k")
    base = {**inner, "resources": ["app.yaml", "settings.yaml", *resources]}
    write(root, {"kustomization.yaml": {**outer, "resources": ["base"]}, "base/kustomization.yaml": base})
    write(root / "base", SHARED)
    try:
        real = kubectl_objects(root)
    except NotBuiltError:
        event("refused")
        assume(False)
    wrong, unknown = differences(own_objects(root), real)
    assert wrong == []
    assert len(unknown) < 60  # of more than 300 leaves
