"""The MIG state of cards, against the offer of the node and the layout that it should have."""

import json

import pytest
from doctor.smi_outputs import MIG_TABLE, QUERY, TABLE, XML

from constructs_lib.doctor.card_state import MINOR_SIGNS, card_remarks
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster

UUID = "GPU-11111111-2222-3333-4444-55555555555"


def told(*objects, text=""):
    items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    cluster = GpuCluster(read_dump([], stream=(json.dumps(items) + "\n" if objects else "") + text))
    [node] = cluster.nodes
    return [(each.name, each.cause) for each in card_remarks(cluster, node) if not each.name.startswith("gpu-")]


def node(labels=None, **capacity):
    gpus = {f"nvidia.com/{name.replace('_', '-')}": f"{amount}" for name, amount in capacity.items()}
    metadata = {"name": "gpu-1", "labels": {f"nvidia.com/{key}": value for key, value in (labels or {}).items()}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"capacity": gpus, "allocatable": gpus}}


def layout(name, state="success", **capacity):
    return node({"mig.config": name, "mig.config.state": state}, **capacity)


def divided(*profiles, card=0):
    """The output of `nvidia-smi -L` for a card with instances."""
    instances = "".join(
        f"  MIG {profile}     Device  {number}: (UUID: MIG-11111111-2222-3333-4444-66666666666{number})\n"
        for number, profile in enumerate(profiles)
    )
    return f"GPU {card}: NVIDIA A100-SXM4-80GB (UUID: {UUID}{card})\n{instances}"


def config_map(name="gpu-plugin-config", **layouts):
    entries = {
        entry: [
            {"devices": devices, "mig-enabled": bool(profiles), **({"mig-devices": profiles} if profiles else {})}
            for devices, profiles in specs
        ]
        for entry, specs in layouts.items()
    }
    text = json.dumps({"version": "v1", "mig-configs": entries})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "nvidia"}, "data": {"mig.yaml": text}}


def plugin(config="gpu-plugin-config"):
    container = {"name": "nvidia-device-plugin-ctr", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"}
    spec = {"nodeName": "gpu-1", "containers": [container], "volumes": [{"name": "config", "configMap": {"name": config}}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "plugin-x", "namespace": "nvidia"}, "spec": spec}


DIVIDED = divided(*["1g.10gb"] * 7)
DIVIDED_QUERY = QUERY.replace(": Disabled", ": Enabled").replace(
    "    GPU UUID ",
    "".join(
        f"    MIG Device\n        Index                                          : {number}\n"
        f"        GPU Instance ID                                : {number + 1}\n"
        "        FB Memory Usage\n            Total                                      : 20096 MiB\n"
        for number in range(2)
    )
    + "    GPU UUID ",
)
DIFFERS = "mig-layout-differs"


@pytest.mark.parametrize(
    ("text", "pending"),
    [(TABLE.replace("           Disabled |", "          Disabled* |"), "Disabled"), (TABLE.replace("           Disabled |", "           Enabled* |"), "Enabled")],
)  # fmt: skip
def test_the_asterisk_of_the_table_marks_the_mode_that_a_reset_brings(text, pending):
    other = {"Disabled": "Enabled", "Enabled": "Disabled"}[pending]

    assert told(text=text) == [("mig-mode-pending", f"The MIG mode of the card is {other}, and becomes {pending} with the next reset")]


def test_a_card_without_instances_is_told_from_the_table_and_from_the_xml():
    section = MIG_TABLE.index("|  0    2   0   0")
    table = f"{MIG_TABLE[:section]}|  No MIG devices found                                                                   |\n{MIG_TABLE[section:]}"
    table = "".join(
        line for line in table.splitlines(keepends=True) if not line.startswith(("|  0    2", "|  0    3", "|                  |  "))
    )
    xml = XML.replace("current_mig>Disabled", "current_mig>Enabled").replace("pending_mig>Disabled", "pending_mig>Enabled")

    for text in (table, xml):
        assert told(text=text) == [("mig-without-instances", "MIG is on, and the card has no instance")]


def test_a_card_without_instances_that_is_on_offer_is_told_with_the_line_of_the_offer():
    text = QUERY.replace(": Disabled", ": Enabled").replace(
        "    GPU UUID ", "    MIG Devices                                        : None\n    GPU UUID "
    )
    cluster = GpuCluster(read_dump([], stream=json.dumps(node(gpu=1)) + "\n" + text))
    [remark] = card_remarks(cluster, cluster.nodes[0])

    assert remark.consequence == (
        "The card can run no CUDA program, and the device plugin has no instance to offer. "
        "The node offers nvidia.com/gpu all the same: pods get the card, and find no device"
    )
    assert [each.text for each in remark.evidence] == ["Current : Enabled", "nvidia.com/gpu: 1"]


@pytest.mark.parametrize("capacity", [{"gpu": 1}, {"gpu.shared": 4}])
def test_divided_cards_on_offer_as_whole_ones_are_told(capacity):
    amount = next(iter(capacity.values()))

    assert told(node(**capacity), text=DIVIDED) == [
        ("mig-offered-whole", f"The cards are divided into 7 instances, and the node offers {amount} GPUs")
    ]


@pytest.mark.parametrize("capacity", [{"gpu": 7}, {"gpu": 28}, {"mig_1g.10gb": 7}, {"mig_1g.10gb": 7, "gpu": 1}, {}])
def test_instances_that_are_on_offer_are_in_order(capacity):
    assert told(node(**capacity), text=DIVIDED) == []


def test_a_card_of_which_the_mode_is_not_known_proves_nothing_about_the_offer():
    assert told(node(gpu=2), text=DIVIDED + divided(card=1)) == []


@pytest.mark.parametrize(
    ("name", "text", "has"),
    [
        ("all-1g.10gb", divided("3g.40gb", "3g.40gb"), "GPU 0 has 2 x 3g.40gb"),
        ("all-1g.10gb", divided("1g.10gb", "1c.3g.40gb"), "GPU 0 has 1 x 1g.10gb, 1 x 3g.40gb"),
        ("all-disabled", DIVIDED, "GPU 0 has 7 x 1g.10gb"),
        ("all-1g.10gb", QUERY, "GPU 0 has MIG turned off"),
        ("all-1g.10gb", TABLE, "GPU 0 has MIG turned off, GPU 1 has no MIG"),
        ("all-disabled", MIG_TABLE, "GPU 0 has 2 instances"),
        ("all-disabled", DIVIDED_QUERY, "GPU 0 has 2 instances"),
        ("all-1g.10gb.me", divided("1g.10gb"), "GPU 0 has 1 x 1g.10gb"),
    ],
)
def test_cards_with_other_instances_than_the_label_asks_for_are_told(name, text, has):
    assert told(layout(name), text=text) == [(DIFFERS, f"The label nvidia.com/mig.config asks for {name}, and {has}")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("all-1g.10gb", DIVIDED),
        ("all-1g.10gb", MIG_TABLE),
        ("all-1g.10gb.me", divided("1g.10gb+me")),
        ("all-1g.24gb.me.all", divided("1g.24gb+me.all")),
        ("all-1g.24gb-me", divided("1g.24gb-me")),
        ("all-disabled", QUERY),
        ("all-balanced", DIVIDED),
        ("my-own", DIVIDED),
    ],
)
def test_a_layout_that_fits_and_one_that_is_not_known_are_no_sign(name, text):
    assert told(layout(name), text=text) == []


def test_the_instances_on_offer_tell_the_layout_where_no_card_was_read():
    differs = (DIFFERS, "The label nvidia.com/mig.config asks for all-1g.10gb, and the node offers nvidia.com/mig-3g.40gb")

    assert told(layout("all-1g.10gb", **{"mig_3g.40gb": 2})) == [differs]
    assert told(layout("all-1g.10gb", **{"mig_1g.10gb": 7})) == []
    assert told(layout("all-1g.10gb.me", **{"mig_1g.10gb.me": 1})) == []
    assert told(layout("all-disabled", **{"mig_1g.10gb": 7})) == [
        (DIFFERS, "The label nvidia.com/mig.config asks for all-disabled, and the node offers nvidia.com/mig-1g.10gb")
    ]


@pytest.mark.parametrize("state", ["pending", "rebooting"])
def test_a_layout_that_the_manager_works_on_is_a_minor_remark(state):
    assert [name for name, _ in told(layout("all-disabled", state), text=DIVIDED)] == ["mig-layout-pending"]
    assert "mig-layout-pending" in MINOR_SIGNS


def test_the_file_of_the_manager_decides_what_a_name_means():
    own = config_map("mig-config", mixed=[([0], {"1g.10gb": 2, "3g.40gb": 1}), ([1], {})])
    right = divided("1g.10gb", "1g.10gb", "3g.40gb")

    assert told(layout("mixed"), own, text=right) == []
    assert told(layout("mixed"), own, text=divided("1g.10gb", "7g.80gb")) == [
        (DIFFERS, "The label nvidia.com/mig.config asks for mixed, and GPU 0 has 1 x 1g.10gb, 1 x 7g.80gb")
    ]
    assert told(layout("mixed"), own, text=right + DIVIDED.replace("GPU 0", "GPU 1")) == [
        (DIFFERS, "The label nvidia.com/mig.config asks for mixed, and GPU 1 has 7 x 1g.10gb")
    ]
    assert told(layout("mixed"), own, text=right + right.replace("GPU 0", "GPU 1")) == [
        (DIFFERS, "The label nvidia.com/mig.config asks for mixed, and GPU 1 has 2 x 1g.10gb, 1 x 3g.40gb")
    ]
    assert told(layout("mixed"), own, config_map("other", mixed=[("all", {})]), text=DIVIDED) == []


def test_entries_that_differ_by_the_kind_of_card_allow_each_of_them():
    own = config_map("mig-config", **{"all-1g.10gb": [("all", {"1g.10gb": 7}), ("all", {"1g.10gb": 4})]})

    assert told(layout("all-1g.10gb"), own, text=DIVIDED) == []
    assert told(layout("all-1g.10gb"), own, text=divided("3g.40gb")) == [
        (DIFFERS, "The label nvidia.com/mig.config asks for all-1g.10gb, and GPU 0 has 1 x 3g.40gb")
    ]


@pytest.mark.parametrize(
    ("listed", "offered", "has"),
    [
        (divided("1g.10gb"), {}, "GPU 0 has 1 x 1g.10gb"),
        (divided("3g.40gb"), {}, "GPU 0 has 1 x 3g.40gb"),  # the container's only card, whose number on the node is another
        (divided("1g.10gb"), {"mig_1g.10gb": 7}, "GPU 0 has 1 x 1g.10gb"),
        (divided("1g.10gb"), {"mig_1g.10gb": 7, "mig_3g.40gb": 2}, None),
        (divided(*["1g.10gb"] * 8), {}, DIFFERS),
    ],
)
def test_a_part_of_a_layout_is_a_minor_remark_as_a_container_lists_only_its_own_partitions(listed, offered, has):
    own = config_map("mig-config", split=[([0], {"1g.10gb": 7}), ([1], {"3g.40gb": 2})])
    found = told(layout("split", **offered), own, text=listed)

    if has == DIFFERS:
        assert [name for name, _ in found] == [DIFFERS]
    else:
        words = f"The label nvidia.com/mig.config asks for split, and of it nvidia-smi lists a part: {has}"
        assert found == ([("mig-layout-partly", words)] if has else [])
    assert "mig-layout-partly" in MINOR_SIGNS


@pytest.mark.parametrize(
    ("offered", "name"),
    [
        ({"mig_1g.10gb": 3}, DIFFERS),
        ({"mig_1g.10gb": 5}, "mig-layout-partly"),
        ({"gpu": 3}, "mig-layout-partly"),
        ({"mig_1g.10gb": 7}, None),
        ({"mig_1g.10gb": 14}, None),
    ],
)
@pytest.mark.parametrize("devices", ["all", [0]])
def test_the_amounts_on_offer_tell_whether_a_part_of_a_layout_is_all_there_is(devices, offered, name):
    own = config_map("mig-config", sevenths=[(devices, {"1g.10gb": 7})])

    found = told(layout("sevenths", **offered), own, text=divided(*["1g.10gb"] * 3))

    assert [each for each, _ in found] == ([name] if name else [])
    assert all("GPU 0 has 3 x 1g.10gb" in cause for _, cause in found)


def test_entries_of_several_cards_add_up_to_what_the_node_must_offer():
    own = config_map("mig-config", split=[([0, 1], {"1g.10gb": 7}), ([2], {"1g.10gb": 2})])

    for amount, expected in ((15, ["mig-layout-partly"]), (16, [])):
        assert [each for each, _ in told(layout("split", **{"mig_1g.10gb": amount}), own, text=divided("1g.10gb"))] == expected


def test_the_only_layout_of_the_plugin_that_divides_the_cards_is_that_of_its_node():
    config = config_map(h100=[("all", {"1g.10gb": 7})])

    assert told(node(), plugin(), config, text=DIVIDED) == []
    assert told(node(), plugin(), config, text=divided("3g.40gb")) == [
        (DIFFERS, "ConfigMap nvidia/gpu-plugin-config asks for the layout h100, and GPU 0 has 1 x 3g.40gb")
    ]
    assert told(node(), plugin("another"), config, text=divided("3g.40gb")) == []
    config["metadata"]["namespace"] = "nvidia-other"
    assert told(node(), plugin(), config, text=divided("3g.40gb")) == []


def test_a_file_of_several_layouts_does_not_say_which_one_is_applied():
    config = config_map(h100=[("all", {"1g.10gb": 7})], a30=[("all", {"1g.6gb": 4})])

    assert told(node(), plugin(), config, text=divided("3g.40gb")) == []


def test_a_file_that_is_no_yaml_is_no_layout():
    broken = config_map(h100=[("all", {"1g.10gb": 7})])
    broken["data"]["mig.yaml"] = "mig-configs: [nvidia"

    assert told(node(), plugin(), broken, text=divided("3g.40gb")) == []
