"""The calls of `doctor --live` on fifty nodes, of which five are dead. No test looks at a time: benchmarks/live.py prints it."""

import subprocess
import sys
import time
from collections import Counter

import pytest

from conftest import ROOT
from constructs_lib.cli import live_commands
from constructs_lib.observed.read.live.bundle_commands import kubernetes_commands, talos_commands

sys.path.append(str(ROOT / "benchmarks"))
import live as bench

DEAD, NODES = 5, 50
ADDRESSES = [bench.address(number) for number in range(NODES)]


@pytest.fixture
def fifty(run, tmp_path, monkeypatch):
    """A live run, whose dead machines answer nothing: their time-out comes as soon as they were asked, and that of no other machine."""
    bench.write_programs(tmp_path, nodes=NODES, dead=DEAD, latency=0)
    monkeypatch.setenv("PATH", str(tmp_path))
    calls, communicate = tmp_path / "calls", subprocess.Popen.communicate

    def of_a_dead_machine(process, given, seconds):
        if process.args[2] not in ADDRESSES[:DEAD]:
            return communicate(process, given)
        while f" {process.args[2]} " not in calls.read_text():
            time.sleep(0.01)
        raise subprocess.TimeoutExpired(process.args, seconds)

    monkeypatch.setattr(subprocess.Popen, "communicate", of_a_dead_machine)
    _, out, err = run("doctor", "--live")
    return calls.read_text().splitlines(), out, err


def test_a_dead_machine_costs_one_time_out_and_each_other_one_is_read_whole(fifty):
    calls, out, err = fifty
    asked = Counter(call.split()[2] for call in calls if call.startswith("talosctl"))

    assert err.count("no answer after 20 s") == DEAD
    assert {asked[each] for each in ADDRESSES[:DEAD]} == {1}
    assert {asked[each] for each in ADDRESSES[DEAD:]} == {len(talos_commands())}
    assert "\ntalos-gpu doctor: 50 of 50 machines are done\n" in err
    assert "talosctl failed on 5 nodes: 10.0.0.1, 10.0.0.2, 10.0.0.3 and 2 more" in out.partition("\n\n")[0]


def test_kubernetes_is_asked_once_for_each_kind_each_exporter_and_two_logs_of_thirty_pods(fifty):
    asked = Counter(call.split()[1:3][call.split()[1] == "get"] for call in fifty[0] if call.startswith("kubectl"))

    assert asked == Counter({**{each.argv[2]: 1 for each in kubernetes_commands()}, "--raw": NODES, "logs": 2 * live_commands._MOST_LOGS})


def test_the_benchmark_counts_what_a_real_run_does():
    done = bench.run(nodes=2, dead=0)

    assert (done.timeouts, done.talosctl()) == (0, Counter(dict.fromkeys(ADDRESSES[:2], len(talos_commands()))))
