"""What the entries of `ignore` cost: the entries are compared with each file once, not with each finding."""

from pathlib import Path

import pytest

from constructs_lib.checks.rule import Finding, Severity
from constructs_lib.checks.settings import MOST_IGNORES, Ignore, Settings
from counting import calls

REPOSITORY = Path("/repository")


def of(*paths: str) -> Settings:
    entries = tuple(Ignore(rule="TG045", path=path, reason="nobody applies the file") for path in paths)
    return Settings(file=".talos-gpu.yaml", folder=REPOSITORY, ignore=entries, ignore_lines=tuple(range(len(entries))))


def finding(line: int, file: str = "a/b/c.yaml") -> Finding:
    return Finding(rule="TG045", severity=Severity.ERROR, message="half a GPU", fix="", file=str(REPOSITORY / file), line=line)


def test_a_further_finding_in_a_file_is_compared_with_no_entry_again():
    settings = of(*(f"file-{number}" for number in range(MOST_IGNORES - 1)), "a/*")
    findings = [finding(line) for line in range(1_000)]
    settings.silenced(findings[:1])

    assert calls(lambda: settings.silenced(findings)) < 21 * len(findings)
    assert all(each.ignored for each in settings.silenced(findings))


def test_an_entry_is_unused_after_a_comparison_with_files_not_findings():
    settings = of(*(f"file-{number}" for number in range(MOST_IGNORES)))
    findings = [finding(line) for line in range(1_000)]
    settings.silenced(findings[:1])

    assert calls(lambda: settings.unused(findings, ["TG045"], ["/repository"])) < 300 * MOST_IGNORES
    assert len(settings.unused(findings, ["TG045"], ["/repository"])) == MOST_IGNORES


@pytest.mark.parametrize("path", ["**/a/" * 20_000, "**/" * 20_000 + "x", "a/" * 20_000])
def test_the_length_of_a_path_that_matches_nothing_costs_nothing(path):
    settings = of(path.removesuffix("/"))
    settings.silenced([finding(1)])

    assert calls(lambda: settings.silenced([finding(1, "a/a/a/a/c.yaml")])) < 500


def test_a_doubled_folder_glob_is_one():
    findings = [finding(1), finding(2, "a/c.yaml"), finding(3, "b/c.yaml")]

    assert [bool(each.ignored) for each in of("a/**/**/**/c.yaml").silenced(findings)] == [True, True, False]
