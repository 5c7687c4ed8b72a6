"""Parts of a dump for the tests of the links of pods and agents: objects as the API server prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from doctor.dump_parts import log

from constructs_lib.doctor.fault import Broken, Fault, State
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.live_pods import LivePod
from constructs_lib.observed.model.dump import Dump
from constructs_lib.observed.model.evidence import Log, LogKind
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.observed.model.talos_machine import TalosMachine
from constructs_lib.observed.pods.pod_templates import pod_of

SOURCE = "cluster.yaml"
TOOLKIT = "extensions.talos.dev/nvidia-container-toolkit-lts"
MODULES = "extensions.talos.dev/nvidia-open-gpu-kernel-modules-lts"
PREEMPTION = "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."


def node(
    name: str = "gpu-1",
    *,
    gpus: Mapping[str, int] | int | None = 1,
    allocatable: Mapping[str, int] | int | None = None,
    labels: Mapping[str, str] | None = None,
    taints: list[str] | None = None,
    talos: str = "1.13.2",
    is_cordoned: bool = False,
    is_gpu: bool = True,
    ready: Mapping[str, str] | None = None,
) -> LiveObject:
    """A Node of Talos; `gpus` is its capacity, `allocatable` what is left of it if devices are unhealthy, `ready` its condition Ready."""
    capacity = _amounts(gpus)
    own = {MODULES: f"580.126.20-v{talos}", TOOLKIT: "580.126.20-v1.19.0"} if is_gpu else {}
    spec: dict[str, Any] = {"taints": [_taint(each) for each in taints or []]}
    if is_cordoned:
        spec["unschedulable"] = True
        spec["taints"].append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    return LiveObject(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **own, **(labels or {})}},
            "spec": spec,
            "status": {
                "nodeInfo": {"osImage": f"Talos (v{talos})"},
                "capacity": {"cpu": "16", **capacity},
                "allocatable": {"cpu": "16", **(capacity if allocatable is None else _amounts(allocatable))},
                "conditions": [{"type": "Ready", "status": "True", **(ready or {})}],
            },
        },
        SOURCE,
    )


def _amounts(gpus: Mapping[str, int] | int | None) -> dict[str, str]:
    named = {"nvidia.com/gpu": gpus} if isinstance(gpus, int) else gpus or {}
    return {name: str(amount) for name, amount in named.items()}


def _taint(text: str) -> dict[str, str]:
    name, _, effect = text.rpartition(":")
    key, _, value = name.partition("=")
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


LOST = {"status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
"""The condition Ready of a node of which Kubernetes has no news."""

WITHOUT_NETWORK = {
    "status": "False",
    "reason": "KubeletNotReady",
    "message": "container runtime network not ready: cni plugin not initialized",
}
"""The condition Ready of a node whose network plugin does not run."""


def pod_body(
    name: str = "llm-6d5f7c9b8-abcde",
    *,
    limits: Mapping[str, int] | None = None,
    gpus: int | None = 1,
    on: str = "",
    phase: str = "Pending",
    owner: tuple[str, str] | None = ("ReplicaSet", "llm-6d5f7c9b8"),
    image: str = "ollama/ollama:0.12.6",
    env: Mapping[str, str] | None = None,
    container: Mapping[str, Any] | None = None,
    spec: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
    namespace: str = "gpu",
) -> dict[str, Any]:
    """A pod that wants GPUs."""
    wanted = limits if limits is not None else {} if gpus is None else {"nvidia.com/gpu": gpus}
    resources = {"limits": {key: str(value) for key, value in wanted.items()}} if wanted else {}
    own = {
        "name": "llm",
        "image": image,
        "resources": resources,
        "env": [{"name": key, "value": value} for key, value in (env or {}).items()],
    }
    owners = [{"apiVersion": "apps/v1", "kind": owner[0], "name": owner[1], "controller": True}] if owner else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "ownerReferences": owners},
        "spec": {"containers": [{**own, **(container or {})}], **({"nodeName": on} if on else {}), **(spec or {})},
        "status": {"phase": phase, **(status or {})},
    }


def pod(name: str = "llm-6d5f7c9b8-abcde", **given: Any) -> LiveObject:
    return LiveObject(pod_body(name, **given), SOURCE)


def unschedulable(message: str) -> dict[str, Any]:
    """The status of a pod that the scheduler has not placed, in its words."""
    return {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}]}


def pending(message: str, **given: Any) -> LiveObject:
    return pod(status=unschedulable(message), **given)


def waiting(
    reason: str, message: str = "", *, last: Mapping[str, Any] | None = None, name: str = "llm", image: str = "ollama/ollama:0.12.6"
) -> dict[str, Any]:
    """The status of a container that waits."""
    state = {"reason": reason, **({"message": message} if message else {})}
    own = {"name": name, "image": image, "ready": False, "restartCount": 0, "state": {"waiting": state}}
    return {**own, "lastState": {"terminated": dict(last)} if last else {}}


def running(name: str = "llm", *, is_ready: bool = True, last: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The status of a container that runs; `last` is how it ended before."""
    return {
        "name": name,
        "image": "a",
        "ready": is_ready,
        "restartCount": 1 if last else 0,
        "state": {"running": {"startedAt": "2026-11-22T08:00:00Z"}},
        "lastState": {"terminated": dict(last)} if last else {},
    }


def event(about: LiveObject, reason: str, message: str, *, at: str = "2026-11-22T08:00:00Z") -> LiveObject:
    involved = {"kind": about.kind, "namespace": about.namespace, "name": about.name}
    return LiveObject(
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{about.name}.{at}", "namespace": about.namespace},
            "type": "Warning",
            "reason": reason,
            "message": message,
            "involvedObject": involved,
            "lastTimestamp": at,
        },
        SOURCE,
    )


def workload(
    kind: str, name: str, spec: Mapping[str, Any], *, namespace: str = "gpu", status: Mapping[str, Any] | None = None
) -> LiveObject:
    """A controller with a pod template."""
    return LiveObject(
        {
            "apiVersion": "apps/v1",
            "kind": kind,
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"replicas": 1, "template": {"spec": dict(spec)}},
            "status": dict(status or {}),
        },
        SOURCE,
    )


def thing(kind: str, name: str, body: Mapping[str, Any], *, namespace: str = "") -> LiveObject:
    """An object of any kind."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return LiveObject({"kind": kind, "metadata": metadata, **body}, SOURCE)


def resource_slice(on: str, *devices: str) -> LiveObject:
    spec = {"driver": "gpu.nvidia.com", "nodeName": on, "pool": {"name": on}, "devices": [{"name": each} for each in devices]}
    return thing("ResourceSlice", f"{on}-gpu.nvidia.com", {"spec": spec})


def claim_spec(template: str = "one-gpu") -> dict[str, Any]:
    return {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": template}]}


PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
DRA_IMAGE = "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.5.0"


def agent_spec(image: str = PLUGIN_IMAGE, *, runtime_class: str = "nvidia", **fields: Any) -> dict[str, Any]:
    own = {"runtimeClassName": runtime_class} if runtime_class else {}
    return {"containers": [{"name": "main", "image": image}], **own, **fields}


def daemon_set(
    name: str = "nvidia-device-plugin", *, namespace: str = "nvidia", desired: int = 1, spec: Mapping[str, Any] | None = None
) -> LiveObject:
    status = {"desiredNumberScheduled": desired, "currentNumberScheduled": desired, "numberReady": desired}
    return workload("DaemonSet", name, spec if spec is not None else agent_spec(), namespace=namespace, status=status)


def agent_pod(
    name: str = "nvidia-device-plugin-x7k2p",
    *,
    on: str = "gpu-1",
    owner: str = "nvidia-device-plugin",
    is_ready: bool = True,
    spec: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
    namespace: str = "nvidia",
    kind: str = "DaemonSet",
) -> LiveObject:
    """A pod of an agent."""
    own = dict(spec if spec is not None else agent_spec())
    return LiveObject(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace, "ownerReferences": [{"kind": kind, "name": owner, "controller": True}]},
            "spec": {**own, **({"nodeName": on} if on else {})},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": str(is_ready)}], **(status or {})},
        },
        SOURCE,
    )


def plugin_with(strategy: str) -> LiveObject:
    """The pod of a device plugin with a device list strategy, or without the variable."""
    spec = agent_spec()
    env = [{"name": "DEVICE_LIST_STRATEGY", "value": strategy}] if strategy else []
    return agent_pod(spec={**spec, "containers": [{**spec["containers"][0], "env": env}]})


def crashing(code: int = 1, reason: str = "Error", message: str = "") -> dict[str, Any]:
    last = {"exitCode": code, "reason": reason, **({"message": message} if message else {})}
    return {"containerStatuses": [waiting("CrashLoopBackOff", "back-off 5m0s restarting failed container", last=last)]}


def pod_log(of: LiveObject, *lines: str, is_previous: bool = False) -> Log:
    """The log of a pod, searched for symptoms as readers search it."""
    read = log(*lines, kind=LogKind.CONTAINER, source=f"{of.name}.log")
    return replace(read, namespace=of.namespace, pod=of.name, is_previous=is_previous)


def cluster(
    *objects: LiveObject, listed: str = "", logs: tuple[Log, ...] = (), machines: tuple[TalosMachine, ...] = (), system_nodes: str = ""
) -> GpuCluster:
    """A cluster of these objects. A kind with an object was listed whole, and so was each kind that `listed` names."""
    dump = Dump(logs=list(logs), machines=list(machines), listed=set(listed.split()), system_nodes=set(system_nodes.split()))
    for each in objects:
        dump.objects.setdefault(each.kind, []).append(each)
        dump.listed.add(each.kind)
    return GpuCluster(dump)


def live(of: LiveObject) -> LivePod:
    return pod_of(of)


def only_fault(state: State) -> Fault:
    """The one fault of a broken link."""
    assert isinstance(state, Broken), state
    assert len(state.faults) == 1, [each.name for each in state.faults]
    return state.faults[0]


def shown(fault: Fault) -> str:
    """The evidence of a fault, one line each."""
    return "\n".join(f"{each.text} | {each.source}" for each in fault.evidence)
