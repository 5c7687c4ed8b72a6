"""Real nodes for tests: what they need of the machine, clusters of them, and what the constructs emit for them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from constructs_lib.clusters.synthesis import MANIFESTS, TALOS, synthesize
from constructs_lib.clusters.talos_outputs import MACHINE_CONFIG
from constructs_lib.manifests.objects import plain
from constructs_lib.manifests.workload.settings import NAME_LABEL
from talos_gpu_rehearsal.build import missing
from talos_gpu_rehearsal.cards import Card
from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.manifest_images import images_of
from talos_gpu_rehearsal.manifests import steps
from talos_gpu_rehearsal.needs import lacking
from talos_gpu_rehearsal.node import NodeSpec
from talos_gpu_rehearsal.sources import SOURCES

REHEARSAL = Path(__file__).resolve().parents[2] / "rehearsal"
GENERATIONS = {"1.12": "1.12.11", "1.13": "1.13.9", "1.14": "1.14.0"}
"""A release of Talos of each kind."""
PLUGIN = "nvcr.io/nvidia/k8s-device-plugin:v{}"
PLUGIN_PODS = "app.kubernetes.io/component=device-plugin"
"""The pods of a plugin that the library emits."""
IMAGE = "registry.example.com/program:1"
_CHART = "gpu"
AT_ONCE = {"machine": {"kubelet": {"extraConfig": {"nodeStatusUpdateFrequency": "1s"}}}}
"""The kubelet tells the API server at once what a plugin advertises, and not up to ten seconds later."""
_Object = dict[str, Any]


def needs_a_node() -> None:
    """A skip that says what this machine lacks. In continuous integration, which sets CI, it is a failure."""
    absent = lacking([source for name, source in SOURCES.items() if missing([name])])
    if absent:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"this test needs a real node: {'; '.join(absent)}")


def cluster(folder: Path, nodes: Sequence[NodeSpec], **more: object) -> Cluster:
    """A cluster, not started yet."""
    return Cluster(folder, nodes, **more)


@dataclass(frozen=True)
class Emitted:
    """What a cluster file gives: its objects, and the machine configuration of each class by its name."""

    objects: list[_Object]
    machine_configs: Mapping[str, tuple[_Object, ...]]

    def node(self, name: str, talos: str, cards: Iterable[Card], nodes: str = "") -> NodeSpec:
        """A node of a class, as the emitted machine configuration makes it."""
        return NodeSpec(name=name, talos=talos, cards=tuple(cards), machine_config=(*self.machine_configs[nodes], AT_ONCE))


def emitted(nodes: Mapping[str, Any] | Sequence[Mapping[str, Any]], parts: Mapping[str, Any], namespace: str = "kube-system") -> Emitted:
    """What a cluster file emits.

    Args:
        nodes: The classes of nodes, as the file has them.
        parts: The constructs by their names: `{"plugin": {"StandaloneDevicePlugin": {}}}`.
        namespace: The namespace of the objects.
    """
    names = [nodes.get("name", "")] if isinstance(nodes, Mapping) else [each["name"] for each in nodes]
    talos = [{"nodes": each} if each else {} for each in names]
    description = {"nodes": nodes, "charts": {_CHART: {"namespace": namespace, "objects": parts}}, "talos": talos}
    made = synthesize(description, str, with_checks=False)
    assert not made.errors, [str(each.error) for each in made.errors]
    configs = {each: made.files[f"{TALOS}/{f'{each}-' if each else ''}{MACHINE_CONFIG}"] for each in names}
    documents = {name: tuple(each for each in yaml.safe_load_all(text) if each) for name, text in configs.items()}
    return Emitted([plain(each) for each in made.objects[f"{MANIFESTS}/{_CHART}.k8s.yaml"]], documents)


def plugin_objects(talos: str, nodes: Mapping[str, Any] | None = None, **arguments: object) -> list[_Object]:
    """The RuntimeClass and the objects of a device plugin for a class of nodes."""
    parts = {"runtime-class": {"NvidiaRuntimeClass": {}}, "plugin": {"StandaloneDevicePlugin": arguments}}
    return emitted({"talos_version": talos, **(nodes or {})}, parts).objects


def pod_with_gpu(talos: str, name: str, gpus: int = 1, env: Mapping[str, str] | None = None, **nodes: object) -> _Object:
    """A pod of a program of ours, to which `request_gpus` gives GPUs."""
    container = {"name": "main", "image": IMAGE, "env": [{"name": key, "value": value} for key, value in (env or {}).items()]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": {"containers": [container]}}
    return emitted({"talos_version": talos, **nodes}, {name: {"request_gpus": {"gpus": gpus, "workload": pod}}}).objects[0]


def start(folder: Path, nodes: Sequence[NodeSpec], objects: Iterable[_Object]) -> Cluster:
    """A cluster with the images of these objects, not started yet."""
    needs_a_node()
    return cluster(folder, nodes, images=images_of(objects))


def apply(made: Cluster, objects: Iterable[_Object]) -> None:
    """Apply objects, those before the others that the others refer to."""
    made.apply(each for step in steps(objects) for each in step)


def delete(made: Cluster, objects: Iterable[_Object]) -> None:
    """Delete objects, and wait until they and the pods that controllers made of them are gone."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
    made.kubectl("delete", "--ignore-not-found", "--now", "--cascade=foreground", "-f", "-", stdin=text)


@contextmanager
def applied(made: Cluster, objects: Sequence[_Object]) -> Iterator[None]:
    """Objects that are there until the end of the block, with the pods that controllers make of them."""
    try:
        apply(made, objects)
        yield
    finally:
        delete(made, objects)


@contextmanager
def advertised(made: Cluster, plugin: Sequence[_Object], gpus: int, node: str = "gpu-1") -> Iterator[None]:
    """A device plugin that has told the kubelet of its GPUs, and at the end of the block of their end."""
    with applied(made, plugin):
        made.eventually(lambda: allocatable(made, node), lambda found: found == gpus, f"allocatable: {gpus}")
        yield
    made.eventually(lambda: allocatable(made, node), lambda found: not found, "a node without GPUs")


def allocatable(made: Cluster, node: str, resource: str = "nvidia.com/gpu") -> int:
    """The number of a resource that a node has for pods."""
    return int(made.get("Node", node)["status"]["allocatable"].get(resource, 0))


def report(made: Cluster, pod: str, namespace: str = "default", container: str = "main") -> _Object:
    """What a program of ours sees in its container: the line that it prints when it starts."""

    def read() -> _Object:
        line = made.kubectl("logs", "--namespace", namespace, pod, "--container", container).splitlines()[0]
        found: _Object = json.loads(line)
        return found

    seen = made.eventually(read, lambda seen: seen["stand-in"] == "started", f"the report of {pod}")
    made.eventually(lambda: made.get("Pod", pod, namespace)["status"]["containerStatuses"], _have_started, f"the status of {pod}")
    return seen


def _have_started(statuses: Sequence[_Object]) -> bool:
    """Whether the kubelet has told of each container that it runs, or has ended."""
    return all(each["state"].keys() & {"running", "terminated"} for each in statuses)


def pods_of(made: Cluster, name: str, namespace: str = "default", count: int = 1) -> list[_Object]:
    """The pods of a workload of this name, once all their containers are ready or have ended well."""

    def well() -> list[_Object]:
        own = (each for each in made.list("Pod", namespace) if each["metadata"]["labels"].get(NAME_LABEL) == name)
        return [each for each in own if all(map(_is_well, each["status"].get("containerStatuses", [{}])))]

    return made.eventually(well, lambda found: len(found) == count, f"{count} pods of {name}")


def _is_well(status: _Object) -> bool:
    return status.get("ready", False) or status.get("state", {}).get("terminated", {}).get("exitCode") == 0


def allocated(made: Cluster, pod: str, namespace: str = "default") -> list[str]:
    """The devices that the kubelet has allocated to a pod, as its status names them."""
    found = [each.get("allocatedResourcesStatus", []) for each in made.get("Pod", pod, namespace)["status"]["containerStatuses"]]
    return [each["resourceID"] for statuses in found for status in statuses for each in status["resources"]]


def card_files(seen: Mapping[str, Any]) -> list[str]:
    """The device files of the cards in a container, by its report."""
    return [each["path"] for each in seen["devices"] if re.fullmatch(r"/dev/nvidia\d+", each["path"])]


def ended(made: Cluster, pod: str, namespace: str = "default") -> str:
    """How the only container of a pod has ended, in the words of the kubelet."""
    [status] = made.get("Pod", pod, namespace)["status"]["containerStatuses"]
    state = status["state"].get("terminated") or status["lastState"]["terminated"]
    return f"{state['reason']}: {state.get('message', '')}"


def log_of(made: Cluster, marks: str, namespace: str = "kube-system", *more: str) -> str:
    """The log of the pods with these labels."""
    return made.kubectl("logs", "--namespace", namespace, "--selector", marks, "--tail=-1", *more)
