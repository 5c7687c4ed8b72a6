"""The further kernel modules of a patch, by name."""

import pytest

from conftest import message
from constructs_lib import GpuNodes
from constructs_lib.talos import MachineConfigPatch, talhelper_node
from constructs_lib.talos.image.schematic import Schematic

MODULES = ["nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"]


def patch(names, talos="1.13", **given):
    return MachineConfigPatch(nodes=GpuNodes(talos_version=talos), extra_kernel_modules=names, **given)


def test_they_are_loaded_after_the_driver_in_their_order():
    made = patch(["zram", "nbd"], gdrcopy=True, kernel_module_parameters={"zram": ["num_devices=1"]})

    assert made.documents == [
        {"machine": {"kernel": {"modules": [*({"name": name} for name in [*MODULES, "gdrdrv"]),
                                            {"name": "zram", "parameters": ["num_devices=1"]}, {"name": "nbd"}]}}}
    ]  # fmt: skip
    assert [each["name"] for each in patch(["zram", "nbd"], "1.14").documents] == [*MODULES, "zram", "nbd"]
    assert made.extra_kernel_modules == ("zram", "nbd")


def test_a_module_that_the_patch_needs_anyway_is_loaded_once():
    assert patch(["ib-umad"], fabric_manager=True).loaded_modules == (*MODULES, "ib_umad")
    assert patch(["ib-umad"]).loaded_modules == (*MODULES, "ib-umad")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["nbd", "nbd"], "'extra_kernel_modules[1]' must be named once (got 'nbd')"),
        (["ip_vs", "ip-vs"], "'extra_kernel_modules[1]' must be named once (got 'ip-vs')"),
        ([""], "'extra_kernel_modules[0]' must be the name of a kernel module such as 'nbd' (got '')"),
        (["nbd.ko"], "'extra_kernel_modules[0]' must be the name of a kernel module such as 'nbd' (got 'nbd.ko')"),
        (["nbd\n"], "'extra_kernel_modules[0]' must be the name of a kernel module such as 'nbd' (got 'nbd\\n')"),
        (
            ["nbd max=1"],
            (
                "'extra_kernel_modules[0]' must be the name of a kernel module such as 'nbd' (got 'nbd max=1'); for parameters use "
                "'kernel_module_parameters'"
            ),
        ),
        (["nvidia-uvm"], "'extra_kernel_modules[0]' must be left out (got 'nvidia-uvm'); every patch for GPU nodes contains this module"),
        (["gdrdrv"], "'extra_kernel_modules[0]' must be left out (got 'gdrdrv'); use gdrcopy=True"),
    ],
)
def test_a_name_that_can_not_be_meant_is_refused(names, expected):
    assert message(lambda: patch(names)) == expected


@pytest.mark.parametrize("name", ["nvidia_peermem", "nvidia-peermem"])
def test_peermem_is_refused_with_what_replaces_it(name):
    assert message(lambda: patch([name])) == (
        f"'extra_kernel_modules[0]' must be left out (got '{name}'); it needs Mellanox OFED, which Talos does not have ('invalid argument', "
        "siderolabs/talos#12021); for GPUDirect RDMA use DMA-BUF, which needs no further module: open kernel modules, Talos 1.12 or newer"
    )


def test_they_are_a_list():
    assert message(lambda: patch("nbd"), TypeError) == "'extra_kernel_modules' must be a list of strings (got 'nbd'); did you mean ['nbd']?"


def test_talhelper_gets_them_too():
    made = patch(["nbd"])

    assert talhelper_node(schematic=Schematic(nodes=made.nodes), patch=made)["kernelModules"][-1] == {"name": "nbd"}


def test_the_command_has_a_flag_for_each(answer, refusal):
    assert "- name: nbd\n      - name: zram\n" in answer(
        "patch", "--talos", "1.13.9", "--extra-kernel-module", "nbd", "--extra-kernel-module", "zram"
    )
    assert refusal("patch", "--talos", "1.13.9", "--extra-kernel-module", "nvidia_uvm") == (
        "--extra-kernel-module must be left out (got 'nvidia_uvm'); every patch for GPU nodes contains this module"
    )
