"""The processor architecture of images: it follows from the card or the overlay, and `arch` overrides it."""

import pytest

from conftest import message
from constructs_lib import GpuNodes
from constructs_lib.talos import ExistingSchematic, Overlay, Schematic
from constructs_lib.upstream.talos.platforms import Arch

LTS = {"talos_version": "1.13.9", "driver_track": "lts"}
ROCKCHIP = Overlay(image="siderolabs/sbc-rockchip", name="turingrk1")
OWN = Overlay(image="example/board", name="board")


def schematic(product=None, **given):
    return Schematic(nodes=GpuNodes(**LTS, product=product), **given)


@pytest.mark.parametrize("product", ["NVIDIA GH200 480GB", "NVIDIA-GH200-144G-HBM3e", "GB200", "GB300"])
def test_a_card_on_a_board_with_an_arm_processor_has_arm64_images(product):
    images = schematic(product)

    assert images.arch is Arch.ARM64
    assert "/metal-arm64.iso" in images.iso()
    assert images.pxe().endswith("/metal-arm64")
    assert images.disk_image().endswith("/metal-arm64.raw.zst")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("product", ["NVIDIA-GB10", "DGX Spark"])
def test_a_gb10_has_arm64_images(product):
    assert schematic(product).arch is Arch.ARM64


@pytest.mark.filterwarnings("ignore:.* an HGX or DGX machine needs")
@pytest.mark.parametrize("product", [None, "H200", "B200", "NVIDIA-H100-NVL", "RTX 4090"])
def test_other_cards_have_amd64_images_unless_arch_says_otherwise(product):
    assert schematic(product).arch is Arch.AMD64
    assert schematic(product, arch="arm64").iso().endswith("/metal-arm64.iso")
    assert schematic(product).iso(arch="arm64").endswith("/metal-arm64.iso")


@pytest.mark.parametrize("overlay", [ROCKCHIP, OWN])
def test_a_board_has_arm64_images(overlay):
    images = schematic("RTX 4090", overlay=overlay)

    assert images.arch is Arch.ARM64
    assert images.disk_image().endswith("/metal-arm64.raw.xz")


def test_an_overlay_that_is_not_official_may_be_for_amd64():
    assert schematic(overlay=OWN, arch="amd64").arch is Arch.AMD64


def test_the_schematic_and_the_installer_image_do_not_depend_on_the_architecture():
    assert schematic(arch="arm64").id == schematic().id
    assert schematic(arch="arm64").installer_image() == schematic().installer_image()


def test_an_existing_schematic_has_the_architecture_of_the_card_of_its_nodes():
    nodes = GpuNodes(**LTS, product="GH200")

    assert "/metal-arm64.iso" in ExistingSchematic("a" * 64, nodes=nodes).iso()
    assert "/metal-amd64.iso" in ExistingSchematic("a" * 64).iso("v1.13.9")


@pytest.mark.parametrize(
    "call",
    [
        lambda: schematic("GH200", arch="amd64"),
        lambda: schematic("GH200").iso(arch="amd64"),
        lambda: schematic("GH200").pxe(arch="amd64"),
        lambda: schematic("GH200").disk_image(arch="amd64"),
        lambda: ExistingSchematic("a" * 64, nodes=GpuNodes(**LTS, product="GH200")).iso(arch="amd64"),
    ],
)
def test_amd64_is_refused_for_a_card_with_an_arm_processor(call):
    assert message(call) == "'arch' must be 'arm64' with product='GH200' (got 'amd64'); this GPU is on one board with an Arm processor"


def test_amd64_is_refused_for_an_official_overlay():
    assert message(lambda: schematic(overlay=ROCKCHIP, arch="amd64")) == (
        "'arch' must be 'arm64' with the overlay siderolabs/sbc-rockchip (got 'amd64'); all official overlays are for arm64 boards"
    )


def test_an_unknown_architecture_is_refused():
    assert message(lambda: schematic(arch="aarch64")) == "'arch' must be one of 'amd64', 'arm64' (got 'aarch64'); did you mean 'arm64'?"


def test_the_overlay_of_a_jetson_is_refused_unless_the_nodes_name_a_card():
    jetson = Overlay(image="siderolabs/sbc-jetson", name="jetson_nano")

    assert message(lambda: schematic(overlay=jetson)) == (
        "'overlay' must be of a board with a card that a driver of Talos runs (got 'siderolabs/sbc-jetson'); "
        "Talos has no driver for a Tegra; an extension for Jetson Orin is proposed in siderolabs/extensions#1062, and none for Thor"
    )
    assert schematic("RTX A2000", overlay=jetson).arch is Arch.ARM64
