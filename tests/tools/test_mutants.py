"""tools/mutants: a change that a test sees dies, another survives, and the repository stays as it is."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import ROOT
from tools.mutants import __main__ as command
from tools.mutants.__main__ import EQUIVALENT, LOT, ROOMS, equivalents, main, near_tests, stages
from tools.mutants.mutations import mutants, sample
from waiting import becomes

MODULE = '''"""A doubled number."""


def doubled(number: int, *, warn: bool = False) -> int:
    """Twice the number, with a word for negative ones."""
    return number * 2
'''
TEST = """
from constructs_lib.nodes.doubling import doubled


def test_a_number_is_doubled():
    assert doubled(2) == 4
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A library of one module and one test, with an empty list of equivalent mutants."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they are slow to start
    for name, text in {
        "constructs_lib/nodes/doubling.py": MODULE,
        "tests/nodes/test_doubling.py": TEST,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
        "equivalent.txt": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(repository, *options):
    return main(["--root", str(repository), "--equivalent", str(repository / "equivalent.txt"), "--jobs", "1", *options])


def found(tmp_path, text, room="nodes", name="module.py"):
    """The changes of a file, as its new texts by operator."""
    path = tmp_path / "constructs_lib" / room / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    changes = {}
    for each in mutants(tmp_path, room):
        changes.setdefault(each.operator, []).append(each.applied(text.encode()).decode())
    return changes


def test_a_change_that_a_test_sees_dies_another_survives_and_the_repository_stays_as_it_is(repository, capsys):
    before = contents(repository)

    assert run(repository) == 1

    assert capsys.readouterr().out.splitlines() == [
        "survived: constructs_lib/nodes/doubling.py:4 boolean: def doubled(number: int, *, warn: bool = False) -> int:  ## 41: False -> True",
        "nodes           2 of 3 killed, 0 equivalent",
        "in all          2 of 3 killed, 0 equivalent (seed 1)",
    ]
    assert contents(repository) == before


def test_an_equivalent_mutant_counts_apart(repository, capsys):
    (repository / "equivalent.txt").write_text(
        "constructs_lib/nodes/doubling.py boolean: def doubled(number: int, *, warn: bool = False) -> int:  ## 41: False -> True\n"
        "    nobody reads warn\n"
    )

    assert run(repository) == 0

    assert capsys.readouterr().out.splitlines()[-1] == "in all          2 of 2 killed, 1 equivalent (seed 1)"


@pytest.mark.thorough
def test_a_mutant_that_never_ends_is_killed_and_named(repository, capsys, monkeypatch):
    monkeypatch.setattr(command, "PROCESSOR", 5)
    (repository / "constructs_lib" / "nodes" / "doubling.py").write_text(
        "def doubled(number):\n"
        "    result, left = number - 1, number + 1\n"
        "    while left != 0:\n"
        "        result, left = result + 1, left - 1\n"
        "    return result\n"
    )

    assert run(repository) == 0

    change = "constructs_lib/nodes/doubling.py:4 integer: result, left = result + 1, left - 1  ## 34: 1 -> 2"
    assert capsys.readouterr().out.splitlines() == [
        f"ended by a limit, and counted as killed: {change}",
        "nodes           7 of 7 killed, 0 equivalent",
        "in all          7 of 7 killed, 0 equivalent (seed 1)",
    ]


def test_the_tests_without_a_change_may_take_longer_than_those_of_a_mutant(repository, capsys, monkeypatch):
    monkeypatch.setattr(command, "PROCESSOR", 1)
    path = repository / "tests" / "nodes" / "test_doubling.py"
    path.write_text(f"import time\n{TEST}    while time.process_time() < 2:\n        pass\n")

    assert run(repository, "--count", "1") == 0

    assert capsys.readouterr().out.startswith("ended by a limit, and counted as killed: constructs_lib/nodes/doubling.py:4 boolean")


def test_tests_that_fail_without_a_change_are_no_measure(repository, capsys):
    (repository / "tests" / "nodes" / "test_doubling.py").write_text(TEST.replace("4", "5"))

    assert run(repository) == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    assert "assert 4 == 5" in printed.err
    assert printed.err.endswith("mutants: the tests fail without a change; run `make test`\n")


def test_two_mutants_at_a_time_share_the_tests(repository, capsys):
    (repository / "tests" / "nodes" / "test_other.py").write_text("def test_other():\n    assert True\n")

    assert run(repository, "--jobs", "2") == 1

    assert capsys.readouterr().out.splitlines()[-1] == "in all          2 of 3 killed, 0 equivalent (seed 1)"


def running(marker):
    """The command lines that have a word."""
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if marker in _bytes(path)]


def ended(marker):
    """Whether the programs with a word end: the kernel takes one away some time after it is killed, and by itself none would end so soon."""
    return becomes([], lambda: running(marker))


def _bytes(path):
    try:
        return path.read_bytes()
    except OSError:  # the process has ended meanwhile
        return b""


_LEAVES_A_PROGRAM = """
import subprocess, sys


def test_a_program_is_left():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", {marker!r}])
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the running programs are read from /proc")
def test_no_program_of_a_test_outlives_the_run(repository, tmp_path):
    marker = f"left-by-{tmp_path}"
    (repository / "tests" / "nodes" / "test_leaving.py").write_text(_LEAVES_A_PROGRAM.format(marker=marker))

    run(repository, "--count", "1")

    assert ended(marker.encode())


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="the running programs are read from /proc")
def test_a_signal_ends_the_tests_too(repository, tmp_path):
    marker, started = f"waits-for-{tmp_path}", tmp_path / "started"
    (repository / "tests" / "nodes" / "test_waiting.py").write_text(
        f"import pathlib, subprocess, sys\n\n\ndef test_it_waits():\n    pathlib.Path({str(started)!r}).touch()\n"
        f"    subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', {marker!r}])\n"
    )
    program = [sys.executable, "-m", "tools.mutants", "--root", str(repository), "--jobs", "1"]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (started.exists() and running(marker.encode())):
            time.sleep(0.05)
        process.terminate()

    assert process.returncode == 128 + signal.SIGTERM
    assert ended(marker.encode())


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("compare", "a = 1 < b <= c", ["a = (1 <= b <= c)", "a = (1 < b < c)"]),
        ("and-or", "a = b and c", ["a = (b or c)"]),
        ("operand", "a = b or c or d", ["a = (c or d)", "a = (b or d)", "a = (b or c)"]),
        ("not", "a = not b", ["a = (b)"]),
        ("condition", "if a:\n    b()", ["if (not a):\n    b()"]),
        ("choice", "a = b if c else d", ["a = (d if c else b)"]),
        ("any-all", "a = any(b)", ["a = (all)(b)"]),
        ("answer", "a = b.is_yes", ["a = (b.is_no)"]),
        ("keyword", "a(1, b=2, c=3)", ["(a(1, c=3))", "(a(1, b=2))"]),
        ("order", "a = [b, c, d]", ["a = ([c, b, d])"]),
        ("order", "a.append(b)", ["(a.insert(0, b))"]),
        ("return", "def a():\n    return b", ["def a():\n    return None"]),
        ("boolean", "a = True", ["a = False"]),
        ("integer", "a = 7", ["a = 8"]),
        ("string", 'a = "é", "nvidia.com/gpu", "two words"', ['a = "é", \'nvidia.com/gpu0\', "two words"']),
    ],
)
def test_each_operator_changes_one_place(tmp_path, operator, before, after):
    assert found(tmp_path, before)[operator] == after


def test_a_table_is_changed_in_its_names_and_values_but_not_in_its_source(tmp_path):
    text = '{\n "read_on": "2026-11-20",\n "minors": [26, 31],\n "kernel": "6.6"\n}\n'

    assert found(tmp_path, text, "upstream", "table.json")["table"] == [
        text.replace(*change)
        for change in (('"minors"', '"minors0"'), ("[26", "[27"), ("31", "32"), ('"kernel"', '"kernel0"'), ('"6.6"', '"6.60"'))
    ]


def test_docstrings_annotations_and_exports_are_no_places(tmp_path):
    assert found(tmp_path, '"""Words"""\n__all__ = ["one", "two"]\na: "Literal[1]"\n"""Word"""\n') == {}


def test_a_sample_takes_each_operator_and_stays_when_another_line_goes(tmp_path):
    text = "".join(f"a{number} = {number}\nb{number} = c[{number}] == {number}\n" for number in range(20))
    found(tmp_path, text)
    first = sample(mutants(tmp_path, "nodes"), 6, 1)
    gone = next(each for each in mutants(tmp_path, "nodes") if each.operator == "integer" and each not in first)
    found(tmp_path, text.replace(f"{gone.source}\n", "\n" if gone.source[0] == "a" else f"{gone.source}\n"))

    assert [each.operator for each in first] == ["compare", "integer"] * 3
    assert [each.key for each in sample(mutants(tmp_path, "nodes"), 6, 1)] == [each.key for each in first]
    assert sample(mutants(tmp_path, "nodes"), 6, 2) != first


def test_the_nearest_tests_run_first():
    rule = next(each for each in mutants(ROOT, "checks/rules") if each.path.endswith("rules/metrics/exporter.py"))

    nearest, *others = stages(ROOT, "checks/rules", rule)

    assert "test_dcgm.py" in {each.name for each in nearest}
    assert {path.parent.name for lot in others for path in lot} == {"rules", "checks"}


def test_the_other_tests_run_in_lots_each_test_module_once():
    rule = mutants(ROOT, "checks/rules")[0]

    nearest, *others = stages(ROOT, "checks/rules", rule)

    assert sorted([*nearest, *(path for lot in others for path in lot)]) == sorted(near_tests(ROOT, "checks/rules"))
    assert max(map(len, others)) <= LOT


def test_every_folder_of_the_library_is_a_room():
    folders = {path.parent.relative_to(ROOT / "constructs_lib").as_posix() for path in (ROOT / "constructs_lib").rglob("*.py")} - {"."}

    assert {folder.partition("/")[0] for folder in folders} | {room for room in ROOMS if "/" in room} == set(ROOMS)
    assert set(ROOMS) - folders == set()


@pytest.mark.thorough
def test_each_equivalent_mutant_is_one_of_todays():
    keys = {each.key for room in ROOMS for each in mutants(ROOT, room, ROOMS)}

    assert set(equivalents(EQUIVALENT)) - keys == set()
