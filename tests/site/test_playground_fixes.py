"""The playground and the command agree on what is fixed, finding by finding, and on the reason for what is left."""

import json

import pytest

from constructs_lib.checks.rules import RULES
from constructs_lib.cli import command as cli
from tools.site.playground import playground

POD = RULES["TG040"].failing.yaml
CASES = {
    "a missing RuntimeClass": dict(zip(("pod.yaml", "plugin.yaml", "machine.yaml"), POD.split("---\n")[1:], strict=True)),
    "a template": {"pod.yaml": RULES["TG045"].failing.yaml + "# {% if x %}\n"},
    "an unknown repository": {
        "a.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a, namespace: a}\nspec:\n"
        "  chart: {spec: {chart: jellyfin, version: 2.3.0, sourceRef: {kind: HelmRepository, name: a}}}\n"
        "  values: {resources: {limits: {nvidia.com/gpu: 1}}}\n",
        "b.yaml": POD.partition("kind: HelmRelease")[0].partition("---\n")[0] + "---\n" + POD[POD.index("apiVersion: helm") :],
    },
    "settings": {"a.yaml": RULES["TG045"].failing.yaml, ".talos-gpu.yaml": "ignore:\n  - {rule: TG045, reason: known}\n"},
    **{rule: {f"{rule}.yaml": RULES[rule].failing.yaml} for rule in ("TG045", "TG052", "TG018", "TG041", "TG042", "TG048")},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(playground, "FOLDER", tmp_path / "files")
    monkeypatch.chdir(tmp_path)


def asked(name, given):
    return json.loads(getattr(playground, name)(json.dumps(given)))


def by_command(tmp_path, monkeypatch, files, *flags):
    """The files and the rest of the findings after the command."""
    own = tmp_path / "own"
    own.mkdir(exist_ok=True)
    for name, text in files.items():
        (own / name).write_text(text)
    monkeypatch.chdir(own)
    cli.main(["check", ".", "--talos", "1.12", *flags, "--output", "../report.json", "--format", "json"])
    after = {name: (own / name).read_text() for name in files}
    found = json.loads((tmp_path / "report.json").read_text())["findings"]
    return after, [(each["rule"], each["object"]) for each in found]


@pytest.mark.parametrize("case", CASES)
def test_the_playground_fixes_what_the_command_fixes_and_tells_the_rest(case, folder, tmp_path, monkeypatch, capsys):
    files = CASES[case]
    given = {"files": files, "talos": "1.12"}
    findings = asked("check", given)["report"]["findings"]
    outcomes = asked("outcomes", given | {"findings": findings})
    safe_files, after_safe = by_command(tmp_path, monkeypatch, files, "--fix")
    _, after_unsafe = by_command(tmp_path, monkeypatch, files, "--fix", "--unsafe-fixes")

    assert asked("fix", given)["files"] == safe_files
    for row, outcome in zip(findings, outcomes, strict=True):
        name = row["rule"], row["object"]
        assert bool(outcome["flags"]) != bool(outcome["reason"]), (name, outcome)
        if outcome["flags"] == "--fix":
            assert name not in after_safe
        elif outcome["flags"]:
            assert name in after_safe
            assert name not in after_unsafe
        one = asked("fix", given | {"finding": row})
        assert (one["files"] != files) == bool(outcome["flags"]), name
        if outcome["flags"]:
            rest = asked("check", {"files": one["files"], "talos": "1.12"})["report"]["findings"]
            assert name not in [(each["rule"], each["object"]) for each in rest]


def test_a_button_of_a_finding_that_needs_a_manifest_writes_both(folder):
    given = {"files": CASES["a missing RuntimeClass"], "talos": "1.12"}
    findings = asked("check", given)["report"]["findings"]
    (row,) = [each for each in findings if each["rule"] == "TG040"]

    text = "---\n".join(asked("fix", given | {"finding": row})["files"].values())

    assert "kind: RuntimeClass" in text
    assert text.count("runtimeClassName: nvidia") == 2
