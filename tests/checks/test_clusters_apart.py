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


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_plugin_in_one_cluster_is_not_beside_an_operator_in_another(inputs, layout):
    assert [each.rule for each in run_rules(inputs(LAYOUTS[layout]("prod", "dev")), select=["TG026"])] == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_plugin_beside_an_operator_of_its_cluster_is_found(inputs, layout):
    found = run_rules(inputs(LAYOUTS[layout]("prod", "prod")), select=["TG026"])

    assert [str(each.severity) for each in found] == ["error"]


def test_a_destination_that_a_generator_fills_in_may_be_any_cluster(inputs):
    text = (
        application("gpu-operator", "name: prod")
        + application("nvidia-device-plugin", "name: '{{name}}'")
        + "---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\n"
        + "spec: {destination: {name: dev}, source: {repoURL: https://charts.example.com, chart: web, targetRevision: 1.0.0}}\n"
    )
    found = run_rules(inputs({"apps.yaml": text}), select=["TG026"])

    assert {(each.object.partition(" ")[0], str(each.severity)) for each in found} == {("nvidia-device-plugin", "warning")}
    assert all(". This holds in the cluster" in each.message and "if the object is deployed there" in each.message for each in found)


def beside_one_cluster_of_talos(files: dict[str, str]) -> dict[str, str]:
    return {"talos/talconfig.yaml": talconfig("home"), **files}


def included(files: dict[str, str]) -> dict[str, str]:
    kustomizations = {"base": "resources: [flux.yaml]\n", "prod": "resources: [flux.yaml, ../base]\n"}
    return files | {f"clusters/{name}/kustomization.yaml": text for name, text in kustomizations.items()}


def git_application(name: str, destination: str) -> str:
    source = f"{{repoURL: https://git.example.com/home.git, path: apps/{name}, targetRevision: main}}"
    return f"""\
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec: {{destination: {{namespace: kube-system, {destination}}}, source: {source}}}
"""


def root_module(name: str, chart: str, cluster: str) -> str:
    version, values = CHARTS[chart]
    return f"""\
data "talos_machine_configuration" "w" {{
  cluster_name = "{cluster}"
  cluster_endpoint = "https://{name}:6443"
  machine_type = "worker"
}}
resource "helm_release" "gpu" {{
  name = "{chart}"
  chart = "{chart}"
  repository = "{NGC}"
  version = "{version}"
  namespace = "kube-system"
  values = [<<-EOT
    {values}
  EOT
  ]
}}
"""


def root_modules(one: str, other: str) -> dict[str, str]:
    pairs = zip(("prod", "dev"), CHARTS, (one, other), strict=True)
    return {f"terraform/{name}/main.tf": root_module(name, chart, cluster) for name, chart, cluster in pairs}


DEPLOYMENT = """\
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: web}
spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: nginx:1.29}]}}}
"""

IN_CLUSTER = {
    "apps/operator/release.yaml": release("gpu-operator"),
    "bootstrap/operator.yaml": git_application("operator", "name: in-cluster"),
    "apps/plugin/release.yaml": release("nvidia-device-plugin"),
    "clusters/prod/plugin.yaml": git_application("plugin", "server: 'https://kubernetes.default.svc'"),
}

ONE_CLUSTER = {
    "a folder that another cluster's kustomization includes": included(flux("base", "prod")),
    "the only folder of a cluster, and Argo CD's own cluster": IN_CLUSTER,
    "root modules with one name of a cluster": root_modules("home", "home"),
}

PERHAPS_ONE_CLUSTER = {
    "folders beside one cluster of Talos": beside_one_cluster_of_talos(flux("apps", "talos")),
    "Secrets beside one cluster of Talos": beside_one_cluster_of_talos(kube_config("prod-kubeconfig", "prod-apps-kubeconfig")),
    "a name and an address": {
        "apps.yaml": application("gpu-operator", "name: prod") + application("nvidia-device-plugin", "server: 'https://10.0.0.1:6443'")
    },
    "siblings with one Deployment each": {
        "prod/gpu/release.yaml": release("gpu-operator") + DEPLOYMENT,
        "dev/gpu/release.yaml": release("nvidia-device-plugin") + DEPLOYMENT,
    },
}

SEVERAL_CLUSTERS = {
    "root modules with a name each": root_modules("prod", "dev"),
    "a cluster at an address beside the home cluster": {
        "flux.yaml": kustomization("operator", "./apps/operator"),
        "apps/operator/release.yaml": release("gpu-operator"),
        "edge/argocd/plugin.yaml": application("nvidia-device-plugin", "server: 'https://edge.example.com:6443'"),
    },
    "folders that are named as a part of Talos' names": {
        **{f"talos/{name}/talconfig.yaml": talconfig(f"home-{name}") for name in ("prod", "dev")},
        "kubernetes/prod/release.yaml": release("gpu-operator"),
        "kubernetes/dev/release.yaml": release("nvidia-device-plugin"),
    },
}


@pytest.mark.parametrize("layout", ONE_CLUSTER)
def test_names_of_one_cluster_keep_no_finding_from_joining_their_parts(inputs, layout):
    given = inputs(ONE_CLUSTER[layout])

    assert [str(each.severity) for each in run_rules(given, select=["TG026"])] == ["error"]
    assert (given.clusters_of, given.perhaps_of) == ({}, {})


@pytest.mark.parametrize("layout", PERHAPS_ONE_CLUSTER)
def test_a_finding_that_joins_parts_of_what_may_be_one_cluster_is_lowered_with_the_reason(inputs, layout):
    (found,) = run_rules(inputs(PERHAPS_ONE_CLUSTER[layout]), select=["TG026"])

    assert str(found.severity) == "warning"
    assert ". This holds if" in found.message


@pytest.mark.parametrize("layout", SEVERAL_CLUSTERS)
def test_an_address_a_state_and_a_name_of_talos_prove_that_clusters_differ(inputs, layout):
    assert [each.message for each in run_rules(inputs(SEVERAL_CLUSTERS[layout]), select=["TG026"])] == []


def test_home_is_one_of_the_named_clusters_of_talos(inputs):
    files = {f"talos/{name}/talconfig.yaml": talconfig(name) for name in ("prod", "dev")}
    given = inputs({**files, "apps.yaml": application("gpu-operator", "name: in-cluster")})

    assert set[str]().union(*given.clusters_of.values()) == {"prod", "dev"}


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


def not_live(inputs) -> list[str]:
    return sorted(each.file for each in inputs.skipped if each.reason == NOT_LIVE)


def test_a_folder_that_a_deployer_reaches_is_not_said_to_be_left_out(inputs):
    files = {"flux.yaml": kustomization("all", "./kubernetes"), "kubernetes/samples/release.yaml": release("gpu-operator")}

    assert not_live(inputs(files)) == []


def test_of_a_folder_with_an_included_patch_the_other_files_alone_are_left_out(inputs):
    config = talconfig("home").replace("ipAddress: 10.0.0.2", "ipAddress: 10.0.0.2, patches: ['@./old/a.yaml']")
    patch = "machine: {nodeLabels: {nvidia.com/gpu.present: 'true'}}\n"
    files = {"talos/talconfig.yaml": config, "talos/old/a.yaml": patch, "talos/old/b.yaml": patch}

    assert not_live(inputs(files)) == ["talos/old/b.yaml"]


@pytest.mark.parametrize("layout", ["a cluster at an address beside the home cluster", "charts without a deployer"])
def test_nodes_that_nobody_assigns_are_rather_of_the_home_cluster_than_of_a_remote_one(inputs, layout):
    files = dict(SEVERAL_CLUSTERS["a cluster at an address beside the home cluster"])
    if layout == "charts without a deployer":
        del files["flux.yaml"]
        files["edge/argocd/plugin.yaml"] = application("nvidia-device-plugin", "name: edge")
    given = inputs(beside_one_cluster_of_talos(files))

    assert {given.perhaps_of.get(each.part) for each in given.node_configs} == {frozenset(["home"])}


def test_siblings_at_an_absolute_path_are_named_by_their_path(tmp_path):
    for folder, chart in zip(("a", "b"), CHARTS, strict=True):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "release.yaml").write_text(release(chart) + DEPLOYMENT)
    (found,) = run_rules(read([tmp_path], talos="1.13"), select=["TG026"])

    assert found.message.endswith(f"This holds if these names mean one cluster: {tmp_path}/a, {tmp_path}/b")


def generated(chart: str, selector: str) -> str:
    """A set that installs a chart to the clusters of a generator."""
    version, values = CHARTS[chart]
    return f"""\
---
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: {chart}, namespace: argocd}}
spec:
  generators: [{{clusters: {{{selector}}}}}]
  template:
    metadata: {{name: "{chart}-{{{{name}}}}"}}
    spec:
      destination: {{namespace: kube-system, server: "{{{{server}}}}"}}
      source: {{repoURL: {NGC}, chart: {chart}, targetRevision: {version}, helm: {{valuesObject: {values}}}}}
"""


PROD, EDGE = "selector: {matchLabels: {env: prod}}", "selector: {matchLabels: {env: edge}}"


@pytest.mark.parametrize(
    ("one", "other", "severity"),
    [
        (PROD, EDGE, "warning"),
        (PROD, "selector: {matchExpressions: [{key: env, operator: In, values: [edge]}]}", "warning"),
        (PROD, PROD, "error"),
        ("", "", "error"),
        (PROD, "", "error"),
    ],
)
def test_no_error_joins_the_clusters_of_two_different_selectors(inputs, one, other, severity):
    text = generated("gpu-operator", one) + generated("nvidia-device-plugin", other)
    found = run_rules(inputs({"sets.yaml": text}), select=["TG026"])

    assert [str(each.severity) for each in found] == [severity]


def test_a_finding_that_joins_the_own_cluster_with_a_remote_one_is_a_remark(inputs):
    files = beside_one_cluster_of_talos({"flux.yaml": kustomization("operator", "./apps/operator")})
    files["apps/operator/release.yaml"] = release("gpu-operator")
    files["apps/plugin/release.yaml"] = release("nvidia-device-plugin")
    files["remote.yaml"] = kustomization("plugin", "./apps/plugin", "kubeConfig: {secretRef: {name: edge}}, ")
    (found,) = run_rules(inputs(files), select=["TG026"])

    assert (str(found.severity), "one cluster: edge, home" in found.message) == ("remark", True)


def test_the_repository_of_argo_cd_is_known_beside_more_sources_of_flux(inputs):
    files = {f"flux-{number}.yaml": kustomization(f"app-{number}", "./apps/operator") for number in range(9)}
    files["argo.yaml"] = git_application("plugin", "name: in-cluster")
    files |= {f"apps/{name}/release.yaml": release(chart) for name, chart in zip(("operator", "plugin"), CHARTS, strict=True)}

    assert {each.chart for each in inputs(files).releases} == set(CHARTS)
