"""The names in commands: those of the objects that a command is about, else those of the subjects."""

import json

import pytest
from doctor.pod_parts import agent_pod, cluster, pod, thing

from constructs_lib.doctor.chain import walk
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.placeholders import Placeholders
from constructs_lib.observed.model.live_object import internal_address, parsed
from constructs_lib.observed.read.live.dump_builder import DumpBuilder
from constructs_lib.observed.read.live.section_reader import read_text


def gpu_node(name, address):
    return thing("Node", name, {"status": {"addresses": [{"type": "InternalIP", "address": address}]}})


NODES = (gpu_node("gpu-1", "10.0.0.1"), gpu_node("gpu-2", "10.0.0.2"))
POD = pod()
SUBJECTS = [f"pod {POD.full_name}"]


def placeholders(*objects):
    made = cluster(*objects)
    return Placeholders(made, walk(made))


def test_a_command_for_a_pod_without_a_node_names_the_node_that_refuses_it():
    filled = placeholders(*NODES, POD).filled("talosctl --nodes ADDRESS services # NODE", SUBJECTS, NODES[:1])

    assert filled == "talosctl --nodes 10.0.0.1 services # gpu-1"


def test_the_nodes_that_refuse_a_pod_are_listed_beside_its_command():
    names = placeholders(*NODES, POD)

    command = names.filled("kubectl uncordon NODE; kubectl describe pod POD", SUBJECTS, NODES)

    assert command == f"kubectl uncordon NODE; kubectl describe pod {POD.name} --namespace gpu"
    assert names.listed(command, SUBJECTS, NODES) == "NODE: gpu-1, gpu-2"


def test_a_command_for_a_node_names_the_pod_of_its_plugin():
    plugin = agent_pod("plugin-x", on="gpu-1")

    filled = placeholders(*NODES, plugin).filled("kubectl logs --namespace NAMESPACE POD; NODE", ["gpu-1"], [plugin])

    assert filled == "kubectl logs --namespace nvidia plugin-x; gpu-1"


def machine_of(*texts):
    builder = DumpBuilder()
    for name, text in texts:
        read_text(text, name, builder)
    return builder.finish()


DMESG = (
    "talos/10.0.0.1/dmesg.log",
    "10.0.0.1: kern: warning: [2026-11-22T08:00:00.0Z]: NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x0:1)\n",
)
NODENAME = "node: 10.0.0.1\nmetadata:\n    type: Nodenames.kubernetes.talos.dev\n    id: nodename\nspec:\n    nodename: {}\n"
NODE = json.dumps({"apiVersion": "v1", **NODES[0].body})


def test_an_address_is_never_the_name_of_a_node():
    found = GpuCluster(machine_of(DMESG))
    command = "kubectl drain NODE && talosctl --nodes ADDRESS reboot"

    assert Placeholders(found, walk(found)).filled(command, ["10.0.0.1"]) == "kubectl drain NODE && talosctl --nodes 10.0.0.1 reboot"


def test_outputs_of_a_machine_that_answers_as_another_node_are_left_out_with_the_reason():
    dump = machine_of(DMESG, ("nodes.json", NODE), ("talos/10.0.0.1/nodename.yaml", NODENAME.format("other")))

    assert dump.machines == []
    assert [(each.source, "answers as the node other" in each.reason, "gpu-1" in each.reason) for each in dump.unread] == [
        ("10.0.0.1", True, True)
    ]
    assert [each.machine for each in GpuCluster(dump).all_nodes] == [None]


def test_outputs_of_a_machine_that_answers_as_its_node_are_those_of_the_node():
    dump = machine_of(DMESG, ("nodes.json", NODE), ("talos/10.0.0.1/nodename.yaml", NODENAME.format("gpu-1")))

    assert (dump.unread, len(dump.machines)) == ([], 1)
    assert "gpu-1" in dump.machines[0].names


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.0.0.1", "10.0.0.1"), ("fd00::1", "fd00::1"), ("FD00:0::1", "fd00::1"), ("../../etc", ""), ("*", ""), ("fe80::1%../../x", ""), ("fe80::1%eth0", ""),
        ("-h", ""), ("10.0.0.1/../..", ""), ("10.0.0.1\n", ""), ("10.0.0.1;reboot", ""), ("", ""), (None, ""), ("1", ""), ("010.0.0.1", ""),
    ],
)  # fmt: skip
def test_an_address_is_parsed_and_nothing_else_is_one(text, address):
    assert parsed(text) == address
    assert internal_address(gpu_node("gpu-1", text)) == address
