"""The flag `--root`: each cluster of a repository is checked by itself."""

import json

import pytest

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {runtimeClassName: nvidia, containers: [{name: a, resources: {limits: {nvidia.com/gpu: GPUS}}}]}\n"
CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n"


@pytest.fixture
def check(run, tmp_path, monkeypatch):
    """The command in a folder with a good and a bad cluster, and a RuntimeClass beside them, for one rule and a second one about RuntimeClasses."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"good/a.yaml": POD.replace("GPUS", "1"), "bad/a.yaml": POD.replace("GPUS", "0.5"), "shared/a.yaml": CLASS}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    return lambda *arguments: run("check", *arguments, "--talos", "1.13", "--select", "TG045,TG041")


def test_each_root_has_a_report_of_its_own_and_the_worst_one_decides(check):
    status, out, _ = check("--root", "good", "--root", "bad")
    good, bad = out.split("# bad\n")

    assert status == 1
    assert good.startswith("# good\n\nTalos 1.13 (--talos)\n")
    assert ("TG045" in good, "TG045" in bad) == (False, True)
    assert check("--root", "bad", "--root", "good")[0] == 1
    assert check("--root", "good")[0] == 0


def test_the_folders_of_one_root_are_judged_together(check):
    assert "TG041" in check("--root", "good")[1]
    assert "TG041" not in check("--root", "good,shared")[1]


def test_a_path_belongs_to_every_root(check):
    assert "TG041" not in check("shared", "--root", "good", "--root", "bad")[1]


def test_a_root_without_any_gpu_part_makes_the_status_2(check, tmp_path):
    (tmp_path / "empty").mkdir()

    assert check("--root", "empty", "--root", "bad")[0] == check("--root", "bad", "--root", "empty")[0] == 2


def test_json_has_the_reports_by_their_roots(check):
    reports = json.loads(check("--root", "good,shared", "--root", "bad", "--format", "json")[1])

    assert list(reports) == ["good,shared", "bad"]
    assert "TG045" in json.dumps(reports["bad"])
    assert "TG045" not in json.dumps(reports["good,shared"])


def test_sarif_has_a_run_for_each_root(check):
    log = json.loads(check("--root", "good", "--root", "bad", "--format", "sarif")[1])

    assert log["version"] == "2.1.0"
    assert [run["automationDetails"]["id"] for run in log["runs"]] == ["talos-gpu check/good/", "talos-gpu check/bad/"]
    assert "TG045" in json.dumps(log["runs"][1])


def test_a_workflow_gets_the_commands_of_all_roots(check):
    commands = check("--root", "good", "--root", "bad", "--format", "github")[1]

    assert ("::error file=bad/a.yaml" in commands, "file=good/a.yaml" in commands) == (True, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--root", "good,"), "--root must be folders, separated by commas (got 'good,')"),
        (("-", "--root", "good"), "--root must be given without - (got 'good'); standard input is of one cluster"),
        (("--root", "none"), "PATH must be a file or a folder (got 'none'); no such file or directory"),
    ],
)
def test_a_wrong_root_is_refused(check, arguments, message):
    assert check(*arguments) == (2, "", f"talos-gpu check: {message}\n")
