"""One fault of each rule, planted into working trees of every layout: the rule finds it. The misses: `python -m tests.trees faults 3`."""

import pytest

from constructs_lib.checks.rules import RULES
from trees.checking import found
from trees.faults import LAYOUTS_OF
from trees.layouts import LAYOUTS
from trees.trees import faulty_tree

LEAST = 0.95


def test_the_fault_of_every_rule_is_planted_in_some_layout():
    assert {rule for rule in RULES if not set(LAYOUTS_OF.get(rule, LAYOUTS)) & set(LAYOUTS)} == set()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_rule_finds_its_fault_in_every_layout(layout, tmp_path):
    planted, missed = 0, []
    for rule in RULES.values():
        if layout not in LAYOUTS_OF.get(rule.id, LAYOUTS):
            continue
        (root := tmp_path / rule.id).mkdir()
        made = faulty_tree(rule, layout, 0, root)
        planted += 1
        missed += [] if found(rule, made.cluster.talos, root) else [f"{rule.id}: {made}"]

    assert planted >= len(RULES) - len(LAYOUTS_OF)
    assert len(missed) <= planted * (1 - LEAST), missed


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.thorough
def test_a_rule_finds_its_fault_in_nearly_every_layout(rule, tmp_path):
    """One tree of twenty may hide a fault: each layout has two, which are more than twenty together."""
    layouts = LAYOUTS_OF.get(rule.id, tuple(LAYOUTS))
    trees = [(layout, seed) for layout in layouts for seed in range(100, 102)]
    missed = []
    for layout, seed in trees:
        (root := tmp_path / f"{layout}-{seed}").mkdir()
        made = faulty_tree(rule, layout, seed, root)
        missed += [] if found(rule, made.cluster.talos, root) else [str(made)]

    assert len(missed) <= len(trees) * (1 - LEAST), missed
