"""The fabric manager of Talos 1.13.0, which does not start (siderolabs/extensions#1073, at the tags v1.13.0 and v1.13.1)."""

import pytest

from conftest import message
from constructs_lib import (
    GpuNodes,
    MachineConfigPatch,
    Schematic,
    UpgradePlan,
    existing_schematic,
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


@pytest.mark.parametrize("talos", ["1.12.0", "1.13", "1.13.0-rc.0", "1.13.1", "1.14.0"])
def test_a_schematic_has_a_fabric_manager_on_every_other_release_and_without_a_patch(talos):
    assert "siderolabs/nvidia-fabricmanager-production" in image(talos).official_extensions


def test_an_id_with_fabric_manager_is_refused_for_nodes_of_that_release():
    assert message(lambda: existing_schematic(ID, nodes=nodes("1.13.0"))) == (
        f"'id' must be of a schematic without fabric manager on Talos 1.13.0 (got '{ID}'); {USE}"
    )
    assert existing_schematic(ID, nodes=nodes("1.13.1")).fabric_manager
    assert not existing_schematic("0" * 64, nodes=nodes("1.13.0")).fabric_manager


@pytest.mark.parametrize("images", [image(), existing_schematic(ID)], ids=["schematic", "id"])
@pytest.mark.parametrize("name", ["installer_image", "iso", "pxe"])
def test_no_image_of_that_release_has_a_fabric_manager(images, name):
    assert message(lambda: getattr(images, name)("1.13.0")) == (
        f"'version' must be 1.13.1 or newer for an image with fabric manager (got '1.13.0'); {FAULT}"
    )
    assert "v1.13.1" in getattr(images, name)("1.13.1")


@pytest.mark.parametrize("call", [terraform_json, talhelper_node])
def test_a_patch_for_that_release_is_refused_beside_an_image_with_fabric_manager(call):
    images, patch = existing_schematic(ID), MachineConfigPatch(nodes=nodes("1.13.0"))

    assert message(lambda: call(schematic=images, patch=patch)) == (
        f"'schematic' must be without fabric manager on Talos 1.13.0 (got '{ID}'); {USE}"
    )
    assert call(schematic=existing_schematic("0" * 64), patch=patch)


def test_talhelper_gets_an_image_with_fabric_manager_for_nodes_without_a_patch_number():
    node = talhelper_node(schematic=existing_schematic(ID), patch=MachineConfigPatch(nodes=nodes()))

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

    assert f"talosctl upgrade --nodes $ADDRESS --image factory.talos.dev/metal-installer/{ID}:v1.13.9" in plan.markdown


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
