"""The plan as a run-book: the time without GPUs, one node first, the way back, the order, and the flags of its commands."""

import argparse
import itertools
import json
import re
import shlex
import warnings

import attrs
import pytest
import yaml
from cdk8s import Chart, Testing

from constructs_lib import Dra, Flux, GpuNodes, NvidiaGpuOperator, NvidiaRuntimeClass, StandaloneDevicePlugin, Taint, TimeSlicing, cli
from constructs_lib.cli.nodes_flags import add_nodes_flags, nodes_of
from constructs_lib.talos import MachineConfigPatch, Schematic, UpgradePlan
from constructs_lib.talos.upgrade.step import Outage
from constructs_lib.upstream.talos import releases as talos_releases
from frozen_releases import PREVIEW, TALOS

RELEASED = [talos for talos in TALOS if talos != PREVIEW]
ROUTES = list(itertools.product(["standalone", "operator"], repeat=2))
OFFERED = "Check that the node advertises its GPUs."


@pytest.fixture(autouse=True)
def _frozen(monkeypatch):
    monkeypatch.setattr(talos_releases, "TALOS", TALOS)
    monkeypatch.setattr(talos_releases, "PREVIEW", PREVIEW)


def plan(old="1.11.6", new="1.14", route="standalone", new_route=None, **given):
    nodes = {name: given.pop(name) for name in list(given) if name in {field.name for field in attrs.fields(GpuNodes)}}
    return UpgradePlan(nodes=GpuNodes(talos_version=old, **nodes), to=new, route=route, new_route=new_route, **given)


def step(made, title):
    (found,) = [each for each in made.steps if each.title == title]
    return found


def at(made, number):
    return made.steps[number - 1]


# The time without GPUs


@pytest.mark.parametrize(
    ("routes", "nodes"),
    [
        (("standalone", "standalone"), ["one node at a time"] * 3),
        (("standalone", "operator"), ["one node at a time"] * 3 + ["all GPU nodes of the cluster"]),
        (("operator", "standalone"), ["all GPU nodes of the cluster"] + ["one node at a time"] * 3),
        (("operator", "operator"), ["one node at a time", "each node from its own upgrade on", "one node at a time"]),
    ],
)
def test_the_top_says_from_which_step_to_which_the_nodes_offer_no_gpu(routes, nodes):
    made = plan("1.11.6", "1.14", *routes)

    assert [outage.nodes for outage in made.outages] == nodes
    for outage in made.outages:
        assert isinstance(outage, Outage)
        assert at(made, outage.first).title.startswith(("Upgrade one node", "Uninstall the"))
        assert at(made, outage.last).title == OFFERED
        assert made.markdown.index(f"- Steps {outage.first} to {outage.last} ({outage.hop}): {outage.nodes}. ") < made.markdown.index(
            "### Before"
        )


def test_every_upgrade_and_every_change_of_the_route_is_in_an_outage():
    for routes in ROUTES:
        made = plan("1.8", "1.14", *routes)
        inside = {number for outage in made.outages for number in range(outage.first, outage.last + 1)}
        taking = {each.number for each in made.steps if each.phase == "upgrade" or each.title.startswith("Uninstall the")}

        assert taking <= inside


def test_who_is_affected_depends_on_the_nodes_that_are_left():
    assert "without such a node they stay Pending" in plan().outages[0].pods
    assert plan(count=1).outages[0].nodes == "the only node of the class"
    assert plan(count=1).outages[0].pods == "Its pods are evicted, and its GPU pods stay Pending."


# One node first


def test_one_node_goes_through_all_steps_before_the_others():
    for hop, steps in itertools.groupby(plan().steps, key=lambda each: each.hop):
        titles = [each.title for each in steps]

        assert titles.index(OFFERED) < titles.index(f"Upgrade the other nodes of the class to Talos {hop.rpartition(' ')[2]}.")


def test_the_other_nodes_repeat_the_steps_of_the_first_node():
    made = plan("1.12.12", "1.13.12")
    first = next(each.number for each in made.steps if each.phase == "upgrade")
    rest = step(made, "Upgrade the other nodes of the class to Talos 1.13.12.")

    assert rest.reason.startswith(f"Repeat steps {first - 1} to {rest.number - 1} for each other node")


def test_a_class_with_one_node_has_no_other_nodes():
    assert not [each for each in plan(count=1).steps if each.phase == "rest"]


# The way back


def test_every_upgrade_says_how_the_node_returns():
    for each in plan().steps:
        if each.phase == "upgrade":
            assert each.way_back.startswith(f"talosctl rollback --nodes $ADDRESS boots Talos {each.hop.partition(' ')[0]} again. ")


@pytest.mark.parametrize(
    ("old", "new", "etcd"), [("1.10.9", "1.11", "3.5"), ("1.13.12", "1.14", "3.6"), ("1.12.12", "1.13", ""), ("1.14.0", "1.14.6", "")]
)
def test_a_control_plane_returns_to_an_older_etcd_by_a_downgrade(old, new, etcd):
    (upgrade,) = [each for each in plan(old, new).steps if each.phase == "upgrade"]

    assert (f"run talosctl etcd downgrade enable {etcd} " in upgrade.way_back) is bool(etcd)
    assert ("etcd" in upgrade.way_back) is bool(etcd)


def test_etcd_is_saved_before_each_release():
    made = plan()
    for _, steps in itertools.groupby(made.steps, key=lambda each: each.hop):
        first = next(steps)

        assert first.title == f"Save etcd of Talos {first.hop.partition(' ')[0]}."
        assert first.commands == (f"talosctl --nodes $CONTROL_PLANE etcd snapshot etcd-{first.hop.partition(' ')[0]}.db",)


def test_the_way_back_names_the_manifests_of_each_talos():
    text = plan(route="operator").markdown.partition("## The way back")[2].partition("\n## ")[0]
    apply = step(plan(route="operator"), "Apply the manifests for Talos 1.13.12.").number

    assert "The same manifests belong with Talos 1.11.6 and 1.12.12." in text
    assert (
        f"The manifests before step {apply} belong with Talos 1.12.12, those after it with 1.13.12: apply the older ones again first."
        in text
    )
    assert "The same manifests belong with Talos 1.13.12 and 1.14.6." in text
    assert "A cluster with one node: " in text


def test_the_way_back_to_the_older_operator_begins_with_its_crd():
    crd = "NVIDIA/gpu-operator/v25.10.1/deployments/gpu-operator/crds/nvidia.com_clusterpolicies.yaml"
    ways = {each.hop: each.way_back for each in plan(route="operator").steps if each.title.startswith("Apply the manifests")}

    assert {hop: crd in way for hop, way in ways.items()} == {"1.12.12 → 1.13.12": True}
    assert ways["1.12.12 → 1.13.12"].index(crd) < ways["1.12.12 → 1.13.12"].index("apply the older manifests again")


@pytest.mark.parametrize("routes", ROUTES)
def test_every_removal_and_every_apply_has_a_way_back(routes):
    for each in plan("1.8", "1.14", *routes).steps:
        if each.action == "remove" or each.title.startswith("Apply the manifests"):
            assert each.way_back


# The order


def order(made):
    return made.markdown.partition("## Why this order")[2].partition("\n## ")[0]


def test_the_plan_says_why_it_differs_from_sideros_page():
    assert "Sidero's page on the upgrade to Talos 1.13 uninstalls the device plugin" in order(plan(new_route="operator"))
    assert "Sidero's page on the upgrade to Talos 1.13 uninstalls the device plugin" not in order(plan(route="operator"))
    assert "With many nodes, go by the device plugin instead" in order(plan(route="operator"))
    assert order(plan("1.13.12", "1.14")) == ""


def test_an_old_patch_is_spoken_of_where_the_plan_leaves_its_minor_release():
    assert "Sidero's page begins with the newest patch of the present release, 1.11.6." in order(plan("1.11.3"))
    assert "newest patch of the present release" not in order(plan("1.11.6")) + order(plan("1.13.8", "1.13.12"))


# Manifests


def synthesized(talos, route):
    nodes = GpuNodes(talos_version=talos, labels={"role": "gpu"}, sharing=TimeSlicing(replicas=2))
    chart = Chart(Testing.app(), "gpu")
    if route == "operator":
        NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=Flux())
    else:
        NvidiaRuntimeClass(chart, "runtime-class")
        StandaloneDevicePlugin(chart, "plugin", nodes=nodes)
    return Testing.synth(chart)


@pytest.mark.parametrize("route", ["standalone", "operator"])
@pytest.mark.parametrize(("old", "new"), list(itertools.pairwise(RELEASED)))
def test_a_hop_has_an_apply_where_the_manifests_change_and_nowhere_else(old, new, route):
    applies = [each for each in plan(old, new, route).steps if each.title.startswith("Apply the manifests")]

    assert bool(applies) is (synthesized(old, route) != synthesized(new, route))


def test_the_pods_of_the_class_are_selected_by_their_own_label():
    made = plan("1.12.12", "1.13", "operator", name="rtx")
    unnamed = plan("1.12.12", "1.13", "operator")

    assert (
        "kubectl get pods --all-namespaces --selector talos-gpu/class=rtx --output wide"
        in step(made, "Apply the manifests for Talos 1.13.12.").commands
    )
    assert any(
        "--selector talos-gpu/class=default" in command for command in step(unnamed, "Apply the manifests for Talos 1.13.12.").commands
    )


# The flags

GIVEN = GpuNodes(
    talos_version="1.12.12",
    kernel_modules="proprietary",
    driver_track="lts",
    labels={"role": "gpu", "zone": ""},
    extra_labels={"rack": "7"},
    taints=[Taint("dedicated", "ai"), Taint("gpu"), Taint("a", "", "NoExecute")],
    product="RTX 3090",
    gpus_per_node=2,
    memory_per_gpu="20Gi",
    count=3,
    sharing=TimeSlicing(replicas=4),
    name="rtx",
)


@pytest.mark.parametrize(
    "field", [field.name for field in attrs.fields(GpuNodes) if field.name not in {"talos_version", "mig_devices", "dra"}]
)
def test_every_flag_of_the_class_reaches_every_command(field):
    value = "single" if field == "mig_strategy" else getattr(GIVEN, field)
    needs = {"driver_track": "lts"} if field == "product" else {}
    nodes = GpuNodes(talos_version="1.12.12", **{**needs, field: value})
    made = UpgradePlan(nodes=nodes, to="1.14", new_route="operator")
    parser = argparse.ArgumentParser()
    add_nodes_flags(parser)

    lines = [
        command.partition("  #")[0].partition(" --leftovers")[0].partition(" >")[0] for each in made.steps for command in each.commands
    ]
    lines = [line for line in lines if line.startswith("talos-gpu") and not line.startswith("talos-gpu check")]
    assert {line.split()[1] for line in lines} == {"schematic", "patch", "upgrade"}
    for line in lines:
        options, _ = parser.parse_known_args(shlex.split(line)[2:])
        assert getattr(nodes_of(options), field) == getattr(nodes, field)


def test_the_flags_of_the_whole_class_are_read_back(capsys):
    made = UpgradePlan(nodes=GIVEN, to="1.13")
    command = step(made, "Upgrade one node of the class to Talos 1.13.12.").commands[0]

    assert cli.main(shlex.split(command.partition(" >")[0])[1:]) == 0
    assert capsys.readouterr().out == Schematic(nodes=made.nodes_after).text


def test_fabric_manager_reaches_the_patch():
    nodes = GpuNodes(talos_version="1.13", product="B200")
    made = UpgradePlan(nodes=nodes, to="1.14", schematic=Schematic(nodes=nodes, fabric_manager=True))

    patches = [command for step in made.steps for command in step.commands if command.startswith("talos-gpu patch")]
    assert patches
    assert all(command.endswith("--fabric-manager") for command in patches)


UMAD = "Load the kernel module ib_umad."
RUNS = "Check that fabric manager runs."


def titles_with_fabric_manager(old, new, tool="talosctl", **given):
    nodes = GpuNodes(talos_version=old, **given)
    image = Schematic(nodes=attrs.evolve(nodes, talos_version=new), fabric_manager=True)
    made = UpgradePlan(nodes=nodes, to=new, schematic=image, tool=tool)
    return made, [each.title for each in made.steps]


@pytest.mark.parametrize("tool", ["talosctl", "omni", "talhelper", "terraform"])
def test_the_hop_to_talos_1_12_loads_the_module_of_nvlink_5(tool):
    made, titles = titles_with_fabric_manager("1.11.5", "1.13.12", tool, product="B200")
    load = step(made, UMAD)

    # No patch of Talos 1.11 loads the module: it is refused there.
    assert (titles.count(UMAD), titles.count(RUNS), load.hop) == (1, 2, "1.11.5 → 1.12.12")
    assert titles.index(UMAD) < titles.index(RUNS)
    if tool == "talosctl":
        assert load.commands == (
            """talosctl --nodes $ADDRESS patch machineconfig --patch '{"machine": {"kernel": {"modules": [{"name": "ib_umad"}]}}}'""",
        )
    else:
        assert " --product B200 " in load.commands[0]
        assert load.commands[0].count("--fabric-manager") == 1
        assert load.commands[0].startswith("talos-gpu patch --talos 1.12.12 ")


@pytest.mark.parametrize(
    ("old", "new", "given", "expected"),
    [
        ("1.11.5", "1.12.12", {"product": "H100"}, [RUNS]),
        ("1.12.11", "1.12.12", {"product": "B200"}, [RUNS]),
        ("1.11.5", "1.12.12", {}, [UMAD, RUNS]),
    ],
)
def test_the_module_is_loaded_where_the_card_may_need_it_and_the_patch_before_had_none(old, new, given, expected):
    made, titles = titles_with_fabric_manager(old, new, **given)

    assert [title for title in titles if title in {UMAD, RUNS}] == expected
    if UMAD in expected:
        assert "machines with NVLink 5 (B100, B200, B300), and needs this module." in step(made, UMAD).reason
        assert step(made, UMAD).reason.endswith("Skip this step on other machines.")


def test_a_new_machine_of_cluster_api_begins_with_the_module_and_the_patch_of_the_plan():
    assert [title for title in titles_with_fabric_manager("1.11.5", "1.12.12", "capi", product="B200")[1] if title in {UMAD, RUNS}] == [
        RUNS
    ]


def test_nodes_without_fabric_manager_have_no_step_of_it():
    assert not {UMAD, RUNS} & {each.title for each in plan("1.11.6", "1.12.12").steps}


@pytest.mark.parametrize("tool", ["talosctl", "omni", "talhelper", "terraform", "capi"])
def test_each_flag_of_the_image_is_given_once(tool):
    nodes = GpuNodes(talos_version="1.12.12")
    image = Schematic(nodes=nodes, extensions=["siderolabs/zfs"], fabric_manager=True, gdrcopy=True)
    made = UpgradePlan(nodes=nodes, to="1.14", schematic=image, tool=tool)
    lines = [command for each in made.steps for command in each.commands if command.startswith(("talos-gpu patch", "talos-gpu schematic"))]

    assert lines
    for line in lines:
        assert (line.count("--fabric-manager"), line.count("--gdrcopy")) == (1, 1)


@pytest.mark.parametrize(
    ("route", "readers"), [("standalone", "containerd reads the"), ("operator", "The operator's device plugin and containerd read the")]
)
def test_the_readers_of_the_cdi_specification_are_those_of_the_route(route, readers):
    reason = step(plan("1.12.12", "1.13.12", route), "Check that the node has a CDI specification.").reason

    assert reason.endswith(f". {readers} specification.")


def test_the_patch_of_the_form_of_the_configuration_needs_no_apply():
    reason = step(plan("1.13.12", "1.14"), "Keep the fields of the machine configuration, or move all of them to documents.").reason

    assert "The node has the settings of the printed patch already, so the patch is for your repository." in reason


def test_gdrcopy_and_the_operator_reach_the_patch():
    nodes = GpuNodes(talos_version="1.13.12")
    made = UpgradePlan(nodes=nodes, to="1.14", route="operator", schematic=Schematic(nodes=nodes, gdrcopy=True))

    forms = step(made, "Keep the fields of the machine configuration, or move all of them to documents.")
    assert forms.commands[-1] == "talos-gpu patch --talos 1.14.6 --style fields --operator --gdrcopy"


# Drivers and faults


def test_a_driver_of_the_same_branch_stays_and_needs_no_check_of_the_images():
    made = plan("1.13.12", "1.14")
    (upgrade,) = [each for each in made.steps if each.phase == "upgrade"]
    (crossing,) = [each for each in plan("1.12.12", "1.13").steps if each.phase == "upgrade"]

    assert "The production driver stays on branch 595." in upgrade.reason
    assert "stays on branch" not in crossing.reason


def test_a_release_with_a_fault_is_no_stop_of_nodes_that_it_breaks(monkeypatch):
    monkeypatch.setattr(talos_releases, "TALOS", {**TALOS, "1.13": TALOS["1.13"]._replace(newest="1.13.0")})
    nodes = GpuNodes(talos_version="1.12.12")
    with_it, without = (UpgradePlan(nodes=nodes, to="1.14", schematic=Schematic(nodes=nodes, fabric_manager=on)) for on in (True, False))

    assert with_it.steps[0].hop == "1.12.12 → 1.13.1"
    assert without.steps[0].hop == "1.12.12 → 1.13.0"


# Images


def test_the_images_that_can_not_run_on_the_driver_are_named():
    made = plan("1.9.6", "1.10", images=["a/app:cuda13.0", "a/app:cu126", "a/app:1"])
    check = step(made, "Check that your images run on the new driver.").check

    assert "Of your manifests these images do not run on branch 570: a/app:cuda13.0 (CUDA 13). " in check
    assert check.endswith("The name and tag of these images do not say their CUDA: a/app:1")
    assert "cu126" not in check
    assert check in made.checklist


def test_images_that_run_are_not_named():
    made = step(plan("1.12.12", "1.13", images=["a/app:cuda13.0", "a/app:cu126"]), "Check that your images run on the new driver.")

    assert made.check.endswith("By name and tag every image of your manifests runs on branch 595")
    assert "your manifests" not in step(plan("1.12.12", "1.13"), "Check that your images run on the new driver.").check


# The path of the manifests


def test_the_commands_apply_the_given_manifests():
    apply = step(plan("1.12.11", "1.13.9", "operator", manifests=["my manifests/", "more.yaml"]), "Apply the manifests for Talos 1.13.9.")

    assert apply.commands[:2] == (
        "talos-gpu check 'my manifests/' more.yaml --talos 1.13.9",
        "kubectl apply --server-side --recursive --filename 'my manifests/' --filename more.yaml",
    )


@pytest.mark.parametrize(("paths", "variables"), [(["gpu/"], 0), ([], 5)])
def test_a_plan_with_the_path_of_the_manifests_needs_no_variable_for_it(paths, variables):
    assert plan("1.12.11", "1.13.9", "operator", manifests=paths).markdown.count("MANIFESTS") == variables


def test_a_path_of_manifests_is_a_string():
    with pytest.raises(TypeError, match=r"'manifests' must be a list of strings \(got 'dist'\)"):
        plan(manifests="dist")


# A change of the route


def test_the_way_back_of_the_manifests_after_the_upgrade_belongs_with_the_route_of_the_nodes():
    # The operator is there since before the upgrade: the manifests of the device plugin would not bring it back.
    with warnings.catch_warnings(action="ignore"):  # of a beta
        made = plan("1.13.12", "1.15", "standalone", "operator")
    (last,) = (each for each in made.steps if each.title == "Apply the manifests for Talos 1.15.0-beta.0.")

    assert last.way_back == "apply the older manifests again; they belong with Talos 1.14.6."


@pytest.mark.parametrize("routes", [("standalone", "operator"), ("operator", "standalone")])
@pytest.mark.parametrize(("old", "new"), [("1.11.6", "1.12.12"), ("1.12.12", "1.13.12"), ("1.13.12", "1.14.6")])
def test_no_step_for_each_node_stands_between_the_steps_that_take_the_gpus_from_all_nodes(routes, old, new):
    made = plan(old, new, *routes)
    for outage in made.outages:
        if outage.nodes == "all GPU nodes of the cluster":
            between = [command for number in range(outage.first, outage.last) for command in at(made, number).commands]
            assert [command for command in between if "$NODE" in command or "$ADDRESS" in command] == []
            break
    else:
        pytest.fail("the plan names no step without GPUs")


@pytest.mark.parametrize(
    ("routes", "nodes", "way_back"),
    [
        (("standalone", "operator"), {}, "remove the operator, then apply the manifests of the device plugin again; "),
        (("operator", "standalone"), {}, "remove the device plugin, then apply the manifests of the operator again; "),
        (
            ("standalone", "operator"),
            {"dra": Dra()},
            "remove the operator, then apply the manifests of the RuntimeClass and the DcgmExporter again; ",
        ),
    ],
)
def test_the_way_back_of_a_route_removes_its_component_first(routes, nodes, way_back):
    made = plan("1.13.12", "1.14.6", *routes, **nodes)
    (apply,) = (each for each in made.steps if each.title.startswith("Apply the manifests"))

    assert apply.way_back.startswith(way_back)


@pytest.mark.parametrize(
    ("routes", "sentence"),
    [
        (("operator", "standalone"), "The operator is removed before the first upgrade. The DRA driver stays "),
        (("standalone", "operator"), "The operator is installed after the last upgrade. The DRA driver stays "),
    ],
)
def test_the_order_with_dra_names_no_device_plugin(routes, sentence):
    why = plan("1.13.12", "1.14.6", *routes, dra=Dra()).markdown.partition("## Why this order\n\n")[2].partition("## ")[0]

    assert why.startswith(sentence)
    assert "device plugin" not in why


@pytest.mark.parametrize("route", ["standalone", "operator"])
def test_the_patch_of_a_plan_has_the_labels_of_a_class_with_mig_devices(route, answer):
    nodes = GpuNodes(talos_version="1.13.12", product="H100", mig_strategy="mixed", mig_devices={"1g.10gb": 7})
    made = UpgradePlan(nodes=nodes, to="1.14.6", route=route)
    (command,) = (command for each in made.steps for command in each.commands if command.startswith("talos-gpu patch"))
    patch = MachineConfigPatch(nodes=made.nodes_after, style="fields", operator=route == "operator")

    assert list(yaml.safe_load_all(answer(*shlex.split(command)[1:]))) == patch.documents


def test_the_check_of_a_class_with_dra_speaks_of_devices():
    assert step(plan("1.13.12", "1.14.6", dra=Dra()), OFFERED).reason == "The scheduler gives these devices to the claims of pods."
    assert step(plan("1.13.12", "1.14.6"), OFFERED).reason == "The scheduler places GPU pods by this number."


@pytest.mark.parametrize(
    ("tool", "names"),
    [("talosctl", "$NODE or $ADDRESS"), ("omni", "$NODE, $ADDRESS or $MACHINE"), ("terraform", "$NODE, $ADDRESS or $MACHINE")],
)
def test_the_introduction_names_the_variables_of_a_node_that_the_commands_have(tool, names):
    assert f"A command with {names} runs once for each node." in plan(tool=tool).markdown


# The short checklist


@pytest.mark.parametrize("tool", ["talosctl", "omni", "talhelper", "terraform", "capi"])
def test_the_checklist_of_two_releases_fits_on_a_few_screens(tool):
    made = plan("1.12.11", "1.14.6", tool=tool, product="RTX 4090")

    assert len(made.checklist.splitlines()) < 120
    assert [int(number) for number in re.findall(r"^- \[ \] \*\*(\d+)\. ", made.checklist, re.MULTILINE)] == [
        each.number for each in made.steps
    ]
    for each in made.steps:
        assert all(line in made.checklist for command in each.commands for line in command.split("\n"))
        assert each.check in made.checklist


def test_the_checklist_says_when_the_nodes_without_a_gpu_follow_and_how_a_node_returns():
    text = plan("1.12.11", "1.14.6").checklist

    assert "control-plane nodes before these nodes and one at a time, other workers after them" in text
    assert "The way back from 1.13.12: talosctl rollback --nodes $ADDRESS boots Talos 1.12.11 again." in text
    assert "Steps 7 to 12: one node at a time without GPUs." in text
    assert "Omni" not in text


def test_the_checklist_has_what_can_go_wrong_in_the_upgrade_of_a_node_and_the_cards_that_lose_their_driver():
    text = plan("1.12.11", "1.14.6", kernel_modules="proprietary").checklist

    assert "on a node that boots by GRUB a second installation overwrites the Talos that runs" in text
    assert "no card is Maxwell, Pascal or Volta, which branch 595 does not support: choose the lts track" in text


@pytest.mark.parametrize(("tool", "told"), [("talosctl", True), ("talhelper", True), ("terraform", True), ("omni", False), ("capi", False)])
def test_the_order_of_the_other_nodes_is_told_where_the_tool_leaves_it_to_a_person(tool, told):
    assert ("Nodes without a GPU follow" in plan("1.12.11", "1.14.6", tool=tool).checklist) is told


# The proof


def test_each_release_ends_with_a_cuda_program_on_the_node():
    made = plan("1.12.11", "1.14.6", taints=[Taint("dedicated", "ai")])
    proofs = [each for each in made.steps if each.title == "Prove that a pod on the node runs CUDA."]

    assert [each.hop for each in proofs] == ["1.12.11 → 1.13.12", "1.13.12 → 1.14.6"]
    words = shlex.split(proofs[0].commands[0].partition(" &&")[0])
    pod = json.loads(next(word for word in words if word.startswith("--overrides=")).removeprefix("--overrides="))
    assert pod["spec"]["nodeName"] == "$NODE"
    assert pod["spec"]["runtimeClassName"] == "nvidia"
    assert {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"} in pod["spec"]["tolerations"]
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 1}


def test_a_mixed_class_is_proven_by_one_of_its_profiles_and_a_claim_by_none():
    mixed = plan("1.13.8", "1.13.12", product="A100-SXM4-80GB", mig_strategy="mixed", mig_devices={"1g.10gb": 7})
    proof = step(mixed, "Prove that a pod on the node runs CUDA.")

    assert '"nvidia.com/mig-1g.10gb": 1' in proof.commands[0]
    assert "cuda-proof" not in plan("1.13.8", "1.13.12", dra=Dra()).markdown
