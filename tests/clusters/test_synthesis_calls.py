"""What a cluster of a cluster file costs: function calls, which are the same on every machine."""

import sys

import pytest

from conftest import ROOT
from constructs_lib.checks.rules import RULES
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.synthesis import synthesize
from counting import calls

sys.path.append(str(ROOT / "benchmarks"))
from platforms import fleet_file


@pytest.fixture(scope="module")
def calls_a_cluster():
    """The calls to synthesize and check one of several clusters of 20 objects."""
    descriptions = [description for _, description in ClusterFile("fleet.yaml", fleet_file(3)).clusters()]

    def run(description):
        result = synthesize(description, lambda path: path)
        assert not result.errors
        assert sum(text.count("\nkind: ") for text in result.files.values()) == 20

    run(descriptions[0])  # what is loaded and compiled once
    return [calls(lambda each=each: run(each)) for each in descriptions[1:]]


def test_a_cluster_of_twenty_objects_costs_11_500_calls_and_110_for_each_rule(calls_a_cluster):
    # With Python 3.11: 10,950 and 105, so a new rule may cost what the others do.
    assert max(calls_a_cluster) < 11_500 + 110 * len(RULES)


def test_a_later_cluster_costs_no_more_than_the_one_before(calls_a_cluster):
    second, third = calls_a_cluster
    assert third <= 1.01 * second
