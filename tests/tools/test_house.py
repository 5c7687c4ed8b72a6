"""The counts of `make house`, and the tests that `make quick` chooses."""

import pytest

from conftest import ROOT
from tools import house, quick

ROOMS = ("ground", "first", "second")


def test_a_circle_is_found_wherever_one_begins_to_look():
    graph = {"a": {"b"}, "b": {"c", "x"}, "c": {"b"}, "d": {"a", "e"}, "e": {"d"}, "x": set()}

    assert house.circles(graph) == [["b", "c"], ["d", "e"]]


def test_an_import_is_of_a_module_or_of_something_in_one():
    files = house.modules()
    found = house.imports(files)

    assert "nodes.cards" in found["nodes.gpu_nodes"]
    assert "arguments" not in found["nodes.gpu_nodes"]
    assert {name for names in found.values() for name in names} <= {*files}


def test_a_line_is_long_for_what_it_is():
    text = f'"""{"a" * 118}"""\n# {"b" * 119}\nc = "{"d" * 119}"  # {"e" * 5}\nf = "{"g" * 140}"\n'

    assert list(house.long_lines(text)) == [(1, True), (2, True), (4, False)]


def test_the_counts_are_those_of_the_library():
    counted = dict(house.counts())
    of_rooms = [number for words, number in counted.items() if words.startswith("  ")]

    assert counted["modules"] == len(list((ROOT / "constructs_lib").rglob("*.py")))
    assert counted["lines"] == sum(of_rooms)
    assert len(of_rooms) == 1 + len(house.rooms())
    assert counted["public names"] > 40


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("constructs_lib/first/a.py", [".", "first", "second"]),
        ("constructs_lib/second/deep/a.py", [".", "second"]),
        ("constructs_lib/__init__.py", ["."]),
        ("tests/ground/test_a.py", ["ground"]),
        ("tests/lab/agents.py", ["lab"]),
        ("tests/test_doors.py", ["."]),
        ("tools/docs.py", [".", "tools"]),
        ("docs/rules.md", ["."]),
    ],
)
def test_a_change_asks_for_its_rooms_and_those_above(file, expected):
    assert quick.folders([file], ROOMS) == expected


def test_folders_without_tests_are_left_out(tmp_path):
    (tmp_path / "first").mkdir()
    (tmp_path / "test_a.py").touch()

    assert quick.paths([".", "first", "second"], tmp_path) == [f"{tmp_path}/test_a.py", f"{tmp_path}/first"]
