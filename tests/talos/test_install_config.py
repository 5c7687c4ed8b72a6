"""The installer image of a new node, in both forms of Talos' configuration."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from conftest import message, needs
from constructs_lib import GpuNodes
from constructs_lib.talos import ExistingSchematic, Schematic


def schematic(talos):
    return Schematic(nodes=GpuNodes(talos_version=talos))


@pytest.mark.parametrize("talos", ["1.9.6", "1.12.11", "1.13.9"])
def test_up_to_talos_1_13_the_image_is_in_machine_install(talos):
    images = schematic(talos)

    assert yaml.safe_load(images.install_config()) == {"machine": {"install": {"image": images.installer_image()}}}


def test_from_talos_1_14_on_the_image_is_in_a_document():
    images = schematic("1.14.6")

    assert yaml.safe_load(images.install_config(platform="nocloud", secureboot=True)) == {
        "apiVersion": "v1alpha1",
        "kind": "UnattendedInstallConfig",
        "installer": {"image": images.installer_image(platform="nocloud", secureboot=True)},
    }


def test_a_node_with_fields_on_talos_1_14_gets_the_field():
    assert list(yaml.safe_load(schematic("1.14.6").install_config(style="fields"))) == ["machine"]


def test_an_existing_schematic_has_the_patch_as_well():
    assert yaml.safe_load(ExistingSchematic("a" * 64).install_config("v1.14.6"))["kind"] == "UnattendedInstallConfig"


def test_the_text_says_where_the_patch_goes():
    fields, documents = schematic("1.13.9").install_config(), schematic("1.14.6").install_config()

    for text in (fields, documents):
        assert "#   talosctl gen config NAME ENDPOINT --config-patch-worker @FILE\n" in text
    assert "provisioning.diskSelector" in documents
    assert "provisioning.diskSelector" not in fields


@pytest.mark.parametrize("talos", ["1.13.9", "1.14.6"])
@pytest.mark.parametrize("platform", ["aws", "hcloud", "oracle"])
def test_where_a_node_boots_from_a_disk_image_alone_the_text_promises_no_driver(platform, talos):
    text = schematic(talos).install_config(platform=platform)

    assert "talosctl gen config NAME" not in text
    assert "contains the driver" not in text
    assert f"a new node does not use the installer image of this patch.\n# The node needs the disk image with the driver: talos-gpu schematic --print disk-image --platform {platform}\n" in text  # fmt: skip


@pytest.mark.parametrize("platform", ["metal", "nocloud", "vmware", "vultr"])
def test_where_a_node_is_installed_from_an_iso_the_patch_brings_the_driver(platform):
    assert "# The installer image of a new node, which contains the driver." in schematic("1.13.9").install_config(platform=platform)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            lambda: schematic("1.13.9").install_config(style="documents"),
            "'style' must be 'fields' on Talos 1.13.9 (got 'documents'); UnattendedInstallConfig is new in Talos 1.14",
        ),
        (lambda: schematic("1.14.6").install_config(style="document"), "'style' must be one of 'fields', 'documents' (got 'document')"),
        (lambda: schematic("1.14").install_config(), "'version' must be a Talos release with its patch, such as 'v1.12.11' (got '1.14')"),
    ],
)
def test_a_wrong_argument_is_refused(call, expected):
    assert message(call).startswith(expected)


@pytest.mark.parametrize(("talos", "schema"), [("1.12.11", "1.12"), ("1.13.9", "1.13"), ("1.14.6", "1.14")])
def test_talos_schema_takes_the_patch(talos, schema):
    path = Path(needs("TALOS_SCHEMAS", "the schemas that Talos publishes")) / f"config.schema-v{schema}.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text()))
    # The schema calls the kind UnattendedInstall (its `schemaMeta`); the decoder knows it as UnattendedInstallConfig alone.
    patch = yaml.safe_load(schematic(talos).install_config().replace("kind: UnattendedInstallConfig", "kind: UnattendedInstall"))

    assert list(validator.iter_errors(patch)) == []
    wrong = json.loads(json.dumps(patch).replace('"image"', '"imgae"'))
    assert list(validator.iter_errors(wrong))
