"""What kustomize makes of the same files is the truth here: `kubectl kustomize` was asked."""

import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.documents import documents
from constructs_lib.observed.read.kustomize.fields import Resource
from constructs_lib.observed.read.kustomize.generators import with_generated
from constructs_lib.observed.read.repository import read
from constructs_lib.yaml.unknown import GAP

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      containers:
      - {name: c, image: "nvidia/cuda:12.4@sha256:1"}
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: placeholder}\n"
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin}
spec:
  chart: {spec: {chart: nvidia-device-plugin}}
  values:
    gfd: {enabled: false}
"""


@pytest.fixture
def built(tmp_path, monkeypatch):
    """What the kustomization in the folder `k` makes of files beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()

    def build(kustomization, files=()):
        for path, text in {
            "k/kustomization.yaml": kustomization,
            "k/app.yaml": DEPLOYMENT,
            "k/release.yaml": RELEASE,
            **dict(files),
        }.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return read(["k/kustomization.yaml"])

    return build


def only(inputs, kind):
    (found,) = inputs.of_kind(kind)
    return found


def place(each, *path):
    return each.file_of(path) or each.file, each.line_of(path)


def reasons(inputs):
    return [(each.file, each.line, each.reason) for each in inputs.skipped]


def test_resources_are_files_and_folders_inside_and_outside(built):
    inputs = built(
        "resources: [app.yaml, sub, ../base, none]\nbases: [./old]\n",
        {
            "k/sub/kustomization.yml": "resources: [ns.yaml]\n",
            "k/sub/ns.yaml": NAMESPACE,
            "base/Kustomization": "resources:\n- r.yaml\n",
            "base/r.yaml": RELEASE,
            "k/old/kustomization.yaml": "resources: [x.yaml]\n",
            "k/old/x.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n",
        },
    )
    assert [(each.label, each.file) for each in inputs.objects] == [
        ("Deployment app", "k/app.yaml"),
        ("Namespace placeholder", "k/sub/ns.yaml"),
        ("HelmRelease plugin", "base/r.yaml"),
        ("Pod x", "k/old/x.yaml"),
    ]
    assert reasons(inputs) == [("k/none", None, "No such file or directory")]


@pytest.mark.parametrize("address", ["https://example.com/x.yaml", "github.com/a/b//c?ref=v1", "git@github.com:a/b", "${BASE}"])
def test_what_is_elsewhere_is_said(built, address):
    inputs = built(f"resources:\n- app.yaml\n- {address}\n")
    assert len(inputs.objects) == 1
    assert reasons(inputs) == [("k/kustomization.yaml", 3, f"'{address}' is not a local path")]


def test_everything_is_in_the_namespace_of_the_kustomization_and_a_namespace_takes_its_name(built):
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\n"
    inputs = built("namespace: gpu\nresources: [app.yaml, more.yaml]\n", {"k/more.yaml": f"{NAMESPACE}---\n{role}"})
    assert [each.label for each in inputs.objects] == ["Deployment gpu/app", "Namespace gpu", "ClusterRole r"]
    deployment = only(inputs, "Deployment")
    assert place(deployment, "metadata", "namespace") == ("k/kustomization.yaml", 1)
    assert place(deployment, "metadata", "name") == ("k/app.yaml", 3)
    assert place(deployment, "metadata") == ("k/app.yaml", 3)


def test_the_fields_of_a_kustomization_are_read_in_any_case(built):
    assert only(built("Resources: [app.yaml]\nNAMESPACE: gpu\n"), "Deployment").namespace == "gpu"


def test_the_outer_namespace_counts(built):
    inputs = built("namespace: outer\nresources: [sub]\n", {"k/sub/kustomization.yaml": "namespace: inner\nresources: [../app.yaml]\n"})
    assert only(inputs, "Deployment").namespace == "outer"


def test_a_patch_is_applied_where_it_names_the_object(built):
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app}\nspec: {replicas: 3}\n"
    inputs = built("resources: [app.yaml]\npatches:\n- path: patch.yaml\n", {"k/patch.yaml": patch})
    deployment = only(inputs, "Deployment")
    assert deployment.at("spec", "replicas") == 3
    assert place(deployment, "spec", "replicas") == ("k/patch.yaml", 4)


@pytest.mark.parametrize("names", ["{name: other}", "{name: app, namespace: x}"])
def test_a_patch_is_not_applied_elsewhere(built, names):
    patch = f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {names}\nspec: {{replicas: 3}}\n"
    inputs = built("resources: [app.yaml]\npatches: [{path: patch.yaml}]\n", {"k/patch.yaml": patch})
    assert only(inputs, "Deployment").at("spec", "replicas") is None


def test_a_patch_with_a_target_has_a_placeholder_for_a_name(built):
    inputs = built(
        """\
resources: [app.yaml, release.yaml]
patches:
- target: {kind: HelmRelease}
  patch: |
    apiVersion: helm.toolkit.fluxcd.io/v2
    kind: HelmRelease
    metadata: {name: _}
    spec:
      values:
        gfd: {enabled: true}
        runtimeClassName: nvidia
- target: {group: apps, name: a.*}
  patch: |-
    - op: add
      path: /metadata/labels
      value: {x: "1"}
"""
    )
    (release,) = inputs.releases
    assert release.name == "plugin"
    assert release.values == {"gfd": {"enabled": True}, "runtimeClassName": "nvidia"}
    assert place(release, "spec", "values", "runtimeClassName") == ("k/kustomization.yaml", 11)
    assert place(release, "spec", "values", "gfd") == ("k/release.yaml", 7)
    assert only(inputs, "Deployment").labels == {"x": "1"}


def test_a_patch_may_delete_an_object(built):
    inputs = built("resources: [app.yaml, release.yaml]\npatches: [{patch: '{$patch: delete}', target: {kind: HelmRelease}}]\n")
    assert [each.kind for each in inputs.objects] == ["Deployment"]
    assert inputs.releases == ()


def test_the_older_keys_of_patches_are_known(built):
    inputs = built(
        """\
resources: [app.yaml]
patchesStrategicMerge:
- merge.yaml
- |
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: app}
  spec: {paused: true}
patchesJson6902:
- target: {kind: Deployment, name: app}
  path: operations.json
""",
        {
            "k/merge.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app}\nspec: {replicas: 2}\n",
            "k/operations.json": '[{"op": "replace", "path": "/spec/replicas", "value": 4}]',
        },
    )
    spec = only(inputs, "Deployment").at("spec")
    assert (spec["paused"], spec["replicas"]) == (True, 4)


def test_a_component_changes_what_is_there_before_it(built):
    inputs = built(
        "resources: [app.yaml]\ncomponents: [../part]\nnamespace: gpu\n",
        {
            "part/kustomization.yaml": "kind: Component\nresources: [ns.yaml]\nreplicas: [{name: app, count: 5}]\n",
            "part/ns.yaml": NAMESPACE,
        },
    )
    assert [each.label for each in inputs.objects] == ["Deployment gpu/app", "Namespace gpu"]
    assert only(inputs, "Deployment").at("spec", "replicas") == 5


def test_labels_go_where_they_are_wanted(built):
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {selector: {app: a}}\n"
    text = "resources: [app.yaml, service.yaml]\nlabels:\n- pairs: {one: '1'}\n- {pairs: {two: '2'}, includeTemplates: true}\n"
    inputs = built(
        f"{text}- {{pairs: {{three: '3'}}, includeSelectors: true}}\ncommonAnnotations: {{note: x}}\n", {"k/service.yaml": service}
    )
    deployment = only(inputs, "Deployment")
    assert deployment.labels == {"one": "1", "two": "2", "three": "3"}
    assert deployment.at("spec", "template", "metadata", "labels") == {"app": "a", "two": "2", "three": "3"}
    assert deployment.at("spec", "selector", "matchLabels") == {"app": "a", "three": "3"}
    assert only(inputs, "Service").at("spec", "selector") == {"app": "a", "three": "3"}
    assert deployment.annotations == {"note": "x"}
    assert place(deployment, "metadata", "annotations", "note") == ("k/kustomization.yaml", 6)


def test_common_labels_go_everywhere(built):
    deployment = only(built("resources: [app.yaml]\ncommonLabels: {x: y}\n"), "Deployment")
    assert deployment.at("spec", "selector", "matchLabels") == {"app": "a", "x": "y"}
    assert deployment.at("spec", "template", "metadata", "labels") == {"app": "a", "x": "y"}


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("{name: nvidia/cuda, newTag: '13.0'}", "nvidia/cuda:13.0"),
        ("{name: nvidia/cuda, newName: mirror/cuda}", "mirror/cuda:12.4@sha256:1"),
        ("{name: nvidia/cuda, newName: mirror/cuda, digest: 'sha256:2'}", "mirror/cuda@sha256:2"),
        ("{name: nvidia/cuda, newTag: '13.0', digest: 'sha256:2'}", "nvidia/cuda:13.0@sha256:2"),
        ("{name: cuda, newTag: '13.0'}", "nvidia/cuda:12.4@sha256:1"),
        ("nvidia/cuda=x", "nvidia/cuda:12.4@sha256:1"),
    ],
)
def test_images_get_other_names_and_tags(built, image, expected):
    ((_, container),) = only(built(f"resources: [app.yaml]\nimages: [{image}]\n"), "Deployment").containers
    assert container["image"] == expected


def test_config_maps_are_generated_of_files_and_literals(built):
    inputs = built(
        """\
namespace: gpu
generatorOptions: {labels: {a: b}, disableNameSuffixHash: true}
configMapGenerator:
- name: plugin-config
  files: [config.yaml, other=files/b.txt]
  envs: [x.env]
  literals: ["c=d=e", 'f="g"']
  options: {annotations: {h: i}}
""",
        {"k/config.yaml": "version: v1\nsharing: {}\n", "k/files/b.txt": "b", "k/x.env": "# said\nV=1\n\nW='2'\n"},
    )
    made = only(inputs, "ConfigMap")
    assert (made.label, made.labels, made.annotations) == ("ConfigMap gpu/plugin-config", {"a": "b"}, {"h": "i"})
    assert made.at("data") == {
        "config.yaml": "version: v1\nsharing: {}\n", "other": "b", "V": "1", "W": "'2'", "c": "d=e", "f": "g",
    }  # fmt: skip
    assert place(made, "data", "config.yaml") == ("k/config.yaml", 1)
    assert place(made, "data", "c") == ("k/kustomization.yaml", 4)
    assert inputs.skipped == ()


def test_a_generated_config_map_may_be_merged_into_another(built):
    entries = "- {name: a, literals: [x=1, y=1]}\n- {name: a, behavior: merge, literals: [y=2]}\n- {name: b, literals: [x=1]}\n"
    inputs = built(f"configMapGenerator:\n{entries}- {{name: b, behavior: replace, literals: [z=2]}}\n")
    assert {each.name[0]: each.at("data") for each in inputs.of_kind("ConfigMap")} == {"a": {"x": "1", "y": "2"}, "b": {"z": "2"}}


def test_a_generated_config_map_may_be_merged_into_one_with_a_placeholder_as_a_key():
    text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: n, '${KEY}': x}, data: {x: '1'}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: n}, data: {y: '2'}}\n"
    old, new = (Resource(each.value, each.place) for each in documents(text, "a.yaml")[0])
    (merged,) = with_generated([old], new, old, "merge")
    assert merged.value["data"] == {"x": "1", "y": "2"}


def test_values_of_a_release_may_come_from_a_generated_config_map(built):
    inputs = built(
        """\
namespace: gpu
resources: [release.yaml]
configurations: [names.yaml]
configMapGenerator: [{name: values, files: [values.yaml]}]
patches: [{patch: "[{op: add, path: /spec/valuesFrom, value: [{kind: ConfigMap, name: values}]}]", target: {kind: HelmRelease}}]
""",
        {
            "k/values.yaml": "# of the plugin\nruntimeClassName: nvidia\n",
            "k/names.yaml": "nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/valuesFrom/name, kind: HelmRelease}]}]\n",
        },
    )
    (release,) = inputs.releases
    assert release.values == {"runtimeClassName": "nvidia", "gfd": {"enabled": False}}
    assert place(release, "spec", "values", "runtimeClassName") == ("k/values.yaml", 2)


def test_a_secret_is_generated_without_what_is_in_it(built):
    secret = only(built("namespace: a\nsecretGenerator: [{name: s, literals: [password=x]}]\n"), "Secret")
    assert secret.label == "Secret a/s-ht28g67h7c"
    assert isinstance(secret.at("data", "password"), Unknown)


def test_what_cannot_be_read_has_no_known_hash(built):
    made = only(built("configMapGenerator: [{name: a, files: [nothing.txt]}]\n"), "ConfigMap")
    assert isinstance(made.at("data", "nothing.txt"), Unknown)
    assert made.name.known == f"a-{GAP}"


CHART = "helmCharts:\n- name: gpu-operator\n  repo: https://helm.ngc.nvidia.com/nvidia\n  version: v26.7.0\n"


def test_a_chart_that_kustomize_renders_is_a_release(built):
    inputs = built(f"{CHART}  releaseName: gpu\n  namespace: there\n  valuesInline:\n    driver:\n      enabled: false\n")
    (release,) = inputs.releases
    assert release.label == "gpu-operator v26.7.0 (there/gpu)"
    assert (release.values, release.complete) == ({"driver": {"enabled": False}}, True)
    assert place(release) == ("k/kustomization.yaml", 2)
    assert place(release, *release.values_path, "driver", "enabled") == ("k/kustomization.yaml", 9)


def test_the_namespace_of_the_kustomization_is_that_of_its_charts(built):
    (release,) = built(f"namespace: gpu-operator\n{CHART}").releases
    assert (release.namespace, release.name, release.values) == ("gpu-operator", "gpu-operator", {})


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        ("", {"a": 2, "b": 1, "c": 3, "d": 2}),
        ("  valuesMerge: merge\n", {"a": 1, "b": 1, "c": 3, "d": 2}),
        ("  valuesMerge: replace\n", {"a": 2, "c": 3, "d": 2}),
    ],
)
def test_the_values_of_a_chart_are_those_of_files_and_of_the_kustomization(built, merge, expected):
    text = f"{CHART}  valuesFile: values.yaml\n  valuesInline: {{a: 2, c: 2, d: 2}}\n  additionalValuesFiles: [more.yaml]\n{merge}"
    (release,) = built(text, {"k/values.yaml": "a: 1\nb: 1\n", "k/more.yaml": "c: 3\n"}).releases
    assert (release.values, release.complete) == (expected, True)
    assert place(release, *release.values_path, "c") == ("k/more.yaml", 1)


def test_values_that_are_not_there_leave_the_rest_unknown(built):
    (release,) = built(f"{CHART}  valuesFile: values.yaml\n").releases
    assert isinstance(release.value("driver", "enabled"), Unknown)


@pytest.mark.parametrize(
    "body",
    [
        "kind: PatchStrategicMergeTransformer\npaths: ${X}",
        "kind: PatchStrategicMergeTransformer\npatches: ${X}",
        "kind: ReplicaCountTransformer\nreplica: ${X}\nfieldSpecs: [{path: spec/replicas, kind: Deployment}]",
        "kind: ImageTagTransformer\nimageTag: ${X}",
        "kind: PrefixTransformer\nprefix: ${X}\nfieldSpecs: [{path: metadata/name}]",
    ],
)
def test_what_a_transformer_changes_whose_fields_are_filled_in_later_is_unknown(built, body):
    inputs = built("resources: [app.yaml]\ntransformers: [t.yaml]\n", {"k/t.yaml": f"apiVersion: builtin\nmetadata: {{name: t}}\n{body}\n"})

    assert isinstance(only(inputs, "Deployment").at("spec", "replicas"), Unknown)
    assert [each.reason for each in inputs.skipped] == [f"kustomize's {body.split()[1]} is not followed, so what it changes is not known"]


def test_a_prefix_transformer_without_a_prefix_changes_no_name(built):
    transformer = "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: t}\nfieldSpecs: [{path: metadata/name}]\n"
    names = [
        only(built(f"resources: [app.yaml]\n{more}", {"k/t.yaml": transformer}), "Deployment").name
        for more in ("", "transformers: [t.yaml]\n")
    ]

    assert names[0] == names[1]


def test_a_namespace_transformer_sets_further_fields(built):
    transformer = """\
apiVersion: builtin
kind: NamespaceTransformer
metadata: {name: t, namespace: .invalid}
fieldSpecs:
- {path: metadata/name, kind: Namespace, create: true}
- {path: spec/targetNamespace, group: kustomize.toolkit.fluxcd.io, kind: Kustomization, create: true}
- {path: spec/nothing, kind: Kustomization}
"""
    flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: f}\nspec: {path: x}\n"
    inputs = built(
        "resources: [flux.yaml, app.yaml]\ntransformers: [./transformers]\n",
        {
            "k/transformers/kustomization.yaml": "namespace: real\nresources: [t.yaml]\n",
            "k/transformers/t.yaml": transformer,
            "k/flux.yaml": flux,
        },
    )
    assert only(inputs, "Kustomization").at("spec") == {"path": "x", "targetNamespace": "real"}
    assert only(inputs, "Deployment").namespace == "real"


NOT_FOLLOWED = {
    "transformers": (
        "transformers:\n- |\n  apiVersion: builtin\n  kind: LabelTransformer\n  metadata: {name: p}\n",
        ("k/kustomization.yaml", 4, "kustomize's LabelTransformer is not followed, so what it changes is not known"),
        ("Deployment", "Other"),
    ),
    "openapi": (
        "openapi: {path: schema.json}\n",
        ("k/kustomization.yaml", 2, "kustomize's openapi is not followed, so what it changes is not known"),
        ("Other",),
    ),
    "crds": (
        "crds: [crd.yaml]\n",
        ("k/kustomization.yaml", 2, "kustomize's crds is not followed, so what it changes is not known"),
        ("Other",),
    ),
    "moves": (
        "patches: [{target: {kind: Other}, patch: '[{op: move, from: /spec/a, path: /spec/b}]'}]\n",
        ("k/kustomization.yaml", 2, "a patch that moves or copies values is not followed, so what it changes is not known"),
        ("Other",),
    ),
    "vars": (
        "vars: [{name: HOST, objref: {kind: ConfigMap, name: settings, apiVersion: v1}}]\n",
        ("k/kustomization.yaml", 2, "kustomize's vars is not followed, so what it changes is not known"),
        ("Deployment", "Other"),
    ),
    "configurations": (
        "configurations: [../c.yaml]\n",
        ("c.yaml", 1, "kustomize's commonLabels is not followed, so what it changes is not known"),
        ("Other",),
    ),
    "generators": (
        "generators: [x.yaml]\n",
        ("k/x.yaml", 1, "kustomize's ksops is not followed, so what it changes is not known"),
        (),
    ),
}


@pytest.mark.parametrize("part", NOT_FOLLOWED)
def test_what_is_not_followed_is_named_and_what_it_changes_is_unknown(built, part):
    text, reason, doubted = NOT_FOLLOWED[part]
    files = {
        "c.yaml": "commonLabels: [{path: spec/labels, create: true}]\nnameReference: []\n",
        "k/x.yaml": "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: x}\n",
        "k/other.yaml": "apiVersion: a.b/v1\nkind: Other\nmetadata: {name: o}\nspec: {a: b}\n",
    }
    inputs = built(f"resources: [app.yaml, other.yaml]\n{text}", files)
    assert reasons(inputs) == [reason]
    assert {each.kind for each in inputs.objects if isinstance(each.at("spec"), Unknown)} == set(doubted)
    assert {each.name for each in inputs.objects} == {"app", "o"}


FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: f}\nspec: {path: x}\n"


def test_a_replacement_copies_a_name_into_a_field_as_in_the_tree_of_joryirving(built):
    replacement = (
        "- source: {kind: Namespace, fieldPath: metadata.name}\n  targets:\n"
        "  - select: {kind: Kustomization, group: kustomize.toolkit.fluxcd.io}\n    fieldPaths: [spec.targetNamespace]\n"
        "    options: {create: true}\n"
    )
    text = "namespace: gpu\nresources: [flux.yaml, namespace.yaml]\nreplacements: [{path: ../r.yaml}]\n"
    inputs = built(text, {"k/flux.yaml": FLUX, "k/namespace.yaml": NAMESPACE, "r.yaml": replacement})
    assert only(inputs, "Kustomization").at("spec") == {"path": "x", "targetNamespace": "gpu"}


@pytest.mark.parametrize(
    ("source", "target", "path"),
    [
        ("{kind: ConfigMap, name: x}", "fieldPaths: [metadata.name]", ("metadata", "name")),
        ("{kind: Deployment, fieldPath: spec.replicas}", "fieldPaths: [metadata.name]", ("metadata", "name")),
        (
            "{kind: Deployment}",
            "fieldPaths: ['spec.template.spec.containers.[name=app].image']",
            ("spec", "template", "spec", "containers"),
        ),
        ("{kind: Deployment}", "fieldPaths: [metadata.name], options: {delimiter: '-'}", ("metadata", "name")),
        ("{kind: Deployment}", "fieldPaths: [metadata.name], reject: [{kind: Pod}]", ("metadata", "name")),
    ],
)
def test_any_other_replacement_makes_its_target_unknown(built, source, target, path):
    text = f"resources: [app.yaml]\nreplacements:\n- source: {source}\n  targets:\n  - {{select: {{kind: Deployment}}, {target}}}\n"
    text += "  - {select: {kind: Deployment}, fieldPaths: [spec.nothing]}\n  - {select: {kind: Pod}, fieldPaths: [kind]}\n"
    deployment = only(built(text), "Deployment")
    assert isinstance(deployment.at(*path), Unknown)
    assert deployment.at("spec", "nothing") is None


def test_a_replacement_makes_annotations_unknown(built):
    text = "resources: [app.yaml]\nreplacements:\n- source: {kind: Deployment}\n  targets:\n"
    text += "  - {select: {kind: Deployment}, fieldPaths: ['metadata.annotations.[a.io/b]']}\n"
    annotated = DEPLOYMENT.replace("metadata: {", "metadata: {annotations: {a.io/b: c}, ", 1)
    assert isinstance(only(built(text, {"k/app.yaml": annotated}), "Deployment").at("metadata", "annotations"), Unknown)


def test_a_circle_of_kustomizations_ends(built):
    inputs = built("resources: [app.yaml, ../other]\n", {"other/kustomization.yaml": "resources: [../k]\ncomponents: [../other]\n"})
    assert len(inputs.objects) == 1
    assert reasons(inputs) == [
        ("k/kustomization.yaml", None, "the kustomization includes itself"),
        ("other/kustomization.yaml", None, "the kustomization includes itself"),
    ]


def test_kustomizations_that_double_at_every_step_end(built):
    steps = {f"s{n}/kustomization.yaml": f"resources: [../s{n + 1}, ../s{n + 1}]\nnamespace: n{n}\n" for n in range(17)}
    inputs = built("resources: [../s0]\n", {**steps, "s17/kustomization.yaml": "resources: [../k/app.yaml]\n"})
    assert any("objects, and the rest is not read" in each.reason for each in inputs.skipped)


def test_a_chain_of_kustomizations_without_end_ends(built):
    steps = {f"s{n}/kustomization.yaml": f"resources: [../s{n + 1}]\n" for n in range(300)}
    inputs = built("resources: [../s0]\n", steps)
    assert [each.reason for each in inputs.skipped] == ["kustomizations are nested deeper than 100 levels"]

    assert [each.reason for each in inputs.skipped] == ["kustomizations are nested deeper than 100 levels"]


def test_the_default_account_of_a_binding_moves_with_the_namespace(built):
    binding = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\n"
        "subjects: [{kind: ServiceAccount, name: default}, {kind: ServiceAccount, name: other}]\n"
    )
    inputs = built("namespace: gpu\nresources: [binding.yaml]\n", {"k/binding.yaml": binding})
    assert only(inputs, "RoleBinding").at("subjects") == [
        {"kind": "ServiceAccount", "name": "default", "namespace": "gpu"},
        {"kind": "ServiceAccount", "name": "other"},
    ]
