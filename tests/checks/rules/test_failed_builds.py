"""TG140: kustomizations that kustomize refuses to build, with the GPU parts inside."""

import subprocess

import pytest

from conftest import needs
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules._shared import pod
from constructs_lib.observed.read import limits
from constructs_lib.observed.read.repository import read

GPU = {"gpu/kustomization.yaml": "resources: [pod.yaml]\n", "gpu/pod.yaml": pod()}
MERGE = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: ollama}\nspec: {priority: 1}\n"


def tree(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def found(folder, files):
    return [
        (each.severity, each.file.removeprefix(f"{folder}/"), each.message)
        for each in run_rules(read([tree(folder, files)]))
        if each.rule == "TG140"
    ]


REGISTERED = "'may not add resource with an already registered id'"
REFUSED = {
    "a resource that is not there": ("resources: [../gpu, plugin.yaml]\n", "'plugin.yaml' does not exist"),
    "a base without a kustomization": ("resources: [../gpu, empty]\n", "the folder 'empty' has no kustomization file"),
    "a component that is not there": ("resources: [../gpu]\ncomponents: [missing]\n", "'missing' does not exist"),
    "a patch that is not there": ("resources: [../gpu]\npatches: [{path: patch.yaml}]\n", "'patch.yaml' does not exist"),
    "a patch of another object": ("resources: [../gpu]\npatches: [{path: other.yaml}]\n", "no resource matches the strategic merge patch of Pod plex"),
    "a file of a generator": ("resources: [../gpu]\nconfigMapGenerator: [{name: a, files: [a.conf]}]\n", "'a.conf' does not exist"),
    "itself": ("resources: [../gpu, ../app]\n", "the kustomization includes itself"),
    "a file twice": ("resources: [../gpu, map.yaml, ./map.yaml]\n", f"'./map.yaml' is listed twice: {REGISTERED}"),
    "a file in resources and in bases": ("resources: [../gpu, map.yaml]\nbases: [map.yaml]\n", f"'map.yaml' is listed twice: {REGISTERED}"),
    "an object in a base and in a file": ("resources: [../gpu, more.yaml]\n", f"'more.yaml' brings Pod ollama in namespace ollama, and '../gpu' brings it, too: {REGISTERED}"),
    "an object in two files, once in the namespace that is the default": ("resources: [../gpu, map.yaml, default.yaml]\n", f"'default.yaml' brings ConfigMap a, and 'map.yaml' brings it, too: {REGISTERED}"),
    "an object twice in a file": ("resources: [../gpu, two.yaml]\n", f"'two.yaml' has ConfigMap a twice: {REGISTERED}"),
    "two overlays that change no name": ("resources: [../same, ../other]\n", f"'../other' brings RuntimeClass nvidia, and '../same' brings it, too: {REGISTERED}"),
    "a resource of a component again": ("resources: [../gpu, map.yaml]\ncomponents: [../part]\n", f"'map.yaml' brings ConfigMap a, and the kustomization that lists the component brings it, too: {REGISTERED}"),
    "a namespace that makes two objects one": ("resources: [../gpu, map.yaml, elsewhere.yaml]\nnamespace: x\n", "the namespace gives two objects the id of ConfigMap a in namespace x: 'namespace transformation produces ID conflict'"),
    "a generated object twice": ("resources: [../gpu]\nconfigMapGenerator: [{name: a, literals: [x=1]}, {name: a, literals: [x=2]}]\n", "ConfigMap a is generated a second time"),
    "a generated object that a file has": ("resources: [../gpu, map.yaml]\nconfigMapGenerator: [{name: a, literals: [x=1]}]\n", "ConfigMap a is generated a second time"),
    "a merge into nothing": ("resources: [../gpu]\nconfigMapGenerator: [{name: a, behavior: merge, literals: [x=1]}]\n", "there is no ConfigMap a to merge: 'does not exist; cannot merge or replace'"),
    "a field that no kustomization has": ("resources: [../gpu]\nresource: [own.yaml]\n", "there is no field 'resource', did you mean 'resources'? 'json: unknown field \"resource\"'"),
    "a field of an anchor": ("resources: [../gpu]\nx-labels: &a {b: c}\n", "there is no field 'x-labels', did you mean 'labels'? 'json: unknown field \"x-labels\"'"),
    "a field inside of a field": ("resources: [../gpu]\nimages: [{name: a, tag: b}]\n", "there is no field 'tag'"),
    "a field inside of a patch's target": ("resources: [../gpu]\npatches: [{path: own.yaml, target: {kind: Pod, names: ollama}}]\n", "there is no field 'names', did you mean 'name'?"),
    "a number as a tag": ("resources: [../gpu]\nimages: [{name: a, newTag: 1.2}]\n", "images.0.newTag is a number, and a build takes a string: 'json: cannot unmarshal number into Go struct field'"),
    "a bool as a label": ("resources: [../gpu]\ncommonLabels: {a: true}\n", "commonLabels.a is a bool, and a build takes a string: 'json: cannot unmarshal bool into Go struct field'"),
    "a text as a list": ("resources: [../gpu]\ncomponents: ../part\n", "components is a string, and a build takes an array: 'json: cannot unmarshal string into Go struct field'"),
    "a text as a patch": ("resources: [../gpu]\npatches: [own.yaml]\n", "patches.0 is a string, and a build takes an object: 'json: cannot unmarshal string into Go struct field'"),
    "another kind": ("kind: Kustomisation\nresources: [../gpu]\n", "its kind is 'Kustomisation': 'kind should be Kustomization or Component'"),
    "another version": ("apiVersion: kustomize.config.k8s.io/v1\nresources: [../gpu]\n", "its API version is 'kustomize.config.k8s.io/v1': 'apiVersion for Kustomization should be kustomize.config.k8s.io/v1beta1'"),
    "a component as a resource": ("resources: [../gpu, ../part]\n", "'../part' is a component: 'expected kind != 'Component''"),
    "a resource as a component": ("resources: [map.yaml]\ncomponents: [../gpu]\n", "'../gpu' is no component: 'expected kind = 'Component''"),
}  # fmt: skip
TAKEN = {
    "a patch with a target that finds nothing": "resources: [../gpu]\npatches: [{path: other.yaml, target: {kind: Deployment}}]\n",
    "a patch of its object": "resources: [../gpu]\npatches: [{path: own.yaml}]\n",
    "two objects of other namespaces": "resources: [../gpu, map.yaml, elsewhere.yaml]\n",
    "two objects of other versions": "resources: [../gpu, map.yaml, version.yaml]\n",
    "two overlays with prefixes": "resources: [../dev, ../prod]\n",
    "two overlays by transformers that are objects": "resources: [../dev-by-object, ../prod-by-object]\n",
    "a component": "resources: [../gpu]\ncomponents: [../part]\n",
    "a generated object of two kinds": "resources: [../gpu]\nconfigMapGenerator: [{name: a, literals: [x=1]}]\nsecretGenerator: [{name: a, literals: [x=1]}]\n",
    "a generated object that is merged": "resources: [../gpu, map.yaml]\nconfigMapGenerator: [{name: a, behavior: merge, literals: [x=1]}]\n",
    "a generated object of another namespace": "resources: [../gpu, map.yaml]\nconfigMapGenerator: [{name: a, namespace: b, literals: [x=1]}]\n",
    "fields in any case": "Resources: [../gpu]\nNAMESPACE: x\nimages: [{name: a, newtag: b}]\n",
    "any field in a map of strings": "resources: [../gpu]\nopenapi: {x: a}\ncommonAnnotations: {x: a}\n",
    "fields of old versions": "bases: [../gpu]\npatchesStrategicMerge: [own.yaml]\npatchesJson6902: [{path: add.yaml, target: {version: v1, kind: Pod, name: ollama}}]\n"
    "imageTags: [{name: a, newTag: b}]\ncommonLabels: {a: b}\nvars: []\n",
}  # fmt: skip
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
DEFAULT = CONFIG_MAP.replace("}", ", namespace: default}")
PREFIX = "transformers:\n- |-\n  apiVersion: builtin\n  kind: PrefixTransformer\n  metadata: {name: x}\n  prefix: %s-\n  fieldSpecs: [{path: metadata/name}]\n"
BESIDE = {
    **GPU,
    "app/empty/readme.txt": "",
    "app/other.yaml": MERGE % "plex",
    "app/own.yaml": MERGE % "ollama",
    "app/add.yaml": "- {op: add, path: /spec/priority, value: 1}\n",
    "app/more.yaml": MERGE % "ollama",
    "app/map.yaml": CONFIG_MAP,
    "app/default.yaml": DEFAULT,
    "app/elsewhere.yaml": CONFIG_MAP.replace("}", ", namespace: b}"),
    "app/version.yaml": CONFIG_MAP.replace("v1", "v2"),
    "app/two.yaml": f"{CONFIG_MAP}---\n{DEFAULT}",
    "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [map.yaml]\n",
    "part/map.yaml": CONFIG_MAP,
    **{f"{name}/kustomization.yaml": "resources: [../gpu]\n" for name in ("same", "other")},
    **{f"{name}/kustomization.yaml": f"resources: [../pods]\nnamePrefix: {name}-\n" for name in ("dev", "prod")},
    **{f"{name}-by-object/kustomization.yaml": f"resources: [../pods]\n{PREFIX % name}" for name in ("dev", "prod")},
    "pods/kustomization.yaml": "resources: [pod.yaml]\n",
    "pods/pod.yaml": pod(),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_kustomization_that_can_t_be_built_is_an_error_with_its_gpu_parts(tmp_path, case):
    text, reason = REFUSED[case]
    (finding,) = found(tmp_path, {**BESIDE, "app/kustomization.yaml": text})
    assert finding[0] == "error"
    assert finding[1] in ("app/kustomization.yaml", "part/kustomization.yaml")
    assert reason in finding[2]
    assert "and it holds 1 RuntimeClass of NVIDIA and " in finding[2]


@pytest.mark.parametrize("case", TAKEN)
def test_what_kustomize_takes_is_silent(tmp_path, case):
    assert found(tmp_path, {**BESIDE, "app/kustomization.yaml": TAKEN[case]}) == []


@pytest.mark.parametrize("case", [*REFUSED, *TAKEN])
def test_kustomize_says_the_same(tmp_path, case):
    kustomize = needs("KUSTOMIZE", "kustomize (tools/kustomize.sh)")
    text = REFUSED[case][0] if case in REFUSED else TAKEN[case]
    folder = tree(tmp_path, {**BESIDE, "app/kustomization.yaml": text})
    run = subprocess.run([kustomize, "build", folder / "app"], capture_output=True, check=False)
    assert (run.returncode != 0) == (case in REFUSED), run.stderr


FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a, namespace: flux-system}\nspec: {path: %s, sourceRef: {kind: GitRepository, name: flux-system}}\n"
TAG, FIELD = "images: [{name: a, newTag: 1.2}]\n", "resource: []\n"
OUTER = {"outer/kustomization.yaml": "resources: [../app]\n"}


@pytest.mark.parametrize(
    ("text", "by_flux"),
    [(TAG, "reads the value as text"), (FIELD, "drops the field")],
)
def test_flux_builds_the_kustomization_at_its_path_less_strictly(tmp_path, text, by_flux):
    files = {**GPU, "flux.yaml": FLUX % "./app", "app/kustomization.yaml": f"resources: [../gpu]\n{text}"}
    (finding,) = found(tmp_path, files)
    assert finding[0] == "warning"
    assert (
        f"Flux {by_flux} and builds the rest, with 1 RuntimeClass of NVIDIA and 1 GPU workload. Anything else refuses the file"
        in finding[2]
    )


@pytest.mark.parametrize(
    "files",
    [
        {"flux.yaml": FLUX % "./outer", **OUTER},
        {"flux.yaml": FLUX % "./app", **OUTER},
        {"flux.yaml": FLUX % "./"},
        {},
    ],
    ids=["a base", "a base of another build, too", "a folder below", "no Flux"],
)
def test_a_base_is_read_as_strictly_by_flux(tmp_path, files):
    assert [each[0] for each in found(tmp_path, {**GPU, **files, "app/kustomization.yaml": f"resources: [../gpu]\n{FIELD}"})] == ["error"]


def test_argo_cd_reads_the_kustomization_as_strictly(tmp_path):
    application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\nspec: {source: {repoURL: https://git.example.com/home.git, path: app}, destination: {namespace: a}}\n"
    files = {**GPU, "flux.yaml": FLUX % "./app", "argo.yaml": application, "app/kustomization.yaml": f"resources: [../gpu]\n{FIELD}"}
    assert [each[0] for each in found(tmp_path, files)] == ["error"]


def test_names_that_are_not_read_to_the_end_are_not_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "WRITTEN", limits.MOST)
    files = {name: text for name, text in BESIDE.items() if name.startswith(("pods", "dev/", "prod/"))}
    assert found(tmp_path, {**files, "app/kustomization.yaml": "resources: [../dev, ../prod]\n"}) == []


def test_flux_refuses_a_text_in_place_of_a_list_too(tmp_path):
    files = {**GPU, "flux.yaml": FLUX % "./app", "app/kustomization.yaml": "resources: [../gpu]\ncomponents: ../part\n"}
    assert [each[0] for each in found(tmp_path, files)] == ["error"]


def test_an_object_of_flux_in_a_file_of_this_name_is_no_kustomization(tmp_path):
    assert read([tree(tmp_path, {**GPU, "app/kustomization.yaml": FLUX % "./gpu"})]).failed_builds == ()


@pytest.mark.parametrize("part", ["plex", "ollama"], ids=["name", "namespace"])
@pytest.mark.parametrize(("name", "number"), [("'${APP}'", 1), ("'{{ app }}'", 0), ("other", 1)])
def test_a_variable_of_flux_is_text_for_kustomize(tmp_path, part, name, number):
    named = (MERGE % "plex").replace(part, name)
    files = {**GPU, "app/kustomization.yaml": "resources: [../gpu, one.yaml, two.yaml]\n", "app/one.yaml": named, "app/two.yaml": named}
    assert len(found(tmp_path, files)) == number


@pytest.mark.parametrize(
    "text",
    [
        "resources: [../gpu, https://github.com/a/b//c?ref=v1]\n",
        "resources: [../gpu, github.com/a/b]\n",
        "resources: ['../gpu', '${X}.yaml']\n",
    ],
)
def test_a_base_that_is_not_read_is_not_missing(tmp_path, text):
    assert found(tmp_path, {**GPU, "app/kustomization.yaml": text}) == []


@pytest.mark.parametrize(
    "change", ["patches: [{path: other.yaml}]\n", "configMapGenerator: [{name: a, behavior: merge, literals: [x=1]}]\n"]
)
def test_the_object_of_a_patch_or_of_a_merge_may_be_in_a_base_that_is_not_read(tmp_path, change):
    text = f"resources: [../gpu, https://github.com/a/b//c?ref=v1]\n{change}"
    assert found(tmp_path, {**BESIDE, "app/kustomization.yaml": text}) == []


@pytest.mark.parametrize(
    ("name", "written", "maker"),
    [
        (".gitignore", "plugin.yaml\n", "a tool makes"),
        (".gitmodules", '[submodule "x"]\n  path = app/plugin.yaml\n  url = y\n', "git submodule update --init makes"),
    ],
)
def test_a_file_that_something_else_makes_is_a_warning(tmp_path, name, written, maker):
    (finding,) = found(tmp_path, {**GPU, "app/kustomization.yaml": "resources: [../gpu, plugin.yaml]\n", name: written})
    assert finding[0] == "warning"
    assert maker in finding[2]


def test_a_build_without_gpu_parts_is_nobody_s_finding(tmp_path):
    files = {
        "app/kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
        "app/a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n",
    }
    assert found(tmp_path, files) == []


def test_a_fault_in_a_base_is_reported_once_and_holds_what_the_outer_build_holds(tmp_path):
    files = {
        "base/kustomization.yaml": "resources: [missing.yaml]\n",
        "one/kustomization.yaml": "resources: [../base, ../gpu]\n",
        "two/kustomization.yaml": "resources: [../base]\n",
    }
    assert [each[1] for each in found(tmp_path, {**GPU, **files})] == ["base/kustomization.yaml"]


def test_a_build_that_holds_the_kustomizations_of_flux_holds_what_they_deploy(tmp_path):
    flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: %s, namespace: flux-system}\nspec: {path: ./%s}\n"
    files = {
        "flux.yaml": flux % ("apps", "apps"),
        "apps/kustomization.yaml": "resources: [gpu.yaml, missing.yaml]\n",
        "apps/gpu.yaml": flux % ("gpu", "gpu"),
    }
    (finding,) = found(tmp_path, {**GPU, **files})
    assert finding[1] == "apps/kustomization.yaml"
    assert finding[2] == (
        "kustomize refuses to build the kustomization: 'missing.yaml' does not exist. Nothing of the build reaches the cluster, and it holds "
        "1 RuntimeClass of NVIDIA and 1 GPU workload"
    )


BROKEN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: nvidia}\ndata:\n  a: b: c\n"


def broken(folder, files):
    return [(each.severity, each.line) for each in run_rules(read([tree(folder, files)])) if each.rule == "TG141"]


def test_broken_yaml_about_gpus_is_an_error_with_its_line(tmp_path):
    assert broken(tmp_path, {"pod.yaml": pod(), "config.yaml": BROKEN}) == [("error", 5)]


def test_a_broken_file_of_a_build_fails_the_build(tmp_path):
    (finding,) = found(tmp_path, {**GPU, "app/kustomization.yaml": "resources: [../gpu, config.yaml]\n", "app/config.yaml": BROKEN})
    assert "'config.yaml' is not YAML" in finding[2]


@pytest.mark.parametrize("kept", ["app/old.yaml", "app/deep/old.yaml"])
def test_a_broken_file_that_a_kustomization_leaves_out_is_only_skipped(tmp_path, kept):
    files = {
        **GPU,
        "app/kustomization.yaml": "resources: [../gpu]\n",
        kept: f"# repository: https://helm.ngc.nvidia.com chart: gpu-operator\n{BROKEN}",
    }
    assert broken(tmp_path, files) == []


def test_broken_yaml_about_something_else_is_only_skipped(tmp_path):
    assert broken(tmp_path, {"pod.yaml": pod(), "config.yaml": BROKEN.replace("nvidia", "plex")}) == []


def test_a_broken_document_keeps_the_other_documents_of_its_file_out_of_the_cluster(tmp_path):
    tree(tmp_path, {"pod.yaml": f"{pod()}---\napiVersion: v1\nkind: Service\nspec: a: b\n"})
    (finding,) = [each for each in run_rules(read([tmp_path])) if each.rule == "TG141"]
    assert finding.message == (
        "the text is not YAML: mapping values are not allowed in this context. A build or a sync refuses the whole file, and it holds "
        "1 RuntimeClass of NVIDIA and 1 GPU workload"
    )


APPLICATION = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: %s}\nspec: {source: {repoURL: x, path: gpu}}\n"


def test_a_broken_application_beside_others_is_live_as_they_are(tmp_path):
    files = {**GPU, "argocd/gpu.yaml": APPLICATION % "gpu", "argocd/plugin.yaml": APPLICATION % "nvidia" + "x: a: b\n"}
    assert broken(tmp_path, files) == [("error", 5)]


def test_a_broken_file_of_talos_in_a_deployed_tree_is_no_manifest_that_is_left_out(tmp_path):
    files = {
        **GPU,
        "argocd/gpu.yaml": APPLICATION % "gpu",
        "omni.yaml": "kind: Workers\nname: nvidia\npatches: [{inline: {apiVersion: x/v1}}]\nx: a: b\n",
    }
    assert broken(tmp_path, files) == [("error", 4)]
