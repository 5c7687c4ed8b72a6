"""`doctor --live --watch`: rounds under their time, with what has changed. No test waits for a clock."""

import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial

import pytest
from command_line import environment
from doctor_cases import MODULES, TAINT, broken_cluster, chain, diagnosis, dump, node
from test_doctor_command import cluster, listing, nodes_file, programs, talosctl  # noqa: F401  # fixtures

from constructs_lib.cli import doctor_watch
from constructs_lib.cli.doctor_watch import watch
from constructs_lib.doctor.cause import Cause
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.fault import Broken, Healthy, NotSeen
from constructs_lib.doctor.formats.doctor_text import round_text
from constructs_lib.symptoms.link import Link

TIMES = [f"2026-11-28T08:0{minute}:00Z" for minute in range(9)]


@pytest.fixture
def rounds(monkeypatch):
    """The answers of a watch over these readings, and the seconds that it slept. After the last one somebody presses Ctrl-C."""

    def run(*readings):
        left, answers, slept, times = list(readings), [], [], iter(TIMES)

        def read():
            reading = left.pop(0)
            if isinstance(reading, ValueError):
                raise reading
            return reading

        def sleep(seconds):
            slept.append(seconds)
            if not left:
                raise KeyboardInterrupt

        monkeypatch.setattr(doctor_watch, "_now", lambda: next(times))
        monkeypatch.setattr(doctor_watch.time, "sleep", sleep)
        with pytest.raises(KeyboardInterrupt):
            watch(read, lambda parts: answers.append("".join(parts)), lambda _: ["the report\n"], round_text, 30)
        return answers, slept

    return run


def report(*causes, states=(), nodes=("gpu-1",), failed=None):
    read = dump(*map(node, nodes))
    read.failed.update(failed or {})
    chains = [chain(name, *states) for name in nodes] if states else ()
    return doctor_report(diagnosis(read, chains, causes))


def modules(*subjects):
    return Cause(link=Link.MODULES, fault=MODULES, subjects=[*subjects])


def taint(*subjects):
    return Cause(link=Link.SCHEDULED, fault=TAINT, subjects=[*subjects])


def test_the_first_round_is_its_time_and_the_report_and_the_others_wait_for_the_interval(rounds):
    answers, slept = rounds(report(modules("gpu-1")), report(modules("gpu-1")))

    assert answers == ["2026-11-28T08:00:00Z\nthe report\n", "\n2026-11-28T08:01:00Z: no change; causes: 1 stays\n"]
    assert slept == [30, 30]


def test_the_time_is_rfc_3339_in_utc():
    assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ", doctor_watch._now())


def test_causes_that_are_new_gone_and_stay_are_told_and_the_new_one_with_its_fix(rounds):
    (_, answer), _ = rounds(report(modules("gpu-1")), report(modules("gpu-1"), taint("pod gpu/b")))

    assert answer.startswith(
        "\n2026-11-28T08:01:00Z: changed; causes: 1 new, 1 stays\n"
        "stays: gpu-1: the kernel modules are not loaded\n"
        "new: pod gpu/b: the pod does not tolerate the taint dedicated=ai:NoSchedule\n"
        "2. the pod does not tolerate the taint dedicated=ai:NoSchedule\n"
    )
    assert "   fix:\n     kubectl -n NAMESPACE edit pod POD\n" in answer


def test_a_cause_that_is_gone_is_told_with_what_is_known_instead(rounds):
    unknown = ((Link.IMAGE, NotSeen(command=TAINT.verify)),)
    (_, answer), _ = rounds(report(modules("gpu-1"), states=unknown), report(states=unknown))

    assert answer == (
        "\n2026-11-28T08:01:00Z: changed; causes: 1 gone\n"
        "gone: gpu-1: the kernel modules are not loaded\n"
        "too little was read to judge 1 GPU node (not known: image, modules, driver, runtime, plugin, allocatable)\n"
    )


def test_a_cause_is_not_called_gone_where_less_was_read(rounds):
    (_, answer), _ = rounds(report(modules("gpu-1")), report(failed={"talosctl": {"gpu-1"}}))

    assert "\nnot seen any more, but less was read: gpu-1: the kernel modules are not loaded\n" in answer
    assert answer.endswith("\ntalosctl failed on 1 node: gpu-1\n")
    assert "gone: " not in answer


def test_nodes_that_a_cause_gets_and_loses_are_named(rounds):
    (_, answer), _ = rounds(report(modules("gpu-1", "gpu-2")), report(modules("gpu-2", "gpu-3")))

    assert answer == (
        "\n2026-11-28T08:01:00Z: changed; causes: 1 stays\n"
        "stays (also gpu-3; no more gpu-1): gpu-2, gpu-3: the kernel modules are not loaded\n"
    )


def test_chains_with_other_marks_are_shown_and_those_that_ended_are_named(rounds):
    healthy, broken = Healthy(evidence=MODULES.evidence[0]), Broken(faults=(MODULES,))
    before = report(modules("gpu-1"), states=((Link.IMAGE, healthy), (Link.MODULES, broken)), nodes=("gpu-1", "gpu-2"))
    after = report(modules("gpu-1"), states=((Link.IMAGE, healthy), (Link.MODULES, healthy)))
    (_, answer), _ = rounds(before, after)

    assert "\nno chain any more: gpu-2\nchains that changed (" in answer
    assert answer.endswith("\n   gpu-1\n   ✔ image ── ✔ modules ── ↳ driver ── ↳ runtime ── ↳ plugin ── ↳ allocatable\n")


def test_other_words_of_the_evidence_are_no_change(rounds):
    other = replace(MODULES, evidence=(replace(MODULES.evidence[0], text="NVRM: no modules, 3 times"),))
    answers, _ = rounds(doctor_report(broken_cluster()), doctor_report(broken_cluster(modules=other)))

    assert answers[1] == "\n2026-11-28T08:01:00Z: no change; causes: 2 stay\n"


def test_a_cluster_that_does_not_answer_for_a_round_is_asked_again(rounds):
    answers, _ = rounds(report(modules("gpu-1")), ValueError("no command succeeded"), report(modules("gpu-1")))

    assert answers[1:] == ["\n2026-11-28T08:01:00Z: no command succeeded\n", "\n2026-11-28T08:02:00Z: no change; causes: 1 stays\n"]


def test_a_watch_of_a_cluster_that_never_answered_is_an_error():
    def read():
        raise ValueError("no command succeeded")

    with pytest.raises(ValueError, match=r"^no command succeeded$"):
        watch(read, lambda _: None, lambda _: [], round_text, 30)


def watching(seconds=400):
    """A watch in a process of its own that obeys Ctrl-C, as in a terminal: a shell's background jobs do not. It is killed after so many
    seconds: a test that fails must end."""
    line = [sys.executable, "-u", "-m", "constructs_lib", "doctor", "--live", "--watch", "1"]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.Popen(line, env=environment(), **pipes, text=True, preexec_fn=heard)  # noqa: PLW1509
    safety = threading.Timer(seconds, done.kill)
    safety.daemon = True
    safety.start()
    return done


def test_a_running_watch_tells_a_change_and_ends_with_130_after_ctrl_c(cluster, nodes_file):  # noqa: F811
    with watching() as done:
        time, first = done.stdout.readline(), done.stdout.readline()
        new = nodes_file.with_suffix(".new")
        new.write_text(listing(node("gpu-1"), node("gpu-2", "10.0.0.2")))
        new.replace(nodes_file)  # a command never reads half of a file
        later = next((each for each in done.stdout if each.startswith("stays (also gpu-2): ")), "")
        done.send_signal(signal.SIGINT)
        errors = done.communicate()[1]

    assert re.fullmatch(r"20\S+Z\n", time)
    assert first.startswith("gpu-1: the cluster has no known device plugin")
    assert later.startswith("stays (also gpu-2): gpu-1, gpu-2: the cluster has no known device plugin")
    assert done.returncode == 130
    assert errors.count("+ kubectl get nodes ") == 1


def test_ctrl_c_ends_the_commands_that_run_and_starts_no_other(cluster, programs, tmp_path):  # noqa: F811
    """The second command of the machine is stopped after two minutes, if nobody presses Ctrl-C."""
    programs("talosctl", talosctl(cluster, f'case "$*" in *Nodenames*) exit ;; esac; : > "{tmp_path}/asked"; exec /bin/sleep 900'))
    with watching(seconds=90) as done:
        while not (tmp_path / "asked").exists() and done.poll() is None:
            threading.Event().wait(0.01)
        done.send_signal(signal.SIGINT)
        errors = done.communicate()[1]

    assert done.returncode == 130
    assert len([call for call in cluster.read_text().splitlines() if call.startswith("talosctl")]) == 2
    assert errors.endswith("talos-gpu: interrupted\n")
