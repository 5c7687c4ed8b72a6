"""Fragments of objects, without kind."""

import json

import pytest

from constructs_lib.doctor.chain import walk
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.symptoms.link import Link

SPEC = """\
spec:
  nodeName: gpu-1
  containers:
  - name: ollama
    resources:
      limits:
        nvidia.com/gpu: "1"
"""
STATUS = """\
status:
  phase: Pending
  containerStatuses:
  - name: ollama
    state:
      waiting:
        reason: CreateContainerError
        message: 'failed to create containerd container: CDI device injection failed: unresolvable
          CDI devices k8s.device-plugin.nvidia.com/gpu=GPU-11111111-2222-3333-4444-555555555555'
"""
WAITING = {
    "state": {
        "waiting": {"reason": "CreateContainerError", "message": "unresolvable CDI devices k8s.device-plugin.nvidia.com/gpu=GPU-11111111"}
    }
}


def broken(text):
    return [
        (each.subject, each.broken[0], [fault.name for fault in each.broken[1].faults])
        for each in walk(GpuCluster(read_dump([], stream=text)))
        if each.broken
    ]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (SPEC + STATUS, "pod POD"),
        (f"metadata:\n  name: ollama\n  namespace: ai\n{SPEC}{STATUS}", "pod ai/ollama"),
        (f"```yaml\n{SPEC}{STATUS}```\n", "pod POD"),
        (json.dumps({"spec": {"nodeName": "gpu-1", "containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}, "status": {"containerStatuses": [WAITING]}}, indent=2), "pod POD"),
    ],
)  # fmt: skip
def test_a_fragment_with_containers_is_a_pod(text, subject):
    assert broken(text) == [(subject, Link.STARTED, ["cdi-unresolvable"])]


def test_a_folded_message_of_a_status_alone_is_one_line():
    [log] = read_dump([], stream=STATUS).logs

    assert [(each.symptom.name, each.line) for each in log.matches] == [("cdi-unresolvable", 1)]


@pytest.mark.parametrize("line", ['{"status": {"code": 1}, "msg": "start"}', '{"level":"info","spec":"a"}'])
def test_json_lines_of_a_log_are_no_fragment(line):
    assert read_dump([], stream=line).counts == {}
