"""Rules on real nodes: the failing example of a rule shows the symptom in the rule's words, and the passing one does not.

`reproductions_on_nodes.py` says how each example comes there. Charts are of the releases that the rehearsal builds, and the operator's pods
are written by hand: no operator runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from example_scene import ExampleScene
from node_scene import machine, node_spec
from reproductions_on_nodes import REPRODUCTIONS

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Example
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text
from nodes import GENERATIONS, needs_a_node
from talos_gpu_rehearsal.cards import RTX_4090
from talos_gpu_rehearsal.cluster import Cluster
from tools.proofs import ON_A_NODE

NEWEST_OF_EXAMPLES = "1.13"
"""The Talos of an example that names none."""


def talos_of(example: Example) -> str:
    return GENERATIONS[example.talos or NEWEST_OF_EXAMPLES]


def by_talos(name: str) -> list[tuple[str, Example]]:
    """The examples of a kind with their rules, those on one Talos side by side."""
    return sorted(((rule, getattr(RULES[rule], name)) for rule in REPRODUCTIONS), key=lambda each: talos_of(each[1]))


CASES = sorted([*by_talos("failing"), *by_talos("passing")], key=lambda each: talos_of(each[1]))


@pytest.fixture(scope="module")
def scene_on(tmp_path_factory) -> Iterator[Callable[[str], ExampleScene]]:
    """A scene on a node with two cards of a Talos; the cluster of the Talos before has ended."""
    needs_a_node()
    running: list[tuple[str, Cluster, set[str]]] = []

    def on(talos: str) -> ExampleScene:
        if not running or running[-1][0] != talos:
            while running:
                running.pop()[1].end()
            spec = node_spec(machine(talos), (RTX_4090, RTX_4090))
            cluster = Cluster(tmp_path_factory.mktemp("rules") / "cluster", [spec])
            running.append((talos, cluster.__enter__(), set()))
        return ExampleScene(*running[-1][1:])

    yield on
    for _, cluster, _ in running:
        cluster.end()


def printed(rule: str) -> str:
    """The words of a rule and of the findings in its failing example."""
    example = RULES[rule].failing
    inputs = read_text(example.yaml, file="example.yaml", chart=example.chart, talos=example.talos, nodes=example.nodes)
    return "\n".join([RULES[rule].symptom, *(each.message for each in run_rules(inputs))])


def test_the_rules_that_a_node_shows_are_reproduced():
    assert set(ON_A_NODE) == set(REPRODUCTIONS)


@pytest.mark.parametrize("rule", REPRODUCTIONS)
def test_the_words_to_reproduce_are_the_words_of_the_rule(rule):
    assert [words for words in REPRODUCTIONS[rule].words if words not in printed(rule)] == []


@pytest.mark.parametrize(
    ("rule", "example"), CASES, ids=[f"{rule}-{'failing' if RULES[rule].failing is example else 'passing'}" for rule, example in CASES]
)
def test_the_failing_example_shows_the_words_of_the_rule_and_the_passing_one_runs_without_them(scene_on, rule, example):
    words = REPRODUCTIONS[rule].words
    with scene_on(talos_of(example)) as scene:
        REPRODUCTIONS[rule].play(scene, example)
        if example is RULES[rule].failing:
            shown = scene.cluster.eventually(scene.shown, lambda text: all(each in text for each in words), f"{words}")
        else:
            scene.until(scene.healthy, "an example that works")
            shown = scene.shown()
            assert [each for each in words if each in shown and each not in WAITS] == [], shown


WAITS = ("waiting for nvidia container stack to be setup",)
"""What a program also says until all is well."""
