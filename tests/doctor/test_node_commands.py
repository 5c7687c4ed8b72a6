"""The commands that mend a node are commands that talos-gpu takes."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run  # noqa: F401  # a fixture
from doctor.dump_parts import OPEN_1_13, extensions, gpu_node, machine, node_object, seen

from constructs_lib import GpuNodes
from constructs_lib.doctor.node_commands import image_without_nvidia, loaded_modules, new_image
from constructs_lib.talos import Schematic
from constructs_lib.upstream.nvidia.driver_branches import KernelModules

PROPRIETARY = {"nonfree-kmod-nvidia-production": "570.211.01-v1.12.11", "nvidia-container-toolkit-production": "570.211.01-v1.18.2"}
FABRIC = {**OPEN_1_13, "nvidia-fabricmanager-lts": "580.126.20"}


def talos_gpu(commands):
    """The arguments of the last call of talos-gpu, which prints the name of the image."""
    line = [each for each in str(commands).splitlines() if "talos-gpu" in each and not each.startswith("#")][-1]
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
            "--talos 1.13.2 --driver-track lts --gdrcopy --extension siderolabs/iscsi-tools",
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


SCHEMATIC = """\
customization:
    extraKernelArgs:
        - nvidia_drm.modeset=1
    systemExtensions:
        officialExtensions:
            - siderolabs/iscsi-tools
            - siderolabs/nonfree-kmod-nvidia-lts
            - siderolabs/nvidia-container-toolkit-lts
"""


def shell(commands, folder, answer=SCHEMATIC):
    """Run commands with a factory that answers with a schematic, and with the real talos-gpu; the answer is what talosctl was given."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    (folder / "answer.yaml").write_text(answer)
    programs = {
        "talos-gpu": f'exec {sys.executable} -m constructs_lib "$@"',
        "talosctl": f'echo "$@" >> {folder}/talosctl',
        # What is sent comes from a file or from standard input.
        "curl": f"""case "$*" in
*@-*) cat > {folder}/sent; echo '{{"id":"{"cd" * 32}"}}';;
*--data-binary*) echo '{{"id":"{"cd" * 32}"}}';;
*) cat {folder}/answer.yaml;;
esac""",
    }
    for name, text in programs.items():
        (bin_folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (bin_folder / name).chmod(0o755)
    environment = {"PATH": f"{bin_folder}:/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    subprocess.run(["sh", "-c", str(commands)], cwd=folder, env=environment, check=True, stdin=subprocess.DEVNULL)
    return (folder / "talosctl").read_text()


def test_a_new_image_has_the_rest_of_the_present_schematic(tmp_path):
    node = gpu_node(machine(talos="1.13.9", extensions=extensions(), schematic=seen("ab" * 32), is_secure_boot=seen("true")))

    upgraded = shell(new_image(node, flavour=KernelModules.PROPRIETARY), tmp_path)

    wanted = Schematic(
        nodes=GpuNodes(talos_version="1.13.9", kernel_modules="proprietary", driver_track="lts"),
        extensions=["siderolabs/iscsi-tools"],
        extra_kernel_args=["nvidia_drm.modeset=1"],
    )
    assert upgraded.split()[-1] == wanted.installer_image(secureboot=True)


def test_an_image_without_nvidias_extensions_has_the_rest_of_the_present_schematic(tmp_path):
    config = seen(f"machine:\n  install:\n    image: factory.talos.dev/nocloud-installer/{'ef' * 32}:v1.12.1\n")
    node = gpu_node(machine(extensions=extensions(), schematic=seen("ab" * 32), config=config, is_secure_boot=seen("true")))

    upgraded = shell(image_without_nvidia(node), tmp_path)

    assert upgraded.split()[-1] == f"factory.talos.dev/nocloud-installer-secureboot/{'cd' * 32}:v1.13.2"
    assert (tmp_path / "present.yaml").read_text() == "".join(
        line for line in SCHEMATIC.splitlines(keepends=True) if "siderolabs" not in line or "iscsi" in line
    )


def test_the_schematic_of_a_node_is_read_from_its_annotation():
    node = node_object(talos="1.13.2")
    node.body["metadata"]["annotations"] = {"extensions.talos.dev/schematic": "ab" * 32}

    assert f"/schematics/{'ab' * 32} " in str(new_image(gpu_node(node=node)))


@pytest.mark.parametrize(
    ("node", "comments"),
    [
        (
            gpu_node(
                machine(extensions=extensions({**OPEN_1_13, "own-tools": "v1"}), schematic=seen("ab" * 32), is_secure_boot=seen("true"))
            ),
            ["# the new image lacks own-tools: ", "# the platform was not read: "],
        ),
        (
            gpu_node(machine(extensions=extensions())),
            [
                "# the schematic, with kernel arguments, overlay and META, was not read: ",
                "# the platform was not read: ",
                "# Secure Boot was not read: ",
            ],
        ),
        (gpu_node(node=node_object(talos="1.13.2")), ["# this image has only NVIDIA's extensions; run `talosctl get extensions` "]),
        (
            gpu_node(machine(config=seen(f"image: factory.example.com/installer/{'ab' * 32}:v1.13.2"))),
            ["# the present image comes from factory.example.com: "],
        ),
    ],
    ids=["custom", "schematic", "nothing", "factory"],
)
def test_a_new_image_tells_which_parts_of_the_present_one_it_lacks(node, comments):
    told = [each for each in str(new_image(node)).splitlines() if each[0] == "#"]

    assert [each for each in comments if not any(line.startswith(each) for line in told)] == []


def test_a_schematic_that_is_no_id_stays_a_placeholder():
    assert "$(reboot)" not in str(new_image(gpu_node(machine(schematic=seen("$(reboot)")))))
    assert "/schematics/ID " in str(image_without_nvidia(gpu_node(machine(schematic=seen("$(reboot)")))))


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
