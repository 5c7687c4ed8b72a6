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
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: kube-system}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec: {runtimeClassName: none, containers: [{name: app, image: app:1, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
ERRORS = "repo\tcommit\tpath\trule\tverdict\treason\n"
CASE = "some/cluster\tabc\toperator.yaml\t1.13\t{}\tthe version\n"
FAULT = "some/cluster\tabc\toperator.yaml\tthe version\t{}\t{}\n"
ERROR = "some/cluster\tabc\toperator.yaml\tTG004\t{}\tit runs by luck\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The exit status and what is printed, in a repository with an operator of a version that works nowhere."""

    def made(cases: str, faults: str = "", errors: str = "", *more: str) -> tuple[int, str]:
        folder = tmp_path / "some+cluster@abc"
        folder.mkdir(exist_ok=True)
        (folder / "operator.yaml").write_text(OPERATOR)
        (folder / "values.yaml").write_text(VALUES)
        for name, rows in {"cases": HEAD + cases, "faults": FAULTS + faults, "errors": ERRORS + errors}.items():
            (tmp_path / f"{name}.tsv").write_text(rows)
        tables = [f"--{name}={tmp_path / name}.tsv" for name in ("cases", "faults", "errors")]
        monkeypatch.setattr("sys.argv", ["wild.py", str(tmp_path), *tables, *more])
        return wild.main(), capsys.readouterr().out

    return made


def counts(printed, name):
    """The numbers of a line: errors true, false and not judged, faults found and known, findings, blocks."""
    (line,) = [line for line in printed.splitlines() if line.startswith(f"{name} ") and "|" in line]
    return [int(word) for word in line.replace("|", " ").removeprefix(name).split() if word.isdecimal()]


def test_an_error_that_nobody_judged_fails_the_run(run):
    status, printed = run(CASE.format("works"))

    assert status == 1
    assert "error not judged: some+cluster@abc\n    error TG004 operator.yaml" in printed
    assert counts(printed, "with --talos")[:3] == counts(printed, "without")[:3] == [0, 0, 1]


@pytest.mark.parametrize(("verdict", "status", "numbers"), [("true", 0, [1, 0, 0]), ("false", 1, [0, 1, 0])])
def test_a_judged_error_fails_the_run_if_it_is_false(run, verdict, status, numbers):
    result, printed = run(CASE.format("works"), "", ERROR.format(verdict))

    assert result == status
    assert f"error {verdict}: some+cluster@abc\n" in printed
    assert "      it runs by luck\n" in printed
    assert counts(printed, "with --talos")[:3] == numbers


def test_errors_in_other_files_than_the_cases_count(run, tmp_path):
    (tmp_path / "some+cluster@abc").mkdir()
    (tmp_path / "some+cluster@abc" / "other.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n")
    status, printed = run("some/cluster\tabc\tother.yaml\t?\tworks\t\nsome/cluster\tabc\tgone.yaml\t1.13?\tworks\t\n")

    assert status == 1
    assert "error not judged: some+cluster@abc\n    error TG004 operator.yaml" in printed
    assert f"not there: {tmp_path}/some+cluster@abc/gone.yaml" in printed


def test_a_judged_error_that_is_not_given_any_more_is_named(run):
    status, printed = run(CASE.format("fails"), FAULT.format("TG004", ""), ERROR.replace("TG004", "TG003").format("true"))

    assert status == 0
    assert "judged, and no error any more: some/cluster abc operator.yaml TG003" in printed


def test_a_fault_counts_for_each_file_that_the_object_is_from(run):
    rows = [row.replace("operator.yaml", "values.yaml") for row in (CASE.format("fails"), FAULT.format("TG004", ""))]

    assert run(*rows)[0] == 0


def test_a_fault_is_found_by_its_own_rules_alone(run):
    status, printed = run(CASE.format("fails"), FAULT.format("TG004", ""))
    assert status == 0
    assert "known faults found: 1 of 1; errors that are false or not judged: 0" in printed

    status, printed = run(CASE.format("fails"), FAULT.format("TG003", ""), ERROR.format("true"))
    assert status == 1
    assert "missed: some+cluster@abc operator.yaml: ITS RULES DO NOT FIND IT: TG003" in printed
    assert counts(printed, "with --talos")[3:5] == [0, 1]

    status, printed = run(CASE.format("fails"), "", ERROR.format("true"))
    assert status == 1
    assert "missed: some+cluster@abc operator.yaml: NOT YET EXPLAINED" in printed

    status, printed = run(CASE.format("fails"), FAULT.format("", "it is in no file"), ERROR.format("true"))
    assert status == 0
    assert "missed: some+cluster@abc operator.yaml: it is in no file" in printed


def test_findings_are_counted_before_and_after_grouping(run, tmp_path):
    (tmp_path / "some+cluster@abc").mkdir()
    again = "".join(f"---\n{DEPLOYMENT.replace('NAME', name)}" for name in ("one", "two", "three"))
    (tmp_path / "some+cluster@abc" / "again.yaml").write_text(again)
    status, printed = run(CASE.format("works"))

    findings, blocks = counts(printed, "with --talos")[-2:]
    assert status == 1
    assert findings > blocks > 1


def test_the_page_gets_the_totals_and_the_faults(run, tmp_path):
    page = tmp_path / "rules.md"
    page.write_text("before\n<!-- wild -->\nold\n<!-- end -->\nafter\n")
    run(
        CASE.format("fails"),
        FAULT.format("TG004", "").replace("the version", "a version that works nowhere"),
        "",
        "--write",
        str(page),
    )

    assert page.read_text() == (
        "before\n<!-- wild -->\n"
        "| 1 files of 1 repositories | error | warning | remark | nothing |\n|---|--:|--:|--:|--:|\n"
        "| 0 known to work | 0 | 0 | 0 | 0 |\n| 1 known to have failed | 1 | 0 | 0 | 0 |\n| 0 not known | 0 | 0 | 0 | 0 |\n\n"
        "| 1 trees | true errors | false errors | known faults found | findings | blocks that a report shows |\n|---|--:|--:|--:|--:|--:|\n"
        "| with --talos | 1 | 0 | 1 of 1 | 1 | 1 |\n| without | 1 | 0 | 1 of 1 | 2 | 2 |\n| each file alone | 0 | 0 | 0 of 1 | 0 | 0 |\n\n"
        "| what failed | where | found by |\n|---|---|---|\n"
        "| a version that works nowhere | [some/cluster](https://github.com/some/cluster/blob/abc/operator.yaml) | [TG004](#tg004) |\n\n"
        "| other errors | where | judged | because |\n|---|---|---|---|\n"
        "<!-- end -->\nafter\n"
    )


def test_the_page_gets_the_judged_errors(run, tmp_path):
    page = tmp_path / "rules.md"
    page.write_text("<!-- wild -->\n<!-- end -->\n")
    run(CASE.format("works"), "", ERROR.format("true"), "--write", str(page))

    link = "[some/cluster](https://github.com/some/cluster/blob/abc/operator.yaml)"
    assert page.read_text().endswith(f"\n| [TG004](#tg004) | {link} | true | it runs by luck |\n<!-- end -->\n")


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


def test_the_judged_errors_are_of_rules_and_have_reasons():
    with (ROOT / "benchmarks" / "wild-errors.tsv").open() as file:
        judged = list(csv.DictReader(file, delimiter="\t"))

    assert judged
    for error in judged:
        assert error["rule"] in RULES
        assert error["verdict"] in ("true", "false")
        assert error["reason"]
