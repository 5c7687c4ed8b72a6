"""Several clusters in one tree: no finding joins halves of two clusters, and none is lost."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.files import NOT_LIVE
from constructs_lib.observed.read.repository import read

NGC = "https://helm.ngc.nvidia.com/nvidia"
PLUGIN_VALUES = "{runtimeClassName: nvidia, nodeSelector: {kubernetes.io/os: linux}, affinity: null}"
OPERATOR_VALUES = (
    "{driver: {enabled: false}, toolkit: {enabled: false}, migManager: {enabled: false}, hostPaths: {driverInstallDir: /usr/local}}"
)
CHARTS = {"gpu-operator": ("v26.7.0", OPERATOR_VALUES), "nvidia-device-plugin": ("0.20.0", PLUGIN_VALUES)}


def release(chart: str, extra: str = "") -> str:
    version, values = CHARTS[chart]
    return f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {chart}, namespace: kube-system}}
spec:
{extra}  chart: {{spec: {{chart: {chart}, version: {version}}}}}
  values: {values}
"""


def application(chart: str, destination: str, name: str = "") -> str:
    version, values = CHARTS[chart]
    return f"""\
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name or chart}, namespace: argocd}}
spec:
  destination: {{namespace: kube-system, {destination}}}
  source: {{repoURL: {NGC}, chart: {chart}, targetRevision: {version}, helm: {{valuesObject: {values}}}}}
"""


def application_set(one: str, other: str) -> str:
    """A set that installs the operator to one cluster, and the plugin to another one."""
    elements = "".join(
        f"      - {{chart: {chart}, version: {CHARTS[chart][0]}, cluster: {cluster}, values: {CHARTS[chart][1]!r}}}\n"
        for chart, cluster in zip(CHARTS, (one, other), strict=True)
    )
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: gpu, namespace: argocd}}
spec:
  goTemplate: true
  generators:
  - list:
      elements:
{elements}
  template:
    metadata: {{name: "{{{{.chart}}}}-{{{{.cluster}}}}"}}
    spec:
      destination: {{namespace: kube-system, name: "{{{{.cluster}}}}"}}
      source: {{repoURL: {NGC}, chart: "{{{{.chart}}}}", targetRevision: "{{{{.version}}}}", helm: {{values: "{{{{.values}}}}"}}}}
"""


def kustomization(name: str, path: str, extra: str = "") -> str:
    return f"""\
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec: {{path: {path}, {extra}sourceRef: {{kind: GitRepository, name: flux-system}}}}
"""


def talconfig(name: str) -> str:
    return f"clusterName: {name}\nendpoint: https://10.0.0.1:6443\ntalosVersion: v1.13.9\nnodes: [{{hostname: {name}-1, ipAddress: 10.0.0.2}}]\n"


def flux(one: str, other: str) -> dict[str, str]:
    places = {"operator": one, "plugin": other}
    files = {f"apps/{name}/release.yaml": release(chart) for name, chart in zip(places, CHARTS, strict=True)}
    for name, cluster in places.items():
        file = f"clusters/{cluster}/flux.yaml"
        files[file] = files.get(file, "") + kustomization(name, f"./apps/{name}")
    return files


def kube_config(one: str, other: str) -> dict[str, str]:
    files = {f"apps/{name}/release.yaml": release(chart) for name, chart in zip(("operator", "plugin"), CHARTS, strict=True)}
    remote = "kubeConfig: {{secretRef: {{name: {}}}}}, "
    files["flux.yaml"] = kustomization("operator", "./apps/operator", remote.format(one)) + kustomization(
        "plugin", "./apps/plugin", remote.format(other)
    )
    return files


def releases_with_kube_config(one: str, other: str) -> dict[str, str]:
    pairs = zip(CHARTS, (one, other), strict=True)
    return {f"{chart}.yaml": release(chart, f"  kubeConfig: {{secretRef: {{name: {name}}}}}\n") for chart, name in pairs}


def folders_of_talos(one: str, other: str) -> dict[str, str]:
    files = {f"{cluster}/talos/talconfig.yaml": talconfig(cluster) for cluster in ("prod", "dev")}
    for chart, cluster in zip(CHARTS, (one, other), strict=True):
        files[f"{cluster}/kubernetes/{chart}.yaml"] = release(chart)
    return files


LAYOUTS = {
    "Argo CD by name": lambda one, other: {
        "apps.yaml": "".join(application(chart, f"name: {name}") for chart, name in zip(CHARTS, (one, other), strict=True))
    },
    "Argo CD by server": lambda one, other: {
        "apps.yaml": "".join(
            application(chart, f"server: 'https://{name}.example.com:6443'") for chart, name in zip(CHARTS, (one, other), strict=True)
        )
    },
    "Argo CD, one cluster its own": lambda one, other: {
        "apps.yaml": application("gpu-operator", "server: 'https://kubernetes.default.svc'")
        + application("nvidia-device-plugin", f"name: {'in-cluster' if one == other else other}")
    },
    "an ApplicationSet": lambda one, other: {"set.yaml": application_set(one, other)},
    "folders of Flux": flux,
    "kubeConfig of a Kustomization": kube_config,
    "kubeConfig of a HelmRelease": releases_with_kube_config,
    "folders that are named as Talos' clusters": folders_of_talos,
}


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def written(files, **given):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return read(["."], **given)

    return written


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_plugin_in_one_cluster_is_not_beside_an_operator_in_another(inputs, layout):
    assert [each.rule for each in run_rules(inputs(LAYOUTS[layout]("prod", "dev"), talos="1.13"), select=["TG026"])] == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_plugin_beside_an_operator_of_its_cluster_is_found(inputs, layout):
    found = run_rules(inputs(LAYOUTS[layout]("prod", "prod"), talos="1.13"), select=["TG026"])

    assert [str(each.severity) for each in found] == ["error"]


def test_a_destination_that_a_generator_fills_in_may_be_any_cluster(inputs):
    text = (
        application("gpu-operator", "name: prod")
        + application("nvidia-device-plugin", "name: '{{name}}'")
        + "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\n"
        + "spec: {destination: {name: dev}, source: {repoURL: https://charts.example.com, chart: web, targetRevision: 1.0.0}}\n"
    )
    found = run_rules(inputs({"apps.yaml": text}, talos="1.13"), select=["TG026"])

    assert {(each.object.partition(" ")[0], str(each.severity)) for each in found} == {("nvidia-device-plugin", "warning")}
    assert all(". This holds in the cluster" in each.message and "if the object is deployed there" in each.message for each in found)


def two_clusters(one: str, other: str) -> dict[str, str]:
    return {
        **{f"clusters/{name}/flux.yaml": kustomization(name, f"./parts/{name}") for name in ("a", "b")},
        "parts/a/example.yaml": one,
        "parts/b/example.yaml": other,
    }


# The other examples differ in more than their text.
OF_ONE_TALOS = [
    rule for rule in RULES.values() if not (rule.failing.chart or rule.failing.nodes_file) and rule.failing.talos == rule.passing.talos
]


@pytest.mark.parametrize("rule", OF_ONE_TALOS, ids=lambda rule: rule.id)
def test_the_correct_example_of_each_rule_stays_silent_beside_a_cluster_with_the_fault(rule, inputs):
    given = inputs(two_clusters(rule.failing.yaml, rule.passing.yaml), talos=rule.failing.talos)
    files = {each.file for each in run_rules(given, select=[rule.id])}
    alone = inputs(two_clusters(rule.failing.yaml, ""), talos=rule.failing.talos)

    assert files == {each.file for each in run_rules(alone, select=[rule.id])}
    assert files <= {"parts/a/example.yaml"}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_fault_in_a_folder_that_is_not_live_is_none(rule, inputs):
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: nginx:1.29}]}\n"
    given = inputs({"web.yaml": pod, "old/example.yaml": rule.failing.yaml}, talos=rule.failing.talos, nodes=rule.failing.nodes)

    assert [each.file for each in run_rules(given, select=[rule.id]) if each.file.startswith("old")] == []
    assert ("old", NOT_LIVE) in {(each.file, each.reason) for each in given.skipped}
