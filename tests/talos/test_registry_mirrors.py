"""Talos' configuration of registry mirrors."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from conftest import message, needs
from constructs_lib.manifests.registry_map import RegistryMap
from constructs_lib.talos import TalosVersion
from constructs_lib.talos.config.registry_mirrors import CatchAllMirror, registry_mirrors

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
        },
        {
            "apiVersion": "v1alpha1",
            "kind": "RegistryMirrorConfig",
            "name": "nvcr.io",
            "endpoints": [{"url": "https://mirror.home.arpa:5000"}],
        },
    ]


def test_an_older_talos_has_the_same_fields_in_the_machine_configuration():
    assert yaml.safe_load(text("1.11.6")) == {
        "machine": {
            "registries": {
                "mirrors": {
                    "docker.io": {"endpoints": ["https://registry.home.arpa/v2/hub"], "overridePath": True},
                    "nvcr.io": {"endpoints": ["https://mirror.home.arpa:5000"]},
                }
            }
        }
    }


CACHE = CatchAllMirror((("https://cache.home.arpa", False), ("https://harbor.home.arpa/v2/all", True)), skip_fallback=True)


def test_no_copy_keeps_the_nodes_from_the_images_of_kubernetes_which_are_not_copied():
    assert "skipFallback" not in text("1.14.0") + text("1.11.6")


def test_the_mirror_of_every_registry_stands_behind_each_copy_which_talos_asks_alone():
    mirrors = RegistryMap("mirror", {"registry.k8s.io": "r.home.arpa/k8s"})
    document = yaml.safe_load(registry_mirrors(mirrors, TalosVersion.parse("talos", "1.14.0"), CACHE))

    assert document["endpoints"] == [
        {"url": "https://r.home.arpa/v2/k8s", "overridePath": True},
        {"url": "https://cache.home.arpa"},
        {"url": "https://harbor.home.arpa/v2/all", "overridePath": True},
    ]
    assert document["skipFallback"] is True


def test_an_older_talos_has_one_override_of_the_path_for_all_endpoints():
    mirrors = RegistryMap("mirror", {"nvcr.io": "r.home.arpa"})
    older = yaml.safe_load(registry_mirrors(mirrors, TalosVersion.parse("talos", "1.11.0"), CACHE))
    plain = registry_mirrors(
        mirrors, TalosVersion.parse("talos", "1.11.0"), CatchAllMirror((("http://c.home.arpa", False),), skip_fallback=False)
    )

    assert older["machine"]["registries"]["mirrors"]["nvcr.io"] == {
        "endpoints": ["https://r.home.arpa/v2", "https://cache.home.arpa/v2", "https://harbor.home.arpa/v2/all"],
        "overridePath": True,
        "skipFallback": True,
    }
    assert yaml.safe_load(plain)["machine"]["registries"]["mirrors"]["nvcr.io"] == {
        "endpoints": ["https://r.home.arpa", "http://c.home.arpa"]
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
    talos = TalosVersion.parse("talos", f"{minor}.0")
    for document in yaml.safe_load_all(registry_mirrors(RegistryMap("mirror", HOME), talos, CACHE)):
        assert list(validator.iter_errors(document)) == []
        assert list(validator.iter_errors({**document, "endpoints": ["https://r.io"]}))
