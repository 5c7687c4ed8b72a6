"""A cluster of a rehearsal ends with whoever started it, stays within its own network, and lets a node change what Talos lets it change."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nodes import IMAGE, REHEARSAL, apply, cluster, needs_a_node, start
from talos_gpu_rehearsal.inside import TUNABLES
from talos_gpu_rehearsal.namespaces import NamespaceError, Supervised
from talos_gpu_rehearsal.node import NodeSpec

SCRIPT = """
import sys, time
from pathlib import Path
from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.node import NodeSpec

with Cluster(Path(sys.argv[1]), [NodeSpec(name="gpu-1")]) as made:
    supervised = [made._network, *(node._namespaces for node in made.nodes.values())]
    print(made.cgroup, *(each._process.pid for each in supervised), flush=True)
    sys.stdin.readline()
    raise SystemExit(3)
"""


def left_over(folder: Path, cgroup: str) -> dict[str, list[str]]:
    """The processes, mounts and groups of a cluster that are left."""
    processes, mounts = [], []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            words = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            root = str((each / "root").readlink())
            mounts += [line for line in (each / "mountinfo").read_text().splitlines() if str(folder) in line]
        except OSError:
            continue
        if str(folder) in words + root and int(each.name) != os.getpid():
            processes.append(words)
    base = Path("/sys/fs/cgroup")
    groups = [str(each) for each in (*base.glob(cgroup), *base.glob(f"*/{cgroup}"))]
    return {"processes": processes, "mounts": mounts, "groups": groups}


def swept(folder: Path, cgroup: str) -> dict[str, list[str]]:
    """What is left after a while: the kernel takes the mounts of a process away some time after it ends."""
    for _ in range(20):
        if left_over(folder, cgroup) == NOTHING:
            break
        time.sleep(1)
    return left_over(folder, cgroup)


NOTHING: dict[str, list[str]] = {"processes": [], "mounts": [], "groups": []}


@pytest.fixture
def started(tmp_path):
    """A process that holds a cluster with one node: the process, the folder, the cluster's groups, and each `unshare`, that of the network
    too: it ends when the kernel has ended all processes of its namespace."""
    needs_a_node()
    folder = tmp_path / "cluster"
    environment = {**os.environ, "PYTHONPATH": str(REHEARSAL)}
    command = [sys.executable, "-c", SCRIPT, folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        name, *unshares = process.stdout.readline().split()
        yield process, folder, name, [os.pidfd_open(int(each)) for each in unshares]
        process.kill()


def kill(process: subprocess.Popen, unshares: list[int]) -> None:
    """Kill the holder of a cluster, and wait until the kernel has ended all processes of its namespaces."""
    process.kill()
    process.wait()
    for each in unshares:
        assert select.select([each], [], [], 60)[0]
        os.close(each)


def test_an_error_in_the_block_leaves_nothing_behind(started):
    process, folder, name, unshares = started
    for each in unshares:
        os.close(each)
    process.communicate("now\n")
    assert process.returncode == 3
    assert left_over(folder, name) == NOTHING
    assert not folder.exists()


def test_a_killed_caller_leaves_no_process_and_no_mount_behind(started):
    process, folder, name, unshares = started
    kill(process, unshares)
    assert {**left_over(folder, name), "groups": []} == NOTHING


def test_the_next_cluster_sweeps_the_groups_of_a_killed_caller(started, tmp_path):
    process, folder, name, unshares = started
    kill(process, unshares)
    cluster(tmp_path / "next", [])
    assert swept(folder, name) == NOTHING


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("kube-apiserver", "kube-apiserver has ended with 1: .*unknown flag: --no-such-flag"),
        ("kubelet", "kubelet of gpu-1 has ended with 1: .*unknown flag: --no-such-flag"),
    ],
)
def test_a_program_that_ends_is_an_error_at_once_with_its_last_words(tmp_path, monkeypatch, program, words):
    needs_a_node()
    made = cluster(tmp_path / "cluster", [NodeSpec(name="gpu-1")])
    start_program = Supervised.start

    def start_wrongly(self, name, argv, *more):
        start_program(self, name, [*argv, "--no-such-flag"] if name == program else argv, *more)

    monkeypatch.setattr(Supervised, "start", start_wrongly)
    with pytest.raises(NamespaceError, match=words), made:
        pass
    assert left_over(tmp_path / "cluster", made.cgroup) == NOTHING


def test_two_clusters_side_by_side_have_nodes_of_one_name_and_one_address(tmp_path):
    needs_a_node()
    with cluster(tmp_path / "first", [NodeSpec(name="gpu-1")]) as first, cluster(tmp_path / "second", [NodeSpec(name="gpu-1")]) as second:
        first.kubectl("label", "node", "gpu-1", "cluster=first")
        labels = [each.get("Node", "gpu-1")["metadata"]["labels"].get("cluster") for each in (first, second)]
        assert labels == ["first", None]


def test_a_node_reaches_no_address_of_this_machine(tmp_path):
    needs_a_node()
    with socket.create_server(("127.0.0.1", 0)) as listening, cluster(tmp_path / "cluster", [NodeSpec(name="gpu-1")]) as made:
        _, port = listening.getsockname()
        words = made.nodes["gpu-1"].enter(["/bin/bash", "-c", f"echo > /dev/tcp/127.0.0.1/{port} || ip -brief link"], check=False)
        assert [line.split()[0] for line in words.splitlines()] == ["lo"]


def test_the_root_is_read_only_but_for_what_talos_lets_write(tmp_path):
    needs_a_node()
    with cluster(tmp_path / "cluster", [NodeSpec(name="gpu-1")]) as made:
        touch = made.nodes["gpu-1"].enter
        for each in ("/usr/local/lib", "/etc", "/usr/bin", "/etc/cri/conf.d"):
            with pytest.raises(NamespaceError, match="Read-only file system"):
                touch(["/usr/bin/touch", f"{each}/file"])
        for each in ("/var/lib", "/run", "/tmp", "/etc/kubernetes", "/opt"):
            touch(["/usr/bin/touch", f"{each}/file"])


def test_a_privileged_pod_writes_only_where_talos_lets_it_and_not_to_this_machine(tmp_path):
    """A hostPath asks for the right to write unless it says otherwise, and a privileged pod has /sys with it."""
    kept = ("/", "/etc", "/usr/local/lib", "/usr/lib", "/usr/bin", "/system/runc", "/sys/class/net")
    written = ("/var/lib", "/run", "/opt")
    places = (*kept, *written)
    lines = [f"if touch /host{number}/new; then echo writes {place}; fi" for number, place in enumerate(places)]
    lines += [
        "for each in / /host0; do if cat $each/proc/sys/vm/swappiness > $each/proc/sys/vm/swappiness; then echo writes $each; fi; done"
    ]
    lines += ["if echo lo > /sys/class/net/lo/ifalias; then echo writes /sys; fi", "echo end"]
    container = {
        "name": "main",
        "image": IMAGE,
        "command": ["/bin/sh", "-c", "\n".join(lines)],
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": f"v{number}", "mountPath": f"/host{number}"} for number, _ in enumerate(places)],
    }
    spec = {
        "containers": [container],
        "volumes": [{"name": f"v{number}", "hostPath": {"path": place}} for number, place in enumerate(places)],
    }
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "writer", "namespace": "kube-system"}, "spec": spec}
    with start(tmp_path / "cluster", [NodeSpec(name="gpu-1")], [pod]) as made:
        apply(made, [pod])
        said = made.eventually(
            lambda: made.kubectl("logs", "--namespace=kube-system", "writer").splitlines(),
            lambda all_: "end" in all_,
            "the end of the script",
        )
        assert [each for each in said if each.startswith("writes")] == [f"writes {place}" for place in written]
        assert sum("Read-only file system" in each for each in said) == len(kept) + 3, said


def test_the_settings_of_the_kernel_that_a_kubelet_writes_are_files_of_the_node(tmp_path):
    needs_a_node()
    with cluster(tmp_path / "cluster", [NodeSpec(name="gpu-1")]) as made:
        places = {line.split()[1] for line in made.nodes["gpu-1"].enter(["/usr/bin/cat", "/proc/mounts"]).splitlines()}
        there = {f"/proc/sys/{each}" for each in TUNABLES if Path("/proc/sys", each).exists()}
        assert there
        assert there <= places
