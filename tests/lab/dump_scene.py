"""A scene of the laboratory: machines and objects on a control plane, with a failure in them, to be printed by kubectl."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from control_plane import ControlPlane
from machines import CONTROL_PLANE, EXTENSION, Machine
from talos_side import RELEASES, TalosSide

from api_server import ApiError

GPU = "nvidia.com/gpu"
DRA = "resource.k8s.io/v1"
API_VERSIONS = {
    "Job": "batch/v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Pod": "v1",
    "ResourceClaim": DRA,
    "ResourceClaimTemplate": DRA,
    "ResourceSlice": DRA,
    "DeviceClass": DRA,
    "ResourceQuota": "v1",
    "PersistentVolumeClaim": "v1",
    "ConfigMap": "v1",
    "Service": "v1",
    "ServiceAccount": "v1",
    "RuntimeClass": "node.k8s.io/v1",
    "Event": "v1",
}
"""What a scene may leave behind, the owners first."""
CONTROL = Machine("control-1", "", "customization: {systemExtensions: {officialExtensions: []}}", "1.13.9", (), control_plane=True)
AMOUNTS = {"cpu": "16", "memory": "64Gi", "ephemeral-storage": "900Gi", "pods": "110"}


class Scene:
    """Machines, objects and a failure; `with Scene(lab) as scene` leaves the control plane as it was."""

    def __init__(self, lab: ControlPlane) -> None:
        self.lab = lab
        self.sides: dict[str, TalosSide] = {}
        self.namespaces: list[str] = []
        self.keep_old_events = False
        """Whether events of the scheduler stay that are no more true."""
        self.files: dict[str, str] = {}
        """Files that a failure adds to what kubectl and talosctl print, such as logs of containers."""

    def __enter__(self) -> Self:
        self.clear()
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Delete all that the scene has made. The namespaces stay, without their labels: to delete one takes seconds."""
        for kind, api_version in API_VERSIONS.items():
            for each in self.lab.list(api_version, kind):
                name = each["metadata"]["name"]
                if name != "kube-root-ca.crt" and not (kind == "ServiceAccount" and not self._is_ours(each)) and name != "kubernetes":
                    self._delete({"apiVersion": api_version, "kind": kind, **each})
        self.lab.eventually(lambda: self.lab.list("v1", "Pod"), lambda left: not left)
        for name in self.namespaces:
            self.lab.apply([namespace(name)])
        for each in self.lab.list("v1", "Node"):
            self._delete({"apiVersion": "v1", "kind": "Node", **each})
        for each in self.lab.list("v1", "Event"):
            self._delete({"apiVersion": "v1", "kind": "Event", **each})

    def _is_ours(self, manifest: Mapping[str, Any]) -> bool:
        return manifest["metadata"]["namespace"] in self.namespaces and manifest["metadata"]["name"] != "default"

    def _delete(self, manifest: Mapping[str, Any]) -> None:
        try:
            self.lab.delete(manifest)
        except ApiError as error:
            if error.code != 404:
                raise

    def join(self, *sides: TalosSide, **devices: int) -> None:
        """The machines as Nodes, and a control plane without a card. `devices` are what a device plugin offers on each from the start."""
        numbered = {side.machine.name: side for side in sides}
        control = TalosSide(machine=Machine(**{**vars(CONTROL), "talos": sides[0].machine.talos}), address="10.0.0.2", extensions={})
        self.sides |= numbered
        for side in (*sides, control):
            self.lab.apply([node(side)])
            self.lab.patch_status(
                node_status(side, {key.replace("__", "."): number for key, number in devices.items()} if side in sides else {})
            )
            name = side.machine.name
            self.lab.eventually(
                lambda name=name: self.lab.get("v1", "Node", name)["spec"].get("taints", []), lambda left: not unready(left)
            )

    def offer(self, machine: str, capacity: int, allocatable: int | None = None, resource: str = GPU) -> None:
        """What a device plugin has registered on a node, and what of it is healthy."""
        side = self.sides[machine]
        self.lab.patch_status(node_status(side, {resource: capacity}, {resource: capacity if allocatable is None else allocatable}))

    def apply(self, manifests: Iterable[Mapping[str, Any]]) -> None:
        """Apply the objects; the namespaces are those that are printed."""
        manifests = list(manifests)
        for each in manifests:
            if each["kind"] == "Namespace" and each["metadata"]["name"] not in self.namespaces:
                self.namespaces.append(each["metadata"]["name"])
        self.lab.apply(manifests)

    def until(self, question: Callable[[], Any], what: str = "") -> None:
        """Wait for a state; a scene that does not reach it is no recording."""
        if not self.lab.eventually(question):
            states = [f"{each['metadata']['name']}: {json.dumps(each['status'])[:600]}" for each in self.lab.list("v1", "Pod")]
            raise AssertionError("\n".join([f"the scene never came to {what or question.__name__}", *states]))

    def pods(self, name: str) -> list[dict[str, Any]]:
        """The pods whose names begin so."""
        return [each for each in self.lab.list("v1", "Pod") if each["metadata"]["name"].startswith(name)]

    def runs(self, name: str) -> bool:
        """Whether pods of this name exist, and all run."""
        pods = self.pods(name)
        return bool(pods) and all(each["status"].get("phase") == "Running" for each in pods)

    def pending(self, name: str, words: str) -> bool:
        """Whether the scheduler has said these words about a pod."""
        conditions = [condition for each in self.pods(name) for condition in each["status"].get("conditions", ())]
        reported = [each["message"] for each in self.lab.list("v1", "Event") if each["reason"] == "FailedScheduling"]
        return any(words in each.get("message", "") for each in conditions) and any(words in each for each in reported)

    def reported(self, words: str) -> bool:
        """Whether an event has these words."""
        return any(words in each.get("message", "") for each in self.lab.list("v1", "Event"))

    def patch(self, kind: str, name: str, body: Mapping[str, Any], namespace: str = "", *options: str) -> None:
        """`kubectl patch`, for what an owner of fields can't take away."""
        where = ["--namespace", namespace] if namespace else []
        self.kubectl("patch", kind, name, *where, "--type=merge", *options, f"--patch={json.dumps(body)}")

    def kubectl(self, *arguments: str) -> str:
        """The real kubectl."""
        command = [os.environ["KUBECTL"], f"--kubeconfig={self.lab.kubeconfig()}", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def event(
        self, about: Mapping[str, Any], reason: str, message: str, *, kind: str = "Warning", count: int = 1, component: str = "kubelet"
    ) -> None:
        """An event of the kubelet about a pod."""
        metadata = about["metadata"]
        self.lab.apply(
            [
                {
                    "apiVersion": "v1",
                    "kind": "Event",
                    "metadata": {"name": f"{metadata['name']}.{reason.lower()}{count}", "namespace": metadata["namespace"]},
                    "involvedObject": {
                        "apiVersion": "v1",
                        "kind": "Pod",
                        "name": metadata["name"],
                        "namespace": metadata["namespace"],
                        "uid": metadata["uid"],
                    },
                    "reason": reason,
                    "message": message,
                    "type": kind,
                    "count": count,
                    "firstTimestamp": "2026-11-22T10:00:00Z",
                    "lastTimestamp": "2026-11-22T10:00:00Z",
                    "source": {"component": component, "host": about["spec"].get("nodeName", "")},
                    "reportingComponent": component,
                    "reportingInstance": about["spec"].get("nodeName", ""),
                }
            ]
        )


def namespace(name: str) -> dict[str, Any]:
    """A namespace as Talos' default leaves it: without a label."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def unready(taints: Iterable[Mapping[str, str]]) -> bool:
    """Whether the node lifecycle controller has not yet taken its taint away."""
    return any(each["key"] == "node.kubernetes.io/not-ready" for each in taints)


def node(side: TalosSide) -> dict[str, Any]:
    """The Node as the machine joins, with the versions of its extensions as labels."""
    manifest = side.machine.node()
    labels = {key: value for key, value in manifest["metadata"]["labels"].items() if not key.startswith(EXTENSION)}
    labels |= {f"{EXTENSION}{name}": version for name, version in side.image.items()}
    if side.machine.control_plane:
        labels[CONTROL_PLANE] = ""
    manifest["metadata"]["labels"] = labels
    return manifest


def node_status(side: TalosSide, capacity: Mapping[str, int], allocatable: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The status that the kubelet of Talos writes."""
    release = RELEASES[side.machine.talos]
    number = side.address.rpartition(".")[2]
    machine_id = f"{int(number):032x}"
    info = {
        "architecture": "amd64",
        "bootID": "",
        "containerRuntimeVersion": f"containerd://{release.containerd}",
        "kernelVersion": f"{release.kernel}-talos",
        "kubeProxyVersion": "",
        "kubeletVersion": f"v{release.kubelet}",
        "machineID": machine_id,
        "operatingSystem": "linux",
        "osImage": f"Talos (v{side.machine.talos})",
        "systemUUID": machine_id,
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": side.machine.name},
        "status": {
            "addresses": [{"type": "InternalIP", "address": side.address}, {"type": "Hostname", "address": side.machine.name}],
            "capacity": AMOUNTS | {key: f"{amount}" for key, amount in capacity.items()},
            "allocatable": AMOUNTS | {key: f"{amount}" for key, amount in (capacity if allocatable is None else allocatable).items()},
            "nodeInfo": info,
        },
    }
