"""`talos-gpu check`: what it is given, what it answers, and with which status."""

import io
import json
import os
import re
import subprocess
import sys

import jsonschema
import pytest

from conftest import ROOT
from constructs_lib import GpuNodes, Taint, TimeSlicing
from constructs_lib.checks import engine, rules
from constructs_lib.checks.formats import explain, programs
from constructs_lib.checks.rule import Example, Rule, Severity, Violation
from constructs_lib.cli import command as cli

BAD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: bad\nspec: {runtimeClassName: nvidia}\n"
ODD, FINE = BAD.replace("bad", "odd"), BAD.replace("bad", "fine")
SEVERITIES = {"bad": Severity.ERROR, "odd": Severity.WARNING, "quaint": Severity.INFO}
NEXT = "talos-gpu check --explain TG007"
UNREAD = "no device plugin, GPU operator or DRA driver and no GPU node configuration was read"
SEEN = []


def judge_names(inputs):
    SEEN.append(inputs)
    for each in inputs.of_kind("Pod"):
        if each.name in SEVERITIES:
            yield Violation(severity=SEVERITIES[each.name], message=f"it is {each.name}", about=each, path=("metadata", "name"))


def rule(name, check=lambda _: iter(())):
    said = {"claim": f"{name} claims", "symptom": "DESIRED 0", "severity": Severity.ERROR, "fix": "rename it", "source": "a/b#1"}
    return Rule(id=name, check=check, failing=Example(yaml=BAD), passing=Example(yaml=FINE), **said)


@pytest.fixture(autouse=True)
def _rules(monkeypatch):
    """Two rules in place of the real ones; the first checks pods by their names."""
    SEEN.clear()
    known = {"TG007": rule("TG007", judge_names), "TG041": rule("TG041")}
    monkeypatch.setattr(engine, "RULES", known)
    monkeypatch.setattr(rules, "RULES", known)
    monkeypatch.setattr(programs, "RULES", known)
    monkeypatch.setattr(explain, "RULES", known)  # else the module would keep these two, if a test here loads it first


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """The command in a folder of its own: its status, its answer and its messages."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, given=None):
        if given is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        status = cli.main(["check", *map(str, arguments)])
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def files(tmp_path):
    """Writes files into the folder of the command."""

    def write(**contents):
        for name, content in contents.items():
            (tmp_path / f"{name}.yaml").write_text(content)

    return write


def test_an_error_is_a_block_and_makes_the_status_1(run, files):
    files(a=BAD)

    assert run("a.yaml") == (
        1,
        f"read 1 object\n\nerror TG007: it is bad\n    a.yaml:4  Pod bad\n  fix: rename it\n\n1 error in 1 GPU workload; {UNREAD}\n{NEXT}\n",
        "",
    )


@pytest.mark.parametrize("content", [ODD, FINE])
def test_without_an_error_the_status_is_0(run, files, content):
    files(a=content)

    assert run("a.yaml")[0] == 0


def test_a_folder_is_judged_with_all_its_files(run, files):
    files(a=ODD, b=FINE)

    status, out, _ = run(".")
    assert (status, out.splitlines()[-2]) == (0, f"1 warning in 2 GPU workloads; {UNREAD}")


def test_several_paths_are_judged_together(run, files):
    files(a=ODD, b=FINE)
    run("a.yaml", "b.yaml")

    assert [[each.name for each in inputs.objects] for inputs in SEEN] == [["odd", "fine"]]


def test_standard_input_is_a_path(run):
    status, out, _ = run("-", given=f"---\n{FINE}---\n{BAD}")

    assert (status, out.splitlines()[3]) == (1, "    -:11  Pod bad")


def test_standard_input_is_judged_together_with_files(run, files):
    files(a=ODD)
    run("a.yaml", "-", given=FINE)

    assert [[each.name for each in inputs.objects] for inputs in SEEN] == [["odd", "fine"]]


def test_standard_input_has_to_be_text(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe"), encoding="utf-8"))

    assert cli.main(["check", "-"]) == 2
    assert capsys.readouterr().err == "talos-gpu check: standard input must be text in UTF-8\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "a PATH must be given, a file or a folder; - is standard input"),
        (["nowhere.yaml"], "PATH must be a file or a folder (got 'nowhere.yaml'); no such file or directory"),
        (["a.yaml", "--select", "TG07"], "--select must be a rule's id, such as 'TG007' (got 'TG07'); did you mean 'TG007'?"),
        (["a.yaml", "--ignore", "TG007,x"], "--ignore must be a rule's id, such as 'TG007' (got 'x')"),
        (["a.yaml", "--kubernetes", "nine"], "--kubernetes must be a Kubernetes version such as '1.35' (got 'nine')"),
        (["a.yaml", "--tolos", "1.13"], "--tolos must be a flag of talos-gpu check (got '--tolos 1.13'); did you mean '--talos'?"),
        (["--explain", "tg007"], "--explain must be a rule's id, such as 'TG007' (got 'tg007'); did you mean 'TG007'?"),
        (
            ["a.yaml", "--talos", "1.7"],
            "--talos must be a Talos version such as '1.14', from '1.8' on, with or without its patch (got '1.7')",
        ),
        (["a.yaml", "--taint", "a:b:c", "--talos", "1.13"], "--taint must be"),
        (["a.yaml", "--label", "role=gpu"], "--talos must be given: "),
        (
            ["a.yaml", "--capacity", "--format", "sarif"],
            "--capacity must be given with --format text or json (got 'sarif'); the other formats have no place for a table",
        ),
        (["a.yaml", "--class", "rtx"], "--class must be given with a cluster file (got 'rtx')"),
    ],
)
def test_what_is_wrong_with_the_arguments_makes_the_status_2(run, files, arguments, said):
    files(a=BAD, nodes='talos_version: "1.13"')

    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"talos-gpu check: {said}")
    assert SEEN == []


def test_json_is_for_programs_and_the_summary_for_people(run, files):
    files(a=BAD, b="apiVersion: v1\nkind: Pod\nmetadata: [\n")

    status, out, err = run(".", "--format", "json")
    assert status == 1
    report = json.loads(out)
    assert report["findings"] == [
        {
            "rule": "TG007",
            "severity": "error",
            "message": "it is bad",
            "fix": "rename it",
            "file": "a.yaml",
            "line": 4,
            "object": "Pod bad",
            "related": [],
        }
    ]
    assert [(each["file"], each["line"]) for each in report["skipped"]] == [("b.yaml", 4)]
    assert err == (
        f"talos-gpu check: read 1 object\ntalos-gpu check: 1 error in 1 GPU workload; {UNREAD}\n"
        "talos-gpu check: other skipped files and documents: 1 (--all lists them)\n"
    )


def test_sarif_and_github_are_written_too(run, files):
    files(a=BAD)

    assert json.loads(run("a.yaml", "--format", "sarif")[1])["runs"][0]["results"][0]["ruleId"] == "TG007"
    assert run("a.yaml", "--format", "github")[1] == "::error file=a.yaml,line=4,title=TG007 Pod bad::it is bad; fix: rename it\n"


def test_a_file_that_is_no_yaml_is_named_with_its_line_and_the_rest_is_judged(run, files):
    files(a=BAD, b="apiVersion: v1\nkind: Pod\nmetadata: [\n")

    status, out, _ = run(".", "--all")
    assert status == 1
    assert re.search(r"^skipped b\.yaml:4: not YAML: .+$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("least", "statuses"),
    [("error", [1, 0, 0, 0]), ("warning", [1, 1, 0, 0]), ("remark", [1, 1, 1, 0]), ("never", [0, 0, 0, 0]), (None, [1, 0, 0, 0])],
)
def test_the_least_severity_that_fails_is_chosen(run, files, least, statuses):
    files(a=BAD, b=ODD, c=BAD.replace("bad", "quaint"), d=FINE)
    flags = ["--fail-on", least] if least else []

    assert [run(f"{name}.yaml", *flags)[0] for name in "abcd"] == statuses


def test_an_unchecked_file_fails_whatever_severity_is_chosen(run, files):
    files(a="")

    assert run("a.yaml", "--fail-on", "never")[0] == 2


def test_remarks_are_counted_and_shown_where_they_are_wanted_or_fail(run, files):
    files(a=BAD.replace("bad", "quaint"))
    count = f"1 remark in 1 GPU workload; {UNREAD}\n"

    assert run("a.yaml")[1] == f"read 1 object\n\n{count}1 remark: --remarks shows it\n"
    for flags in (["--remarks"], ["--all"], ["--fail-on", "remark"]):
        assert (
            run("a.yaml", *flags)[1]
            == f"read 1 object\n\nremark TG007: it is quaint\n    a.yaml:4  Pod quaint\n  fix: rename it\n\n{count}{NEXT}\n"
        )


def test_a_workflow_gets_remarks_where_they_are_wanted(run, files):
    files(a=BAD.replace("bad", "quaint"))

    _, out, err = run("a.yaml", "--format", "github")
    assert out == ""
    assert err.endswith(f"1 remark in 1 GPU workload; {UNREAD}\ntalos-gpu check: 1 remark: --remarks shows it\n")
    assert run("a.yaml", "--format", "github", "--remarks")[1].startswith("::notice file=a.yaml,line=4")


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_programs_get_remarks_always(run, files, form):
    files(a=BAD.replace("bad", "quaint"))
    _, out, err = run("a.yaml", "--format", form)

    assert "it is quaint" in out
    assert err.endswith(f"1 remark in 1 GPU workload; {UNREAD}\n")


def test_rules_are_selected_and_ignored(run, files):
    files(a=BAD)

    assert [run("a.yaml", *flags)[0] for flags in (["--select", "TG041"], ["--ignore", "TG007"], ["--select", "TG041, TG007"])] == [0, 0, 1]
    assert run("a.yaml", "--select", "TG041", "--select", "TG007")[0] == 1


def test_a_silenced_error_is_none(run, files):
    files(a=BAD.replace("name: bad", "name: bad  # talos-gpu: ignore TG007 it is my pod"))

    assert run("a.yaml") == (0, f"read 1 object\n\nnothing found in 1 GPU workload; {UNREAD}\nsilenced a.yaml:4: TG007, it is my pod\n", "")


def test_rules_are_listed(run):
    assert run("--list") == (0, "TG007  error    TG007 claims\nTG041  error    TG041 claims\n", "")


def test_a_rule_explains_itself(run):
    status, out, _ = run("--explain", "TG041")

    assert status == 0
    assert out.startswith("TG041 (error): TG041 claims\n\nsymptom: DESIRED 0\n")


def test_a_rule_explains_its_findings_in_files(run, files):
    files(a=BAD, b=FINE)

    status, out, _ = run("--explain", "TG007", "a.yaml", "b.yaml")

    assert status == 1
    assert out.partition("\n\n")[2] == (
        "TG007 (error): TG007 claims\n\nerror: it is bad\n    a.yaml:4  Pod bad metadata.name: bad\n  fix: rename it\n\nFOUND in a.yaml:4\n"
    )


def test_for_a_program_an_explanation_is_the_report_about_the_rule(run, files):
    files(a=BAD)

    assert run("--explain", "TG007", "a.yaml", "--format", "json") == run("--select", "TG007", "a.yaml", "--format", "json")
    assert run("--explain", "TG041", "a.yaml")[1].endswith("TG041 (error): TG041 claims\n\nNot found in these files\n")


def test_the_answer_goes_into_a_file(run, files, tmp_path):
    files(a=BAD)

    assert run("a.yaml", "--output", "report.txt") == (1, "", "")
    assert (tmp_path / "report.txt").read_text().endswith(f"1 error in 1 GPU workload; {UNREAD}\n{NEXT}\n")


def test_the_rules_see_what_the_flags_say(run, files):
    files(a=FINE)
    run("a.yaml", "--talos", "1.13.2", "--kubernetes", "1.35")
    run("a.yaml", "--talos", "1.13", "--label", "role=gpu", "--taint", "dedicated=ai", "--time-slicing", "4")
    (versions, nodes) = SEEN

    assert (str(versions.talos_version), versions.kubernetes_version, versions.nodes) == ("1.13.2", "1.35", ())
    assert nodes.nodes == (
        GpuNodes(talos_version="1.13", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=4)),
    )


def test_all_classes_of_a_cluster_file_are_seen_or_the_one_that_is_chosen(run, files):
    files(a=FINE, nodes='{talos: "1.13", nodes: {rtx: {}, h100: {}}}')
    run("a.yaml", "nodes.yaml")
    run("a.yaml", "nodes.yaml", "--class", "h100")

    assert [[each.name for each in inputs.nodes] for inputs in SEEN] == [["rtx", "h100"], ["h100"]]
    assert [str(inputs.talos_version) for inputs in SEEN] == ["1.13", "1.13"]


def test_bare_values_are_those_of_the_chart_that_is_named(run, files):
    files(a="driver: {enabled: false}")
    run("a.yaml", "--chart", "gpu-operator@v26.7.0")
    (release,) = SEEN[0].releases

    assert (release.chart, release.version, release.value("driver", "enabled")) == ("gpu-operator", "v26.7.0", False)


def test_who_asks_for_which_gpus_stands_below_the_summary(run, files):
    files(a=FINE.partition("spec:")[0] + "spec:\n  containers: [{name: a, image: 'a:1', resources: {limits: {nvidia.com/gpu: 2}}}]\n")
    status, out, _ = run("a.yaml", "--capacity", "--talos", "1.13", "--gpus-per-node", "4", "--count", "2", "--name", "rtx")

    assert status == 0
    assert [line.split() for line in out.splitlines()][-5:] == [
        [
            "nothing",
            "found",
            "in",
            "1",
            "GPU",
            "workload;",
            "no",
            "device",
            "plugin,",
            "GPU",
            "operator",
            "or",
            "DRA",
            "driver",
            "was",
            "read",
        ],
        [],
        ["CLASS", "WORKLOAD", "GPUS", "MEMORY"],
        ["rtx", "(offers)", "8", "nvidia.com/gpu"],
        ["rtx", "Pod", "fine", "2", "nvidia.com/gpu"],
    ]


def test_the_capacity_is_beside_the_findings_of_the_json(run, files):
    files(a=FINE.partition("spec:")[0] + "spec:\n  containers: [{name: a, image: 'a:1', resources: {limits: {nvidia.com/gpu: 2}}}]\n")
    status, out, _ = run("a.yaml", "--capacity", "--format", "json", "--talos", "1.13")
    report = json.loads(out)

    assert status == 0
    jsonschema.validate(report, json.loads((ROOT / "docs" / "report-schema.json").read_text()))
    assert report["findings"] == []
    assert [(each["workload"], each["amount"]) for each in report["capacity"]["requests"]] == [("Pod fine", 2)]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("environment", "terminal", "flags", "coloured"),
    [
        ({}, True, [], True),
        ({"NO_COLOR": ""}, True, [], True),
        ({"NO_COLOR": "1"}, True, [], False),
        ({"TERM": "dumb"}, True, [], False),
        ({}, False, [], False),
        ({}, True, ["--output", "out.txt"], False),
        ({"FORCE_COLOR": "1"}, False, [], True),
        ({"FORCE_COLOR": ""}, False, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, [], False),
        ({"FORCE_COLOR": "1"}, True, ["--output", "out.txt"], False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, [], True),
        ({}, True, ["--format", "json"], False),
    ],
)
def test_colours_are_for_terminals_whose_user_wants_them(monkeypatch, files, tmp_path, environment, terminal, flags, coloured):
    files(a=BAD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    cli.main(["check", "a.yaml", *flags])
    written = (tmp_path / "out.txt").read_text() if "--output" in flags else out.getvalue()

    assert ("\x1b[" in written) is coloured


def test_a_terminal_gets_lines_that_it_has_room_for(monkeypatch, files, tmp_path):
    files(a=BAD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr(sys, "stdout", out := Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(engine.RULES["TG007"].check, "__code__", check_at_length.__code__)
    cli.main(["check", "a.yaml", "--remarks"])

    assert "many words many words" in out.getvalue()
    assert max(map(len, out.getvalue().splitlines())) <= 50


def check_at_length(inputs):
    for each in inputs.of_kind("Pod"):
        yield Violation(severity=Severity.INFO, message="many words " * 20, about=each)


def test_the_help_shows_examples(capsys):
    with pytest.raises(SystemExit):
        cli.main(["check", "--help"])

    out = capsys.readouterr().out
    assert "talos-gpu check manifests/ --talos 1.13" in out
    assert "exit status is 1" in " ".join(out.split())


def test_the_command_starts_no_node_and_loads_no_cdk8s(tmp_path):
    (tmp_path / "a.yaml").write_text(FINE)
    code = "import sys\nfrom constructs_lib.cli.command import main\nmain(['check', 'a.yaml', '--talos', '1.13', '--select', 'TG045'])\nprint(sorted({'jsii', 'cdk8s'} & set(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["Talos 1.13 (--talos)", "read 1 object", "", f"nothing found in 1 GPU workload; {UNREAD}", "[]"]


def test_the_help_says_that_the_version_of_talos_may_be_left_out(capsys):
    with pytest.raises(SystemExit):
        cli.main(["check", "--help"])

    assert "default: the version in the files, when all files have the same" in " ".join(capsys.readouterr().out.split())
