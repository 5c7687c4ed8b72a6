"""`talos-gpu doctor --live` with the real kubectl against a real control plane."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from control_plane import ControlPlane
from doctor_cases import node

from conftest import ROOT, needs


@pytest.mark.thorough
def test_the_real_kubectl_answers_every_command_and_the_doctor_names_the_cause(tmp_path):
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    (tmp_path / "kubectl").symlink_to(needs("KUBECTL", "kubectl, which prints the objects"))
    with ControlPlane(assets) as lab:
        lab.create({key: value for key, value in node("gpu-1").body.items() if key != "status"})
        environment = {**os.environ, "PATH": str(tmp_path), "KUBECONFIG": str(lab.kubeconfig()), "PYTHONPATH": str(ROOT)}
        line = [sys.executable, "-m", "constructs_lib", "doctor", "--live"]
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)

    assert " failed: " not in done.stderr
    assert "+ kubectl get nodes --all-namespaces --output json\n" in done.stderr
    assert done.stdout.startswith("gpu-1: the cluster has no known device plugin")
    assert done.returncode == 1
