"""The causes that make a faulty text right: each rule that one touches says so, with an example. See `checks/rules/_causes.py`."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules._causes import INSTALLER, OTHER_CLUSTER, STARTUP_TAINT
from constructs_lib.observed.read.repository import read_text

FEWEST = {STARTUP_TAINT: 2, INSTALLER: 11, OTHER_CLUSTER: 5}
MOST_RELEASES = 2


def is_found(rule, example):
    inputs = read_text(example.yaml, file="example.yaml", chart=example.chart, talos=example.talos, nodes=example.nodes)
    return any(not each.is_doubt for each in run_rules(inputs, select=[rule.id]))


def touched(cause):
    """The rules whose failing example the cause makes right."""
    for rule in RULES.values():
        is_text = not rule.failing.files and not rule.failing.chart
        if is_text and rule.failing.yaml.count("kind: HelmRelease") <= MOST_RELEASES:
            example = cause.applied(rule.failing)
            if example != rule.failing and not is_found(rule, example):
                yield rule


@pytest.mark.parametrize("cause", FEWEST, ids=lambda cause: cause.title)
def test_each_rule_that_a_cause_touches_has_an_example_of_it(cause):
    rules = [*touched(cause)]

    assert len(rules) >= FEWEST[cause]
    assert [each.id for each in rules if cause not in each.causes] == []


@pytest.mark.parametrize("cause", FEWEST, ids=lambda cause: cause.title)
def test_an_example_of_a_cause_is_the_failing_one_with_that_cause(cause):
    rules = [rule for rule in RULES.values() if cause in rule.causes]

    assert [each.id for each in rules if each.also_passing[cause.title] == each.failing] == []
    assert [each.id for each in rules if is_found(each, each.also_passing[cause.title])] == []
