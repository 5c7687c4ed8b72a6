"""The checks of a plan before the upgrade of a node: its image, its pods, etcd; and the step after it that names the image."""

import itertools
import json
import shlex
import subprocess

import pytest

from constructs_lib import GpuNodes, Taint
from constructs_lib.talos import Schematic, UpgradePlan
from constructs_lib.upstream.talos import releases as talos_releases
from frozen_releases import PREVIEW, TALOS

IMAGE = "Compare the new image with that of the node."
READY = "Check that the node can be drained."
NAMED = "Name the new image in the machine configuration."
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
TOOLS = ("talosctl", "omni", "talhelper", "terraform", "capi")


@pytest.fixture(autouse=True)
def _frozen(monkeypatch):
    monkeypatch.setattr(talos_releases, "TALOS", TALOS)
    monkeypatch.setattr(talos_releases, "PREVIEW", PREVIEW)


def plan(old="1.13.8", new="1.13.12", tool="talosctl", **given):
    nodes = {name: given.pop(name) for name in ("taints", "extra_labels", "count") if name in given}
    return UpgradePlan(nodes=GpuNodes(talos_version=old, **nodes), to=new, tool=tool, **given)


def step(made, title):
    (found,) = [each for each in made.steps if each.title == title]
    return found


def upgraded(made):
    (found,) = [each for each in made.steps if each.phase == "upgrade"]
    return found


def test_each_tool_compares_the_image_and_looks_at_the_pods_before_every_upgrade():
    for tool in TOOLS:
        titles = [each.title for each in plan("1.11.6", "1.14", tool).steps]

        assert (titles.count(IMAGE), titles.count(READY)) == (3, 3)
        for number, title in enumerate(titles):
            if title.startswith("Upgrade one node"):
                assert titles[number - 1] == READY


def test_the_image_is_compared_with_the_schematic_the_platform_and_the_secure_boot_of_the_node():
    nodes = GpuNodes(talos_version="1.13.8")
    image = Schematic(nodes=nodes, factory="factory.example.com:8443")
    for secureboot in (False, True):
        made = step(plan(schematic=image, platform="nocloud", secureboot=secureboot), IMAGE)

        assert image.id in made.reason
        assert [shlex.split(each, comments=True)[3:] for each in made.commands if each.startswith("talosctl")] == [
            ["get", "extensions"], ["get", "platformmetadata", "-o", "yaml"], ["get", "securitystate", "-o", "yaml"],
        ]  # fmt: skip
        assert made.commands[1].startswith("curl --fail https://factory.example.com:8443/schematics/ID ")
        assert made.check.endswith(
            f"platform is nocloud; secureBoot is {'true' if secureboot else 'false'}; "
            "otherwise print the plan again with --extension, or with --from and the present image"
        )


def test_arguments_are_kept_by_the_new_schematic_and_not_by_the_boot_loader_alone():
    assert step(plan(), "Find nodes that boot by GRUB.").check == (
        "the node needs no kernel argument; or bootedWithUKI or grubUseUKICmdline is true, and the new schematic has every argument"
    )


def test_budgets_without_a_disruption_are_listed_by_name():
    command = step(plan(), READY).commands[0]
    printed = "0\tmain/database\n1\tmain/web\n10\tmain/many\n0\tgpu/vllm\n"
    found = subprocess.run(["sh", "-c", command.partition(" | ")[2]], input=printed, capture_output=True, text=True, check=False)

    assert "{.status.disruptionsAllowed}" in command
    assert found.stdout.split() == ["main/database", "gpu/vllm"]


@pytest.mark.parametrize(
    ("old", "new", "tools", "said"),
    [
        ("1.12.12", "1.13", TOOLS[:4], "After these minutes a budget protects nothing, neither a database nor storage."),
        ("1.13.8", "1.13.12", TOOLS[:4], "the node stays cordoned, runs the old Talos, and boots the new one at its next reboot"),
        ("1.12.12", "1.13", TOOLS[4:], "holds it there, without an end unless the Machine has a nodeDrainTimeout"),
    ],
)
def test_a_budget_protects_nothing_up_to_1_12_and_ends_the_upgrade_from_1_13_on(old, new, tools, said):
    for tool in tools:
        assert said in step(plan(old, new, tool), READY).reason


def test_replicas_are_waited_for_where_budgets_are_ignored():
    assert step(plan("1.12.12", "1.13"), READY).commands[1] == "kubectl get statefulsets,deployments --all-namespaces"
    assert "every replica of databases and storage is ready" in step(plan("1.12.12", "1.13"), READY).check
    assert not [command for command in step(plan(), READY).commands if "statefulsets" in command]


@pytest.mark.parametrize("tool", ["talosctl", "talhelper", "terraform"])
def test_an_upgrade_that_ended_before_the_reboot_is_not_repeated(tool):
    said = "Run talosctl reboot --nodes $ADDRESS, and kubectl uncordon $NODE when the node is Ready."

    assert said in upgraded(plan(tool=tool)).reason
    assert "do not repeat" not in upgraded(plan("1.12.12", "1.13", tool)).reason


def test_pods_have_longer_to_end_than_the_five_minutes_of_talosctl_where_talosctl_drains():
    for tool, flag in {"talosctl": "--drain-timeout 15m", "talhelper": "--extra-flags='--drain-timeout 15m'"}.items():
        assert flag in upgraded(plan(tool=tool)).commands[-1]
        assert "drain-timeout" not in "".join(upgraded(plan("1.12.12", "1.13", tool)).commands)


@pytest.mark.parametrize("given", [{"taints": [Taint(CONTROL_PLANE)]}, {"extra_labels": {CONTROL_PLANE: ""}}], ids=["taint", "label"])
def test_etcd_is_asked_before_each_control_plane_node(given):
    for tool in ("talosctl", "talhelper", "terraform"):
        asked = ["talosctl --nodes $CONTROL_PLANE etcd status", "talosctl --nodes $CONTROL_PLANE health"]

        assert list(step(plan(tool=tool, **given), READY).commands[-2:]) == asked
        # A class that says nothing of its role may be of control-plane nodes.
        assert list(step(plan(tool=tool), READY).commands[-2:]) == [f"{each}   # for a control-plane node" for each in asked]
    assert "asks nothing of etcd" in step(plan(**given), READY).reason
    assert "only if all members of etcd are healthy" in step(plan("1.12.12", "1.13", **given), READY).reason
    for tool in ("omni", "capi"):
        assert "etcd" not in "".join(step(plan(tool=tool, **given), READY).commands)


def test_the_machine_configuration_names_the_new_image_afterwards():
    made = step(plan(platform="nocloud", secureboot=True), NAMED)
    patch = shlex.split(made.commands[-1])[-1]

    assert json.loads(patch) == {
        "machine": {"install": {"image": upgraded(plan(platform="nocloud", secureboot=True)).commands[-1].split()[-1]}}
    }
    assert ("UnattendedInstallConfig, the image is in that document" in made.reason) is False
    assert "UnattendedInstallConfig, the image is in that document" in step(plan("1.13.12", "1.14"), NAMED).reason


def test_talhelper_applies_no_configuration_until_every_node_reads_it():
    to_documents, within = plan("1.13.12", "1.14", "talhelper"), plan(tool="talhelper")

    assert "Until all nodes of the file run this Talos, apply no configuration." in upgraded(to_documents).reason
    assert "run talhelper genconfig before you apply a configuration" in upgraded(to_documents).way_back
    assert "apply no configuration" not in upgraded(within).reason


def test_a_disk_image_that_changes_with_talos_does_not_replace_a_machine_of_terraform():
    assert "lifecycle { ignore_changes = [disk[0].file_id] }" in upgraded(plan(tool="terraform")).reason


def test_omni_takes_control_plane_nodes_back_first():
    assert (
        "Omni downgrades the control-plane nodes first, one at a time, and then the unlocked workers."
        in upgraded(plan(tool="omni")).way_back
    )


@pytest.mark.parametrize("nodes", [{"mig_strategy": "mixed"}, {"mig_devices": {"1g.10gb": 7}, "gpus_per_node": 2}])
def test_partitions_of_mixed_mig_are_counted_by_their_profiles(nodes):
    made = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8", **nodes), to="1.13.12")
    offered = step(made, "Check that the node advertises its GPUs.")

    assert offered.commands == ("kubectl get node $NODE -o jsonpath='{.status.allocatable}'",)
    assert ("14 nvidia.com/mig-1g.10gb" in offered.check) is ("mig_devices" in nodes)
    assert "nvidia.com/mig-1g.10gb" in offered.check


@pytest.mark.parametrize("tool", TOOLS)
def test_paths_of_manifests_are_one_word_of_a_command_each(tool):
    paths = ["dist; rm -rf ~", "$(id)", "--context=other", "a'b"]
    made = plan("1.12.12", "1.13", tool, route="operator", manifests=paths)
    (applied,) = [command for each in made.steps for command in each.commands if command.startswith("kubectl apply --server-side")]
    words = shlex.split(applied)

    assert [word for before, word in itertools.pairwise(words) if before == "--filename"] == [
        paths[0], paths[1], f"./{paths[2]}", paths[3],
    ]  # fmt: skip
    assert "do not force it" in step(made, "Apply the manifests for Talos 1.13.12.").reason
