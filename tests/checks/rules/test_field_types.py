"""TG139: bools and numbers where Kubernetes' schema has strings, in objects and in values that charts print as they are."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules._shared import RUNTIME_CLASS, in_deployment, plugin_release, pod
from constructs_lib.observed.read.repository import read, read_text

GPU = "          resources: {limits: {nvidia.com/gpu: 1}}\n"
APP = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ollama, namespace: ai}
spec:
  chart: {spec: {chart: app-template, version: 4.1.1}}
  values:
    controllers:
      ollama:
        pod: {runtimeClassName: nvidia, nodeSelector: {gpu: %s}}
        containers: {main: {env: {PORT: 8080}, resources: {limits: {nvidia.com/gpu: 1}}}}
"""


def mistyped(text: str) -> list[str]:
    return [each.message.split(", and")[0] for each in run_rules(read_text(text)) if each.rule == "TG139"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (pod(spec="  nodeSelector: {gpu: true}\n"), "spec.nodeSelector.gpu is read as true"),
        (pod(spec="  tolerations: [{key: gpu, value: true}]\n"), "spec.tolerations.0.value is read as true"),
        (pod().replace("namespace: ollama}", "namespace: ollama, annotations: {port: 8080}}"), "metadata.annotations.port is read as 8080"),
        (pod("      env: [{name: PORT, value: 8080}]\n      resources: {limits: {nvidia.com/gpu: 1}}\n"), "spec.containers.0.env.0.value is read as 8080"),
        (in_deployment('  replicas: "1"\n'), "spec.replicas is 1"),
        (in_deployment("").replace("metadata: {labels: {app: ollama}}", "metadata: {labels: {app: ollama, version: 1}}"), "spec.template.metadata.labels.version is read as 1"),
        (plugin_release(nodes="{gpu: true}"), "spec.values.nodeSelector.gpu is read as true"),
        (RUNTIME_CLASS + "---\n" + APP % "true", "spec.values.controllers.ollama.pod.nodeSelector.gpu is read as true"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_named_with_its_path(text: str, fault: str) -> None:
    assert mistyped(text) == [fault]


@pytest.mark.parametrize(
    "text",
    [
        pod(spec='  nodeSelector: {gpu: "true"}\n'),
        pod(spec="  nodeSelector: {gpu: ${GPU}}\n"),
        pod(
            '      ports: [{containerPort: 80}]\n      readinessProbe: {httpGet: {port: http}}\n      resources: {limits: {nvidia.com/gpu: "1"}}\n'
        ),
        RUNTIME_CLASS + "---\n" + APP % '"true"',
    ],
)
def test_right_and_unknown_types_are_silent(text: str) -> None:
    assert mistyped(text) == []


BUILT = pod("      env: [{name: UI, value: %s}]\n      resources: {limits: {nvidia.com/gpu: 1}}\n")


@pytest.mark.parametrize("word", ["yes", "off", "On"])
@pytest.mark.parametrize("kustomization", ["", "resources: [pod.yaml]\n"])
def test_a_word_that_kustomize_reads_as_a_text_is_silent(tmp_path, word: str, kustomization: str) -> None:
    (tmp_path / "pod.yaml").write_text(BUILT % word)
    if kustomization:
        (tmp_path / "kustomization.yaml").write_text(kustomization)

    assert [each.rule for each in run_rules(read([tmp_path])) if each.rule == "TG139"] == []


@pytest.mark.parametrize("word", ["true", "False"])
def test_a_word_that_every_tool_reads_as_a_bool_is_found_in_a_build(tmp_path, word: str) -> None:
    (tmp_path / "pod.yaml").write_text(BUILT % word)
    (tmp_path / "kustomization.yaml").write_text("resources: [pod.yaml]\n")

    assert [each.rule for each in run_rules(read([tmp_path])) if each.rule == "TG139"] == ["TG139"]
