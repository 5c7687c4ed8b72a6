"""One function starts programs: no name is a flag, no relative folder of PATH is searched, and nothing else of the library starts one."""

import ast
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import ROOT
from constructs_lib.arguments import programs

STARTS: dict[str, set[str] | None] = {
    "os": {"system", "popen", "fork", "forkpty", "startfile", "posix_spawn", "posix_spawnp"} | {f"{kind}{form}" for kind in ("exec", "spawn") for form in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")},
    "subprocess": None,
    "pty": None,
    "multiprocessing": None,
    "concurrent": None,
    "asyncio": None,
    "ctypes": None,
    "runpy": None,
}  # fmt: skip
"""The modules, and the functions of `os`, that start programs or processes; None for a whole module."""


def starters(tree):
    """The lines of a module that name something that starts a program."""
    for node in ast.walk(tree):
        names = (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [str(node.module)]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if any(name.partition(".")[0] in STARTS and STARTS[name.partition(".")[0]] is None for name in names):
            yield node.lineno
        if isinstance(node, ast.ImportFrom) and node.module == "os" and STARTS["os"] & {each.name for each in node.names}:
            yield node.lineno
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr in STARTS["os"]:
            yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("eval", "exec", "__import__"):
            yield node.lineno


def test_nothing_else_starts_a_program_or_runs_a_text():
    found = {path.stem for path in (ROOT / "constructs_lib").rglob("*.py") if list(starters(ast.parse(path.read_text())))}

    # `fleet` starts this Python again: synth --jobs; `live_commands` has threads, which run `programs`
    assert found == {"programs", "fleet", "live_commands"}


@pytest.mark.parametrize(
    "text", ["import subprocess", "from os import system", "import os\nos.execvp('a', [])", "eval('1')", "import concurrent.futures"]
)
def test_the_search_finds_each_form(text):
    assert list(starters(ast.parse(text)))


@pytest.fixture
def echo(tmp_path):
    """A program that prints its arguments and its input."""
    path = tmp_path / "echo"
    path.write_text('#!/bin/sh\nfor each; do printf "%s\\n" "[$each]"; done\ncat\n')
    path.chmod(0o755)
    return path


def test_a_name_is_a_name_behind_two_hyphens_and_no_shell_reads_it(echo):
    done = programs.run(str(echo), ["template", "--no-hooks"], ["--post-renderer=./evil", "$(touch ran)"], given="é", seconds=9)

    assert (done.status, done.output) == (0, "[template]\n[--no-hooks]\n[--]\n[--post-renderer=./evil]\n[$(touch ran)]\né")


def test_a_program_of_the_working_folder_is_not_found_by_its_name(echo, monkeypatch):
    monkeypatch.chdir(echo.parent)
    monkeypatch.setenv("PATH", ":.:/usr/bin:/bin")

    assert programs.found("echo") in ("/usr/bin/echo", "/bin/echo")
    assert programs.found("./echo") == "./echo"
    with pytest.raises(FileNotFoundError, match="no-such is not on PATH"):
        programs.run("no-such", [], seconds=1)


def test_a_program_that_does_not_end_is_stopped(tmp_path):
    with pytest.raises(TimeoutError, match=r"no answer after 0\.05 s"):
        programs.run("sleep", ["100"], seconds=0.05)


@pytest.fixture
def slow_start(monkeypatch):
    """A `Popen` that answers late: its program runs already. Events for its program runs, and for it may answer."""
    runs, may_answer, real = threading.Event(), threading.Event(), subprocess.Popen

    def started(*args, **flags):
        process = real(*args, **flags)
        runs.set()
        may_answer.wait(60)
        return process

    monkeypatch.setattr(subprocess, "Popen", started)
    return runs, may_answer


def test_a_program_that_starts_while_its_group_is_stopped_is_stopped_too(slow_start):
    runs, may_answer = slow_start
    group = programs.Group()
    with ThreadPoolExecutor(2) as pool:
        done = pool.submit(programs.run, "sleep", ["100"], seconds=100, group=group)
        runs.wait(60)
        stopped = pool.submit(group.stop)
        may_answer.set()
        stopped.result()

        assert done.result().status == -signal.SIGKILL


def test_a_group_that_was_stopped_starts_no_program(tmp_path):
    group = programs.Group()
    group.stop()

    with pytest.raises(InterruptedError):
        programs.run("touch", [str(tmp_path / "ran")], seconds=60, group=group)

    assert not (tmp_path / "ran").exists()
