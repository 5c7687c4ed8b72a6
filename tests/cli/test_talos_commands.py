"""The command `talos-gpu`: the real one in a process of its own, and each of its flags in this one."""

import itertools
import json
import os
import re
import shlex
import subprocess
import sys

import pytest
import yaml

from conftest import ROOT
from constructs_lib import (
    GpuNodes,
    MachineConfigPatch,
    Mps,
    OmniTarget,
    Schematic,
    Taint,
    TalosGpuWarning,
    TimeSlicing,
    UpgradePlan,
    merge_into_talconfig,
    omni_config_patch,
    omni_extensions,
    terraform_json,
)
from constructs_lib.cli import command as cli
from constructs_lib.cli import nodes_flags
from constructs_lib.upstream.talos_releases import READ_ON

COMMANDS = ["schematic", "patch", "upgrade"]
WORKS = {"schematic": ["--talos", "1.13.9"], "patch": ["--talos", "1.13.9"], "upgrade": ["--talos", "1.12.11", "--to", "1.13.9"]}
NODES = GpuNodes(talos_version="1.13.9")
GPU_SET = ["--cluster", "home", "--machine-set", "home-gpu"]
UUID = "01234567-89ab-cdef-0123-456789abcdef"
ID = "6698d6f136c5bb37ca8bb8482c9084305084da0a5ead1f4dcae760796f8ab3a2"
MPS_WARNING = "nobody has reported MPS to work on Talos 1.13.9; TimeSlicing is what clusters run"


def environment():
    """Ours, with the library in a working folder that is not its own."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def process(*arguments, cwd=None):
    """The real command."""
    line = [sys.executable, "-m", "constructs_lib", *arguments]
    return subprocess.run(line, cwd=cwd, env=environment(), capture_output=True, check=False)


@pytest.fixture
def run(capsys):
    """The command in this process: its status, its answer and its messages."""

    def call(*arguments):
        status = cli.main([str(argument) for argument in arguments])
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def answer(run):
    """The answer of a call that goes well without a word."""

    def call(*arguments):
        status, out, err = run(*arguments)
        assert (status, err) == (0, "")
        return out

    return call


@pytest.fixture
def refusal(run):
    """The one sentence of a call that is refused."""

    def call(*arguments):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert err.startswith(f"talos-gpu {arguments[0]}: ")
        return err.removeprefix(f"talos-gpu {arguments[0]}: ").removesuffix("\n")

    return call


@pytest.fixture
def by_argparse(capsys):
    """The last line of what argparse itself says."""

    def call(*arguments):
        with pytest.raises(SystemExit) as caught:
            cli.main(list(arguments))
        assert caught.value.code == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("usage: talos-gpu")
        return err.splitlines()[-1]

    return call


@pytest.fixture
def nodes_file(tmp_path):
    path = tmp_path / "nodes.yaml"
    path.write_text('- {talos_version: "1.13.9", name: rtx, labels: {role: gpu}}\n- {talos_version: "1.14.0", name: p40}\n')
    return path


# The real command


def test_an_answer_goes_to_stdout_with_status_0():
    made = process("schematic", "--talos", "1.13.9")

    assert (made.returncode, made.stderr) == (0, b"")
    assert made.stdout.decode() == Schematic(nodes=NODES).text


def test_a_refusal_goes_to_stderr_with_status_2():
    made = process("patch", "--talos", "1.7")

    assert (made.returncode, made.stdout) == (2, b"")
    assert made.stderr.decode() == (
        "talos-gpu patch: --talos-version must be a Talos version such as '1.14', from '1.8' on, with or without its patch (got '1.7'); before 1.8 the "
        "NVIDIA extensions have no tracks and Talos sets no extension labels on its nodes; upgrade Talos first\n"
    )


def test_a_warning_goes_to_stderr_once_and_the_answer_to_stdout():
    made = process("patch", "--talos", "1.13.9", "--mps", "4")

    assert made.returncode == 0
    assert made.stderr.decode() == f"talos-gpu patch: warning: {MPS_WARNING}\n"
    assert yaml.safe_load(made.stdout)["machine"]["kernel"]["modules"][0] == {"name": "nvidia"}


@pytest.mark.parametrize("arguments", [(), ("--help",), ("patch", "--help")])
def test_help_and_usage_name_the_command_and_not_the_module(arguments):
    made = process(*arguments)

    assert made.returncode == (0 if arguments else 2)
    assert (made.stdout or made.stderr).startswith(b"usage: talos-gpu ")
    assert bool(made.stdout) is not bool(made.stderr)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_starts_node_or_loads_cdk8s(command):
    code = (
        "import contextlib, io, json, sys\n"
        "from constructs_lib import cli\n"
        "with contextlib.redirect_stdout(io.StringIO()) as out: status = cli.main(sys.argv[1:])\n"
        "print(json.dumps([status, len(out.getvalue()), [name for name in ('jsii', 'cdk8s', 'constructs') if name in sys.modules]]))\n"
    )
    line = [sys.executable, "-c", code, command, *WORKS[command]]
    status, length, loaded = json.loads(subprocess.run(line, cwd=ROOT, capture_output=True, check=True).stdout)

    assert (status, loaded) == (0, [])
    assert length > 100


def test_an_answer_is_written_where_the_console_has_no_unicode():
    line = [sys.executable, "-m", "constructs_lib", "upgrade", *WORKS["upgrade"]]
    made = subprocess.run(line, env={**environment(), "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)

    assert made.returncode == 0
    assert b"Traceback" not in made.stderr


# Help


def help_of(command, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([command, "--help"])
    assert caught.value.code == 0
    return capsys.readouterr().out


def example(text):
    return [line.strip() for line in text.partition("\nexample:\n")[2].splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_an_example_that_runs(command, capsys, tmp_path):
    lines = example(help_of(command, capsys))
    ours = [line for line in lines if line.startswith("talos-gpu ")]
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    (manifests / "bridge.yaml").write_text((ROOT / "dist/operator-flux/manifests/gpu-operator.k8s.yaml").read_text())

    assert ours
    for line in ours:
        assert line.startswith(f"talos-gpu {command} ")
        shell = line.replace("talos-gpu", f"{shlex.quote(sys.executable)} -m constructs_lib", 1)
        made = subprocess.run(shell, shell=True, cwd=tmp_path, env=environment(), capture_output=True, check=False)
        written = tmp_path / line.rpartition(" > ")[2] if " > " in line else None

        assert (made.returncode, made.stderr) == (0, b"")
        assert (written.read_bytes() if written else made.stdout).count(b"\n") >= 1
    for line in set(lines) - set(ours):
        assert line == "talosctl --nodes 10.0.0.7 patch machineconfig --patch @gpu.yaml"
        assert (tmp_path / "gpu.yaml").exists()


def test_the_help_lists_the_commands_each_with_what_it_is_about(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    out = capsys.readouterr().out

    assert re.findall(r"^    (\w+)\s+\w.*? ", out, re.MULTILINE) == ["check", *COMMANDS]
    assert "talos-gpu COMMAND --help" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_of_the_nodes_says_what_it_is(command, capsys):
    out = help_of(command, capsys)

    for said in (
        "open, proprietary; default: open",
        "lts, production, new-feature; default: production",
        "none, single, mixed; default: none",
        "--output FILE",
    ):
        assert said in " ".join(out.split())


OF_NODES = (
    "help nodes class talos-version talos kernel-modules driver-track label taint product gpus-per-node memory-per-gpu count time-slicing mps "
    "mig-strategy name output"
)
OF_IMAGES = "extension fabric-manager gdrcopy kernel-arg platform secureboot"
OF_COMMANDS = {
    "schematic": "print",
    "patch": "style operator default-runtime for cluster machine-set cluster-machine machine weight talconfig hostname",
    "upgrade": "to route new-route leftovers format",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_these_flags_and_no_others(command, capsys):
    listed = re.findall(r"^  (?:-h, )?(--[a-z-]+)(?:.*?, (--[a-z-]+))?", help_of(command, capsys), re.MULTILINE)
    expected = f"{OF_NODES} {OF_IMAGES} {OF_COMMANDS[command]}"

    assert sorted(filter(None, sum(listed, ()))) == sorted(f"--{name}" for name in expected.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_says_how_a_kernel_argument_is_dropped(command, capsys):
    assert "--kernel-arg=-console drops one of Talos' own" in " ".join(help_of(command, capsys).split())


# The flags of the nodes

FLAGS = [
    (["--talos", "1.13.9"], {}),
    (["--talos-version", "v1.13.9"], {}),
    (["--talos", "1.13.9", "--kernel-modules", "proprietary"], {"kernel_modules": "proprietary"}),
    (["--talos", "1.13.9", "--driver-track", "lts"], {"driver_track": "lts"}),
    (["--talos", "1.13.9", "--label", "role=gpu", "--label", "zone="], {"labels": {"role": "gpu", "zone": ""}}),
    (
        ["--talos", "1.13.9", "--taint", "dedicated=ai:NoExecute", "--taint", "gpu"],
        {"taints": [Taint("dedicated", "ai", "NoExecute"), Taint("gpu")]},
    ),
    (["--talos", "1.13.9", "--product", "RTX 5070 Ti"], {"product": "RTX 5070 Ti"}),
    (["--talos", "1.13.9", "--gpus-per-node", "8"], {"gpus_per_node": 8}),
    (["--talos", "1.13.9", "--memory-per-gpu", "16Gi"], {"memory_per_gpu": "16Gi"}),
    (["--talos", "1.13.9", "--count", "3"], {"count": 3}),
    (["--talos", "1.13.9", "--time-slicing", "5"], {"sharing": TimeSlicing(replicas=5)}),
    (["--talos", "1.13.9", "--mig-strategy", "single"], {"mig_strategy": "single"}),
    (["--talos", "1.13.9", "--name", "rtx"], {"name": "rtx"}),
]


@pytest.mark.parametrize(("flags", "expected"), FLAGS, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_flag_is_the_argument_of_the_class(command, flags, expected):
    rest = ["--to", "1.14"] if command == "upgrade" else []

    assert nodes_flags.nodes_of(cli._parser().parse_args([command, *flags, *rest])) == GpuNodes(talos_version="1.13.9", **expected)


def test_mps_is_the_argument_of_the_class():
    with pytest.warns(TalosGpuWarning):
        made = nodes_flags.nodes_of(cli._parser().parse_args(["patch", "--talos", "1.13.9", "--mps", "4"]))

    assert made.sharing == Mps(replicas=4)


def test_the_nodes_may_come_from_a_file(answer, tmp_path):
    path = tmp_path / "nodes.yaml"
    path.write_text('talos_version: "1.13.9"\nname: rtx\n')

    assert answer("patch", "--nodes", path) == MachineConfigPatch(nodes=GpuNodes(talos_version="1.13.9", name="rtx")).text
    assert answer("patch", "--nodes", path, "--class", "rtx") == answer("patch", "--nodes", path)


def test_a_class_of_a_file_is_chosen_by_its_name(answer, nodes_file):
    assert answer("patch", "--nodes", nodes_file, "--class", "p40") == (
        MachineConfigPatch(nodes=GpuNodes(talos_version="1.14.0", name="p40")).text
    )
    assert "role: gpu" in answer("patch", "--nodes", nodes_file, "--class", "rtx")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], "--class must be one of the file's classes, 'rtx', 'p40' (got nothing)"),
        (["--class", "rtxx"], "--class must be one of the file's classes, 'rtx', 'p40' (got 'rtxx'); did you mean 'rtx'?"),
    ],
)
def test_a_class_that_the_file_does_not_have_is_refused(flags, expected, refusal, nodes_file):
    assert refusal("patch", "--nodes", nodes_file, *flags) == expected


def test_a_file_whose_class_has_no_name_says_so(refusal, tmp_path):
    path = tmp_path / "nodes.yaml"
    path.write_text('talos_version: "1.13.9"\n')

    assert refusal("patch", "--nodes", path, "--class", "rtx") == (
        "--class must be left out for a file whose class has no name (got 'rtx')"
    )  # fmt: skip


def test_several_classes_without_names_can_not_be_chosen_from(refusal, tmp_path):
    path = tmp_path / "nodes.yaml"
    path.write_text('- {talos_version: "1.13.9"}\n- {talos_version: "1.14.0"}\n')

    for flags in ([], ["--class", "rtx"]):
        assert refusal("patch", "--nodes", path, *flags) == (
            f"--nodes must be a file whose classes have names, where it has several (got '{path}'); --class chooses one by its 'name'"
        )


# `schematic`


@pytest.mark.parametrize(
    ("flags", "made"),
    [
        ([], {}),
        (["--extension", "siderolabs/iscsi-tools", "--extension", "siderolabs/zfs"], {"extensions": ["siderolabs/iscsi-tools", "siderolabs/zfs"]}),
        (["--fabric-manager"], {"fabric_manager": True}),
        (["--gdrcopy"], {"gdrcopy": True}),
        (["--kernel-arg", "net.ifnames=0", "--kernel-arg=-console"], {"extra_kernel_args": ["net.ifnames=0", "-console"]}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("printed", ["yaml", "id"])
def test_a_flag_is_the_argument_of_the_schematic(flags, made, printed, answer):
    expected = Schematic(nodes=NODES, **made)

    assert (
        answer("schematic", "--talos", "1.13.9", *flags, "--print", printed) == {"yaml": expected.text, "id": f"{expected.id}\n"}[printed]
    )
    assert (expected.id == ID) is (not made)


def test_the_schematic_is_yaml_unless_said_otherwise(answer):
    assert answer("schematic", "--talos", "1.13.9") == (
        "customization:\n"
        "    systemExtensions:\n"
        "        officialExtensions:\n"
        "            - siderolabs/nvidia-container-toolkit-production\n"
        "            - siderolabs/nvidia-open-gpu-kernel-modules-production\n"
    )


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--print", "id"], ID),
        (["--print", "installer"], f"factory.talos.dev/metal-installer/{ID}:v1.13.9"),
        (["--print", "installer", "--secureboot"], f"factory.talos.dev/metal-installer-secureboot/{ID}:v1.13.9"),
        (["--print", "installer", "--platform", "aws"], f"factory.talos.dev/aws-installer/{ID}:v1.13.9"),
        (["--print", "iso"], f"https://factory.talos.dev/image/{ID}/v1.13.9/metal-amd64.iso"),
        (
            ["--print", "iso", "--platform", "nocloud", "--secureboot"],
            f"https://factory.talos.dev/image/{ID}/v1.13.9/nocloud-amd64-secureboot.iso",
        ),
        (["--print", "pxe"], f"https://pxe.factory.talos.dev/pxe/{ID}/v1.13.9/metal-amd64"),
    ],
)
def test_what_follows_from_the_schematic_is_one_line(flags, expected, answer):
    assert answer("schematic", "--talos", "1.13.9", *flags) == f"{expected}\n"


# `patch`


@pytest.mark.parametrize(
    ("flags", "made"),
    [
        ([], {}),
        (["--operator"], {"operator": True}),
        (["--default-runtime"], {"default_runtime": True}),
        (["--gdrcopy"], {"gdrcopy": True}),
        (["--style", "fields"], {"style": "fields"}),
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


TALCONFIG = """\
# ours
clusterName: home
talosVersion: v1.13.9
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.7   # the big one
  - hostname: gpu-2
    ipAddress: 10.0.0.8
  - hostname: plain
    ipAddress: 10.0.0.9
"""


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
    made = answer("patch", "--talos", "1.13.9", "--for", "terraform", "--operator", "--kernel-arg", "net.ifnames=0")
    image = Schematic(nodes=NODES, extra_kernel_args=["net.ifnames=0"])

    assert made == terraform_json(schematic=image, patch=MachineConfigPatch(nodes=NODES, operator=True))
    assert json.loads(made)["schematic_id"] == image.id != ID


# `upgrade`


@pytest.mark.parametrize(
    ("flags", "given", "image"),
    [
        ([], {}, {}),
        (["--route", "operator"], {"route": "operator"}, {}),
        (["--route", "standalone", "--new-route", "operator"], {"new_route": "operator"}, {}),
        (["--route", "operator", "--new-route", "standalone"], {"route": "operator", "new_route": "standalone"}, {}),
        (["--extension", "siderolabs/zfs", "--fabric-manager"], {}, {"extensions": ["siderolabs/zfs"], "fabric_manager": True}),
        (["--gdrcopy", "--kernel-arg", "net.ifnames=0"], {}, {"gdrcopy": True, "extra_kernel_args": ["net.ifnames=0"]}),
    ],
)
def test_a_flag_is_the_argument_of_the_plan(flags, given, image, answer):
    nodes = GpuNodes(talos_version="1.12.11")
    plain = UpgradePlan(nodes=nodes, to="1.13.9").markdown
    expected = UpgradePlan(nodes=nodes, to="1.13.9", **given, schematic=Schematic(nodes=nodes, **image)).markdown

    assert answer("upgrade", "--talos", "1.12.11", "--to", "1.13.9", *flags) == expected
    assert (expected == plain) is (not flags)


def test_the_plan_is_markdown_unless_said_otherwise(answer):
    assert answer("upgrade", *WORKS["upgrade"], "--format", "markdown") == answer("upgrade", *WORKS["upgrade"])


def test_the_plan_as_json_has_every_step(answer):
    out = answer("upgrade", "--talos", "1.13.8", "--to", "1.13.9", "--gpus-per-node", "8", "--format", "json")
    made = json.loads(out)

    assert out.startswith('[\n  {\n    "hop": ')
    assert out.endswith("]\n")
    assert [list(each) for each in made] == [["hop", "phase", "action", "title", "reason", "commands", "check"]] * 4
    assert [(each["phase"], each["action"]) for each in made] == [
        ("before", "check"), ("upgrade", "apply"), ("after", "check"), ("after", "check"),
    ]  # fmt: skip
    assert made[0]["hop"] == "1.13.8 → 1.13.9"
    assert made[-1]["check"] == "it says 8"
    assert made[-1]["commands"] == ["kubectl get node $NODE -o jsonpath='{.status.allocatable.nvidia\\.com/gpu}'"]


@pytest.fixture
def repository(tmp_path):
    """Two folders of a GitOps repository, and what is no manifest beside them."""
    for name, cluster in (("a", "operator-flux"), ("b", "standalone-shared")):
        folder = tmp_path / name / "manifests"
        folder.mkdir(parents=True)
        for file in (ROOT / "dist" / cluster / "manifests").glob("*.yaml"):
            (folder / file.with_suffix(".yml" if name == "b" else ".yaml").name).write_text(file.read_text())
    (tmp_path / "a" / "README.md").write_text("{{ not yaml")
    (tmp_path / "a" / "list.yaml").write_text("- 5\n---\n---\ntext\n")
    return tmp_path


LEFT = [
    (
        "kubectl delete daemonset nvidia-validation-bridge --namespace nvidia-gpu-operator",
        "it writes what the operator's pods waited for up to Talos 1.12; from 1.13 on the operator's validator does",
    ),
    ("kubectl delete runtimeclass nvidia", "the operator makes this RuntimeClass and owns it"),
    (
        "kubectl delete daemonset nvidia-device-plugin --namespace nvidia-device-plugin",
        "the operator runs a device plugin of its own, and two advertise every GPU twice",
    ),
    (
        "kubectl delete daemonset nvidia-device-plugin-gpu-feature-discovery --namespace nvidia-device-plugin",
        "the operator runs a feature discovery of its own, and two write the same labels",
    ),
]


def test_leftovers_are_commands_with_their_reasons(answer, repository):
    arguments = ["upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers"]

    assert answer(*arguments, repository) == "".join(f"{command}  # {reason}\n" for command, reason in LEFT)
    assert answer(*arguments, repository / "b", repository / "a") == "".join(
        f"{command}  # {reason}\n" for command, reason in [*LEFT[1:], LEFT[0]]
    )
    assert answer(*arguments, repository / "a" / "manifests" / "gpu-operator.k8s.yaml").count("\n") == 1
    assert answer("upgrade", *WORKS["upgrade"], "--leftovers", repository) == f"{LEFT[0][0]}  # {LEFT[0][1]}\n"


def test_leftovers_are_json_too(answer, repository):
    out = answer("upgrade", *WORKS["upgrade"], "--leftovers", repository, "--format", "json")

    assert out.startswith('[\n  {\n    "kind": ')
    assert json.loads(out) == [
        {"kind": "DaemonSet", "namespace": "nvidia-gpu-operator", "name": "nvidia-validation-bridge", "reason": LEFT[0][1]},
    ]  # fmt: skip


def test_nothing_left_is_said_so(answer, repository):
    arguments = ["upgrade", "--talos", "1.13.8", "--to", "1.13.9", "--leftovers", repository]

    assert answer(*arguments) == "# nothing has to go\n"
    assert answer(*arguments, "--format", "json") == "[]\n"


def test_what_kubectl_prints_holds_leftovers_too(answer, tmp_path):
    bridge = next(yaml.safe_load_all((ROOT / "dist/standalone-shared/manifests/gpu.k8s.yaml").read_text().partition("---\n")[2]))
    path = tmp_path / "cluster.yaml"
    path.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [bridge]}))

    assert answer("upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers", path) == f"{LEFT[1][0]}  # {LEFT[1][1]}\n"


def test_manifests_may_be_json(answer, tmp_path):
    folder = tmp_path / "manifests"
    folder.mkdir()
    bridge = next(yaml.safe_load_all((ROOT / "dist/standalone-shared/manifests/gpu.k8s.yaml").read_text().partition("---\n")[2]))
    (folder / "a.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [bridge]}, indent="\t"))

    for path in (folder, folder / "a.json"):
        assert answer("upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers", path) == f"{LEFT[1][0]}  # {LEFT[1][1]}\n"


HEAD = b"apiVersion: v1\nkind: Pod\n"
# What looks like a manifest, and what can't be one: it has no object of Kubernetes.
BROKEN = [
    (
        "chart.yaml",
        HEAD + b"a: [{{ .Values.a }}\n",
        4,
        "a template, and no YAML as it is: did not find expected ',' or ']'",
    ),
    ("a.yml", HEAD + b"spec: [\n", 4, "not YAML: did not find expected node content"),
    ("secret.yaml", HEAD + b"sops: {mac: a}\n", 1, "encrypted by SOPS"),
]
NO_MANIFEST = [
    ("tsconfig.json", b"// ours\n{}\n", 1, "no manifest and nothing of Talos"),
    ("values.yaml", b"driver: {enabled: false}\n", 1, "no manifest and nothing of Talos"),
    ("kind.yml", b"kind: [\n", 2, "not YAML: did not find expected node content"),
]


@pytest.mark.parametrize(("name", "written", "line", "why"), [*BROKEN, *NO_MANIFEST])
def test_a_file_that_is_no_manifest_is_refused_by_its_name(name, written, line, why, refusal, tmp_path):
    path = tmp_path / name
    path.write_bytes(written)
    said = refusal("upgrade", *WORKS["upgrade"], "--leftovers", path)

    assert said == f"--leftovers must be files of manifests (got {str(path)!r}); line {line}: {why}"


@pytest.mark.parametrize(("name", "written", "line", "why"), [*BROKEN, ("image.yaml", b"\xff\xfe\x00", None, "binary")])
def test_what_can_not_be_read_in_a_folder_is_named_and_the_rest_is_read(name, written, line, why, run, repository):
    path = repository / "a" / name
    path.write_bytes(written)
    status, out, err = run("upgrade", *WORKS["upgrade"], "--leftovers", repository)

    assert (status, out) == (0, f"{LEFT[0][0]}  # {LEFT[0][1]}\n")
    assert err == f"talos-gpu upgrade: warning: {path}{f':{line}' if line else ''} was not read: {why}\n"


@pytest.mark.parametrize(("name", "written", "line", "why"), NO_MANIFEST)
def test_what_can_be_no_manifest_is_passed_over_in_a_folder(name, written, line, why, run, repository):
    (repository / "a" / name).write_bytes(written)

    assert run("upgrade", *WORKS["upgrade"], "--leftovers", repository) == (0, f"{LEFT[0][0]}  # {LEFT[0][1]}\n", "")


def test_a_template_in_a_folder_is_named(run, repository):
    path = repository / "a" / "bridge.yaml.j2"
    path.write_bytes(HEAD)

    assert run("upgrade", *WORKS["upgrade"], "--leftovers", repository) == (
        0,
        f"{LEFT[0][0]}  # {LEFT[0][1]}\n",
        f"talos-gpu upgrade: warning: {path} was not read: a template, of which only what it renders is judged\n",
    )


def test_nothing_has_to_go_is_not_said_of_what_was_not_read(run, tmp_path):
    (tmp_path / "a.yaml").write_bytes(BROKEN[0][1])
    (tmp_path / "b.yaml").write_bytes(HEAD)
    status, out, err = run("upgrade", *WORKS["upgrade"], "--leftovers", tmp_path)

    assert (status, out) == (0, "# nothing of what was read has to go; the warnings name the rest\n")
    assert err.startswith(f"talos-gpu upgrade: warning: {tmp_path / 'a.yaml'}:4 was not read: ")


def test_one_document_that_is_no_manifest_is_named_and_the_rest_of_its_file_is_read(run, tmp_path):
    path = tmp_path / "gpu.yaml"
    path.write_text("a: 1\n---\n" + (ROOT / "dist/operator-flux/manifests/gpu-operator.k8s.yaml").read_text())

    assert run("upgrade", *WORKS["upgrade"], "--leftovers", path) == (
        0,
        f"{LEFT[0][0]}  # {LEFT[0][1]}\n",
        f"talos-gpu upgrade: warning: {path}:1 was not read: no manifest and nothing of Talos\n",
    )


KUSTOMIZED = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
helmCharts:
- {name: nvdp, repo: https://nvidia.github.io/k8s-device-plugin, version: 0.17.1, releaseName: plugin, namespace: gpu}
- {name: cilium, repo: https://helm.cilium.io, version: 1.18.0, releaseName: cilium, namespace: kube-system}
"""


@pytest.mark.parametrize("given", [".", "gpu", "gpu/kustomization.yaml"])
def test_a_chart_that_kustomize_renders_is_left_out_of_its_file(given, answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / "kustomization.yaml").write_text(KUSTOMIZED)

    assert answer("upgrade", *WORKS["upgrade"], "--new-route", "operator", "--leftovers", given) == (
        "# leave out the chart nvidia-device-plugin in gpu  # it installs a device plugin, and the operator runs one of its own "
        "(gpu/kustomization.yaml:4)\n"
    )


def test_a_setting_of_a_chart_that_kustomize_renders_is_taken_out_of_its_values(answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = "valuesInline: {hostPaths: {driverInstallDir: /usr/local/glibc}}"
    (tmp_path / "kustomization.yaml").write_text(f"helmCharts:\n- name: gpu-operator\n  version: v26.7.0\n  namespace: gpu\n  {values}\n")

    assert answer("upgrade", *WORKS["upgrade"], "--leftovers", "kustomization.yaml") == (
        "# take out the setting helmCharts.0.valuesInline.hostPaths.driverInstallDir of the chart gpu-operator in gpu  # this setting names "
        "/usr/local/glibc, where Talos 1.13 has no driver (kustomization.yaml:5)\n"
    )


def test_the_configuration_of_nodes_is_read_beside_manifests(answer, tmp_path):
    (tmp_path / "gpu.yaml").write_text("machine:\n  files:\n    - {path: /var/a, op: create, content: /usr/local/glibc/usr/lib}\n")

    assert answer("upgrade", *WORKS["upgrade"], "--leftovers", tmp_path) == (
        f"# take out the setting machine.files.0.content of the node configuration gpu.yaml  # this setting names "
        f"/usr/local/glibc, where Talos 1.13 has no driver ({tmp_path / 'gpu.yaml'}:3)\n"
    )
    assert answer("upgrade", "--talos", "1.13.8", "--to", "1.13.9", "--leftovers", tmp_path) == "# nothing has to go\n"


# Output


@pytest.mark.parametrize("command", COMMANDS)
def test_output_is_a_file_with_the_same_bytes(command, run, tmp_path):
    path = tmp_path / "out"
    expected = run(command, *WORKS[command])[1]

    assert run(command, *WORKS[command], "--output", path) == (0, "", "")
    assert path.read_bytes() == expected.encode()


def test_a_refusal_leaves_the_file_as_it_was(run, tmp_path):
    path = tmp_path / "out"
    path.write_text("before")

    assert run("patch", "--talos", "1.7", "--output", path)[:2] == (2, "")
    assert path.read_text() == "before"


# Warnings


def test_each_warning_is_said_once_however_often_it_arises(run):
    status, out, err = run("upgrade", "--talos", "1.13.9", "--to", "1.14.0", "--mps", "4")

    assert status == 0
    assert out.startswith("# From Talos 1.13.9 to 1.14.0")
    assert err.splitlines() == [
        f"talos-gpu upgrade: warning: {MPS_WARNING}",
        f"talos-gpu upgrade: warning: {MPS_WARNING.replace('1.13.9', '1.14.0')}",
    ]


def test_a_warning_is_said_beside_a_refusal_too(run):
    status, out, err = run("patch", "--talos", "1.13.9", "--mps", "4", "--style", "documents")

    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "talos-gpu patch: --style must be 'fields' on Talos 1.13.9 (got 'documents'); the documents came with Talos 1.14",
        f"talos-gpu patch: warning: {MPS_WARNING}",
    ]


# What is refused

GROUNDS = "the generations of Talos need different manifests, so a default would break somebody's nodes"
LABEL_VALUE = "a label value (at most 63 letters, digits, '-', '_' and '.', as a string)"
A_TAINT = "a taint such as 'dedicated=ai:NoSchedule'"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("patch", f"--talos-version must be given (got nothing); {GROUNDS}"),
        ("patch --talos 1.13.x", "--talos-version must be a Talos version such as '1.14', from '1.8' on, with or without its patch (got '1.13.x'); did you mean '1.13'?"),
        ("patch --talos 1.13 --kernel-modules opn", "--kernel-modules must be one of 'open', 'proprietary' (got 'opn'); did you mean 'open'?"),
        ("patch --talos 1.13 --driver-track beta", "--driver-track must be one of 'lts', 'production', 'new-feature' (got 'beta')"),
        ("patch --talos 1.13 --mig-strategy mix", "--mig-strategy must be one of 'none', 'single', 'mixed' (got 'mix'); did you mean 'mixed'?"),
        ("patch --talos 1.13 --label role", "--label must be a label such as 'role=gpu' (got 'role')"),
        ("patch --talos 1.13 --taint =ai", f"--taint must be {A_TAINT} (got '=ai'); 'key' must be a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.') (got '')"),
        ("patch --talos 1.13 --taint a=b:Evict", f"--taint must be {A_TAINT} (got 'a=b:Evict'); 'effect' must be one of 'NoSchedule', 'PreferNoSchedule', 'NoExecute' (got 'Evict')"),
        ("patch --talos 1.13 --gpus-per-node 0", "--gpus-per-node must be a whole number of at least 1 (got 0)"),
        ("patch --talos 1.13 --count -1", "--count must be a whole number of at least 1 (got -1)"),
        ("patch --talos 1.13 --memory-per-gpu 16GB", "--memory-per-gpu must be a Kubernetes quantity above zero such as '16Gi' (got '16GB'); did you mean '16Gi'?"),
        ("patch --talos 1.13 --time-slicing 1", "--time-slicing must be a whole number of at least 2 (got 1); one pod a GPU needs no --time-slicing"),
        ("patch --talos 1.13 --time-slicing 2 --mps 2", "--mps must be given without --time-slicing (got 2); a GPU is shared in one way"),
        ("patch --talos 1.13 --style yaml", "--style must be one of 'fields', 'documents' (got 'yaml')"),
        ("patch --talos 1.13 --style documents", "--style must be 'fields' on Talos 1.13 (got 'documents'); the documents came with Talos 1.14"),
        ("patch --talos 1.13 --for omni", "--cluster must be given, or else --machine by itself (got nothing)"),
        (
            f"patch --talos 1.13 --for omni --cluster home --machine {UUID}",
            f"--machine must be given without --cluster (got '{UUID}'); it is one machine whatever cluster it is in; in its cluster alone it is --cluster-machine",
        ),
        ("patch --talos 1.13 --for omni --cluster a --machine-set b", "--machine-set must be the ID of a machine set of cluster 'a' (got 'b'); did you mean 'a-b'?"),
        ("patch --talos 1.13 --for omni --cluster a --cluster-machine b", "--cluster-machine must be the UUID of a machine, in lower case (got 'b')"),
        ("patch --talos 1.13 --for omni --machine b", "--machine must be the UUID of a machine, in lower case (got 'b')"),
        ("patch --talos 1.13 --for omni --cluster a --weight 1000", "--weight must be a whole number from 0 to 999 (got 1000)"),
        ("schematic --talos 1.13.9 --print iso --platform amazon", "--platform must be one of 'metal', 'akamai', 'alibabacloud', 'aws', 'azure', 'cloudstack', 'digital-ocean', 'exoscale', 'gcp', 'hcloud', 'nocloud', 'opennebula', 'openstack', 'oracle', 'scaleway', 'upcloud', 'vmware', 'vultr' (got 'amazon')"),
        ("schematic --talos 1.11 --gdrcopy", "--gdrcopy must be left out on Talos 1.11 (got --gdrcopy); Talos has gdrdrv from 1.12 on"),
        ("upgrade --talos 1.12.11 --to 1.12.11", "--to must be newer than 1.12.11, which the nodes run (got '1.12.11'); talosctl rollback goes back to the Talos before the last upgrade"),
        ("upgrade --talos 1.12 --to 1.13 --route plugin", "--route must be one of 'standalone', 'operator' (got 'plugin')"),
        ("upgrade --talos 1.12 --to 1.13 --new-route plugin", "--new-route must be one of 'standalone', 'operator' (got 'plugin')"),
    ],
)  # fmt: skip
def test_an_error_names_the_flag(arguments, expected, refusal):
    assert refusal(*arguments.split()) == expected


def test_a_card_that_the_modules_can_not_run_is_refused(refusal):
    assert refusal("schematic", "--talos", "1.13", "--product", "GTX 1080") == (
        "--kernel-modules must be 'proprietary' with --product 'GTX 1080' (got 'open'); the open modules begin with Turing, and this card is a "
        "Pascal"
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["patch", "--talos", "1.13", "--label", "role=a b"], f"--label must be {LABEL_VALUE} (got 'a b')"),
        (
            ["schematic", "--talos", "1.13", "--extension", "iscsi-tools"],
            "--extension must be an official extension of Talos 1.13 (got 'iscsi-tools'); did you mean 'siderolabs/iscsi-tools'?",
        ),
        (
            ["schematic", "--talos", "1.13", "--kernel-arg", "a b"],
            "--kernel-arg must be one kernel argument (got 'a b'); did you mean 'a', 'b'?",
        ),
        (["patch", "--talos", "1.13", "--mps", "1"], "--mps must be a whole number from 2 to 48 (got 1)"),
    ],
)
def test_an_error_within_a_list_or_a_kind_of_sharing_names_its_own_flag(arguments, expected, refusal):
    assert refusal(*arguments) == expected


@pytest.mark.parametrize("arguments", ["schematic --print installer", "schematic --print iso", "patch --for terraform"])
def test_an_image_without_its_patch_is_refused_by_the_flag_that_exists(arguments, refusal):
    assert refusal(*arguments.split(), "--talos", "1.13") == (
        "--talos-version must be a Talos release with its patch, such as 'v1.12.11' (got '1.13'); an image is of one release"
    )


def test_two_taints_of_a_key_are_refused_by_the_flag_that_they_came_by(refusal):
    assert refusal("patch", "--talos", "1.13", "--taint", "a=b", "--taint", "a=c") == (
        "--taint must be a class with one taint of each key (got 'a=b', 'a=c'); Talos' configuration is a map of taints by key"
    )


@pytest.mark.parametrize(
    ("talos", "warning"),
    [
        ("1.15", "Talos 1.15 is a beta: its manifests follow its documentation, and may change before the release"),
        (
            "1.16",
            (
                f"Talos 1.16 is newer than this library's tables, which were read on {READ_ON}: its manifests are those of Talos 1.15, and nobody "
                "has tried them"
            ),
        ),
    ],
)
def test_a_talos_that_is_new_to_the_tables_gets_its_schematic_with_a_warning(talos, warning, run):
    status, out, err = run("schematic", "--talos", talos)

    assert (status, err) == (0, f"talos-gpu schematic: warning: {warning}\n")
    assert "siderolabs/nvidia-open-gpu-kernel-modules-production" in out


@pytest.mark.parametrize("flags", [[], ["--taint", "dedicated=ai"], ["--label", "taint=none"]], ids=" ".join)
def test_a_talos_of_which_nothing_is_known_is_refused_by_its_flag(flags, refusal):
    assert refusal("schematic", "--talos", "2.0", *flags).startswith("--talos-version must be a Talos version such as '1.14'")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (
            ["--talos", "1.12", "--mps", "4"],
            (
                "--mps must be --time-slicing on Talos 1.12 (got 4); on Talos 1.12 the MPS server exits when a pod connects "
                "(NVIDIA/k8s-device-plugin#1614); use --time-slicing, or Talos 1.13"
            ),
        ),
        (
            ["--talos", "1.13", "--mps", "4", "--mig-strategy", "single"],
            "--mps must be --time-slicing with --mig-strategy 'single' (got 4); MPS refuses MIG devices",
        ),
        (
            ["--talos", "1.13", "--time-slicing", "4", "--mig-strategy", "mixed"],
            (
                "'mig_devices' must be given with --time-slicing and --mig-strategy 'mixed' (got nothing); the device plugin shares each profile by its "
                "name; a file for --nodes can say it"
            ),
        ),
        (
            ["--talos", "1.14", "--for", "talhelper", "--style", "documents"],
            "--style must be 'fields' with --for talhelper (got 'documents'); it knows no documents yet, and Talos 1.14 takes the fields as well",
        ),
        (
            ["--talos", "1.13", "--driver-track", "production", "--kernel-modules", "proprietary", "--product", "GTX 1080"],
            (
                "--driver-track must be 'lts' on Talos 1.13 with --product 'GTX 1080' (got 'production'); this card needs a driver of at most 580, "
                "and the 'production' one is 595.91.07"
            ),
        ),
    ],
)
def test_what_is_refused_is_said_in_flags_and_not_in_python(flags, expected, refusal):
    assert refusal("patch", *flags) == expected


def test_a_talconfig_of_another_talos_is_refused_in_flags(refusal, tmp_path):
    path = tmp_path / "talconfig.yaml"
    path.write_text(TALCONFIG)

    assert refusal("patch", "--talos", "1.12.11", "--for", "talhelper", "--talconfig", path, "--hostname", "gpu-1") == (
        "--talconfig must be of Talos 1.12, as the nodes are (got 'talosVersion: v1.13.9'); the nodes' driver and config depend on it: give "
        "--talos-version 'v1.13.9'"
    )


def test_a_hostname_that_the_talconfig_does_not_have_is_refused_by_its_flag(refusal, tmp_path):
    path = tmp_path / "talconfig.yaml"
    path.write_text(TALCONFIG)

    assert refusal("patch", "--talos", "1.13.9", "--for", "talhelper", "--talconfig", path, "--hostname", "gpu-3") == (
        "--hostname must be a list of hostnames of the talconfig's nodes (got 'gpu-3'); did you mean 'gpu-2'?"
    )


def test_flags_beside_a_file_are_refused_by_their_names(refusal, nodes_file):
    flags = ["--talos", "1.14", "--gpus-per-node", "3", "--label", "a=b", "--taint", "a", "--time-slicing", "3", "--kernel-modules", "open"]

    assert refusal("patch", "--nodes", nodes_file, *flags) == (
        f"--nodes must be given without other flags for the nodes (got {str(nodes_file)!r}); write --talos-version, --kernel-modules, "
        "--gpus-per-node, --label, --taint, --time-slicing or --mps into the file"
    )


def test_what_is_wrong_in_a_file_is_said_in_the_words_of_the_file(refusal, tmp_path):
    path = tmp_path / "nodes.yaml"
    path.write_text('talos_version: "1.13"\nsharing: {mps: {replicas: 1}}\n')

    assert refusal("patch", "--nodes", path) == f"{path}: 'replicas' must be a whole number from 2 to 48 (got 1)"


@pytest.mark.parametrize(
    "arguments",
    [
        ["patch", "--nodes", "none.yaml"],
        ["patch", "--talos", "1.13", "--for", "talhelper", "--talconfig", "none.yaml", "--hostname", "gpu-1"],
        ["upgrade", "--talos", "1.12", "--to", "1.13", "--leftovers", "none.yaml"],
        ["patch", "--talos", "1.13", "--output", "none.yaml/out"],
    ],
)
def test_a_missing_file_is_one_sentence_that_names_it(arguments, refusal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flag, path = next(pair for pair in itertools.pairwise(arguments) if "none.yaml" in pair[1])

    rule = "written" if flag == "--output" else "read"
    assert refusal(*arguments) == f"{flag} must be a file that can be {rule} (got '{path}'); no such file or directory"


@pytest.mark.parametrize("flag", ["--nodes", "--output"])
def test_a_folder_is_no_file(flag, refusal, tmp_path):
    given = ["--talos", "1.13"] if flag == "--output" else []

    assert refusal("patch", *given, flag, tmp_path).endswith(f" (got '{tmp_path}'); is a directory")


def test_a_label_with_two_values_is_refused(refusal, answer):
    twice = ["patch", "--talos", "1.13", "--label", "role=gpu", "--label"]

    assert refusal(*twice, "role=ai") == "--label must be given with one value for each key (got 'role=ai'); it is role=gpu as well"
    assert answer(*twice, "role=gpu") == answer(*twice[:-1])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["patch", "--nodes"], "--nodes must be a file of text (got '{path}')"),
        (["upgrade", *WORKS["upgrade"], "--leftovers"], "--leftovers must be a file of text (got '{path}')"),
        (
            ["patch", "--talos", "1.13", "--for", "talhelper", "--hostname", "a", "--talconfig"],
            "--talconfig must be a file of text (got '{path}')",
        ),
    ],
)
def test_a_file_that_is_no_text_is_named(arguments, expected, refusal, tmp_path):
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00")

    assert refusal(*arguments, path) == expected.format(path=path)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("--class rtx", "--class must be given with --nodes alone (got 'rtx'); the class's own name is --name"),
        ("--talconfig a.yaml", "--talconfig must be given with --for talhelper (got 'a.yaml')"),
        ("--hostname gpu-1", "--hostname must be given with --for talhelper (got 'gpu-1')"),
        ("--for terraform --hostname gpu-1", "--hostname must be given with --for talhelper (got 'gpu-1')"),
        ("--cluster home", "--cluster must be given with --for omni (got 'home')"),
        ("--machine-set home-gpu", "--machine-set must be given with --for omni (got 'home-gpu')"),
        (f"--cluster-machine {UUID}", f"--cluster-machine must be given with --for omni (got '{UUID}')"),
        (f"--for talhelper --machine {UUID}", f"--machine must be given with --for omni (got '{UUID}')"),
        ("--weight 7", "--weight must be given with --for omni (got 7)"),
        ("--weight 0", "--weight must be given with --for omni (got 0)"),
        (
            "--for talhelper --hostname gpu-1",
            "--talconfig must be given with --hostname (got nothing); a node of a file is found by its hostname",
        ),
        (
            "--for talhelper --talconfig a.yaml",
            "--hostname must be given with --talconfig (got nothing); a node of a file is found by its hostname",
        ),
    ],
)
def test_a_flag_that_nothing_reads_is_refused(flags, expected, refusal):
    assert refusal("patch", "--talos", "1.13.9", *flags.split()) == expected


IMAGE_FLAGS = [
    ("--extension siderolabs/zfs", "'siderolabs/zfs'"),
    ("--fabric-manager", "--fabric-manager"),
    ("--gdrcopy", "--gdrcopy"),
    ("--kernel-arg a=b", "'a=b'"),
    ("--platform metal", "'metal'"),
    ("--secureboot", "--secureboot"),
]
THREE, TWO = "with --for omni or talhelper or terraform", "with --for talhelper or terraform"


@pytest.mark.parametrize(("flag", "got"), IMAGE_FLAGS)
@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("schematic --talos 1.13.9", {"--platform": "with --print installer, iso or pxe", "--secureboot": "with --print installer, iso or pxe"}),
        ("schematic --talos 1.13.9 --print id", {"--platform": "with --print installer, iso or pxe", "--secureboot": "with --print installer, iso or pxe"}),
        ("schematic --talos 1.13.9 --print iso", {}),
        ("patch --talos 1.13.9", {"--extension": THREE, "--fabric-manager": THREE, "--kernel-arg": TWO, "--platform": TWO, "--secureboot": TWO}),
        ("patch --talos 1.13.9 --for omni --cluster home --machine-set home-gpu", {"--kernel-arg": TWO, "--platform": TWO, "--secureboot": TWO}),
        (f"patch --talos 1.13.9 --for omni --machine {UUID}", {"--extension": "with --cluster", "--fabric-manager": "with --cluster", "--kernel-arg": TWO, "--platform": TWO, "--secureboot": TWO}),
        ("patch --talos 1.13.9 --for talhelper", {}),
        ("patch --talos 1.13.9 --for talhelper --talconfig {talconfig} --hostname gpu-1", {"--platform": "without --talconfig", "--secureboot": "without --talconfig"}),
        ("patch --talos 1.13.9 --for terraform", {}),
        ("upgrade --talos 1.12.11 --to 1.13.9", {}),
        ("upgrade --talos 1.12.11 --to 1.13.9 --leftovers .", dict.fromkeys((flag.split()[0] for flag, _ in IMAGE_FLAGS), "without --leftovers")),
    ],
)  # fmt: skip
def test_a_flag_of_the_image_is_read_or_refused_with_what_it_is_read_by(command, read, flag, got, run, tmp_path):
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG)
    status, _, err = run(*command.format(talconfig=tmp_path / "talconfig.yaml").split(), *flag.split())
    name = flag.split()[0]

    if name in read:
        assert status == 2
        assert err.partition(";")[0].strip() == f"talos-gpu {command.split()[0]}: {name} must be given {read[name]} (got {got})"
    else:
        assert (status, err) == (0, "")


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


@pytest.mark.parametrize(
    ("command", "flag", "meant"),
    [("schematic", "--secure", "--secureboot"), ("patch", "--machine-s", "--machine-set"), ("upgrade", "--new", "--new-route")],
)
def test_a_flag_is_written_out(command, flag, meant, refusal, by_argparse):
    assert (
        refusal(command, *WORKS[command], flag) == f"{flag} must be a flag of talos-gpu {command} (got '{flag}'); did you mean '{meant}'?"
    )
    assert by_argparse("--hel") == "talos-gpu: error: the following arguments are required: COMMAND"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", "talos-gpu: error: the following arguments are required: COMMAND"),
        ("upgrade --talos 1.12", "talos-gpu upgrade: error: the following arguments are required: --to"),
    ],
)
def test_what_argparse_refuses_ends_with_status_2_too(arguments, expected, by_argparse):
    assert by_argparse(*arguments.split()) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--count x", "--count must be a whole number of at least 1 (got 'x')"),
        ("--gpus-per-node 1.5", "--gpus-per-node must be a whole number of at least 1 (got '1.5')"),
        ("--time-slicing many", "--time-slicing must be a whole number of at least 2 (got 'many'); one pod a GPU needs no --time-slicing"),
        ("--mps x", "--mps must be a whole number from 2 to 48 (got 'x')"),
        ("--for omni --cluster home --weight x", "--weight must be a whole number from 0 to 999 (got 'x')"),
    ],
)
def test_what_is_no_number_is_refused_by_the_rule_for_it(arguments, expected, refusal):
    assert refusal("patch", "--talos", "1.13", *arguments.split()) == expected


@pytest.mark.parametrize(
    ("arguments", "got", "then"),
    [
        ("patch --talos 1.13 --lable role=gpu", "--lable role=gpu", "did you mean '--label'?"),
        ("patch --talos 1.13 --clas rtx", "--clas rtx", "did you mean '--class'?"),
        ("schematic --talos 1.13 --prnt id", "--prnt id", "did you mean '--print'?"),
        ("upgrade --talos 1.12 --to 1.13 --xyzzy", "--xyzzy", "talos-gpu upgrade --help lists them"),
        ("patch --talos 1.13 gpu.yaml", "gpu.yaml", "talos-gpu patch --help lists them"),
    ],
)
def test_an_unknown_flag_is_answered_with_the_one_that_was_meant(arguments, got, then, refusal):
    command = arguments.split()[0]
    assert refusal(*arguments.split()) == f"{got.split()[0]} must be a flag of talos-gpu {command} (got '{got}'); {then}"


@pytest.mark.parametrize(("arguments", "flag"), [("schematic --print json", "--print"), ("patch --for flux", "--for"), ("upgrade --to 1.13 --format xml", "--format")])  # fmt: skip
def test_a_choice_of_the_command_itself_is_refused(arguments, flag, by_argparse):
    assert f"error: argument {flag}: invalid choice: " in by_argparse(*arguments.split())
