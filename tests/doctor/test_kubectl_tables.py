"""The tables of `kubectl get`: what stands in them whole is read, and the rest tells states and no causes."""

import pytest
from doctor.kubectl_outputs import DAEMON_SETS, EVENTS, NODES_WIDE, POD, PODS, RUNTIME_CLASSES

from constructs_lib.doctor.chain import walk
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.symptoms.link import Link

STARTING = POD[: POD.index("    State: ")] + POD[POD.index("    Ready:  ") : POD.index("Events:")]
"""The description of a pod whose containers have no state, without its events."""


def read(text):
    return read_dump([], stream=text)


def test_events_in_a_table_are_events_about_their_object():
    dump = read(STARTING + "\n\n" + EVENTS)
    [chain] = [each for each in walk(GpuCluster(dump)) if each.broken]

    assert (chain.broken[0], [each.name for each in chain.broken[1].faults]) == (Link.STARTED, ["runtime-not-configured"])
    assert dump.unread == []


def test_events_of_all_namespaces_name_their_own():
    rows = EVENTS.replace("LAST SEEN", "NAMESPACE   LAST SEEN").replace("\n2m ", "\nai          2m ").replace("\n9s ", "\nother       9s ")
    dump = read(STARTING + "\n\n" + rows)

    assert [each.at("involvedObject", "namespace") for each in dump.of_kind("Event")] == ["ai", "other"]


def test_the_words_of_events_about_unread_objects_are_searched_for_symptoms():
    [log] = read(EVENTS).logs

    assert [each.symptom.name for each in log.matches] == ["runtime-not-configured"]


def test_a_runtime_class_in_a_table_has_its_handler():
    assert [(each.name, each.at("handler")) for each in read(RUNTIME_CLASSES).of_kind("RuntimeClass")] == [("nvidia", "nvidia")]


def test_a_table_of_runtime_classes_may_be_a_part_of_them():
    assert "RuntimeClass" not in read(RUNTIME_CLASSES).listed


def test_the_row_of_a_node_joins_its_address_and_its_talos_to_its_machine():
    services = "NODE        SERVICE   STATE     HEALTH   LAST CHANGE   LAST EVENT\n10.0.0.11   kubelet   Running   OK       1m0s ago      Health check successful\n"
    machine = read(NODES_WIDE + "\n" + services).machine(["10.0.0.11"])

    assert (machine.names, machine.talos_version.value, list(machine.services)) == ({"gpu-1", "10.0.0.11"}, "1.13.2", ["kubelet"])


@pytest.mark.parametrize(
    ("text", "states"),
    [
        (PODS, ": ai/ollama-7ccfbb9764-bbbbc Pending, nvidia/nvidia-device-plugin-x7k2p CrashLoopBackOff"),
        (NODES_WIDE, ": gpu-1 NotReady"),
        (DAEMON_SETS, ": nvidia/nvidia-device-plugin 1 of 3 ready"),
        ("NAME         STATE                AGE\nollama-gpu   pending              1m\n", ": ollama-gpu pending"),
        ("NAME                READY   STATUS    RESTARTS   AGE\ncoredns-aaaaa       1/1     Running   0          3d\n", ""),
        ("NAME             AGE\ngpu.nvidia.com   10d\n", ""),
        ("NAME           READY   STATUS                  RESTARTS         AGE   IP           NODE    NOMINATED NODE   READINESS GATES\nollama-bbbbc   0/1     Init:CrashLoopBackOff   12 (3m1s ago)    1h    10.244.1.7   gpu-1   <none>           <none>\n", ": ollama-bbbbc Init:CrashLoopBackOff"),
    ],
)  # fmt: skip
def test_any_other_table_tells_states_and_makes_no_object(text, states):
    dump = read(text)

    assert [each.reason for each in dump.unread] == [f"a table of kubectl, which lacks most fields{states}; print it with: --output yaml"]
    assert (dump.objects, dump.counts, dump.listed) == ({}, {}, set())


def test_a_table_in_a_fence_under_its_command_is_read():
    dump = read(f"```console\n$ kubectl get runtimeclass\n{RUNTIME_CLASSES}```\n")

    assert (len(dump.of_kind("RuntimeClass")), dump.unread) == (1, [])
