"""`talos-gpu patch`, for each tool that applies a patch."""

import json
import re

import pytest
import yaml
from command_line import GPU_SET, ID, NODES, TALCONFIG, UUID

from constructs_lib import GpuNodes
from constructs_lib.cli import command as cli
from constructs_lib.talos import (
    MachineConfigPatch,
    OmniTarget,
    Schematic,
    cluster_api_yaml,
    merge_into_talconfig,
    omni_config_patch,
    omni_extensions,
    omni_template,
    terraform_json,
)


@pytest.mark.parametrize(
    ("flags", "made"),
    [
        ([], {}),
        (["--operator"], {"operator": True}),
        (["--default-runtime"], {"default_runtime": True}),
        (["--gdrcopy"], {"gdrcopy": True}),
        (["--style", "fields"], {"style": "fields"}),
        (["--base-runtime-spec"], {"base_runtime_spec": True}),
        (["--kubelet-feature-gate", "DRAExtendedResource"], {"kubelet_feature_gates": ["DRAExtendedResource"]}),
        (["--cdi-spec-dir", "/var/cdi/a", "--cdi-spec-dir", "/var/cdi/b"], {"cdi_spec_dirs": ["/var/cdi/a", "/var/cdi/b"]}),
        (["--sysctl", "vm.max_map_count=262144", "--sysctl", "a.b=c=d"], {"sysctls": {"vm.max_map_count": "262144", "a.b": "c=d"}}),
        (
            [
                "--kernel-module-parameter",
                "nvidia.A=1.5",
                "--kernel-module-parameter",
                "nvidia.B=2",
                "--kernel-module-parameter",
                "nvidia_drm.modeset=1",
            ],
            {"kernel_module_parameters": {"nvidia": ["A=1.5", "B=2"], "nvidia_drm": ["modeset=1"]}},
        ),
    ],
)
def test_a_flag_is_the_argument_of_the_patch(flags, made, answer):
    nodes = GpuNodes(talos_version="1.12.11")
    expected = MachineConfigPatch(nodes=nodes, **made).text

    assert answer("patch", "--talos", "1.12.11", *flags) == expected
    assert (expected == MachineConfigPatch(nodes=nodes).text) is (made in ({}, {"style": "fields"}))


def test_the_patch_has_the_labels_and_taints_of_the_flags(answer):
    machine = yaml.safe_load(answer("patch", "--talos", "1.12.11", "--label", "role=gpu", "--taint", "dedicated=ai:NoSchedule"))["machine"]

    assert machine["nodeLabels"] == {"role": "gpu"}
    assert machine["nodeTaints"] == {"dedicated": "ai:NoSchedule"}


def test_the_style_follows_from_the_talos_unless_said_otherwise(answer):
    assert [document["kind"] for document in yaml.safe_load_all(answer("patch", "--talos", "1.14"))] == ["KernelModuleConfig"] * 4
    assert list(yaml.safe_load(answer("patch", "--talos", "1.14", "--style", "fields"))) == ["machine"]
    assert answer("patch", "--talos", "1.14", "--for", "talosctl") == answer("patch", "--talos", "1.14", "--style", "documents")


@pytest.mark.parametrize(
    ("flags", "target"),
    [
        (["--cluster", "home", "--machine-set", "home-gpu"], {"cluster": "home", "machine_set": "home-gpu"}),
        (["--cluster", "home", "--cluster-machine", UUID], {"cluster": "home", "cluster_machine": UUID}),
    ],
)
def test_omni_gets_a_patch_and_the_extensions(flags, target, answer):
    omni = OmniTarget(**target)
    patch, extensions = (
        omni_config_patch(MachineConfigPatch(nodes=NODES), target=omni),
        omni_extensions(Schematic(nodes=NODES), target=omni),
    )
    made = answer("patch", "--talos", "1.13.9", "--for", "omni", *flags)

    assert made == f"{patch}---\n{extensions}"
    assert [document["metadata"]["type"] for document in yaml.safe_load_all(made)] == [
        "ConfigPatches.omni.sidero.dev",
        "ExtensionsConfigurations.omni.sidero.dev",
    ]
    assert [document["metadata"]["labels"] for document in yaml.safe_load_all(made)] == [omni.labels] * 2


@pytest.mark.parametrize(
    ("flags", "document"),
    [
        (["--machine-set", "home-gpu"], {"kind": "Workers", "name": "gpu"}),
        (["--machine-set", "home-workers"], {"kind": "Workers"}),
        (["--machine-set", "home-control-planes"], {"kind": "ControlPlane"}),
        (["--cluster-machine", UUID], {"kind": "Machine", "name": UUID}),
    ],
)
def test_a_template_of_omni_gets_the_document_of_the_target(flags, document, answer):
    made = answer("patch", "--talos", "1.13.9", "--for", "omni", "--cluster", "home", *flags, "--template", "--extension", "siderolabs/zfs")

    assert made == omni_template(
        schematic=Schematic(nodes=NODES, extensions=["siderolabs/zfs"]), patch=MachineConfigPatch(nodes=NODES), **document
    )


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--template"], "--template must be left out of a patch for talosctl (got --template); use it with --for omni"),
        (
            ["--for", "omni", "--template", "--machine", UUID],
            f"--machine must be left out with --template (got '{UUID}'); a template is of one cluster: use --cluster, with --cluster-machine",
        ),
        (
            ["--for", "omni", "--template", "--cluster", "home", "--weight", "7"],
            "--weight must be left out with --template (got 7); Omni gives the patches of a template their weights",
        ),
    ],
)
def test_a_template_is_of_one_cluster_of_omni(flags, expected, refusal):
    assert refusal("patch", "--talos", "1.13.9", *flags) == expected


def test_omni_takes_kernel_arguments_for_one_machine_and_in_a_template(answer):
    flags = ["patch", "--talos", "1.13.9", "--for", "omni", "--cluster", "home", "--kernel-arg", "a=b"]
    *_, arguments = yaml.safe_load_all(answer(*flags, "--cluster-machine", UUID))

    assert (arguments["metadata"]["type"], arguments["spec"]) == ("KernelArgs.omni.sidero.dev", {"args": ["a=b"]})
    assert yaml.safe_load(answer(*flags, "--machine-set", "home-gpu", "--template"))["kernelArgs"] == ["a=b"]


ONE_MACHINE = "must be narrowed to one machine for an image with kernel arguments"
IN_OMNI = "which Omni takes for one machine or in a template: use --cluster-machine or --template"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (
            ["--product", "GB10", "--machine-set", "home-gpu"],
            f"--machine-set {ONE_MACHINE} (got 'home-gpu'); GB10 needs arm64.nobti, {IN_OMNI}",
        ),
        (
            ["--passthrough", "10de:2204"],
            (
                f"--cluster {ONE_MACHINE} (got 'home'); the IOMMU of passthrough needs intel_iommu=on iommu=pt, {IN_OMNI}; 'iommu_args' of "
                "Passthrough may be empty, because Talos' kernel turns the IOMMU on by itself"
            ),
        ),
        (
            ["--kernel-arg", "a=b", "--machine-set", "home-gpu"],
            f"--machine-set {ONE_MACHINE} (got 'home-gpu'); the image has a=b, {IN_OMNI}",
        ),
    ],
)
def test_kernel_arguments_of_several_machines_of_omni_are_refused_with_the_way_out(flags, expected, run):
    status, _, err = run("patch", "--talos", "1.13.9", "--for", "omni", "--cluster", "home", *flags)

    assert status == 2
    assert f"talos-gpu patch: {expected}" in err.splitlines()


def test_a_whole_cluster_of_omni_is_warned_of_and_gets_both(run):
    status, out, err = run("patch", "--talos", "1.13.9", "--for", "omni", "--cluster", "home")

    assert status == 0
    assert [document["metadata"]["labels"] for document in yaml.safe_load_all(out)] == [{"omni.sidero.dev/cluster": "home"}] * 2
    assert re.fullmatch(r"talos-gpu patch: warning: every machine of the cluster gets NVIDIA's extensions, .*\n", err)


def test_a_machine_of_omni_by_itself_has_no_extensions(answer):
    made = answer("patch", "--talos", "1.13.9", "--for", "omni", "--machine", UUID, "--weight", "7")

    assert made == omni_config_patch(MachineConfigPatch(nodes=NODES), target=OmniTarget(machine=UUID), weight=7)
    assert yaml.safe_load(made)["metadata"]["id"].startswith("007-")


def test_omnis_extensions_are_those_of_the_flags(answer):
    made = answer("patch", "--talos", "1.13.9", "--for", "omni", *GPU_SET, "--extension", "siderolabs/zfs", "--fabric-manager")
    _, extensions = yaml.safe_load_all(made)

    assert extensions["spec"]["extensions"] == [
        "siderolabs/nvidia-container-toolkit-production",
        "siderolabs/nvidia-fabricmanager-production",
        "siderolabs/nvidia-open-gpu-kernel-modules-production",
        "siderolabs/zfs",
    ]


@pytest.mark.parametrize("talos", ["1.13.9", "1.14.0"])
def test_talhelper_gets_the_fields_of_a_node(talos, answer):
    made = yaml.safe_load(answer("patch", "--talos", talos, "--for", "talhelper", "--label", "role=gpu", "--extension", "siderolabs/zfs"))

    assert list(made) == ["schematic", "kernelModules", "nodeLabels"]
    assert made["nodeLabels"] == {"role": "gpu"}
    assert "siderolabs/zfs" in made["schematic"]["customization"]["systemExtensions"]["officialExtensions"]


def test_a_talconfig_gets_the_fields_of_its_nodes(answer, tmp_path):
    path = tmp_path / "talconfig.yaml"
    path.write_text(TALCONFIG)
    made = answer("patch", "--talos", "1.13.9", "--for", "talhelper", "--talconfig", path, "--hostname", "gpu-1", "--hostname", "gpu-2")

    assert made == merge_into_talconfig(
        TALCONFIG, hostnames=["gpu-1", "gpu-2"], schematic=Schematic(nodes=NODES), patch=MachineConfigPatch(nodes=NODES, style="fields")
    )
    assert [len(node) for node in yaml.safe_load(made)["nodes"]] == [4, 4, 2]
    assert path.read_text() == TALCONFIG


@pytest.mark.parametrize("in_place", [False, True])
def test_a_talconfig_with_crlf_stays_one(in_place, tmp_path):
    path = tmp_path / "talconfig.yaml"
    path.write_bytes(TALCONFIG.replace("\n", "\r\n").encode())
    target = path if in_place else tmp_path / "new.yaml"
    arguments = ["--talos", "1.13.9", "--for", "talhelper", "--talconfig", str(path), "--hostname", "gpu-1", "--output", str(target)]

    assert cli.main(["patch", *arguments]) == 0
    lines = target.read_bytes().split(b"\n")
    assert all(line.endswith(b"\r") and b"\r" not in line[:-1] for line in lines[:-1])
    assert lines[-1] == b""
    assert "kernelModules" in yaml.safe_load(target.read_bytes())["nodes"][0]


def test_terraform_gets_its_file(answer):
    made = answer("patch", "--talos", "1.13.9", "--for", "terraform", "--operator", "--extension", "siderolabs/zfs")
    image = Schematic(nodes=NODES, extensions=["siderolabs/zfs"])

    assert made == terraform_json(schematic=image, patch=MachineConfigPatch(nodes=NODES, operator=True))
    assert json.loads(made)["schematic_id"] == image.id != ID


GRUB = "The image has the kernel argument net.ifnames=0.", "A node that boots by GRUB ignores the kernel arguments of its image"
GRUB_COMMAND = "  talosctl --nodes ADDRESS get securitystate -o yaml  # bootedWithUKI is false on a node that boots by GRUB"


@pytest.mark.parametrize("tool", ["talhelper", "capi"])
@pytest.mark.parametrize(("talos", "exception"), [("1.11.6", ""), ("1.12.11", ", unless machine.install.grubUseUKICmdline is true")])
def test_a_kernel_argument_has_a_comment_that_names_the_nodes_that_ignore_it(tool, talos, exception, answer):
    flags = ["patch", "--talos", talos, "--for", tool]
    with_note = answer(*flags, "--kernel-arg", "net.ifnames=0")

    assert with_note.splitlines()[:3] == [f"# {GRUB[0]}", f"# {GRUB[1]}{exception}.", f"# {GRUB_COMMAND}"]
    assert not answer(*flags).startswith("#")
    assert not answer(*flags, "--kernel-arg", "net.ifnames=0", "--secureboot").startswith("#")
    assert answer(*flags, "--kernel-arg", "a=b", "--kernel-arg", "c").startswith("# The image has the kernel arguments a=b c.\n")


def test_an_output_without_comments_has_the_note_as_a_warning(run, tmp_path):
    path = tmp_path / "talconfig.yaml"
    path.write_text(TALCONFIG)
    to_talconfig = ["talhelper", "--talconfig", path, "--hostname", "gpu-1"]

    for tool in (["terraform"], to_talconfig):
        status, _, err = run("patch", "--talos", "1.13.9", "--for", *tool, "--kernel-arg", "net.ifnames=0")
        assert (status, err) == (0, f"talos-gpu patch: warning: {' '.join(GRUB)}, unless machine.install.grubUseUKICmdline is true.\n")
    assert run("patch", "--talos", "1.13.9", "--for", "terraform")[2] == ""


def test_a_talconfig_of_another_talos_is_refused_in_flags(refusal, tmp_path):
    path = tmp_path / "talconfig.yaml"
    path.write_text(TALCONFIG)

    assert refusal("patch", "--talos", "1.12.11", "--for", "talhelper", "--talconfig", path, "--hostname", "gpu-1") == (
        f"--talconfig must be of Talos 1.12, the Talos of the nodes (got {str(path)!r}); the driver and the configuration of the nodes depend on Talos: give "
        "--talos 'v1.13.9'"
    )


def test_a_hostname_that_the_talconfig_does_not_have_is_refused_by_its_flag(refusal, tmp_path):
    path = tmp_path / "talconfig.yaml"
    path.write_text(TALCONFIG)

    assert refusal("patch", "--talos", "1.13.9", "--for", "talhelper", "--talconfig", path, "--hostname", "gpu-3") == (
        "--hostname must be a list of hostnames of the talconfig's nodes (got 'gpu-3'); did you mean 'gpu-2'?"
    )


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("--class rtx", "--class must be given with a cluster file (got 'rtx'); the flag for the name of a class is --name"),
        ("--talconfig a.yaml", "--talconfig must be left out of a patch for talosctl (got 'a.yaml'); use it with --for talhelper"),
        ("--hostname gpu-1", "--hostname must be left out of a patch for talosctl (got 'gpu-1'); use it with --for talhelper"),
        (
            "--for terraform --hostname gpu-1",
            "--hostname must be left out of a patch for terraform (got 'gpu-1'); use it with --for talhelper",
        ),
        ("--cluster home", "--cluster must be left out of a patch for talosctl (got 'home'); use it with --for omni"),
        ("--machine-set home-gpu", "--machine-set must be left out of a patch for talosctl (got 'home-gpu'); use it with --for omni"),
        (f"--cluster-machine {UUID}", f"--cluster-machine must be left out of a patch for talosctl (got '{UUID}'); use it with --for omni"),
        (
            f"--for talhelper --machine {UUID}",
            f"--machine must be left out of a patch for talhelper (got '{UUID}'); use it with --for omni",
        ),
        ("--weight 7", "--weight must be left out of a patch for talosctl (got 7); use it with --for omni"),
        ("--weight 0", "--weight must be left out of a patch for talosctl (got 0); use it with --for omni"),
        (
            "--for talhelper --hostname gpu-1",
            "--talconfig must be given with --hostname: the nodes in the file are found by hostname",
        ),
        (
            "--for talhelper --talconfig a.yaml",
            "--hostname must be given with --talconfig: the nodes in the file are found by hostname",
        ),
    ],
)
def test_a_flag_that_nothing_reads_is_refused(flags, expected, refusal):
    assert refusal("patch", "--talos", "1.13.9", *flags.split()) == expected


def test_the_image_that_talhelper_and_terraform_are_told_has_its_platform_and_secure_boot(answer):
    flags = ["--platform", "nocloud", "--secureboot"]
    image, made = Schematic(nodes=NODES), MachineConfigPatch(nodes=NODES)

    assert yaml.safe_load(answer("patch", "--talos", "1.13.9", "--for", "talhelper", *flags))["machineSpec"] == {
        "mode": "nocloud",
        "secureboot": True,
    }
    assert answer("patch", "--talos", "1.13.9", "--for", "terraform", *flags) == terraform_json(
        schematic=image, patch=made, platform="nocloud", secureboot=True
    )


def test_cluster_api_gets_its_template(answer):
    made = answer("patch", "--talos", "1.13.9", "--for", "capi", "--operator", "--platform", "nocloud", "--secureboot")

    assert made == cluster_api_yaml(
        schematic=Schematic(nodes=NODES), patch=MachineConfigPatch(nodes=NODES, operator=True), platform="nocloud", secureboot=True
    )


def test_cluster_api_gets_fields_on_talos_1_14(answer, refusal):
    assert "talosVersion: v1.13" in answer("patch", "--talos", "1.14.6", "--for", "capi")
    assert refusal("patch", "--talos", "1.14.6", "--for", "capi", "--style", "documents") == (
        "--style must be 'fields' with --for capi (got 'documents'); Cluster API's Talos provider knows no documents yet, and Talos 1.14 takes "
        "fields as well"
    )


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (
            ["--kernel-module-parameter", "NVreg_A=1"],
            "--kernel-module-parameter must be a parameter such as 'nvidia.NVreg_EnableGpuFirmware=1' (got 'NVreg_A=1')",
        ),
        (
            ["--kernel-module-parameter", "nvidai.A=1"],
            "--kernel-module-parameter must be keyed by 'nvidia', 'nvidia_uvm', 'nvidia_drm', 'nvidia_modeset' (got 'nvidai'); did you mean 'nvidia'?",
        ),
        (["--sysctl", "vm.max_map_count"], "--sysctl must be a setting such as 'vm.max_map_count=262144' (got 'vm.max_map_count')"),
        (["--sysctl", "a=1", "--sysctl", "a=2"], "--sysctl must be given with one value for each key (got 'a=2'); another flag sets a=1"),
        (["--cdi-spec-dir", "var/cdi"], "--cdi-spec-dir must be a list of absolute paths (got 'var/cdi'); such as ['/var/cdi/dynamic']"),
    ],
)
def test_a_wrong_setting_is_refused_in_the_words_of_its_flag(flags, expected, run):
    assert run("patch", "--talos", "1.12.11", *flags) == (2, "", f"talos-gpu patch: {expected}\n")


@pytest.mark.parametrize("tool", ["omni", "talhelper", "terraform", "capi"])
def test_an_output_without_comments_warns_of_a_second_entry_and_of_taints_on_a_joined_worker(tool, run):
    machine = ["--machine", UUID] if tool == "omni" else []
    status, out, err = run(
        "patch", "--talos", "1.12.11", "--taint", "dedicated=ai:NoSchedule", "--default-runtime", "--for", tool, *machine
    )
    warned = err.splitlines()

    assert (status, bool(out)) == (0, True)
    assert [line for line in warned if "one entry for /etc/cri/conf.d/20-customization.part" in line]
    taints = [line for line in warned if line.endswith("kubectl taint nodes $NODE dedicated=ai:NoSchedule --overwrite")]
    # Cluster API makes new machines, which get their taints while they join.
    assert len(taints) == (tool != "capi")


BY_LIMIT = """\
talos: 1.13.9
nodes: {gpu: {card: L4, count: 2, dra: {extended_resource: true}%s}}
stack: {delivery: {Flux: {}}, driver: {kubernetes_version: '1.35', kubernetes_feature_gates: [DRAExtendedResource]}}
"""


@pytest.mark.parametrize(
    ("own", "gates"),
    [
        ("", "DRAExtendedResource=true"),
        (", kubelet_feature_gates: [ResourceHealthStatus]", "ResourceHealthStatus=true,DRAExtendedResource=true"),
    ],
)
def test_the_patch_of_a_cluster_file_has_the_kubelet_gates_that_its_driver_needs(answer, tmp_path, own, gates):
    file = tmp_path / "cluster.yaml"
    file.write_text(BY_LIMIT % own)

    assert yaml.safe_load(answer("patch", str(file)))["machine"]["kubelet"]["extraArgs"] == {"feature-gates": gates}


def test_the_upgrade_of_a_cluster_file_has_the_kubelet_gates_that_its_driver_needs(answer, tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text(BY_LIMIT % "")

    assert "--kubelet-feature-gate DRAExtendedResource" in answer("upgrade", str(file), "--to", "1.14.6")
