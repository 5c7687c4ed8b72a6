"""The benchmark that holds the checks to public clusters: what it counts, and when it fails."""

import csv
import sys

import pytest

from conftest import ROOT
from constructs_lib.checks.rules import RULES

sys.path.insert(0, str(ROOT / "benchmarks"))
import wild

HEAD = "repo\tcommit\tpath\ttalos_version\tverdict\treason\n"
FAULTS = "repo\tcommit\tpath\twhat\trules\twhy not\n"
OPERATOR = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: kube-system}
spec:
  chart: {spec: {chart: gpu-operator, version: v26.3.0}}
  valuesFrom: [{kind: ConfigMap, name: operator}]
"""
VALUES = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: operator, namespace: kube-system}
data:
  values.yaml: |
    driver: {enabled: false}
    toolkit: {enabled: false}
    hostPaths: {driverInstallDir: /usr/local}
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The exit status and what is printed, for cases and faults in a repository with an operator of a version that works nowhere."""

    def made(cases: str, faults: str = "", *more: str) -> tuple[int, str]:
        folder = tmp_path / "some+cluster@abc"
        folder.mkdir(exist_ok=True)
        (folder / "operator.yaml").write_text(OPERATOR)
        (folder / "values.yaml").write_text(VALUES)
        (tmp_path / "cases.tsv").write_text(HEAD + cases)
        (tmp_path / "faults.tsv").write_text(FAULTS + faults)
        given = [str(tmp_path), "--cases", str(tmp_path / "cases.tsv"), "--faults", str(tmp_path / "faults.tsv"), *more]
        monkeypatch.setattr("sys.argv", ["wild.py", *given])
        return wild.main(), capsys.readouterr().out

    return made


def test_what_works_may_get_no_error(run):
    status, printed = run("some/cluster\tabc\toperator.yaml\t1.13\tworks\tit is said to\n")

    assert status == 1
    assert "works      1 cases, by their worst finding: 1 error, 0 warning, 0 info, 0 -" in printed
    assert "error TG004 operator.yaml" in printed


def test_a_finding_counts_for_each_file_that_the_object_is_from(run):
    assert run("some/cluster\tabc\tvalues.yaml\t1.13\tworks\tits values are here\n")[0] == 1


def test_a_fault_is_found_by_its_own_rules_alone(run):
    case = "some/cluster\tabc\toperator.yaml\t1.13\tfails\tthe version\n"
    fault = "some/cluster\tabc\toperator.yaml\tthe version\t{}\t{}\n"

    status, printed = run(case, fault.format("TG004", ""))
    assert status == 0
    assert "fails      1 found by a rule for it, 0 not:" in printed
    assert run(case, fault.format("TG003", ""))[0] == 1
    assert run(case)[0] == 1
    status, printed = run(case, fault.format("", "it is in no file"))
    assert status == 0
    assert "some+cluster@abc operator.yaml: it is in no file" in printed


def test_errors_beside_the_cases_and_files_that_are_not_there_are_said(run, tmp_path):
    (tmp_path / "some+cluster@abc").mkdir()
    (tmp_path / "some+cluster@abc" / "other.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n")
    status, printed = run("some/cluster\tabc\tother.yaml\t?\tworks\t\nsome/cluster\tabc\tgone.yaml\t1.13?\tworks\t\n")

    assert status == 0
    assert "works      0 with an error, and 1 errors in other files of these repositories" in printed
    assert f"not there: {tmp_path}/some+cluster@abc/gone.yaml" in printed


def test_the_page_gets_the_totals_and_the_faults(run, tmp_path):
    page = tmp_path / "rules.md"
    page.write_text("before\n<!-- wild -->\nold\n<!-- end -->\nafter\n")
    run(
        "some/cluster\tabc\toperator.yaml\t1.13\tfails\tthe version\n",
        "some/cluster\tabc\toperator.yaml\ta version that works nowhere\tTG004\t\n",
        "--write",
        str(page),
    )

    assert page.read_text() == (
        "before\n<!-- wild -->\n"
        "| 1 files of 1 repositories | error | warning | remark | nothing |\n|---|--:|--:|--:|--:|\n"
        "| 0 known to work | 0 | 0 | 0 | 0 |\n| 1 known to have failed | 1 | 0 | 0 | 0 |\n| 0 not known | 0 | 0 | 0 | 0 |\n\n"
        "| what failed | where | found by |\n|---|---|---|\n"
        "| a version that works nowhere | [some/cluster](https://github.com/some/cluster/blob/abc/operator.yaml) | [TG004](#tg004) |\n"
        "<!-- end -->\nafter\n"
    )


def test_the_page_tells_of_every_known_fault_and_its_rules_exist():
    page = (ROOT / "docs" / "rules.md").read_text()
    told = page[page.index("<!-- wild -->") :]
    with (ROOT / "benchmarks" / "wild-faults.tsv").open() as file:
        faults = list(csv.DictReader(file, delimiter="\t"))

    assert faults
    for fault in faults:
        assert set(fault["rules"].split()) <= RULES.keys()
        assert fault["rules"] or fault["why not"]
        assert f"| {fault['what']} | [{fault['repo']}](https://github.com/{fault['repo']}/blob/{fault['commit']}/{fault['path']})" in told


def test_a_safe_fix_of_a_file_that_works_is_an_error(run, monkeypatch):
    monkeypatch.setattr("test_wild.VALUES", VALUES.replace("driver: {enabled: false}", "driver: {enabled: true}"))
    fails, works = (f"some/cluster\tabc\tvalues.yaml\t1.13\t{verdict}\tthe driver\n" for verdict in ("unknown", "works"))

    status, printed = run(fails, "", "--fixes")
    assert (status, "fixed    some+cluster@abc: 1 of " in printed) == (0, True)
    assert "a safe fix changes it" not in printed
    status, printed = run(works, "", "--fixes")
    assert (status, "works, and a safe fix changes it: " in printed) == (1, True)
