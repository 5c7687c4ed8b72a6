"""The state of a card, from each form in which nvidia-smi and DCGM print it."""

import pytest
from doctor.smi_outputs import DIAGNOSTIC, LIST, MIG_TABLE, NVLINK, NVLINK_ERRORS, QUERY, TABLE, TOPOLOGY, XML

from constructs_lib.doctor.card_state import card_remarks
from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.fault import Broken
from constructs_lib.doctor.formats.doctor_markdown import doctor_markdown
from constructs_lib.doctor.formats.doctor_text import doctor_text
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.links.driver_link import driver
from constructs_lib.doctor.report_changes import changes


def cluster_of(text):
    cluster = GpuCluster(read_dump([], stream=text))
    [node] = cluster.nodes
    return cluster, node


def remarks(text):
    return card_remarks(*cluster_of(text))


def stops(text):
    state = driver(*cluster_of(text))
    return list(state.faults) if isinstance(state, Broken) else []


@pytest.mark.parametrize(
    "text", [QUERY, XML, TABLE, MIG_TABLE, LIST, NVLINK, NVLINK_ERRORS, TOPOLOGY, DIAGNOSTIC, QUERY + XML + TABLE + TOPOLOGY]
)
def test_a_healthy_card_has_no_fault_and_no_remark(text):
    dump = read_dump([], stream=text)

    assert (remarks(text), stops(text)) == ([], [])
    assert [each.reason for each in dump.unread if "diagnostic" not in text] == []


@pytest.mark.parametrize(
    ("healthy", "before", "after", "name", "cause"),
    [
        (QUERY, "DRAM Uncorrectable                         : 0\n        Aggregate", "DRAM Uncorrectable                         : 3\n        Aggregate", "uncorrectable-memory-errors", "The card has had 3 memory errors that ECC can't correct since the driver was loaded"),
        (XML, "<dram_uncorrectable>0", "<dram_uncorrectable>12", "uncorrectable-memory-errors", "The card has had 12 memory errors that ECC can't correct since the driver was loaded"),
        (TABLE, "Off |                    0 |", "Off |                    7 |", "uncorrectable-memory-errors", "The card has had 7 memory errors that ECC can't correct since the driver was loaded"),
        (QUERY, "DRAM Uncorrectable                         : 0\n            SRAM T", "DRAM Uncorrectable                         : 5\n            SRAM T", "past-memory-errors", "The card has had 5 memory errors that ECC can't correct in its life"),
        (QUERY, "Pending                                        : No\n", "Pending                                        : Yes\n", "memory-repair-pending", "A part of the card's memory failed, and waits for a reset to be repaired"),
        (XML, "<remapped_row_pending>No", "<remapped_row_pending>Yes", "memory-repair-pending", "A part of the card's memory failed, and waits for a reset to be repaired"),
        (QUERY, "Pending Page Blacklist                         : N/A", "Pending Page Blacklist                         : Yes", "memory-repair-pending", "A part of the card's memory failed, and waits for a reset to be repaired"),
        (QUERY, "HW Thermal Slowdown                        : Not Active", "HW Thermal Slowdown                        : Active", "hardware-thermal-slowdown", "The card is too hot, and its hardware has halved its clocks or worse"),
        (XML, "hw_thermal_slowdown>Not Active", "hw_thermal_slowdown>Active", "hardware-thermal-slowdown", "The card is too hot, and its hardware has halved its clocks or worse"),
        (QUERY.replace("Clocks Event Reasons", "Clocks Throttle Reasons"), "HW Power Brake Slowdown                    : Not Active", "HW Power Brake Slowdown                    : Active", "power-brake", "The power supply or the board has told the card to slow down: it can't deliver what the card asks for"),
        (QUERY, "        SW Thermal Slowdown                            : Not Active", "        SW Thermal Slowdown                            : Active", "software-thermal-slowdown", "The card or its memory is above its operating temperature, and the driver has lowered its clocks"),
        (QUERY, "Current                                : 16x", "Current                                : 4x", "pcie-width", "The PCIe link of the card has 4 lanes of 16"),
        (XML, "<current_link_width>16x", "<current_link_width>8x", "pcie-width", "The PCIe link of the card has 8 lanes of 16"),
        (QUERY, "                Current                                : 5", "                Current                                : 1", "pcie-generation", "The PCIe link of the card runs at generation 1 of 5 while the card works"),
        (XML, "<current_link_gen>5", "<current_link_gen>3", "pcie-generation", "The PCIe link of the card runs at generation 3 of 5 while the card works"),
        (QUERY, "Used                                           : 70000", "Used                                           : 81000", "memory-full", "99% of the card's memory is in use: VLLM::EngineCore (69000 MiB)"),
        (XML, "<used>70000", "<used>81000", "memory-full", "99% of the card's memory is in use: VLLM::EngineCore (69000 MiB)"),
        (TABLE, "   70000MiB /", "   81000MiB /", "memory-full", "99% of the card's memory is in use: VLLM::EngineCore (69000MiB)"),
        (QUERY, "Pending                                        : Disabled", "Pending                                        : Enabled", "mig-mode-pending", "The MIG mode of the card is Disabled, and becomes Enabled with the next reset"),
        (QUERY, "Persistence Mode                                   : Enabled", "Persistence Mode                                   : Disabled", "persistence-off", "The persistence mode of the card is off"),
        (TABLE, "HBM3          On ", "HBM3          Off", "persistence-off", "The persistence mode of the card is off"),
        (DIAGNOSTIC, "|                           | GPU0: Pass                                     |\n+----------", "|                           | GPU0: Fail                                     |\n+----------", "diagnostic-failed", "A test of DCGM's diagnostic fails: GPU0: Fail"),
    ],
)  # fmt: skip
def test_a_sign_of_a_card_that_works_is_a_remark_and_no_broken_link(healthy, before, after, name, cause):
    assert before in healthy
    text = healthy.replace(before, after, 1)

    assert [(each.name, each.cause) for each in remarks(text)] == [(name, cause)]
    assert stops(text) == []


@pytest.mark.parametrize(
    ("healthy", "before", "after", "name", "cause"),
    [
        (QUERY, "State                                          : Completed", "State                                          : In Progress", "fabric-not-ready", "The card has not joined the NVLink fabric: its state is In Progress"),
        (XML, "<state>Completed", "<state>In Progress", "fabric-not-ready", "The card has not joined the NVLink fabric: its state is In Progress"),
        (QUERY, "Status                                         : Success", "Status                                         : Insufficient Resources", "fabric-failed", "The card has not joined the NVLink fabric: Insufficient Resources"),
        (TABLE, "95%      Default", "95%   Prohibited", "compute-prohibited", "The compute mode of the card is Prohibited"),
        (QUERY, "Remapping Failure Occurred                     : No", "Remapping Failure Occurred                     : Yes", "memory-beyond-repair", "The memory of a card can't be repaired any more: the remapping of a row has failed"),
        (XML, "<remapped_row_failure>No", "<remapped_row_failure>Yes", "memory-beyond-repair", "The memory of a card can't be repaired any more: the remapping of a row has failed"),
        (XML, "<gpu_recovery_action>None", "<gpu_recovery_action>Reset", "card-needs-recovery", 'The driver asks for the recovery action "Reset" of a card'),
    ],
)  # fmt: skip
def test_a_sign_of_a_card_on_which_nothing_starts_breaks_the_driver_link(healthy, before, after, name, cause):
    assert before in healthy
    text = healthy.replace(before, after, 1)

    assert [(each.name, each.cause) for each in stops(text)] == [(name, cause)]
    assert remarks(text) == []


def test_an_idle_card_may_lower_its_pcie_generation():
    idle = QUERY.replace(
        "                Current                                : 5", "                Current                                : 1"
    )

    assert remarks(idle.replace(": P0", ": P8").replace(": 95 %", ": 0 %")) == []


def test_mig_without_an_instance_is_told():
    text = QUERY.replace(": Disabled", ": Enabled").replace(
        "    GPU UUID ", "    MIG Devices                                        : None\n    GPU UUID "
    )

    assert [(each.name, each.cause) for each in remarks(text)] == [("mig-without-instances", "MIG is on, and the card has no instance")]


def test_the_evidence_names_the_card_and_the_line():
    [remark] = remarks(TABLE.replace("N/A |\n|  0%", "  2 |\n|  0%"))

    assert [each.source for each in remark.evidence] == ["standard input:13, GPU 1"]


def pods(count, **more):
    names = [f"ollama-{number}" for number in range(count)]
    spec = "spec:\n    nodeName: gpu-1\n    containers:\n    - name: main\n      resources:\n        limits:\n          nvidia.com/gpu: 1"
    items = "".join(f"- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: {name}\n    namespace: ai\n  {spec}\n" for name in names)
    node = "- apiVersion: v1\n  kind: Node\n  metadata:\n    name: gpu-1\n  status:\n    allocatable:\n      nvidia.com/gpu: 4\n"
    return f"apiVersion: v1\nitems:\n{items}{node}kind: List\n"


@pytest.mark.parametrize(("count", "expected"), [(1, []), (2, ["exclusive-card-shared"])])
def test_an_exclusive_card_can_t_be_shared(count, expected):
    found = remarks(
        pods(count)
        + QUERY.replace(
            "Compute Mode                                       : Default",
            "Compute Mode                                       : Exclusive_Process",
        )
    )

    assert [each.name for each in found] == expected
    assert [each.cause for each in found] == ["The compute mode of the card is Exclusive_Process, and 2 pods share 1 card"] * len(expected)


def reported(text):
    return doctor_report(diagnose(GpuCluster(read_dump([], stream=text))))


STATE = """\
==============NVSMI LOG==============

Driver Version                            : 580.126.20
Attached GPUs                             : 1
GPU 00000000:01:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    Persistence Mode                      : Disabled
    Clocks Event Reasons
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Active
            HW Power Brake Slowdown       : Not Active
"""


def test_a_card_that_is_too_hot_is_a_cause_and_its_persistence_mode_a_remark():
    read = reported(STATE)

    assert [each.fault.name for each in read.diagnosis.causes] == ["hardware-thermal-slowdown"]
    assert [each.partition(": ")[2] for each in read.card_lines] == [
        "The persistence mode of the card is off. Nothing has to be done. On Talos the service ext-nvidia-persistenced keeps the card started"
    ]
    assert "remarks about cards\n" in "".join(doctor_text(read))
    assert "## Remarks about cards\n" in "".join(doctor_markdown(read))


def test_a_cool_card_is_no_cause():
    assert reported(STATE.replace("Thermal Slowdown           : Active", "Thermal Slowdown           : Not Active")).diagnosis.causes == ()


def test_a_card_whose_memory_a_server_has_taken_is_a_remark_and_no_cause():
    full = STATE.replace("Thermal Slowdown           : Active", "Thermal Slowdown           : Not Active")
    full += "    FB Memory Usage\n        Total                             : 81920 MiB\n        Used                              : 81000 MiB\n"
    read = reported(full)

    assert read.diagnosis.causes == ()
    assert any("98% of the card's memory is in use" in each for each in read.card_lines)


def test_a_count_of_errors_that_grows_is_news_for_a_watch_and_the_use_of_a_card_is_none():
    metrics = 'DCGM_FI_DEV_ECC_DBE_AGG_TOTAL{{gpu="0",Hostname="gpu-1"}} {}\nDCGM_FI_DEV_FB_USED{{gpu="0",Hostname="gpu-1",namespace="ai",pod="a"}} {}\n'

    assert not changes(reported(metrics.format(3, 0)), reported(metrics.format(3, 30000))).any
    grown = changes(reported(metrics.format(3, 0)), reported(metrics.format(4, 0)))
    assert [each.partition(":")[0] for each in grown.signs] == ["gpu-1"]
    assert "4" in grown.signs[0]
