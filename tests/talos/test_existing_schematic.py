import itertools

import pytest
from attrs.exceptions import FrozenInstanceError

from conftest import message
from constructs_lib import GpuNodes
from constructs_lib.nodes.factory_ids import schematic_id
from constructs_lib.talos.image.existing_schematic import ExistingSchematic
from constructs_lib.talos.image.schematic import Schematic

# The bytes of which these are the hash hold one name of each in the order that is given here.
OPEN_LTS = "40b13a8d4f3202c7d7c95f0cc0fa5cecea2d480ea9f1f1dd3122395cd68f6e9d"
PROPRIETARY_LTS = "af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7"
PROPRIETARY_PRODUCTION = "26124abcbd408be693df9fe852c80ef1e6cc178e34d7d7d8430a28d1130b4227"
NOTHING = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"
UNKNOWN = "0123456789abcdef" * 4
RULE = "'id' must be the ID of a schematic (64 hexadecimal digits, in lower case)"


def nodes(modules="proprietary", track="lts", talos="1.13.6"):
    return GpuNodes(talos_version=talos, kernel_modules=modules, driver_track=track)


def id_of(*names):
    return schematic_id({"customization": {"systemExtensions": {"officialExtensions": [f"siderolabs/{name}" for name in names]}}})


def test_an_id_that_nobody_can_read_is_taken_as_it_is():
    existing = ExistingSchematic(UNKNOWN, nodes=nodes())

    assert (existing.id, existing.nodes, existing.factory) == (UNKNOWN, nodes(), "factory.talos.dev")


def test_its_images_have_the_names_of_a_schematics_own():
    schematic = Schematic(nodes=nodes())
    existing = ExistingSchematic(schematic.id, nodes=nodes())

    assert existing.installer_image() == schematic.installer_image() == f"factory.talos.dev/metal-installer/{PROPRIETARY_LTS}:v1.13.6"
    assert existing.iso(arch="arm64") == schematic.iso(arch="arm64")
    assert existing.pxe(secureboot=True) == schematic.pxe(secureboot=True)


def test_without_nodes_the_release_is_given():
    existing = ExistingSchematic(UNKNOWN, factory="factory.example")

    assert existing.installer_image("v1.9.6") == f"factory.example/installer/{UNKNOWN}:v1.9.6"
    assert message(existing.iso, TypeError) == (
        "'version' must be a Talos release with its patch, such as 'v1.12.11' (got None); without 'nodes' the version has no default"
    )


def test_the_id_of_other_extensions_than_the_nodes_need_is_refused():
    assert message(lambda: ExistingSchematic(PROPRIETARY_PRODUCTION, nodes=nodes())) == (
        "'id' must be of a schematic with siderolabs/nonfree-kmod-nvidia-lts and siderolabs/nvidia-container-toolkit-lts (got "
        f"'{PROPRIETARY_PRODUCTION}'); the schematic has siderolabs/nonfree-kmod-nvidia-production and "
        "siderolabs/nvidia-container-toolkit-production"
    )


def test_the_id_of_talos_as_it_comes_is_refused():
    assert message(lambda: ExistingSchematic(NOTHING, nodes=nodes())) == (
        "'id' must be of a schematic with siderolabs/nonfree-kmod-nvidia-lts and siderolabs/nvidia-container-toolkit-lts "
        f"(got '{NOTHING}'); the schematic has no extensions"
    )


@pytest.mark.parametrize(
    ("known", "modules", "track"),
    [
        (OPEN_LTS, "open", "lts"),
        ("86a5d7c9beb23b4aea2777e44ca06c8c2ceea8a874ccd2b9a6743c4f734329e0", "open", "lts"),
        (PROPRIETARY_LTS, "proprietary", "lts"),
        ("5403e11558d4c91d0def590ecef8bff265ffdc297352726d46b13a1aa8dc3622", "proprietary", "lts"),
        ("1deaeeb1ea2e7901c21c109368a7261f52dfd9a91e9d7eea83cfd0f0e1b7d488", "open", "production"),
        ("6698d6f136c5bb37ca8bb8482c9084305084da0a5ead1f4dcae760796f8ab3a2", "open", "production"),
        (PROPRIETARY_PRODUCTION, "proprietary", "production"),
        ("51293903556f88b7d1209e70fddff4f3ea8ef153907f2fa6441c9debdc9640bd", "proprietary", "production"),
    ],
)
def test_an_id_of_either_order_agrees_with_its_own_nodes_and_no_others(known, modules, track):
    for other in itertools.product(["open", "proprietary"], ["lts", "production"]):
        if other == (modules, track):
            assert ExistingSchematic(known, nodes=nodes(*other)).id == known
        else:
            assert "; the schematic has siderolabs/" in message(lambda other=other: ExistingSchematic(known, nodes=nodes(*other)))


ALL_FOUR = ["nvidia-open-gpu-kernel-modules-lts", "nvidia-container-toolkit-lts", "nvidia-fabricmanager-lts", "nvidia-gdrdrv-device"]


@pytest.mark.parametrize("order", list(itertools.permutations(ALL_FOUR)))
def test_an_id_with_fabric_manager_and_gdrcopy_is_known_in_every_order(order):
    assert ExistingSchematic(id_of(*order), nodes=nodes("open")).id == id_of(*order)
    listed = " and ".join(f"siderolabs/{name}" for name in order)
    assert message(lambda: ExistingSchematic(id_of(*order), nodes=nodes("open", "production"))).endswith(f"; the schematic has {listed}")


@pytest.mark.parametrize("further", ["nvidia-fabricmanager-production", "nvidia-gdrdrv-device"])
def test_an_id_with_one_of_them_is_known_too(further):
    known = id_of(further, "nonfree-kmod-nvidia-production", "nvidia-container-toolkit-production")

    assert ExistingSchematic(known, nodes=nodes(track="production")).id == known
    assert "; the schematic has siderolabs/" in message(lambda: ExistingSchematic(known, nodes=nodes()))


def test_nothing_is_compared_without_nodes():
    assert ExistingSchematic(NOTHING).nodes is None


def test_is_equal_by_value_and_frozen():
    existing = ExistingSchematic(UNKNOWN)

    assert existing == ExistingSchematic(UNKNOWN)
    assert hash(existing) == hash(ExistingSchematic(UNKNOWN))
    assert message(lambda: setattr(existing, "id", NOTHING), FrozenInstanceError) == "can't set attribute"


@pytest.mark.parametrize(
    ("given", "then"),
    [
        (PROPRIETARY_LTS.upper(), f"; did you mean '{PROPRIETARY_LTS}'?"),
        (f"factory.talos.dev/metal-installer/{OPEN_LTS}:v1.12.1", f"; did you mean '{OPEN_LTS}'?"),
        (f"{OPEN_LTS} ", f"; did you mean '{OPEN_LTS}'?"),
        (OPEN_LTS[1:], ""),
        (OPEN_LTS + "0", ""),
        ("g" * 64, ""),
        ("", ""),
    ],
)
def test_what_is_no_id_is_refused(given, then):
    assert message(lambda: ExistingSchematic(given)) == f"{RULE} (got {given!r}){then}"


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: ExistingSchematic(5), TypeError, f"{RULE} (got 5)"),
        (lambda: ExistingSchematic(UNKNOWN, nodes="gpu"), TypeError, "'nodes' must be a GpuNodes (got 'gpu')"),
        (
            lambda: ExistingSchematic(UNKNOWN, factory="http://factory.example"),
            ValueError,
            "'factory' must be the host of an Image Factory such as 'factory.talos.dev' (got 'http://factory.example'); did you mean 'factory.example'?",
        ),
    ],
)
def test_the_wrong_kind_of_thing_is_refused(call, error, expected):
    assert message(call, error) == expected


def test_an_id_of_our_extensions_and_one_official_extension_is_known():
    other = Schematic(nodes=nodes(track="production"), extensions=["siderolabs/iscsi-tools"])

    assert ExistingSchematic(other.id, nodes=nodes(track="production")).id == other.id
    assert message(lambda: ExistingSchematic(other.id, nodes=nodes())) == (
        "'id' must be of a schematic with siderolabs/nonfree-kmod-nvidia-lts and siderolabs/nvidia-container-toolkit-lts (got "
        f"'{other.id}'); the schematic has siderolabs/iscsi-tools and siderolabs/nonfree-kmod-nvidia-production and "
        "siderolabs/nvidia-container-toolkit-production"
    )


def test_two_further_extensions_are_not_known():
    other = Schematic(nodes=nodes(track="production"), extensions=["siderolabs/iscsi-tools", "siderolabs/nfs-utils"])

    assert ExistingSchematic(other.id, nodes=nodes()).id == other.id


def test_fabric_manager_is_found_beside_a_further_extension():
    schematic = Schematic(nodes=nodes(), extensions=["siderolabs/iscsi-tools"], fabric_manager=True)

    assert ExistingSchematic(schematic.id).fabric_manager
