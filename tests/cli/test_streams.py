"""The streams of the command: closed ones, pipes without a reader, Ctrl-C, and names that a terminal would obey."""

import functools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import environment

from constructs_lib.cli import command as cli
from constructs_lib.cli import schematic_command

BAD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: "0.5"}}}]}\n'
BROKEN = "apiVersion: v1\nkind: Pod\nmetadata: [\n"
NAME = "x\\n::error::owned\\e[2J\\x9b\\u202e"
FORMATS = ["text", "github", "json", "sarif"]
OBEYED = ("\x1b", "\x9b", "\u202e", "\u2028", "\n::error::owned")


def shell(line, cwd, **given):
    """The line in a shell, where `talos-gpu` is the command."""
    script = f'talos-gpu() {{ "{sys.executable}" -m constructs_lib "$@"; }}\n{line}'
    return subprocess.run(["bash", "-c", script], cwd=cwd, env=environment(), capture_output=True, check=False, **given)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.yaml").write_text(BAD % "a")
    return tmp_path


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_in_a_file_is_shown_and_not_obeyed(folder, form):
    (folder / "a.yaml").write_text(BAD % f'"{NAME}"')
    done = shell(f"talos-gpu check a.yaml --talos 1.13 --format {form}", folder)

    assert done.returncode == 1
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "owned" in out
    assert not [mark for mark in OBEYED if mark in out + err]


def test_a_name_in_the_table_of_capacity_is_shown_and_not_obeyed(folder):
    (folder / "a.yaml").write_text(BAD.replace('"0.5"', "1") % f'"{NAME}"')
    out = shell("talos-gpu check a.yaml --talos 1.13 --capacity", folder).stdout.decode()

    assert r"Pod x\n::error::owned\x1b[2J\x9b\u202e  1 nvidia.com/gpu" in out
    assert not [mark for mark in OBEYED if mark in out]


@pytest.mark.parametrize("form", FORMATS)
def test_the_name_of_a_file_is_shown_and_not_obeyed(folder, form):
    (folder / "b\n::error::owned\x1b[2J\u202e.yaml").write_text(BAD % "a")
    (folder / "c\n::error::owned\x1b[2J\u202e.yaml").write_text(BROKEN)
    done = shell(f"talos-gpu check . --talos 1.13 --all --format {form}", folder)

    assert done.returncode == 1
    out, err = done.stdout.decode(), done.stderr.decode()
    assert not [mark for mark in OBEYED if mark in out + err]
    assert r"c\n::error::owned\x1b[2J\u202e.yaml" in (out if form == "text" else err)


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_whose_name_is_not_utf_8_is_checked(folder, form):
    (folder / os.fsdecode(b"b\xff.yaml")).write_text(BAD % "a")
    (folder / os.fsdecode(b"c\xff.yaml")).write_text(BROKEN)
    done = shell(f"talos-gpu check . --talos 1.13 --format {form}", folder)

    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
    shown = {"sarif": "b%FF.yaml", "json": json.dumps(r"b\udcff.yaml")}
    assert shown.get(form, r"b\udcff.yaml") in done.stdout.decode()
    assert form not in shown or json.loads(done.stdout)


def test_a_place_is_no_command_of_a_workflow(folder):
    (folder / "::error::owned.yaml").write_text(BAD % "a")

    assert b"\n    \\x3a:error::owned.yaml:" in shell("talos-gpu check :*.yaml --talos 1.13", folder).stdout


def test_a_warning_and_a_refusal_are_shown_and_not_obeyed(folder):
    (folder / "n\n::error::owned\x1b[2J.yaml").write_text("pasword: a")
    done = shell(
        "talos-gpu patch --nodes n*.yaml; talos-gpu check $'no\\n::error::owned\\e[2J.yaml'; talos-gpu --nothing=$'\\e[2J'", folder
    )

    assert not [mark for mark in OBEYED if mark in done.stderr.decode()]
    assert b"owned" in done.stderr


@pytest.mark.parametrize(
    ("line", "status", "sentence"),
    [
        ("talos-gpu check - <&-", 2, "talos-gpu check: standard input is closed\n"),
        ("talos-gpu check a.yaml --talos 1.13 >&-", 2, "talos-gpu: standard output is closed\n"),
        ("talos-gpu check a.yaml --talos 1.13 --output out >&-", 1, ""),
        ("talos-gpu schematic --talos 1.13 >&-", 2, "talos-gpu: standard output is closed\n"),
        ("talos-gpu --version >&-", 2, "talos-gpu: standard output is closed\n"),
        ("talos-gpu check a.yaml --talos 1.13 2>&-", 1, ""),
        ("talos-gpu check none.yaml 2>&-", 2, ""),
        ("talos-gpu check a.yaml --talos 1.13 >/dev/full", 2, "talos-gpu: standard output can't be written: no space left on device\n"),
        ("talos-gpu --version >/dev/full", 2, "talos-gpu: standard output can't be written: no space left on device\n"),
    ],
)
def test_a_stream_that_is_closed_has_a_status_and_no_traceback(folder, line, status, sentence):
    done = shell(line, folder)

    assert (done.returncode, done.stderr.decode()) == (status, sentence)


@pytest.mark.parametrize("arguments", ["check a.yaml --talos 1.13", "schematic --talos 1.13", "--version"])
def test_a_pipe_that_nobody_reads_ends_the_command_as_a_signal_would(folder, arguments):
    done = shell(f"exec 3> >(:); wait $!; talos-gpu {arguments} >&3; echo $?", folder)

    assert (done.stdout, done.stderr) == (b"141\n", b"")


def test_ctrl_c_has_a_status_of_its_own(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(schematic_command, "schematic_of", interrupted)

    assert cli.main(["schematic", "--talos", "1.13"]) == 130
    assert capsys.readouterr() == ("", "talos-gpu: interrupted\n")


def test_ctrl_c_of_the_real_command_is_no_traceback(tmp_path):
    reading, writing = os.pipe()
    line = [sys.executable, "-m", "constructs_lib", "check", "-"]
    heard = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
    with subprocess.Popen(line, cwd=tmp_path, env=environment(), stdin=reading, stderr=subprocess.PIPE, preexec_fn=heard) as process:  # noqa: PLW1509
        started = Path(f"/proc/{process.pid}/wchan")
        os.write(writing, b"a")
        while process.poll() is None and "pipe" not in started.read_text():
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    os.close(writing)
    os.close(reading)

    assert (process.returncode, err) == (130, b"talos-gpu: interrupted\n")
