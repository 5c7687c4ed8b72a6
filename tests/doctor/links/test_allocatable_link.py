"""The link `allocatable`: the node offers its GPUs, as many as it has, and why not."""

import pytest
from doctor.dump_parts import all_seen, command, healthy_line, log
from doctor.pod_parts import DRA_IMAGE, agent_pod, agent_spec, cluster, node, only_fault, pod_log, resource_slice, shown

from constructs_lib.doctor.links.allocatable_link import allocatable
from constructs_lib.observed.model.talos_machine import TalosMachine

PLUGIN = agent_pod()
DRA = agent_pod("dra", spec=agent_spec(DRA_IMAGE))
XID = "NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus."


def state_of(about, *objects, listed="", logs=(), machine=None):
    made = cluster(about, *objects, listed=listed, logs=logs, machines=(machine,) if machine else ())
    return allocatable(made, made.node(about.name))


def test_gpus_on_offer_are_healthy():
    assert healthy_line(state_of(node(gpus=4))) == "nvidia.com/gpu: 4"


def test_partitions_on_offer_are_healthy_beside_a_whole_gpu_that_is_not():
    assert healthy_line(state_of(node(gpus={"nvidia.com/gpu": 0, "nvidia.com/mig-1g.10gb": 7}))) == "nvidia.com/mig-1g.10gb: 7"


def test_devices_of_the_dra_driver_are_healthy():
    assert healthy_line(state_of(node(gpus=None), resource_slice("gpu-1", "gpu-0", "gpu-1"))) == "2 devices"


def test_a_node_left_with_the_key_of_an_old_plugin_is_healthy_by_its_devices():
    assert healthy_line(state_of(node(gpus=0), resource_slice("gpu-1", "gpu-0"))) == "1 devices"


def test_devices_of_another_node_do_not_count():
    assert (
        command(state_of(node(gpus=None), resource_slice("gpu-2", "gpu-0")))
        == "kubectl describe node NODE\nkubectl get resourceslices -o yaml"
    )


def test_fewer_gpus_on_offer_than_registered_are_unhealthy():
    fault = only_fault(state_of(node(gpus=4, allocatable=3)))

    assert (fault.name, fault.is_hardware) == ("gpus-unhealthy", False)
    assert "nvidia.com/gpu: capacity 4, allocatable 3 | Node gpu-1, status" in shown(fault)


def test_an_xid_in_the_kernels_log_tells_why_a_gpu_is_unhealthy():
    machine = TalosMachine(names={"gpu-1"}, kernel_log=log(XID))

    fault = only_fault(state_of(node(gpus=4, allocatable=3), machine=machine))

    assert (fault.name, fault.is_hardware) == ("gpus-unhealthy", True)
    assert "fallen off the PCI bus" in fault.cause
    assert XID in shown(fault)


def test_the_plugins_own_log_tells_why_a_gpu_is_unhealthy():
    words = "XidCriticalError: Xid=79 on Device=GPU-1; marking device as unhealthy."

    assert words in shown(only_fault(state_of(node(gpus=1, allocatable=0), PLUGIN, logs=(pod_log(PLUGIN, words),))))


def test_a_plugin_that_runs_and_registers_nothing_is_told():
    fault = only_fault(state_of(node(gpus=None), PLUGIN))

    assert fault.name == "no-gpus-registered"
    assert "no nvidia.com/gpu | Node gpu-1, status.capacity" in shown(fault)


@pytest.mark.parametrize(
    ("about", "machine"),
    [(node(gpus=None), None), (node(gpus=4, allocatable=3), None), (node(gpus=1), "two cards")],
    ids=["no-gpus-registered", "gpus-unhealthy", "fewer-gpus-than-cards"],
)
def test_a_fix_names_the_plugins_pod_and_no_comment_hides_a_command(about, machine):
    fault = only_fault(state_of(about, PLUGIN, machine=cards("0000:01:00.0", "0000:02:00.0") if machine else None))

    commands = [line.partition("#")[0].strip() for line in str(fault.fix).splitlines()]
    assert commands[-1] == "kubectl delete pod POD --namespace NAMESPACE"
    assert all(each.startswith(("kubectl ", "talosctl ")) for each in commands)
    assert not any(word in line.partition("#")[2] for line in str(fault.fix).splitlines() for word in ("kubectl", "talosctl"))
    assert fault.about == (PLUGIN,)


def test_a_card_without_a_known_error_costs_no_reboot():
    assert "talosctl --nodes ADDRESS reboot" not in str(only_fault(state_of(node(gpus=4, allocatable=3))).fix)


def test_a_plugin_that_registers_zero_gpus_is_told():
    assert "nvidia.com/gpu: 0 | Node gpu-1, status.capacity" in shown(only_fault(state_of(node(gpus=0), PLUGIN)))


def test_the_log_of_a_plugin_that_waits_tells_the_cause():
    waiting = agent_pod(spec=agent_spec(runtime_class=""))

    fault = only_fault(state_of(node(gpus=None), waiting, logs=(pod_log(waiting, "No devices found. Waiting indefinitely."),)))

    assert fault.name == "agent-without-runtime-class"


def test_a_dra_driver_without_a_slice_is_told_where_slices_were_listed():
    fault = only_fault(state_of(node(gpus=None), DRA, listed="ResourceSlice"))

    assert (fault.name, fault.rules) == ("no-resource-slice", ("TG031", "TG032"))


def test_a_dra_driver_with_an_empty_slice_is_told():
    assert only_fault(state_of(node(gpus=None), DRA, resource_slice("gpu-1"))).name == "no-resource-slice"


def test_nothing_is_said_of_slices_that_were_not_listed():
    assert command(state_of(node(gpus=None), DRA)).endswith("kubectl get resourceslices -o yaml")


def cards(*addresses, product="AD102 [GeForce RTX 4090]"):
    return TalosMachine(names={"gpu-1"}, pci=all_seen(dict.fromkeys(addresses, product)))


def test_more_cards_than_registered_gpus_are_told():
    fault = only_fault(state_of(node(gpus=1), machine=cards("0000:01:00.0", "0000:02:00.0")))

    assert fault.name == "fewer-gpus-than-cards"
    assert "0000:02:00.0" in shown(fault)


def test_the_sound_of_a_card_is_no_second_card():
    assert healthy_line(state_of(node(gpus=1), machine=cards("0000:01:00.0", "0000:01:00.1")))


def test_switches_and_shared_and_divided_gpus_are_not_counted_against_the_cards():
    assert healthy_line(state_of(node(gpus=1), machine=cards("0000:01:00.0", "0000:05:00.0", product="GH100 [H100 SXM5 NVSwitch]")))
    assert healthy_line(state_of(node(gpus=8), machine=cards("0000:01:00.0", "0000:02:00.0")))
    assert healthy_line(
        state_of(node(gpus={"nvidia.com/gpu": 1, "nvidia.com/mig-1g.10gb": 7}), machine=cards("0000:01:00.0", "0000:02:00.0"))
    )


def test_a_node_that_was_not_read_is_not_judged():
    made = cluster(machines=(TalosMachine(names={"gpu-1"}, pci=all_seen({"0000:01:00.0": "AD102"})),))

    assert command(allocatable(made, made.nodes[0])) == "kubectl describe node NODE"
