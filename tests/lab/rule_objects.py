"""What the examples of rules hold: their documents, what Helm makes of their releases, and the pods that a play adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from agents import Release

from conftest import reference
from constructs_lib.checks.rule import Example

PCI = "feature.node.kubernetes.io/pci-10de.present"
GPU = "nvidia.com/gpu"
DRA = "resource.k8s.io/v1"
_API_SERVERS = ("v1", "apps/v1", "autoscaling/v2", "node.k8s.io/v1", "policy/v1", "scheduling.k8s.io/v1", DRA)


def documents(text: str) -> list[dict[str, Any]]:
    """The YAML documents of an example."""
    return [document for document in yaml.safe_load_all(text) if document]


def objects(text: str) -> list[dict[str, Any]]:
    """The documents of an example that a cluster takes as they are; the others go to Helm, Argo CD or Talos."""
    return [each for each in documents(text) if each.get("apiVersion") in _API_SERVERS]


def releases(text: str) -> list[Release]:
    """The HelmReleases of an example, with the values of the chart and of the release."""
    found = []
    for each in documents(text):
        if each.get("kind") == "HelmRelease":
            chart = each["spec"]["chart"]["spec"]["chart"]
            found.append(Release(chart, each["metadata"]["namespace"], each["spec"].get("values", {})))
    return found


def values_of(release: Release, defaults: str) -> dict[str, Any]:
    """The values of a release over its chart's own, as Helm merges them: a null takes a default away."""
    return _merged(yaml.safe_load(reference(f"values/{defaults}.yaml").read_text(encoding="utf-8")), release.values)


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        merged[key] = _merged(merged[key], value) if isinstance(value, dict) and isinstance(merged.get(key), dict) else value
    return {key: value for key, value in merged.items() if value is not None}


def device_plugin(release: Release) -> dict[str, Any]:
    """The DaemonSet of the chart nvidia-device-plugin: upstream's rendered one, with what these values place and permit."""
    rendered = reference("rendered/device-plugin-v0.20.0-seed004.yaml").read_text(encoding="utf-8")
    daemon_set = next(each for each in documents(rendered) if each["kind"] == "DaemonSet" and each["metadata"]["name"] == release.chart)
    daemon_set["metadata"]["namespace"] = release.namespace
    values, pod = values_of(release, "nvidia-device-plugin-v0.20.0"), daemon_set["spec"]["template"]["spec"]
    for key in ("affinity", "nodeSelector", "tolerations"):
        pod.pop(key, None)
        if values.get(key):
            pod[key] = values[key]
    pod.pop("serviceAccountName")
    (container,) = pod["containers"]
    container["securityContext"] = values["securityContext"] or container["securityContext"]
    return daemon_set


def one_pod(owner: Mapping[str, Any]) -> dict[str, Any]:
    """A pod of a DaemonSet's template: the scheduler says of a pod why no node takes it."""
    metadata = {"name": "one-pod", "namespace": owner["metadata"]["namespace"]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": owner["spec"]["template"]["spec"]}


def of_kind(example: Example, kind: str) -> list[dict[str, Any]]:
    """The documents of a kind in an example."""
    return [each for each in documents(example.yaml) if each.get("kind") == kind]


def claim_template(namespace: str) -> dict[str, Any]:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}
    metadata = {"name": "gpu", "namespace": namespace}
    return {
        "apiVersion": DRA,
        "kind": "ResourceClaimTemplate",
        "metadata": metadata,
        "spec": {"spec": {"devices": {"requests": [request]}}},
    }


def gpu_pod(name: str, *, claims: bool) -> dict[str, Any]:
    """A pod with a whole GPU, by a claim of the template `gpu` or by a limit."""
    resources: dict[str, Any] = {"claims": [{"name": "gpu"}]} if claims else {"limits": {GPU: 1}}
    spec: dict[str, Any] = {"containers": [{"name": "server", "image": "vllm/vllm-openai:v0.11.0", "resources": resources}]}
    if claims:
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "vllm"}, "spec": spec}
