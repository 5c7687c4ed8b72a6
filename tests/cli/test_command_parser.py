"""The help, the examples and the flags of every verb that is about nodes."""

import re
import shlex
import subprocess
import sys

import pytest
from command_line import COMMANDS, environment

from conftest import ROOT
from constructs_lib.cli import command as cli


def help_of(command, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main([command, "--help"])
    assert caught.value.code == 0
    return capsys.readouterr().out


def example(text):
    return [line.strip() for line in text.partition("\nexamples:\n")[2].splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_an_example_that_runs(command, capsys, tmp_path):
    lines = example(help_of(command, capsys))
    ours = [line for line in lines if line.startswith("talos-gpu ")]
    manifests = tmp_path / "manifests"
    manifests.mkdir()
    (manifests / "bridge.yaml").write_text((ROOT / "dist/operator-flux/manifests/gpu-operator.k8s.yaml").read_text())

    (tmp_path / "cluster.yaml").write_text("{talos: 1.14.0, nodes: {gpu-1: {card: RTX 4090}}, stack: operator}")

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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_flag_of_the_nodes_says_what_it_is(command, capsys):
    out = help_of(command, capsys)

    for said in (
        "open, proprietary; default: those that the card needs, else open",
        "lts, production, new-feature; default: the one that runs the card, else production",
        "none, single, mixed; default: none",
        "--output FILE",
    ):
        assert said in " ".join(out.split())


OF_NODES = (
    "help class talos-version talos kernel-modules driver-track label extra-label taint product gpus-per-node memory-per-gpu count time-slicing mps "
    "mig-strategy name output passthrough"
)
OF_IMAGES = "from extension fabric-manager no-fabric-manager gdrcopy kernel-arg sector-size embedded-config platform secureboot"
OF_CONFIG = "style extra-kernel-module default-runtime base-runtime-spec cdi-spec-dir kubelet-feature-gate kernel-module-parameter sysctl"
OF_COMMANDS = {
    "schematic": "arch style print",
    "patch": f"{OF_CONFIG} arch operator for cluster machine-set cluster-machine machine template weight talconfig hostname",
    "upgrade": f"{OF_CONFIG} arch to route new-route for manifests leftovers verbose format",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_these_flags_and_no_others(command, capsys):
    listed = re.findall(r"^  (?:-h, )?(--[a-z-]+)(?:.*?, (--[a-z-]+))?", help_of(command, capsys), re.MULTILINE)
    expected = f"{OF_NODES} {OF_IMAGES} {OF_COMMANDS[command]}"

    assert sorted(filter(None, sum(listed, ()))) == sorted(f"--{name}" for name in expected.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_says_how_a_kernel_argument_is_dropped(command, capsys):
    assert "--kernel-arg=-console drops an argument of Talos" in " ".join(help_of(command, capsys).split())
