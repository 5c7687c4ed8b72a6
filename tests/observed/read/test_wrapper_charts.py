"""Charts in the repository that wrap others: https://helm.sh/docs/topics/charts#chart-dependencies (2026-11-22)."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read

OPERATOR = "- {name: gpu-operator, version: v25.3.0, repository: 'https://helm.ngc.nvidia.com/nvidia'"
CHART = f"apiVersion: v2\nname: gpu\nversion: 1.0.0\ndependencies:\n{OPERATOR}}}\n"
VALUES = "gpu-operator:\n  driver:\n    enabled: true\n"
NOT_DEPLOYED = "not deployed by any object of Flux or Argo CD"
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: operator, namespace: gpu-operator}}
spec:
  chart: {{spec: {{chart: ./charts/gpu, sourceRef: {{kind: GitRepository, name: flux-system}}{more}}}}}
  values: {{gpu-operator: {{toolkit: {{enabled: false}}}}}}
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec: {path: ./apps, sourceRef: {kind: GitRepository, name: flux-system}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The inputs in a folder of these files."""
    monkeypatch.chdir(tmp_path)

    def make(files, *given, **settings):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return read(given or ["."], **settings)

    return make


def skipped(inputs):
    return sorted((each.file, each.reason) for each in inputs.skipped)


def labels(inputs):
    return [each.label for each in inputs.releases]


@pytest.mark.parametrize("given", [".", "gpu", "gpu/Chart.yaml"])
def test_a_chart_that_nothing_deploys_is_read_by_its_values(folder, given):
    inputs = folder({"gpu/Chart.yaml": CHART, "gpu/values.yaml": VALUES}, given, talos="1.13")
    (release,) = inputs.releases
    assert (release.label, release.complete) == ("gpu-operator v25.3.0 (gpu)", True)
    assert (release.file, release.line_of(())) == ("gpu/Chart.yaml", 5)
    assert release.place_at((*release.values_path, "driver", "enabled")) == ("gpu/values.yaml", 3)
    assert inputs.skipped == inputs.empty == ()
    assert ("gpu/values.yaml", 3) in [(each.file, each.line) for each in run_rules(inputs) if each.rule == "TG010"]


def test_values_of_variants_are_left_out_and_may_set_what_values_yaml_does_not(folder):
    more = {"gpu/values-prod.yaml": "gpu-operator: {driver: {enabled: false}}\n", "gpu/dev.values.yml": "{}\n", "gpu/other.yaml": "a: 1\n"}
    inputs = folder({"gpu/Chart.yaml": CHART, "gpu/values.yaml": "gpu-operator: {a: 1}\n", **more})
    (release,) = inputs.releases
    assert (release.value("a"), release.complete) == (1, False)
    assert isinstance(release.value("driver", "enabled"), Unknown)
    reason = "values of one variant of the chart: no file tells which variant is installed"
    assert skipped(inputs) == [("gpu/dev.values.yml", reason), ("gpu/values-prod.yaml", reason)]


@pytest.mark.parametrize(
    ("switch", "values", "is_installed"),
    [
        ("", "", True),
        ("condition: gpu-operator.enabled", "gpu-operator: {enabled: false}", False),
        ("condition: gpu-operator.enabled", "gpu-operator: {enabled: true}", True),
        ("condition: gpu-operator.enabled", "gpu-operator: {enabled: 'no'}", True),
        ("condition: 'a.run, b.run'", "{a: {run: true}, b: {run: false}}", True),
        ("condition: 'a.run,b.run'", "{b: {run: false}}", False),
        ("tags: [a, b]", "tags: {a: false}", False),
        ("tags: [a, b]", "tags: {a: false, b: true}", True),
        ("tags: [a, b]", "tags: {c: false}", True),
        ("tags: [a], condition: x.run", "{tags: {a: false}, x: {run: true}}", True),
    ],
)
def test_conditions_and_tags_switch_a_dependency_as_in_helm(folder, switch, values, is_installed):
    chart = f"name: gpu\ndependencies:\n{OPERATOR}, {switch}}}\n".replace(", }", "}")
    inputs = folder({"gpu/Chart.yaml": chart, "gpu/values.yaml": f"{values}\n"})
    assert bool(inputs.releases) is is_installed
    assert all(each.value("enabled") in (None, "no") for each in inputs.releases)


def test_a_condition_that_something_else_fills_in_leaves_the_values_open(folder):
    chart = f"name: gpu\ndependencies:\n{OPERATOR}, condition: run}}\n"
    (release,) = folder({"gpu/Chart.yaml": chart, "gpu/values.yaml": "run: ${GPU}\n"}).releases
    assert not release.complete


def test_a_condition_of_helm_is_no_key_that_the_chart_ignores(folder):
    chart = f"name: gpu\ndependencies:\n{OPERATOR}, condition: gpu-operator.enabled}}\n"
    inputs = folder({"gpu/Chart.yaml": chart, "gpu/values.yaml": "gpu-operator: {enabled: true}\n"})
    assert "TG027" not in [each.rule for each in run_rules(inputs)]


def test_an_alias_is_the_key_of_the_values(folder):
    chart = (
        "name: gpu\ndependencies:\n- {name: nvidia-device-plugin, alias: one, version: 1}\n- {name: nvdp, alias: two, version: 0.17.0}\n"
    )
    inputs = folder({"Chart.yaml": chart, "values.yaml": "{one: {a: 1}, two: {a: 2}, nvidia-device-plugin: {a: 3}}\n"})
    assert [(each.chart, each.values["a"]) for each in inputs.releases] == [("nvidia-device-plugin", 1), ("nvidia-device-plugin", 2)]


def test_the_lock_has_the_version_of_a_range(folder):
    chart = CHART.replace("v25.3.0", "'>=25'")
    lock = "dependencies:\n- {name: gpu-operator, version: v25.10.1}\n"
    assert labels(folder({"gpu/Chart.yaml": chart, "gpu/Chart.lock": lock})) == ["gpu-operator v25.10.1 (gpu)"]
    assert labels(folder({"gpu/Chart.lock": lock.replace("gpu-operator", "other")})) == ["gpu-operator >=25 (gpu)"]


def test_charts_in_the_folder_charts_are_dependencies_and_libraries_are_not(folder):
    files = {
        "gpu/Chart.yaml": "name: gpu\n",
        "gpu/values.yaml": VALUES,
        "gpu/charts/gpu-operator/Chart.yaml": "name: gpu-operator\nversion: v25.3.0\n",
        "gpu/charts/common/Chart.yaml": "name: common\ntype: library\n",
    }
    inputs = folder(files)
    assert labels(inputs) == ["gpu-operator v25.3.0 (gpu)"]
    assert inputs.releases[0].value("driver", "enabled") is True


def test_a_chart_inside_a_chart_of_the_repository_gets_the_values_of_the_outer_one(folder):
    files = {
        "apps/outer/Chart.yaml": "name: outer\ndependencies: [{name: gpu, repository: 'file://../gpu', version: 1.0.0}]\n",
        "apps/outer/values.yaml": "gpu: {gpu-operator: {driver: {enabled: false}}}\n",
        "apps/gpu/Chart.yaml": CHART,
        "apps/gpu/values.yaml": VALUES + "  a: 1\n",
    }
    inputs = folder(files)
    assert labels(inputs) == ["gpu 1.0.0 (outer)", "gpu-operator v25.3.0 (outer)"]
    assert inputs.releases[1].values == {"driver": {"enabled": False}, "a": 1}


def test_charts_that_depend_on_each_other_end(folder):
    chart = "name: {}\ndependencies: [{{name: {}, repository: 'file://../{}'}}]\n"
    files = {f"{one}/Chart.yaml": chart.format(one, other, other) for one, other in (("top", "a"), ("a", "b"), ("b", "a"))}
    inputs = folder(files)
    assert labels(inputs) == ["a (top)", "b (top)", "a (top)"]
    assert skipped(inputs) == [("a", "the chart depends on itself")]


def test_a_chart_that_depends_on_itself_ends(folder):
    inputs = folder({"a/Chart.yaml": "name: a\ndependencies: [{name: a, repository: 'file://.'}]\n"})
    assert (labels(inputs), skipped(inputs)) == (["a (a)"], [("a", "the chart depends on itself")])


def test_a_local_dependency_outside_of_the_repository_is_not_read(folder):
    inputs = folder({"repo/Chart.yaml": "name: a\ndependencies: [{name: b, repository: 'file://../b'}]\n", "b/Chart.yaml": CHART}, "repo")
    assert labels(inputs) == ["b (a)"]
    assert skipped(inputs) == [("repo/Chart.yaml", "'file://../b' is outside of the repository")]


def test_a_helm_release_of_a_chart_in_the_repository_sets_its_values(folder):
    files = {"apps/release.yaml": RELEASE.format(more=""), "charts/gpu/Chart.yaml": CHART, "charts/gpu/values.yaml": VALUES}
    for more in ({}, {"flux.yaml": FLUX}):
        (release,) = folder(files | more).releases
        assert release.label == "gpu-operator v25.3.0 (gpu-operator/operator)"
        assert release.values == {"driver": {"enabled": True}, "toolkit": {"enabled": False}}
        assert release.place_at((*release.values_path, "toolkit", "enabled")) == ("apps/release.yaml", 6)


@pytest.mark.parametrize(("names", "complete"), [("./charts/gpu/prod.yaml", True), ("charts/gpu/missing.yaml", False)])
def test_values_files_of_flux_stand_in_place_of_values_yaml(folder, names, complete):
    release = RELEASE.format(more=f", valuesFiles: [{names}]")
    files = {"apps/release.yaml": release, "charts/gpu/Chart.yaml": CHART, "charts/gpu/values.yaml": VALUES}
    (found,) = folder(files | {"charts/gpu/prod.yaml": "gpu-operator: {a: 1}\n"}).releases
    assert found.values == ({"a": 1} if complete else {}) | {"toolkit": {"enabled": False}}
    assert found.complete is complete


def test_a_helm_chart_of_flux_names_a_chart_in_the_repository(folder):
    release = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: operator, namespace: gpu}
spec: {chartRef: {kind: HelmChart, name: gpu}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmChart
metadata: {name: gpu, namespace: gpu}
spec: {chart: charts/gpu, sourceRef: {kind: GitRepository, name: flux-system}}
"""
    assert labels(folder({"a.yaml": release, "charts/gpu/Chart.yaml": CHART})) == ["gpu-operator v25.3.0 (gpu/operator)"]


def test_a_chart_of_another_repository_is_not_the_chart_of_the_same_path(folder):
    release = RELEASE.format(more="").replace("GitRepository", "HelmRepository")
    inputs = folder({"apps/release.yaml": release, "charts/gpu/Chart.yaml": CHART, "charts/gpu/values.yaml": VALUES})
    assert labels(inputs) == ["gpu (gpu-operator/operator)", "gpu-operator v25.3.0 (gpu)"]


def test_beside_what_flux_deploys_a_chart_that_it_leaves_out_is_named(folder):
    files = {"flux.yaml": FLUX, "apps/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}
    inputs = folder(files | {"charts/gpu/Chart.yaml": CHART, "charts/web/Chart.yaml": "name: web\ndependencies: [{name: redis}]\n"})
    assert inputs.releases == ()
    assert skipped(inputs) == [("charts/gpu", NOT_DEPLOYED)]


@pytest.mark.parametrize(
    "chart",
    ["[", "a", "name: x\ndependencies: [1, {}, {name: [a]}, {name: '${X}', condition: [a], tags: 1}]\n", "dependencies: ${X}\n", "\0"],
)
def test_every_chart_file_is_read_without_an_end(folder, chart):
    inputs = folder({"gpu/Chart.yaml": chart, "gpu/values.yaml": "- a\n", "b/Chart.yaml": CHART})
    assert "gpu-operator v25.3.0 (gpu)" in labels(inputs)
