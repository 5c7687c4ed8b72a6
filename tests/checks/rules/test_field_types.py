"""TG139: bools and numbers where Kubernetes' schema has strings, in objects and in values that charts print as they are."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Severity
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


BESIDE_PODS = {
    "v1\nkind: Namespace\nmetadata: {name: ollama, labels: {a: %s}}\n": "metadata.labels.a",
    "node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia-2}\nhandler: nvidia\nscheduling: {nodeSelector: {a: %s}}\n": "scheduling.nodeSelector.a",
    "node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia-2}\nhandler: nvidia\nscheduling: {tolerations: [{value: %s}]}\n": "scheduling.tolerations.0.value",
    "v1\nkind: Service\nmetadata: {name: b, namespace: ollama}\nspec: {selector: {a: %s}, ports: [{port: 80}]}\n": "spec.selector.a",
    "v1\nkind: ConfigMap\nmetadata: {name: b, namespace: ollama}\ndata: {a: %s}\n": "data.a",
    "v1\nkind: PersistentVolumeClaim\nmetadata: {name: b, namespace: ollama}\nspec: {selector: {matchLabels: {a: %s}}}\n": "spec.selector.matchLabels.a",
    "own.io/v1\nkind: Service\nmetadata: {name: b, namespace: ollama, annotations: {a: %s}}\nspec: {selector: {a: true}}\n": "metadata.annotations.a",
}  # fmt: skip


@pytest.mark.parametrize("text", BESIDE_PODS)
def test_maps_of_strings_of_the_objects_beside_gpu_pods_hold_strings(text):
    def messages(value):
        return mistyped(f"{pod()}---\napiVersion: {text % value}")

    assert messages("true") == [f"{BESIDE_PODS[text]} is read as true"]
    assert messages('"true"') == messages("${A}") == messages("null") == []
    elsewhere = text.replace("ollama", "web").replace("nvidia", "kata")
    assert mistyped(f"{pod()}---\napiVersion: {elsewhere % 'true'}") == []


@pytest.mark.parametrize(
    "value", ["", "{}", "[]", "[1]", "${A}", "{${A}: 1}", "{a: }", "{a: 2024-01-01}", "{a: !!binary aGk=}", "{a: .inf}"]
)
def test_maps_without_a_known_value_of_another_type_are_silent(value):
    assert (
        mistyped(f"{pod()}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: b, namespace: ollama, labels: {value}}}\ndata: {value}\n")
        == []
    )


@pytest.mark.parametrize("about", ["${A}\nkind: ConfigMap\nmetadata: {name: b, namespace: ollama}", "v1\nkind: ConfigMap\nmetadata: {name: b, namespace: '${A}'}", "v1\nkind: Namespace\nmetadata: {name: '${A}'}"])  # fmt: skip
def test_an_object_of_an_unknown_version_or_namespace_is_silent(about):
    assert mistyped(f"{pod()}---\napiVersion: {about}\ndata: {{a: true}}\n") == []


def found_in(text):
    (found,) = (each for each in run_rules(read_text(f"{pod()}---\n{text}")) if each.rule == "TG139")
    return found.message


def test_what_the_provider_of_terraform_makes_a_string_is_a_remark(tmp_path):
    pytest.importorskip("hcl2")
    body = '{ apiVersion = "v1", kind = "Pod", metadata = { name = "a", namespace = "b", labels = { c = 1 } }'
    spec = 'spec = { containers = [{ name = "a", image = "b", resources = { limits = { "nvidia.com/gpu" = 1 } } }] } }'
    data = '{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", namespace = "b" }, data = { d = yamlencode({ e = 1 }) } }'
    (tmp_path / "main.tf").write_text(
        f'resource "kubernetes_manifest" "a" {{\n  manifest = {body}, {spec}\n}}\nresource "kubernetes_manifest" "b" {{\n  manifest = {data}\n}}\n'
    )

    (found,) = (each for each in run_rules(read([tmp_path])) if each.rule == "TG139")
    assert found.severity is Severity.INFO
    assert found.message == (
        "metadata.labels.c is read as 1, and Kubernetes takes a string here. The API server refuses the object: "
        "'cannot unmarshal number into Go struct field … of type string', unless the resource is a kubernetes_manifest"
    )


def test_of_a_secret_only_the_type_of_a_value_is_named():
    assert found_in("apiVersion: v1\nkind: Secret\nmetadata: {name: b, namespace: ollama}\nstringData: {pin: 4711}\n") == (
        "stringData.pin is read as a number, and Kubernetes takes a string here. The API server refuses the object: "
        "'cannot unmarshal number into Go struct field … of type string'"
    )


def test_the_class_of_a_pci_device_in_a_feature_rule_is_a_string():
    rule = "{name: a, matchFeatures: [{feature: pci.device, matchExpressions: {class: {op: In, value: [0300]}}}]}"
    assert found_in(f"apiVersion: nfd.k8s-sigs.io/v1alpha1\nkind: NodeFeatureRule\nmetadata: {{name: a}}\nspec: {{rules: [{rule}]}}\n") == (
        "spec.rules.0.matchFeatures.0.matchExpressions.class.value.0 is read as 192, and Kubernetes takes a string here. "
        "The API server refuses the object: 'in body must be of type string: \"integer\"'"
    )


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
