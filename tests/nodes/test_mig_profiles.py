import warnings

import pytest

from constructs_lib import GpuNodes, TalosGpuWarning, gpu_pod
from constructs_lib.nodes.cards import known_profiles
from constructs_lib.upstream.nvidia.gpu_resources import MIG_CARDS

A100_40 = "1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb"
LAST_WORD = "`nvidia-smi mig -lgip` on the node lists the profiles"


@pytest.mark.parametrize(
    ("product", "memory", "expected"),
    [
        ("A30", None, {"1g.6gb": 4, "1g.6gb+me": 1, "2g.12gb": 2, "2g.12gb+me": 1, "4g.24gb": 1}),
        (
            "NVIDIA-A100-SXM4-40GB",
            None,
            {"1g.5gb": 7, "1g.5gb+me": 1, "1g.10gb": 4, "2g.10gb": 3, "3g.20gb": 2, "4g.20gb": 1, "7g.40gb": 1},
        ),
        (
            "H100",
            "94Gi",
            {"1g.12gb": 7, "1g.12gb+me": 1, "1g.24gb": 4, "2g.24gb": 3, "3g.47gb": 2, "4g.47gb": 1, "7g.94gb": 1},
        ),
        (
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
            None,
            {
                "1g.24gb": 4, "1g.24gb+gfx": 4, "1g.24gb-me": 4, "1g.24gb+me": 1, "1g.24gb+me.all": 1,
                "2g.48gb": 2, "2g.48gb+gfx": 2, "2g.48gb-me": 2, "2g.48gb+me.all": 1, "4g.96gb": 1, "4g.96gb+gfx": 1,
            },
        ),
        ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", None, {"1g.10gb": 7, "1g.10gb+me": 1, "1g.20gb": 4, "2g.20gb": 3, "3g.40gb": 2, "4g.40gb": 1, "7g.80gb": 1}),
        ("RTX 4090", None, {}),
        ("A10", None, {}),
        ("H100 120GB", None, None),
        ("my card", None, None),
    ],
)  # fmt: skip
def test_what_a_card_is_known_to_be_cut_into(product, memory, expected):
    assert known_profiles(product, memory) == expected


@pytest.mark.parametrize("memory", [None, "79Gi"])
def test_a_card_of_several_memories_may_be_cut_as_any_where_its_own_is_not_known(memory):
    known = known_profiles("A100 PCIe", memory)

    assert {"1g.5gb", "7g.40gb", "1g.20gb", "7g.80gb"} <= known.keys()
    assert known["1g.10gb"] == 7


def test_every_card_of_the_table_is_one_whose_name_this_library_knows():
    for card, rows in MIG_CARDS.items():
        name = card.replace("[18]", "1")
        assert known_profiles(name) == {profile: most for row in rows.values() for profile, most in row.items()}


@pytest.mark.parametrize(
    ("product", "devices", "says"),
    [
        (
            "A100 40GB",
            {"1g.20gb": 4},
            f"the MIG profile '1g.20gb' is not known for A100 40GB; the known profiles are {A100_40}; {LAST_WORD}",
        ),
        (
            "RTX 4090",
            {"1g.10gb": 2},
            f"the MIG profile '1g.10gb' is not known for RTX 4090; no profile of this card is known; {LAST_WORD}",
        ),
        ("A30", {"1g.6gb": 5}, "A30 holds at most 4 partitions of the MIG profile '1g.6gb', not 5; the partitioning would fail"),
    ],
)
def test_what_a_card_is_not_known_to_be_cut_into_is_warned_of(product, devices, says):
    with pytest.warns(TalosGpuWarning) as caught:
        GpuNodes(talos_version="1.14", product=product, mig_strategy="mixed", mig_devices=devices)

    assert [str(each.message) for each in caught] == [says]
    assert caught[0].filename == __file__


@pytest.mark.parametrize("product", ["A100 80GB", None])
def test_what_a_card_may_be_cut_into_is_not(product):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = GpuNodes(talos_version="1.14", product=product, mig_strategy="single", mig_devices={"1g.10gb": 7})

    assert made.product == product


def test_a_pod_is_warned_where_only_the_card_is_known():
    nodes = GpuNodes(talos_version="1.14", product="A30", mig_strategy="mixed")
    template = {"spec": {"containers": [{"name": "main"}]}}

    with pytest.warns(TalosGpuWarning, match=r"^the MIG profile '1g.10gb' is not known for A30"):
        made = gpu_pod(template, nodes=nodes, profile="1g.10gb")
    assert made["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/mig-1g.10gb": 1}
