"""The objects of Kubernetes in a Python app that no construct of this library makes: `ApiObject` with patches, and `gpu_pod` for its pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..manifests.foreign.gpu_requests import pod_template, with_template
from ..manifests.objects import json_pointer
from ..upstream.kubernetes.api import CLUSTER_SCOPED, POD_TEMPLATES
from .python_statements import API_OBJECT, CHART, POD, Statements
from .python_text import Call, Code

_METADATA = ("name", "namespace", "labels", "annotations")


def namespace_object(statements: Statements, name: str, beside: Mapping[str, Any]) -> None:
    """Write the namespace of a chart, with an id that no object beside it has."""
    id = next(each for each in ("namespace", *(f"namespace-{n}" for n in range(2, len(beside) + 3))) if each not in beside)  # noqa: A001
    plain_object(statements, id, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}, name)


def requested_object(
    statements: Statements,
    id: str,  # noqa: A002
    given: Mapping[str, Any],
    requests: list[dict[str, Any]],
    namespace: str | None,
) -> None:
    """Write a workload whose pods get GPUs. A Pod is its own template, so a variable holds the Pod."""
    if POD_TEMPLATES[given["kind"]]:
        manifest = with_template(given, _gpu_pod(statements, pod_template(given), requests))
    else:
        statements.add(_gpu_pod(statements, {name: given[name] for name in ("metadata", "spec")}, requests), POD)
        metadata = {**given["metadata"], "labels": Code(f'{POD.text}["metadata"]["labels"]')}
        manifest = {**given, "metadata": metadata, "spec": Code(f'{POD.text}["spec"]')}
    plain_object(statements, id, manifest, namespace)


def _gpu_pod(statements: Statements, template: Mapping[str, Any], requests: list[dict[str, Any]]) -> Any:
    pod: Any = template
    for arguments in requests:
        pod = statements.call("gpu_pod", pod, **arguments)
    return pod


def plain_object(statements: Statements, id: str, manifest: Mapping[str, Any], namespace: str | None) -> None:  # noqa: A002
    """Write an object as it is. cdk8s has arguments for a part of the metadata; patches add the rest."""
    metadata, kind = dict(manifest["metadata"]), manifest["kind"]
    has_none = kind in CLUSTER_SCOPED or metadata.get("namespace", "") is None
    if has_none:
        metadata.pop("namespace", None)
    arguments = {name: value for name in _METADATA if (value := _typed(metadata.get(name))) is not None}
    patches = [
        *(
            _add(statements, f"/{json_pointer(key)}", value)
            for key, value in manifest.items()
            if key not in ("apiVersion", "kind", "metadata") and value is not None
        ),
        *(
            _add(statements, f"/metadata/{json_pointer(key)}", value)
            for key, value in metadata.items()
            if key not in arguments and value is not None
        ),
    ]
    if has_none and namespace is not None:
        patches.append(statements.cdk8s("JsonPatch.remove", "/metadata/namespace"))
    made = statements.cdk8s(
        "ApiObject",
        CHART,
        id,
        api_version=manifest["apiVersion"],
        kind=kind,
        metadata=statements.cdk8s("ApiObjectMetadata", **arguments),
    )
    statements.add(made, API_OBJECT if patches else None)
    if patches:
        statements.add(Call(f"{API_OBJECT.text}.add_json_patch", tuple(patches)))


def _typed(value: Any) -> Any:
    """A value of the metadata as cdk8s' types have it; None for a value of another type."""
    if isinstance(value, Mapping):
        items = {key: each for key, each in value.items() if each is not None}
        return items if all(isinstance(each, str) for each in items.values()) else None
    return value if isinstance(value, str | Code) else None


def _add(statements: Statements, path: str, value: Any) -> Call:
    return statements.cdk8s("JsonPatch.add", path, value)
