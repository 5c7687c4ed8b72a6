"""The laboratory itself: it starts, schedules, says why not, and leaves nothing behind."""

from pathlib import Path

import pytest
from control_plane import ControlPlane, state_of

from conftest import needs


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
    assert [state_of(each) for each in lab.settled()] == ["Running"]

    lab.apply([a_pod("second", 1)])

    assert min(map(state_of, lab.settled())).startswith("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")


def test_a_folder_without_the_programs_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="has no etcd, kube-apiserver, kube-scheduler, kube-controller-manager, kwok"):
        ControlPlane(tmp_path)
