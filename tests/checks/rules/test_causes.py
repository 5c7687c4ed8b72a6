"""The causes that make a faulty text right: each rule that one touches says so, with an example. See `checks/rules/_causes.py`."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules._causes import INSTALLER, OTHER_CLUSTER, STARTUP_TAINT, installer, other_cluster, startup_taint
from constructs_lib.observed.read.repository import read_text

CAUSES = {STARTUP_TAINT: startup_taint, INSTALLER: installer, OTHER_CLUSTER: other_cluster}
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
            (example,) = CAUSES[cause](rule.failing).values()
            if example != rule.failing and not is_found(rule, example):
                yield rule


@pytest.mark.parametrize("cause", CAUSES)
def test_each_rule_that_a_cause_touches_has_an_example_of_it(cause):
    rules = [*touched(cause)]

    assert len(rules) >= FEWEST[cause]
    assert [each.id for each in rules if cause not in each.also_passing] == []


@pytest.mark.parametrize("cause", CAUSES)
def test_an_example_of_a_cause_is_the_failing_one_with_that_cause(cause):
    rules = [rule for rule in RULES.values() if cause in rule.also_passing]

    assert [each.id for each in rules if each.also_passing != {**each.also_passing, **CAUSES[cause](each.failing)}] == []
    assert [each.id for each in rules if is_found(each, each.also_passing[cause])] == []
