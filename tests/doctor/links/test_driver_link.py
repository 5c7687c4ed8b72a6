"""The link `driver`: the loaded driver runs the card."""

import pytest
from doctor.dump_parts import (
    CARD,
    NAME,
    all_seen,
    cluster,
    command,
    extensions,
    fault_names,
    gpu_node,
    healthy_line,
    log,
    machine,
    node_object,
    seen,
)
from doctor.pod_parts import LOST, node, pod, running, shown
from doctor.pod_parts import cluster as cluster_of

from constructs_lib.doctor.fault import NotSeen
from constructs_lib.doctor.links.driver_link import driver
from constructs_lib.doctor.links.module_link import modules
from constructs_lib.doctor.links.runtime_link import runtime
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.upstream.nvidia.xid_errors import APPLICATION_XIDS

LOADING = "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.126.20"
DMESG = "talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e nvidia"


def state(given=None, node=None):
    return driver(cluster(given, node), gpu_node(given, node))


def with_parts(**parts):
    return state(machine(**{"extensions": extensions(), "driver_version": seen("580.126.20", LOADING), **parts}))


def xid(number):
    return f"NVRM: Xid (PCI:0000:01:00): {number}, pid='<unknown>', name=<unknown>"


def test_a_loaded_driver_without_errors_in_the_kernels_log_is_healthy_by_its_version():
    assert healthy_line(with_parts(kernel_log=log(LOADING))) == LOADING


def test_a_loaded_driver_alone_may_have_failed_to_start_the_card():
    assert command(with_parts()) == DMESG


def test_nvidia_smi_shows_a_driver_that_runs_the_card():
    assert healthy_line(with_parts(smi=all_seen({"GPU 0: Product Name": "NVIDIA L4"}))) == "GPU 0: Product Name NVIDIA L4"


def test_allocatable_gpus_show_a_driver_that_runs_the_card():
    assert healthy_line(state(node=node_object(gpus="1"))) == "nvidia.com/gpu: 1"


@pytest.mark.parametrize("link", [modules, driver, runtime])
def test_what_a_node_without_news_offered_shows_no_link(link):
    lost = node(ready=LOST)

    assert isinstance(link(cluster(None, lost), gpu_node(node=lost)), NotSeen)


@pytest.mark.parametrize("link", [modules, driver, runtime])
def test_devices_of_the_dra_driver_show_modules_driver_and_runtime(link):
    node = node_object()
    body = {
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {"driver": "gpu.nvidia.com", "nodeName": NAME, "devices": [{"name": "gpu-0"}]},
    }

    assert healthy_line(link(cluster(None, node, [LiveObject(body, "slices.json")]), gpu_node(node=node))) == "devices: 1"
    body = {**body, "spec": {**body["spec"], "devices": []}}
    assert isinstance(link(cluster(None, node, [LiveObject(body, "slices.json")]), gpu_node(node=node)), NotSeen)


def test_without_any_output_nothing_was_seen():
    assert command(state(machine(kernel_log=log("boot")))) == DMESG


@pytest.mark.parametrize(
    ("lines", "name", "is_hardware"),
    [
        (["NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x26:0x56:1463)"], "adapter-not-initialized", False),
        (
            ["NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x40:1924)", "NVRM: RmInitAdapter: Cannot initialize GSP firmware RM"],
            "gsp-firmware",
            True,
        ),
        (
            ["NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:", "NVRM: None of the NVIDIA devices were initialized."],
            "bar-invalid",
            True,
        ),
        (
            [
                "NVRM: GPU 0000:01:00.0: GPU does not have the necessary power cables connected.",
                "NVRM: GPU 0000:01:00.0: RmInitAdapter failed!",
            ],
            "power-cables",
            True,
        ),
        ([xid(79) + ", GPU has fallen off the bus."], "fallen-off-the-bus", True),
        ([xid(48) + ", DBE (double bit error)"], "xid-uncorrectable", True),
        ([xid(119) + ", Timeout waiting for RPC from GSP1!"], "xid-reset", True),
        (["NVRM: API mismatch: the client has the version 580.105.08, but"], "version-mismatch", False),
    ],
)
def test_the_first_reason_in_the_kernels_log_is_the_cause(lines, name, is_hardware):
    (fault,) = with_parts(kernel_log=log(LOADING, *lines)).faults

    assert (fault.name, fault.is_hardware) == (name, is_hardware)
    assert fault.evidence[0].source.startswith("dmesg.log:")


BAR = "pci 0000:01:00.0: BAR 1: no space for [mem size 0x400000000 64bit pref]"


@pytest.mark.parametrize(("pci", "names"), [(CARD, ["bar-invalid"]), ({"0000:02:00.0": "AD102 [GeForce RTX 4090]"}, []), (None, [])])
def test_a_line_about_the_addresses_of_another_device_breaks_no_link(pci, names):
    assert fault_names(with_parts(kernel_log=log(LOADING, BAR), pci=pci and all_seen(pci))) == names


@pytest.mark.parametrize("number", APPLICATION_XIDS)
def test_an_error_of_a_program_breaks_no_link(number):
    assert healthy_line(with_parts(kernel_log=log(LOADING, xid(number)))) == LOADING


def test_a_contained_memory_error_leaves_the_card_working():
    assert fault_names(with_parts(kernel_log=log(xid(48), xid(94)))) == []


def test_a_lost_card_beside_offered_gpus_is_a_fault():
    given = machine(kernel_log=log(xid(79)))

    assert fault_names(state(given, node_object(gpus="1"))) == ["fallen-off-the-bus"]


def test_a_client_of_another_version_is_no_fault_of_a_node_that_offers_gpus():
    given = machine(kernel_log=log("NVRM: API mismatch: the client has the version 580.105.08, but"))

    assert fault_names(state(given, node_object(gpus="1"))) == []


def test_the_loaded_driver_is_that_of_the_extension():
    (fault,) = with_parts(driver_version=seen("570.211.01"), kernel_log=log(LOADING)).faults

    assert (fault.name, fault.rules) == ("driver-of-another-image", ("TG080",))
    assert all(
        each.startswith("# ") for each in str(fault.fix).partition("until kubectl uncordon NODE; ")[2].partition("\n")[2].splitlines()
    )
    assert fault.cause == "The loaded driver is 570.211.01, and nvidia-open-gpu-kernel-modules-lts of the image brings 580.126.20"


def test_an_extension_without_a_version_is_not_compared():
    own = extensions({"nvidia-open-gpu-kernel-modules-lts": "main"})

    assert fault_names(with_parts(extensions=own, driver_version=seen("570.211.01"))) == []


@pytest.mark.parametrize(
    ("field", "value", "names"),
    [
        ("GPU 0: Remapped Rows Remapping Failure Occurred", "Yes", ["memory-beyond-repair"]),
        ("GPU 0: Remapped Rows Remapping Failure Occurred", "No", []),
        ("GPU 0: GPU Recovery Action", "Reset", ["card-needs-recovery"]),
        ("GPU 0: GPU Recovery Action", "Reboot", ["card-needs-recovery"]),
        ("GPU 0: GPU Recovery Action", "Drain and Reset", []),
        ("GPU 0: GPU Recovery Action", "None", []),
        ("GPU 0: ECC Errors Aggregate DRAM Uncorrectable", "2", []),
    ],
)
def test_nvidia_smi_tells_a_card_that_needs_help(field, value, names):
    given = with_parts(smi=all_seen({field: value}))

    assert fault_names(given) == names
    assert all(each.is_hardware for each in getattr(given, "faults", ()))


RECOVERY = "NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from {} to {}"
NONE, RESET, REBOOT, P2P, DRAIN = (
    "0x0 (None)", "0x1 (GPU Reset Required)", "0x2 (Node Reboot Required)", "0x3 (Drain P2P)", "0x4 (Drain and Reset)",
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ([(NONE, RESET)], ["card-needs-recovery"]),
        ([(NONE, "0x1 (PF FLR)")], ["card-needs-recovery"]),
        ([(NONE, REBOOT)], ["card-needs-recovery"]),
        ([(NONE, P2P)], ["card-needs-recovery"]),
        ([(NONE, DRAIN)], []),
        ([(NONE, RESET), (RESET, NONE)], []),
        ([(NONE, RESET), (RESET, NONE), (NONE, REBOOT)], ["card-needs-recovery"]),
    ],
)
def test_the_last_recovery_action_of_a_card_in_the_kernels_log_counts(changes, names):
    given = with_parts(kernel_log=log(LOADING, *(RECOVERY.format(*each) for each in changes)))

    assert fault_names(given) == names
    assert all(each.is_hardware for each in getattr(given, "faults", ()))


def test_the_recovery_action_of_one_card_does_not_take_back_that_of_another():
    other = RECOVERY.format(REBOOT, NONE).replace("0000:01", "0000:02")

    assert fault_names(with_parts(kernel_log=log(RECOVERY.format(NONE, RESET), other))) == ["card-needs-recovery"]


def test_nvidia_smi_tells_the_recovery_action_in_place_of_the_older_log():
    given = {"kernel_log": log(LOADING, RECOVERY.format(NONE, RESET))}

    assert fault_names(with_parts(smi=all_seen({"GPU 0: GPU Recovery Action": "None"}), **given)) == []
    assert fault_names(with_parts(smi=all_seen({"GPU 0: GPU Recovery Action": "Reset"}), **given)) == ["card-needs-recovery"]


def test_the_xid_behind_a_recovery_action_is_the_cause():
    lines = [xid(79) + ", GPU has fallen off the bus.", RECOVERY.format(NONE, REBOOT)]

    assert fault_names(with_parts(kernel_log=log(*lines))) == ["fallen-off-the-bus"]


FAILED_START = "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x24:0x72:1568)"


@pytest.mark.parametrize(
    ("cards", "gpus", "names"),
    [
        (1, 1, []),
        (1, 4, []),
        (2, 2, []),
        (2, 1, ["adapter-not-initialized"]),
        (2, 4, ["adapter-not-initialized"]),
        (0, 1, ["adapter-not-initialized"]),
    ],
    ids=["one", "one-shared", "both", "one-of-two", "shares-of-two", "cards-not-read"],
)
def test_a_card_that_did_not_start_at_first_is_history_where_every_card_is_on_offer(cards, gpus, names):
    pci = all_seen({f"0000:0{number + 1}:00.0": "AD102 [GeForce RTX 4090]" for number in range(cards)})

    assert fault_names(state(machine(kernel_log=log(FAILED_START), pci=pci), node_object(gpus=f"{gpus}"))) == names


def test_an_xid_of_a_node_that_still_offers_gpus_is_told_with_the_times_of_its_pods():
    given = machine(kernel_log=log(f"kern: warning: [2026-11-22T07:59:00.5Z]: {xid(119)}, Timeout waiting for RPC from GSP1!"))
    serving = pod(on=NAME, phase="Running", status={"containerStatuses": [running()]})
    made = cluster_of(node(NAME), serving, machines=(given,))

    (fault,) = driver(made, made.node(NAME)).faults

    assert fault.consequence.startswith("The node still offers its GPUs")
    assert "running since 2026-11-22T08:00:00Z, after the error | Pod gpu/llm-6d5f7c9b8-abcde" in shown(fault)


def test_a_node_is_rebooted_only_if_its_pods_could_be_moved_away():
    (fault,) = with_parts(kernel_log=log(RECOVERY.format(NONE, RESET))).faults

    consequence, drain, reboot, uncordon = str(fault.fix).splitlines()
    assert "drains and reboots the node" in consequence
    assert drain.startswith("kubectl drain NODE")
    assert drain.endswith(" &&")
    assert reboot == "talosctl --nodes ADDRESS reboot &&"
    assert uncordon.startswith("until kubectl uncordon NODE; do ")
