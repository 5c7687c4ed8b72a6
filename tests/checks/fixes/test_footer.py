"""The footer of a report counts what --fix and --unsafe-fixes change, and nothing else."""

from dataclasses import replace

import pytest

from constructs_lib.checks import engine
from constructs_lib.checks.engine import finding_of, rules_of, run_rules
from constructs_lib.checks.fixes import fixer
from constructs_lib.checks.fixes.fixer import fix_outcomes, fixes, with_fixes
from constructs_lib.checks.rule import SAFE, UNSAFE, Severity, Violation, set_to
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read


def footer(folder, **given):
    """The findings of a report, with the flags that its footer counts."""
    inputs = read([folder], **given)
    return with_fixes(run_rules(inputs), fix_outcomes(lambda texts: read([folder], texts=texts, **given), inputs, [folder]))


def counted(folder, talos="1.13", **given):
    """The numbers of fixable findings in the footer, and those of the findings that the fixer changes: safe, and both."""
    inputs = read([folder], talos=talos, **given)
    flags = [each.fixed_by for each in footer(folder, talos=talos, **given)]
    made = [
        fixes(lambda texts: read([folder], texts=texts, talos=talos, **given), inputs, [folder], unsafe=unsafe) for unsafe in (False, True)
    ]
    return (flags.count(SAFE), flags.count(SAFE) + flags.count(UNSAFE)), tuple(each.fixed for each in made)


RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: x, namespace: ai}
spec:
  chart: {spec: {chart: %s, version: 4.5.0, sourceRef: {kind: HelmRepository, name: r}}}
  values:
"""
APP_TEMPLATE = (
    RELEASE % "app-template"
    + """\
    defaultPodOptions:
      nodeSelector:
        gpu: true
        own: 1
    controllers:
      main:
        pod: {nodeSelector: {own: "1"}}
        containers: {app: {image: {repository: a, tag: "1"}, resources: {limits: {nvidia.com/gpu: 1}}}}
"""
)


def test_a_default_of_all_controllers_is_found_and_fixed_at_its_own_place(tmp_path):
    (tmp_path / "a.yaml").write_text(APP_TEMPLATE)
    inputs = read([tmp_path], talos="1.13")
    found = [each for each in run_rules(inputs) if each.rule == "TG139"]

    assert [(each.line, each.message.partition(" is read")[0]) for each in found] == [(9, "spec.values.defaultPodOptions.nodeSelector.gpu")]
    result = fixes(lambda texts: read([tmp_path], texts=texts, talos="1.13"), inputs, [tmp_path], select=["TG139"])
    assert [*result.texts.values()] == [APP_TEMPLATE.replace("gpu: true", 'gpu: "true"')]


def test_a_fix_that_the_check_of_the_fixed_files_does_not_take_is_not_counted(tmp_path, monkeypatch):
    def check(inputs):
        for each in inputs.of_kind("RuntimeClass"):
            yield Violation(severity=Severity.ERROR, message="it is wrong", about=each, path=("handler",), edits=set_to("other"))

    rule = replace(RULES["TG042"], check=check)
    monkeypatch.setattr(fixer, "rules_of", lambda *_: [rule])
    (tmp_path / "a.yaml").write_text("apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: a}\nhandler: b\n")
    inputs = read([tmp_path])
    found = [finding_of(rule, each, inputs) for each in check(inputs)]

    outcomes = fix_outcomes(lambda texts: read([tmp_path], texts=texts), inputs, [tmp_path])
    assert [each.fixed_by for each in found] == [SAFE]
    assert [each.fixed_by for each in with_fixes(found, outcomes)] == [""]
    assert [each.reason for each in outcomes] == ["the finding stays after the fix: another place sets the value, too"]


def test_a_rule_runs_once_for_each_reading_of_the_files(tmp_path, monkeypatch):
    ran = []

    def check(inputs):
        ran.append(inputs)
        yield from RULES["TG042"].check(inputs)

    for module in (engine, fixer):
        monkeypatch.setattr(module, "rules_of", lambda *_: [replace(RULES["TG042"], check=check)])
    (tmp_path / "a.yaml").write_text(RULES["TG042"].failing.yaml)
    inputs = [read([tmp_path], talos="1.13")]

    assert engine.run_rules(inputs[0])
    fix_outcomes(lambda texts: inputs.append(read([tmp_path], texts=texts, talos="1.13")) or inputs[-1], inputs[0], [tmp_path])

    assert len(inputs) > 1
    assert [*map(id, ran)] == [*map(id, inputs)]


def test_hcl_is_not_counted_because_no_fix_changes_it(tmp_path):
    pytest.importorskip("hcl2")
    (tmp_path / "main.tf").write_text(
        'resource "helm_release" "gpu" {\n  name = "gpu"\n  chart = "gpu-operator"\n  version = "v26.7.0"\n'
        "  values = [yamlencode({ driver = { enabled = true }, toolkit = { enabled = false } })]\n}\n"
    )
    inputs = read([tmp_path], talos="1.13")
    found = run_rules(inputs)

    assert "TG010" in {each.rule for each in found if each.fixed_by}
    assert {each.fixed_by for each in footer(tmp_path, talos="1.13")} == {""}


def test_of_every_failing_example_the_footer_counts_what_the_fixer_changes(tmp_path):
    wrong = {}
    for rule in rules_of():
        example, folder = rule.failing, tmp_path / rule.id
        folder.mkdir()
        for name, text in {
            "kustomization.yaml" if example.files else "values.yaml" if example.chart else "a.yaml": example.yaml,
            **example.files,
        }.items():
            (folder / name).write_text(text)
        (safe, either), changes = counted(folder, talos=example.talos, nodes=example.nodes)
        if (safe, either) != changes:
            wrong[rule.id] = (safe, either), changes
    assert wrong == {}
