"""What main.py writes for Talos: for each cluster from the same nodes as its manifests, and right by Talos' own schemas."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_patch_schemas import schema_for

from constructs_lib import GpuNodes, Taint
from constructs_lib.talos import MachineConfigPatch, Schematic
from counting import calls
from test_clusters import CLUSTERS, ROOT, gpu_pods

# The classes of each cluster, by the prefix of their files, and the Talos that they run.
CLASSES = [
    ("operator-argocd", "", "1.12"),
    ("operator-flux", "", "1.12"),
    ("standalone-shared", "", "1.12"),
    ("runtime-class-taint", "", "1.11"),
    ("single-node-h100", "", "1.11"),
    ("today", "rtx-", "1.14"),
    ("today", "h100-", "1.14"),
    ("llm-platform", "serving-", "1.14"),
    ("llm-platform", "training-", "1.14"),
    ("llm-platform", "partitioned-", "1.14"),
]
each_class = pytest.mark.parametrize(("cluster", "prefix", "talos"), CLASSES)


def file(cluster: str, name: str) -> str:
    return (ROOT / "dist" / cluster / "talos" / name).read_text()


def machine_config(cluster: str, prefix: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(file(cluster, f"{prefix}machine-config.yaml")))


def test_every_cluster_is_here():
    assert {cluster for cluster, _, _ in CLASSES} == set(CLUSTERS)


@each_class
def test_the_machine_configuration_is_valid_by_the_schema_of_its_talos(cluster, prefix, talos):
    run_rules = schema_for(talos, "documents" if talos == "1.14" else "fields")
    documents = [document for document in machine_config(cluster, prefix) if document]

    assert documents
    assert [error.message for document in documents for error in run_rules.iter_errors(document)] == []


@each_class
def test_the_image_is_that_of_the_schematic_beside_it(cluster, prefix, talos):
    schematic, image = file(cluster, f"{prefix}schematic.yaml"), file(cluster, f"{prefix}installer-image.txt")

    assert hashlib.sha256(schematic.encode()).hexdigest() in image
    assert f":v{talos}." in image


def metadata(cluster: str, prefix: str) -> tuple[dict[str, str], dict[str, str]]:
    """The labels and the taints that the nodes get, whichever the style."""
    documents = machine_config(cluster, prefix)
    node = next((each for each in documents if each and each.get("kind") == "KubeNodeConfig"), {})
    machine = next((each["machine"] for each in documents if each and "machine" in each), {})
    return node.get("labels", machine.get("nodeLabels", {})), node.get("taints", machine.get("nodeTaints", {}))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_every_gpu_pod_selects_labels_that_the_machine_configuration_or_the_operator_sets(cluster):
    by_operator = {"nvidia.com/gpu.present": "true"} if cluster.startswith("operator-") else {}
    labelled = [metadata(cluster, prefix)[0] | by_operator for name, prefix, _ in CLASSES if name == cluster]
    assert all(
        "nvidia.com/gpu.present" not in metadata(cluster, prefix)[0] for name, prefix, _ in CLASSES if name == cluster and by_operator
    )

    for pod in gpu_pods(cluster):
        selector = pod.get("nodeSelector", {}).items()
        assert any(selector <= labels.items() for labels in labelled)


@each_class
def test_every_taint_of_the_machine_configuration_is_tolerated_by_a_gpu_pod(cluster, prefix, talos):
    _, taints = metadata(cluster, prefix)
    tolerated = [{toleration["key"] for toleration in pod["tolerations"]} for pod in gpu_pods(cluster)]

    assert any(taints.keys() <= keys for keys in tolerated)


def test_the_schematic_of_the_fourth_document_is_the_one_that_it_prints():
    assert "af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7:v1.11.1" in file("runtime-class-taint", "installer-image.txt")


@pytest.mark.parametrize(("cluster", "kept_away"), [("operator-argocd", True), ("operator-flux", True), ("standalone-shared", False)])
def test_the_operators_validator_is_kept_away_where_it_can_not_succeed(cluster, kept_away):
    labels, _ = metadata(cluster, "")

    assert (labels.get("nvidia.com/gpu.deploy.operator-validator") == "false") is kept_away


def test_nodes_are_labelled_by_talos_and_not_by_hand_where_their_class_selects_a_label():
    assert metadata("today", "rtx-")[0] == {"nvidia.com/device-plugin.config": "rtx"}
    assert metadata("today", "h100-")[0] == {"nvidia.com/device-plugin.config": "h100"}


def test_image_and_patch_of_a_class_take_under_3000_calls_however_many_there_are():
    def make(number):
        nodes = GpuNodes(
            talos_version="1.12.11", name=f"class-{number}", labels={"role": f"gpu-{number}"}, taints=[Taint("dedicated", "ai")]
        )
        assert len(Schematic(nodes=nodes).id) == 64
        assert MachineConfigPatch(nodes=nodes).text

    make(0)
    one = calls(lambda: make(1))
    assert one < 3_000
    assert calls(lambda: [make(number) for number in range(2, 102)]) <= 101 * one


def test_the_folder_of_talos_is_not_in_that_of_kubernetes():
    """A GitOps tool that finds a Talos document among manifests fails."""
    assert not [path for path in Path(ROOT / "dist").glob("*/manifests/**/*") if "machine:" in path.read_text()]
