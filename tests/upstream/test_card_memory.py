import re

import pytest

from constructs_lib.upstream.nvidia.card_memory import CARD_MEMORY, card_memory, usable_memory
from constructs_lib.upstream.nvidia.card_names import architecture


@pytest.mark.parametrize(
    ("product", "size"),
    [
        ("RTX 4090", 24), ("RTX4090", 24), ("rtx4070 ti", 12), ("GTX1080", 8), ("NVIDIA-GeForce-RTX-4090", 24), ("NVIDIA GeForce RTX 5070 Ti", 16), ("RTX 5070", 12), ("RTX 4070 Ti SUPER", 16),
        ("RTX 4070 Ti", 12), ("RTX 4080 SUPER", 16), ("RTX 3090 Ti", 24), ("Tesla-T4", 16), ("NVIDIA-A10", 24), ("NVIDIA-L40S", 48), ("NVIDIA-L4-SHARED", 24),
        ("NVIDIA-RTX-A6000", 48), ("NVIDIA RTX 6000 Ada Generation", 48), ("NVIDIA RTX 4000 SFF Ada Generation", 20), ("NVIDIA-H200", 141), ("NVIDIA-H100-NVL", 94),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 96), ("NVIDIA RTX PRO 6000 Blackwell Server Edition", 96), ("Quadro RTX 8000", 48),
        # The name has the size.
        ("NVIDIA-A100-SXM4-80GB", 80), ("A100 40GB", 40), ("NVIDIA-A100-PCIE-40GB", 40), ("NVIDIA H100 80GB HBM3", 80), ("RTX 4060 Ti 16GB", 16),
        ("Tesla-V100-SXM2-32GB", 32), ("NVIDIA-GeForce-RTX-3060-12GB", 12),
    ],
)  # fmt: skip
def test_the_name_of_a_card_of_one_size_or_with_its_size_tells_the_memory(product, size):
    assert card_memory(product) == size


@pytest.mark.parametrize(
    "product",
    [
        # Sold with two sizes.
        "A100", "H100", "V100", "RTX 4060 Ti", "RTX 5060 Ti", "RTX 3080", "RTX 3060", "RTX 2060", "GTX 1060", "RTX PRO 5000", "H20", "GH200", "P100", "RTX A2000",
        # Another card of the same number.
        "RTX 4090 Laptop GPU", "RTX 4080 Mobile", "RTX 2080 Super with Max-Q Design", "RTX 5090 D v2", "RTX 5070 SUPER",
        # The label of a partition has the partition's memory.
        "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "NVIDIA-A30-MIG-1g.6gb",
        "GB10", "DGX Spark", "my card", "RTX 6000", "",
    ],
)  # fmt: skip
def test_any_other_name_does_not(product):
    assert card_memory(product) is None


@pytest.mark.parametrize(
    ("product", "usable"),
    [
        ("NVIDIA-L40S", "45Gi"), ("L4", "22.5Gi"), ("NVIDIA-A10", "22.5Gi"), ("A10 24GB", "22.5Gi"), ("Tesla-T4-SHARED", "15Gi"), ("A40", "45Gi"), ("Tesla P40", "22.5Gi"),
        ("RTX 4090", "24Gi"), ("RTX A6000", "48Gi"), ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "96Gi"), ("A30", "24Gi"), ("NVIDIA-A100-SXM4-80GB", "80Gi"),
        ("H100", None),
    ],
)  # fmt: skip
def test_error_correction_takes_a_sixteenth_of_the_memory_of_a_data_center_card_without_hbm(product, usable):
    assert usable_memory(product) == usable


def test_the_table_has_no_card_that_the_table_of_names_lacks_and_none_twice():
    names = [name for names in CARD_MEMORY.values() for name in expanded(names)]

    assert [name for name in names if architecture(name) is None] == []
    assert len(names) == len(set(names))


def expanded(pattern):
    """The names of a pattern of alternatives, optional letters and groups of alternatives."""
    found = []
    for part in re.split(r"\|(?![^(]*\))", pattern):
        names = [part]
        while any("(" in name for name in names):
            names = [
                name.replace(group[0], chosen, 1)
                for name in names
                for group in [re.search(r"\(([^()]*)\)(\??)", name)]
                if group
                for chosen in [*group[1].split("|"), *([""] if group[2] else [])]
            ]
        found += [name.replace(" ?", " ") for name in names]
    return found
