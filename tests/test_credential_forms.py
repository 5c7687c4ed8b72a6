"""Every reader hides or refuses each form of a credential, and keeps each text that only resembles one: one table for all of them."""

import copy
import json
import time

import pytest
from credential_forms import FIELDS, PW, TWINS, WORDS

from constructs_lib import GpuNodes, gpu_pod
from constructs_lib.arguments.credentials.places import credential_path
from constructs_lib.arguments.credentials.texts import hidden_text
from constructs_lib.arguments.errors import in_file, wrong
from constructs_lib.checks import engine
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Example, Rule, Severity, Violation
from constructs_lib.checks.rules import RULES
from constructs_lib.manifests.workload.companion import CompanionSettings
from constructs_lib.manifests.workload.settings import GpuWorkloadSettings
from constructs_lib.observed.read.live.redaction import hide
from constructs_lib.observed.read.repository import read_text
from constructs_lib.recipes.ollama import OllamaSettings

NODES = GpuNodes(talos_version="1.13")
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: %s}\nspec: {containers: [{name: a}]}\n"


def finding(text, monkeypatch):
    """A finding whose message, fix and reason quote a text; the formats print its fields."""

    def quote(inputs):
        about = inputs.objects[0]
        yield Violation(severity=Severity.ERROR, message=f"has {text}", about=about, fix=f"remove {text}")

    example = Example(yaml="a: b")
    rule = Rule(id="TG007", claim="", symptom="", severity=Severity.ERROR, fix="", source="", check=quote, failing=example, passing=example)
    monkeypatch.setattr(engine, "RULES", {"TG007": rule})
    (found,) = run_rules(read_text(POD % json.dumps({"talos-gpu/ignore-TG007": text})))
    return found.message, found.fix, found.ignored


def refused(make):
    """The error of a call, or nothing."""
    try:
        make()
    except ValueError as error:
        return str(error)
    return ""


def template(text):
    return {"spec": {"containers": [{"name": "a", "image": "a:1", "args": [text]}]}}


CALLS = {
    "GpuWorkload args": lambda text: GpuWorkloadSettings(name="a", nodes=NODES, image="a:1", args=[text]),
    "GpuWorkload env": lambda text: GpuWorkloadSettings(name="a", nodes=NODES, image="a:1", env={"A": text}),
    "GpuWorkload annotations": lambda text: GpuWorkloadSettings(name="a", nodes=NODES, image="a:1", annotations={"example.com/a": text}),
    "Companion": lambda text: CompanionSettings(name="a", image="a:1", command=["sh", "-c", text]),
    "a recipe": lambda text: OllamaSettings(name="a", nodes=NODES, args=[text]),
    "gpu_pod": lambda text: gpu_pod(template(text), nodes=NODES),
}


def test_a_text_shows_no_form_of_a_credential():
    assert [
        name
        for name, (text, secret) in WORDS.items()
        for where in ("{}", "a word {} and more", "  x: '{}'")
        if secret in hidden_text(where.format(text))
    ] == []


def test_a_text_without_a_credential_stays():
    assert [text for text in TWINS if hidden_text(text) != text] == []


def test_adopt_leaves_every_form_and_nothing_else():
    assert [name for name, (text, _) in WORDS.items() if credential_path({"data": {"a.txt": text}}) is None] == []
    assert [name for name, value in FIELDS.items() if credential_path(value) is None] == []
    assert [text for text in TWINS if credential_path({"data": {"a.txt": text}, "args": [text]}) is not None] == []


def test_the_doctor_keeps_no_form_and_everything_else():
    shown = {name: str(hide({"status": {"message": text}})) for name, (text, _) in WORDS.items()}

    assert [name for name, (_, secret) in WORDS.items() if secret in shown[name]] == []
    assert [name for name, value in FIELDS.items() if PW in str(hide(copy.deepcopy(value)))] == []
    assert [text for text in TWINS if hide({"message": text, "args": [text]}) != {"message": text, "args": [text]}] == []


def test_a_finding_quotes_no_form_and_everything_else(monkeypatch):
    assert [name for name, (text, secret) in WORDS.items() if secret in "".join(finding(text, monkeypatch))] == []
    assert [text for text in TWINS if finding(text, monkeypatch) != (f"has {text}", f"remove {text}", text.strip())] == []


def test_an_error_quotes_no_form_and_everything_else():
    assert [name for name, (text, secret) in WORDS.items() if secret in str(wrong("x", "y", text))] == []
    assert [
        name for name, (text, secret) in WORDS.items() if secret in str(in_file("x:1", wrong("x", "y", "z", f"did you mean {text}")))
    ] == []
    assert [text for text in TWINS if str(wrong("x", "y", text)) != f"'x' must be y (got {text!r})"] == []


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_argument_takes_no_form_and_everything_else(call):
    errors = {name: refused(lambda text=text: call(text)) for name, (text, _) in WORDS.items()}

    assert [name for name, error in errors.items() if "without a credential" not in error and "a SecretKey" not in error] == []
    assert [name for name, (_, secret) in WORDS.items() if secret in errors[name]] == []
    assert [text for text in TWINS if refused(lambda text=text: call(text))] == []


def test_our_own_words_stay():
    words = [word for rule in RULES.values() for word in (rule.claim, rule.symptom, rule.fix)]

    assert [word for word in words if hidden_text(word) != word] == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "part",
    ["token=", "pass ", "a:b@", "://", "$(", "{{", "eyJ", "mysql -p", "password is ", '"token":"', "Zm9v", "-----BEGIN PRIVATE KEY-----"],
)
def test_the_time_grows_with_the_length_of_a_line(part):
    def seconds(length):
        text = "token" + part * (length // len(part))
        start = time.process_time()
        hidden_text(text)
        return time.process_time() - start

    assert seconds(400_000) < 40 * max(min(seconds(40_000), seconds(40_000)), 0.002)
