"""The benchmark that makes the safe fixes of public clusters in memory: what it prints, and when it fails."""

import sys

import pytest
from test_wild import HEAD, OPERATOR, VALUES

from conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import wild_fixes


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The exit status and the output, for a repository whose driver is on, and whose file of values has this verdict."""
    folder = tmp_path / "some+cluster@abc"
    folder.mkdir()
    (folder / "operator.yaml").write_text(OPERATOR)
    (folder / "values.yaml").write_text(VALUES.replace("driver: {enabled: false}", "driver: {enabled: true}"))
    (tmp_path / "faults.tsv").write_text("repo\tcommit\tpath\twhat\trules\twhy not\n")

    def made(verdict: str) -> tuple[int, str]:
        (tmp_path / "cases.tsv").write_text(f"{HEAD}some/cluster\tabc\tvalues.yaml\t1.13\t{verdict}\tthe driver\n")
        tables = ("--cases", str(tmp_path / "cases.tsv"), "--faults", str(tmp_path / "faults.tsv"))
        monkeypatch.setattr("sys.argv", ["wild_fixes.py", str(tmp_path), *tables])
        return wild_fixes.main(), capsys.readouterr().out

    return made


def test_a_safe_fix_of_a_file_that_works_is_an_error(run):
    status, printed = run("works")

    assert status == 1
    assert "works, and a safe fix changes it: " in printed


def test_the_safe_fixes_of_other_files_are_told(run):
    status, printed = run("unknown")

    assert (status, printed.splitlines()[-1]) == (0, "no working case changes, and a second run changes nothing")
    assert printed.startswith("some+cluster@abc: 1 of ")
