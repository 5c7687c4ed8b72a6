"""The footer of a report counts what --fix and --unsafe-fixes change, and nothing else."""

import pytest

from constructs_lib.checks.engine import rules_of, run_rules
from constructs_lib.checks.fixes.fixer import fixes, with_possible_fixes
from constructs_lib.checks.rule import SAFE
from constructs_lib.observed.read.repository import read


def counted(folder, talos="1.13", **given):
    """The numbers of fixable findings in the footer, and those of the findings that the fixer changes: safe, and both."""
    inputs = read([folder], talos=talos, **given)
    flags = [each.fixed_by for each in with_possible_fixes(run_rules(inputs), inputs, [folder])]
    made = [
        fixes(lambda texts: read([folder], texts=texts, talos=talos, **given), inputs, [folder], unsafe=unsafe) for unsafe in (False, True)
    ]
    safe, unsafe = flags.count(SAFE), sum(map(bool, flags))
    return (safe, unsafe), tuple(bool(each.texts) for each in made)


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


def test_hcl_is_not_counted_because_no_fix_changes_it(tmp_path):
    pytest.importorskip("hcl2")
    (tmp_path / "main.tf").write_text(
        'resource "helm_release" "gpu" {\n  name = "gpu"\n  chart = "gpu-operator"\n  version = "v26.7.0"\n'
        "  values = [yamlencode({ driver = { enabled = true }, toolkit = { enabled = false } })]\n}\n"
    )
    inputs = read([tmp_path], talos="1.13")
    found = run_rules(inputs)

    assert "TG010" in {each.rule for each in found if each.fixed_by}
    assert {each.fixed_by for each in with_possible_fixes(found, inputs, [tmp_path])} == {""}


def test_of_every_failing_example_the_footer_names_a_fix_only_where_a_file_changes(tmp_path):
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
        if (bool(safe), bool(either)) != changes:
            wrong[rule.id] = (safe, either), changes
    assert wrong == {}
