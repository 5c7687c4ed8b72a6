"""A bug in a rule, in a reader or in a format: a sentence with its place and without values of files, and exit status 2."""

import dataclasses
import json
import re

import pytest

from constructs_lib import check
from constructs_lib.checks import engine
from constructs_lib.checks.formats import programs
from constructs_lib.checks.rules import RULES
from constructs_lib.cli import command as cli
from constructs_lib.observed.read import loader as reading

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: a:1, resources: {limits: {nvidia.com/gpu: 0.5}}}]}\n"
FORMATS = ["text", "github", "json", "sarif"]


def fail(*_, **__):
    raise KeyError("hunter2, a value of a file")


def fail_at_the_second(inputs):
    yield from RULES["TG045"].check(inputs)
    fail()


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """The command on a pod with half a GPU: its status, its answer and its messages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(POD)

    def call(*flags):
        return cli.main(["check", ".", "--talos", "1.14", *flags]), *capsys.readouterr()

    return call


@pytest.fixture
def broken(monkeypatch):
    """Breaks a rule."""

    def call(rule, check_=fail):
        monkeypatch.setattr(engine, "RULES", {**engine.RULES, rule: dataclasses.replace(RULES[rule], check=check_)})

    return call


SENTENCE = r"{} failed \(KeyError at (\w+\.py:\d+, )*test_crashes\.py:\d+\), {}\. Please report this bug of talos-gpu with this line\n"


@pytest.mark.parametrize("form", FORMATS)
def test_the_other_rules_go_on_after_a_rule_that_crashes(run, broken, form):
    broken("TG007")
    status, out, err = run("--format", form)

    assert status == 2
    assert "TG045" in out
    assert re.search("^talos-gpu check: " + SENTENCE.format("rule TG007", "so its findings are incomplete"), err, re.MULTILINE)
    assert "hunter2" not in out + err
    assert "Traceback" not in err


def test_the_findings_before_a_crash_are_kept(run, broken):
    broken("TG045", fail_at_the_second)
    status, out, _ = run("--format", "json")

    assert status == 2
    assert "TG045" in {each["rule"] for each in json.loads(out)["findings"]}


def test_a_crash_is_an_execution_that_failed_for_code_scanning(run, broken):
    broken("TG007")
    (invocation,) = json.loads(run("--format", "sarif")[1])["runs"][0]["invocations"]

    assert invocation["executionSuccessful"] is False
    assert "rule TG007 failed (KeyError at" in invocation["toolExecutionNotifications"][0]["message"]["text"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError, OSError, RecursionError])
def test_a_reader_that_crashes_checks_nothing(run, monkeypatch, form, error):
    def fail_with(*_):
        raise error("hunter2, a value of a file")

    monkeypatch.setattr(reading, "kubernetes_object", fail_with)
    status, out, err = run("--format", form)

    assert (status, out) == (2, "")
    assert re.fullmatch(
        "talos-gpu check: " + SENTENCE.format("the reader of the files", "so nothing was checked").replace("KeyError", error.__name__), err
    )


def test_a_format_that_crashes_writes_no_half_report(run, monkeypatch):
    monkeypatch.setattr(programs, "github", fail)
    status, out, err = run("--format", "github")

    assert (status, out) == (2, "")
    assert re.search(SENTENCE.format("the report", "so there is none"), err)
    assert "hunter2" not in err


def test_a_refused_argument_is_no_crash(run):
    status, out, err = run("--kubernetes", "x")

    assert (status, out) == (2, "")
    assert err.startswith("talos-gpu check: --kubernetes must be a Kubernetes version")


def test_in_python_a_rule_that_crashes_is_an_error_with_its_cause(broken):
    broken("TG007")
    with pytest.raises(RuntimeError, match=r"^rule TG007 failed \(KeyError at ") as caught:
        check([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}], talos_version="1.14")

    assert "hunter2" not in str(caught.value)
    assert isinstance(caught.value.__cause__, KeyError)
    assert check([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}], talos_version="1.14", ignore=["TG007"]) == []
