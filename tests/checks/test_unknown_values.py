"""A value that something else fills in decides nothing: no rule concludes from it, and no rule stumbles over it."""

import ast
import functools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unknowns
from conftest import ROOT, drawn, sampled
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Example, Finding, Rule, Severity
from constructs_lib.checks.rules import RULES as EVERY_RULE
from constructs_lib.observed.read.repository import read_text

# The failing example of TG141 is no YAML, so it has no values.
RULES = {name: rule for name, rule in EVERY_RULE.items() if name != "TG141"}
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)

LIBRARY = ROOT / "constructs_lib"
READERS = ("observed.model", "observed.read")
# Of what asks about values, the modules that answer with an unknown one where they can't tell; the model and the readers make the rest.
MAKERS = {
    "observed.agents.agents", "observed.agents.operators", "observed.agents.plugin_configs", "observed.agents.plugin_options",
    "observed.images.image_fields", "observed.nodes.node", "observed.nodes.node_labels", "observed.nodes.pod_security",
    "observed.nodes.pod_security_exemptions", "observed.placement.placements", "observed.pods.library_workloads", "checks.rules.metrics.monitors",
}  # fmt: skip


@functools.cache
def asking() -> dict[str, list[ast.AST]]:
    """The modules that ask about values, with what stands in them: questions, rules, formats, and what is above them."""
    paths = sorted((*LIBRARY.glob("observed/**/*.py"), *LIBRARY.glob("checks/**/*.py")))
    names = {".".join(path.relative_to(LIBRARY).with_suffix("").parts): path for path in paths}
    return {name: [*ast.walk(ast.parse(path.read_text()))] for name, path in names.items() if not name.startswith(READERS)}


def called(nodes: list[ast.AST], *functions: str) -> list[ast.Call]:
    """The calls of functions in a module."""
    return [each for each in nodes if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in functions]


def test_facts_and_rules_ask_the_model_whether_a_value_is_unknown():
    tested = [
        (name, each.lineno) for name, nodes in asking().items() for each in called(nodes, "isinstance") if "Unknown" in ast.dump(each)
    ]
    by_class = [
        (name, each.lineno)
        for name, nodes in asking().items()
        for each in nodes
        if isinstance(each, ast.Attribute) and each.attr == "__class__"
    ]
    assert tested + by_class == []


def test_the_facts_that_answer_with_an_unknown_value_are_known():
    assert {name for name, nodes in asking().items() if called(nodes, "Unknown", "UnknownKey")} == MAKERS


def findings(example: Example, text: str) -> list[Finding]:
    """What all rules find in a variant of an example."""
    return run_rules(read_text(text, file="example.yaml", chart=example.chart, talos=example.talos, nodes=example.nodes))


def concluded(rule: Rule, variants: Iterator[unknowns.Variant]) -> list[str]:
    """What is found in variants of a passing example and not in the example, and where each was changed."""
    before = {each.rule for each in findings(rule.passing, rule.passing.yaml)}
    return [
        f"{where}: {each.severity} {each.rule} {each.message}"
        for where, changed in sampled(variants, int(rule.id[2:]))
        for each in findings(rule.passing, unknowns.dumped(changed))
        if each.rule not in before and not is_conditional(each)
    ]


def is_conditional(finding: Finding) -> bool:
    """Whether the finding names the switch that a placeholder decides, and is no error: it concludes nothing."""
    return finding.severity is not Severity.ERROR and finding.message.endswith(".enabled is on")


@each_rule
def test_no_unknown_scalar_or_key_of_what_is_right_is_found(rule: Rule):
    assert concluded(rule, unknowns.variants(rule.passing.yaml)) == []


@each_rule
def test_no_text_of_what_is_right_is_found_that_something_completes(rule: Rule):
    assert concluded(rule, unknowns.completed(rule.passing.yaml)) == []


@each_rule
def test_no_unknown_part_of_what_is_right_is_found(rule: Rule):
    assert concluded(rule, unknowns.parts(rule.passing.yaml)) == []


@each_rule
def test_nothing_that_may_be_added_to_what_is_right_is_found(rule: Rule):
    assert concluded(rule, unknowns.additions(rule.passing.yaml)) == []


@pytest.mark.thorough
@each_rule
def test_an_unknown_value_of_what_is_wrong_is_read_by_every_rule(rule: Rule):
    for variants in (unknowns.variants, unknowns.parts, unknowns.additions):
        for where, changed in variants(rule.failing.yaml):
            assert all(each.message for each in findings(rule.failing, unknowns.dumped(changed))), where


def test_what_does_not_decide_may_be_unknown():
    """Most failing examples are found with one value unknown, so that the tests above don't pass because nothing is read."""
    total = still_found = 0
    for rule in RULES.values():
        for _, changed in sampled(unknowns.variants(rule.failing.yaml, keys=False), int(rule.id[2:])):
            total += 1
            still_found += rule.id in {each.rule for each in findings(rule.failing, unknowns.dumped(changed))}
    assert still_found > 0.6 * total, (still_found, total)


@settings(max_examples=drawn(150), deadline=None)
@given(rule=st.sampled_from(list(RULES.values())), seed=st.integers(0, 2**32), share=st.floats(0.05, 0.95))
def test_several_unknown_values_at_once_give_no_error(rule: Rule, seed: int, share: float):
    chosen = random.Random(seed)
    for example in (rule.passing, rule.failing):
        text = unknowns.with_unknowns(example.yaml, lambda: chosen.random() < share)
        found = findings(example, text)
        if example is rule.passing:
            assert [each for each in found if each.rule == rule.id and each.severity is Severity.ERROR] == []
