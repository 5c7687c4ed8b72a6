"""docs/tutorial.md: each output that it shows is what the command prints for its cluster file."""

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from control_plane import ControlPlane
from machines import Card, Machine

from conftest import ROOT, env_of, needs
from constructs_lib.cli.command import main as talos_gpu
from constructs_lib.manifests.cuda_proof import is_proof

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHOWN = {
    line.rstrip("\n"): output
    for (language, line), (next_language, output) in itertools.pairwise(BLOCKS)
    if language == "" and next_language in ("text", "yaml") and line.startswith(("talos-gpu ", "kubectl "))
}
"""Commands with the output that the page shows below each; what talosctl prints is not checked, and the page says so."""
CARD = Card()
PLUGIN = "app.kubernetes.io/name=nvidia-device-plugin"
NVIDIA_SMI = f"""\
#!{sys.executable}
import sys
print(
    "GPU 0: {CARD.product} (UUID: GPU-1)" if sys.argv[1] == "-L"
    else "{CARD.memory}" if "memory" in sys.argv[1]
    else "{CARD.product}, 595.112.07"
)
"""


KUBECTL = f"""\
#!{sys.executable} -I
import json, pathlib, sys
state = json.loads(pathlib.Path(sys.argv[0]).with_name("state.json").read_text())
words = " ".join(sys.argv[1:])
if words.startswith("logs job/"):
    print(state["log"])
elif words.startswith("get job "):
    print("SuccessCriteriaMet Complete")
elif words.startswith("get "):
    print(json.dumps({{"kind": "List", "items": state.get(sys.argv[2], [])}}))
"""
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "gpu-1",
        "labels": {
            "extensions.talos.dev/nvidia-container-toolkit-production": "595.112.07",
            "extensions.talos.dev/nvidia-open-gpu-kernel-modules-production": "595.112.07-v1.14.6",
        },
    },
    "status": {
        "addresses": [{"type": "InternalIP", "address": "192.168.1.21"}],
        "allocatable": {"nvidia.com/gpu": "1"},
        "nodeInfo": {"osImage": "Talos (v1.14.6)"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


@pytest.fixture
def home(tmp_path, monkeypatch, capsys):
    """A folder with the files of `talos-gpu synth home.yaml`, and what the command has printed."""
    (tmp_path / "home.yaml").write_text((ROOT / "docs" / "tutorial.yaml").read_text())
    monkeypatch.chdir(tmp_path)
    assert talos_gpu(["synth", "home.yaml"]) == 0
    return capsys.readouterr().out


def objects():
    """The objects of the written files."""
    files = [Path(f"dist/home/manifests/{name}.k8s.yaml") for name in ("gpu", "workloads")]
    return [each for file in files for each in yaml.safe_load_all(file.read_text())]


def proof_of(job, folder):
    """What the script of the proof prints where `nvidia-smi` and the sample answer as those of a node with the card."""
    (container,) = job["spec"]["template"]["spec"]["containers"]
    for name, source in (("nvidia-smi", NVIDIA_SMI), ("sample", "#!/bin/sh\necho Test PASSED\n")):
        (folder / name).write_text(source)
        (folder / name).chmod(0o755)
    line = [*container["command"][:2], container["command"][2].replace("/cuda-samples/sample", str(folder / "sample"))]
    environment = {**env_of(container), "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=True).stdout


def test_the_commands_whose_output_is_shown():
    assert list(SHOWN) == [
        "talos-gpu synth home.yaml",
        "talos-gpu schematic home.yaml",
        "talos-gpu schematic home.yaml --print installer",
        "talos-gpu patch home.yaml",
        "kubectl apply --server-side --filename dist/home/manifests/gpu.k8s.yaml",
        "kubectl apply --server-side --filename dist/home/manifests/workloads.k8s.yaml",
        r"kubectl get node gpu-1 -o jsonpath='{.status.allocatable.nvidia\.com/gpu}'",
        "talos-gpu verify home.yaml --prove",
    ]


def test_synth_prints_what_is_shown(home):
    assert SHOWN["talos-gpu synth home.yaml"] == home


@pytest.mark.parametrize("line", [line for line in SHOWN if line.startswith(("talos-gpu schematic", "talos-gpu patch"))])
def test_a_command_that_writes_a_file_of_talos_prints_what_is_shown(home, line, capsys):
    assert talos_gpu(line.split()[1:]) == 0
    assert capsys.readouterr().out == SHOWN[line]


def test_the_cluster_file_is_the_one_that_is_shown():
    assert next(text for language, text in BLOCKS if language == "yaml") == (ROOT / "docs" / "tutorial.yaml").read_text()


def test_the_answer_of_the_image_factory_has_the_id_of_the_schematic(home):
    image = Path("dist/home/talos/installer-image.txt").read_text()

    assert f'`{{"id":"{image.partition("/metal-installer/")[2].partition(":")[0]}"}}`' in PAGE


def test_verify_prints_what_is_shown(home, tmp_path, monkeypatch, capsys):
    (job,) = [each for each in objects() if is_proof(each)]
    (tmp_path / "kubectl").write_text(KUBECTL)
    (tmp_path / "kubectl").chmod(0o755)
    state = {"nodes": [NODE], "--filename": objects(), "log": proof_of(job, tmp_path)}
    (tmp_path / "state.json").write_text(json.dumps(state))
    monkeypatch.setenv("PATH", str(tmp_path))

    assert talos_gpu(["verify", "home.yaml", "--prove"]) == 0
    assert capsys.readouterr().out == SHOWN["talos-gpu verify home.yaml --prove"]


@pytest.mark.thorough
def test_the_real_kubectl_prints_what_is_shown(home):
    assets, kubectl = Path(needs("CLUSTER_ASSETS", "the folder with a control plane")), needs("KUBECTL", "kubectl")
    config, schematic = (Path(f"dist/home/talos/{name}.yaml").read_text() for name in ("machine-config", "schematic"))
    machine = Machine("gpu-1", config, schematic, "1.14.6", (CARD,))
    with ControlPlane(assets) as lab:
        lab.apply([machine.node()])
        lab.patch_status(machine.status())
        printed = {}
        for line in (each for each in SHOWN if each.startswith("kubectl ")):
            if " get node " in line:  # the laboratory plays the device plugin, once its pod runs
                plugin = lab.eventually(lambda: [each["spec"].get("nodeName") for each in lab.list("v1", "Pod", PLUGIN)], ["gpu-1"].__eq__)
                assert plugin == ["gpu-1"]
                lab.patch_status(machine.status(**{"nvidia.com/gpu": "1"}))
            environment = {**os.environ, "KUBECONFIG": str(lab.kubeconfig())}
            shell = ["sh", "-c", line.replace("kubectl", kubectl, 1)]
            printed[line] = subprocess.run(shell, env=environment, capture_output=True, text=True, check=True).stdout.rstrip("\n") + "\n"

    assert printed == {line: SHOWN[line] for line in printed}
