"""A printed command has our words and quoted ones, whatever the names in a dump are. A shell is the judge."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from doctor.hostile_names import ENDINGS, PROGRAM, Shell, appended, names_of, renamed
from doctor.test_recorded_dumps import DUMPS, named

import constructs_lib
from constructs_lib.arguments.commands import Command
from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import DoctorReport, Printed
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.fault import Advice, quoted
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.links.creation_faults import creation_fault
from constructs_lib.doctor.live_rules import LiveRules
from constructs_lib.doctor.placeholders import ProgramFlags
from constructs_lib.observed.model.dump import Dump
from constructs_lib.observed.model.evidence import Evidence
from constructs_lib.symptoms.symptom_table import all_symptoms

PACKAGE = Path(constructs_lib.__file__).parent


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    return Shell(tmp_path_factory.mktemp("shell"))


def printed(dump: Dump, monkeypatch: pytest.MonkeyPatch) -> Iterator[Printed]:
    """Everything that the report of a dump prints to be pasted. The rules of `check` have commands of their own, and are left out."""
    diagnosis = diagnose(GpuCluster(dump))
    report = DoctorReport(diagnosis=diagnosis, rules=NO_RULES)
    monkeypatch.setattr(DoctorReport, "shown", lambda _, text: text)
    for cause in diagnosis.causes:
        yield report.printed(cause.fault.fix, cause.subjects, cause.about)
        yield report.printed(cause.fault.verify, cause.subjects, cause.about)
    for unseen in diagnosis.unseen:
        yield report.printed(unseen.command, unseen.subjects)


NO_RULES = LiveRules(inputs=None, findings=())  # type: ignore[arg-type]


def dump_of(folder: Path) -> Dump:
    return read_dump([each for each in sorted(folder.iterdir()) if each.name != "expected.yaml"])


@pytest.mark.thorough
@pytest.mark.parametrize("folder", DUMPS, ids=named)
def test_no_name_of_a_dump_is_obeyed_by_a_shell(folder, shell, monkeypatch):
    dump = dump_of(folder)
    text = "\n".join(each.text for each in printed(dump, monkeypatch))
    names = [each for each in names_of(dump) if each in text]
    complaints = []
    for group in [*([each] for each in names), names_of(dump)]:
        for ending in ENDINGS:
            hostile = renamed(dump, appended(group, ending))
            complaints += [
                complaint for each in printed(hostile, monkeypatch) if PROGRAM in each.text and (complaint := shell.complaint(each))
            ]

    assert complaints == []


REFUSED = {
    "quota-exceeded": "exceeded quota: {}, requested: pods=1, used: pods=1, limited: pods=1",
    "quota-needs-amounts": "failed quota: {}: must specify limits.cpu",
    "runtime-class-missing": 'pod rejected: RuntimeClass "{}" not found',
    "priority-class-missing": "no PriorityClass with name {} was found",
    "service-account-missing": 'error looking up service account gpu/{0}: serviceaccount "{0}" not found',
    "webhook-denied": 'admission webhook "{}" denied the request: no',
    "webhook-failed": 'failed calling webhook "{}": timeout',
    "policy-denied": "ValidatingAdmissionPolicy '{}' with binding 'b' denied request: no",
    "pod-security": 'violates PodSecurity "restricted:{0}": privileged {0}',
}
"""The words of the API server about an object that a stranger has named."""


@pytest.mark.parametrize("refusal", REFUSED)
@pytest.mark.parametrize(
    "name", [*(f"a{each}" for each in ENDINGS), "--kubeconfig=x", "a;pwned", "$(pwned)", "'pwned'", "a\nEOF\npwned", "-a;pwned"]
)
def test_no_name_in_the_words_of_the_api_server_is_obeyed_by_a_shell(refusal, name, shell):
    fault = creation_fault(Evidence(text=f"pods is forbidden: {REFUSED[refusal].format(name)}", source="a"))

    for fix in (fault.fix, fault.verify):
        advice = fix.text if isinstance(fix, Advice) else ""
        lines = str(fix).split("\n") if isinstance(fix, Command) else fix.yaml.split("\n")
        assert shell.complaint(Printed(advice=advice, lines=lines, names="")) == ""
        assert not any(line.startswith(PROGRAM) for line in lines)
        assert not re.search(r"(?<!\S)--kubeconfig", "\n".join(lines))


@pytest.mark.parametrize("value", ["a'; pwned; '", "$(pwned)", "a\npwned", "''", "yes", "1e3", "a: b"])
def test_a_value_of_yaml_is_text_to_yaml_and_to_a_shell(value, shell):
    line = f"key: {quoted(value)}"

    assert yaml.safe_load(line) == {"key": value.replace("\n", "\\n")}
    assert shell.complaint(Printed(advice="a", lines=[line], names="")) == ""


def test_the_templates_of_commands_are_literals_of_ours():
    """A command is made from a template in the source, and never from a text that was put together."""
    wrong = []
    for folder in (PACKAGE / "doctor", PACKAGE / "checks" / "symptoms"):
        for file in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
                if called == "Command" or (called == "command" and not isinstance(node.args[0], ast.Constant)):
                    wrong.append(f"{file.name}:{node.lineno}")

    assert wrong == []


def test_the_commands_of_symptoms_are_right_for_a_shell(shell):
    for symptom in all_symptoms():
        for each in symptom.commands:
            assert shell.complaint(Printed(lines=str(each).split("\n"), names="")) == ""


def test_the_contexts_of_both_programs_stand_in_every_command_and_in_no_quoted_word():
    programs = ProgramFlags(context="a b", talosconfig="/x", talos_context="c")

    assert programs.chosen("kubectl get x 'kubectl get' | talosctl read   # kubectl get it's\n# kubectl get\nIMAGE=$(talosctl get)") == (
        "kubectl '--context=a b' get x 'kubectl get' | talosctl --talosconfig=/x --context=c read   # kubectl get it's\n# kubectl get\n"
        "IMAGE=$(talosctl --talosconfig=/x --context=c get)"
    )
    assert ProgramFlags().chosen("kubectl get x") == "kubectl get x"
