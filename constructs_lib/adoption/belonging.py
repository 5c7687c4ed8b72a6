"""The objects of a tree that belong to its GPUs: those that speak of NVIDIA, and those that stand beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ..observed.model import at
from ..upstream.kubernetes.api import CLUSTER_SCOPED, POD_TEMPLATES
from .plain_objects import Identity, PlainObject

_OF_NVIDIA = re.compile(r"nvidia|DCGM_|dcgm-exporter", re.IGNORECASE)
WRITTEN_BY_CDK8S = ".k8s.yaml"
"""The end of the names of the files that cdk8s writes, and `talos-gpu synth`."""
_DEPLOYERS = frozenset(
    {"Kustomization", "ApplicationSet", "AppProject", "GitRepository", "ResourceSet", "ResourceSetInputProvider", "Component"}
)
"""The kinds that deploy files of the tree itself."""
_SOURCES = frozenset({"OCIRepository", "HelmRepository", "HelmChart", "Bucket"})
_SELECTING = frozenset({"Service", "PodDisruptionBudget", "NetworkPolicy", "CiliumNetworkPolicy", "PodMonitor"})
_ROUTING = frozenset({"HTTPRoute", "Ingress", "GRPCRoute", "TCPRoute", "UDPRoute", "TLSRoute", "IngressRoute"})
_SCALING = frozenset({"HorizontalPodAutoscaler", "ScaledObject", "HTTPScaledObject", "VerticalPodAutoscaler"})


def belonging(objects: list[PlainObject], of_releases: Collection[Identity] = ()) -> dict[Identity, PlainObject]:
    """The objects that belong to the GPUs, in the order of the tree. Those of releases of known charts always do."""
    taken = {each.identity: each for each in objects if each.identity in of_releases or _is_seed(each)}
    size = -1
    while size != len(taken):
        size = len(taken)
        wanted = {wish for each in taken.values() for wish in _wishes(each)}
        for each in objects:
            if each.identity not in taken and not _is_deployer(each) and (_wish(each) in wanted or _serves(each, taken)):
                taken[each.identity] = each
    order = {each.identity: number for number, each in reversed(list(enumerate(objects)))}
    return {identity: taken[identity] for identity in sorted(taken, key=lambda identity: order[identity])}


def _is_deployer(each: PlainObject) -> bool:
    is_folder = each.kind == "Application" and not _deploys_chart(each.body)
    return each.kind in _DEPLOYERS or is_folder or each.kind == "CustomResourceDefinition"


def _deploys_chart(application: Mapping[str, Any]) -> bool:
    sources = [at(application, "spec", "source"), *(at(application, "spec", "sources") or ())]
    return any(isinstance(source, Mapping) and "chart" in source for source in sources)


def _is_seed(each: PlainObject) -> bool:
    if each.file.endswith(WRITTEN_BY_CDK8S):
        return True  # the output of an app: no other file holds the objects
    return not _is_deployer(each) and each.kind not in _SOURCES and bool(_OF_NVIDIA.search(_without_comments(each.body)))


def _without_comments(body: Mapping[str, Any]) -> str:
    """The text of an object without its annotations, which often hold descriptions."""
    metadata = {key: value for key, value in (body.get("metadata") or {}).items() if key not in ("annotations", "namespace")}
    return json.dumps({**body, "metadata": metadata}, default=str)


Wish = tuple[str, str, str]
"""The kind, the namespace and the name of an object that another object names."""


def _wishes(each: PlainObject) -> Iterator[Wish]:
    if each.namespace:
        yield "Namespace", "", each.namespace
    for kind, name in _named_in(each.body.get("spec")):
        yield kind, "" if kind in CLUSTER_SCOPED else each.namespace, name
    for reference in (at(each.body, "spec", "chartRef"), at(each.body, "spec", "chart", "spec", "sourceRef")):
        if isinstance(reference, Mapping):
            yield str(reference.get("kind")), str(reference.get("namespace") or each.namespace), str(reference.get("name"))
    for source in at(each.body, "spec", "valuesFrom") or ():
        if isinstance(source, Mapping):
            yield str(source.get("kind")), each.namespace, str(source.get("name"))


_NAMES = {
    "claimName": "PersistentVolumeClaim",
    "serviceAccountName": "ServiceAccount",
    "resourceClaimTemplateName": "ResourceClaimTemplate",
    "resourceClaimName": "ResourceClaim",
    "volumeName": "PersistentVolume",
}


def _named_in(value: Any) -> Iterator[tuple[str, str]]:
    """The objects that a spec names: a claim of a volume, a ConfigMap, an account."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key in _NAMES and isinstance(item, str):
                yield _NAMES[key], item
            elif key in ("configMap", "configMapRef", "configMapKeyRef") and isinstance(item, Mapping):
                yield "ConfigMap", str(item.get("name"))
            yield from _named_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _named_in(item)


def _wish(each: PlainObject) -> Wish:
    return each.kind, each.namespace, each.name


def _serves(each: PlainObject, taken: Mapping[Identity, PlainObject]) -> bool:
    """Whether an object selects, routes to, watches or scales an object that was taken."""
    beside = [other for other in taken.values() if other.namespace == each.namespace]
    if each.kind in _SELECTING:
        selector = at(each.body, "spec", "selector") or at(each.body, "spec", "podSelector") or at(each.body, "spec", "endpointSelector")
        labels = _match_labels(selector)
        return bool(labels) and any(labels.items() <= _pod_labels(other).items() for other in beside if other.kind in POD_TEMPLATES)
    if each.kind == "ServiceMonitor":
        labels = _match_labels(at(each.body, "spec", "selector"))
        return bool(labels) and any(labels.items() <= _labels(other.body).items() for other in beside if other.kind == "Service")
    if each.kind in _ROUTING:
        names = set(_backends(each.body.get("spec")))
        return any(other.kind == "Service" and other.name in names for other in beside)
    if each.kind in _SCALING:
        target = at(each.body, "spec", "scaleTargetRef", "name") or at(each.body, "spec", "targetRef", "name")
        return any(other.kind in POD_TEMPLATES and other.name == target for other in beside)
    return False


def _match_labels(selector: Any) -> dict[str, Any]:
    if not isinstance(selector, Mapping):
        return {}
    labels = selector.get("matchLabels", {} if "matchExpressions" in selector else selector)
    return dict(labels) if isinstance(labels, Mapping) else {}


def _labels(body: Mapping[str, Any]) -> Mapping[str, Any]:
    labels = at(body, "metadata", "labels")
    return labels if isinstance(labels, Mapping) else {}


def _pod_labels(each: PlainObject) -> Mapping[str, Any]:
    return _labels(at(each.body, *POD_TEMPLATES[each.kind]) or {})


def _backends(value: Any) -> Iterator[str]:
    items: Iterable[Any] = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    if isinstance(value, Mapping):
        for key in ("backendRefs", "services"):
            yield from (str(each.get("name")) for each in value.get(key) or () if isinstance(each, Mapping))
        if isinstance(service := value.get("service"), Mapping):
            yield str(service.get("name"))
    for item in items:
        yield from _backends(item)
