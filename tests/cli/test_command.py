"""The command `talos-gpu`: the real one in a process of its own, its help, output, warnings and unknown flags."""

import json
import re
import subprocess
import sys

import pytest
import yaml
from command_line import COMMANDS, MPS_WARNING, NODES, WORKS, environment, process

from conftest import ROOT
from constructs_lib.cli import command as cli
from constructs_lib.talos import Schematic

VERBS = [
    *("init", "adopt", "synth", "page", "verify"),
    *("check", "diff", "doctor", "why"),
    *("matrix", "models", "schematic", "patch", "upgrade"),
    *("images", "krm", "rehearse", "agents", "completion"),
]


def test_an_answer_goes_to_stdout_with_status_0():
    made = process("schematic", "--talos", "1.13.9")

    assert (made.returncode, made.stderr) == (0, b"")
    assert made.stdout.decode() == Schematic(nodes=NODES).text


def test_a_refusal_goes_to_stderr_with_status_2():
    made = process("patch", "--talos", "1.7")

    assert (made.returncode, made.stdout) == (2, b"")
    assert made.stderr.decode() == (
        "talos-gpu patch: --talos must be a Talos version such as '1.14', from '1.8' on, with or without its patch (got "
        "'1.7'); before Talos 1.8 the NVIDIA extensions have no tracks, and nodes have no labels for their extensions; upgrade Talos "
        "first\n"
    )


def test_a_warning_goes_to_stderr_once_and_the_answer_to_stdout():
    made = process("patch", "--talos", "1.13.9", "--mps", "4")

    assert made.returncode == 0
    assert made.stderr.decode() == f"talos-gpu patch: warning: {MPS_WARNING}\n"
    assert yaml.safe_load(made.stdout)["machine"]["kernel"]["modules"][0] == {"name": "nvidia"}


@pytest.mark.parametrize("arguments", [("--help",), ("patch", "--help")])
def test_help_names_the_command_and_not_the_module(arguments):
    made = process(*arguments)

    assert (made.returncode, made.stderr) == (0, b"")
    assert made.stdout.startswith(b"usage: talos-gpu ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", f"COMMAND must be given: {', '.join(VERBS)}"),
        ("--hel", f"COMMAND must be given: {', '.join(VERBS)}"),
        (
            "ptach",
            f"COMMAND must be one of {', '.join(map(repr, VERBS))} (got 'ptach'); did you mean 'patch'?",
        ),
    ],
)
def test_a_line_without_a_command_is_refused_in_one_line(arguments, expected, run):
    assert run(*arguments.split()) == (2, "", f"talos-gpu: {expected}\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_starts_node_or_loads_cdk8s(command):
    code = (
        "import contextlib, io, json, sys\n"
        "from constructs_lib import cli\n"
        "with contextlib.redirect_stdout(io.StringIO()) as out: status = cli.main(sys.argv[1:])\n"
        "print(json.dumps([status, len(out.getvalue()), [name for name in ('jsii', 'cdk8s', 'constructs') if name in sys.modules]]))\n"
    )
    line = [sys.executable, "-c", code, command, *WORKS[command]]
    status, length, loaded = json.loads(subprocess.run(line, cwd=ROOT, capture_output=True, check=True).stdout)

    assert (status, loaded) == (0, [])
    assert length > 100


def test_an_answer_is_written_where_the_console_has_no_unicode():
    line = [sys.executable, "-m", "constructs_lib", "upgrade", *WORKS["upgrade"]]
    made = subprocess.run(line, env={**environment(), "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)

    assert made.returncode == 0
    assert b"Traceback" not in made.stderr


def test_the_help_lists_the_commands_each_with_what_it_is_about(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    out = capsys.readouterr().out

    assert re.findall(r"^  (\w+)\s+\w.*? ", out, re.MULTILINE) == VERBS
    assert re.findall(r"^(\w[\w ,]+):$", out, re.MULTILINE) == [
        "begin with a cluster",
        "find what is wrong",
        "image and machine configuration",
        "registries, tools and trials",
        "options",
    ]
    assert "talos-gpu COMMAND --help" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_output_is_a_file_with_the_same_bytes(command, run, tmp_path):
    path = tmp_path / "out"
    expected = run(command, *WORKS[command])[1]

    assert run(command, *WORKS[command], "--output", path) == (0, "", "")
    assert path.read_bytes() == expected.encode()


def test_a_refusal_leaves_the_file_as_it_was(run, tmp_path):
    path = tmp_path / "out"
    path.write_text("before")

    assert run("patch", "--talos", "1.7", "--output", path)[:2] == (2, "")
    assert path.read_text() == "before"


def test_each_warning_is_said_once_however_often_it_arises(run):
    status, out, err = run("upgrade", "--talos", "1.13.9", "--to", "1.14.0", "--mps", "4")

    assert status == 0
    assert out.startswith("# From Talos 1.13.9 to 1.14.0")
    assert err.splitlines() == [
        f"talos-gpu upgrade: warning: {MPS_WARNING}",
        f"talos-gpu upgrade: warning: {MPS_WARNING.replace('1.13.9', '1.14.0')}",
    ]


def test_a_warning_is_said_beside_a_refusal_too(run):
    status, out, err = run("patch", "--talos", "1.13.9", "--mps", "4", "--style", "documents")

    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "talos-gpu patch: --style must be 'fields' on Talos 1.13.9 (got 'documents'); documents are new in Talos 1.14",
        f"talos-gpu patch: warning: {MPS_WARNING}",
    ]


@pytest.mark.parametrize(
    ("command", "flag", "meant"),
    [("schematic", "--secure", "--secureboot"), ("patch", "--machine-s", "--machine-set"), ("upgrade", "--new", "--new-route")],
)
def test_a_flag_is_written_out(command, flag, meant, refusal):
    assert (
        refusal(command, *WORKS[command], flag) == f"{flag} must be a flag of talos-gpu {command} (got '{flag}'); did you mean '{meant}'?"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("upgrade --talos 1.12 --to", "--to must be given with a value"),
        ("patch --talos", "--talos must be given with a value"),
        ("upgrade --talos 1.12 --to 1.13 --leftovers", "--leftovers must be given with a value"),
        ("patch --talos 1.13 --operator=yes", "--operator must be given without a value (got 'yes')"),
        (
            "schematic --print json",
            "--print must be one of 'yaml', 'id', 'installer', 'iso', 'pxe', 'disk-image', 'install-config' (got 'json')",
        ),
        ("patch --for flux", "--for must be one of 'talosctl', 'omni', 'talhelper', 'terraform', 'capi' (got 'flux')"),
        ("upgrade --to 1.13 --format markdwn", "--format must be one of 'markdown', 'json' (got 'markdwn'); did you mean 'markdown'?"),
        ("check a.yaml --format xml", "--format must be one of 'text', 'json', 'sarif', 'github' (got 'xml')"),
    ],
)
def test_a_line_that_argparse_can_not_parse_is_refused_in_one_line(arguments, expected, refusal):
    assert refusal(*arguments.split()) == expected


@pytest.mark.parametrize(
    ("arguments", "got", "then"),
    [
        ("patch --talos 1.13 --lable role=gpu", "--lable", "did you mean '--label'?"),
        ("patch --talos 1.13 --clas rtx", "--clas", "did you mean '--class'?"),
        ("schematic --talos 1.13 --prnt id", "--prnt", "did you mean '--print'?"),
        ("upgrade --talos 1.12 --to 1.13 --xyzzy", "--xyzzy", "talos-gpu upgrade --help lists the flags"),
        ("patch --talos 1.13 --print id", "--print", "--print is a flag of talos-gpu synth and talos-gpu schematic"),
        ("patch --talos 1.13 --print=id", "--print=id", "--print is a flag of talos-gpu synth and talos-gpu schematic"),
        ("schematic --talos 1.13 --capacity", "--capacity", "--capacity is a flag of talos-gpu check"),
        ("check --tal 1.13", "--tal", "did you mean '--talos'?"),
    ],
)
def test_an_unknown_flag_is_answered_with_the_one_that_was_meant(arguments, got, then, refusal):
    command = arguments.split()[0]
    assert refusal(*arguments.split()) == f"{got.split()[0]} must be a flag of talos-gpu {command} (got '{got}'); {then}"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("patch 1.13", "FILE must be a file that can be read (got '1.13'); did you mean '--talos 1.13'?"),
        ("upgrade v1.12.11 --to 1.13", "FILE must be a file that can be read (got 'v1.12.11'); did you mean '--talos v1.12.11'?"),
        ("patch --talos 1.13 gpu.yaml", "--talos must be left out beside the cluster file gpu.yaml, which describes its nodes"),
    ],
)
def test_a_word_without_a_flag_is_the_cluster_file(arguments, expected, refusal):
    assert refusal(*arguments.split()) == expected
