"""`talos-gpu upgrade`: the plan in Markdown and JSON."""

import json

import pytest
from command_line import WORKS

from conftest import message
from constructs_lib import GpuNodes
from constructs_lib.talos import MachineConfigPatch, Schematic, UpgradePlan


@pytest.mark.parametrize(
    ("flags", "given", "image"),
    [
        ([], {}, {}),
        (["--route", "operator"], {"route": "operator"}, {}),
        (["--route", "standalone", "--new-route", "operator"], {"new_route": "operator"}, {}),
        (["--route", "operator", "--new-route", "standalone"], {"route": "operator", "new_route": "standalone"}, {}),
        (["--extension", "siderolabs/zfs", "--fabric-manager"], {}, {"extensions": ["siderolabs/zfs"], "fabric_manager": True}),
        *((["--for", tool], {"tool": tool}, {}) for tool in ("omni", "talhelper", "terraform", "capi")),
        (["--gdrcopy", "--kernel-arg", "net.ifnames=0"], {}, {"gdrcopy": True, "extra_kernel_args": ["net.ifnames=0"]}),
    ],
)
def test_a_flag_is_the_argument_of_the_plan(flags, given, image, answer):
    nodes = GpuNodes(talos_version="1.12.11")
    plain = UpgradePlan(nodes=nodes, to="1.13.9").markdown
    expected = UpgradePlan(nodes=nodes, to="1.13.9", **given, schematic=Schematic(nodes=nodes, **image)).markdown

    assert answer("upgrade", "--talos", "1.12.11", "--to", "1.13.9", "--verbose", *flags) == expected
    assert (expected == plain) is (not flags)


SETTINGS = {
    "extra_kernel_modules": ["nbd"],
    "default_runtime": True,
    "base_runtime_spec": True,
    "cdi_spec_dirs": ["/var/cdi"],
    "kubelet_feature_gates": ["DRAExtendedResource"],
    "kernel_module_parameters": {"nvidia": ["NVreg_EnableGpuFirmware=1", "NVreg_A=2"]},
    "sysctls": {"vm.nr_hugepages": "1024"},
}
SETTINGS_FLAGS = (
    "--extra-kernel-module nbd --default-runtime --base-runtime-spec --cdi-spec-dir /var/cdi --kubelet-feature-gate DRAExtendedResource "
    "--kernel-module-parameter nvidia.NVreg_EnableGpuFirmware=1 --kernel-module-parameter nvidia.NVreg_A=2 --sysctl vm.nr_hugepages=1024"
)


def patches(plan):
    return [command for each in plan for command in each["commands"] if command.startswith("talos-gpu patch")]


@pytest.mark.parametrize("tool", ["talosctl", "omni", "talhelper", "terraform", "capi"])
def test_the_settings_of_the_machine_configuration_reach_every_patch_of_the_plan(tool, answer):
    # The tools of a printed patch replace the patch before it as a whole.
    nodes = GpuNodes(talos_version="1.12.11")
    printed = answer("upgrade", "--talos", "1.12.11", "--to", "1.14.6", "--for", tool, *SETTINGS_FLAGS.split(), "--format", "json")

    assert patches(json.loads(printed))
    for command in patches(json.loads(printed)):
        assert f" {SETTINGS_FLAGS}" in command
    plan = UpgradePlan(nodes=nodes, to="1.14.6", tool=tool, patch=MachineConfigPatch(nodes=nodes, **SETTINGS))
    assert [list(each.commands) for each in plan.steps] == [each["commands"] for each in json.loads(printed)]


def test_a_setting_that_the_new_talos_does_not_need_is_left_out(answer):
    jit = ["--sysctl", "net.core.bpf_jit_harden=0", "--sysctl", "a.b=1"]
    printed = answer("upgrade", "--talos", "1.11.6", "--to", "1.13.9", "--for", "omni", *jit, "--format", "json")

    old, *new = patches(json.loads(printed))
    assert "--sysctl net.core.bpf_jit_harden=0 --sysctl a.b=1" in old
    assert new
    assert not [command for command in new if "bpf_jit_harden" in command or "--sysctl a.b=1" not in command]


def test_nodes_of_talos_1_14_keep_the_form_of_their_configuration(answer):
    of_fields = answer("upgrade", "--talos", "1.14.0", "--to", "1.14.6", "--for", "omni", "--style", "fields")

    assert "talos-gpu patch --talos 1.14.6 --for omni --style fields" in of_fields
    assert "--style" not in answer("upgrade", "--talos", "1.14.0", "--to", "1.14.6", "--for", "omni")


def test_the_architecture_reaches_the_patch_of_terraform(answer, refusal):
    flags = ["upgrade", "--talos", "1.12.11", "--to", "1.13.9", "--arch", "arm64"]

    assert "--arch arm64 > gpu.json" in answer(*flags, "--for", "terraform")
    assert refusal(*flags, "--for", "omni") == (
        "--arch must be left out of a plan for omni (got 'arm64'); the installer image is the same for both architectures"
    )


def test_the_kernel_arguments_of_the_plan_for_omni_are_in_the_template(answer, run):
    plan = answer("upgrade", "--talos", "1.13.9", "--to", "1.14.6", "--kernel-arg", "foo=1", "--for", "omni", "--verbose")

    assert ' --kernel-arg=foo=1 --cluster "$CLUSTER" --machine-set "$MACHINE_SET" --template > gpu.yaml' in plan
    # Omni refuses talosctl upgrade, and has no schematic to write.
    assert "Move the arguments into kernelArgs of the template, and set grubUseUKICmdline." in plan
    assert "--legacy" not in plan
    # The card needs arm64.nobti.
    assert (
        run("upgrade", "--talos", "1.13.9", "--to", "1.14.6", "--product", "GB10", "--for", "omni")[1].count("--kernel-arg=arm64.nobti")
        == 2
    )


@pytest.mark.parametrize("flags", [["--platform", "aws"], ["--sector-size", "4096"], ["--embedded-config", "a.yaml"]])
def test_the_plan_for_omni_refuses_flags_of_an_image_that_omni_chooses(flags, refusal):
    assert refusal("upgrade", "--talos", "1.13.9", "--to", "1.14.6", "--for", "omni", *flags).startswith(
        f"{flags[0]} must be left out of a plan for omni "
    )


@pytest.mark.parametrize("tool", ["talosctl", "talhelper", "terraform"])
def test_the_way_to_keep_the_kernel_arguments_of_grub_is_that_of_the_tool(tool, answer):
    plan = answer("upgrade", "--talos", "1.13.9", "--to", "1.14.6", "--for", tool, "--verbose")

    assert ("Run talosctl upgrade with --legacy, or move " in plan) is (tool != "terraform")
    assert "the arguments into the schematic" in plan


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--base-runtime-spec", "--to", "1.15.0"], "--base-runtime-spec must be False on Talos 1.15.0 (got --base-runtime-spec)"),
        (["--style", "documents", "--to", "1.14.6"], "--style must be 'fields' on Talos 1.13.9 (got 'documents'); documents are new"),
        (
            ["--style", "documents", "--to", "1.14.6", "--for", "capi"],
            "--style must be 'fields' with --for capi (got 'documents'); Cluster API's",
        ),
        (
            ["--sysctl", "a.b=1", "--leftovers", "."],
            "--sysctl must be left out with --leftovers (got 'a.b=1'); leftovers do not depend on the",
        ),
    ],
)
def test_a_setting_that_a_release_can_not_have_is_refused(flags, expected, run):
    status, _, err = run("upgrade", "--talos", "1.13.9", "--new-route", "operator", *flags)

    assert (status, f"talos-gpu upgrade: {expected}" in err) == (2, True), err


def test_the_patch_of_a_plan_is_of_its_class():
    other = MachineConfigPatch(nodes=GpuNodes(talos_version="1.12.11", name="other"))

    with pytest.raises(ValueError, match="'patch' must be that of 'nodes' "):
        UpgradePlan(nodes=GpuNodes(talos_version="1.12.11"), to="1.13.9", patch=other)


def test_the_plan_is_markdown_unless_said_otherwise(answer):
    assert answer("upgrade", *WORKS["upgrade"], "--format", "markdown") == answer("upgrade", *WORKS["upgrade"])


def test_the_plan_as_json_has_every_step(answer):
    out = answer("upgrade", "--talos", "1.13.8", "--to", "1.13.9", "--gpus-per-node", "8", "--format", "json")
    made = json.loads(out)

    assert out.startswith('[\n  {\n    "number": 1,\n    "hop": ')
    assert out.endswith("]\n")
    assert [list(each) for each in made] == [["number", "hop", "phase", "action", "title", "reason", "commands", "check", "way_back"]] * 10
    assert [(each["phase"], each["action"]) for each in made] == [
        *[("before", "check")] * 4, ("upgrade", "apply"), ("after", "check"), ("after", "change"), ("after", "check"), ("after", "check"), ("rest", "apply"),
    ]  # fmt: skip
    assert made[0]["hop"] == "1.13.8 → 1.13.9"
    assert made[-3]["check"] == "the number is 8"
    assert made[-3]["commands"] == ["kubectl get node $NODE -o jsonpath='{.status.allocatable.nvidia\\.com/gpu}'"]


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: ai}
spec:
  template:
    spec:
      containers:
        - {name: main, image: "a/app:cuda13.0", resources: {limits: {nvidia.com/gpu: 1}}}
        - {name: proxy, image: "b/proxy:cuda13.1"}
"""


def test_the_images_of_the_manifests_that_can_not_run_are_named(answer, refusal, run, tmp_path):
    (tmp_path / "app.yaml").write_text(DEPLOYMENT)
    out = answer("upgrade", "--talos", "1.9.6", "--to", "1.10.9", "--manifests", tmp_path)

    assert "Of your manifests these images do not run on branch 570: a/app:cuda13.0 (CUDA 13)." in out
    # A container without a GPU needs no driver.
    assert "b/proxy" not in out
    assert refusal("upgrade", *WORKS["upgrade"], "--manifests", tmp_path / "none.yaml").startswith(
        "--manifests must be a file that can be read"
    )
    (tmp_path / "broken.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n nonsense: [\n")
    status, _, err = run("upgrade", *WORKS["upgrade"], "--manifests", tmp_path)
    assert (status, f"{tmp_path}/broken.yaml" in err and " was not read: " in err) == (0, True)


@pytest.mark.parametrize(
    ("flags", "hint"),
    [(["--for", "omni"], "leftovers do not depend on the tool"), (["--manifests", "."], "--leftovers names the manifests")],
)
def test_leftovers_need_no_tool_and_no_other_manifests(flags, hint, refusal):
    said = refusal("upgrade", *WORKS["upgrade"], "--leftovers", ".", *flags)

    assert said.startswith(f"{flags[0]} must be left out with --leftovers")
    assert said.endswith(hint)


def test_an_unknown_tool_is_refused(refusal):
    assert refusal("upgrade", *WORKS["upgrade"], "--for", "talhelpr").startswith("--for must be one of 'talosctl', 'omni', ")


def test_the_plan_applies_the_manifests_of_the_flag(answer, tmp_path):
    (tmp_path / "app.yaml").write_text(DEPLOYMENT)
    crossing = ["upgrade", "--talos", "1.12.11", "--to", "1.13.9", "--route", "operator"]

    assert f"kubectl apply --server-side --recursive --filename {tmp_path}\n" in answer(*crossing, "--manifests", tmp_path)
    assert 'kubectl apply --server-side --recursive --filename "$MANIFESTS"\n' in answer(*crossing)


def exports(out):
    return [line.partition("export ")[2].partition("   #")[0] for line in out.splitlines() if "export " in line]


def test_a_plan_names_no_known_node_as_the_next_one():
    plan = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.9", addresses=["10.0.0.8"])

    assert exports(plan.markdown) == ["NODE=FIRST_NODE ADDRESS=10.0.0.8 CONTROL_PLANE=10.0.0.2", "NODE=NEXT_NODE ADDRESS=NEXT_ADDRESS"]


def test_a_plan_needs_as_many_names_as_addresses():
    given = {"addresses": ["10.0.0.7", "10.0.0.8"], "node_names": ["gpu-1"]}

    assert (
        message(lambda: UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.9", **given))
        == "'node_names' must be the names of the 2 nodes in 'addresses', in the same order (got ['gpu-1'])"
    )


@pytest.mark.parametrize(
    ("nodes", "first", "next_one"),
    [
        (
            "{gpu-1: {card: L4, address: 192.168.1.21}, gpu-7: {card: L4, address: 192.168.1.22}}",
            "NODE=gpu-1 ADDRESS=192.168.1.21 CONTROL_PLANE=10.0.0.2",
            "NODE=gpu-7 ADDRESS=192.168.1.22",
        ),
        (
            "{gpu: {card: L4, addresses: [192.168.1.21, 192.168.1.22]}}",
            "NODE=FIRST_NODE ADDRESS=192.168.1.21 CONTROL_PLANE=10.0.0.2",
            "NODE=NEXT_NODE ADDRESS=192.168.1.22",
        ),
        ("{gpu: {card: L4}}", "NODE=gpu-1 ADDRESS=10.0.0.7 CONTROL_PLANE=10.0.0.2", "NODE=gpu-2 ADDRESS=10.0.0.8"),
    ],
)
def test_the_plan_of_a_cluster_file_has_the_addresses_of_its_nodes(answer, tmp_path, nodes, first, next_one):
    file = tmp_path / "cluster.yaml"
    file.write_text(f"talos: 1.13.9\nnodes: {nodes}\n")

    assert exports(answer("upgrade", str(file), "--to", "1.14.6", "--verbose")) == [first, next_one]
