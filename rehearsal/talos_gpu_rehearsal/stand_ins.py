"""The objects that a rehearsal adds to those of the files, in place of what does not run here: namespaces, Secrets and
volumes that something else makes, the GPU operator's device plugin, and the smoke test of each class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.nodes.gpu_nodes import CLASS_LABEL, GpuNodes
from constructs_lib.nodes.nodes_file import class_arguments
from constructs_lib.observed.agents.agents import device_plugins
from constructs_lib.observed.model import Inputs, KubernetesObject
from constructs_lib.upstream.charts import DEVICE_PLUGIN, GPU_OPERATOR
from constructs_lib.upstream.talos.features import RUNTIME_CLASS
from constructs_lib.upstream.talos.generations import Generation

from .manifests import Manifest, missing_namespaces, pod_templates
from .subject import Subject

NAMESPACE = "talos-gpu-rehearsal"
SMOKE_TEST = "smoke-test"
_WAITING = "the chart {}, which nothing here installs and which alone serves {} on Talos 1.15: pods wait for its GPUs"
_VOLUMES = "/var/lib/talos-gpu-rehearsal"


def smoke_tests(classes: Sequence[GpuNodes]) -> list[Manifest]:
    """The smoke test of each class, as the recipe `CudaSmokeTest` emits it."""
    parts = {_named(SMOKE_TEST, each): {"CudaSmokeTest": {"nodes": each.name} if each.name else {}} for each in classes}
    return _emitted(classes, {"smoke": {"namespace": NAMESPACE, "create_namespace": True, "objects": parts}})


def plugins(subject: Subject, classes: Sequence[GpuNodes]) -> tuple[list[Manifest], list[str]]:
    """The device plugins that stand for the chart of the GPU operator or of the plugin, and a sentence about them."""
    charts = [each.name for each in (GPU_OPERATOR, DEVICE_PLUGIN) if subject.inputs.of_chart(each)]
    alone = [each for each in classes if each.dra is None and not _has_plugin(subject.inputs, each)] if charts else []
    by_operator = [each for each in alone if each.generation is Generation.NRI]
    alone = [each for each in alone if each not in by_operator]
    left = [_WAITING.format(charts[0], _names(by_operator))] if by_operator else []
    if not alone:
        return [], left
    # The operator runs feature discovery too.
    arguments = {"feature_discovery": True} if GPU_OPERATOR.name in charts else {}
    parts: dict[str, Any] = {
        _named("device-plugin", each): {"StandaloneDevicePlugin": {**arguments, **({"nodes": each.name} if each.name else {})}}
        for each in alone
    }
    made = {each.name for each in subject.inputs.of_kind("RuntimeClass") if isinstance(each.name, str)}
    if RUNTIME_CLASS not in made:
        parts = {"runtime-class": {"NvidiaRuntimeClass": {}}, **parts}
    objects = _emitted(alone, {"plugin": {"namespace": "kube-system", "objects": parts}})
    served = f"the chart {charts[0]}, which nothing here installs: a StandaloneDevicePlugin of this library serves {_names(alone)}"
    return objects, [served, *left]


def namespaces(objects: Sequence[Manifest]) -> list[Manifest]:
    """The namespaces that no file has, without labels, as `kubectl create namespace` makes them."""
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each}} for each in missing_namespaces(objects)]


def references(objects: Sequence[Manifest]) -> list[Manifest]:
    """The Secrets and ConfigMaps that pods need and that no file has, with the keys that the pods name."""
    made = {(each.get("kind"), *_place(each)) for each in objects}
    wanted: dict[tuple[str, str, str], set[str]] = {}
    for each in objects:
        for template in pod_templates(each):
            for kind, name, keys in _references(template["spec"]):
                wanted.setdefault((kind, _place(each)[0], name), set()).update(keys)
    return [
        {
            "apiVersion": "v1",
            "kind": kind,
            "metadata": {"name": name, "namespace": namespace},
            ("stringData" if kind == "Secret" else "data"): dict.fromkeys(sorted(keys), "rehearsal"),
        }
        for (kind, namespace, name), keys in sorted(wanted.items(), key=lambda item: item[0])
        if (kind, namespace, name) not in made
    ]


def volume(claim: Mapping[str, Any]) -> Manifest:
    """A volume for a claim: an empty folder of the node. It stands for the storage of the cluster: the kubelet gives it
    to the pod's `fsGroup`, which it does not do with a hostPath."""
    metadata, spec = claim["metadata"], claim["spec"]
    name = f"{metadata['namespace']}.{metadata['name']}"
    every_node = {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": spec["resources"]["requests"]["storage"]},
            "accessModes": list(spec["accessModes"]),
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": spec.get("storageClassName") or "",
            **({"volumeMode": spec["volumeMode"]} if "volumeMode" in spec else {}),
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": metadata["name"], "namespace": metadata["namespace"]},
            "local": {"path": f"{_VOLUMES}/{name}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [every_node]}]}},
        },
    }


def _names(classes: Sequence[GpuNodes]) -> str:
    return ", ".join(each.name or "the GPU nodes" for each in classes)


def _named(part: str, nodes: GpuNodes) -> str:
    return f"{part}-{nodes.name}" if nodes.name else part


def _emitted(classes: Sequence[GpuNodes], charts: Mapping[str, Any]) -> list[Manifest]:
    """The objects of charts, as a cluster file describes them."""
    documents = [class_arguments(each) for each in classes]
    description = {"nodes": documents if len(documents) > 1 else documents[0], "charts": charts}
    result = synthesize(description, lambda path: path, with_checks=False)
    if result.errors:
        raise ValueError("; ".join(str(each.error) for each in result.errors))
    return [each for objects in result.objects.values() for each in objects]


def _has_plugin(inputs: Inputs, nodes: GpuNodes) -> bool:
    """Whether a DaemonSet of the files is the device plugin of a class, or of every class."""
    for agent in device_plugins(inputs):
        if isinstance(agent.about, KubernetesObject):
            name = agent.about.at("spec", "template", "metadata", "labels", CLASS_LABEL)
            if name is None or name == nodes.pod_labels[CLASS_LABEL]:
                return True
    return False


def _place(manifest: Manifest) -> tuple[str, str]:
    metadata = manifest.get("metadata") or {}
    return str(metadata.get("namespace") or "default"), str(metadata.get("name"))


_OF_VARIABLES = {"secretKeyRef": "Secret", "configMapKeyRef": "ConfigMap"}
_OF_ALL_VARIABLES = {"secretRef": "Secret", "configMapRef": "ConfigMap"}
_OF_VOLUMES = {"secret": ("Secret", "secretName"), "configMap": ("ConfigMap", "name")}


def _references(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, set[str]]]:
    """The kind, the name and the keys of each Secret and ConfigMap that a pod can't start without."""
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        for each in container.get("env") or ():
            for kind, found in _needed(each.get("valueFrom") or {}, _OF_VARIABLES):
                yield kind, str(found.get("name")), {str(found.get("key"))}
        for each in container.get("envFrom") or ():
            for kind, found in _needed(each, _OF_ALL_VARIABLES):
                yield kind, str(found.get("name")), set()
    for each in spec.get("volumes") or ():
        for kind, found in _needed(each, {key: kind for key, (kind, _) in _OF_VOLUMES.items()}):
            name = next(name for other, name in _OF_VOLUMES.values() if other == kind)
            yield kind, str(found.get(name)), {str(item.get("key")) for item in found.get("items") or ()}


def _needed(source: Mapping[str, Any], kinds: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The references of a variable or a volume, without those that may be missing."""
    for key, kind in kinds.items():
        if (found := source.get(key)) and not found.get("optional"):
            yield kind, found
