"""`talos-gpu completion`: the shell's code, and the answers to its questions."""

import os
import subprocess
import sys

import pytest
from command_line import environment

from constructs_lib.cli import completion_command


def answers(line, tmp_path):
    """What the command answers a shell that completes a line."""
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1", "_ARGCOMPLETE_SHELL": "bash", "_ARGCOMPLETE_IFS": "\n"}
    file = {"_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "answers")}
    command = [sys.executable, "-m", "constructs_lib"]
    subprocess.run(command, env={**environment(), **asked, **file}, capture_output=True, check=True, cwd=tmp_path)
    return [word.strip() for word in (tmp_path / "answers").read_text().split("\n")]


@pytest.mark.parametrize("shell", completion_command.SHELLS)
def test_each_shell_gets_code_that_asks_the_command(shell, answer):
    code = answer("completion", shell)

    assert "talos-gpu" in code
    assert "_ARGCOMPLETE" in code


def test_another_shell_is_refused(refusal):
    assert refusal("completion", "tcsh") == "SHELL must be one of 'bash', 'zsh', 'fish' (got 'tcsh')"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("talos-gpu ch", ["check"]),
        ("talos-gpu check --fix", ["--fix"]),
        ("talos-gpu check --format ", ["text", "json", "sarif", "github"]),
        ("talos-gpu check --explain TG00", [f"TG00{number}" for number in range(1, 10)]),
        ("talos-gpu completion ", ["--help", "bash", "zsh", "fish"]),
    ],
)
def test_the_parser_answers_the_shell(line, expected, tmp_path):
    assert answers(line, tmp_path) == expected


def test_a_flag_of_a_version_completes_releases_of_talos(tmp_path):
    assert "1.12.12" in answers("talos-gpu upgrade --talos 1.12", tmp_path)


def test_without_the_package_the_command_says_how_to_install_it(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "argcomplete", None)

    assert run("completion", "bash") == (
        2,
        "",
        "talos-gpu completion needs the package argcomplete: pip install argcomplete\n",
    )


def test_without_the_package_a_shell_gets_no_answer(monkeypatch):
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    monkeypatch.setitem(os.environ, "_ARGCOMPLETE", "1")

    with pytest.raises(SystemExit) as caught:
        completion_command.complete(None)
    assert caught.value.code == 2
