import pytest

from conftest import message
from constructs_lib import DriverTrack, KernelModules, TalosGpuWarning, TalosVersion
from constructs_lib.nodes.cards import Architecture, architecture, check_card, kernel_args
from constructs_lib.upstream import versions


def driver(talos, track):
    return versions.TALOS[talos].drivers[track]


def check(product, modules="open", track="production", talos="1.14"):
    return check_card(product, kernel_modules=modules, driver_track=track, talos_version=TalosVersion.parse("talos_version", talos))


@pytest.mark.parametrize(
    ("product", "expected"),
    [
        ("NVIDIA-GeForce-RTX-5070-Ti", "Blackwell"),
        ("RTX 5070 Ti", "Blackwell"),
        ("rtx5070ti", "Blackwell"),
        ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "Blackwell"),
        ("NVIDIA-RTX-PRO-6000-Blackwell-Max-Q-Workstation-Edition", "Blackwell"),
        ("NVIDIA-B200", "Blackwell"),
        ("NVIDIA-B300-SXM6-AC", "Blackwell"),
        ("GB200 NVL72", "Blackwell"),
        ("NVIDIA-GB10", "Blackwell"),
        ("DGX Spark", "Blackwell"),
        ("NVIDIA-H100-80GB-HBM3", "Hopper"),
        ("H100 NVL", "Hopper"),
        ("NVIDIA-GH200-480GB", "Hopper"),
        ("L4", "Ada"),
        ("NVIDIA-L40S", "Ada"),
        ("RTX 4090 D", "Ada"),
        ("RTX 4000 Ada", "Ada"),
        ("NVIDIA-RTX-6000-Ada-Generation", "Ada"),
        ("NVIDIA RTX 4000 SFF Ada Generation", "Ada"),
        ("NVIDIA-A100-SXM4-80GB", "Ampere"),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "Ampere"),
        ("NVIDIA-A100-PCIE-40GB-SHARED", "Ampere"),
        ("NVIDIA A10G", "Ampere"),
        ("RTX A4000", "Ampere"),
        ("GeForce RTX 3090 Ti", "Ampere"),
        ("Tesla T4", "Turing"),
        ("T4", "Turing"),
        ("Quadro RTX 6000", "Turing"),
        ("GTX 1660 SUPER", "Turing"),
        ("RTX 2080 Ti", "Turing"),
        ("TITAN RTX", "Turing"),
        ("NVIDIA T1000 8GB", "Turing"),
        ("Tesla-V100-SXM2-16GB", "Volta"),
        ("TITAN V", "Volta"),
        ("NVIDIA-GeForce-GTX-1080-Ti-SHARED", "Pascal"),
        ("GTX1080", "Pascal"),
        ("Tesla P40", "Pascal"),
        ("NVIDIA TITAN X (Pascal)", "Pascal"),
        ("Quadro P2200", "Pascal"),
        ("Tesla M60", "Maxwell"),
        ("GeForce GTX 970", "Maxwell"),
        ("GeForce GTX TITAN X", "Maxwell"),
    ],
)
def test_the_architecture_follows_from_the_name_as_people_and_feature_discovery_write_it(product, expected):
    assert architecture(product) is Architecture(expected)


@pytest.mark.parametrize(
    "product",
    [
        "RTX 6000",  # Turing as a Quadro, Ada as an "RTX 6000 Ada"
        "RTX 4000",
        "TITAN X",  # Maxwell or Pascal
        "RTX 2050",  # Ampere, among names of Turing
        "RTX 3050 A",  # Ada, among names of Ampere
        "GTX 750 Ti",  # Maxwell or Kepler
        "Tesla K80",
        "Tesla M2090",
        "NVIDIA A40-48Q",  # a virtual GPU, which has a driver of its own
        "RTX PRO 6000 Rubin",
        "4090",
        "Radeon PRO W7900",
        "GPU",
        "",
    ],
)
def test_a_name_that_two_generations_share_or_nobody_knows_is_no_guess(product):
    assert architecture(product) is None


@pytest.mark.parametrize("product", ["RTX 5070 Ti", "NVIDIA-B200", "RTX PRO 6000 Blackwell"])
def test_blackwell_needs_the_open_modules(product):
    assert check(product, "open") == product
    assert message(lambda: check(product, "proprietary")) == (
        f"'kernel_modules' must be 'open' with product='{product}' (got 'proprietary'); Blackwell is driven by the open modules alone, "
        'the others end in "No devices were found"'
    )


@pytest.mark.parametrize(("product", "kind"), [("Tesla M60", "Maxwell"), ("GTX 1080", "Pascal"), ("Tesla V100-SXM2-16GB", "Volta")])
def test_what_is_older_than_turing_needs_the_proprietary_modules(product, kind):
    assert check(product, "proprietary", "lts") == product
    assert message(lambda: check(product, "open", "lts")) == (
        f"'kernel_modules' must be 'proprietary' with product='{product}' (got 'open'); the open modules begin with Turing, "
        f"and this card is a {kind}"
    )


@pytest.mark.parametrize("product", ["T4", "A100-SXM4-80GB", "L40S", "H100 NVL", "no card of NVIDIA's"])
@pytest.mark.parametrize("modules", KernelModules)
@pytest.mark.parametrize("track", DriverTrack)
@pytest.mark.parametrize("talos", ["1.8", "1.14"])
def test_from_turing_to_hopper_and_an_unknown_card_run_with_either_modules_and_any_driver(product, modules, track, talos):
    assert check(product, modules, track, talos) == product


@pytest.mark.parametrize("product", ["Tesla M60", "GTX 1080", "Tesla V100-SXM2-16GB"])
@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_the_production_driver_of_talos_1_13_dropped_what_is_older_than_turing(product, talos):
    assert check(product, "proprietary", "lts", talos) == product
    assert message(lambda: check(product, "proprietary", "production", talos)) == (
        f"'driver_track' must be 'lts' on Talos {talos} with product='{product}' (got 'production'); "
        f"this card needs a driver of at most 580, and the 'production' one is {driver(talos, 'production')}"
    )


@pytest.mark.parametrize("talos", ["1.8", "1.12"])
@pytest.mark.parametrize("track", DriverTrack)
def test_pascal_runs_with_every_driver_up_to_talos_1_12(talos, track):
    assert check("GTX 1080", "proprietary", track, talos) == "GTX 1080"


def test_the_lts_driver_of_talos_1_11_is_older_than_blackwell():
    assert check("RTX 5070 Ti", "open", "production", "1.11.5") == "RTX 5070 Ti"
    assert message(lambda: check("RTX 5070 Ti", "open", "lts", "1.11.5")) == (
        "'driver_track' must be 'production' on Talos 1.11.5 with product='RTX 5070 Ti' (got 'lts'); "
        f"this card needs a driver of at least 570, and the 'lts' one is {driver('1.11', 'lts')}"
    )


def test_no_driver_of_talos_1_9_knows_blackwell():
    assert message(lambda: check("RTX 5070 Ti", "open", "production", "1.9")) == (
        "'talos_version' must be one of 1.10, 1.11, 1.12, 1.13, 1.14 with product='RTX 5070 Ti' (got '1.9'); "
        f"this card needs a driver of at least 570, and the 'production' one is {driver('1.9', 'production')}"
    )


@pytest.mark.parametrize("product", ["NVIDIA-GB10", "DGX Spark", "NVIDIA B300 SXM6 AC", "GB300"])
def test_the_later_blackwells_need_a_driver_of_580(product):
    assert message(lambda: check(product, "open", "production", "1.12")) == (
        f"'driver_track' must be 'lts' on Talos 1.12 with product='{product}' (got 'production'); "
        f"this card needs a driver of at least 580, and the 'production' one is {driver('1.12', 'production')}"
    )
    assert check(product, "open", "lts", "1.12") == product


def test_a_preview_without_drivers_is_not_held_against_a_card():
    assert check("GTX 1080", "proprietary", "production", "1.15") == "GTX 1080"


@pytest.mark.parametrize("product", ["NVIDIA-GB10", "DGX Spark"])
def test_of_a_gb10_nvidia_and_talos_say_different_things_so_neither_flavour_is_refused(product):
    assert check(product, "proprietary") == product
    assert check(product, "open", "lts", "1.12") == product
    with pytest.warns(TalosGpuWarning) as caught:
        assert check(product, "open") == product

    assert [str(each.message) for each in caught] == [
        f"the documentation of Talos 1.14 has {product} work with kernel_modules='proprietary' alone"
    ]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("product", "talos", "expected"),
    [
        ("NVIDIA-GB10", "1.13", ["arm64.nobti"]),
        ("DGX Spark", "1.14", ["arm64.nobti"]),
        ("NVIDIA-GB10", "1.12", []),
        ("GB200", "1.14", []),
        ("L4", "1.14", []),
    ],
)
def test_a_gb10_needs_a_kernel_argument_since_talos_1_13(product, talos, expected):
    assert kernel_args(product, TalosVersion.parse("talos_version", talos)) == expected


@pytest.mark.parametrize(("product", "error"), [("", ValueError), (" ", ValueError), (5070, TypeError), (None, TypeError)])
def test_a_card_has_a_name(product, error):
    assert message(lambda: check(product), error) == f"'product' must be the name of a card, such as 'RTX 4090' (got {product!r})"
