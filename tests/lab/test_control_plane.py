"""The laboratory itself: it starts, schedules, says why not, and leaves nothing behind."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from control_plane import ControlPlane, state_of

from conftest import needs
from constructs_lib.upstream.kubernetes.feature_gates import has_gate
from talos_gpu_rehearsal.manifests import BUILT_IN_GROUPS
from waiting import becomes


def a_node(name, **resources):
    amounts = {"cpu": "8", "memory": "32Gi", "pods": "110", **resources}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"capacity": amounts, "allocatable": amounts}}


def a_pod(name, gpus):
    container = {"name": "a", "image": "a", "resources": {"limits": {"nvidia.com/gpu": gpus}}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": {"containers": [container]}}


@pytest.fixture(scope="module")
def lab():
    with ControlPlane(Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))) as started:
        yield started


def test_a_pod_runs_where_the_node_has_the_gpu_and_the_next_one_is_pending_in_the_schedulers_words(lab):
    lab.apply([a_node("one", **{"nvidia.com/gpu": "1"})])
    lab.patch_status(a_node("one", **{"nvidia.com/gpu": "1"}))
    lab.apply([a_pod("first", 1)])
    assert lab.eventually(lambda: [state_of(each) for each in lab.list("v1", "Pod")], ["Running"].__eq__) == ["Running"]

    lab.apply([a_pod("second", 1)])

    expected = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
    words = lab.eventually(lambda: state_of(lab.get("v1", "Pod", "second", "default")), lambda state: state.startswith(expected))
    assert words.startswith(expected)


@pytest.mark.parametrize("program", ["kube-apiserver", "kube-controller-manager", "kube-scheduler"])
def test_the_table_of_feature_gates_has_those_that_a_program_lists(program):
    path = Path(needs("CLUSTER_ASSETS", "the folder with a control plane")) / program
    version, words = (subprocess.run([path, flag], capture_output=True, text=True, check=True).stdout for flag in ("--version", "--help"))
    minor = int(version.split(".")[1])
    listed = set(re.findall(r"kube:([A-Z]\w+)=true\|false", words)) - {"AllAlpha", "AllBeta"}

    assert len(listed) > 100
    assert {gate for gate in listed if not has_gate(minor, gate)} == set()


def test_a_rehearsal_knows_the_groups_that_the_api_server_serves_without_a_crd(lab):
    served, _ = lab._call("GET", "/apis", {})

    assert {"", *(each["name"] for each in served["groups"])} == BUILT_IN_GROUPS


def test_a_folder_without_the_programs_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="has no etcd, kube-apiserver, kube-scheduler, kube-controller-manager, kwok"):
        ControlPlane(tmp_path)


STARTED = """
import sys, time
from pathlib import Path
from control_plane import ControlPlane
with ControlPlane(Path(sys.argv[1])) as lab:
    print(lab._folder, lab._port, *(each.pid for each in lab._processes.values()), flush=True)
    time.sleep(600)
"""


def runs(process):
    """Whether a process with this number is there and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def answers(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", int(port))) == 0


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the servers end with a killed parent on Linux alone")
def test_a_killed_laboratory_leaves_no_process_no_port_and_no_folder():
    assets = needs("CLUSTER_ASSETS", "the folder with a control plane")
    command = [sys.executable, "-c", STARTED, assets]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, stdout=subprocess.PIPE, text=True
    ) as laboratory:
        assert laboratory.stdout is not None
        folder, port, *processes = laboratory.stdout.readline().split()
        assert Path(folder).is_dir()
        assert len(processes) == 5
        assert all(map(runs, processes))
        assert answers(port)

        laboratory.kill()

    assert becomes((False, False, False), lambda: (Path(folder).exists(), any(map(runs, processes)), answers(port)))
