"""Two objects with one name (TG138), in the layouts in which they meet."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read, read_text

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %s, namespace: gpu}
spec:
  %schart: {spec: {chart: %s, version: %s}}
  values: {runtimeClassName: nvidia, nodeSelector: {kubernetes.io/os: linux}, affinity: null}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: plugin, namespace: argocd}
spec:
  destination: {namespace: gpu, name: %s}
  source: {repoURL: https://nvidia.github.io/k8s-device-plugin, chart: nvidia-device-plugin, targetRevision: %s}
"""


def release(version="0.20.0", name="plugin", extra="", chart="nvidia-device-plugin"):
    return RELEASE % (name, extra, chart, version)


def flux(name, cluster=""):
    return f"apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: {{path: ./{name}}}\n"


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def checked(files, *rules):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return [(each.rule, str(each.severity), each.file) for each in run_rules(read(["."], talos="1.13"), select=rules or ["TG138"])]

    return checked


def test_two_files_with_one_name_are_found(found):
    assert found({"a.yaml": release(), "b.yaml": release("0.19.0")}) == [("TG138", "warning", "b.yaml")]


def test_two_kustomizations_of_flux_deploy_one_name(found):
    files = {"cluster/a.yaml": flux("one"), "cluster/b.yaml": flux("two"), "one/a.yaml": release(), "two/a.yaml": release("0.19.0")}

    assert len(found(files)) == 1
    assert found({"cluster/b.yaml": flux("other")}) == []  # what nothing deploys is not in the cluster


def test_clusters_have_names_of_their_own(found):
    assert found({"a.yaml": APPLICATION % ("prod", "0.20.0") + "---\n" + APPLICATION % ("prod", "0.19.0")}) != []
    assert found({"a.yaml": release(), "clusters/a/flux.yaml": flux("one"), "clusters/b/flux.yaml": flux("two"), "one/r.yaml": release(), "two/r.yaml": release("0.19.0")}) == []  # fmt: skip


def test_two_objects_make_one_release_of_helm(found):
    assert (
        found({"a.yaml": release(name="one", extra="releaseName: p\n  "), "b.yaml": release(name="two", extra="releaseName: p\n  ")}) != []
    )
    assert found({"b.yaml": release(name="two", extra="releaseName: q\n  ")}) == []


def test_charts_without_gpus_are_not_judged(found):
    assert found({"a.yaml": release(chart="web", name="web"), "b.yaml": release("0.19.0", chart="web", name="web")}) == []


def test_one_plugin_with_one_name_is_not_two_plugins():
    pair = release() + "---\n" + release("0.19.0")

    assert [each.rule for each in run_rules(read_text(pair), select=["TG026", "TG138"])] == ["TG138"]
    assert [each.rule for each in run_rules(read_text(pair.replace("name: plugin", "name: other", 1)), select=["TG026", "TG138"])] == [
        "TG026"
    ]


def values_from(name, chart, values):
    maps = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: gpu}\ndata: {values.yaml: '%s'}\n"
    spec = RELEASE.partition("  values:")[0] % (name, "", chart, "0.20.0")
    return f"{spec}  valuesFrom: [{{kind: ConfigMap, name: plugin-values}}]\n---\n{maps % ('plugin-values', values)}"


def test_equal_releases_whose_configmaps_differ_are_two():
    one, other = (values_from("plugin", "nvidia-device-plugin", each) for each in ("gfd: {enabled: true}", "gfd: {enabled: false}"))
    (finding,) = run_rules(read_text(f"{one}---\n{other}"), select=["TG138"])

    assert finding.message == (
        "the HelmRelease gpu/plugin is also in -:1, with other contents of the ConfigMap with its values. The cluster keeps one of the two: "
        "the one that is applied last"
    )
    assert run_rules(read_text(f"{one}---\n{one}"), select=["TG138"]) == []
