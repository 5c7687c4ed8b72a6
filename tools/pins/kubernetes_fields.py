"""The table of the fields of pods, workloads and objects beside them: the kind of each field, the required fields, and the enumerations.

Fields, kinds and required fields are those of the OpenAPI schemas in the package `kubernetes-validate`, which `requirements/dev.txt` pins by hash. A field
of any of its versions is in the table, with its newest kind; a field is required if the newest version with its type requires it: a later version may
require less, but never more. The enumerations are those of Kubernetes' Go types at the newest tag.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from typing import Any

from constructs_lib.upstream.version import Version

from .go_types import choices
from .repositories import Repository, UnreachableError
from .tables import Report, Table

PACKAGE, API, MACHINERY = "kubernetes-validate", "kubernetes/api", "kubernetes/apimachinery"
GO_FILES = {
    API: tuple(f"{group}/v1/types.go" for group in ("apps", "batch", "core", "networking")),
    MACHINERY: ("pkg/apis/meta/v1/types.go",),
}
"""The files with the Go types of the table, in each repository. The tag of Kubernetes 1.36.3 is v0.36.3 there."""

ROOTS = (
    "PodSpec", "ObjectMeta", "ServiceSpec", "IngressSpec",
    "DeploymentSpec", "StatefulSetSpec", "DaemonSetSpec", "JobSpec", "CronJobSpec",
    "ConfigMap", "NetworkPolicy", "PersistentVolume", "PersistentVolumeClaim", "PodDisruptionBudget", "RuntimeClass", "Secret", "Service", "StorageClass",
)  # fmt: skip
"""The types from which others are reached: what a pod is made of, and each kind beside pods that has maps of strings."""
_GROUPS = tuple(
    f".{group}.v1."
    for group in ("api.core", "api.apps", "api.batch", "api.networking", "api.node", "api.policy", "api.storage", "apis.meta")
)
# The schemas of these types say nothing more than one of several JSON types.
_SCALARS = {"Quantity": "quantity", "IntOrString": "int or string", "Time": "string", "FieldsV1": "any"}
_JSON_TYPES = {"boolean": "bool", "string": "string", "number": "number"}


@functools.cache
def schemas() -> dict[int, dict[str, Any]]:
    """The schemas of the types by name, for each minor version of Kubernetes, the oldest first."""
    found = {}
    for folder in files("kubernetes_validate").joinpath("kubernetes-json-schema").iterdir():
        number, _, flavour = folder.name.partition("-")
        if flavour == "local":
            definitions = json.loads(folder.joinpath("_definitions.json").read_text(encoding="utf-8"))["$defs"]
            by_name = {name.rpartition(".")[2]: schema for name, schema in definitions.items() if _is_read(name)}
            found[int(number.split(".")[1])] = by_name
    return dict(sorted(found.items()))


def _is_read(name: str) -> bool:
    return any(group in name for group in _GROUPS)


def fields(by_name: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The types that the roots reach, each with its fields and their kinds."""
    found: dict[str, dict[str, str]] = {}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name not in found:
            kinds = ((key, kind_of(schema)) for key, schema in by_name[name].get("properties", {}).items())
            found[name] = {key: kind for key, kind in kinds if not kind.endswith("Status")}  # only a controller writes a status
            waiting += {kind.strip("[]{}") for kind in found[name].values()} & by_name.keys()
    return found


def kind_of(schema: dict[str, Any]) -> str:
    """`bool`, `int32`, `[string]` for a list, `{string}` for a map, or the name of a type; a type of an alpha or beta API is `any`."""
    if "$ref" in schema:
        reference = str(schema["$ref"])
        name = reference.rpartition(".")[2]
        return _SCALARS.get(name) or (name if _is_read(reference) else "any")
    kind = next(each for each in (schema["type"] if isinstance(schema["type"], list) else [schema["type"]]) if each != "null")
    if kind == "array":
        return f"[{kind_of(schema['items'])}]"
    if kind == "object":
        return f"{{{kind_of(schema['additionalProperties'])}}}" if "additionalProperties" in schema else "any"
    return str(schema["format"]) if kind == "integer" else _JSON_TYPES[kind]


@functools.cache
def schema_facts() -> dict[str, Any]:
    """What the package says: the newest version of Kubernetes, the types, and the required fields of each type."""
    types: dict[str, dict[str, str]] = {}
    required: dict[str, Sequence[str]] = {}
    for by_name in schemas().values():
        for name, kinds in fields(by_name).items():
            types[name] = types.get(name, {}) | kinds
            required[name] = by_name[name].get("required", ())
    return {
        "newest": f"1.{max(schemas())}",
        "types": {name: dict(sorted(types[name].items())) for name in sorted(types)},
        "required": {name: sorted(required[name]) for name in sorted(required) if required[name]},
    }


def renew_fields(table: Table, report: Report) -> None:
    """Bring the types and their required fields to the installed package, unless it is older than the table."""
    facts = table.facts
    try:
        installed, fresh = version(PACKAGE), schema_facts()
    except PackageNotFoundError:
        report.unread.append(f"{PACKAGE}: not installed; the fields of Kubernetes stay those of {facts['sources'][PACKAGE]}")
        return
    if _version(installed) < _version(facts["sources"].get(PACKAGE)):
        report.unread.append(f"{PACKAGE}: {installed} is installed; the fields of Kubernetes stay those of {facts['sources'][PACKAGE]}")
        return
    for part in ("types", "required"):
        report.changes += [
            f"Kubernetes {fresh['newest']}: {part} of {name} change"
            for name in sorted({*facts[part], *fresh[part]})
            if facts[part].get(name) != fresh[part].get(name)
        ]
    facts |= fresh
    facts["sources"][PACKAGE] = installed
    table.facts = facts


def renew_choices(table: Table, repository: Repository, report: Report) -> None:
    """Bring the enumerations of one repository to its newest tag, unless that is older than the table."""
    facts, name = table.facts, repository.name
    tags = [tag for tag in repository.tags() if tag.startswith("v0.") and Version.parse(tag)]
    if not tags:
        raise UnreachableError(f"{name}: no tag of a version")
    tag = max(tags, key=_version)
    if _version(tag) < _version(facts["sources"].get(name)):
        report.unread.append(f"{name}: ends at {tag} here; the enumerations of {facts['sources'][name]} stay")
        return
    types = facts["types"]
    found = choices("\n".join(repository.files(tag, *GO_FILES[name]).values()))
    known = {
        kind: {key: found[kind][key] for key in sorted(found[kind].keys() & types[kind].keys())} for kind in found.keys() & types.keys()
    }
    if not any(known.values()):
        raise UnreachableError(f"{name}: {tag} has no enumeration where one was")
    fresh = facts["choices"] | {kind: values for kind, values in known.items() if values}
    report.changes += [
        f"Kubernetes {tag}: enumerations of {kind} change" for kind in sorted(fresh) if fresh[kind] != facts["choices"].get(kind)
    ]
    facts["choices"] = dict(sorted(fresh.items()))
    facts["sources"][name] = tag


def _version(written: str | None) -> Version:
    return Version.parse(written) or Version(0, 0)
