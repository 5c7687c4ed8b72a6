"""The commands that mend a node are commands that talos-gpu takes."""

import shlex
import subprocess

import pytest
from command_line import run  # noqa: F401  # a fixture
from doctor.dump_parts import OPEN_1_13, extensions, gpu_node, machine, node_object, seen

from constructs_lib.doctor.node_commands import image_without_nvidia, loaded_modules, new_image
from constructs_lib.upstream.driver_branches import KernelModules

PROPRIETARY = {"nonfree-kmod-nvidia-production": "570.211.01-v1.12.11", "nvidia-container-toolkit-production": "570.211.01-v1.18.2"}
FABRIC = {**OPEN_1_13, "nvidia-fabricmanager-lts": "580.126.20"}


def talos_gpu(commands):
    """The arguments of the one call of talos-gpu."""
    (line,) = [each for each in str(commands).splitlines() if "talos-gpu" in each]
    return shlex.split(line.partition("talos-gpu ")[2].removesuffix(" &&").removesuffix(")"))


@pytest.mark.parametrize(
    ("node", "flags"),
    [
        (gpu_node(machine(extensions=extensions())), "--talos 1.13.2 --driver-track lts"),
        (gpu_node(machine(talos="1.12.11", extensions=extensions(PROPRIETARY))), "--talos 1.12.11 --kernel-modules proprietary"),
        (gpu_node(machine(extensions=extensions(FABRIC))), "--talos 1.13.2 --driver-track lts --fabric-manager"),
        (
            gpu_node(
                machine(extensions=extensions({**OPEN_1_13, "nvidia-gdrdrv-device": "v2.5.1", "iscsi-tools": "v0.2.0", "own-tools": "v1"}))
            ),
            "--talos 1.13.2 --driver-track lts --extension siderolabs/iscsi-tools --gdrcopy",
        ),
        (gpu_node(machine(extensions=extensions(), is_secure_boot=seen("true"))), "--talos 1.13.2 --driver-track lts --secureboot"),
        (gpu_node(machine(extensions=extensions(), is_secure_boot=seen("false"))), "--talos 1.13.2 --driver-track lts"),
        (gpu_node(node=node_object(talos="1.13.2")), "--talos 1.13.2"),
    ],
    ids=["track", "flavour", "fabric-manager", "others", "secure-boot", "insecure-boot", "labels"],
)
def test_a_new_image_has_the_track_the_flavour_and_the_other_extensions_of_the_node(run, node, flags):  # noqa: F811
    arguments = talos_gpu(new_image(node))

    assert arguments == ["schematic", *flags.split(), "--print", "installer"]
    assert run(*arguments)[0] == 0


def test_a_node_is_upgraded_only_to_an_image_that_was_printed(tmp_path):
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name, text in {"talos-gpu": "exit 2", "talosctl": f"touch {tmp_path}/upgraded"}.items():
        (bin_folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (bin_folder / name).chmod(0o755)

    subprocess.run(["sh", "-c", str(new_image(gpu_node(machine())))], env={"PATH": f"{bin_folder}:/usr/bin:/bin"}, check=False)

    assert not (tmp_path / "upgraded").exists()


def test_a_new_image_tells_which_parts_of_the_present_one_it_lacks():
    schematic = "ab" * 32
    own = extensions({**OPEN_1_13, "iscsi-tools": "v0.2.0", "own-tools": "v1"})

    comments = [
        each for each in str(new_image(gpu_node(machine(extensions=own, schematic=seen(schematic))))).splitlines() if each[0] == "#"
    ]

    assert comments[0] == "# the new image lacks own-tools: the Image Factory has no such official extension"
    assert f"curl --fail https://factory.talos.dev/schematics/{schematic} " in comments[1]
    assert "--kernel-arg" in comments[1]


def test_a_schematic_that_is_no_id_stays_a_placeholder():
    assert "/schematics/ID " in str(new_image(gpu_node(machine(schematic=seen("$(reboot)")))))


def test_other_modules_replace_those_of_the_node(run):  # noqa: F811
    arguments = talos_gpu(new_image(gpu_node(machine(extensions=extensions())), flavour=KernelModules.PROPRIETARY))

    assert "--kernel-modules proprietary" in " ".join(arguments)
    assert run(*arguments)[0] == 0


@pytest.mark.parametrize("talos", ["", "1.13"])
def test_a_talos_without_a_patch_is_a_placeholder(talos):
    assert talos_gpu(new_image(gpu_node(machine(talos=talos))))[:3] == ["schematic", "--talos", "VERSION"]


def test_the_patch_of_the_modules_is_a_patch_of_the_nodes_talos(run, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)

    assert run(*talos_gpu(loaded_modules(gpu_node(machine(extensions=extensions())))))[0] == 0
    assert "nvidia_uvm" in (tmp_path / "nvidia-patch.yaml").read_text()


def test_an_image_without_nvidias_extensions_names_them():
    assert str(image_without_nvidia(gpu_node(machine(extensions=extensions())))).startswith(
        "# take nvidia-container-toolkit-lts, nvidia-open-gpu-kernel-modules-lts out of the schematic"
    )
