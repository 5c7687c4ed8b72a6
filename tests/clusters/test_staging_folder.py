"""The staging folder of `talos-gpu synth`: nothing of it stays after a signal, and a run that was killed leaves nothing to the next run."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from command_line import run  # noqa: F401  # a fixture

from conftest import ROOT
from constructs_lib.cli.command import main

FILE = """\
nodes: {gpu: {talos: 1.14.0}}
charts: {gpu: {namespace: kube-system, objects: {runtime-class: {NvidiaRuntimeClass: {}}}}}
clusters: {}
"""
# The command, which does at a PLACE what DO says.
PROGRAM = f"""
import os, signal, sys, time
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
signal.signal(signal.SIGINT, signal.default_int_handler)
from constructs_lib.cli.command import main
from constructs_lib.clusters import fleet
synthesize = fleet.synthesize
def first():
    Path("begun").touch()
    DO
PLACE
sys.exit(main(sys.argv[1:]))
"""
BEFORE_A_CLUSTER = "fleet.synthesize = lambda *arguments, **options: first() or synthesize(*arguments, **options)"
WAIT = "while not Path('go').exists(): time.sleep(0.01)"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, clusters in (("one", "{a: {}, b: {}}"), ("two", "{c: {}}")):
        (tmp_path / f"{name}.yaml").write_text(FILE.replace("clusters: {}", f"clusters: {clusters}"))
    return tmp_path


@pytest.fixture
def begun(folder):
    """A run that has come to a place, the first cluster if no other is named, and does something before it goes on."""
    runs = []

    def call(do, *flags, place=BEFORE_A_CLUSTER):
        command = [sys.executable, "-c", PROGRAM.replace("DO", do).replace("PLACE", place), "synth", "one.yaml", *flags]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        runs.append(process)
        while process.poll() is None and not (folder / "begun").exists():
            time.sleep(0.01)
        assert (folder / "begun").exists(), process.communicate()
        return process

    yield call
    for process in runs:
        process.kill()
        process.communicate()


def names(folder):
    return sorted(each.name for each in (folder / "dist").iterdir())


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(
    ("sent", "status", "message"), [(signal.SIGTERM, -signal.SIGTERM, ""), (signal.SIGINT, 130, "talos-gpu: interrupted\n")]
)
def test_a_signal_ends_the_command_and_leaves_nothing(begun, folder, sent, status, message, jobs):
    process = begun(WAIT, "--jobs", jobs)
    process.send_signal(sent)
    (folder / "go").touch()

    assert process.communicate(timeout=60) == ("", message)
    assert (process.returncode, names(folder)) == (status, [])


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="several processes need several processors")
@pytest.mark.parametrize("place", ["before", "after_in_child"])
def test_ctrl_c_while_processes_start_waits_until_they_run(begun, folder, place):
    process = begun(WAIT, "--jobs", "2", place=f"os.register_at_fork({place}=first)")
    os.killpg(process.pid, signal.SIGINT)
    (folder / "go").touch()

    assert process.communicate(timeout=60) == ("", "talos-gpu: interrupted\n")
    assert (process.returncode, names(folder)) == (130, [])


def test_the_next_run_deletes_what_a_killed_run_has_left(run, begun, folder):  # noqa: F811
    begun("os.kill(os.getpid(), signal.SIGKILL)").wait(60)
    (left,) = names(folder)

    assert left.startswith(".talos-gpu-")
    assert run("synth", "--no-page", "two.yaml")[0] == 0
    assert names(folder) == ["c"]


def test_a_run_leaves_the_folder_of_another_run_that_is_under_way(run, begun, folder):  # noqa: F811
    process = begun(WAIT)
    status, *_ = run("synth", "--no-page", "two.yaml")

    assert (status, len(names(folder))) == (0, 2)
    (folder / "go").touch()
    process.communicate(timeout=60)
    assert (process.returncode, names(folder)) == (0, ["a", "b", "c"])


def test_a_folder_without_a_lock_belongs_to_somebody_else(run, folder):  # noqa: F811
    (folder / "dist" / ".talos-gpu-mine").mkdir(parents=True)
    run("synth", "--no-page", "two.yaml")

    assert names(folder) == [".talos-gpu-mine", "c"]


@pytest.mark.parametrize("lock", ["", "1 2\n", "FOLDER", "LINK", "PIPE"])
def test_a_folder_of_the_repository_that_looks_like_that_of_a_killed_run_stays(run, folder, lock):  # noqa: F811
    forged = folder / "dist" / ".talos-gpu-forged"
    (forged / "files").mkdir(parents=True)
    (folder / "outside").mkdir()
    (folder / "outside" / "lock").write_text("")
    (folder / "dist" / ".talos-gpu-link").symlink_to(folder / "outside")
    if lock == "LINK":
        (folder / "own").write_text(f"{forged.stat().st_dev} {forged.stat().st_ino}\n")
        (forged / "lock").symlink_to(folder / "own")
    elif lock == "PIPE":
        os.mkfifo(forged / "lock")
    else:
        other = (folder / "outside").stat()  # a copy of a folder has another number
        (forged / "lock").write_text(lock.replace("FOLDER", f"{other.st_dev} {other.st_ino}\n"))

    assert run("synth", "--no-page", "two.yaml")[0] == 0
    assert names(folder) == [".talos-gpu-forged", ".talos-gpu-link", "c"]
    assert (folder / "outside" / "lock").exists()


def test_a_program_with_its_own_handler_of_sigterm_keeps_it(run):  # noqa: F811
    def handler(*_):
        pass

    before = signal.signal(signal.SIGTERM, handler)
    try:
        assert run("synth", "--no-page", "two.yaml")[0] == 0
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_command_runs_in_a_thread(folder):
    thread = threading.Thread(target=main, args=(["synth", "--no-page", "two.yaml"],))
    thread.start()
    thread.join()

    assert names(folder) == ["c"]
