"""Node Feature Discovery in place of its chart: without it no label of GPU feature discovery reaches a node, and feature
discovery itself does not run."""

from __future__ import annotations

from typing import Any

import yaml

from constructs_lib.observed.model import ChartRelease, Inputs, at
from constructs_lib.upstream.charts import GPU_OPERATOR, NODE_FEATURE_DISCOVERY

from .manifests import Manifest
from .sources import NFD_DEFINITIONS, SOURCES

GROUP = "nfd.k8s-sigs.io"
KINDS = frozenset((GROUP, kind) for kind in ("NodeFeature", "NodeFeatureGroup", "NodeFeatureRule"))
_HOST = {"host-boot": "/boot", "host-etc/os-release": "/etc/os-release", "host-sys": "/sys", "host-usr/lib": "/usr/lib"}
"""The places of the worker's container where the node's files are, with those files.

Source: kubernetes-sigs/node-feature-discovery deployment/components/common/worker-mounts.yaml at v0.18.3 (2026-11-23)
"""
_RULES: dict[str, list[dict[str, list[str]]]] = {
    "nfd-master": [
        {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["watch", "list"]},
        {"apiGroups": [""], "resources": ["nodes", "nodes/status"], "verbs": ["get", "patch", "update", "list"]},
        {"apiGroups": [GROUP], "resources": ["*"], "verbs": ["get", "list", "watch"]},
    ],
    "nfd-worker": [
        {"apiGroups": [GROUP], "resources": ["nodefeatures"], "verbs": ["create", "get", "update", "delete"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
    ],
}
"""The rights of both programs.

Source: kubernetes-sigs/node-feature-discovery deployment/base/rbac at v0.18.3 (2026-11-23)
"""


def installed_by(inputs: Inputs) -> ChartRelease | None:
    """The release that installs Node Feature Discovery: its own chart, or that of the operator, which brings it."""
    found = inputs.of_chart(NODE_FEATURE_DISCOVERY)
    brought = [each for each in inputs.of_chart(GPU_OPERATOR) if at(each.values, "nfd", "enabled") is not False]
    return next(iter((*found, *brought)), None)


def discovery(inputs: Inputs) -> tuple[list[Manifest], list[str]]:
    """Both programs in the namespace of the release, and a sentence about them."""
    release = installed_by(inputs)
    if release is None:
        return [], []
    namespace = release.namespace if isinstance(release.namespace, str) else "default"
    version = SOURCES["nfd"].release
    image = f"registry.k8s.io/nfd/node-feature-discovery:v{version}"
    volumes = [{"name": f"host-{number}", "hostPath": {"path": path}} for number, path in enumerate(_HOST.values())]
    mounts = [{"name": f"host-{number}", "mountPath": f"/{place}", "readOnly": True} for number, place in enumerate(_HOST)]
    master = _program("Deployment", "nfd-master", namespace, image, {"securityContext": _UNPRIVILEGED}, {})
    worker = _program(
        "DaemonSet", "nfd-worker", namespace, image, {"securityContext": _UNPRIVILEGED, "volumeMounts": mounts}, {"volumes": volumes}
    )
    objects = [*_rights(namespace), master, worker]
    return objects, [
        f"the chart {release.label}: Node Feature Discovery v{version} runs with the least that it needs, without the values of the chart"
    ]


def definitions() -> list[Manifest]:
    """The CustomResourceDefinitions, which lie beside the built programs."""
    text = SOURCES["nfd"].text(NFD_DEFINITIONS).read_text(encoding="utf-8")
    return [each for each in yaml.safe_load_all(text) if each]


_UNPRIVILEGED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
}


def _program(kind: str, name: str, namespace: str, image: str, container: dict[str, Any], pod: dict[str, Any]) -> Manifest:
    labels = {"app": name}
    env = [
        {"name": variable, "valueFrom": {"fieldRef": {"fieldPath": path}}}
        for variable, path in {
            "NODE_NAME": "spec.nodeName",
            "POD_NAME": "metadata.name",
            "POD_UID": "metadata.uid",
            "KUBERNETES_NAMESPACE": "metadata.namespace",
        }.items()
    ]
    spec = {
        "serviceAccountName": name,
        "enableServiceLinks": False,
        "tolerations": [{"operator": "Exists"}],
        "containers": [{"name": name, "image": image, "command": [name], "env": env, **container}],
        **pod,
    }
    template = {"metadata": {"labels": labels}, "spec": spec}
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }


def _rights(namespace: str) -> list[Manifest]:
    objects: list[Manifest] = []
    for name, rules in _RULES.items():
        role, metadata = f"{name}-rehearsal", {"name": name, "namespace": namespace}
        subject = {"kind": "ServiceAccount", **metadata}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
        api = {"apiVersion": "rbac.authorization.k8s.io/v1"}
        objects += [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
            {**api, "kind": "ClusterRole", "metadata": {"name": role}, "rules": rules},
            {**api, "kind": "ClusterRoleBinding", "metadata": {"name": role}, "roleRef": reference, "subjects": [subject]},
        ]
    return objects
