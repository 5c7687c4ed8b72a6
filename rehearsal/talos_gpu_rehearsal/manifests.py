"""The objects that a rehearsal applies, in an order that works, and those that it leaves out, each with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Manifest = Mapping[str, Any]

BUILT_IN_GROUPS = frozenset(
    {
        "", "apps", "autoscaling", "batch", "policy", "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
        "authentication.k8s.io", "authorization.k8s.io", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io",
        "events.k8s.io", "flowcontrol.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "rbac.authorization.k8s.io",
        "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
    }
)  # fmt: skip
"""The API groups that kube-apiserver serves without a CRD.

Source: /apis of Kubernetes 1.37.2; tests/lab/test_control_plane.py compares (2026-11-28)
"""

CRD = "CustomResourceDefinition"
_DEPLOYERS = ("helm.toolkit.fluxcd.io", "kustomize.toolkit.fluxcd.io", "source.toolkit.fluxcd.io", "fluxcd.controlplane.io", "argoproj.io")
_NOT_SERVED = {
    "ValidatingWebhookConfiguration": "no webhook is reachable here, and the API server would refuse what it asks one about",
    "MutatingWebhookConfiguration": "no webhook is reachable here, and the API server would refuse what it asks one about",
    "APIService": "no aggregated API server is reachable here",
    "Node": "the kubelets here register the nodes",
}
_ORDER = (
    (CRD,),
    ("Namespace",),
    ("ServiceAccount", "Secret", "ConfigMap", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "RuntimeClass", "PriorityClass",
     "DeviceClass", "ResourceQuota", "LimitRange", "StorageClass", "PersistentVolume", "PersistentVolumeClaim", "ResourceClaim",
     "ResourceClaimTemplate", "Service", "NetworkPolicy"),
)  # fmt: skip
"""The kinds that others refer to, in the order of application; all other kinds follow."""


@dataclass(frozen=True)
class LeftOut:
    """An object or a file that a rehearsal leaves out."""

    what: str
    why: str


def label(manifest: Manifest) -> str:
    """The name of an object in reports: `Kind namespace/name`."""
    metadata = manifest.get("metadata") or {}
    namespace = metadata.get("namespace")
    return f"{manifest.get('kind', '?')} {f'{namespace}/' if namespace else ''}{metadata.get('name', '?')}"


def group_of(manifest: Manifest) -> str:
    """The API group of an object; empty for the core group."""
    return str(manifest.get("apiVersion", "")).rpartition("/")[0]


def split(objects: Iterable[Manifest], known: Collection[tuple[str, str]] = ()) -> tuple[list[Manifest], list[LeftOut]]:
    """The objects that the API server here takes, and the others. `known` are custom resources, by group and kind, that
    the rehearsal defines."""
    every = list(objects)
    defined = {(spec.get("group"), (spec.get("names") or {}).get("kind")) for spec in _specs(every)} | {*known}
    taken, left = [], []
    for each in every:
        if why := _left_out(each, defined):
            left.append(LeftOut(label(each), why))
        else:
            taken.append(each)
    return taken, left


def steps(objects: Iterable[Manifest]) -> list[list[Manifest]]:
    """The objects in the order of application: definitions, namespaces, what pods refer to, and the rest."""
    places: list[list[Manifest]] = [[] for _ in range(len(_ORDER) + 1)]
    for each in objects:
        kind = each.get("kind")
        places[next((number for number, kinds in enumerate(_ORDER) if kind in kinds), len(_ORDER))].append(each)
    return [step for step in places if step]


def missing_namespaces(objects: Sequence[Manifest]) -> list[str]:
    """The namespaces that objects name and that no object makes. A cluster has four by itself."""
    made = {(each.get("metadata") or {}).get("name") for each in objects if each.get("kind") == "Namespace"}
    named = {(each.get("metadata") or {}).get("namespace") for each in objects}
    return sorted(str(each) for each in named - made - {None, "default", "kube-system", "kube-public", "kube-node-lease"})


def has_own_resources(objects: Iterable[Manifest]) -> list[str]:
    """The kinds of custom resources among the objects: the API server stores them, and no controller here acts on them."""
    return sorted({str(each.get("kind")) for each in objects if group_of(each) not in BUILT_IN_GROUPS})


def pod_templates(manifest: Manifest) -> Iterator[Manifest]:
    """The pod templates of an object, wherever they stand: each mapping whose `spec` has containers."""
    pending: list[Any] = [manifest]
    while pending:
        value = pending.pop()
        if isinstance(value, Mapping):
            spec = value.get("spec")
            if isinstance(spec, Mapping) and isinstance(spec.get("containers"), list):
                yield value
            pending.extend(value.values())
        elif isinstance(value, list | tuple):
            pending.extend(value)


def _specs(objects: Iterable[Manifest]) -> Iterator[Manifest]:
    yield from (each["spec"] for each in objects if each.get("kind") == CRD and isinstance(each.get("spec"), Mapping))


def _left_out(manifest: Manifest, defined: set[tuple[Any, Any]]) -> str:
    """The reason why an object is left out; empty for one that is applied."""
    kind, group = str(manifest.get("kind", "")), group_of(manifest)
    if why := _NOT_SERVED.get(kind) if group in BUILT_IN_GROUPS else "":
        return why
    if group.endswith(_DEPLOYERS):
        return "what it delivers is not rehearsed: Flux and Argo CD do not run here"
    if group not in BUILT_IN_GROUPS and (group, kind) not in defined:
        return f"no file has the CustomResourceDefinition of {kind} ({group})"
    return ""
