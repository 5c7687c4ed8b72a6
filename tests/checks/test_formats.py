"""How a report is written: for people, for programs, for code scanning and for workflows."""

import dataclasses
import json
import re
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.checks.formats import programs
from constructs_lib.checks.formats import text as text_format
from constructs_lib.checks.formats.capacity_table import capacity_json
from constructs_lib.checks.formats.explain import explained, flags, listed
from constructs_lib.checks.report import Report
from constructs_lib.checks.rule import Example, Finding, Rule, Severity
from constructs_lib.observed.model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Skipped
from constructs_lib.talos import TalosVersion
from constructs_lib.upstream.talos.minors import Minors

ROOT = Path(__file__).resolve().parents[2]
POD = KubernetesObject(body={"kind": "Pod", "spec": {"runtimeClassName": "nvidia"}}, file="a.yaml")
RELEASE = ChartRelease(body={}, file="a.yaml", chart="gpu-operator", name="a", namespace=None, version=None)
NODE = NodeConfig(body={}, file="talconfig.yaml", scope="node", name="gpu-1")
SKIPPED = (
    Skipped(file="c.yaml", line=3, reason="not YAML: mapping values are not allowed here"),
    *(Skipped(file=f"secret-{number}.yaml", reason="encrypted with SOPS") for number in range(5)),
    Skipped(file="kustomization.yaml", line=4, reason="'https://example.com/4' is not a local path"),
    Skipped(file="nvidia.yaml", reason="encrypted with SOPS", names_nvidia=True),
)
ERROR = Finding(
    rule="TG007",
    severity=Severity.ERROR,
    message="selects what nothing makes",
    fix="make it",
    file="apps/a.yaml",
    line=12,
    object="Pod ai/a",
)
WARNING = Finding(rule="TG041", severity=Severity.WARNING, message="hangs", fix="recreate", file="apps/a.yaml", line=7, object="Pod ai/b")
REMARK = Finding(rule="TG007", severity=Severity.INFO, message="is odd", fix="look", file="gpu/ollama")
SILENCED = Finding(
    rule="TG041", severity=Severity.ERROR, message="no", fix="no", file="b.yaml", line=1, object="Pod c", ignored="kubectl does"
)
INPUTS = Inputs(objects=(POD, POD), releases=(RELEASE,), node_configs=(NODE,), talos_version=TalosVersion(13), skipped=SKIPPED)
REPORT = Report(inputs=INPUTS, all_findings=(ERROR, WARNING, SILENCED, REMARK))
UNREAD = "no device plugin, GPU operator or DRA driver and no GPU node configuration was read"
NOTHING = Report(inputs=Inputs(objects=(POD,)), all_findings=())


def text(report, **given):
    return "".join(text_format.text(report, **given))


def github(report, **given):
    return "".join(programs.github(report, **given))


def as_json(report, **given):
    return "".join(programs.as_json(report, **given))


def sarif(report):
    return "".join(programs.sarif(report))


def rule(name, **given):
    said = {"claim": f"{name} claims", "symptom": "DESIRED 0", "severity": Severity.ERROR, "fix": "mend", "source": "a/b#1"}
    examples = {"failing": Example(yaml="\nbad: true\n", talos="1.12"), "passing": Example(yaml="good: true", chart="gpu-operator@v26.7.0")}
    return Rule(id=name, check=lambda _: iter(()), **said, **examples, **given)


@pytest.fixture(autouse=True)
def _rules(monkeypatch):
    monkeypatch.setattr(programs, "RULES", {name: rule(name) for name in ("TG007", "TG041")})


def test_text_has_the_worst_findings_first_then_a_summary():
    assert (
        text(REPORT)
        == """\
Talos 1.13
read 2 objects, 1 chart and 1 node configuration

error TG007: selects what nothing makes
    apps/a.yaml:12  Pod ai/a
  fix: make it

warning TG041: hangs
    apps/a.yaml:7  Pod ai/b
  fix: recreate

1 error, 1 warning, 1 remark in 1 GPU operator and 2 GPU workloads; no GPU node configuration was read
1 remark: --remarks shows it
silenced b.yaml:1: TG041, kubectl does
skipped nvidia.yaml: encrypted with SOPS
other skipped files and documents: 7 (--all lists them)
talos-gpu check --explain TG007
"""
    )


@pytest.mark.parametrize(
    ("safe", "unsafe", "words"),
    [
        (3, 2, "3 fixable with --fix, 2 more with --unsafe-fixes; "),
        (3, 0, "3 fixable with --fix; "),
        (0, 2, "2 fixable with --fix --unsafe-fixes; "),
        (0, 0, ""),
    ],
)
def test_text_ends_with_what_to_do_next(safe, unsafe, words):
    given = [*findings(safe, file="a.yaml"), *findings(unsafe, file="b.yaml"), *findings(1, file="c.yaml")]
    flags = [*["--fix"] * safe, *["--fix --unsafe-fixes"] * unsafe, ""]
    marked = tuple(dataclasses.replace(each, fixed_by=flag) for each, flag in zip(given, flags, strict=True))
    report = Report(inputs=Inputs(objects=(POD,)), all_findings=marked)

    assert text(report).splitlines()[-1] == f"{words}talos-gpu check --explain TG041"
    assert text(report, is_fixed=True).splitlines()[-1] == "talos-gpu check --explain TG041"
    assert "--explain" not in text(dataclasses.replace(report, all_findings=()))


def test_text_shows_remarks_where_they_are_wanted():
    out = text(REPORT, remarks=True)

    assert "\n\nremark TG007: is odd\n    gpu/ollama\n  fix: look\n\n1 error, 1 warning, 1 remark in" in out
    assert "--remarks" not in out
    assert "\n2 remarks: --remarks shows them\n" in text(dataclasses.replace(REPORT, all_findings=(REMARK, REMARK)))


def findings(count, **given):
    return tuple(
        dataclasses.replace(WARNING, line=number, **{name: form.format(number) for name, form in given.items()})
        for number in range(1, count + 1)
    )


def reported(*given, **options):
    """The lines of a report of these findings, without its summary."""
    return text(Report(inputs=Inputs(objects=(POD,)), all_findings=given), **options).splitlines()[2:-3]


def test_equal_findings_are_one_block_with_their_places():
    assert reported(
        *findings(3, file="apps/{}.yaml", object="Pod p{}"), dataclasses.replace(WARNING, file="a-long-name.yaml", line=10)
    ) == [
        "warning TG041: hangs",
        "    apps/1.yaml:1        Pod p1",
        "    apps/2.yaml:2        Pod p2",
        "    apps/3.yaml:3        Pod p3",
        "    a-long-name.yaml:10  Pod ai/b",
        "  fix: recreate",
    ]


def test_different_messages_with_one_fix_have_the_fix_once():
    assert reported(*findings(2, message="hangs {}")) == [
        "warning TG041: hangs 1",
        "    apps/a.yaml:1  Pod ai/b",
        "warning TG041: hangs 2",
        "    apps/a.yaml:2  Pod ai/b",
        "  fix: recreate",
    ]


def test_one_message_with_different_fixes_has_each_fix_below_its_places():
    assert reported(*findings(2, fix="recreate {}")) == [
        "warning TG041: hangs",
        "    apps/a.yaml:1  Pod ai/b",
        "  fix: recreate 1",
        "    apps/a.yaml:2  Pod ai/b",
        "  fix: recreate 2",
    ]


def test_of_many_places_the_rest_is_counted_unless_all_are_wanted():
    lines = reported(*findings(10))

    assert lines[8:] == ["    apps/a.yaml:8  Pod ai/b", "    and 2 more places (--all shows them)", "  fix: recreate"]
    assert reported(*findings(9))[-2:] == ["    apps/a.yaml:9  Pod ai/b", "  fix: recreate"]
    assert len(reported(*findings(10), everything=True)) == 1 + 10 + 1


def test_of_many_messages_the_rest_is_counted_unless_all_are_wanted():
    given = (*findings(10, message="hangs {}"), *findings(3, message="hangs 10"))

    assert reported(*given)[-3:] == ["    apps/a.yaml:8  Pod ai/b", "  fix: recreate", "  and 5 more findings of TG041 (--all shows them)"]
    assert len([line for line in reported(*given, everything=True) if line.startswith("warning")]) == 10


def test_all_skipped_files_are_listed_where_they_are_wanted():
    lines = text(REPORT, everything=True).splitlines()

    assert [line for line in lines if line.startswith("skipped ")] == [
        "skipped c.yaml:3: not YAML: mapping values are not allowed here",
        *(f"skipped secret-{number}.yaml: encrypted with SOPS" for number in range(5)),
        "skipped kustomization.yaml:4: 'https://example.com/4' is not a local path",
        "skipped nvidia.yaml: encrypted with SOPS",
    ]
    assert "other skipped" not in lines[-1]


def test_text_says_when_there_is_nothing_to_find():
    assert text(NOTHING) == f"read 1 object\n\nnothing found in 1 GPU workload; {UNREAD}\n"


def test_text_says_when_there_was_nothing_to_judge():
    assert (
        text(Report(inputs=Inputs(), all_findings=())) == "nothing to check: no Kubernetes object, chart or node configuration was read\n"
    )


def test_the_head_says_how_many_rules_need_the_version_of_talos():
    report = Report(inputs=Inputs(objects=(POD,)), all_findings=(), not_applied=12)

    unknown = "Talos version unknown: 12 rules were not applied; give --talos VERSION, such as --talos 1.14"
    assert text(report) == f"{unknown}\nread 1 object\n\nnothing found in 1 GPU workload; {UNREAD}\n"
    assert unknown in sarif(report)
    assert Report(inputs=Inputs(), all_findings=(), not_applied=12).unknown_talos == ""


@pytest.mark.parametrize("write", [text, github, as_json, sarif])
def test_what_a_terminal_or_a_log_would_obey_is_escaped_in_every_field(write):
    hostile = "a\x1b[2J\x9b\u202e\u2028\r\n::error::b"
    finding = Finding(rule="TG007", severity=Severity.ERROR, message=hostile, fix=hostile, file=hostile, line=1, object=hostile)
    silenced = Finding(rule="TG007", severity=Severity.ERROR, message="", fix="", file=hostile, ignored=hostile)
    skipped = (Skipped(file=hostile, reason=hostile),)
    written = write(Report(inputs=Inputs(objects=(POD,), skipped=skipped, empty=(hostile,)), all_findings=(finding, silenced)))

    assert not [mark for mark in ("\x1b", "\x9b", "\u202e", "\u2028", "\r", "\n::error::b") if mark in written]
    assert write is github or written.count("::error::b") > 2


def test_text_has_colours_only_where_they_are_wanted():
    coloured = text(REPORT, colour=True, remarks=True)

    assert "\x1b[38;5;196merror\x1b[0m TG007: " in coloured
    assert "\x1b[38;5;130mwarning\x1b[0m TG041: " in coloured
    assert "\x1b[38;5;30mremark\x1b[0m TG007: " in coloured
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == text(REPORT, remarks=True)


def test_text_is_wrapped_to_the_width_of_the_terminal():
    long = Finding(
        rule="TG007", severity=Severity.ERROR, message="word " * 40 + "https://example.com/" + "a" * 90, fix="f", file="a", line=1
    )
    lines = text(Report(inputs=INPUTS, all_findings=(long,)), width=60).splitlines()

    words = [line for line in lines if line.strip().startswith("word")]
    assert len(words) > 1
    assert all(len(line) <= 60 and line.startswith("  word") for line in words)
    assert any(line.endswith("a" * 90) for line in lines)


def test_text_with_no_width_keeps_a_message_on_one_line():
    long = Finding(rule="TG007", severity=Severity.ERROR, message="word " * 100 + "end", fix="f", file="a", line=1)

    assert f"{long.message}\n" in text(Report(inputs=INPUTS, all_findings=(long,)))


def test_a_terminal_of_no_width_still_gets_readable_lines():
    assert "selects what nothing makes" in text(REPORT, width=1)


SCHEMA = json.loads((ROOT / "docs" / "report-schema.json").read_text())


def test_json_says_what_was_read_and_what_was_found():
    report = json.loads(as_json(REPORT))

    assert list(report) == [key for key in SCHEMA["properties"] if key != "capacity"]
    assert {name: value for name, value in report.items() if name not in ("skipped", "silenced", "findings")} == {
        "version": 2,
        "talos": {"version": "1.13", "source": None},
        "kubernetes": {"version": None, "source": None},
        "settings": None,
        "rules_not_applied": 0,
        "failures": [],
        "counts": {"error": 1, "warning": 1, "remark": 1},
        "read": {"objects": 2, "charts": 1, "node_configurations": 1, "gpu_parts": {"GPU operator": 1, "GPU workload": 2}},
    }
    assert report["skipped"][0] == {"file": "c.yaml", "line": 3, "reason": "not YAML: mapping values are not allowed here"}
    assert len(report["skipped"]) == len(SKIPPED)
    assert [(each["rule"], each["file"], each["reason"]) for each in report["silenced"]] == [("TG041", "b.yaml", "kubectl does")]


def test_json_has_all_findings_worst_first_and_no_silenced_one():
    assert json.loads(as_json(dataclasses.replace(REPORT, all_findings=REPORT.all_findings[::-1])))["findings"] == [
        {
            "rule": "TG007",
            "severity": "error",
            "message": "selects what nothing makes",
            "fix": "make it",
            "file": "apps/a.yaml",
            "line": 12,
            "object": "Pod ai/a",
            "related": [],
        },
        {
            "rule": "TG041",
            "severity": "warning",
            "message": "hangs",
            "fix": "recreate",
            "file": "apps/a.yaml",
            "line": 7,
            "object": "Pod ai/b",
            "related": [],
        },
        {
            "rule": "TG007",
            "severity": "remark",
            "message": "is odd",
            "fix": "look",
            "file": "gpu/ollama",
            "line": None,
            "object": "",
            "related": [],
        },
    ]
    assert json.loads(as_json(NOTHING))["findings"] == []


CAPACITY = capacity_json(INPUTS)


@pytest.mark.parametrize("report", [REPORT, NOTHING, Report(inputs=Inputs(empty=("a",)), all_findings=(), crashes=("b",), not_applied=2)])
@pytest.mark.parametrize("capacity", [None, CAPACITY])
def test_json_follows_its_schema(report, capacity):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    errors = jsonschema.Draft202012Validator(SCHEMA).iter_errors(json.loads(as_json(report, capacity=capacity)))

    assert [each.message for each in errors] == []


def objects_of(schema):
    """The schemas of objects in a schema."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield schema
        for each in schema.values():
            yield from objects_of(each)


def test_the_schema_describes_each_key_and_allows_no_other():
    assert len(list(objects_of(SCHEMA))) > 8
    for schema in objects_of(SCHEMA):
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) >= schema["properties"].keys() - {"capacity"}
        assert all("description" in each or "$ref" in each for each in schema["properties"].values()), schema["properties"]


def sarif_run(report):
    log = json.loads(sarif(report))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    assert log["$schema"].endswith("sarif-2.1.0.json")
    return log["runs"][0]


def test_sarif_has_a_result_for_each_finding_at_its_place():
    results = sarif_run(REPORT)["results"]

    assert [(each["ruleId"], each["level"]) for each in results] == [
        ("TG007", "error"),
        ("TG041", "error"),
        ("TG041", "warning"),
        ("TG007", "note"),
    ]
    assert results[0]["message"] == {"text": "selects what nothing makes\nFix: make it"}
    assert results[0]["locations"] == [
        {
            "physicalLocation": {"artifactLocation": {"uri": "apps/a.yaml"}, "region": {"startLine": 12}},
            "logicalLocations": [{"fullyQualifiedName": "Pod ai/a"}],
        }
    ]
    assert results[3]["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "gpu/ollama"}}}]


def test_sarif_tells_of_each_rule_that_found_something_how_to_mend_it():
    run = sarif_run(REPORT)
    rules = run["tool"]["driver"]["rules"]

    assert [each["id"] for each in rules] == ["TG007", "TG041"]
    assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [each["ruleId"] for each in run["results"]]
    assert rules[0] == {
        "id": "TG007",
        "shortDescription": {"text": "TG007 claims"},
        "fullDescription": {"text": "DESIRED 0"},
        "help": {
            "text": "Symptom: DESIRED 0\n\nFix: mend\n\nSource: a/b#1",
            "markdown": "**Symptom:** DESIRED 0\n\n**Fix:** mend\n\n**Source:** a/b#1",
        },
        "defaultConfiguration": {"level": "error"},
    }


def test_sarif_suppresses_what_is_silenced_with_the_reason():
    suppressions = [each.get("suppressions") for each in sarif_run(REPORT)["results"]]

    assert suppressions == [None, [{"kind": "inSource", "justification": "kubectl does"}], None, None]


def test_sarif_tells_what_was_not_judged():
    (invocation,) = sarif_run(REPORT)["invocations"]

    assert invocation["executionSuccessful"] is True
    assert invocation["toolExecutionNotifications"][0] == {
        "level": "note",
        "message": {"text": "not checked: not YAML: mapping values are not allowed here"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": "c.yaml"}, "region": {"startLine": 3}}}],
    }
    assert len(invocation["toolExecutionNotifications"]) == 8


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/ü#1.yaml", "a%20b/%C3%BC%231.yaml"),
        ("./apps/a.yaml", "apps/a.yaml"),
        (str(Path.cwd() / "apps" / "a.yaml"), "apps/a.yaml"),
        ("/somewhere else/a.yaml", "file:///somewhere%20else/a.yaml"),
        ("-", "-"),
    ],
)
def test_sarif_names_a_file_by_its_address_below_the_working_folder(file, uri):
    finding = Finding(rule="TG007", severity=Severity.ERROR, message="m", fix="f", file=file)
    (result,) = sarif_run(Report(inputs=INPUTS, all_findings=(finding,)))["results"]

    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_github_gets_a_command_for_each_finding():
    commands = (
        "::error file=apps/a.yaml,line=12,title=TG007 Pod ai/a::selects what nothing makes; fix: make it\n"
        "::warning file=apps/a.yaml,line=7,title=TG041 Pod ai/b::hangs; fix: recreate\n"
    )
    assert github(REPORT) == github(dataclasses.replace(REPORT, all_findings=REPORT.all_findings[::-1])) == commands
    assert github(REPORT, remarks=True) == f"{commands}::notice file=gpu/ollama,title=TG007::is odd; fix: look\n"
    assert github(NOTHING) == ""


def test_github_s_marks_are_escaped():
    finding = Finding(rule="TG007", severity=Severity.ERROR, message="50%: a,\r\nb", fix="f", file="a,b:c%.yaml", line=1, object="x:y")

    assert github(Report(inputs=INPUTS, all_findings=(finding,))) == (
        "::error file=a%2Cb%3Ac%25.yaml,line=1,title=TG007 x%3Ay::50%25: a,%0D%0Ab; fix: f\n"
    )


@given(st.text(), st.text())
def test_no_words_leave_the_command_that_they_are_in(words, file):
    finding = Finding(rule="TG007", severity=Severity.ERROR, message=words, fix="f", file=file, line=1)
    written = github(Report(inputs=INPUTS, all_findings=(finding,)))

    assert written.count("\n") == 1
    assert "\r" not in written
    assert json.loads(as_json(Report(inputs=INPUTS, all_findings=(finding,))))["findings"][0]["message"] == words


def test_a_rule_explains_itself():
    assert (
        explained(rule("TG007", talos=Minors(until=14)))
        == """\
TG007 (error): TG007 claims

symptom: DESIRED 0
applies to: Talos 1.14 and older
fix: mend
source: a/b#1

Failing example (--talos 1.12):

    bad: true

Passing example (--chart gpu-operator@v26.7.0):

    good: true
"""
    )


def test_a_rule_without_a_range_applies_to_every_talos():
    assert "applies to: every Talos" in explained(rule("TG007"))


def test_rules_are_listed_a_line_each():
    assert listed([rule("TG007"), rule("TG041")]) == "TG007  error    TG007 claims\nTG041  error    TG041 claims\n"


def test_an_example_is_given_its_talos_its_chart_and_its_nodes_as_flags():
    nodes = """
talos: "1.13"
nodes:
  rtx: {count: 2, cards: 4, memory: 16Gi, sharing: {time_slicing: 5}}
  h100: {}
"""

    assert flags(Example(yaml="a: b", talos="1.13", chart="gpu-operator", nodes_file=nodes)) == (
        "--talos 1.13 --chart gpu-operator --talos 1.13 --count 2 --gpus-per-node 4 --memory-per-gpu 16Gi --time-slicing 5 --talos 1.13"
    )


def test_a_message_is_broken_between_words_and_never_in_one():
    names = Finding(rule="TG007", severity=Severity.ERROR, message="nvidia-device-plugin-daemonset " * 9, fix="f", file="a", line=1)
    lines = text(Report(inputs=INPUTS, all_findings=(names,)), width=50).splitlines()

    assert {word for line in lines if "daemonset" in line for word in line.split()} == {"error", "TG007:", "nvidia-device-plugin-daemonset"}


def test_a_narrow_terminal_still_has_room_for_forty_letters_beside_the_margin():
    words = Finding(rule="TG007", severity=Severity.ERROR, message="12345 " * 20, fix="f", file="a", line=1)
    lines = [line.strip() for line in text(Report(inputs=INPUTS, all_findings=(words,)), width=1).splitlines() if "12345" in line]

    assert lines[1] == " ".join(["12345"] * 6)  # 2 letters of the margin and 35, and 43 with one more


def test_a_report_stays_as_it_was_made():
    with pytest.raises(dataclasses.FrozenInstanceError):
        REPORT.not_applied = 1


def test_a_file_in_which_nothing_was_checked_has_its_reasons():
    report = Report(inputs=Inputs(empty=("c.yaml", "notes.yaml"), skipped=SKIPPED), all_findings=())

    assert report.unchecked == [
        "c.yaml: nothing was checked: c.yaml:3: not YAML: mapping values are not allowed here",
        "notes.yaml: nothing was checked: no Kubernetes object, chart or node configuration",
    ]
