"""What may install a known chart: any object, and the file of any tool, that names the chart and a repository."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.formats.explain import rule_answer
from constructs_lib.checks.report import Report
from constructs_lib.observed.agents.operators import may_run_operator, operators
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.upstream.charts import CHARTS, DEVICE_PLUGIN, GPU_OPERATOR

NGC = "https://helm.ngc.nvidia.com/nvidia"
HEAD = "apiVersion: {}\nkind: {}\nmetadata: {{name: gpu}}\nspec:\n"
INSTALLERS = {
    "Sveltos": HEAD.format("config.projectsveltos.io/v1beta1", "ClusterProfile")
    + f"  helmCharts:\n  - {{repositoryURL: {NGC}, repositoryName: nvidia, chartName: nvidia/gpu-operator, chartVersion: v26.3.1}}\n",
    "k3s": HEAD.format("helm.cattle.io/v1", "HelmChart") + f"  repo: {NGC}\n  chart: gpu-operator\n  targetNamespace: gpu-operator\n",
    "k3s with an archive": HEAD.format("helm.cattle.io/v1", "HelmChart") + f"  chart: {NGC}/charts/gpu-operator-v26.3.1.tgz\n",
    "Crossplane": HEAD.format("helm.crossplane.io/v1beta1", "Release")
    + f"  forProvider:\n    chart: {{name: gpu-operator, repository: {NGC}, version: v26.3.1}}\n",
    "Rancher Fleet": HEAD.format("fleet.cattle.io/v1alpha1", "HelmOp") + f"  helm: {{repo: {NGC}, chart: gpu-operator}}\n",
    "Cluster API": HEAD.format("addons.cluster.x-k8s.io/v1alpha1", "HelmChartProxy") + f"  repoURL: {NGC}\n  chartName: gpu-operator\n",
    "an unheard-of kind": HEAD.format("example.com/v1", "Installation") + "  from: oci://mirror.example.com/charts/gpu-operator:v26.3.1\n",
    "an unheard-of kind with parts": HEAD.format("example.com/v1", "Installation")
    + f"  repositories: [{{name: nvidia, url: {NGC}}}]\n  charts: [{{ref: nvidia, name: gpu-operator}}]\n",
    "a placeholder": HEAD.format("example.com/v1", "Installation") + f"  repo: {NGC}\n  chart: gpu-${{NAME}}\n",
}
FILES = {
    "fleet.yaml": f"defaultNamespace: gpu\nhelm: {{repo: {NGC}, chart: gpu-operator, version: v26.3.1}}\n",
    "helm-chart.yaml": f"helmChart: {{repo: {NGC}, chartName: gpu-operator, releaseName: gpu}}\n",
    "helmfile.yaml": f"repositories: [{{name: nvidia, url: {NGC}}}]\nreleases: [{{name: gpu, chart: nvidia/gpu-operator}}]\n",
}
TWINS = {
    "a label": f"apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a, labels: {{chart: gpu-operator}}}}\nspec: {{repo: {NGC}}}\n",
    "a selector": f"apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: a}}\nspec: {{repo: {NGC}, selector: {{matchLabels: {{chart: gpu-operator}}}}}}\n",
    "a text": f"apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nspec: {{note: 'the chart gpu-operator of {NGC}', chart: see the gpu-operator}}\n",
    "a status": f"apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nstatus: {{chart: gpu-operator, repo: {NGC}}}\n",
    "a ConfigMap": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{chart: gpu-operator, repo: '{NGC}'}}\n",
    "another chart": f"apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {{name: a}}\nspec: {{chart: traefik, repo: {NGC}}}\n",
    "no repository": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {chart: gpu-operator}\n",
    "an image": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {image: 'nvcr.io/nvidia/gpu-operator:v26.3.1'}\n",
    "a source of Flux": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: a}\nspec: {url: 'oci://ghcr.io/a/gpu-operator'}\n",
}  # fmt: skip
POD = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: smi}\nspec:\n  runtimeClassName: nvidia\n  containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n"


@pytest.mark.parametrize("tool", INSTALLERS)
def test_an_object_that_names_a_chart_and_a_repository_may_install_it(tool):
    inputs = read_text(INSTALLERS[tool] + POD, talos="1.13")
    assert may_run_operator(inputs)
    assert operators(inputs) == []
    assert any("may install" in each.reason and "gpu-operator" in each.reason for each in inputs.skipped if each.names_nvidia)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_tool_may_install_a_chart(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    (tmp_path / "pod.yaml").write_text(POD)
    for given in (tmp_path, tmp_path / name):
        inputs = read([given], talos="1.13")
        assert [(each.label, set(each.charts)) for each in inputs.installers] == [(name, {"gpu-operator"})]
        assert inputs.may_install(GPU_OPERATOR)
        assert not inputs.may_install(DEVICE_PLUGIN)
        assert f"{name} may install gpu-operator: no values are read from it" in {each.reason for each in inputs.skipped}


@pytest.mark.parametrize("where", TWINS)
def test_an_object_that_only_mentions_a_chart_installs_nothing(where):
    inputs = read_text(TWINS[where] + POD, talos="1.13")
    assert inputs.installers == ()
    assert not may_run_operator(inputs)


def test_every_known_chart_is_found_by_each_of_its_names():
    for chart in CHARTS.values():
        for name in (chart.name, *chart.aliases):
            text = HEAD.format("helm.cattle.io/v1", "HelmChart") + f"  repo: https://example.com\n  chart: {name}\n"
            assert [set(each.charts) for each in read_text(text).installers] == [{chart.name}], name


def test_a_chart_whose_release_was_read_is_no_doubt():
    release = f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec: {{source: {{repoURL: {NGC}, chart: gpu-operator, targetRevision: v26.3.1}}}}\n---\n"
    inputs = read_text(release + INSTALLERS["Sveltos"], talos="1.13")
    assert inputs.installers == ()
    assert len(operators(inputs)) == 1


def test_no_rule_concludes_that_a_chart_is_missing_which_may_be_installed_and_a_remark_says_so():
    absent = {each.rule: each for each in run_rules(read_text(POD, talos="1.13"))}
    doubted = {each.rule: each for each in run_rules(read_text(INSTALLERS["k3s"] + POD, file="a.yaml", talos="1.13"))}
    assert set(doubted) == set(absent)
    assert {rule for rule in absent if str(absent[rule].severity) != str(doubted[rule].severity)} == {"TG041"}
    assert str(doubted["TG041"].severity) == "remark"
    assert doubted["TG041"].message == f"{absent['TG041'].message}. Not concluded: HelmChart gpu in a.yaml:1 may install gpu-operator"


def test_a_remark_names_the_installers_and_the_charts_that_matter_to_its_rule():
    other = INSTALLERS["k3s"].replace("gpu-operator", "dcgm-exporter").replace("name: gpu", "name: exporter")
    doubted = {each.rule: each for each in run_rules(read_text(other + INSTALLERS["k3s"] + POD, file="a.yaml", talos="1.13"))}

    assert other != INSTALLERS["k3s"]
    assert doubted["TG041"].is_doubt
    _, _, doubt = doubted["TG041"].message.partition("Not concluded: ")
    assert "gpu-operator" in doubt
    assert "exporter" not in doubt


def test_what_is_not_concluded_is_not_called_found():
    inputs = read_text(INSTALLERS["k3s"] + POD, file="a.yaml", talos="1.13")
    answer = rule_answer("TG041", [Report(inputs=inputs, all_findings=tuple(run_rules(inputs)))])

    assert answer.startswith("Not concluded in a.yaml:")
