"""Talos' configuration of registry mirrors."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from conftest import message, needs
from constructs_lib import TalosVersion
from constructs_lib._arguments.registry_map import RegistryMap
from constructs_lib.talos.registry_mirrors import registry_mirrors

HOME = {"docker.io": "registry.home.arpa/hub", "nvcr.io": "mirror.home.arpa:5000", "r.io": "r.io"}


def text(talos, registries=HOME):
    return registry_mirrors(RegistryMap("mirror", registries), TalosVersion.parse("talos", talos))


def test_talos_1_12_and_newer_has_a_document_for_each_registry():
    assert list(yaml.safe_load_all(text("1.12.1"))) == [
        {
            "apiVersion": "v1alpha1",
            "kind": "RegistryMirrorConfig",
            "name": "docker.io",
            "endpoints": [{"url": "https://registry.home.arpa/v2/hub", "overridePath": True}],
            "skipFallback": True,
        },
        {
            "apiVersion": "v1alpha1",
            "kind": "RegistryMirrorConfig",
            "name": "nvcr.io",
            "endpoints": [{"url": "https://mirror.home.arpa:5000"}],
            "skipFallback": True,
        },
    ]


def test_an_older_talos_has_the_same_fields_in_the_machine_configuration():
    assert yaml.safe_load(text("1.11.6")) == {
        "machine": {
            "registries": {
                "mirrors": {
                    "docker.io": {"endpoints": ["https://registry.home.arpa/v2/hub"], "overridePath": True, "skipFallback": True},
                    "nvcr.io": {"endpoints": ["https://mirror.home.arpa:5000"], "skipFallback": True},
                }
            }
        }
    }


def test_a_repository_is_refused_because_talos_mirrors_whole_registries():
    assert message(lambda: text("1.14.0", {"nvcr.io/nvidia": "r.io"})) == (
        "'mirror' must be a mapping of registries alone (got {'nvcr.io/nvidia': 'r.io'}); Talos mirrors whole registries; "
        "give the registry of nvcr.io/nvidia, or change the images of the manifests"
    )


def test_two_registries_with_one_target_are_refused():
    assert message(lambda: text("1.14.0", {"docker.io": "r.io", "quay.io": "r.io"})) == (
        "'mirror' must be a mapping with one target for each registry (got {'docker.io': 'r.io', 'quay.io': 'r.io'}); "
        "docker.io and quay.io both have r.io, where nodes would take the images of one for those of the other"
    )


@pytest.mark.parametrize("minor", ["1.12", "1.13", "1.14"])
def test_talos_schema_takes_the_documents(minor):
    path = Path(needs("TALOS_SCHEMAS", "the schemas that Talos publishes")) / f"config.schema-v{minor}.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text()))
    for document in yaml.safe_load_all(text(f"{minor}.0")):
        assert list(validator.iter_errors(document)) == []
        assert list(validator.iter_errors({**document, "endpoints": ["https://r.io"]}))
