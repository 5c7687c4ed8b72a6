"""Messages quote no data of a Secret, and no value of a variable that is named like a credential."""

import base64

import pytest

from constructs_lib.checks import engine
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Example, Rule, Severity, Violation
from constructs_lib.checks.secret_values import without_secrets
from constructs_lib.observed.read.repository import read_text

WORD = "hunter2-hunter2"
BASE64 = base64.b64encode(f"token={WORD}\n".encode()).decode()
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, env: [{name: %s, value: %s}]}]}\n"
VALUES = (
    "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec: {chart: {spec: {chart: a}}, values: {%s}}\n"
)


def sentence(text, quoted, monkeypatch):
    """The message of a finding that quotes these words, and its fix."""

    def quote(inputs):
        about = inputs.objects[0]
        yield Violation(severity=Severity.ERROR, message=f"the value is {quoted}.", about=about, fix=f"remove {quoted}")

    example = Example(yaml="a: b")
    rule = Rule(id="TG007", claim="", symptom="", severity=Severity.ERROR, fix="", source="", check=quote, failing=example, passing=example)
    monkeypatch.setattr(engine, "RULES", {"TG007": rule})
    (finding,) = run_rules(read_text(text))
    return finding.message, finding.fix


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (f"{SECRET}stringData: {{a: {WORD}}}\n", WORD),
        (f"{SECRET}stringData:\n  values.yaml: |\n    a: 1\n    token: '{WORD}'\n", WORD),
        (f"{SECRET}data: {{a: {BASE64}}}\n", BASE64),
        (f"{SECRET}data: {{a: {BASE64}}}\n", WORD),
        (f"{SECRET}---\n{POD % ('A', 'b')}---\n{SECRET}stringData: {{a: {WORD}}}\n", WORD),
        *((POD % (name, WORD), WORD) for name in ("HF_TOKEN", "DB_PASSWORD", "API_KEY", "APIKEY", "CLIENT_SECRET", "password")),
        (POD % ("API_KEY", "123456"), "123456"),
        (VALUES % f"env: {{HF_TOKEN: {WORD}}}", WORD),
        (VALUES % f"a: {{env: [{{name: HF_TOKEN, value: {WORD}}}]}}", WORD),
    ],
)
def test_a_secret_value_is_not_quoted(text, quoted, monkeypatch):
    assert sentence(text, quoted, monkeypatch) == ("the value is (a secret value).", "remove (a secret value)")


@pytest.mark.parametrize(
    "text",
    [
        POD % ("NVIDIA_VISIBLE_DEVICES", WORD),
        POD % ("API_KEY", "hunter"),
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {{a: {WORD}}}\n",
        VALUES % f"tolerations: [{{key: {WORD}}}]",
        POD % ("API_KEY", "'a'"),
    ],
)
def test_another_value_is_quoted(text, monkeypatch):
    assert sentence(text, WORD, monkeypatch) == (f"the value is {WORD}.", f"remove {WORD}")


def test_a_secret_that_is_a_plain_word_is_hidden_where_it_is_quoted(monkeypatch):
    text = f"{POD % ('A', 'b')}---\n{SECRET}stringData: {{mode: nodes, on: 'true', name: Pod, file: 'mode: talos'}}\n"
    quoted = "mode=nodes of the nodes, on=true for kind 'Pod' of talos 'talos'"

    assert (
        sentence(text, quoted, monkeypatch)[0]
        == "the value is mode=(a secret value) of the nodes, on=true for kind 'Pod' of talos 'talos'."
    )


def test_a_name_that_another_tool_fills_in_is_no_public_word():
    text = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: '${SPACE}'}\nstringData: {token: abcdefgh}\n"
        "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: '${NAME}', namespace: '${SPACE}'}\n"
    )

    assert without_secrets("token='abcdefgh'", read_text(text)) != "token='abcdefgh'"
