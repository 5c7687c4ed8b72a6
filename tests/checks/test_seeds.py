"""The five documents that this project was created from, as their authors wrote them: each shows exactly the faults that are in it.

`tests/seeds/<document>/` is where its author ended, `<document>-before` what was tried on the way. A file `<chart>@<version>.values.yaml` holds
the values of a chart; what a document does not say, no file says. Not shown are claims of the prose, and a selector for a label of one's own
that the node does not have any more, which no file tells.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from constructs_lib import GpuNodes, TimeSlicing
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.model import Inputs
from constructs_lib.observed.read.repository import read

SEEDS = Path(__file__).parent / "seeds"
SHARED = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5), gpus_per_node=1, memory_per_gpu="16Gi", count=1)
VALUES = "gpu-operator@v25.10.1.values.yaml"

# The file, the rule, its severity, and why.
EXPECTED: dict[tuple[str, str], list[tuple[str, str, str, str]]] = {
    ("000", "1.12"): [
        ("omni-gpu-node.yaml", "TG126", "error", "pasted from the article into omnictl apply: the resource has no type"),
        ("omni-gpu-node.yaml", "TG127", "warning", "and no namespace"),
        ("omni-other-node.yaml", "TG126", "error", "pasted from the article into omnictl apply: the resource has no type"),
        ("omni-other-node.yaml", "TG127", "warning", "and no namespace"),
        ("validation-markers.yaml", "TG052", "warning", "host network and hostPath, and no file labels the namespace privileged"),
    ],
    ("000-before", "1.12"): [
        ("omni-every-node.yaml", "TG126", "error", "pasted from the article into omnictl apply: the resource has no type"),
        ("omni-every-node.yaml", "TG127", "warning", "and no namespace"),
        ("omni-gpu-node.yaml", "TG126", "error", "pasted from the article into omnictl apply: the resource has no type"),
        ("omni-gpu-node.yaml", "TG127", "warning", "and no namespace"),
        ("omni-gpu-node.yaml", "TG074", "error", "20-customization.part twice on one node: EtcFileSpecs … already exists, a reboot loop"),
        ("ollama.values.yaml", "TG050", "remark", "models pulled by a postStart hook, which Talos 1.12 fails in a container with a GPU"),
    ],
    ("001", "1.12"): [
        (VALUES, "TG010", "error", "driver.enabled: the operator knows nothing of Talos' extensions and pulls a driver image that does not exist"),
        (VALUES, "TG027", "remark", "driver.nodeSelector: no component has one, so it is ignored"),
        (VALUES, "TG027", "remark", "devicePlugin.nodeSelector, likewise"),
        (VALUES, "TG027", "remark", "dcgmExporter.nodeSelector, likewise"),
        (VALUES, "TG027", "remark", "gfd.nodeSelector, likewise"),
        ("validation-bridge.yaml", "TG002", "error", "the markers written once, and then a loop that only sleeps: the validator deletes them"),
        ("ollama.yaml", "TG043", "remark", "NVIDIA_VISIBLE_DEVICES=all beside a limit shows every GPU of the node"),
        ("ollama.yaml", "TG048", "warning", "no strategy: a rolling update waits for the GPU that the old pod holds"),
        ("ollama.yaml", "TG134", "remark", "the image ollama/ollama:latest"),
    ],
    ("001-before", "1.12"): [
        (VALUES, "TG010", "error", "driver.enabled, as above"),
        (VALUES, "TG009", "error", "invalid strategy: envvars"),
        ("namespace.yaml", "TG052", "warning", 'violates PodSecurity "baseline:latest": hostPath volumes'),
        ("validation-bridge.yaml", "TG002", "error", "the markers written once"),
        ("ollama.yaml", "TG048", "warning", "no strategy"),
        ("ollama.yaml", "TG134", "remark", "the image ollama/ollama:latest"),
    ],
    ("002", "1.12"): [
        ("dcgm-exporter@3.4.2.values.yaml", "TG007", "warning", "nvidia.com/gpu.present, which feature discovery does not set without the operator"),
        ("dcgm-exporter@3.4.2.values.yaml", "TG019", "warning", "no RuntimeClass for the exporter, and no machine configuration with a default one"),
    ],
    ("002-memory", "1.12"): [
        ("workloads.yaml", "TG097", "error", "Flux.1 with 12 GB beside Ollama with 8.6 GB on a card of 16: out of memory"),
    ],
    ("003", "1.11.1"): [
        ("schematic.yaml", "TG089", "error", "there is no extension siderolabs/nvidia-driver"),
        ("schematic.yaml", "TG080", "remark", "siderolabs/nvidia-container-toolkit without a track is taken for -lts"),
        ("talconfig.yaml", "TG073", "error", "no net.core.bpf_jit_harden: 1, which nvidia-container-cli needs up to Talos 1.11"),
        ("talconfig.yaml", "TG079", "remark", "the taint of a worker: NodeRestriction keeps it from a node that has registered"),
    ],
    ("004", "1.11.5"): [
        ("nvidia-no-cgroups.yaml", "TG075", "error", "create operation not allowed outside of /var"),
    ],
}  # fmt: skip


def cluster(folder: str, talos: str) -> Inputs:
    """Everything that a document gives its cluster, checked together."""
    files = sorted((SEEDS / folder).glob("*.yaml"))
    values = {file: file.name.removesuffix(".values.yaml") for file in files if file.name.endswith(".values.yaml")}
    whole = read([file for file in files if file not in values], talos=talos, nodes=[SHARED] if folder == "002-memory" else [])
    releases = [release for file, chart in values.items() for release in read([file], chart=chart).releases]
    assert len(releases) == len(values)
    assert whole.skipped == ()
    return replace(whole, releases=(*whole.releases, *releases))


@pytest.mark.parametrize(("folder", "talos"), EXPECTED)
def test_a_document_shows_the_faults_that_are_in_it_and_no_others(folder, talos):
    found = [(Path(each.file).name, each.rule, str(each.severity)) for each in run_rules(cluster(folder, talos))]

    assert sorted(found) == sorted((file, rule, severity) for file, rule, severity, _ in EXPECTED[folder, talos])


def test_every_document_is_here():
    assert {folder.name for folder in SEEDS.iterdir()} == {folder for folder, _ in EXPECTED}
