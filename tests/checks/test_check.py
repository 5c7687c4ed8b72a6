"""The checks as a function: of paths, and of manifests that a program made."""

from pathlib import Path

import pytest
from cdk8s import Testing

from conftest import message
from constructs_lib import GpuNodes, GpuWorkload, NvidiaRuntimeClass, StandaloneDevicePlugin, check
from constructs_lib.checks.rule import Finding, Severity
from constructs_lib.checks.rules import RULES

NODES = GpuNodes(talos_version="1.12")
HALF = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "half", "namespace": "ai"},
    "spec": {"containers": [{"name": "a", "image": "a:1", "resources": {"limits": {"nvidia.com/gpu": 0.5}}}]},
}
YAML = """\
apiVersion: v1
kind: Pod
metadata: {name: half, namespace: ai}
spec: {containers: [{name: a, image: 'a:1', resources: {limits: {nvidia.com/gpu: 0.5}}}]}
"""


def errors(given, **more):
    return [(each.rule, each.file, each.line, each.object) for each in check(given, **more) if each.severity is Severity.ERROR]


def test_manifests_are_judged_without_a_file():
    assert errors([HALF]) == [("TG045", "", None, "Pod ai/half")]


@pytest.mark.parametrize("given", [lambda path: path, str, lambda path: [path], lambda path: [str(path)], lambda path: path.parent])
def test_paths_are_judged_by_file_and_line(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pod.yaml").write_text(YAML)
    (found,) = errors(given(tmp_path / "pod.yaml"))

    assert (found[0], Path(found[1]).name, found[2]) == ("TG045", "pod.yaml", 4)


def test_bare_values_are_those_of_the_chart_that_is_named(tmp_path):
    (tmp_path / "values.yaml").write_text("driver: {enabled: true}\n")

    assert "TG010" in [rule for rule, *_ in errors(tmp_path / "values.yaml", chart="gpu-operator@v26.7.0", talos_version="1.13")]


def test_a_chart_of_ours_has_no_errors():
    chart = Testing.chart()
    NvidiaRuntimeClass(chart, "runtime-class")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=NODES)
    GpuWorkload(chart, "ollama", nodes=NODES, image="ollama/ollama:0.32.15")

    assert errors(Testing.synth(chart), nodes=NODES) == []


@pytest.mark.parametrize("nodes", [NODES, [NODES], (NODES,)])
def test_rules_see_the_nodes_and_their_talos(monkeypatch, nodes):
    seen = []
    monkeypatch.setattr("constructs_lib.checks.check.run_rules", lambda inputs, **_: seen.append(inputs) or [])
    check([HALF], nodes=nodes, kubernetes_version="1.35")

    assert (seen[0].nodes, str(seen[0].talos_version), seen[0].kubernetes_version) == ((NODES,), "1.12", "1.35")


def test_rules_are_selected_and_ignored():
    assert [each.rule for each in check([HALF], select=["TG045"])] == ["TG045"]
    assert "TG045" not in [each.rule for each in check([HALF], ignore=["TG045"])]
    assert [each.rule for each in check([HALF], select=iter(["TG045"]))] == ["TG045"]


def test_what_is_silenced_is_not_there():
    metadata = {"name": "half", "annotations": {f"talos-gpu/ignore-{rule}": "a test" for rule in RULES}}

    assert check([{**HALF, "metadata": metadata}]) == []


def test_a_finding_is_a_value():
    (found,) = check([HALF], select=["TG045"])

    assert found == Finding(
        rule="TG045", severity=Severity.ERROR, message=found.message, fix=found.fix, file="", line=None, object="Pod ai/half", ignored=None
    )


@pytest.mark.parametrize(
    ("given", "more", "error", "said"),
    [
        (HALF, {}, TypeError, "'given' must be paths of files and folders, or manifests (got {"),
        (1, {}, TypeError, "'given' must be paths of files and folders, or manifests (got 1)"),
        ([HALF, "a.yaml"], {}, TypeError, "'given' must be paths of files and folders, or manifests (got {"),
        ([HALF], {"nodes": ["1.12"]}, TypeError, "'nodes' must be GpuNodes, or several (got '1.12')"),
        ([HALF], {"nodes": 5}, TypeError, "'nodes' must be GpuNodes, or several (got 5)"),
        ([HALF], {"kubernetes_version": 1.35}, TypeError, "'kubernetes_version' must be a Kubernetes version such as '1.35' (got 1.35)"),
        ([HALF], {"chart": 5}, TypeError, "'chart' must be a chart's name, such as 'gpu-operator@v26.7.0' (got 5)"),
        (
            [HALF],
            {"select": "TG007"},
            TypeError,
            "'select' must be a list of rules' ids, such as ['TG007'] (got 'TG007'); did you mean ['TG007']?",
        ),
        ([HALF], {"ignore": [7]}, TypeError, "'ignore' must be a list of rules' ids, such as ['TG007'] (got 7)"),
        ([HALF], {"talos_version": "1.7"}, ValueError, "'talos_version' must be a Talos version such as '1.14'"),
        ([HALF], {"select": ["TG1"]}, ValueError, "'select' must be a rule's id, such as 'TG007' (got 'TG1')"),
        (
            [HALF],
            {"talos_versions": "1.12"},
            TypeError,
            "'talos_versions' must be an argument of check (got talos_versions='1.12'); did you mean 'talos_version'?",
        ),
    ],
)
def test_what_is_wrong_with_the_arguments_is_said(given, more, error, said):
    assert message(lambda: check(given, **more), error).startswith(said)


def test_a_path_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        check(tmp_path / "nowhere.yaml")
