import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read, read_text
from unknowns import plain

HEAD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: gpu, namespace: argocd}
spec:
  destination: {namespace: gpu-operator}
"""
OWN = "https://example.com/me/cluster.git"
CHART = "    repoURL: https://helm.ngc.nvidia.com/nvidia\n    chart: gpu-operator\n    targetRevision: v26.7.0\n"
SOURCE = f"  source:\n{CHART}"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What a folder of these files becomes."""
    monkeypatch.chdir(tmp_path)

    def make(files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return read(["."])

    return make


def release(spec):
    """The only release of an Application."""
    (found,) = read_text(HEAD + spec).releases
    return found


def place(each, *path):
    return each.file_of(path) or each.file, each.line_of(path)


def test_an_application_with_a_chart_is_a_release():
    found = release(f"{SOURCE}    helm:\n      valuesObject:\n        driver:\n          enabled: false\n")
    assert found.label == "gpu-operator v26.7.0 (gpu-operator/gpu)"
    assert (found.value("driver", "enabled"), found.complete) == (False, True)
    assert found.line_of((*found.values_path, "driver", "enabled")) == 13
    assert found.line_of(("spec", "source", "targetRevision")) == 9


def test_values_may_be_text():
    found = release(f"{SOURCE}    helm:\n      releaseName: mine\n      values: |\n        driver:\n          enabled: false\n")
    assert (found.name, found.values) == ("mine", {"driver": {"enabled": False}})
    assert found.line_of((*found.values_path, "driver", "enabled")) == 14


@pytest.mark.parametrize(("helm", "line"), [("values: |\n        a: 1", 12), ("valuesObject:\n        a: 1", 12), ("releaseName: x", 11)])
def test_a_value_that_is_not_there_has_the_line_of_the_values(helm, line):
    found = release(f"{SOURCE}    helm:\n      {helm}\n".replace("    helm:\n", "\n    helm:\n"))
    assert found.line_of((*found.values_path, "driver", "enabled")) == line


def test_an_object_of_values_is_before_their_text():
    assert release(f"{SOURCE}    helm: {{values: 'a: 1', valuesObject: {{a: 2}}}}\n").values == {"a": 2}


def test_parameters_are_over_values():
    found = release(
        f"""{SOURCE}    helm:
      values: "a: {{b: 1}}"
      parameters:
      - {{name: a.b, value: "true"}}
      - {{name: a.c, value: "7"}}
      - {{name: a.d, value: "7", forceString: true}}
      - {{name: e\\.f, value: text}}
      - {{name: g, value: "null"}}
"""
    )
    assert found.values == {"a": {"b": True, "c": 7, "d": "7"}, "e.f": "text", "g": None}
    assert found.line_of((*found.values_path, "a", "c")) == 14


@pytest.mark.parametrize(
    "helm",
    ["valueFiles: [https://example.com/v.yaml]", "valueFiles: [$values/v.yaml]", "valueFiles: [v.yaml]", "valueFiles: [/v.yaml]", "values: 'a: ['",
     "values: '- 1'", "parameters: [{name: 'a[0]', value: x}, {name: b, value: c}]", "fileParameters: [{name: a, path: b}]"],
)  # fmt: skip
def test_values_that_can_not_be_read_leave_the_rest_unknown(helm):
    found = release(f"{SOURCE}    helm: {{{helm}}}\n")
    assert not found.complete
    assert isinstance(found.value("driver", "enabled"), Unknown)


def test_missing_files_of_values_may_be_meant():
    assert release(f"{SOURCE}    helm: {{valueFiles: [$values/v.yaml], ignoreMissingValueFiles: true}}\n").complete


@pytest.mark.parametrize(("written", "expected"), [("26.3", "26.3"), ("${V}", "${V}"), ("'*'", "*")])
def test_the_version_is_as_written(written, expected):
    assert plain(release(SOURCE.replace("v26.7.0", written)).version) == expected


def test_of_several_sources_each_with_a_chart_is_a_release():
    found = read_text(
        f"{HEAD}  sources:\n  - {{chart: gpu-operator, targetRevision: v26.7.0}}\n  - {{chart: nvdp, targetRevision: '0.20'}}\n  - {{ref: values}}\n"
    )
    assert [(each.chart, each.version) for each in found.releases] == [("gpu-operator", "v26.7.0"), ("nvidia-device-plugin", "0.20")]


def test_values_may_be_in_a_source_of_the_same_tree(folder):
    spec = f"  sources:\n  - chart: gpu-operator\n    helm: {{valueFiles: [$values/gpu/v.yaml]}}\n  - {{repoURL: {OWN}, ref: values}}\n"
    (found,) = folder({"apps/gpu.yaml": HEAD + spec, "gpu/v.yaml": "driver:\n  enabled: false\n"}).releases
    assert (found.values, found.complete) == ({"driver": {"enabled": False}}, True)
    assert place(found, *found.values_path, "driver", "enabled") == ("gpu/v.yaml", 2)
    assert place(found) == ("apps/gpu.yaml", 1)


def test_a_folder_of_manifests_is_followed_into_the_namespace_of_the_application(folder):
    path = f"  source: {{repoURL: {OWN}, path: gpu}}\n"
    role = "apiVersion: v1\nkind: ClusterRole\nmetadata: {name: r}\n"
    inputs = folder(
        {
            "apps/gpu.yaml": HEAD + path,
            "gpu/pod.yaml": f"{POD}---\n{role}",
            "gpu/more/pod.yaml": POD,
            "gpu/n.yaml": POD.replace("p}", "q, namespace: x}"),
        }
    )
    assert [each.label for each in inputs.objects if each.kind != "Application"] == ["Pod x/q", "Pod gpu-operator/p", "ClusterRole r"]
    assert [(each.file, each.reason) for each in inputs.skipped] == [("gpu/more/pod.yaml", "not deployed by any object of Flux or Argo CD")]


@pytest.mark.parametrize(
    ("directory", "expected"),
    [
        ("{recurse: true}", ["a", "b", "c"]),
        ("{include: 'a*'}", ["a"]),
        ("{exclude: '{a.yaml,x}'}", ["b"]),
        ("{recurse: true, include: '{sub/*,b.yaml}'}", ["b", "c"]),
    ],
)
def test_a_folder_may_be_taken_in_part_or_whole(folder, directory, expected):
    files = {f"gpu/{path}.yaml": POD.replace("p}", f"{path[-1]}}}") for path in ("a", "b", "sub/c")}
    inputs = folder({"app.yaml": f"{HEAD}  source: {{repoURL: {OWN}, path: gpu, directory: {directory}}}\n", **files})
    assert sorted(each.name for each in inputs.of_kind("Pod")) == expected


def test_a_kustomization_is_built_and_the_application_may_change_it(folder):
    files = {"gpu/kustomization.yaml": "resources: [pod.yaml]\nhelmCharts: [{name: nvdp}]\n", "gpu/pod.yaml": POD}
    inputs = folder({"app.yaml": f"{HEAD}  source: {{repoURL: {OWN}, path: gpu, kustomize: {{commonLabels: {{a: b}}}}}}\n", **files})
    (pod,) = inputs.of_kind("Pod")
    assert (pod.namespace, pod.labels) == ("gpu-operator", {"a": "b"})
    assert [(each.chart, each.namespace) for each in inputs.releases] == [("nvidia-device-plugin", "gpu-operator")]


def test_an_application_of_applications_is_followed(folder):
    leaf = HEAD.replace("name: gpu,", "name: leaf,") + f"  source: {{repoURL: {OWN}, path: leaf}}\n"
    inputs = folder({"root.yaml": f"{HEAD}  source: {{repoURL: {OWN}, path: apps}}\n", "apps/leaf.yaml": leaf, "leaf/pod.yaml": POD})
    assert [each.name for each in inputs.of_kind("Application", "Pod")] == ["leaf", "gpu", "p"]


def test_a_path_of_another_repository_is_not_followed(folder):
    others = "".join(f"{HEAD}  source: {{repoURL: {OWN}, path: x{n}}}\n---\n" for n in range(3))
    foreign = f"{HEAD}  source: {{repoURL: https://example.com/other, path: gpu}}\n"
    inputs = folder({"apps.yaml": others + foreign, "gpu/pod.yaml": POD, "x0/pod.yaml": POD.replace("p}", "mine}")})
    assert [each.name for each in inputs.of_kind("Pod")] == ["mine"]


def test_a_circle_of_applications_ends(folder):
    inputs = folder({"app.yaml": f"{HEAD}  source: {{repoURL: {OWN}, path: .}}\n"})
    assert [each.name for each in inputs.objects] == ["gpu"]


def test_the_namespace_that_argo_cd_labels_is_a_namespace():
    (namespace,) = read_text(
        f"{HEAD}  syncPolicy:\n    managedNamespaceMetadata:\n      labels: {{pod-security.kubernetes.io/enforce: privileged}}\n"
    ).of_kind("Namespace")
    assert (namespace.name, namespace.labels) == ("gpu-operator", {"pod-security.kubernetes.io/enforce": "privileged"})
    assert (namespace.line_of(("metadata", "labels")), namespace.line_of(())) == (8, 7)


WRAPPER = "apiVersion: v2\nname: wrap\ndependencies:\n- {name: gpu-operator, version: v26.7.0}\n- {name: nvdp, alias: plugin, version: '0.20', condition: plugin.enabled}\n"


@pytest.mark.parametrize(("on", "charts"), [("true", ["gpu-operator", "nvidia-device-plugin"]), ("false", ["gpu-operator"])])
def test_a_chart_that_wraps_others_is_their_releases(folder, on, charts):
    values = f"gpu-operator:\n  driver: {{enabled: false}}\n  a: 1\nplugin: {{enabled: {on}, gfd: {{enabled: true}}}}\n"
    spec = f"  source: {{repoURL: {OWN}, path: gpu, helm: {{valueFiles: [more.yaml]}}}}\n"
    inputs = folder(
        {"app.yaml": HEAD + spec, "gpu/Chart.yaml": WRAPPER, "gpu/values.yaml": values, "gpu/more.yaml": "gpu-operator: {a: 2}\n"}
    )
    assert [each.chart for each in inputs.releases] == charts
    operator = inputs.releases[0]
    assert operator.label == "gpu-operator v26.7.0 (gpu-operator/gpu)"
    assert operator.values == {"driver": {"enabled": False}, "a": 2}
    assert place(operator) == ("gpu/Chart.yaml", 4)
    assert inputs.skipped == ()
    assert place(operator, *operator.values_path, "driver") == ("gpu/values.yaml", 2)
    assert place(operator, *operator.values_path, "a") == ("gpu/more.yaml", 1)


def test_applications_that_a_chart_makes_are_read_with_what_is_made_beside_them(folder):
    template = f"{HEAD}  source:\n{CHART}  project: {{{{ .Values.project }}}}-x\n"
    inputs = folder(
        {
            "root/Chart.yaml": "name: root\n",
            "root/templates/gpu.yaml": template,
            "root/templates/ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: gpu-operator, labels: {{ .Values.labels }}}\n",
            "root/charts/x/y.yaml": POD,
            "gpu/Chart.yaml": "name: gpu\n",
            "gpu/templates/pod.yaml": POD,
        }
    )
    assert [each.label for each in inputs.releases] == ["gpu-operator v26.7.0 (gpu-operator/gpu)"]
    assert [each.label for each in inputs.of_kind("Namespace", "Pod")] == ["Namespace gpu-operator"]
    root = f"{HEAD}  source: {{repoURL: {OWN}, path: root}}\n".replace("name: gpu,", "name: root,")
    assert folder({"root.yaml": root}).releases[0].label == "gpu-operator v26.7.0 (gpu-operator/gpu)"
    assert [each.label for each in inputs.of_kind("Namespace", "Pod")] == ["Namespace gpu-operator"]
    reason = "a Helm chart: only its releases and its rendered manifests are checked"
    assert [(each.file, each.reason) for each in inputs.skipped] == [("gpu", reason), ("root", reason)]


def test_what_such_a_chart_makes_is_reached_through_the_application_that_deploys_it(folder):
    root = f"{HEAD}  source: {{repoURL: {OWN}, path: root}}\n"
    leaf = f"{HEAD}  source: {{chart: nvdp}}\n".replace("name: gpu,", "name: leaf,")
    files = {"root/Chart.yaml": "name: root\n", "root/templates/leaf.yaml": leaf, "root/templates/pod.yaml": POD}
    inputs = folder({"kustomization.yaml": "resources: [root.yaml]\n", "root.yaml": root, **files})
    assert [each.chart for each in inputs.releases] == ["nvidia-device-plugin"]
    assert [each.name for each in inputs.of_kind("Pod")] == ["p"]


def test_a_later_value_file_is_above_an_earlier_one(folder):
    files = "[$values/gpu/one.yaml, $values/gpu/two.yaml]"
    spec = f"  sources:\n  - chart: gpu-operator\n    helm: {{valueFiles: {files}}}\n  - {{repoURL: {OWN}, ref: values}}\n"
    (found,) = folder({"apps/gpu.yaml": HEAD + spec, "gpu/one.yaml": "a: 1\nb: 1\n", "gpu/two.yaml": "b: 2\n"}).releases
    assert found.values == {"a": 1, "b": 2}
