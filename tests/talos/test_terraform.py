import json

import pytest
import yaml

from conftest import message
from constructs_lib import GpuNodes, Taint
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.talos.image.existing_schematic import ExistingSchematic
from constructs_lib.talos.image.schematic import Schematic
from constructs_lib.talos.targets.infrastructure import terraform_json

ID = "af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7"


def nodes(talos="1.11.5", **given):
    return GpuNodes(talos_version=talos, kernel_modules="proprietary", driver_track="lts", **given)


def made(of=None, *, schematic=None, style=None, **given):
    of = of or nodes()
    return terraform_json(schematic=schematic or Schematic(nodes=of), patch=MachineConfigPatch(nodes=of, style=style), **given)


def test_a_file_is_json_with_stable_keys_and_a_line_break_at_its_end():
    assert (
        made()
        == f"""{{
  "schematic": "customization:\\n    systemExtensions:\\n        officialExtensions:\\n            - siderolabs/nonfree-kmod-nvidia-lts\\n            - siderolabs/nvidia-container-toolkit-lts\\n",
  "schematic_id": "{ID}",
  "installer_image": "factory.talos.dev/metal-installer/{ID}:v1.11.5",
  "install_patch": "machine:\\n  install:\\n    image: factory.talos.dev/metal-installer/{ID}:v1.11.5\\n",
  "boot_images": {{
    "iso": "https://factory.talos.dev/image/{ID}/v1.11.5/metal-amd64.iso",
    "pxe": "https://pxe.factory.talos.dev/pxe/{ID}/v1.11.5/metal-amd64",
    "disk_image": "https://factory.talos.dev/image/{ID}/v1.11.5/metal-amd64.raw.zst"
  }},
  "config_patches": [
    "machine:\\n  kernel:\\n    modules:\\n      - name: nvidia\\n      - name: nvidia_uvm\\n      - name: nvidia_drm\\n      - name: nvidia_modeset\\n  sysctls:\\n    net.core.bpf_jit_harden: \\"1\\"\\n"
  ]
}}
"""
    )


def test_the_schematic_is_the_text_that_the_id_is_of():
    of = nodes(taints=[Taint("a")])
    schematic = Schematic(nodes=of, extra_kernel_args=["a=b"])
    read = json.loads(made(of, schematic=schematic))

    assert (read["schematic"], read["schematic_id"]) == (schematic.text, schematic.id)


@pytest.mark.parametrize(("style", "count"), [("fields", 1), ("documents", 5)])
def test_each_patch_is_one_document_that_no_one_takes_for_a_file(style, count):
    of = nodes("1.14.0", labels={"role": "gpu"})
    patches = json.loads(made(of, style=style))["config_patches"]

    assert [yaml.safe_load(patch) for patch in patches] == MachineConfigPatch(nodes=of, style=style).documents
    assert len(patches) == count
    # LoadPatches reads a file where there is neither (siderolabs/talos pkg/machinery/config/configpatcher/load.go).
    assert all("\n" in patch and not patch.startswith("@") for patch in patches)


def test_an_existing_schematic_has_no_text():
    read = json.loads(made(nodes(), schematic=ExistingSchematic(ID, factory="factory.example.com")))

    assert list(read) == ["schematic_id", "installer_image", "install_patch", "boot_images", "config_patches"]
    assert read["installer_image"] == f"factory.example.com/metal-installer/{ID}:v1.11.5"


def test_the_image_is_of_a_release_a_platform_and_secure_boot():
    read = json.loads(made(nodes("1.11"), version="v1.11.6", platform="nocloud", secureboot=True))

    assert read["installer_image"] == f"factory.talos.dev/nocloud-installer-secureboot/{ID}:v1.11.6"


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (
            lambda: made(nodes("1.11")),
            ValueError,
            (
                "'version' must be a Talos release with its patch, such as 'v1.12.11' (got '1.11'); "
                "an image is of one release: give 'version' here, or 'talos_version' with a patch to GpuNodes"
            ),
        ),
        (
            lambda: made(nodes("1.11.5"), schematic=Schematic(nodes=nodes("1.11.6"))),
            ValueError,
            f"'patch' must be for the nodes of the 'schematic' (got {nodes('1.11.5')!r}); the nodes of the schematic are {nodes('1.11.6')!r}",
        ),
        (
            lambda: terraform_json(schematic=None, patch=MachineConfigPatch(nodes=nodes())),
            TypeError,
            "'schematic' must be a Schematic or an ExistingSchematic (got None)",
        ),
        (
            lambda: terraform_json(schematic=Schematic(nodes=nodes()), patch="machine: {}"),
            TypeError,
            "'patch' must be a MachineConfigPatch (got 'machine: {}')",
        ),
    ],
)
def test_a_wrong_argument_is_refused(call, error, expected):
    assert message(call, error) == expected


@pytest.mark.parametrize(("style", "kind"), [("fields", None), ("documents", "UnattendedInstallConfig")])
def test_the_install_patch_has_the_style_of_the_patch(style, kind):
    read = json.loads(made(nodes("1.14.6"), style=style))
    patch = yaml.safe_load(read["install_patch"])

    assert patch.get("kind") == kind
    assert read["installer_image"] in read["install_patch"]


@pytest.mark.parametrize(
    ("platform", "images"),
    [("metal", ["iso", "pxe", "disk_image"]), ("aws", ["disk_image"]), ("vultr", ["iso", "pxe"])],
)
def test_the_boot_images_are_those_of_the_platform(platform, images):
    assert list(json.loads(made(platform=platform))["boot_images"]) == images


def test_the_boot_images_have_the_architecture_of_the_card():
    of = nodes("1.13.9", product="GH200")

    assert "/metal-arm64.iso" in json.loads(made(of))["boot_images"]["iso"]
