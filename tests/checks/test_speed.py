"""What the checks cost: function calls an object, which grow no faster than what is read."""

import sys
from functools import cache

import pytest

from conftest import ROOT
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules._shared import NAMED, RUNTIME_CLASS, daemon_set
from constructs_lib.observed.read.repository import read, read_text
from counting import calls

sys.path.append(str(ROOT / "benchmarks"))
from check_inputs import manifests, repository


@cache
def counted(size):
    """The calls an object to read, and to check, about so many objects."""
    read_, found = [], []
    text = manifests(size)
    reading = calls(lambda: read_.append(read_text(text, talos="1.12")))
    checking = calls(lambda: found.extend(run_rules(read_[0])))
    objects = len(read_[0].objects)
    assert objects >= size
    assert found
    return {"read": reading / objects, "check": checking / objects}


def test_an_object_is_read_in_540_calls_and_judged_in_ten_and_a_half_for_each_rule():
    counted(10)  # what is loaded and compiled once
    calls_an_object = counted(1_000)

    assert calls_an_object["read"] < 540  # with Python 3.11: 509
    assert calls_an_object["check"] < 10.5 * len(RULES)  # 9.7, so a new rule may cost what the others do


@pytest.mark.thorough
def test_four_times_the_objects_take_about_four_times_the_calls():
    counted(10)  # what is loaded and compiled once
    few, many = counted(1_000), counted(4_000)

    assert {part: many[part] / few[part] for part in few if many[part] >= 1.1 * few[part]} == {}


def calls_a_file(folder, files):
    """The calls a file to read, and to check, a repository of so many files."""
    repository(folder, files)
    inputs = []
    reading = calls(lambda: inputs.append(read([folder], talos="1.13")))
    checking = calls(lambda: run_rules(inputs[0]))
    assert len(inputs[0].objects) == 3 * files / 4
    return {"read": reading / files, "check": checking / files}


def test_a_file_of_a_repository_costs_no_more_where_there_are_more_files(tmp_path_factory):
    folders = [tmp_path_factory.mktemp("repository") for _ in range(3)]
    # What is loaded and compiled once is in the first.
    _, few, many = map(calls_a_file, folders, (8, 200, 800))

    assert {part: many[part] / few[part] for part in few if many[part] >= 1.1 * few[part]} == {}
    # With Python 3.11: 1,509 in /tmp/a/b/c, and 28 for each folder above it, as pathlib and realpath read each part of a path.
    assert few["read"] < 1_420 + 30 * len(folders[0].parts)
    assert few["check"] < 2.8 * len(RULES)  # 2.7


def plugins(number):
    """The calls to check so many device plugins of one namespace that all select each other's pods and nodes, and the findings."""
    agent = "        - {name: plugin, image: nvcr.io/nvidia/k8s-device-plugin:v0.17.1}\n"
    named = (daemon_set(f"plugin-{each:03}", agent, labels="{app: plugin}", spec=NAMED) for each in range(number))
    inputs, found = read_text(RUNTIME_CLASS + "".join(named), talos="1.13"), []
    return calls(lambda: found.extend(run_rules(inputs))), len(found)


def test_so_many_equal_plugins_cost_calls_and_findings_of_their_number_and_not_of_their_pairs():
    plugins(5)  # what is loaded and compiled once
    few, many = plugins(50), plugins(200)

    assert many[0] < 4.4 * few[0]
    assert (few[1], many[1]) == (50, 200)
