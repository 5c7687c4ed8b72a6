"""Dumps and diagnoses for the tests of the doctor's report, built without readers and links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from constructs_lib.arguments.commands import Command
from constructs_lib.doctor.chain import Chain
from constructs_lib.doctor.diagnosis import Cause, Diagnosis, Unseen
from constructs_lib.doctor.doctor_report import DoctorReport, doctor_report
from constructs_lib.doctor.fault import Advice, Broken, Fault, Follows, Healthy, NotSeen, State
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.observed.model.dump import Dump
from constructs_lib.observed.model.evidence import Evidence
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.symptoms.link import Link

EXTENSIONS = {
    "extensions.talos.dev/nvidia-container-toolkit-lts": "580.126.20-v1.18.2",
    "extensions.talos.dev/nvidia-open-gpu-kernel-modules-lts": "580.126.20-v1.13.2",
}
SHOWN = Evidence(text="extensions.talos.dev/nvidia-container-toolkit-lts: 580", source="Node gpu-1, metadata.labels (nodes.yaml)")
MODULES = Fault(
    name="modules-not-loaded",
    cause="the kernel modules are not loaded",
    evidence=(Evidence(text="NVRM: no modules", source="gpu-1/dmesg.log:120"),),
    consequence="without the modules there is no device file, and the plugin registers no GPU",
    fix=Advice("Set in the machine configuration", "machine:\n  kernel:\n    modules:\n      - name: nvidia"),
    verify=Command("talosctl --nodes ADDRESS read /proc/modules"),
    source="siderolabs/extensions nvidia-gpu/README.md",
    rules=("TG001",),
)
TAINT = Fault(
    name="taint-not-tolerated",
    cause="the pod does not tolerate the taint dedicated=ai:NoSchedule",
    evidence=(Evidence(text="0/1 nodes are available", source="Pod gpu/b, status.conditions (pods.yaml)"),),
    consequence="the pod stays Pending",
    fix=Command("kubectl -n NAMESPACE edit pod POD"),
    verify=Command("kubectl -n NAMESPACE get pod POD"),
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    is_of_pod=True,
)


def node(name: str, address: str = "10.0.0.1", **labels: str) -> LiveObject:
    """A GPU node of Talos 1.13."""
    body = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**EXTENSIONS, **labels}},
        "status": {
            "addresses": [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": address}],
            "nodeInfo": {"osImage": "Talos (v1.13.2)", "kubeletVersion": "v1.35.1"},
        },
    }
    return LiveObject(body, "nodes.yaml")


def pod(name: str, namespace: str = "gpu", **spec: Any) -> LiveObject:
    """A pod that wants a GPU."""
    resources = {"limits": {"nvidia.com/gpu": "1"}, "requests": {"nvidia.com/gpu": "1"}}
    container = {"name": "main", "image": "example.com/app:1", "resources": resources}
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{name}-rs", "controller": True, "uid": "1"}]
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "ownerReferences": owner},
        "spec": {"containers": [container], **spec},
    }
    return LiveObject(body, "pods.yaml")


def dump(*objects: LiveObject, listed: Iterable[str] = (), counts: Mapping[str, int] | None = None) -> Dump:
    """A dump with these objects; their kinds were listed whole."""
    result = Dump(counts=dict(counts or {}))
    for each in objects:
        result.objects.setdefault(each.kind, []).append(each)
        result.counts[each.kind] = result.counts.get(each.kind, 0) + 1
    result.listed = {*result.objects, *listed}
    return result


def chain(subject: str, *states: tuple[Link, State], on: str = "", is_of_pod: bool = False) -> Chain:
    """A chain of a node, or of a pod on a node."""
    return Chain(subject=subject, node=on or ("" if is_of_pod else subject), is_of_pod=is_of_pod, states=states)


def diagnosis(read: Dump, chains: Iterable[Chain], causes: Iterable[Cause] = (), unseen: Iterable[Unseen] = ()) -> Diagnosis:
    """A diagnosis with these parts."""
    walked = tuple(chains)
    healthy = sum(isinstance(state, Healthy) for each in walked for _, state in each.states)
    return Diagnosis(cluster=GpuCluster(read), chains=walked, causes=tuple(causes), unseen=tuple(unseen), healthy=healthy)


def broken_cluster(**changes: Any) -> Diagnosis:
    """Two nodes without modules, a pod that follows, and a pod with a fault of its own."""
    read = dump(node("gpu-1"), node("gpu-2", "10.0.0.2"), node("gpu-3", "10.0.0.3"), pod("a", nodeName="gpu-1"), pod("b"))
    modules, taint = changes.get("modules", MODULES), changes.get("taint", TAINT)
    chains = [
        *(chain(name, (Link.IMAGE, Healthy(evidence=SHOWN)), (Link.MODULES, Broken(faults=(modules,)))) for name in ("gpu-1", "gpu-2")),
        chain("gpu-3", *((link, NotSeen(command=Command("talosctl --nodes ADDRESS services"))) for link in (Link.IMAGE, Link.MODULES))),
        chain(
            "pod gpu/a",
            (Link.ADMITTED, Healthy(evidence=SHOWN)),
            (Link.SCHEDULED, Follows(nodes=("gpu-1",), evidence=SHOWN)),
            is_of_pod=True,
        ),
        chain("pod gpu/b", (Link.ADMITTED, Healthy(evidence=SHOWN)), (Link.SCHEDULED, Broken(faults=(taint,))), is_of_pod=True),
    ]
    causes = [
        Cause(link=Link.MODULES, fault=modules, subjects=["gpu-1", "gpu-2"], followers=["pod gpu/a"]),
        Cause(link=Link.SCHEDULED, fault=taint, subjects=["pod gpu/b"]),
    ]
    unseen = [Unseen(link=Link.MODULES, command=Command("talosctl --nodes ADDRESS services"), subjects=["gpu-3"])]
    return diagnosis(changes.get("read", read), chains, causes, unseen)


def broken_report(**changes: Any) -> DoctorReport:
    """The report about this cluster."""
    return doctor_report(broken_cluster(**changes))


def live(manifest: Mapping[str, Any], source: str = "cluster.json") -> LiveObject:
    """A manifest as a live object."""
    return LiveObject(manifest, source)
