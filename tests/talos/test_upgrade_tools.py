"""The plan for each tool that manages nodes."""

import itertools
import json
import re
import shlex
import subprocess

import pytest

from conftest import message
from constructs_lib import GpuNodes, Taint, cli
from constructs_lib.talos import Schematic, UpgradePlan
from constructs_lib.talos.upgrade_step import UpgradeTool
from constructs_lib.talos.upgrade_tools import commands_of
from constructs_lib.upstream.talos import releases as talos_releases
from constructs_lib.upstream.talos.features import OMNI_REFUSES
from frozen_releases import PREVIEW, TALOS

ROUTES = list(itertools.product(["standalone", "operator"], repeat=2))
TOOLS = ["talosctl", "omni", "talhelper", "terraform", "capi"]
OTHERS = TOOLS[1:]
MAIN = {"talosctl": "talosctl", "omni": "omnictl", "talhelper": "talhelper", "terraform": "terraform", "capi": "kubectl"}


@pytest.fixture(autouse=True)
def _frozen(monkeypatch):
    monkeypatch.setattr(talos_releases, "TALOS", TALOS)
    monkeypatch.setattr(talos_releases, "PREVIEW", PREVIEW)


def plan(tool, old="1.11.6", new="1.14", route="standalone", new_route=None, image=None, **given):
    nodes = GpuNodes(talos_version=old, name="rtx", taints=[Taint("dedicated", "ai")])
    schematic = None if image is None else Schematic(nodes=nodes, **image)
    return UpgradePlan(nodes=nodes, to=new, route=route, new_route=new_route, tool=tool, schematic=schematic, **given)


def commands(made):
    return [command for each in made.steps for command in each.commands]


def upgrades(made):
    return [each for each in made.steps if each.phase == "upgrade"]


def test_every_tool_is_known():
    assert [str(tool) for tool in UpgradeTool] == TOOLS
    assert message(lambda: plan("ansible"), ValueError) == (
        "'tool' must be one of 'talosctl', 'omni', 'talhelper', 'terraform', 'capi' (got 'ansible')"
    )


@pytest.mark.parametrize("routes", ROUTES)
def test_a_plan_for_omni_has_no_command_that_omni_refuses(routes):
    made = plan("omni", "1.8", "1.14", *routes)
    refused = {*OMNI_REFUSES, "rollback", "bootstrap", "snapshot", "machineconfig"}

    for command in commands(made):
        if command.startswith("talosctl"):
            assert not refused & set(shlex.split(command, comments=True))
    for each in made.steps:
        assert not re.search(
            r"talosctl (?:--nodes \S+ )?(?:upgrade|rollback|patch|read|bootstrap)\b(?! has)",
            f"{each.check} {each.way_back}".replace("refuses talosctl", ""),
        )


@pytest.mark.parametrize("tool", OTHERS)
def test_a_node_is_upgraded_by_its_tool_alone(tool):
    for each in upgrades(plan(tool)):
        assert each.commands[-1].startswith(MAIN[tool])
        assert not [command for command in each.commands if command.startswith("talosctl upgrade")]


@pytest.mark.parametrize("tool", OTHERS)
@pytest.mark.parametrize("routes", ROUTES)
def test_the_steps_are_the_same_for_each_tool(tool, routes):
    titles = [each.title for each in plan("talosctl", "1.8", "1.14", *routes).steps]
    others = [each.title for each in plan(tool, "1.8", "1.14", *routes).steps]

    # A new machine of Cluster API has no older configuration and no older boot loader.
    missing = [title for title in titles if title not in others]
    assert [title for title in titles if title in others] == [title for title in others if title != UNLOCKED]
    assert (set(missing) == {"Name the new image in the machine configuration."}) is (tool != "capi")


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("routes", ROUTES)
def test_a_shell_can_read_every_command(tool, routes):
    script = "\n".join(commands(plan(tool, "1.8", "1.14", *routes)))

    assert subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.parametrize("tool", TOOLS)
def test_every_variable_of_the_commands_is_explained(tool):
    made = plan(tool, new_route="operator")
    used = {name for command in commands(made) for name in re.findall(r"\$\{?(\w+)", command)} - {"patch"}
    introduction = made.markdown.partition("## Before you begin")[2].partition("\n## ")[0]

    assert {name for name in used if not re.search(rf"\b{name}(=| is | are |,| and )", introduction)} == set()


@pytest.mark.parametrize(
    ("tool", "word"),
    [
        ("omni", "v1.12.12"),
        ("talhelper", "talosVersion in talconfig.yaml back to v1.12.12"),
        ("terraform", "image back to the one of Talos 1.12.12"),
        ("capi", "templates of Talos 1.12.12 again"),
    ],
)
def test_the_way_back_is_that_of_the_tool(tool, word):
    (upgrade,) = upgrades(plan(tool, "1.12.12", "1.13"))

    assert word in upgrade.way_back
    assert ("talosctl rollback --nodes" in upgrade.way_back) is (tool in {"talhelper", "terraform"})


SYNC = "omnictl cluster template sync --file $TEMPLATE   # "
UNLOCKED = "Unlock the other workers of the cluster."


def test_omni_locks_the_other_workers_by_the_template_and_unlocks_them_one_by_one():
    made = plan("omni", "1.12.12", "1.13")
    rest, release = [each for each in made.steps if each.phase == "rest"]

    # A synchronization removes a lock that is not in the template.
    assert "machine lock" not in "\n".join(commands(made))
    assert upgrades(made)[0].commands[0] == f"{SYNC}with locked: true in the Machine document of every worker of the cluster but $MACHINE"
    assert upgrades(made)[0].commands[-1] == f"{SYNC}with the same locks and with talos.version: v1.13.12"
    assert rest.commands[0].startswith("export NODE=gpu-2 ADDRESS=10.0.0.8 MACHINE=")
    assert rest.commands[1].startswith(f"{SYNC}without locked: true for $MACHINE; then steps ")
    assert (release.title, release.commands) == (UNLOCKED, (f"{SYNC}with locked: true in no Machine document",))


@pytest.mark.parametrize("count", [1, 3])
def test_omni_unlocks_the_workers_of_other_classes_before_the_next_release(count):
    nodes = GpuNodes(talos_version="1.12.12", count=count)
    made = UpgradePlan(nodes=nodes, to="1.14", tool="omni")

    for _, steps in itertools.groupby(made.steps, key=lambda each: each.hop):
        assert [each.title for each in steps if each.phase == "rest"][-1] == UNLOCKED


@pytest.mark.parametrize("tool", TOOLS)
def test_no_command_writes_over_a_file_of_the_user(tool):
    made = plan(tool, "1.8", "1.14", "operator")
    examples = {variable.example for variable in commands_of(UpgradeTool(tool)).variables}

    written = {name for command in commands(made) for name in re.findall(r"> (\S+\.yaml)", command)}
    assert "workloads.yaml" in written
    assert not written & examples


@pytest.mark.parametrize("routes", ROUTES)
def test_omni_has_the_patch_in_the_template_that_it_synchronizes(routes):
    # A synchronization deletes the ConfigPatch and the ExtensionsConfiguration of omnictl apply.
    made = commands(plan("omni", "1.11.6", "1.14", *routes))

    assert not any(command.startswith("omnictl apply") for command in made)
    patches = [index for index, command in enumerate(made) if command.startswith("talos-gpu patch")]
    assert patches
    for index in patches:
        assert " --template > gpu.yaml   # merge its fields into $TEMPLATE" in made[index]
        assert made[index + 1].startswith(SYNC)


def test_a_new_machine_gets_documents_and_an_upgraded_node_keeps_its_fields():
    for tool in ("talosctl", "omni", "talhelper", "terraform"):
        assert any("--style fields" in command for command in commands(plan(tool, "1.13.12", "1.14")))
    assert not any("--style fields" in command for command in commands(plan("capi", "1.13.12", "1.14")))
    # A node that was installed with Talos 1.14 has documents.
    assert not any("--style fields" in command for command in commands(plan("terraform", "1.14.0", "1.14.6")))


TALCONFIG = """\
clusterName: home
endpoint: https://10.0.0.2:6443
talosVersion: v1.13.12
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.7
    installDisk: /dev/sda
    controlPlane: false
"""


@pytest.mark.parametrize("tool", ["omni", "talhelper", "terraform"])
@pytest.mark.parametrize("route", ["standalone", "operator"])
@pytest.mark.parametrize(
    "image", [{}, {"extensions": ["siderolabs/zfs"], "fabric_manager": True, "gdrcopy": True}, {"extra_kernel_args": ["iommu=pt"]}]
)
def test_the_patch_of_a_tool_is_one_that_the_command_prints(tool, route, image, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG)
    made = plan(tool, "1.12.12", "1.13", route, image=image)
    lines = {command for command in commands(made) if command.startswith("talos-gpu patch")}

    assert lines
    for line in lines:
        words = shlex.split(
            line.partition(" >")[0]
            .replace("$NODE", "gpu-1")
            .replace("$CLUSTER", "home")
            .replace("$MACHINE_SET", "home-gpu")
            .replace("$MACHINE", "27c16241-96bf-4f17-9579-ea3a6c4a3ca8")
        )
        assert cli.main(words[1:]) == 0
        out = capsys.readouterr().out
        assert ("siderolabs/zfs" in out) is ("extensions" in image)
        if tool == "terraform":
            assert json.loads(out)["installer_image"] in "\n".join(commands(made))


def test_the_patch_of_cluster_api_has_the_image_that_the_plan_sends(answer):
    image = {"extensions": ["siderolabs/zfs"], "extra_kernel_args": ["net.ifnames=0"]}
    for made in (plan("capi", image=image, secureboot=True), plan("capi", image=image, platform="nocloud")):
        for step in upgrades(made):
            patch = next(command for command in step.commands if "--for capi" in command)
            arguments = shlex.split(patch.partition(" > ")[0])[1:]
            installer = re.search(r"image of (\S+)", step.commands[-1])[1]

            assert f"image: {installer}\n" in answer(*arguments)


def test_the_plan_of_cluster_api_names_the_image_that_no_flag_describes():
    (step,) = upgrades(plan("capi", "1.13.9", "1.14.6", image={"bootloader": "sd-boot"}))
    installer = re.search(r"image of (\S+)", step.commands[-1])[1]

    assert f"machine.install.image: {installer}" in next(command for command in step.commands if "--for capi" in command)


def test_the_plan_of_cluster_api_leaves_the_form_of_the_configuration_to_the_template():
    # The providers generate documents from v1.14 on, beside which Talos refuses the fields of the patch.
    assert "talosVersion" not in plan("capi").markdown


@pytest.mark.parametrize("tool", TOOLS[:-1])
def test_the_answer_of_talosctl_is_told_only_where_talosctl_patches_the_node(tool):
    for title in ("Remove the setting net.core.bpf_jit_harden.", "Enable the operator's validator again."):
        (step,) = [each for each in plan(tool, route="operator").steps if each.title == title]

        assert ("lookup failed" in step.reason) is (tool == "talosctl") is any("$patch" in command for command in step.commands)
        assert ("The printed patch is without the setting." in step.reason) is (tool != "talosctl")


def test_a_machine_template_of_a_platform_with_disk_images_names_the_disk_image():
    (step,) = upgrades(plan("capi", "1.13.9", "1.14.6", platform="aws"))

    assert re.fullmatch(
        r"https://factory\.talos\.dev/image/[0-9a-f]{64}/v1\.14\.6/aws-amd64\.raw\.xz", step.commands[-1].rpartition(" image of ")[2]
    )
    assert "aws-installer" not in "\n".join(step.commands)


def test_the_plan_for_omni_prints_no_size_of_sectors():
    """Omni makes the image of a running machine, and takes no size of sectors."""
    nodes = GpuNodes(talos_version="1.13.9")
    made = UpgradePlan(nodes=nodes, to="1.14.6", tool="omni", schematic=Schematic(nodes=nodes, sector_size=4096))

    assert [command for step in made.steps for command in step.commands if "--sector-size" in command] == []
