"""A fix mends: after it the cluster gets another value where the rule looks, in whatever form the example is written."""

from dataclasses import replace

import pytest
import yaml

from constructs_lib.checks.fixes import fixer
from constructs_lib.checks.fixes.fix_batch import is_in_effect, why_without_effect
from constructs_lib.checks.fixes.fixer import fixes, fixes_of, flags_of_fix
from constructs_lib.checks.rule import Severity, Violation, removal, set_to
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read

FIXABLE = [rule for rule in RULES.values() if flags_of_fix(rule)]
VALUES = [("HelmRelease", ("spec", "values")), ("Application", ("spec", "source", "helm", "valuesObject"))]


class Dumper(yaml.SafeDumper):
    """YAML as people write it: a text of several lines is a literal block."""


def _text(dumper, text):
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


Dumper.add_representer(str, _text)


def written(documents):
    return yaml.dump_all(documents, Dumper=Dumper, sort_keys=False)


def release(kind, name, namespace, chart, version, values, *, repository="https://charts.example.org"):
    """A release of a chart by Flux or by Argo CD."""
    if kind == "HelmRelease":
        spec = {"chart": chart, "sourceRef": {"kind": "HelmRepository", "name": "charts"}} | ({"version": version} if version else {})
        return {
            "apiVersion": "helm.toolkit.fluxcd.io/v2",
            "kind": kind,
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"chart": {"spec": spec}, "values": values},
        }
    source = {
        "repoURL": repository,
        "chart": chart,
        "targetRevision": version or "*",
        "helm": {"releaseName": name, "valuesObject": values},
    }
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {"destination": {"namespace": namespace}, "source": source},
    }


def wrappings(example):
    """The example in each form: as it is written, and its chart's values in a HelmRelease, an Application and bare."""
    yield "as written", example
    documents = [each for each in yaml.safe_load_all(example.yaml) if each]
    if example.chart and "apiVersion" not in documents[0]:
        name, _, version = example.chart.partition("@")
        for kind, _ in VALUES:
            body = release(kind, name, "kube-system", name, version, documents[0])
            yield kind, replace(example, chart=None, yaml=written([body, *documents[1:]]))
    for index, each in enumerate(documents):
        if each.get("kind") == "HelmRelease" and each["spec"].get("chart"):
            chart, metadata = each["spec"]["chart"]["spec"], each["metadata"]
            values = each["spec"].get("values") or {}
            given = metadata["name"], metadata.get("namespace"), chart["chart"], chart.get("version"), values
            others = [*documents[:index], release("Application", *given), *documents[index + 1 :]]
            yield f"Application {metadata['name']}", replace(example, yaml=written(others))
            if len(documents) == 1:
                bare = replace(example, yaml=written([values]), chart=f"{chart['chart']}@{chart.get('version')}")
                yield "bare values", bare


@pytest.fixture
def fixed(tmp_path):
    """The fixes of an example, as `--fix` or `--fix --unsafe-fixes` makes them."""

    def call(example, rules, *, unsafe=True):
        file = tmp_path / "example.yaml"
        file.write_text(example.yaml, encoding="utf-8")

        def reading(texts):
            return read([file], texts=texts, chart=example.chart, talos=example.talos, nodes=example.nodes)

        before = reading({})
        select = [rule.id for rule in rules]
        return before, fixes(reading, before, [tmp_path], unsafe=unsafe, select=select)

    return call


def test_every_fix_changes_what_the_cluster_gets_in_every_form_of_its_example(fixed):
    """The edits are asked of what the loaders read, never of the text; and the finding is still a finding of the inputs before."""
    wrong, counted = [], 0
    for rule in FIXABLE:
        for form, example in wrappings(rule.failing):
            before, result = fixed(example, [rule])
            found = [each for each in fixes_of(before, [rule]) if each.edits]
            reasons = dict(result.left)
            for each in found:
                counted += 1
                if each.finding in result.made:
                    if not all(is_in_effect(edit, each.about, result.inputs) for edit in each.edits):
                        wrong.append((rule.id, form, "nothing that the loaders read is another"))
                    if why_without_effect(each.edits, each.about, before):
                        wrong.append((rule.id, form, "the chart does not read what was set"))
                elif each.finding not in reasons:
                    wrong.append((rule.id, form, "left without a reason"))
                else:
                    wrong.append((rule.id, form, reasons[each.finding]))

    assert wrong == []
    assert counted > 80


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - {name: a, image: b, resources: {limits: {nvidia.com/gpu: 1}}}
"""
PLUGIN = release("HelmRelease", "plugin", "kube-system", "nvidia-device-plugin", "0.20.0", {"gfd": {"enabled": True}})
OWN_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
MACHINE = {
    "machine": {
        "type": "worker",
        "token": "abcdef.0123456789abcdef",
        "ca": {"crt": "LS0tLS1CRUdJTg=="},
        "network": {"hostname": "gpu-1"},
        "kernel": {"modules": [{"name": name} for name in ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset")]},
        "sysctls": {"net.core.bpf_jit_harden": "1"},
    }
}


@pytest.fixture
def fix(tmp_path):
    """The fixes of some files."""

    def call(files, *, unsafe=False, **settings):
        for name, content in files.items():
            (tmp_path / name).write_text(content if isinstance(content, str) else written(content), encoding="utf-8")

        paths = [tmp_path / name for name in files]

        def reading(texts):
            return read(paths, texts=texts, **{"talos": "1.12", **settings})

        result = fixes(reading, reading({}), [tmp_path], unsafe=unsafe)
        return result, {file.name: text for file, text in result.texts.items()}

    return call


def rules(findings):
    return sorted({each.rule for each in findings})


def test_an_unsafe_fix_writes_the_runtime_class_together_with_the_name_of_it(fix):
    files = {"pod.yaml": POD, "plugin.yaml": [PLUGIN], "machine.yaml": [MACHINE]}

    safe, texts = fix(files)
    assert texts == {}
    (reason,) = {reason for finding, reason in safe.left if finding.rule == "TG040"}
    assert reason == (
        "the fix would cause TG041 in " + reason.split(" in ")[1].split(":")[0] + ": add the manifest {apiVersion: node.k8s.io/v1, "
        "kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}, or fix with --unsafe-fixes, which adds it"
    )

    result, texts = fix(files, unsafe=True)
    assert [each.at("handler") for each in result.inputs.of_kind("RuntimeClass")] == ["nvidia"]
    assert {"TG018", "TG040"} <= {*rules(result.made)}
    assert not {"TG018", "TG040", "TG041"} & {*rules(finding for finding, _ in result.left)}
    assert sum(text.count("kind: RuntimeClass") for text in texts.values()) == 1
    first = next(text for text in texts.values() if "RuntimeClass" in text)
    assert first.startswith("apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata:\n  name: nvidia\nhandler: nvidia\n---\napiVersion: ")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_namespace_without_a_label_is_written_before_the_pods_that_need_it(fix, end):
    text = yaml.safe_dump(PLUGIN, sort_keys=False).replace("kube-system", "gpu").replace("\n", end)
    (file,) = fix({"plugin.yaml": f"---{end}# mine{end}{text}"}, unsafe=True)[1].values()

    bodies = list(yaml.safe_load_all(file))
    namespace = next(each for each in bodies if each["kind"] == "Namespace")
    assert namespace["metadata"]["name"] == "gpu"
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert bodies[-1]["kind"] == "HelmRelease"
    assert f"---{end}# mine{end}" in file
    assert file.count("\n") == file.count(end)


def test_a_namespace_of_every_cluster_is_not_written(fix):
    text = yaml.safe_dump(PLUGIN, sort_keys=False).replace("kube-system", "default")

    assert "kind: Namespace" not in "".join(fix({"plugin.yaml": text, "class.yaml": [OWN_CLASS]}, unsafe=True)[1].values())


def test_where_no_manifest_can_stand_the_manifest_to_paste_is_named(fix):
    result, texts = fix({"values.yaml": "gfd: {enabled: true}\n"}, unsafe=True, chart="nvidia-device-plugin@0.20.0")

    assert texts == {}
    assert any("add the manifest {apiVersion: node.k8s.io/v1, kind: RuntimeClass" in reason for _, reason in result.left), result.left


def jellyfin(repository):
    values = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
    return [release("Application", "jellyfin", "media", "jellyfin", "2.3.0", values, repository=repository), PLUGIN, OWN_CLASS]


def test_a_chart_of_another_repository_with_the_same_name_gets_no_key_that_only_its_namesake_reads(fix):
    """TrueCharts' jellyfin reads podOptions.runtimeClassName, and none at the top: the finding would vanish, and the pod would not change."""
    known = fix({"a.yaml": jellyfin("https://jellyfin.github.io/jellyfin-helm"), "machine.yaml": [MACHINE]})
    other = fix({"a.yaml": jellyfin("oci://oci.trueforge.org/truecharts"), "machine.yaml": [MACHINE]})

    assert known[1]["a.yaml"].count("runtimeClassName: nvidia") == 2
    assert "podOptions:\n          runtimeClassName: nvidia\n" in other[1]["a.yaml"]
    assert "TG040" in rules(known[0].made)
    assert "TG040" in rules(other[0].made)


def test_a_chart_whose_repository_nobody_read_gets_no_new_key_and_the_reason(fix):
    jelly = release("HelmRelease", "jellyfin", "media", "jellyfin", "2.3.0", {"resources": {"limits": {"nvidia.com/gpu": 1}}})
    result, texts = fix({"a.yaml": [jelly], "b.yaml": [PLUGIN, OWN_CLASS], "machine.yaml": [MACHINE]}, unsafe=True)

    assert "a.yaml" not in texts
    assert [reason for finding, reason in result.left if finding.rule == "TG040"] == [
        "no repository of the chart jellyfin was read whose templates are known, so the chart may not read runtimeClassName"
    ]


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("0.20.0", ""),
        ("0.15.0", "the chart nvidia-device-plugin 0.15.0 does not read deviceDiscoveryStrategy"),
        ("0.9.0", "the templates of the chart nvidia-device-plugin 0.9.0 were not read, so the chart may not read deviceDiscoveryStrategy"),
    ],
)
def test_an_older_chart_that_does_not_read_the_key_gets_no_fix_and_the_reason(fix, version, reason):
    old = release("HelmRelease", "plugin", "kube-system", "nvidia-device-plugin", version, {"gfd": {"enabled": True}})
    inputs = fix({"a.yaml": [old, OWN_CLASS]})[0].inputs
    (about,) = inputs.releases

    assert why_without_effect(set_to("nvml", ("spec", "values", "deviceDiscoveryStrategy")), about, inputs) == reason


def test_a_key_below_a_part_that_is_off_is_no_finding_and_stays(fix):
    values = {"dcgmExporter": {"enabled": False, "resources": {"limits": {"nvidia.com/gpu": "0.5"}}}}
    operator = release("HelmRelease", "gpu-operator", "kube-system", "gpu-operator", "v26.7.0", values)
    result, texts = fix({"a.yaml": [operator]}, unsafe=True, talos="1.13")

    assert "gpu: '0.5'" in texts["a.yaml"]
    assert [reason for _, reason in result.left if "resources" in reason] == []


def test_an_edit_after_which_the_object_is_no_longer_read_is_no_fix(fix, monkeypatch):
    def check(inputs):
        for each in inputs.of_kind("RuntimeClass"):
            yield Violation(severity=Severity.ERROR, message="it is wrong", about=each, path=("handler",), edits=removal(("kind",)))

    monkeypatch.setattr(fixer, "rules_of", lambda *_: [replace(RULES["TG042"], check=check)])
    result, texts = fix({"a.yaml": [OWN_CLASS]})

    assert texts == {}
    assert [reason for _, reason in result.left] == ["the fix would change the text only: the cluster would get the same as before"]
