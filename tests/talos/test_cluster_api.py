"""The objects of Cluster API's Talos providers."""

import copy
from pathlib import Path

import jsonschema
import pytest
import yaml

from conftest import message, needs
from constructs_lib import GpuNodes, Taint
from constructs_lib.talos import MachineConfigPatch, Schematic, cluster_api_yaml

CONTROL_PLANE = Taint("node-role.kubernetes.io/control-plane")


def made(talos="1.13.9", *, style="fields", schematic=None, **given):
    nodes = GpuNodes(talos_version=talos, **given)
    patch = MachineConfigPatch(nodes=nodes, style=style)
    return cluster_api_yaml(schematic=schematic or Schematic(nodes=nodes), patch=patch)


def config_of(text):
    return yaml.safe_load(text)["spec"]["template"]["spec"]


def test_workers_get_a_template_with_patch_and_image():
    nodes = GpuNodes(talos_version="1.13.9", name="rtx", taints=[Taint("dedicated", "ai")])
    template = yaml.safe_load(made(name="rtx", taints=[Taint("dedicated", "ai")]))

    assert (template["apiVersion"], template["kind"]) == ("bootstrap.cluster.x-k8s.io/v1alpha3", "TalosConfigTemplate")
    assert template["metadata"] == {"name": "rtx"}
    config = template["spec"]["template"]["spec"]
    assert (config["generateType"], config["talosVersion"]) == ("worker", "v1.13")
    patches = [yaml.safe_load(each) for each in config["strategicPatches"]]
    assert patches[:-1] == MachineConfigPatch(nodes=nodes).documents
    assert patches[-1] == {"machine": {"install": {"image": Schematic(nodes=nodes).installer_image()}}}


def test_a_class_without_a_name_is_called_gpu():
    assert yaml.safe_load(made())["metadata"] == {"name": "gpu"}


def test_a_control_plane_gets_the_part_of_its_object():
    text = made(taints=[CONTROL_PLANE])
    control_plane = yaml.safe_load(text)

    assert text.startswith("# Merge these fields into your TalosControlPlane: ")
    assert (control_plane["apiVersion"], control_plane["kind"]) == ("controlplane.cluster.x-k8s.io/v1alpha3", "TalosControlPlane")
    config = control_plane["spec"]["controlPlaneConfig"]["controlplane"]
    assert config["generateType"] == "controlplane"
    assert len(config["strategicPatches"]) == 2


@pytest.mark.parametrize(("talos", "expected"), [("1.11.6", "v1.11"), ("1.13.9", "v1.13"), ("1.14.6", "v1.13")])
def test_the_generated_configuration_has_fields_on_every_talos(talos, expected):
    config = config_of(made(talos))

    assert config["talosVersion"] == expected
    assert f":v{talos}" in config["strategicPatches"][-1]


def test_documents_are_refused():
    assert message(lambda: made("1.14.6", style="documents")) == (
        "'patch' must be of style 'fields' for Cluster API (got 'documents'); the Talos providers know no documents yet, and Talos 1.14 takes "
        "fields as well: MachineConfigPatch(…, style='fields')"
    )


def test_a_schematic_for_other_nodes_is_refused():
    other = Schematic(nodes=GpuNodes(talos_version="1.13.9", driver_track="lts"))

    assert message(lambda: made(schematic=other)).startswith("'patch' must be for the nodes of the 'schematic'")


def strict(schema):
    """The schema with no room for unknown fields, as a strict API server reads it."""
    schema = copy.deepcopy(schema)
    if "properties" in schema:
        schema["additionalProperties"] = False
        schema["properties"] = {key: value if key == "metadata" else strict(value) for key, value in schema["properties"].items()}
    if "items" in schema:
        schema["items"] = strict(schema["items"])
    return schema


def test_the_provider_schema_takes_the_template():
    path = Path(needs("CRDS", "the schemas of custom resources")) / "bootstrap.cluster.x-k8s.io_talosconfigtemplates.yaml"
    crd = yaml.safe_load(path.read_text())
    (schema,) = [each["schema"]["openAPIV3Schema"] for each in crd["spec"]["versions"] if each["name"] == "v1alpha3"]
    validator = jsonschema.Draft202012Validator(strict(schema))
    template = yaml.safe_load(made(name="rtx"))

    assert list(validator.iter_errors(template)) == []
    template["spec"]["template"]["spec"]["strategicPatch"] = []
    assert list(validator.iter_errors(template))
