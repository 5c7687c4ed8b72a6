"""TG128: objects of the GPU stack that two deployers of one cluster apply."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read

RUNTIME_CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n"
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: ai}\n"


def flux(name, path, spec=""):
    return f"""\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec: {{path: {path}, prune: true, sourceRef: {{kind: GitRepository, name: flux-system}}{spec}}}
"""


def argo(name, path, server="https://kubernetes.default.svc"):
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec: {{source: {{repoURL: "https://git.example/home", path: {path}}}, destination: {{server: "{server}", namespace: gpu}}}}
"""


@pytest.fixture
def tree(tmp_path):
    def findings(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_yaml", ".yaml")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return [(str(each.severity), each.object, each.message) for each in run_rules(read([tmp_path]), select=["TG128"])]

    return findings


def shared(first, second):
    return [
        (
            "warning",
            "RuntimeClass nvidia",
            (
                f"RuntimeClass nvidia is applied by {first} and by {second}. Each takes the object over in turn, and pruning by one of them may delete the "
                "object"
            ),
        )
    ]


def test_one_file_in_two_kustomizations_has_two_owners(tree):
    both = flux("plugin", "./gpu") + "---\n" + flux("workloads", "./gpu")
    assert tree(cluster__all_yaml=both, gpu__class_yaml=RUNTIME_CLASS) == shared("Kustomization plugin", "Kustomization workloads")


def test_owners_in_two_files_of_one_folder_are_compared(tree):
    files = {"cluster__a_yaml": flux("plugin", "./gpu"), "cluster__b_yaml": flux("workloads", "./gpu")}
    assert tree(**files, gpu__class_yaml=RUNTIME_CLASS) == shared("Kustomization plugin", "Kustomization workloads")


def test_one_name_in_two_folders_has_two_owners(tree):
    both = flux("plugin", "./gpu") + "---\n" + flux("workloads", "./ai")
    found = tree(cluster__all_yaml=both, gpu__class_yaml=RUNTIME_CLASS, ai__class_yaml=RUNTIME_CLASS)
    assert found == shared("Kustomization plugin", "Kustomization workloads")


def test_two_applications_for_one_cluster_share_an_object(tree):
    both = argo("plugin", "gpu") + "---\n" + argo("workloads", "gpu")
    assert tree(cluster__all_yaml=both, gpu__class_yaml=RUNTIME_CLASS) == shared("Application plugin", "Application workloads")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (flux("plugin", "./gpu"), flux("workloads", "./gpu", ", suspend: true")),
        (flux("plugin", "./gpu"), flux("workloads", "./gpu", ", kubeConfig: {secretRef: {name: other-cluster}}")),
        (argo("plugin", "gpu"), argo("workloads", "gpu", server="https://other.example")),
    ],
)
def test_a_deployer_that_is_suspended_or_for_another_cluster_is_no_owner_here(tree, first, second):
    assert tree(cluster__all_yaml=first + "---\n" + second, gpu__class_yaml=RUNTIME_CLASS) == []


def test_two_clusters_of_one_repository_may_share_a_folder(tree):
    assert tree(a__all_yaml=flux("gpu-a", "./gpu"), b__all_yaml=flux("gpu-b", "./gpu"), gpu__class_yaml=RUNTIME_CLASS) == []


def test_the_deployers_of_one_parent_are_of_one_cluster_wherever_they_are_written(tree):
    found = tree(
        cluster__all_yaml=flux("apps", "./apps"),
        apps__kustomization_yaml="resources: [plugin/ks.yaml, workloads/ks.yaml]\n",
        apps__plugin__ks_yaml=flux("plugin", "./gpu"),
        apps__workloads__ks_yaml=flux("workloads", "./gpu"),
        gpu__class_yaml=RUNTIME_CLASS,
    )
    assert [message.partition(". ")[0] for _, _, message in found] == [
        "RuntimeClass nvidia is applied by Kustomization plugin and by Kustomization workloads"
    ]


def test_objects_of_other_stacks_are_not_judged(tree):
    both = flux("plugin", "./gpu") + "---\n" + flux("workloads", "./gpu")
    assert tree(cluster__all_yaml=both, gpu__class_yaml=OTHER) == []
