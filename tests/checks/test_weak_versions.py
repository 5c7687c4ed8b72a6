"""A Talos version that only one file of variables states makes no error."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Severity
from constructs_lib.observed.read.repository import read, read_text

OPERATOR = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu-operator}
spec:
  chart: {spec: {chart: gpu-operator, version: v26.7.0}}
  values: {toolkit: {enabled: true}, driver: {enabled: true}}
"""
HALF = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 0.5}}}]}\n"
UPGRADE = "apiVersion: tuppr.home-operations.com/v1alpha1\nkind: TalosUpgrade\nmetadata: {name: t}\nspec: {talos: {version: v1.12.4}}\n"


def errors(inputs):
    return {each.rule for each in run_rules(inputs) if each.severity is Severity.ERROR}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "operator.yaml").write_text(OPERATOR)
    (tmp_path / "versions.env").write_text("# renovate\nTALOS_VERSION=v1.12.4\n")
    return tmp_path


def test_an_error_that_needs_the_version_of_one_file_of_variables_is_a_warning_that_names_the_file(folder):
    weak = run_rules(read([folder]))
    sure = run_rules(read([folder], talos="1.12.4"))

    needing = {(each.rule, each.line) for each in sure if each.severity is Severity.ERROR} - {
        (each.rule, each.line) for each in run_rules(read([folder / "operator.yaml"])) if each.severity is Severity.ERROR
    }
    assert needing
    softened = [each for each in weak if (each.rule, each.line) in needing]
    assert {each.severity for each in softened} == {Severity.WARNING}
    place = f"{folder}/versions.env:2"
    assert all(each.message.endswith(f" (Talos 1.12.4 is known only from {place})") for each in softened)


def test_an_error_that_stands_without_the_version_stays_an_error(folder):
    (folder / "pod.yaml").write_text(HALF)

    assert errors(read([folder])) == {"TG045"}
    (found,) = [each for each in run_rules(read([folder])) if each.rule == "TG045"]
    assert "known only" not in found.message


@pytest.mark.parametrize("more", ["upgrade.yaml", "more.env"])
def test_two_files_that_agree_are_no_weak_source(folder, more):
    (folder / more).write_text(UPGRADE if more.endswith("yaml") else "TALOS_VERSION=1.12.4\n")

    assert errors(read([folder])) == errors(read([folder], talos="1.12")) != set()


def test_two_clusters_of_one_minor_version_do_not_confirm_each_other(folder):
    (folder / "more.env").write_text("TALOS_VERSION=1.12.6\n")

    assert errors(read([folder], talos="1.12")) != errors(read([folder])) == set()


def test_an_object_that_upgrades_nodes_is_no_weak_source():
    inputs = read_text(f"{OPERATOR}---\n{UPGRADE}")

    assert inputs.weak_talos is None
    assert errors(inputs) == errors(read_text(OPERATOR, talos="1.12")) != set()


def test_a_variable_of_flux_is_a_weak_source():
    variables = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k}\n"
        "spec:\n  postBuild:\n    substitute:\n      TALOS_VERSION: v1.12.4\n"
    )
    inputs = read_text(f"{OPERATOR}---\n{variables}", file="all.yaml")

    assert (inputs.weak_talos.file, inputs.weak_talos.line) == ("all.yaml", 14)
    assert errors(inputs) == set()
