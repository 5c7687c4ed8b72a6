"""Workloads that claim a GPU from the DRA driver."""

from __future__ import annotations

from random import Random

from .model import App, Object
from .pods import PROGRAMS, GpuNeeds


def claimed(random: Random, name: str, namespace: str, needs: GpuNeeds, minor: int) -> App:
    """The program as a Deployment with a claim of one GPU."""
    image, port = PROGRAMS[name]
    labels = {"app": name}
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }
    container: Object = {"name": "app", "image": image, "ports": [{"containerPort": port}], "resources": {"claims": [{"name": "gpu"}]}}
    if env := needs.env(name):
        container["env"] = [{"name": key, "value": value} for key, value in env.items()]
    pod = {**needs.pod(), "containers": [container], "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": name}]}
    spec = {
        "replicas": 1,
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace}, "spec": spec}
    return App(name, namespace, [deployment, template])
