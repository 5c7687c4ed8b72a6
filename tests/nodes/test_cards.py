import warnings

import pytest

from conftest import message
from constructs_lib import TalosGpuWarning
from constructs_lib.nodes.cards import check_card, kernel_args, refusal
from constructs_lib.talos import TalosVersion
from constructs_lib.upstream.nvidia.card_names import Architecture, architecture, unsupported
from constructs_lib.upstream.nvidia.driver_branches import KernelModules
from constructs_lib.upstream.talos.releases import READ_ON, TALOS


def driver(talos, track):
    return TALOS[talos].drivers[track]


def check(product, modules="open", track="production", talos="1.14"):
    check_card(product, kernel_modules=modules, driver_track=track, talos_version=TalosVersion.parse("talos_version", talos))
    return product


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
        ("HGX B200", "Blackwell"),
        ("NVIDIA-DGX-B300", "Blackwell"),
        ("DGX GB200 NVL72", "Blackwell"),
        ("HGX H100 8-GPU", "Hopper"),
        ("DGX A100 40GB", "Ampere"),
        ("HGX Rubin NVL8", "Rubin"),
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
        ("GeForce RTX 2050", "Ampere"),
        ("GeForce RTX 3050 A Laptop GPU", "Ada"),
        ("NVIDIA H20-3e", "Hopper"),
        ("RTX 6000D", "Blackwell"),
        ("NVIDIA T550 Laptop GPU", "Turing"),
        ("Tesla V100-SXM2-16GB-LS", "Volta"),
        ("Quadro K2200", "Maxwell"),
        ("Vera Rubin NVL72", "Rubin"),
        ("NVIDIA VR200", "Rubin"),
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
        "GTX 750 Ti",  # Maxwell or Kepler
        "Tesla K80",
        "Tesla M2090",
        "NVIDIA A40-48Q",  # a virtual GPU, which has a driver of its own
        "RTX PRO 6000 Rubin",
        "4090",
        "Radeon PRO W7900",
        "DGX",
        "DGX Station",
        "RTX 5090 DGX B200",
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
        f"'kernel_modules' must be 'open' with product='{product}' (got 'proprietary'); Blackwell needs the open modules; "
        'with the proprietary modules the driver reports "No devices were found"'
    )


@pytest.mark.parametrize("product", ["HGX B200", "NVIDIA DGX B300"])
def test_the_name_of_a_machine_is_checked_as_its_card(product):
    assert "'kernel_modules' must be 'open' with" in message(lambda: check(product, "proprietary"))


@pytest.mark.parametrize(("product", "kind"), [("Tesla M60", "Maxwell"), ("GTX 1080", "Pascal"), ("Tesla V100-SXM2-16GB", "Volta")])
def test_what_is_older_than_turing_needs_the_proprietary_modules(product, kind):
    assert check(product, "proprietary", "lts") == product
    assert message(lambda: check(product, "open", "lts")) == (
        f"'kernel_modules' must be 'proprietary' with product='{product}' (got 'open'); the open modules need a Turing card or newer, "
        f"and this is a {kind} card"
    )


@pytest.mark.parametrize("product", ["T4", "A100-SXM4-80GB", "L40S", "H100 NVL"])
@pytest.mark.parametrize("modules", KernelModules)
@pytest.mark.parametrize("track", ["lts", "production"])
@pytest.mark.parametrize("talos", ["1.8", "1.14"])
def test_from_turing_to_hopper_cards_run_with_either_modules_and_any_driver(product, modules, track, talos):
    assert check(product, modules, track, talos) == product


def test_of_a_card_that_is_not_known_nothing_is_checked_and_that_is_said():
    with pytest.warns(TalosGpuWarning) as caught:
        assert check("RTX 9090", "proprietary") == "RTX 9090"

    assert [str(each.message) for each in caught] == [
        f"'product' 'RTX 9090' is not known (tables of {READ_ON}): its kernel modules and its driver are not checked"
    ]


TEGRA = "Talos has no driver for a Tegra; an extension for Jetson Orin is proposed in siderolabs/extensions#1062, and none for Thor"


@pytest.mark.parametrize(
    ("product", "why"),
    [
        ("GeForce GT 710", "it is a Kepler card, whose last driver is 470.xx"),
        ("Tesla-K80", "it is a Kepler card, whose last driver is 470.xx"),
        ("NVIDIA GeForce GTX 780 Ti", "it is a Kepler card, whose last driver is 470.xx"),
        ("GTX TITAN Black", "it is a Kepler card, whose last driver is 470.xx"),
        ("Quadro K4000", "it is a Kepler card, whose last driver is 470.xx"),
        ("GeForce GTX 580", "it is a Fermi card, whose last driver is 390.xx"),
        ("Quadro 6000", "it is a Fermi card, whose last driver is 390.xx"),
        ("GeForce 8800 GTX", "it is a Tesla card, whose last driver is 340.xx"),
        ("Jetson AGX Orin", TEGRA),
        ("NVIDIA Jetson Thor", TEGRA),
        ("IGX Orin", TEGRA),
        ("NVIDIA IGX Thor", TEGRA),
    ],
)
def test_a_card_that_no_driver_of_talos_runs_is_refused_whatever_else_is_chosen(product, why):
    expected = f"'product' must be a card that a driver of Talos runs (got {product!r}); {why}"

    assert message(lambda: check(product)) == expected
    assert message(lambda: check(product, "proprietary", "lts", "1.8")) == expected


@pytest.mark.parametrize("product", ["GTX TITAN X", "Quadro K2200", "Quadro RTX 6000", "GTX 860M", "RTX 6000", "Tesla P40"])
def test_names_that_look_like_old_cards_are_not_taken_for_them(product):
    assert unsupported(product) == ""


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_rubin_runs_from_talos_1_15_on_with_the_new_feature_driver_and_the_open_modules(talos):
    assert check("VR200", "open", "new-feature", "1.15") == "VR200"
    assert "'driver_track' must be 'new-feature' on Talos 1.15" in message(lambda: check("VR200", "open", "production", "1.15"))
    assert "'talos_version' must be one of 1.15 with product='VR200'" in message(lambda: check("VR200", "open", "production", talos))
    assert "'kernel_modules' must be 'open'" in message(lambda: check("VR200", "proprietary", "production", "1.15"))


@pytest.mark.parametrize("product", ["Tesla M60", "GTX 1080", "Tesla V100-SXM2-16GB"])
@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_the_production_driver_of_talos_1_13_dropped_what_is_older_than_turing(product, talos):
    assert check(product, "proprietary", "lts", talos) == product
    assert message(lambda: check(product, "proprietary", "production", talos)) == (
        f"'driver_track' must be 'lts' on Talos {talos} with product='{product}' (got 'production'); "
        f"this card needs a driver of at most 580, and the 'production' driver is {driver(talos, 'production')}"
    )


@pytest.mark.parametrize("talos", ["1.8", "1.12"])
@pytest.mark.parametrize("track", ["lts", "production"])
def test_pascal_runs_with_every_driver_up_to_talos_1_12(talos, track):
    assert check("GTX 1080", "proprietary", track, talos) == "GTX 1080"


def test_the_lts_driver_of_talos_1_11_is_older_than_blackwell():
    assert check("RTX 5070 Ti", "open", "production", "1.11.5") == "RTX 5070 Ti"
    assert message(lambda: check("RTX 5070 Ti", "open", "lts", "1.11.5")) == (
        "'driver_track' must be 'production' on Talos 1.11.5 with product='RTX 5070 Ti' (got 'lts'); "
        f"this card needs a driver of at least 570, and the 'lts' driver is {driver('1.11', 'lts')}"
    )


def test_no_driver_of_talos_1_9_knows_blackwell():
    assert message(lambda: check("RTX 5070 Ti", "open", "production", "1.9")) == (
        "'talos_version' must be one of 1.10, 1.11, 1.12, 1.13, 1.14, 1.15 with product='RTX 5070 Ti' (got '1.9'); "
        f"this card needs a driver of at least 570, and the 'production' driver is {driver('1.9', 'production')}"
    )


@pytest.mark.filterwarnings("ignore:.*(GB10|DGX Spark)")
@pytest.mark.parametrize("product", ["NVIDIA-GB10", "DGX Spark", "NVIDIA B300 SXM6 AC", "GB300"])
def test_the_later_blackwells_need_a_driver_of_580(product):
    assert message(lambda: check(product, "open", "production", "1.12")) == (
        f"'driver_track' must be 'lts' on Talos 1.12 with product='{product}' (got 'production'); "
        f"this card needs a driver of at least 580, and the 'production' driver is {driver('1.12', 'production')}"
    )
    assert check(product, "open", "lts", "1.12") == product


def test_a_beta_has_drivers_that_a_card_is_held_to():
    assert check("GTX 1080", "proprietary", "lts", "1.15") == "GTX 1080"
    assert "'driver_track' must be 'lts' on Talos 1.15" in message(lambda: check("GTX 1080", "proprietary", "production", "1.15"))


@pytest.mark.parametrize("product", ["NVIDIA-GB10", "DGX Spark"])
@pytest.mark.parametrize(("modules", "other"), [("open", "proprietary"), ("proprietary", "open")])
def test_what_each_source_says_of_the_modules_of_a_gb10_is_said_whichever_are_chosen(product, modules, other):
    with pytest.warns(TalosGpuWarning) as caught:
        assert check(product, modules, talos="1.14.6") == product

    said = str(caught[0].message)
    assert len(caught) == 1
    assert said.startswith(
        f"sources disagree about the kernel modules of {product} on Talos 1.14.6. The proprietary ones are the default, because"
    )
    assert said.endswith(f". If the card does not start with '{modules}', set kernel_modules='{other}'")
    for source in (
        "(documented: siderolabs/docs",
        "(documented: NVIDIA/open-gpu-kernel-modules",
        "(reported: Start9Labs",
        "(reported: nicolerenee",
    ):
        assert source in said
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("talos", "fails"),
    [("1.12", True), ("1.13", False), ("1.13.9", True), ("1.13.10", False), ("1.14", False), ("1.14.0", True), ("1.14.1", False)],
)
def test_cuda_fails_on_a_gb10_on_some_patch_releases(talos, fails):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check("GB10", "proprietary", "lts", talos)

    said = [str(each.message) for each in caught]
    assert any("CONFIG_ARM_SMMU_V3_SVA" in each and each.endswith("Upgrade Talos to 1.14.1 or newer") for each in said) == fails


def test_an_rtx_card_is_no_gb10():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check("RTX 5090", "open", "production", "1.14.0")


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


@pytest.mark.parametrize(
    ("product", "modules", "talos", "reason"),
    [
        ("RTX 5090", "open", TalosVersion(14), ""),
        ("RTX 5090", "proprietary", None, 'Blackwell needs the open modules; with the proprietary modules the driver reports "No devices were found"'),
        ("GTX 1080", "open", TalosVersion(12), "the open modules need a Turing card or newer, and this is a Pascal card"),
        ("GTX 1080", "proprietary", None, ""),
        ("a card of tomorrow", "proprietary", TalosVersion(14), ""),
    ],
)  # fmt: skip
def test_the_reason_why_modules_do_not_run_a_card_needs_no_talos(product, modules, talos, reason):
    assert refusal(product, kernel_modules=modules, driver_track="production", talos_version=talos) == reason


def test_the_reason_why_a_driver_does_not_run_a_card_needs_its_talos():
    def reason(talos):
        return refusal("GTX 1080", kernel_modules="proprietary", driver_track="production", talos_version=talos)

    assert reason(None) == ""
    assert reason(TalosVersion(13)).startswith("this card needs a driver of at most 580, and the 'production' driver is ")
