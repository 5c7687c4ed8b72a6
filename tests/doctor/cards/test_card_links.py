"""The links of cards: NVLink, the fabric, and the paths between cards."""

import pytest
from doctor.smi_outputs import NVLINK, NVLINK_ERRORS, QUERY, TOPOLOGY

from constructs_lib.doctor.card_state import MINOR_SIGNS, card_remarks
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster

UUID = "GPU-11111111-2222-3333-4444-55555555555"
LEGEND = "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"


def remarks(text):
    cluster = GpuCluster(read_dump([], stream=text))
    [node] = cluster.nodes
    return card_remarks(cluster, node)


def told(text):
    return [(each.name, each.cause) for each in remarks(text)]


def nvlink(*cards):
    """The output of `nvidia-smi nvlink -s` for cards, each with its name and the states of its links."""
    return "".join(
        f"GPU {number}: {name} (UUID: {UUID}{number})\n" + "".join(f"\t Link {link}: {state}\n" for link, state in enumerate(states))
        for number, (name, states) in enumerate(cards)
    )


def listed(*names):
    return nvlink(*((name, []) for name in names))


def topology(*rows):
    """The output of `nvidia-smi topo -m`, with the codes by which it underlines its head."""
    head = (
        "\t\x1b[4m" + "\t".join(f"GPU{number}" for number in range(len(rows))) + "\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    )
    body = "".join(f"GPU{number}\t" + "\t".join(row.split()) + "\tSYS\t0-47\tN/A\t\tN/A\n" for number, row in enumerate(rows))
    return head + body + "NIC0\tSYS\n" + LEGEND


def query(mode, *names):
    """The virtualization mode of cards, as `nvidia-smi -q` prints it."""
    return f"==============NVSMI LOG==============\n\nAttached GPUs                                     : {len(names)}\n" + "".join(
        f"GPU 00000000:0{number}:00.0\n    Product Name                                   : {name}\n    GPU Virtualization Mode\n"
        f"        Virtualization Mode                        : {mode}\n\n"
        for number, name in enumerate(names, start=1)
    )


ON, OFF = "25 GB/s", "<inactive>"
UNKNOWN = ". A virtual machine may have a part of the board, and whether this is one was not read"
A100, V100, NVL, A6000 = "NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-32GB", "NVIDIA H100 NVL", "NVIDIA RTX A6000"


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ([(A100, [ON, OFF, ON]), (A100, [ON, ON, ON])], ("nvlink-inactive", f"Active NVLinks of the {A100}: 2 of 3, and its board connects every one")),
        ([(A100, [OFF, OFF]), (A100, [ON, ON])], ("nvlink-inactive", f"Active NVLinks of the {A100}: 0 of 2, and its board connects every one")),
        ([(A100, [ON, OFF])], ("nvlink-inactive", f"Active NVLinks of the {A100}: 1 of 2, and its board connects every one")),
        ([(V100, [ON, ON]), (V100, [ON, OFF])], ("nvlink-partly-inactive", "Active NVLinks of the card: 1 of 2; other cards of the node have 2")),
        ([(A6000, [ON, OFF]), (A6000, [ON, OFF])], ("nvlink-partly-inactive", "Active NVLinks of the card: 1 of 2")),
        ([(NVL, [ON, OFF]), (NVL, [OFF, OFF])], ("nvlink-partly-inactive", "Active NVLinks of the card: 0 of 2; other cards of the node have 1")),
    ],
)  # fmt: skip
def test_an_inactive_link_is_told_by_what_the_kind_of_card_says_of_it(cards, expected):
    assert told(query("None", *(card for card, _ in cards)) + nvlink(*cards)) == [expected]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("None", ("nvlink-inactive", "")),
        ("Pass-Through", ("nvlink-partly-inactive", None)),
        ("VGPU", ("nvlink-partly-inactive", None)),
        ("N/A", ("nvlink-partly-inactive", UNKNOWN)),
        ("", ("nvlink-partly-inactive", UNKNOWN)),
    ],
)
def test_an_inactive_link_of_a_board_is_a_fault_only_where_the_machine_was_read_to_be_no_virtual_one(mode, expected):
    links = nvlink((A100, [ON, OFF]), (A100, [ON, ON]))
    [found] = remarks((query(mode, A100, A100) if mode else "") + links)
    name, unless = expected

    assert found.name == name
    assert found.cause == (
        "Active NVLinks of the card: 1 of 2; other cards of the node have 2"
        if unless is None
        else f"Active NVLinks of the {A100}: 1 of 2, and its board connects every one{unless}"
    )
    assert ("Read Virtualization Mode in nvidia-smi -q" in str(found.fix)) is (unless == UNKNOWN)
    assert (found.name in MINOR_SIGNS) is (mode != "None")


@pytest.mark.parametrize(
    "cards",
    [
        [(A100, [OFF, OFF])],
        [(NVL, [ON, OFF]), (NVL, [ON, OFF])],
        [(A6000, [OFF, OFF]), (A6000, [OFF, OFF])],
        [(A100, [ON, ON]), (A6000, [OFF, OFF])],
    ],
    ids=["a module alone", "bridges on some links", "no bridge", "another card without a bridge"],
)
def test_links_that_nothing_is_behind_are_no_sign(cards):
    assert told(nvlink(*cards)) == []


def test_cards_whose_links_are_all_inactive_are_told_where_a_board_connects_them():
    text = listed(A100, A100).replace(f"{UUID}1)\n", f"{UUID}1)\nNVML: Unable to retrieve NVLink information as all links are inActive\n")
    dump = read_dump([], stream=text)

    assert told(text) == [("nvlink-partly-inactive", f"Active NVLinks of the {A100}: none, and its board connects every one{UNKNOWN}")]
    assert told(text.replace(A100, A6000)) == []
    assert [log.errors for log in dump.logs] == [()]


def test_a_card_with_mig_and_a_card_of_a_virtual_machine_may_have_inactive_links():
    links = nvlink((A100, [ON, OFF]), (A100, [ON, ON]))
    mig = "  MIG 1g.10gb     Device  0: (UUID: MIG-11111111-2222-3333-4444-666666666666)\n"
    guest = QUERY.replace(
        "    GPU UUID ",
        "    GPU Virtualization Mode\n        Virtualization Mode                            : Pass-Through\n    GPU UUID ",
        1,
    )

    assert told(links.replace("\t Link 0", f"{mig}\t Link 0", 1)) == []
    assert [each.name for each in remarks(guest + links)] == ["nvlink-partly-inactive"]
    for rows in (("X SYS", "NV12 X"), ("X NV12", "SYS X")):
        for one, other in ((mig, ""), ("", mig)):
            divided = listed(A100, A100).replace("GPU 1", f"{one}GPU 1") + other
            assert told(divided + topology(*rows)) == []
    assert [each.name for each in remarks(guest + listed(A100, A100) + topology("X SYS", "SYS X"))] == ["nvlink-partly-inactive"]


def test_a_recovered_link_is_a_minor_remark_from_every_form():
    text = NVLINK_ERRORS.replace("Link 1: Recovery Errors: 0", "Link 1: Recovery Errors: 3")
    cause = "A link of NVLink had to be trained anew 3 times since its counters began"

    assert told(text) == [("nvlink-recovered", cause)]
    assert [each.evidence[0].source for each in remarks(text)] == ["standard input:7, GPU 0"]
    assert "nvlink-recovered" in MINOR_SIGNS
    assert told(NVLINK_ERRORS.replace("Replay Errors: 0", "Replay Errors: 7").replace("CRC Errors: 0", "CRC Errors: 7")) == []
    assert told('DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL{gpu="0",UUID="GPU-1",Hostname="gpu-1"} 3\n') == [("nvlink-recovered", cause)]


FABRIC = "        CliqueId                                       : 0\n"
HEALTH = f"""\
{FABRIC}        Health
            Summary                                    : Healthy
            Bandwidth                                  : Full
            Route Recovery in progress                 : False
            Route Unhealthy                            : False
            Access Timeout Recovery                    : False
            Incorrect Configuration                    : None
            Partition Assigned                         : N/A
"""


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ("Bandwidth                                  : Full", "Bandwidth                                  : Degraded", "Bandwidth : Degraded"),
        ("Route Unhealthy                            : False", "Route Unhealthy                            : True", "Route Unhealthy : True"),
        ("Configuration                    : None", "Configuration                    : No Partition", "Incorrect Configuration : No Partition"),
    ],
)  # fmt: skip
def test_a_fault_of_the_fabric_that_the_driver_reports_is_told_with_its_line(before, after, line):
    healthy = QUERY.replace(FABRIC, HEALTH)

    assert told(healthy) == []
    assert told(QUERY.replace(FABRIC, HEALTH.replace("Full", "N/A").replace(": False", ": N/A").replace(": None", ": N/A"))) == []
    assert told(healthy.replace(before, after)) == [("fabric-unhealthy", f"The driver reports a fault of the card's NVLink fabric: {line}")]


def test_a_fabric_that_has_not_started_is_told_of_a_machine_with_nvswitch_alone():
    state = "State                                          : Completed"
    one = QUERY.replace(state, state.replace("Completed", "Not Started"))
    card = one[one.index("GPU 00000000:19") :]
    eight = one + "".join(card.replace("00000000:19", f"00000000:{number}9") for number in range(2, 9))

    assert told(one) == []
    assert told(eight) == [("fabric-not-started", "The card has not begun to join the NVLink fabric: its state is Not Started")]
    assert told(eight.replace("H100 80GB HBM3", "GH200 480GB")) == []


def test_cards_of_a_board_that_reach_each_other_over_pcie_are_told():
    rows = ("X NV12 SYS", "NV12 X NV12", "SYS NV12 X")
    cause = "Cards of a board with NVLink reach each other over PCIe: GPU 0 and GPU 2 (SYS)"

    assert told(query("None", A100, A100, A100) + topology(*rows)) == [("nvlink-unused", cause)]
    assert told(query("Pass-Through", A100, A100, A100) + topology(*rows)) == [("nvlink-partly-inactive", cause)]
    assert told(listed(A100, A100, A100) + topology(*rows)) == [("nvlink-partly-inactive", f"{cause}{UNKNOWN}")]
    assert told(listed(NVL, NVL, NVL) + topology(*rows)) == []
    assert told(topology(*rows)) == []


def test_the_kind_of_card_may_come_from_the_label_of_the_node():
    node = (
        "apiVersion: v1\nkind: Node\nmetadata:\n  name: gpu-1\n  labels:\n    nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB\n"
        "status:\n  allocatable:\n    nvidia.com/gpu: 2\n---\n"
    )

    assert [each.name for each in remarks(node + topology("X PHB", "PHB X"))] == ["nvlink-partly-inactive"]


def test_a_card_without_nvlink_beside_connected_cards_is_a_minor_remark():
    connected = ("X NV12 NV12 SYS", "NV12 X NV12 SYS", "NV12 NV12 X SYS", "SYS SYS SYS X")

    assert told(topology(*connected)) == [("nvlink-partly-inactive", "NVLink connects every card of the node but GPU 3")]
    mig = f"GPU 3: {A100} (UUID: {UUID}3)\n  MIG 1g.10gb     Device  0: (UUID: MIG-11111111-2222-3333-4444-666666666666)\n"
    assert told(topology(*connected) + mig) == []
    assert told(topology("X NV4 SYS", "NV4 X SYS", "SYS SYS X")) == []
    assert told(topology("X NV1 SYS NV1 SYS", "NV1 X NV1 SYS SYS", "SYS NV1 X NV1 SYS", "NV1 SYS NV1 X SYS", "SYS SYS SYS SYS X")) == []


def test_connected_cards_are_in_order():
    assert told(listed(A100, A100) + TOPOLOGY + NVLINK) == []
