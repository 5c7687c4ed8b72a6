"""The clusters of the recorded dumps: this library's manifests for each kind, and what upstream's charts and operator make of it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import yaml
from cdk8s import App, Chart
from dra_slices import device_classes, resource_slice
from dump_scene import namespace
from machines import Card, Machine
from talos_side import TalosSide

from conftest import reference
from constructs_lib import (
    Dra,
    GpuNodes,
    GpuWorkload,
    NvidiaRuntimeClass,
    PrivilegedNamespace,
    StandaloneDevicePlugin,
    TimeSlicing,
    ValidationBridge,
)
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import synthesize

PRESENT = {"nvidia.com/gpu.present": "true"}
PLUGIN = "nvidia-device-plugin"
LEGACY, CDI, NEWEST = "1.12.11", "1.13.9", "1.14.0"
OPERATOR_IMAGE = "nvcr.io/nvidia/gpu-operator:v26.7.0"
PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}


def gpu_nodes(talos: str, **arguments: Any) -> GpuNodes:
    """The GPU nodes of a cluster: one node with one card and the driver of the LTS track."""
    return GpuNodes(talos_version=talos, **{"labels": PRESENT, "driver_track": "lts", **arguments})


def gpu_side(
    talos: str = CDI,
    *,
    name: str = "gpu-1",
    cards: tuple[Card, ...] = (Card(),),
    nodes: Mapping[str, Any] | None = None,
    operator: bool = False,
    **faults: Any,
) -> TalosSide:
    """A machine with the image and the configuration that this library writes."""
    described = gpu_nodes(talos, **(nodes or {}))
    config = MachineConfigPatch(nodes=described, operator=operator).text
    machine = Machine(name, config, Schematic(nodes=described).text, talos, cards)
    return TalosSide(machine=machine, **{"address": f"10.0.0.1{name[-1]}", **faults})


@cache
def _standalone(talos: str, replicas: int, runtime_class: bool, strategy: str) -> str:
    nodes = gpu_nodes(talos, **({"sharing": TimeSlicing(replicas=replicas)} if replicas else {}))
    app = App()
    chart = Chart(app, "gpu", namespace="nvidia")
    PrivilegedNamespace(chart, "nvidia")
    if runtime_class:
        NvidiaRuntimeClass(chart, "runtime-class")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes, device_list_strategy=strategy)
    return yaml.safe_dump_all(synthesize(app))


def standalone(talos: str = CDI, *, replicas: int = 0, runtime_class: bool = True, strategy: str = "envvar") -> list[dict[str, Any]]:
    """The standalone device plugin."""
    return list(yaml.safe_load_all(_standalone(talos, replicas, runtime_class, strategy)))


@cache
def _workload(talos: str, claims: bool) -> str:
    app = App()
    nodes = gpu_nodes(talos, **({"dra": Dra()} if claims else {}))
    GpuWorkload(Chart(app, "ollama", namespace="ollama"), "ollama", nodes=nodes, image="ollama/ollama:0.12.6")
    return yaml.safe_dump_all(synthesize(app))


def workload(talos: str = CDI, *, claims: bool = False) -> list[dict[str, Any]]:
    """The Deployment ollama with one GPU, in a namespace with Talos' default of Pod Security."""
    return [namespace("ollama"), *yaml.safe_load_all(_workload(talos, claims))]


@cache
def _bridge() -> str:
    app = App()
    ValidationBridge(Chart(app, "bridge", namespace="gpu-operator"), "validation-bridge", nodes=gpu_nodes(LEGACY))
    return yaml.safe_dump_all(synthesize(app))


def operator(talos: str = CDI, *, bridge: bool = True, driver: bool = False) -> list[dict[str, Any]]:
    """The GPU operator, and what it makes on a node with a card: RuntimeClass, device plugin and validator; up to Talos 1.12 with the bridge."""
    is_legacy = talos == LEGACY
    metadata = {"name": "gpu-operator", "labels": PRIVILEGED}
    runtime_class = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
    made = [{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}, runtime_class, _operator(), _operand_plugin(is_legacy)]
    if not is_legacy or not bridge:
        made.append(_validator())
    if is_legacy and bridge:
        made += [each for each in yaml.safe_load_all(_bridge()) if each["kind"] == "DaemonSet"]
    return [*made, *([_driver()] if driver else [])]


def operators_labels(*, validator: bool) -> dict[str, str]:
    """The labels of the operator on a node with a card (NVIDIA/gpu-operator v26.7.0 controllers/state_manager.go)."""
    labels = {"feature.node.kubernetes.io/pci-10de.present": "true", **PRESENT, "nvidia.com/gpu.deploy.device-plugin": "true"}
    return labels | {"nvidia.com/gpu.deploy.operator-validator": "true" if validator else "false"}


def _operator() -> dict[str, Any]:
    """The operator's own Deployment, as the chart renders it."""
    rendered = yaml.safe_load_all(reference("rendered/gpu-operator-v26.7.0-cdi.yaml").read_text(encoding="utf-8"))
    made: dict[str, Any] = next(
        each for each in rendered if each and each["kind"] == "Deployment" and each["metadata"]["name"] == "gpu-operator"
    )
    spec = made["spec"]["template"]["spec"]
    spec.pop("serviceAccountName")
    spec["containers"][0]["image"] = OPERATOR_IMAGE
    spec["containers"][0].pop("env")
    spec.pop("volumes", None)
    spec["containers"][0].pop("volumeMounts", None)
    return made


def operand(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A DaemonSet of the operator."""
    labels = {"app": name, "app.kubernetes.io/part-of": "gpu-operator"}
    tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    template = {"metadata": {"labels": labels}, "spec": {"priorityClassName": "system-node-critical", "tolerations": tolerations, **spec}}
    metadata = {"name": name, "namespace": "gpu-operator", "labels": labels}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata,
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template},
    }


VALIDATIONS = {"name": "run-nvidia-validations", "hostPath": {"path": "/run/nvidia/validations", "type": "DirectoryOrCreate"}}
MOUNT = {"name": "run-nvidia-validations", "mountPath": "/run/nvidia/validations"}


def _operand_plugin(is_legacy: bool) -> dict[str, Any]:
    """The operator's device plugin: it waits for the file toolkit-ready (NVIDIA/gpu-operator assets/state-device-plugin)."""
    waiting = "until [ -f /run/nvidia/validations/toolkit-ready ]; do echo waiting for nvidia container stack to be setup; sleep 5; done"
    first = {
        "name": "toolkit-validation",
        "image": OPERATOR_IMAGE,
        "command": ["sh", "-c"],
        "args": [waiting],
        "securityContext": {"privileged": True},
        "volumeMounts": [MOUNT],
    }
    container = {
        "name": "nvidia-device-plugin",
        "image": PLUGIN_IMAGE,
        "command": ["/bin/sh", "-c"],
        "args": ["/bin/entrypoint.sh"],
        "securityContext": {"privileged": True},
        "env": [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar" if is_legacy else "cdi-annotations,cdi-cri"}],
        "volumeMounts": [MOUNT, {"name": "device-plugin", "mountPath": "/var/lib/kubelet/device-plugins"}],
    }
    return operand(
        "nvidia-device-plugin-daemonset",
        {
            "nodeSelector": {"nvidia.com/gpu.deploy.device-plugin": "true"},
            "runtimeClassName": "nvidia",
            "initContainers": [first],
            "containers": [container],
            "volumes": [VALIDATIONS, {"name": "device-plugin", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
        },
    )


def _validator() -> dict[str, Any]:
    """The operator's validator (assets/state-operator-validation)."""
    container = {
        "image": OPERATOR_IMAGE,
        "command": ["sh", "-c"],
        "securityContext": {"privileged": True},
        "volumeMounts": [MOUNT, {"name": "host-root", "mountPath": "/host", "readOnly": True}],
    }
    steps = [
        {**container, "name": f"{step}-validation", "args": ["nvidia-validator"], "env": [{"name": "COMPONENT", "value": step}]}
        for step in ("driver", "toolkit")
    ]
    main = {
        **container,
        "name": "nvidia-operator-validator",
        "args": ["echo all validations are successful; while true; do sleep 86400; done"],
    }
    return operand(
        "nvidia-operator-validator",
        {
            "nodeSelector": {"nvidia.com/gpu.deploy.operator-validator": "true"},
            "runtimeClassName": "nvidia",
            "initContainers": steps,
            "containers": [main],
            "volumes": [VALIDATIONS, {"name": "host-root", "hostPath": {"path": "/"}}],
        },
    )


def _driver() -> dict[str, Any]:
    """The operator's driver, which Talos has no image for (assets/state-driver; the tag ends in the name of the node's system)."""
    container = {
        "name": "nvidia-driver-ctr",
        "image": "nvcr.io/nvidia/driver:580.178.04-talosv1.13.9",
        "command": ["nvidia-driver"],
        "args": ["init"],
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "run-nvidia", "mountPath": "/run/nvidia"}],
    }
    volumes = [{"name": "run-nvidia", "hostPath": {"path": "/run/nvidia", "type": "DirectoryOrCreate"}}]
    selector = {"nvidia.com/gpu.deploy.device-plugin": "true"}
    return operand("nvidia-driver-daemonset", {"nodeSelector": selector, "containers": [container], "volumes": volumes})


def dra_driver() -> list[dict[str, Any]]:
    """NVIDIA's DRA driver as its chart renders it, with its DeviceClasses."""
    rendered = yaml.safe_load_all(reference("rendered/dra-driver-0.5.0-dev-exclusive.yaml").read_text(encoding="utf-8"))
    daemon_set: dict[str, Any] = next(each for each in rendered if each and each["kind"] == "DaemonSet")
    spec = daemon_set["spec"]["template"]["spec"]
    for key in ("serviceAccountName", "affinity"):
        spec.pop(key, None)
    spec["nodeSelector"] = PRESENT
    spec["containers"] = [each for each in spec["containers"] if each["name"] == "gpus"]
    spec["containers"][0]["args"] = ["gpu-kubelet-plugin -v $(LOG_VERBOSITY)"]  # the chart has a script around it
    metadata = {"name": "dra-driver-nvidia-gpu", "labels": PRIVILEGED}
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}, daemon_set, *device_classes()]


def published(side: TalosSide) -> dict[str, Any]:
    """The ResourceSlice of a node."""
    return resource_slice(side.machine, {})


def changed(manifests: Iterable[Mapping[str, Any]], kind: str, **spec: Any) -> list[dict[str, Any]]:
    """The manifests with fields of the pod spec of every object of a kind replaced; None takes a field away."""
    copies = [copy.deepcopy(dict(each)) for each in manifests]
    for each in copies:
        if each["kind"] == kind:
            pod = each["spec"]["template"]["spec"]
            pod |= spec
            for key in [key for key, value in spec.items() if value is None]:
                del pod[key]
    return copies


def with_container(manifests: Iterable[Mapping[str, Any]], kind: str, **fields: Any) -> list[dict[str, Any]]:
    """The manifests with fields of the first container of every object of a kind replaced."""
    copies = [copy.deepcopy(dict(each)) for each in manifests]
    for each in copies:
        if each["kind"] == kind:
            each["spec"]["template"]["spec"]["containers"][0] |= fields
    return copies
