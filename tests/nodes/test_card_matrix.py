"""The matrix of cards, drivers, Talos and CUDA, held against the drivers of the releases."""

import pytest

from conftest import message
from constructs_lib import GpuNodes
from constructs_lib.nodes import cards
from constructs_lib.nodes.card_matrix import architecture_table, card_table, combinations
from constructs_lib.upstream.nvidia import card_names
from constructs_lib.upstream.nvidia.card_facts import CARD_FACTS, facts_about
from constructs_lib.upstream.nvidia.card_names import Architecture
from constructs_lib.upstream.talos import releases as talos_releases


def tracks(product, cuda=None):
    return {(each.talos, each.track) for each in combinations(product, cuda)}


@pytest.mark.parametrize("product", ["P40", "A16", "RTX 5090", "B300", "VR200"])
@pytest.mark.filterwarnings("ignore:Talos 1.15")
def test_a_combination_is_what_a_class_of_nodes_may_be(product):
    listed = {(each.talos, each.track, modules) for each in combinations(product) for modules in each.modules}
    accepted = set()
    for talos, release in talos_releases.TALOS.items():
        for track in release.drivers:
            for modules in ("open", "proprietary"):
                try:
                    GpuNodes(talos_version=talos, driver_track=track, kernel_modules=modules, product=product)
                except ValueError:
                    continue
                accepted.add((talos, track, modules))

    assert listed == accepted
    assert listed


@pytest.mark.parametrize("product", ["GB10", "DGX Spark"])
def test_a_gb10_has_the_modules_that_were_seen_to_run_on_talos(product):
    listed = {(each.talos, each.track): each.modules for each in combinations(product)}

    assert listed["1.12", "lts"] == ["open", "proprietary"]
    assert listed["1.13", "lts"] == listed["1.14", "production"] == ["proprietary"]


def test_a_table_says_who_says_so():
    of_gb10, of_all = card_table("GB10"), architecture_table()

    assert "- documented, Talos 1.13.0 and newer: A GB10 needs the proprietary kernel modules" in of_gb10
    assert "- reported, Talos 1.13.9 and older, 1.14.0: The kernel is built without CONFIG_ARM_SMMU_V3_SVA" in of_gb10
    assert "Pascal" not in of_gb10
    assert all(f"{each.claim} ({each.source})" in of_all for each in CARD_FACTS)


def test_every_card_of_the_tables_has_a_fact_with_a_grade():
    assert {kind for kind in Architecture if not facts_about("a card", kind)} == set()


def test_the_facts_name_every_value_that_decides_whether_a_driver_runs_a_card():
    named = {name for each in CARD_FACTS for name in each.values}

    assert {name for name in dir(cards) if name.isupper() and (hasattr(card_names, name) or name.startswith(("FIRST_", "LAST_")))} <= named


def test_cuda_13_needs_the_driver_580():
    assert ("1.12", "lts") in tracks("A16", 13)
    assert ("1.12", "production") not in tracks("A16", 13)
    assert ("1.12", "production") in tracks("A16", 12)


def test_cuda_13_has_no_code_for_cards_without_a_gsp():
    assert tracks("P40", 12) == tracks("P40")
    assert tracks("P40", 13) == set()
    assert card_table("P40", 13) == "No Talos runs this card with CUDA 13.\n"


def test_the_table_of_architectures_has_every_track_and_filters_by_cuda():
    rows = [line for line in architecture_table().splitlines() if line.startswith("| 1.")]
    rows_of_13 = [line for line in architecture_table(13).splitlines() if line.startswith("| 1.")]

    assert len(rows) == sum(len(release.drivers) for release in talos_releases.TALOS.values())
    assert rows[0] == (
        f"| 1.8 | lts | {talos_releases.TALOS['1.8'].drivers['lts']} | Turing, Ampere, Ada, Hopper | "
        "Maxwell, Pascal, Volta, Turing, Ampere, Ada, Hopper | 11, 12 |"
    )
    assert any("Rubin" in row for row in rows)
    assert not any("Pascal" in row for row in rows_of_13)
    assert 0 < len(rows_of_13) < len(rows)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            lambda: combinations("K80"),
            "'product' must be a card that a driver of Talos runs (got 'K80'); it is a Kepler card, whose last driver is 470.xx",
        ),
        (
            lambda: combinations("A17"),
            (
                "'product' must be a card that is known, such as 'A16' (got 'A17'); the drivers that run the card are not known "
                f"(tables of {talos_releases.READ_ON})"
            ),
        ),
        (lambda: combinations("A16", 14), "'cuda' must be one of 11, 12, 13, a major version of CUDA (got 14)"),
        (lambda: architecture_table(10), "'cuda' must be one of 11, 12, 13, a major version of CUDA (got 10)"),
    ],
)
def test_an_unknown_card_or_version_is_refused(call, expected):
    assert message(call) == expected
