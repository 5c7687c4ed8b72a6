"""`kubectl describe`: what is read of each kind, and the report of it."""

import pytest
from doctor.kubectl_outputs import CLAIM, DAEMON_SET, NODE, POD

from constructs_lib.doctor.chain import walk
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.live_rules import live_rules
from constructs_lib.symptoms.link import Link


def the(kind, text):
    [read] = read_dump([], stream=text).of_kind(kind)
    return read


def broken(text):
    chains = walk(GpuCluster(read_dump([], stream=text)))
    return [(each.subject, link, [fault.name for fault in state.faults]) for each in chains if each.broken for link, state in [each.broken]]


def test_a_described_pod_has_the_fields_that_describe_prints():
    pod = the("Pod", POD)

    assert (pod.full_name, pod.at("spec", "nodeName"), pod.at("spec", "runtimeClassName")) == (
        "ai/ollama-7ccfbb9764-bbbbc",
        "gpu-1",
        "nvidia",
    )
    assert pod.at("metadata", "ownerReferences", 0, "name") == "ollama-7ccfbb9764"
    assert pod.at("spec", "nodeSelector") == {"nvidia.com/gpu.present": "true"}
    assert pod.at("spec", "tolerations") == [
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "operator": "Exists"},
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
    ]
    assert pod.at("spec", "containers", 0, "resources", "limits") == {"memory": "8Gi", "nvidia.com/gpu": "1"}
    assert [sorted(each) for each in pod.at("spec", "containers", 0, "env")] == [
        ["name", "value"],
        ["name", "valueFrom"],
        ["name", "valueFrom"],
    ]
    assert pod.at("status", "containerStatuses", 0, "lastState", "terminated") == {
        "reason": "Error",
        "exitCode": 1,
        "startedAt": "2026-11-27T09:00:00Z",
        "finishedAt": "2026-11-27T09:10:00Z",
    }
    assert pod.at("status", "phase") == "Pending"
    assert {each["type"]: each["status"] for each in pod.at("status", "conditions")}["Ready"] == "False"


def test_a_described_node_has_its_labels_taints_conditions_and_gpus():
    node = the("Node", NODE)

    assert node.labels["extensions.talos.dev/nvidia-container-toolkit-lts"] == "580.126.20-v1.19.0"
    assert node.at("spec", "taints") == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/unschedulable", "value": "", "effect": "NoSchedule"},
    ]
    assert node.at("status", "conditions", 1) == {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "message": "kubelet is posting ready status",
    }
    assert node.at("status", "addresses", 0) == {"type": "InternalIP", "address": "10.0.0.11"}
    assert (node.at("status", "capacity", "nvidia.com/gpu"), node.at("status", "allocatable", "nvidia.com/gpu")) == ("1", "0")
    assert (node.at("status", "nodeInfo", "osImage"), node.at("spec", "unschedulable")) == ("Talos (v1.13.2)", True)


def test_a_described_daemon_set_has_its_template_and_its_counts():
    daemon_set = the("DaemonSet", DAEMON_SET)

    assert daemon_set.at("status", "desiredNumberScheduled") == 0
    assert daemon_set.at("spec", "template", "spec", "nodeSelector") == {"nvidia.com/gpu.present": "true"}
    assert daemon_set.at("spec", "template", "spec", "tolerations") == [
        {"key": "nvidia.com/gpu", "effect": "NoSchedule", "operator": "Exists"}
    ]
    assert daemon_set.at("spec", "template", "spec", "containers", 0, "image") == "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"


def test_a_described_claim_has_its_requests_and_its_devices():
    claim = the("ResourceClaim", CLAIM)

    assert [
        (each["name"], each["exactly"]["deviceClassName"], each["exactly"]["count"]) for each in claim.at("spec", "devices", "requests")
    ] == [
        ("gpu", "gpu.nvidia.com", 1),
        ("slices", "mig.nvidia.com", 2),
    ]
    assert claim.at("status", "allocation", "devices", "results") == [
        {"device": "gpu-0", "driver": "gpu.nvidia.com", "pool": "gpu-1", "request": "gpu"}
    ]
    assert claim.at("status", "reservedFor", 0, "name") == "ollama-7ccfbb9764-bbbbc"


def test_the_words_of_a_container_that_can_t_be_created_come_from_its_event():
    assert broken(POD) == [("pod ai/ollama-7ccfbb9764-bbbbc", Link.STARTED, ["cdi-unresolvable"])]


def test_a_described_daemon_set_that_avoids_a_described_node_is_the_cause():
    ready = NODE.replace("Unschedulable:      true", "Unschedulable:      false").replace(
        "                    node.kubernetes.io/unschedulable:NoSchedule\n", ""
    )

    assert broken(ready + "\n\n" + DAEMON_SET) == [("gpu-1", Link.PLUGIN, ["agent-label-missing"])]


def test_a_pod_that_waits_for_a_node_has_the_scheduler_s_newest_words():
    row = "  Warning  FailedScheduling  {age}  default-scheduler  0/1 nodes are available: 1 Insufficient {what}.\n"
    events = row.format(age="9m", what="cpu") + row.format(age="1m", what="nvidia.com/gpu")
    text = POD[: POD.index("  Normal   Scheduled")].replace("gpu-1/10.0.0.11", "<none>") + events

    assert broken(text) == [("pod ai/ollama-7ccfbb9764-bbbbc", Link.SCHEDULED, ["insufficient-gpus"])]


@pytest.mark.parametrize(
    "text",
    [
        POD,
        NODE,
        DAEMON_SET,
        CLAIM,
        f"{POD}\n\n{NODE}\n\n{DAEMON_SET}\n{CLAIM}",
        f"$ kubectl describe pod ollama\n{POD}",
        f"```\n{POD}```\n",
    ],
)
def test_nothing_of_a_description_is_left_unread(text):
    assert read_dump([], stream=text).unread == []


def test_descriptions_one_after_another_are_objects_of_their_own():
    dump = read_dump([], stream=f"{POD}\n\n{NODE}\n\n{DAEMON_SET}\n\n{CLAIM}")

    assert {kind: len(found) for kind, found in dump.objects.items()} == {
        "Pod": 1,
        "Node": 1,
        "DaemonSet": 1,
        "ResourceClaim": 1,
        "Event": 2,
    }


def test_no_rule_is_applied_to_what_describe_does_not_print():
    whole = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: nvidia-whole\nspec: {template: {spec: {containers: []}}}\n---\n"
    inputs = live_rules(GpuCluster(read_dump([], stream=whole + CLAIM))).inputs

    assert [each.name for each in inputs.objects] == ["nvidia-whole"]


def test_an_object_that_was_read_whole_stays_when_its_description_follows():
    whole = "apiVersion: v1\nkind: Node\nmetadata:\n  name: gpu-1\n  labels: {a: whole}\n---\n"
    dump = read_dump([], stream=whole + NODE)

    assert ([each.labels for each in dump.of_kind("Node")], dump.partial) == ([{"a": "whole"}], set())


def test_a_description_of_a_node_without_its_first_lines_has_the_name_of_its_label():
    node = the("Node", NODE.split("\n", 1)[1])

    assert (node.name, node.at("status", "allocatable", "nvidia.com/gpu")) == ("gpu-1", "0")
    assert broken(NODE.split("\n", 1)[1]) == broken(NODE)


def test_a_part_of_a_nodes_description_is_no_node_and_is_asked_for_as_a_whole():
    part = NODE[NODE.index("Capacity:") : NODE.index("PodCIDR")]
    dump = read_dump([], stream=part)

    assert dump.of_kind("Node") == []
    assert [(each.source, each.reason) for each in dump.unread] == [
        ("standard input:1", "a part of kubectl describe node, without Labels, Taints. Give the whole output")
    ]
