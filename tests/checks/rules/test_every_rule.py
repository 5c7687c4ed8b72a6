"""Every rule: what it says of itself, and its two examples."""

import contextlib
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from conftest import ROOT
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Example, Finding, Rule, Severity, Witness
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.model import Inputs
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.upstream.talos.releases import READ_ON

FOLDER = ROOT / "constructs_lib" / "checks" / "rules"
WORST_FIRST = list(Severity)
SOURCE = r"https://\S+|[\w.-]+/[\w.-]+(#\d+| \S+)"
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def read_example(example: Example) -> Inputs:
    """The inputs of an example: something is read, and nothing is left out."""
    inputs = read_text(example.yaml, file="example.yaml", chart=example.chart, talos=example.talos, nodes=example.nodes)
    if example.files:
        with TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name, text in {"kustomization.yaml": example.yaml, **example.files}.items():
                Path(name).write_text(text, encoding="utf-8")
            inputs = read(["."], talos=example.talos, nodes=example.nodes)
    assert all(each.is_broken for each in inputs.skipped) or example.files or inputs.installers
    assert inputs.objects or inputs.releases or inputs.node_configs
    return inputs


def undated(text: str) -> str:
    """A text without the date of the tables, which `make pins` moves."""
    return text.replace(READ_ON, "DATE")


def worst(findings: list[Finding]) -> Severity:
    return min((each.severity for each in findings), key=WORST_FIRST.index)


def test_an_id_belongs_to_one_rule():
    """The modules are found by their folders: what stands in a file is in the table, once."""
    written = [
        each for path in FOLDER.rglob("*.py") for each in re.findall(r'^ +(?:id=|\*\*WORDS\[)"(TG\d{3})"', path.read_text(), re.MULTILINE)
    ]

    assert sorted(written) == list(RULES)


def test_only_rules_about_our_own_tables_need_nothing_to_show_them():
    """The default of `shown_by` is for these alone."""
    assert {rule.id for rule in RULES.values() if rule.shown_by is Witness.LIBRARY} == {"TG099", "TG101", "TG133"}


@each_rule
def test_a_rule_says_all_that_a_reader_needs(rule: Rule):
    assert re.fullmatch(r"TG\d{3}", rule.id)
    assert isinstance(rule.severity, Severity)
    for text in (rule.claim, rule.symptom, rule.fix):
        assert text == text.strip()
        assert text
        assert not text.endswith(".")
        assert "\n" not in text
    assert all(re.fullmatch(SOURCE, source) for source in rule.source.split("; ")), rule.source


@each_rule
def test_its_failing_example_is_found_at_its_severity_and_nothing_else_is(rule: Rule):
    findings = run_rules(read_example(rule.failing))

    assert {each.rule for each in findings} == {rule.id}, findings
    assert worst(findings) == rule.severity
    for each in findings:
        assert each.message
        assert not each.message.endswith(".")
        assert not each.fix.endswith(".")
        assert each.file == ("kustomization.yaml" if rule.failing.files else "example.yaml")
        assert each.line


@each_rule
def test_its_passing_examples_are_not_found(rule: Rule):
    for example in (rule.passing, *rule.also_passing.values()):
        assert [each for each in run_rules(read_example(example)) if each.rule == rule.id and not each.is_doubt] == []


def test_a_cause_that_a_rule_knows_is_named_as_words_of_its_page():
    for cause in (cause for rule in RULES.values() for cause in rule.also_passing):
        assert cause == cause.strip().rstrip(".")


def test_the_place_the_words_and_the_fix_of_each_failing_example_are_as_they_were_read(snapshot_yaml):
    """Each line of an example is shown beside what is found there: a person has read that they belong together."""
    shown = [
        {
            "rule": rule.id,
            "found": [
                {
                    "line": rule.failing.yaml.splitlines()[(each.line or 1) - 1].strip(),
                    "message": undated(each.message),
                    "fix": undated(each.fix),
                }
                for each in run_rules(read_example(rule.failing))
            ],
        }
        for rule in RULES.values()
    ]

    assert shown == snapshot_yaml
