"""What the checks cost: function calls an object, which grow no faster than what is read."""

import sys
from functools import cache

import pytest

from conftest import ROOT
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read, read_text
from counting import calls

sys.path.append(str(ROOT / "benchmarks"))
from check_inputs import manifests, repository


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


@pytest.fixture(scope="module")
def thousand():
    counted(10)  # what is loaded and compiled once
    return counted(1_000)


def test_an_object_is_read_and_judged_in_under_nineteen_hundred_calls(thousand):
    assert thousand["read"] + thousand["check"] < 1_900


@pytest.mark.parametrize("part", ["read", "check"])
def test_four_times_the_objects_take_about_four_times_the_calls(thousand, part):
    assert counted(4_000)[part] < 1.1 * thousand[part]


@pytest.fixture(scope="module")
def calls_a_file(tmp_path_factory):
    """The calls a file to read, and to check, a repository of so many files."""

    @cache
    def made(files):
        folder = repository(tmp_path_factory.mktemp("repository"), files)
        inputs = []
        reading = calls(lambda: inputs.append(read([folder], talos="1.13")))
        checking = calls(lambda: run_rules(inputs[0]))
        assert len(inputs[0].objects) == 3 * files / 4
        return {"read": reading / files, "check": checking / files}

    made(8)  # what is loaded and compiled once
    return made


@pytest.mark.parametrize(("part", "most"), [("read", 1_400), ("check", 345)])  # reading costs a few calls more in a deeper temporary folder
def test_a_file_of_a_repository_costs_no_more_where_there_are_more_files(calls_a_file, part, most):
    assert calls_a_file(800)[part] < 1.1 * calls_a_file(200)[part]
    assert calls_a_file(200)[part] < most
