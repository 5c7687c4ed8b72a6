"""A stage for the examples of the rules: nodes, the objects of an example, and what `kubectl get` and `kubectl describe` would show of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from control_plane import ControlPlane, state_of
from machines import PLENTY
from rule_objects import DRA

from api_server import ApiError

NAMESPACES = ("gpu-operator", "nvidia", "ollama", "vllm")


class Stage:
    """The nodes and the objects of one example; `with Stage(lab) as stage` leaves the control plane as it was."""

    def __init__(self, lab: ControlPlane) -> None:
        self.lab = lab
        self.notes: list[str] = []
        """What a play has seen."""
        self.watches: list[Callable[[], str]] = []
        """What is read from the cluster each time that something is shown."""
        self.refusals: list[str] = []
        """The messages with which the API server has refused something."""
        self._objects: list[Mapping[str, Any]] = []
        self._nodes: dict[str, dict[str, str]] = {}
        self._installed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in reversed(self._objects):
            if each["kind"] == "Namespace":
                self.lab.apply([namespace(each["metadata"]["name"])])  # without the labels of the example
            else:
                self._delete(each)
        for each in self.lab.list("v1", "Pod"):
            self._delete({"apiVersion": "v1", "kind": "Pod", **each})  # an orphan
        self.lab.eventually(lambda: [*self.lab.list("v1", "Pod"), *self.lab.list(DRA, "ResourceClaim")], lambda left: not left)
        for name in self._nodes:
            self._delete({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        for kind, api_version in {"ResourceSlice": DRA, "DeviceClass": DRA, "Event": "v1"}.items():
            for each in self.lab.list(api_version, kind):
                self._delete({"apiVersion": api_version, "kind": kind, **each})

    def _delete(self, manifest: Mapping[str, Any]) -> None:
        try:
            self.lab.delete(manifest)
        except ApiError as error:
            if error.code != 404:
                raise

    def join(self, name: str, *, taints: Iterable[Mapping[str, str]] = (), devices: Mapping[str, int] | None = None, **labels: str) -> None:
        """A node that is ready. `devices` are what a device plugin advertises: at once, or with `install` where one of its pods runs."""
        labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **labels}
        metadata = {"name": name, "labels": labels}
        self._nodes[name] = {key: str(number) for key, number in (devices or {}).items()}
        self.lab.apply([{"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": list(taints)}}])
        self.plug()
        self.lab.eventually(lambda: self.lab.get("v1", "Node", name)["spec"].get("taints", []), lambda left: not _unready(left))

    def advertise(self, name: str, devices: Mapping[str, int]) -> None:
        """The devices of a node that joined before."""
        self._nodes[name] = {key: str(number) for key, number in devices.items()}
        self.plug()

    def register(self, node: Mapping[str, Any]) -> None:
        """A node that its own kubelet registers."""
        self._nodes[node["metadata"]["name"]] = {}
        self.lab.create(node, node["metadata"]["name"])

    def plug(self) -> None:
        """Let each device plugin advertise the devices of its node."""
        pods = self.lab.list("v1", "Pod")
        serving = {each["spec"].get("nodeName") for each in pods if each["status"].get("phase") == "Running" and _is_plugin(each)}
        for name, devices in self._nodes.items():
            amounts = {**PLENTY, **(devices if name in serving or not self._installed else {})}
            status = {"capacity": amounts, "allocatable": amounts}
            self.lab.patch_status({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status})

    def apply(self, manifests: Iterable[Mapping[str, Any]]) -> None:
        """Create each object as `kubectl create` does, and keep the message with which one is refused."""
        for each in manifests:
            with self.refusing():
                if each["kind"] == "Namespace":
                    self.lab.apply([each])
                else:
                    self.lab.create(each)
                self._objects.append(each)

    def install(self, daemon_set: Mapping[str, Any]) -> None:
        """Apply the DaemonSet of a device plugin, and wait for its pods: from here on only nodes with one of them advertise devices."""
        self._installed = True
        self.apply([daemon_set])
        self.lab.eventually(lambda: all(map(_settled, self.lab.list("apps/v1", "DaemonSet"))))
        self.plug()

    @contextlib.contextmanager
    def refusing(self) -> Iterator[None]:
        """Keep the message with which the API server refuses something."""
        try:
            yield
        except ApiError as error:
            self.refusals.append(str(error))

    def shown(self) -> str:
        """The notes, the refusals, the state of each pod, DESIRED of each DaemonSet, and what the controllers report."""
        self.plug()
        states = [f"{each['metadata']['name']}: {state_of(each)}" for each in self.lab.list("v1", "Pod")]
        desired = [
            f"{each['metadata']['name']}: DESIRED {each['status']['desiredNumberScheduled']}"
            for each in self.lab.list("apps/v1", "DaemonSet")
            if each["status"].get("observedGeneration")
        ]
        events = self.lab.list("v1", "Event")
        reports = [each["message"] for each in events if each["type"] == "Warning" and each["reason"] != "FailedScheduling"]
        return "\n".join([*self.notes, *(watch() for watch in self.watches), *self.refusals, *states, *desired, *reports])

    def healthy(self) -> bool:
        """Whether nothing was refused, each pod runs, each DaemonSet has pods, and each rollout has ended."""
        self.plug()
        daemon_sets, deployments = (self.lab.list("apps/v1", kind) for kind in ("DaemonSet", "Deployment"))
        return (
            not self.refusals
            and all(each["status"].get("phase") == "Running" for each in self.lab.list("v1", "Pod"))
            and all(_settled(each) and each["status"]["desiredNumberScheduled"] for each in daemon_sets)
            and all(map(_rolled_out, deployments))
        )


def namespace(name: str) -> dict[str, Any]:
    """A namespace as Talos' default leaves it: without a label."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _unready(taints: Iterable[Mapping[str, str]]) -> bool:
    return any(each["key"] == "node.kubernetes.io/not-ready" for each in taints)


def _is_plugin(pod: Mapping[str, Any]) -> bool:
    return any(each.get("command") == ["nvidia-device-plugin"] for each in pod["spec"]["containers"])


def _settled(daemon_set: Mapping[str, Any]) -> bool:
    status = daemon_set["status"]
    return bool(status.get("observedGeneration")) and status["numberReady"] == status["desiredNumberScheduled"]


def _rolled_out(deployment: Mapping[str, Any]) -> bool:
    status, replicas = deployment["status"], deployment["spec"]["replicas"]
    observed = status.get("observedGeneration") == deployment["metadata"]["generation"]
    return observed and all(status.get(key) == replicas for key in ("replicas", "updatedReplicas", "readyReplicas"))
