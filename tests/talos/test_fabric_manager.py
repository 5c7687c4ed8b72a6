"""The nodes that have the fabric manager by default, and the fabric managers that do not start.

These are the ones of Talos 1.13.0 (siderolabs/extensions#1073), of 1.8 (#511), and NVLink 5 before 1.12 (#717).
"""

import warnings

import pytest
from command_line import UUID

from conftest import message
from constructs_lib import GpuNodes, TalosGpuWarning
from constructs_lib.talos import (
    ExistingSchematic,
    MachineConfigPatch,
    Schematic,
    UpgradePlan,
    merge_into_talconfig,
    talhelper_node,
    terraform_json,
)

FAULT = "the fabric manager of Talos 1.13.0 does not start, because libz.so.1 is missing (siderolabs/extensions#1073)"
USE = f"{FAULT}; use Talos 1.13.1 or newer"


def nodes(talos="1.13"):
    return GpuNodes(talos_version=talos)


def image(talos="1.13"):
    return Schematic(nodes=nodes(talos), fabric_manager=True)


ID = image().id


@pytest.mark.parametrize("talos", ["1.13.0", "v1.13.0"])
def test_a_schematic_has_no_fabric_manager_on_the_release_whose_fabric_manager_does_not_start(talos):
    assert message(lambda: image(talos)) == f"'fabric_manager' must be False on Talos 1.13.0 (got True); {USE}"
    assert Schematic(nodes=nodes(talos)).official_extensions


@pytest.mark.parametrize("talos", ["1.12.0", "1.13", "1.13.1", "1.14.0"])
def test_a_schematic_has_a_fabric_manager_on_every_other_release_and_without_a_patch(talos):
    assert "siderolabs/nvidia-fabricmanager-production" in image(talos).official_extensions


def test_an_id_with_fabric_manager_is_refused_for_nodes_of_that_release():
    assert message(lambda: ExistingSchematic(ID, nodes=nodes("1.13.0"))) == (
        f"'id' must be of a schematic without fabric manager on Talos 1.13.0 (got '{ID}'); {USE}"
    )
    assert ExistingSchematic(ID, nodes=nodes("1.13.1")).fabric_manager
    assert not ExistingSchematic("0" * 64, nodes=nodes("1.13.0")).fabric_manager


@pytest.mark.parametrize("images", [image(), ExistingSchematic(ID)], ids=["schematic", "id"])
@pytest.mark.parametrize("name", ["installer_image", "iso", "pxe"])
def test_no_image_of_that_release_has_a_fabric_manager(images, name):
    assert message(lambda: getattr(images, name)("1.13.0")) == (
        f"'version' must be 1.13.1 or newer for an image with fabric manager (got '1.13.0'); {FAULT}"
    )
    assert "v1.13.1" in getattr(images, name)("1.13.1")


@pytest.mark.parametrize("call", [terraform_json, talhelper_node])
def test_a_patch_for_that_release_is_refused_beside_an_image_with_fabric_manager(call):
    images, patch = ExistingSchematic(ID), MachineConfigPatch(nodes=nodes("1.13.0"))

    assert message(lambda: call(schematic=images, patch=patch)) == (
        f"'schematic' must be without fabric manager on Talos 1.13.0 (got '{ID}'); {USE}"
    )
    assert call(schematic=ExistingSchematic("0" * 64), patch=patch)


def test_talhelper_gets_an_image_with_fabric_manager_for_nodes_without_a_patch_number():
    node = talhelper_node(schematic=ExistingSchematic(ID), patch=MachineConfigPatch(nodes=nodes()))

    assert node["talosImageURL"] == f"factory.talos.dev/metal-installer/{ID}"


def test_a_talconfig_of_that_release_is_refused():
    def merge(talos, schematic):
        talconfig = f"talosVersion: {talos}\nnodes:\n  - hostname: gpu-1\n"
        return merge_into_talconfig(talconfig, hostnames=["gpu-1"], schematic=schematic, patch=MachineConfigPatch(nodes=nodes()))

    assert message(lambda: merge("v1.13.0", image())) == (
        "'talconfig' must be of Talos 1.13.1 or newer for a 'schematic' with fabric manager (got 'talosVersion: v1.13.0'); " + FAULT
    )
    assert "fabricmanager" in merge("v1.13.1", image())
    assert merge("v1.13.0", Schematic(nodes=nodes()))


def test_nodes_leave_that_release_with_the_image_of_a_newer_one():
    plan = UpgradePlan(nodes=nodes("1.13.0"), to="1.13.9", schematic=image("1.13.1"))

    assert f"talosctl upgrade --nodes $ADDRESS --drain-timeout 15m --image factory.talos.dev/metal-installer/{ID}:v1.13.9" in plan.markdown


@pytest.mark.parametrize("command", ["schematic", "patch --for talhelper", "patch --for terraform", "patch --for omni --cluster a"])
def test_the_command_refuses_the_pair_in_flags(command, refusal):
    assert refusal(*command.split(), "--talos", "1.13.0", "--fabric-manager") == (
        f"--fabric-manager must be left out on Talos 1.13.0 (got --fabric-manager); {USE}"
    )


def test_the_command_plans_the_way_out_of_that_release(answer, refusal):
    assert "--fabric-manager > schematic.yaml" in answer("upgrade", "--talos", "1.13.0", "--to", "1.13.9", "--fabric-manager")
    assert refusal("upgrade", "--talos", "1.12.11", "--to", "1.13.0", "--fabric-manager") == (
        f"--to must be 1.13.1 or newer for nodes with a fabric manager (got '1.13.0'); {FAULT}"
    )


@pytest.mark.parametrize(("talos", "fixed_in"), [("1.13.0-rc.0", "1.13.1"), ("1.14.0-alpha.0", "1.14.0-alpha.1")])
def test_two_pre_releases_have_the_same_fabric_manager(talos, fixed_in):
    assert f"on Talos {talos} (got True)" in message(lambda: image(talos))
    assert message(lambda: image(talos)).endswith(f"use Talos {fixed_in} or newer")


# The fabric manager of the track `production` on Talos 1.8


@pytest.mark.parametrize("talos", ["1.8", "1.8.4"])
def test_the_production_fabric_manager_of_talos_1_8_is_refused(talos):
    assert message(lambda: image(talos)) == (
        f"'fabric_manager' must be False on Talos {talos} (got True); the 'production' fabric manager of Talos {talos} stops at its own "
        "configuration file (siderolabs/extensions#511); use Talos 1.9.0 or newer"
    )
    assert Schematic(nodes=GpuNodes(talos_version=talos, driver_track="lts"), fabric_manager=True).official_extensions
    assert image("1.9.0").official_extensions


# NVLink 5


def board(talos="1.13.9", product="NVIDIA-B200"):
    return GpuNodes(talos_version=talos, product=product)


NO_NVLSM = (
    "the fabric manager of Talos 1.11.6 has no NVLink subnet manager, which the NVLink 5 of NVIDIA-B200 needs (siderolabs/extensions#717)"
)


@pytest.mark.parametrize("kind", [Schematic, MachineConfigPatch])
def test_nvlink_5_is_refused_before_the_fabric_manager_that_starts_it(kind):
    assert message(lambda: kind(nodes=board("1.11.6"), fabric_manager=True)) == (
        f"'fabric_manager' must be False on Talos 1.11.6 (got True); {NO_NVLSM}; use Talos 1.12.0 or newer"
    )
    assert kind(nodes=board("1.12.0"), fabric_manager=True).fabric_manager
    assert kind(nodes=board("1.11.6", "NVIDIA-H200"), fabric_manager=True).fabric_manager


def test_an_id_with_fabric_manager_is_refused_for_nvlink_5_on_that_talos():
    assert message(lambda: ExistingSchematic(ID, nodes=board("1.11.6"))) == (
        f"'id' must be of a schematic without fabric manager on Talos 1.11.6 (got '{ID}'); {NO_NVLSM}; use Talos 1.12.0 or newer"
    )
    assert message(lambda: terraform_json(schematic=ExistingSchematic(ID), patch=MachineConfigPatch(nodes=board("1.11.6")))) == (
        f"'schematic' must be without fabric manager on Talos 1.11.6 (got '{ID}'); {NO_NVLSM}; use Talos 1.12.0 or newer"
    )


def test_an_upgrade_to_a_talos_that_can_not_start_nvlink_5_is_refused(refusal):
    arguments = ("upgrade", "--talos", "1.10.9", "--product", "NVIDIA-B200", "--fabric-manager", "--to")

    assert refusal(*arguments, "1.11.6") == f"--to must be 1.12.0 or newer for nodes with a fabric manager (got '1.11.6'); {NO_NVLSM}"


LOADS = [*("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"), "ib_umad"]


@pytest.mark.parametrize(
    ("product", "loads"),
    [
        ("B100", True),
        ("NVIDIA-B200", True),
        ("NVIDIA-B300-SXM6-AC", True),
        ("H200", False),
        ("NVIDIA-H100-80GB-HBM3", False),
        ("RTX PRO 6000 Blackwell Server Edition", False),
        ("NVIDIA-GB200", False),  # its NVSwitches are in switch trays with a fabric manager of their own
        (None, True),
    ],
)
def test_a_patch_beside_fabric_manager_loads_ib_umad_for_nvlink_5_and_for_a_card_without_a_name(product, loads):
    for talos in ("1.13", "1.14"):
        patch = MachineConfigPatch(nodes=board(talos, product), fabric_manager=True)

        assert list(patch.loaded_modules) == LOADS[: 5 if loads else 4]
        assert (patch.text.count("Fabric manager needs ib_umad"), patch.text.count("name: ib_umad")) == ((1, 1) if loads else (0, 0))
        assert "ib_umad" not in MachineConfigPatch(nodes=board(talos, product)).loaded_modules


def test_a_card_that_came_after_the_tables_may_have_nvlink_5():
    with pytest.warns(TalosGpuWarning, match="'product' 'B400' is not known"):
        nodes = board(product="B400")

    assert MachineConfigPatch(nodes=nodes, fabric_manager=True).loaded_modules[-1] == "ib_umad"


def test_without_a_product_a_talos_that_can_not_start_nvlink_5_loads_no_ib_umad():
    assert "ib_umad" not in MachineConfigPatch(nodes=nodes("1.11"), fabric_manager=True).loaded_modules


def test_both_styles_load_the_module_by_name():
    assert MachineConfigPatch(nodes=board("1.14.0"), fabric_manager=True).documents[4] == {
        "apiVersion": "v1alpha1", "kind": "KernelModuleConfig", "name": "ib_umad",
    }  # fmt: skip
    (fields,) = MachineConfigPatch(nodes=board("1.14.0"), style="fields", fabric_manager=True).documents
    assert fields["machine"]["kernel"]["modules"] == [{"name": name} for name in LOADS]


@pytest.mark.parametrize("call", [terraform_json, talhelper_node])
def test_a_patch_without_ib_umad_is_refused_beside_an_image_with_fabric_manager(call):
    images = Schematic(nodes=board(), fabric_manager=True)

    assert message(lambda: call(schematic=images, patch=MachineConfigPatch(nodes=board()))) == (
        "'patch' must be with fabric_manager=True (got ['nvidia', 'nvidia_uvm', 'nvidia_drm', 'nvidia_modeset']); without the module ib_umad "
        "fabric manager can't start the NVLink 5 of NVIDIA-B200"
    )
    for patch in (
        MachineConfigPatch(nodes=board(), fabric_manager=True),
        MachineConfigPatch(nodes=board(), extra_kernel_modules=["ib_umad"]),
    ):
        assert "ib_umad" in str(call(schematic=images, patch=patch))
    hopper = board(product="H200")
    assert call(schematic=Schematic(nodes=hopper, fabric_manager=True), patch=MachineConfigPatch(nodes=hopper))


@pytest.mark.parametrize("call", [terraform_json, talhelper_node])
def test_a_patch_for_fabric_manager_is_refused_beside_an_image_without(call):
    images, patch = Schematic(nodes=board(), fabric_manager=False), MachineConfigPatch(nodes=board(), fabric_manager=True)

    assert message(lambda: call(schematic=images, patch=patch)) == (
        f"'schematic' must be with fabric_manager=True (got '{images.id}'); the patch is for nodes with fabric manager"
    )
    assert call(schematic=ExistingSchematic("0" * 64), patch=patch)  # an ID does not show its extensions


@pytest.mark.parametrize(
    "tool", ["talosctl", "omni --cluster home --machine-set home-gpu", f"omni --machine {UUID}", "talhelper", "terraform"]
)
def test_the_command_loads_it_for_every_tool(tool, answer):
    arguments = ("patch", "--talos", "1.13.9", "--product", "B200", "--for", *tool.split())

    assert "ib_umad" in answer(*arguments, "--fabric-manager")
    assert "ib_umad" not in answer(*arguments, "--no-fabric-manager")


# The default


def machine(product, cards, talos="1.13.9"):
    return GpuNodes(talos_version=talos, product=product, gpus_per_node=cards)


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        value = call()
    return value, [str(each.message) for each in caught]


@pytest.mark.parametrize("product", ["B200", "HGX B300 8-GPU", "H200", "NVIDIA-H100-80GB-HBM3", "A100-SXM4-80GB", "H100 SXM5"])
def test_eight_cards_of_a_board_with_nvswitch_have_the_fabric_manager_by_default(product):
    of = machine(product, 8)

    assert "siderolabs/nvidia-fabricmanager-production" in Schematic(nodes=of).official_extensions
    assert MachineConfigPatch(nodes=of).fabric_manager
    assert not Schematic(nodes=of, fabric_manager=False).fabric_manager
    assert not MachineConfigPatch(nodes=of, fabric_manager=False).fabric_manager


@pytest.mark.parametrize(
    ("product", "cards"),
    [
        ("H200 NVL", 8),
        ("H100 PCIe", 8),
        ("RTX 4090", 8),
        ("A100-SXM4-40GB", 4),
        ("Tesla V100-SXM2-16GB", 8),
        ("GB200", 8),
        ("H100", 2),
        ("H100", None),
    ],
)
def test_other_cards_and_numbers_have_no_fabric_manager_and_no_warning(product, cards):
    image, said = warned(lambda: Schematic(nodes=machine(product, cards)))

    assert (image.fabric_manager, said) == (False, [])
    assert not MachineConfigPatch(nodes=machine(product, cards)).fabric_manager


FAILS = "without the fabric manager CUDA fails there (CUDA_ERROR_SYSTEM_NOT_READY, 802)"


@pytest.mark.parametrize(
    ("product", "cards", "subject"),
    [
        ("H100", 8, "'product' 'H100' with 8 cards"),
        ("A100 80GB", 16, "'product' 'A100 80GB' with 16 cards"),
        ("B200", None, "'product' 'B200'"),
    ],
)
def test_an_image_without_the_fabric_manager_for_cards_that_may_need_it_is_a_warning(product, cards, subject):
    image, said = warned(lambda: Schematic(nodes=machine(product, cards)))

    subject = subject.replace("'product' ", "product=")
    assert (image.fabric_manager, said) == (False, [f"{subject}: an HGX or DGX machine needs fabric_manager=True; {FAILS}"])
    for given in (True, False):
        assert warned(lambda given=given: Schematic(nodes=machine(product, cards), fabric_manager=given))[1] == []


def test_a_release_whose_fabric_manager_does_not_start_has_none_by_default_and_warns():
    image, said = warned(lambda: Schematic(nodes=machine("H200", 8, "1.13.0")))

    assert (image.fabric_manager, said) == (
        False,
        [f"the image has no fabric manager, because {FAULT}; {FAILS}: use Talos 1.13.1 or newer"],
    )
    assert not MachineConfigPatch(nodes=machine("H200", 8, "1.13.0")).fabric_manager


def test_an_upgrade_keeps_the_fabric_manager_that_follows_from_the_card(refusal, run):
    flags = ("upgrade", "--talos", "1.13.9", "--product", "B200", "--gpus-per-node", "8")

    assert "--fabric-manager > schematic.yaml" in run(*flags, "--to", "1.14.6")[1]
    assert refusal("upgrade", "--talos", "1.12.11", "--to", "1.13.0", *flags[3:]).startswith(
        "--to must be 1.13.1 or newer for nodes with a fabric"
    )


def test_the_command_warns_in_its_flags(run):
    _, _, err = run("schematic", "--talos", "1.13.9", "--product", "H100", "--gpus-per-node", "8")

    assert err == f"talos-gpu schematic: warning: --product 'H100' with 8 cards: an HGX or DGX machine needs --fabric-manager; {FAILS}\n"
