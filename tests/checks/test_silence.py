"""Silencing a rule: by an annotation or a comment, and never without a reason."""

import pytest

from constructs_lib.checks import engine
from constructs_lib.checks.engine import run_rules, silenced
from constructs_lib.checks.rule import Example, Finding, Rule, Severity, Violation
from constructs_lib.observed.model import ChartRelease, Inputs, KubernetesObject
from constructs_lib.observed.read.files import silenced_rules

EXAMPLE = Example(yaml="a: b")
FINDING = Finding(rule="TG007", severity=Severity.WARNING, message="is wrong", fix="mend it", file="a.yaml", line=5, object="Pod pod")
KEY = "talos-gpu/ignore-TG007"
BY_COMMENT = "is wrong; the comment 'talos-gpu: ignore TG007' silences this only with a reason"
BY_ANNOTATION = f"is wrong; the annotation '{KEY}' silences this only with a reason"


def outcome(finding):
    """The reason for which a finding is ignored, and what it says."""
    return finding.ignored, finding.message


def test_an_annotation_silences_with_its_reason():
    assert outcome(silenced(FINDING, {KEY: " kubectl sets it "}, {})) == ("kubectl sets it", "is wrong")


@pytest.mark.parametrize("reason", ["", "  ", "true", "Yes", "false", "No", "0", "off", "none", "-", True, False, None, 0, 1, ["why"]])
def test_an_annotation_without_a_reason_silences_nothing_and_says_so(reason):
    assert outcome(silenced(FINDING, {KEY: reason}, {})) == (None, BY_ANNOTATION)


def test_an_annotation_for_another_rule_is_none_of_ours():
    assert silenced(FINDING, {"talos-gpu/ignore-TG008": "why"}, {}) is FINDING


@pytest.mark.parametrize("line", [5, 4])
def test_a_comment_silences_on_its_line_and_on_the_next(line):
    assert outcome(silenced(FINDING, {}, {line: {"TG007": "kubectl sets it"}})) == ("kubectl sets it", "is wrong")


@pytest.mark.parametrize("line", [3, 6])
def test_a_comment_silences_no_other_line(line):
    assert silenced(FINDING, {}, {line: {"TG007": "kubectl sets it"}}) is FINDING


def test_comments_for_several_rules_stand_one_above_the_other():
    beside = {3: {"TG007": "kubectl sets it"}, 4: {"TG008": "another reason"}}

    assert outcome(silenced(FINDING, {}, beside)) == ("kubectl sets it", "is wrong")


def test_a_comment_without_a_reason_silences_nothing_and_says_so():
    assert outcome(silenced(FINDING, {}, {4: {"TG007": ""}})) == (None, BY_COMMENT)


def test_one_reason_of_two_is_enough():
    assert outcome(silenced(FINDING, {KEY: ""}, {4: {"TG007": "kubectl sets it"}})) == ("kubectl sets it", "is wrong")


def test_a_finding_without_a_line_has_no_comments():
    nowhere = Finding(rule="TG007", severity=Severity.WARNING, message="is wrong", fix="mend it", file="gpu/ollama")

    assert silenced(nowhere, {}, {0: {"TG007": "why"}, 1: {"TG007": "why"}}) is nowhere


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b\n", {}),
        ("a: b  # talos-gpu: ignore TG007 kubectl sets it\n", {1: {"TG007": "kubectl sets it"}}),
        ("\n#talos-gpu:ignore TG007   why, TG008 \nb: c", {2: {"TG007": "why, TG008"}}),
        ("# talos-gpu: ignore TG007, TG008 a reason", {1: {"TG007": "a reason", "TG008": "a reason"}}),
        ("# talos-gpu: ignore TG007", {1: {"TG007": ""}}),
        ("# talos-gpu: ignore everything", {}),
        ("# talos-gpu: TG007 why", {}),
        ('a: "talos-gpu: ignore TG007 no comment"', {}),
    ],
)
def test_comments_are_read_by_line_and_rule(text, expected):
    assert silenced_rules(text) == expected


def checked(monkeypatch, about, **inputs):
    def judge_all(_):
        yield Violation(severity=Severity.ERROR, message="is wrong", about=about)

    rule = Rule(
        id="TG007",
        claim="c",
        symptom="s",
        severity=Severity.ERROR,
        fix="f",
        source="a/b#1",
        check=judge_all,
        failing=EXAMPLE,
        passing=EXAMPLE,
    )
    monkeypatch.setattr(engine, "RULES", {rule.id: rule})
    return [outcome(each) for each in run_rules(Inputs(**inputs))]


BODY = {"kind": "HelmRelease", "metadata": {"name": "a", "annotations": {KEY: "why"}}}


def test_the_engine_asks_the_object_s_annotations(monkeypatch):
    assert checked(monkeypatch, KubernetesObject(body=BODY, file="a.yaml")) == [("why", "is wrong")]


def test_the_engine_asks_the_annotations_of_what_installs_a_chart(monkeypatch):
    release = ChartRelease(body=BODY, file="a.yaml", chart="gpu-operator", name="a", namespace=None, version=None)

    assert checked(monkeypatch, release) == [("why", "is wrong")]


@pytest.mark.parametrize("annotations", [None, "text", ["list"]])
def test_annotations_of_another_shape_silence_nothing(monkeypatch, annotations):
    body = {"kind": "Pod", "metadata": {"name": "a", "annotations": annotations}}

    assert checked(monkeypatch, KubernetesObject(body=body, file="a.yaml")) == [(None, "is wrong")]


def test_the_engine_asks_the_comments_of_the_file_that_the_line_is_in(monkeypatch):
    given = {"values.yaml": {2: {"TG007": "why"}}, "a.yaml": {2: {"TG007": "another why"}}}
    place = {"place_at": lambda _: ("values.yaml", 2)}
    about = KubernetesObject(body={"kind": "Pod"}, file="a.yaml", **place)

    assert checked(monkeypatch, about, comments=given) == [("why", "is wrong")]
