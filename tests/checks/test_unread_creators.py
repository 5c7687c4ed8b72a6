"""What is known to be deployed and was not read may create what seems missing: a remark that names it, and no warning."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: cuda, namespace: ai}
spec: {runtimeClassName: nvidia, containers: [{name: a, image: nvidia/cuda:13.0.1-base-ubuntu24.04, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
REMOTE = "https://github.com/example/base//gpu?ref=v1"
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: stack, namespace: argocd}
spec: {destination: {name: in-cluster, namespace: gpu}, source: {repoURL: https://git.example.com/a, path: chart, targetRevision: main}}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: stack, namespace: gpu}
spec: {chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: flux-system}}}}
"""
CLASS = "apiVersion: node.k8s.io/v1\nkind: %s\nmetadata: {name: nvidia, labels: {a: {{ .Release.Name }}}}\nhandler: nvidia\n"


def chart(kind: str) -> dict[str, str]:
    return {"chart/Chart.yaml": "apiVersion: v2\nname: stack\nversion: 1.0.0\n", "chart/templates/class.yaml": CLASS % kind}


PLUGIN = "{name: nvidia-device-plugin, version: 0.20.0, repository: https://nvidia.github.io/k8s-device-plugin}"
WRAPPER = {
    "chart/Chart.yaml": f"apiVersion: v2\nname: stack\nversion: 1.0.0\ndependencies: [{PLUGIN}]\n",
    "chart/values.yaml": "nvidia-device-plugin: {runtimeClassName: nvidia}\n",
}

CREATORS = {
    "a remote base": ({"kustomization.yaml": f"resources: [pod.yaml, '{REMOTE}']\n"}, f"'{REMOTE}' was not read"),
    "a chart of Argo CD": (
        {"app.yaml": APPLICATION, **chart("RuntimeClass"), **WRAPPER},
        "the chart's templates are not rendered",
    ),
    "a chart of Flux": ({"release.yaml": RELEASE, **chart("RuntimeClass")}, "the chart's templates are not rendered"),
}
NONE = {
    "a local base": {"kustomization.yaml": "resources: [pod.yaml, base]\n", "base/kustomization.yaml": "resources: []\n"},
    "a chart with another kind": {"release.yaml": RELEASE, **chart("PriorityClass")},
    "a chart that nothing installs": chart("RuntimeClass"),
}


@pytest.fixture
def missing(tmp_path, monkeypatch):
    """The findings about a RuntimeClass that nothing creates."""
    monkeypatch.chdir(tmp_path)

    def judged(files):
        for name, text in {"pod.yaml": POD, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return run_rules(read(["."], talos="1.13"), select=["TG041"])

    return judged


@pytest.mark.parametrize("name", CREATORS)
def test_what_was_not_read_may_create_what_seems_missing(missing, name):
    files, reason = CREATORS[name]
    (found,) = missing(files)

    assert (str(found.severity), found.is_doubt) == ("remark", True)
    assert reason in found.message


@pytest.mark.parametrize("name", NONE)
def test_what_creates_no_such_object_is_no_doubt(missing, name):
    assert [str(each.severity) for each in missing(NONE[name])] == ["warning"]
