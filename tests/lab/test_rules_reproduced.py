"""Rules on a real control plane: the failing example of a rule shows the symptom in the rule's words, and the passing one does not.

`reproductions.py` says what each example meets in the cluster. Of the other rules `tools/proofs.py` says what could prove them.
"""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from control_plane import ControlPlane
from lab_site import furnish
from reproductions import REPRODUCTIONS
from rule_objects import GPU
from rule_plays import claimed
from rule_stage import NAMESPACES, Stage, namespace

from conftest import needs
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text
from tools.proofs import JUDGED, REPRODUCED, UNPROVEN

VARIANTS = [(rule, words) for rule, each in REPRODUCTIONS.items() for words in each.variants]


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of the GPU operator and of NFD (tools/reference.py)"))
    needs("REFERENCE", "the values and the rendered charts of upstream (tools/reference.py)")
    with ControlPlane(assets) as started:
        furnish(started, crds)
        started.apply(yaml.safe_load_all((crds / "nvidia.com_clusterpolicies.yaml").read_text(encoding="utf-8")))
        started.apply(map(namespace, NAMESPACES))
        started.eventually(lambda: [started.get("v1", "ServiceAccount", "default", name) for name in NAMESPACES])
        yield started


def printed(rule: str) -> str:
    """The words of a rule and of the findings in its failing example."""
    example = RULES[rule].failing
    inputs = read_text(example.yaml, file="example.yaml", chart=example.chart, talos=example.talos, nodes=example.nodes)
    return "\n".join([RULES[rule].symptom, *(each.message for each in run_rules(inputs))])


def test_every_rule_is_reproduced_or_has_a_judge_or_a_reason():
    classes = [*REPRODUCED, *JUDGED, *(rule for rules in UNPROVEN.values() for rule in rules)]

    assert sorted(classes) == sorted(RULES)
    assert set(REPRODUCED) == set(REPRODUCTIONS)


@pytest.mark.parametrize("rule", JUDGED)
def test_the_judge_of_a_rule_is_a_test(rule):
    path, _, name = JUDGED[rule].partition("::")

    assert f"def {name}(" in (Path(__file__).resolve().parents[2] / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", REPRODUCTIONS)
def test_the_words_to_reproduce_are_the_words_of_the_rule(rule):
    reproduction = REPRODUCTIONS[rule]

    assert [words for words in (*reproduction.words, *reproduction.variants) if words not in printed(rule)] == []


@pytest.mark.parametrize("rule", REPRODUCTIONS)
def test_the_failing_example_shows_the_symptom_in_the_words_of_the_rule(lab, rule):
    reproduction = REPRODUCTIONS[rule]
    with Stage(lab) as stage:
        reproduction.play(stage, RULES[rule].failing)
        shown = lab.eventually(stage.shown, lambda text: all(words in text for words in reproduction.words))

        assert [words for words in reproduction.words if words not in shown] == [], shown
        assert stage.notes or not stage.healthy()


@pytest.mark.parametrize("rule", REPRODUCTIONS)
def test_the_passing_example_runs_without_the_symptom(lab, rule):
    reproduction = REPRODUCTIONS[rule]
    with Stage(lab) as stage:
        reproduction.play(stage, RULES[rule].passing)
        healthy = lab.eventually(stage.healthy)
        shown = stage.shown()

        assert healthy, shown
        assert [words for words in reproduction.words if words in shown] == [], shown


@pytest.mark.parametrize(("rule", "words"), VARIANTS, ids=[f"{rule}-{words.split()[0]}" for rule, words in VARIANTS])
def test_a_variant_of_the_failing_example_shows_the_further_words(lab, rule, words):
    reproduction, failing = REPRODUCTIONS[rule], RULES[rule].failing
    text = failing.yaml
    for old, new in reproduction.variants[words].items():
        assert old in text
        text = text.replace(old, new)
    with Stage(lab) as stage:
        reproduction.play(stage, dataclasses.replace(failing, yaml=text))
        shown = lab.eventually(stage.shown, lambda text: words in text)

        assert words in shown


def test_tg055_beside_a_device_plugin_the_pod_is_never_bound(lab):
    words = "nil or empty request mappings, no update of pod"
    assert words in RULES["TG055"].symptom
    with Stage(lab) as stage:
        claimed(stage, RULES["TG055"].failing, {GPU: 1})
        shown = lab.eventually(stage.shown, lambda text: words in text)

        assert words in shown
        assert not stage.healthy()
