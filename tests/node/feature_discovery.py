"""Node feature discovery as its own project deploys it, with the configuration that our construct emits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from nodes import apply
from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.sources import SOURCES

MODULE = "sigs.k8s.io/node-feature-discovery"
NAMESPACE = "node-feature-discovery"
_PARTS = {"Deployment": "master", "DaemonSet": "worker"}
_Object = dict[str, Any]


@cache
def _folder() -> Path:
    return SOURCES["nfd"].module.source_folder(MODULE) / "deployment"


def _read(*names: str) -> list[_Object]:
    texts = ((_folder() / name).read_text() for name in names)
    return [each for text in texts for each in yaml.safe_load_all(text) if each]


def construct(nodes: str) -> Mapping[str, Any]:
    """The part of a cluster file that emits node feature discovery for a class of nodes."""
    return {"NodeFeatureDiscovery": {"nodes": nodes, "delivery": {"ArgoCd": {}}}}


def deployed(emitted: list[_Object]) -> list[_Object]:
    """The objects of its deployment, with the values that the emitted Application gives the chart."""
    values = next(each for each in emitted if each["kind"] == "Application")["spec"]["source"]["helm"]["valuesObject"]
    names = (_folder() / "base/rbac").glob("*-*.yaml")
    objects = _read("base/nfd-crds/nfd-api-crds.yaml", *(f"base/rbac/{each.name}" for each in names))
    for each in _read("base/master/master-deployment.yaml", "base/worker-daemonset/worker-daemonset.yaml"):
        part = _PARTS[each["kind"]]
        _complete(each["spec"]["template"]["spec"], part, values[part])
        config = {f"nfd-{part}.conf": json.dumps(values[part]["config"])}
        objects += [each, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"nfd-{part}-conf"}, "data": config}]
    for each in objects:
        _place(each)
    return objects


def bring(cluster: Cluster, objects: list[_Object]) -> None:
    """Apply objects with those of its deployment among them: the definitions first, and without the Application."""
    crds = [each for each in objects if each["kind"] == "CustomResourceDefinition"]
    cluster.apply(crds)
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s", *(f"crd/{each['metadata']['name']}" for each in crds))
    apply(cluster, [each for each in objects if each["kind"] != "Application"])


def _complete(pod: _Object, part: str, values: Mapping[str, Any]) -> None:
    """What the patches of the project's own overlay add to a pod, and our tolerations."""
    (variables,), (volumes, mounts) = (
        yaml.safe_load((_folder() / f"components/common/{name}.yaml").read_text()) for name in ("env", f"{part}-mounts")
    )
    (container,) = pod["containers"]
    container |= {"env": variables["value"], "volumeMounts": mounts["value"]}
    for probe in ("livenessProbe", "readinessProbe"):
        container.pop(probe)
    pod |= {"volumes": volumes["value"], "tolerations": values["tolerations"]}


def _place(each: _Object) -> None:
    if not each["kind"].startswith(("Cluster", "CustomResource")):
        each["metadata"]["namespace"] = NAMESPACE
    for subject in each.get("subjects") or ():
        subject["namespace"] = NAMESPACE
