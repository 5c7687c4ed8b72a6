"""Whatever repository a stranger commits, `talos-gpu check` answers: fuzzed file trees, each judged in every format.

The steps are counted calls and the memory counted bytes, so a busy machine changes neither. More trees: `TREES=5000 pytest tests/checks/test_tree_fuzz.py`.
"""

import contextlib
import io
import json
import os
import re
import sys
import tracemalloc
from pathlib import Path

import pytest
from hostile_trees import ALIASES, CANARY, LARGEST, hostile_tree

from conftest import ROOT, drawn
from constructs_lib.cli import command as cli
from constructs_lib.observed.read import files, limits
from constructs_lib.yaml import load
from counting import calls

FIRST, TREES = int(os.environ.get("FIRST_TREE", "0")), int(os.environ.get("TREES", drawn(150)))
CALLS, CALLS_A_BYTE = 300_000, 20  # the footer tries the fixes, so some trees are read several times
STEPS = 3_000_000
"""A smaller budget than that of a real check, so that small trees reach it."""
BYTES, BYTES_A_BYTE, BYTES_A_CHARACTER = 500_000, 50, 10
OUTPUT, OUTPUT_A_BYTE = 100_000, 300
RAW = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
OWN = tuple(map(os.path.realpath, (ROOT, sys.prefix, sys.base_prefix, "/usr/lib", "/usr/share", os.__file__[: -len("/os.py")])))
opened: list[str] | None = None


def _hook(event, arguments):
    if opened is not None and event in ("open", "os.scandir", "os.listdir") and isinstance(arguments[0], str | bytes | os.PathLike):
        opened.append(os.path.realpath(os.fsdecode(arguments[0])))
    elif opened is not None and event in (
        "subprocess.Popen",
        "os.system",
        "os.exec",
        "os.posix_spawn",
        "socket.__new__",
        "os.remove",
        "os.mkdir",
        "os.rename",
    ):
        opened.append(f"{event}{arguments}")


@pytest.fixture(scope="module", autouse=True)
def _audit():
    sys.addaudithook(_hook)  # Python has no way to take a hook away


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch):
    monkeypatch.setattr(files, "LARGEST", LARGEST)
    monkeypatch.setattr(load, "_LARGEST_READ", ALIASES)
    monkeypatch.setattr(limits, "MOST", STEPS)


class Answer:
    """One check of a repository, in this process."""

    def __init__(self, root, form):
        self.form, self.out, self.err = form, io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(self.out), contextlib.redirect_stderr(self.err):
            self.status = cli.main(["check", str(root), "--talos", "1.13", "--format", form])
        self.out, self.err = self.out.getvalue(), self.err.getvalue()


def audited(root, form):
    """The answer, and the places outside of the repository that the check touched."""
    global opened  # noqa: PLW0603  # the hook stays for the whole process
    opened = []
    try:
        answer = Answer(root, form)
    finally:
        touched, opened = opened, None
    own = (os.path.realpath(root), *OWN)
    return answer, [path for path in touched if not any(path == each or path.startswith(f"{each}/") for each in own)]


def measured(root, form):
    """The answer, and the most bytes that the check had at once."""
    tracemalloc.start()
    try:
        return Answer(root, form), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def bytes_allowed(tree, answer):
    """The memory for a tree of this size and for its report: a repeated key of nine bytes is a finding of eight hundred."""
    return BYTES + BYTES_A_BYTE * tree + BYTES_A_CHARACTER * len(answer.out)


def size(root):
    """The bytes of all names and files of a tree."""
    total = 0
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            status = Path(folder, name).lstat()
            total += len(os.fsencode(name)) + (status.st_size if not Path(folder, name).is_dir() else 0)
    return total


@pytest.fixture(scope="module", autouse=True)
def _warm(tmp_path_factory):
    """What is imported and compiled once counts for no tree."""
    for seed in range(-5, 0):
        root = hostile_tree(seed, tmp_path_factory.mktemp("warm"))
        for form in ("text", "json", "sarif", "github"):
            Answer(root, form)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TREES))
def test_a_hostile_tree_is_answered(seed, tmp_path, monkeypatch):
    print(f"again: FIRST_TREE={seed} TREES=1 pytest tests/checks/test_tree_fuzz.py; the tree is in {tmp_path}")  # noqa: T201  # pytest shows it for a failure
    monkeypatch.chdir(tmp_path)
    root = hostile_tree(seed, tmp_path)
    answers = []

    # Steps and memory are linear. The steps come first: they end what would not end
    allowed = size(root)
    calls(lambda: answers.append(Answer(root, "text")), most=CALLS + CALLS_A_BYTE * allowed)
    answer, peak = measured(root, "sarif")
    if peak >= bytes_allowed(allowed, answer):  # Python's cache of patterns was full, and all are compiled again
        answer, peak = measured(root, "sarif")
    answers.append(answer)
    assert peak < bytes_allowed(allowed, answer), (peak, allowed, len(answer.out))
    assert len(answer.out) < OUTPUT + OUTPUT_A_BYTE * allowed
    answers.append(Answer(root, "github"))

    # Nothing outside of the repository is opened
    answer, outside = audited(root, "json")
    answers.append(answer)
    assert outside == [], outside

    # One status for all formats, which the findings explain; no crash, no control character, nothing from outside
    found = json.loads(answers[3].out)["findings"]
    is_unchecked = "nothing was" in answers[3].err
    expected = 2 if is_unchecked else int(any(each["severity"] == "error" for each in found))
    assert [each.status for each in answers] == [expected] * 4
    assert len(json.loads(answers[1].out)["runs"]) == 1
    for each in answers:
        assert RAW.findall(each.out + each.err) == [], each.form
        assert "Traceback" not in each.err
        assert " failed (" not in each.err, each.err
        assert CANARY not in each.out, each.form
