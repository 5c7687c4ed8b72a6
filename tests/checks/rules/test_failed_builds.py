"""TG140: kustomizations that kustomize refuses to build, with the GPU parts inside."""

import subprocess

import pytest

from conftest import needs
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules._shared import pod
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


REFUSED = {
    "a resource that is not there": ("resources: [../gpu, plugin.yaml]\n", "'plugin.yaml' does not exist"),
    "a base without a kustomization": ("resources: [../gpu, empty]\n", "the folder 'empty' has no kustomization file"),
    "a component that is not there": ("resources: [../gpu]\ncomponents: [missing]\n", "'missing' does not exist"),
    "a patch that is not there": ("resources: [../gpu]\npatches: [{path: patch.yaml}]\n", "'patch.yaml' does not exist"),
    "a patch of another object": ("resources: [../gpu]\npatches: [{path: other.yaml}]\n", "no resource matches the strategic merge patch of Pod plex"),
    "a file of a generator": ("resources: [../gpu]\nconfigMapGenerator: [{name: a, files: [a.conf]}]\n", "'a.conf' does not exist"),
    "itself": ("resources: [../gpu, ../app]\n", "the kustomization includes itself"),
}  # fmt: skip
TAKEN = {
    "a patch with a target that finds nothing": "resources: [../gpu]\npatches: [{path: other.yaml, target: {kind: Deployment}}]\n",
    "a patch of its object": "resources: [../gpu]\npatches: [{path: own.yaml}]\n",
}
BESIDE = {**GPU, "app/empty/readme.txt": "", "app/other.yaml": MERGE % "plex", "app/own.yaml": MERGE % "ollama"}


@pytest.mark.parametrize("case", REFUSED)
def test_a_kustomization_that_can_t_be_built_is_an_error_with_its_gpu_parts(tmp_path, case):
    text, reason = REFUSED[case]
    (finding,) = found(tmp_path, {**BESIDE, "app/kustomization.yaml": text})
    assert (finding[0], finding[1]) == ("error", "app/kustomization.yaml")
    assert reason in finding[2]
    assert "1 RuntimeClass of NVIDIA and 1 GPU workload" in finding[2]


@pytest.mark.parametrize("case", TAKEN)
def test_what_kustomize_takes_is_silent(tmp_path, case):
    assert found(tmp_path, {**BESIDE, "app/kustomization.yaml": TAKEN[case]}) == []


@pytest.mark.parametrize("case", [*REFUSED, *TAKEN])
def test_kustomize_says_the_same(tmp_path, case):
    kubectl = needs("KUBECTL", "kubectl, which builds kustomizations")
    text = REFUSED[case][0] if case in REFUSED else TAKEN[case]
    folder = tree(tmp_path, {**BESIDE, "app/kustomization.yaml": text})
    run = subprocess.run([kubectl, "kustomize", folder / "app"], capture_output=True, check=False)
    assert (run.returncode != 0) == (case in REFUSED), run.stderr


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


def test_the_object_of_a_patch_may_be_in_a_base_that_is_not_read(tmp_path):
    text = "resources: [../gpu, https://github.com/a/b//c?ref=v1]\npatches: [{path: other.yaml}]\n"
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
