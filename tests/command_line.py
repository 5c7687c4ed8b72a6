"""The command `talos-gpu` for tests: in a process of its own, or in this one, with its answer and its messages."""

import os
import subprocess
import sys

import pytest

from conftest import ROOT
from constructs_lib import GpuNodes
from constructs_lib.cli import command as cli

COMMANDS = ["schematic", "patch", "upgrade"]
WORKS = {"schematic": ["--talos", "1.13.9"], "patch": ["--talos", "1.13.9"], "upgrade": ["--talos", "1.12.11", "--to", "1.13.9"]}
NODES = GpuNodes(talos_version="1.13.9")
GPU_SET = ["--cluster", "home", "--machine-set", "home-gpu"]
UUID = "01234567-89ab-cdef-0123-456789abcdef"
ID = "6698d6f136c5bb37ca8bb8482c9084305084da0a5ead1f4dcae760796f8ab3a2"
MPS_WARNING = "no report is known of MPS working on Talos 1.13.9; clusters use time-slicing"


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
def nodes_file(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text("nodes:\n  rtx: {talos: 1.13.9, labels: {role: gpu}}\n  p40: {talos: 1.14.0}\n")
    return path


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
