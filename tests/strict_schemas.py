"""The strict schemas of objects: Kubernetes' own for each of its versions, and those of the CRDs of CRDS. An unknown field is an error."""

import functools
import json
import re
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from conftest import needs
from constructs_lib.upstream.talos.releases import TALOS

_SCHEMAS = resources.files("kubernetes_validate").joinpath("kubernetes-json-schema")
_FOLDER = re.compile(r"v1\.(\d+)\.\d+-local-strict")
KUBERNETES = sorted({int(found[1]) for folder in _SCHEMAS.iterdir() if (found := _FOLDER.fullmatch(folder.name))})
"""The minor versions of Kubernetes 1 that there is a schema for."""

_SINCE = {"resource.k8s.io/v1": 34, "scheduling.k8s.io/v1beta1": 37}
"""The first minor version of Kubernetes with an API that not every Kubernetes has."""


def kubernetes_of(talos: str, oldest: int = 0) -> list[int]:
    """The minor versions of Kubernetes that this Talos runs, from `oldest` on. A version newer than every schema is left out."""
    first, last = TALOS[talos].kubernetes
    found = [minor for minor in KUBERNETES if max(first, oldest) <= minor <= last]
    assert found, f"no schema for a Kubernetes of Talos {talos} from 1.{oldest} on"
    return found


@functools.cache
def _definitions(minor: int) -> Registry[Any]:
    content = json.loads(_SCHEMAS.joinpath(f"v1.{minor}.0-local-strict", "_definitions.json").read_text(encoding="utf-8"))
    return Resource.from_contents(content) @ Registry()


@functools.cache
def _built_in(api_version: str, kind: str, minor: int) -> Draft202012Validator | None:
    group, _, version = api_version.rpartition("/")
    name = "-".join(filter(None, (kind.lower(), group.partition(".")[0], version)))
    path = _SCHEMAS.joinpath(f"v1.{minor}.0-local-strict", f"{name}.json")
    if not path.is_file():
        return None
    return Draft202012Validator(json.loads(path.read_text(encoding="utf-8")), registry=_definitions(minor))


def is_custom(manifest: dict[str, Any]) -> bool:
    """Whether a CRD defines the kind."""
    api_version = manifest["apiVersion"]
    return "." in api_version.rpartition("/")[0] and _built_in(api_version, manifest["kind"], KUBERNETES[-1]) is None


@functools.cache
def _crds() -> dict[tuple[str, str], Draft202012Validator]:
    found = {}
    for path in sorted(Path(needs("CRDS", "the CRDs of Argo CD, Flux, Prometheus and NFD (tools/reference.py)")).glob("*.yaml")):
        for crd in yaml.load_all(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            for version in crd["spec"]["versions"] if crd else ():
                schema = strict(version["schema"]["openAPIV3Schema"])
                schema["properties"] |= {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
                found[f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"]] = Draft202012Validator(schema)
    return found


def strict(schema: Any) -> Any:
    """The schema of a CRD, in which every field that the API server would drop is an error."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {
        key: {name: strict(each) for name, each in value.items()} if key == "properties" else strict(value) for key, value in schema.items()
    }
    if schema.get("nullable") and isinstance(schema.get("type"), str):
        closed["type"] = [schema["type"], "null"]
    keeps = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("x-kubernetes-embedded-resource")
    if schema.get("type") == "object" and not keeps and "additionalProperties" not in schema:
        closed["additionalProperties"] = False
    return closed


def faults(manifest: dict[str, Any], minor: int) -> list[str]:
    """What is wrong with one object for one minor version of Kubernetes."""
    place = (manifest["apiVersion"], manifest["kind"])
    validator = _crds().get(place) if is_custom(manifest) else _built_in(*place, minor)
    where = f"{manifest['kind']} {manifest['metadata']['name']} on Kubernetes 1.{minor}"
    if validator is None:
        return [f"{where}: {place[0]} has no such kind"]
    return [f"{where}: {error.json_path}: {error.message[:300]}" for error in validator.iter_errors(manifest)]


def all_faults(manifests: Iterable[dict[str, Any]], talos: str) -> list[str]:
    """What is wrong with the objects for every minor version of Kubernetes that this Talos runs, from the first on that has their API."""
    found = []
    for manifest in manifests:
        minors = kubernetes_of(talos, _SINCE.get(manifest["apiVersion"], 0))
        found += [fault for minor in (minors[-1:] if is_custom(manifest) else minors) for fault in faults(manifest, minor)]
    return found
