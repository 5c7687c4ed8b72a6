"""The names in commands: those of the objects that a command is about, else those of the subjects."""

from doctor.pod_parts import agent_pod, cluster, pod, thing

from constructs_lib.doctor.chain import walk
from constructs_lib.doctor.placeholders import Placeholders


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

    assert command == f"kubectl uncordon NODE; kubectl describe pod {POD.name}"
    assert names.listed(command, SUBJECTS, NODES) == "NODE: gpu-1, gpu-2"


def test_a_command_for_a_node_names_the_pod_of_its_plugin():
    plugin = agent_pod("plugin-x", on="gpu-1")

    filled = placeholders(*NODES, plugin).filled("kubectl logs --namespace NAMESPACE POD; NODE", ["gpu-1"], [plugin])

    assert filled == "kubectl logs --namespace nvidia plugin-x; gpu-1"
