"""The parts of a tree that were not read: a reference is always named, because nobody knows what it holds."""

import pytest

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import Outcome, differences, outcome
from constructs_lib.observed.read.repository import read

RUNTIME_CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n"


def adopted(folder, **files):
    """The outcome and the lines of a folder with these files."""
    (folder / "rc.yaml").write_text(RUNTIME_CLASS)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    adoption = adopt(read([folder]), "1.14.0")
    explained = differences(adoption)
    return outcome(adoption, explained), [each.text for each in explained]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("../base", "'../base' is outside of the repository"),
        ("https://github.com/acme/gpu-stack//base?ref=v1", "is not a local path"),
        ("missing.yaml", "No such file or directory"),
    ],
)
def test_a_resource_of_a_kustomization_that_was_not_read_is_not_understood(tmp_path, written, reason):
    folder = tmp_path / "prod"
    folder.mkdir()
    (tmp_path / "base").mkdir()
    result, lines = adopted(folder, kustomization=f'resources: ["{written}", rc.yaml]\n')

    assert result is Outcome.PARTLY
    assert any(line.startswith("not understood") and reason in line for line in lines)


def test_a_folder_that_was_read_whole_is_whole(tmp_path):
    assert adopted(tmp_path, kustomization="resources: [rc.yaml]\n")[0] is Outcome.WHOLE


def test_a_folder_of_flux_outside_of_the_repository_is_not_understood(tmp_path):
    deployer = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: gpus, namespace: flux-system}\n"
    result, lines = adopted(
        tmp_path, deployer=f"{deployer}spec: {{path: ../../elsewhere, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )

    assert result is Outcome.PARTLY
    assert any("'../../elsewhere' is outside of the repository" in line for line in lines)


def test_a_patch_of_a_node_that_was_not_read_is_not_understood(tmp_path):
    node = "{hostname: g, kernelModules: [{name: nvidia}], patches: ['@missing.yaml']}"
    result, lines = adopted(tmp_path, talconfig=f"clusterName: home\nendpoint: https://10.0.0.1:6443\nnodes: [{node}]\n")

    assert result is Outcome.PARTLY
    assert any("missing.yaml can't be read" in line for line in lines)
