"""The halves of an error: each with its place, in its words, and with the places by which its value came."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rules.test_every_rule import read_example
from trees.faults import LAYOUTS_OF
from trees.layouts import LAYOUTS
from trees.trees import faulty_tree

from conftest import sampled
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.formats import programs
from constructs_lib.checks.formats.explain import explained_findings
from constructs_lib.checks.formats.text import text
from constructs_lib.checks.report import Report
from constructs_lib.checks.rule import Severity
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.model.stated_versions import KUBERNETES, TALOS, Origin, StatedVersion
from constructs_lib.observed.read.repository import read, read_text

OF_ONE_PLACE = {
    "TG009": "the plugin does not know the word",
    "TG028": "the chart takes another type",
    "TG045": "an amount that Kubernetes refuses; a request beside another limit names the limit",
    "TG072": "the Image Factory does not know the name",
    "TG075": "Talos writes no such file",
    "TG084": "Talos' configuration has no such field",
    "TG095": "the nodes are described by flags or settings, which no part of the inputs holds",
    "TG126": "Omni takes no resource without a type",
    "TG139": "Kubernetes' schema has another type",
    "TG140": "kustomize refuses the file itself",
    "TG141": "the text is no YAML",
    "TG152": "Kubernetes counts nothing by the name",
}
"""The rules whose errors contradict a program, and no second place that was read."""


def with_stated_versions(inputs):
    """The inputs where a line of a file states the versions that an example gives."""
    versions = ((TALOS, inputs.talos_version), (KUBERNETES, inputs.kubernetes_version))
    stated = (
        StatedVersion(subject=subject, version=f"{version}", origin=Origin.CONFIGURATION, file="versions.yaml", line=number)
        for number, (subject, version) in enumerate(versions, 1)
        if version is not None
    )
    return replace(inputs, stated_versions=(*inputs.stated_versions, *stated))


def incomplete(inputs, rule):
    """The errors of a rule that name one place alone, and no place at all."""
    found = [each for each in run_rules(with_stated_versions(inputs), select=[rule]) if each.severity is Severity.ERROR]
    return [each.message for each in found if len(each.halves) < (1 if rule in OF_ONE_PLACE else 2)]


def test_each_error_that_joins_two_parts_names_both_places():
    assert {rule: messages for rule in RULES if (messages := incomplete(read_example(RULES[rule].failing), rule))} == {}


def test_a_rule_of_one_place_joins_no_two_in_its_example():
    joined = [
        rule
        for rule in OF_ONE_PLACE
        if any(len(each.halves) > 1 for each in run_rules(with_stated_versions(read_example(RULES[rule].failing)), select=[rule]))
    ]

    assert joined == []


def test_each_planted_error_names_both_places(tmp_path):
    errors = [rule for rule in RULES if RULES[rule].severity is Severity.ERROR]
    # Each rule in a quarter of the layouts, and each layout with a quarter of the rules.
    planted = [(rule, each) for turn, rule in enumerate(errors) for each in tuple(LAYOUTS_OF.get(rule, LAYOUTS))[turn % 4 :: 4]]
    missing = {}
    for number, (rule, layout) in enumerate(sampled(planted, 3)):
        root = tmp_path / f"{number}"
        root.mkdir()
        made = faulty_tree(RULES[rule], layout, number, root)
        talos = None if RULES[rule].failing.nodes else made.cluster.talos.removeprefix("v").rpartition(".")[0]
        if messages := incomplete(read([root], talos=talos, nodes=RULES[rule].failing.nodes), rule):
            missing[rule, layout] = messages

    assert missing == {}


BASE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  template:
    spec:
      runtimeClassName: nvidia
      tolerations: [{key: nvidia.com/gpu, operator: Exists}]
      containers: [{name: plugin, image: "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"}]
"""
PATCHED = """\
resources: [../base]
patches:
  - target: {kind: DaemonSet}
    patch: |
      - op: replace
        path: /spec/template/spec/tolerations
        value: [{key: other, operator: Exists}]
"""
NODES = """\
clusterName: home
talosVersion: v1.13.9
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.30
    nodeTaints: {dedicated: "ai:NoSchedule"}
    kernelModules: [{name: nvidia}]
worker:
  nodeTaints: {dedicated: "db:NoSchedule"}
"""


@pytest.fixture
def report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"base/plugin.yaml": BASE, "base/kustomization.yaml": "resources: [plugin.yaml]\n", "prod/kustomization.yaml": PATCHED}
    for name, content in {**files, "talconfig.yaml": NODES}.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(content)
    inputs = read(["."])
    return Report(inputs=inputs, all_findings=tuple(run_rules(inputs, select=["TG053"])))


def test_an_explanation_has_each_half_with_the_places_by_which_its_value_came(report):
    printed = "".join(explained_findings(RULES["TG053"], report))

    assert printed.partition("GPU\n")[2] == (
        "    prod/kustomization.yaml:5  DaemonSet kube-system/nvidia-device-plugin spec.template.spec.tolerations: [{key: other, operator: Exists}]\n"
        "        replaces the value of base/plugin.yaml:8\n"
        "        is set for DaemonSet kube-system/nvidia-device-plugin in base/plugin.yaml:1\n"
        "    talconfig.yaml:7  gpu-1 machine.nodeTaints.dedicated: ai:NoSchedule\n"
        "        replaces the value of talconfig.yaml:10\n"
        "  fix: Add {key: dedicated, operator: Equal, value: ai, effect: NoSchedule} to tolerations\n"
        "\nFOUND in prod/kustomization.yaml:5\n"
    )


TAINT = "gpu-1 machine.nodeTaints.dedicated: ai:NoSchedule"


def test_every_format_has_the_other_half_of_a_finding(report):
    (finding,) = json.loads("".join(programs.as_json(report)))["findings"]
    (run,) = json.loads("".join(programs.sarif(report)))["runs"]
    (command,) = programs.github(report)
    location = {"artifactLocation": {"uri": "talconfig.yaml"}, "region": {"startLine": 7}}

    assert f"\n      talconfig.yaml:7  {TAINT}\n" in "".join(text(report))
    assert finding["related"] == [{"file": "talconfig.yaml", "line": 7, "text": TAINT}]
    assert run["results"][0]["relatedLocations"] == [{"physicalLocation": location, "message": {"text": TAINT}}]
    assert command.endswith(f"%0Atalconfig.yaml:7  {TAINT}\n")


RELEASE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: gpu-values, namespace: gpu}
data:
  values.yaml: |
    driver: {enabled: false}
    toolkit: {enabled: true}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu}
spec:
  chart: {spec: {chart: gpu-operator, version: v26.7.0}}
  valuesFrom: [{kind: ConfigMap, name: gpu-values}]
  values: {cdi: {nriPluginEnabled: true}, toolkit: {enabled: false}}
"""


def halves(yaml, rule):
    return [
        (each.line, each.text, each.origin) for found in run_rules(read_text(yaml, talos="1.13"), select=[rule]) for each in found.halves
    ]


def test_a_layer_of_values_replaces_the_one_before():
    name = "gpu-operator v26.7.0 (gpu/gpu-operator)"

    assert halves(RELEASE, "TG012") == [
        (15, f"{name} spec.values.cdi.nriPluginEnabled: true", ()),
        (15, f"{name} spec.values.toolkit.enabled: false", ("replaces the value of -:7",)),
    ]


def test_a_value_that_nobody_sets_is_the_charts_default():
    yaml = (
        RELEASE.replace(", toolkit: {enabled: false}", "")
        .replace("cdi: {nriPluginEnabled: true}", "")
        .replace("    toolkit: {enabled: true}\n", "")
    )

    assert [text for _, text, _ in halves(yaml, "TG011")] == [
        "gpu-operator v26.7.0 (gpu/gpu-operator) spec.values.toolkit.enabled is not set, so the chart's default decides"
    ]


def test_a_transformer_of_kustomize_replaces_a_value(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("app.yaml").write_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app}\nspec:\n  replicas: 1\n")
    Path("kustomization.yaml").write_text("resources: [app.yaml]\nreplicas: [{name: app, count: 0}]\n")
    (deployment,) = read(["."]).objects
    place = deployment.place_at(("spec", "replicas"))

    assert (place, place.steps) == (("kustomization.yaml", 2), (("replaces the value of", ("app.yaml", 5)),))


def test_a_variable_is_filled_in_from_its_kustomization(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("apps").mkdir()
    Path("apps/plugin.yaml").write_text(
        BASE.replace("nvidia-device-plugin, n", "plugin, n").replace("key: nvidia.com/gpu", 'key: "${TAINT}"')
    )
    Path("apps.yaml").write_text(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n"
        "spec:\n  path: ./apps\n  postBuild:\n    substitute:\n      TAINT: other\n"
    )
    Path("talconfig.yaml").write_text(NODES)
    (found,) = run_rules(read(["."]), select=["TG053"])
    (key,) = [each for each in read(["."]).objects if each.kind == "DaemonSet"]
    place = key.place_at(("spec", "template", "spec", "tolerations", 0, "key"))

    assert "[{key: other, operator: Exists}]" in found.halves[0].text
    assert place == ("apps/plugin.yaml", 8)
    assert place.steps == (("filled in from", ("apps.yaml", 8)),)


SECRET = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ai}
spec:
  runtimeClassName: nvidia
  containers:
    - name: a
      image: a/b:1
      resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 2}}
      env: [{name: HF_TOKEN, value: hf_abcdefghijklmnopqrstuvwxyz0123456789}]
---
apiVersion: v1
kind: Secret
metadata: {name: a, namespace: ai}
stringData: {password: correct-horse-battery}
"""


def test_no_half_quotes_a_secret():
    from constructs_lib.checks.halves import _half

    inputs = read_text(SECRET)
    (pod, secret) = inputs.objects
    texts = [_half((secret, ("stringData",)), inputs).text, _half((pod, ("spec", "containers", 0, "env")), inputs).text]

    assert texts[0] == "Secret ai/a stringData"
    assert "hf_abc" not in texts[1]
    assert halves(SECRET, "TG045")[1][1] == "Pod ai/a spec.containers[0].resources.limits['nvidia.com/gpu']: 1"
