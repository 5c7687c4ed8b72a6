"""Judging: which rules, in which order, and what becomes of what they find."""

import dataclasses

import pytest

from conftest import message
from constructs_lib.checks import engine
from constructs_lib.checks.engine import node_classes, rules_of, rules_without_talos, run_rules
from constructs_lib.checks.rule import Example, Finding, Rule, Severity, Violation
from constructs_lib.observed.model import Inputs, KubernetesObject, NodeConfig
from constructs_lib.observed.read.repository import read
from constructs_lib.talos import TalosVersion
from constructs_lib.upstream.talos.minors import Minors

EXAMPLE = Example(yaml="a: b")


def thing(name, file="a.yaml", line=1, other=None):
    return KubernetesObject(body={"kind": "Pod", "metadata": {"name": name}}, file=file, place_at=lambda path: (other, line + len(path)))


def rule(number, *found):
    def checked(inputs):
        yield from found

    return Rule(
        id=f"TG{number:03}", claim="c", symptom="s", severity=Severity.ERROR, fix="mend it", source="a/b#1", check=checked,
        failing=EXAMPLE, passing=EXAMPLE,
    )  # fmt: skip


def says(about, words="is wrong", severity=Severity.ERROR, **more):
    return Violation(severity=severity, message=words, about=about, **more)


@pytest.fixture
def rules(monkeypatch):
    """Puts these rules in place of the real ones."""

    def put(*given):
        monkeypatch.setattr(engine, "RULES", {each.id: each for each in given})

    return put


def test_a_finding_says_what_its_rule_says_and_where(rules):
    rules(rule(7, says(thing("pod"), path=("spec", "containers"), severity=Severity.WARNING)))

    assert run_rules(Inputs()) == [
        Finding(
            rule="TG007",
            severity=Severity.WARNING,
            message="is wrong",
            fix="mend it",
            file="a.yaml",
            line=3,
            object="Pod pod",
            ignored=None,
        )
    ]


def test_a_place_that_is_mended_otherwise_has_its_own_fix(rules):
    rules(rule(7, says(thing("pod"), fix="take it away")))

    assert [each.fix for each in run_rules(Inputs())] == ["take it away"]


def test_a_value_of_another_file_is_found_there(rules):
    rules(rule(7, says(thing("pod", other="values.yaml"))))

    assert [each.file for each in run_rules(Inputs())] == ["values.yaml"]


def test_findings_are_sorted_by_file_line_and_rule(rules):
    late, early, other = thing("late", line=9), thing("early", line=2), thing("other", file="b.yaml")
    nowhere = dataclasses.replace(thing("nowhere"), place_at=lambda _: (None, None))
    rules(rule(2, says(late), says(other), says(early), says(nowhere)), rule(1, says(late)))

    assert [(each.object, each.rule) for each in run_rules(Inputs())] == [
        ("Pod nowhere", "TG002"),
        ("Pod early", "TG002"),
        ("Pod late", "TG001"),
        ("Pod late", "TG002"),
        ("Pod other", "TG002"),
    ]


def test_what_is_found_twice_is_said_once(rules):
    rules(rule(1, says(thing("pod")), says(thing("pod")), says(thing("pod"), "is wrong otherwise")))

    assert [each.message for each in run_rules(Inputs())] == ["is wrong", "is wrong otherwise"]


def in_one_finding(number, *found):
    return dataclasses.replace(rule(number, *found), lists_users=True)


def test_one_cause_is_one_finding_at_its_first_user(rules):
    pods = [says(thing(f"pod-{number}", line=number)) for number in (7, 1, 2, 3, 4, 5, 6)]
    rules(in_one_finding(1, *pods))

    (finding,) = run_rules(Inputs())
    assert (finding.line, finding.object) == (1, "Pod pod-1")
    assert finding.message == "is wrong. 7 objects are affected: Pod pod-1, Pod pod-2, Pod pod-3, Pod pod-4, Pod pod-5 and 2 more"


def test_one_user_is_not_listed(rules):
    pod = thing("pod")
    rules(in_one_finding(1, says(pod), says(pod, path=("spec",))))

    assert [each.message for each in run_rules(Inputs())] == ["is wrong"]


def test_a_silenced_user_is_none_of_the_affected(rules):
    silent = KubernetesObject(
        body={"kind": "Pod", "metadata": {"name": "a", "annotations": {"talos-gpu/ignore-TG001": "kubectl makes it"}}}, file="a.yaml"
    )
    rules(in_one_finding(1, says(silent), says(thing("b")), says(thing("c")), says(thing("d"), "is wrong otherwise")))

    assert [(each.message, each.ignored) for each in run_rules(Inputs())] == [
        ("is wrong", "kubectl makes it"),
        ("is wrong. 2 objects are affected: Pod b, Pod c", None),
        ("is wrong otherwise", None),
    ]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, ["TG001", "TG002", "TG003"]),
        ({"select": ["TG003", "TG001"]}, ["TG001", "TG003"]),
        ({"ignore": ["TG002"]}, ["TG001", "TG003"]),
        ({"select": ["TG001", "TG002"], "ignore": ["TG002"]}, ["TG001"]),
    ],
)
def test_rules_are_selected_and_ignored_by_id(rules, chosen, expected):
    rules(*(rule(number, says(thing("pod"))) for number in (2, 3, 1)))

    assert [each.id for each in rules_of(**chosen)] == expected
    assert [each.rule for each in run_rules(Inputs(), **chosen)] == expected


@pytest.mark.parametrize("argument", ["select", "ignore"])
def test_an_id_that_no_rule_has_is_refused(rules, argument):
    rules(rule(7))

    assert message(lambda: run_rules(Inputs(), **{argument: ["TG07"]})) == (
        f"'{argument}' must be a rule's id, such as 'TG007' (got 'TG07'); did you mean 'TG007'?"
    )


@pytest.mark.parametrize("written", ["TG7", "7", "tg0007", "TG-007"])
def test_a_number_means_the_rule_of_that_number(rules, written):
    rules(rule(7), rule(97), rule(17))

    assert message(lambda: run_rules(Inputs(), select=[written])) == (
        f"'select' must be a rule's id, such as 'TG007' (got '{written}'); did you mean 'TG007'?"
    )


def test_every_rule_sees_the_same_inputs(rules):
    seen = []

    def look(inputs):
        seen.append(inputs)
        return iter(())

    rules(*(dataclasses.replace(rule(number), check=look) for number in (1, 2)))
    inputs = Inputs()
    run_rules(inputs)

    assert [each is inputs for each in seen] == [True, True]


def test_a_rule_runs_for_the_node_of_its_talos_only(rules):
    old, new = (
        NodeConfig(body={}, file="talconfig.yaml", scope="node", name=f"gpu-{minor}", talos_version=f"1.{minor}.0") for minor in (12, 13)
    )
    rules(dataclasses.replace(rule(1, says(old), says(new), says(thing("pod"))), talos=Minors(until=12)))
    inputs = Inputs(node_configs=(old, new), talos_version=TalosVersion(13))

    assert [each.object for each in run_rules(inputs)] == ["gpu-12"]


@pytest.mark.parametrize("nodes", ["1.13", {"talos_version": "1.13"}])
def test_nodes_are_classes_of_nodes(nodes):
    assert message(lambda: node_classes(nodes), TypeError) == f"'nodes' must be GpuNodes, or several (got {nodes!r})"


def test_a_rule_that_runs_for_one_node_counts_as_applied_where_talos_is_unknown(rules):
    rules(dataclasses.replace(rule(1), talos=Minors(until=12)), dataclasses.replace(rule(2), talos=Minors(since=13)))
    old = NodeConfig(body={}, file="talconfig.yaml", scope="node", name="gpu-12", talos_version="1.12.0")

    assert [each.id for each in rules_without_talos(Inputs(node_configs=(old,)))] == ["TG002"]
    assert rules_without_talos(Inputs(node_configs=(old,), talos_version=TalosVersion(13))) == []


def test_a_fault_of_a_patch_that_talhelper_does_not_apply_is_one_step_less_severe(tmp_path):
    (tmp_path / "talconfig.yaml").write_text(
        "clusterName: a\nendpoint: https://a\ntalosVersion: v1.13.9\nnodes: [{hostname: a, ipAddress: 10.0.0.1}]\n"
    )
    (tmp_path / "patch.yaml").write_text("machine: {files: [{path: /etc/a, op: create, content: a}]}\n")
    (sure,) = run_rules(read([tmp_path]), select=["TG075"])
    with (tmp_path / "talconfig.yaml").open("a") as talconfig:
        talconfig.write("patches: []\n")
    (found,) = run_rules(read([tmp_path]), select=["TG075"])

    assert (str(sure.severity), str(found.severity)) == ("error", "warning")
    assert found.message == f"{sure.message}. {tmp_path}/talconfig.yaml does not apply this patch"
