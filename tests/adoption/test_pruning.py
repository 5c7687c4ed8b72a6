"""What leaves the repository once the new files are applied, below a deployer that deletes what leaves its files."""

import pytest

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import AFTER, removals
from constructs_lib.observed.read.repository import read

CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia%s}\nhandler: nvidia\n"
WORDS = "deletes from the cluster what leaves its files: put the new file in their place in the same commit"
FLUX = f"{WORDS}, or first let it apply the annotation kustomize.toolkit.fluxcd.io/prune: disabled on them"
ARGO = f"{WORDS}, or first let it apply the annotation argocd.argoproj.io/sync-options: Prune=false on them"


def kustomization(prune):
    return (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: gpu, namespace: flux-system}\n"
        f"spec:\n  interval: 1h\n  path: ./gpu\n  prune: {prune}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n"
    )


def application(policy):
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: gpu, namespace: argocd}\nspec:\n  project: default\n"
        f"  destination: {{server: https://kubernetes.default.svc, namespace: gpu}}\n  syncPolicy: {policy}\n"
        "  source: {repoURL: https://github.com/me/home, path: gpu, targetRevision: main}\n"
    )


def removal(tmp_path, deployer, annotations=""):
    (tmp_path / ".git").mkdir()
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / "class.yaml").write_text(CLASS % annotations)
    (tmp_path / "deployer.yaml").write_text(deployer)
    (found,) = removals(adopt(read([tmp_path]), "1.14.0"))
    assert found.when == AFTER
    return found


@pytest.mark.parametrize(
    ("deployer", "pruning"),
    [
        (kustomization("true"), f"Kustomization flux-system/gpu {FLUX}"),
        (kustomization("${PRUNE}"), f"Kustomization flux-system/gpu {FLUX}"),
        (
            kustomization("true").replace("./gpu", "./elsewhere"),
            f"a Kustomization of Flux with prune: true, if one applies this file, {FLUX}",
        ),
        (application("{automated: {prune: true}}"), f"Application argocd/gpu {ARGO}"),
        (kustomization("false"), ""),
        (application("{automated: {}}"), ""),
        (application("{}"), ""),
        ("", ""),
    ],
    ids=("Flux", "unknown", "Flux elsewhere", "Argo CD", "Flux without", "Argo CD without", "Argo CD by hand", "none"),
)
def test_a_deployer_that_would_delete_the_new_object_is_named(tmp_path, deployer, pruning):
    found = removal(tmp_path, deployer)

    assert found.pruning == pruning
    assert found.text.endswith(f": RuntimeClass nvidia{f'; {pruning}' if pruning else ''}")


@pytest.mark.parametrize(
    ("deployer", "annotation"),
    [
        (kustomization("true"), "kustomize.toolkit.fluxcd.io/prune: disabled"),
        (application("{automated: {prune: true}}"), 'argocd.argoproj.io/sync-options: "ServerSideApply=true,Prune=false"'),
    ],
)
def test_an_object_that_its_deployer_keeps_needs_no_word(tmp_path, deployer, annotation):
    assert removal(tmp_path, deployer, f", annotations: {{{annotation}}}").pruning == ""
