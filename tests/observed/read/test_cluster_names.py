"""The clusters that a repository holds, and that a report judges as one."""

import pytest

from constructs_lib.observed.read.repository import read

TALCONFIG = "clusterName: {name}\nendpoint: https://a\nnodes:\n  - hostname: a\n"
TEMPLATE = "kind: Cluster\nname: {name}\ntalos: {{version: v1.13.7}}\n---\nkind: ControlPlane\nmachines: [a]\n"
MACHINE = "machine: {{type: worker}}\ncluster:\n  clusterName: {name}\n"
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}}}
spec: {{path: ./apps/{name}}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}}}
spec: {{source: {{repoURL: https://git.example.com/a, path: apps/{name}}}}}
"""


@pytest.fixture
def clusters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read_all(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return read(["."]).clusters

    return read_all


@pytest.mark.parametrize("form", [TALCONFIG, TEMPLATE, MACHINE])
def test_each_name_in_the_configurations_of_talos_is_a_cluster(clusters, form):
    files = {f"talos/{name}/{index}.yaml": form.format(name=name) for name in ("prod", "dev") for index in range(2)}

    assert sorted(clusters(files)) == ["dev (talos/dev/0.yaml)", "prod (talos/prod/0.yaml)"]


@pytest.mark.parametrize("form", [FLUX, APPLICATION])
def test_each_folder_of_clusters_with_a_deployer_is_a_cluster(clusters, form):
    files = {f"kubernetes/clusters/{name}/apps/{name}.yaml": form.format(name=name) for name in ("prod", "dev")}
    files |= {f"apps/{name}/pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n" for name in ("prod", "dev")}
    files["kubernetes/clusters/notes/pod.yaml"] = files["apps/dev/pod.yaml"]

    assert sorted(clusters(files)) == ["dev (kubernetes/clusters/dev)", "prod (kubernetes/clusters/prod)"]


@pytest.mark.parametrize("name", ["${CLUSTER}", ""])
def test_a_name_that_is_no_text_is_no_cluster(clusters, name):
    assert clusters({"talconfig.yaml": TALCONFIG.format(name=name)}) == ()
