"""A scene on a real node: its objects and its node with a failure in them. `with NodeScene(cluster) as scene` leaves both as they were."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from dump_clusters import gpu_side
from talos_side import TalosSide

from nodes import AT_ONCE
from talos_gpu_rehearsal.cards import RTX_4090, Card
from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.namespaces import NamespaceError
from talos_gpu_rehearsal.node import CONTAINERD, NodeSpec

GPU = "nvidia.com/gpu"
HANDLER_TABLE = re.compile(
    r'\["plugins"\."io\.containerd\.cri\.v1\.runtime"\."containerd"\."runtimes"\."nvidia"(?:\."options")?\]\n(?:[^\[].*\n)*'
)
LEFT = "deployments,statefulsets,daemonsets,replicasets,jobs,pods,resourcequotas,persistentvolumeclaims,runtimeclasses,configmaps"
NAMESPACES = ("nvidia", "ollama")
CHECKPOINT = "var/lib/kubelet/device-plugins/kubelet_internal_checkpoint"
LOGS = ("kubelet", "containerd", "nvidia-cdi-gen")
NO_DRIVER = "ERROR_DRIVER_NOT_LOADED"


def machine(talos: str, **faults: Any) -> TalosSide:
    """The machine of a node with the driver that the rehearsal's node has, and what our library writes for it."""
    nodes = {"driver_track": "production", **faults.pop("nodes", {})}
    return gpu_side(talos, nodes=nodes, **{"address": "10.5.0.1", **faults})


def node_spec(side: TalosSide, cards: Sequence[Card] = (RTX_4090,)) -> NodeSpec:
    """The node of a machine: with its configuration, and with the labels by which Talos publishes the extensions of the image."""
    labels = {f"extensions.talos.dev/{name}": version for name, version in side.image.items()}
    documents = (*side.machine.documents, {"machine": {"nodeLabels": labels}}, AT_ONCE)
    return NodeSpec(name=side.machine.name, talos=side.machine.talos, cards=tuple(cards), machine_config=documents)


class NodeScene:
    """A node, objects on it, and a failure."""

    def __init__(self, cluster: Cluster, name: str = "gpu-1") -> None:
        self.cluster = cluster
        self.node = cluster.nodes[name]
        self.name = name
        self.talos = self.node.spec.talos
        self.sides: dict[str, TalosSide] = {name: machine(self.talos)}
        self.namespaces: list[str] = []
        self.keep_old_events = False
        """Whether events of the scheduler stay that are no more true."""
        self.files: dict[str, str] = {}
        self._undo = contextlib.ExitStack()
        self._has_stale_cdi = False

    def __enter__(self) -> Self:
        for name in LOGS:
            with contextlib.suppress(FileNotFoundError):
                (self.node.folder / f"var/log/{name}.log").write_text("")
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._clear()
        finally:
            self._undo.close()
            if self._has_stale_cdi:
                self.generate_cdi()
            self._join_anew()

    def _clear(self) -> None:
        """Delete all that the scene has made. The namespaces stay, without their labels: to delete one takes seconds."""

        def left() -> str:
            namespaced = ",".join(each for each in LEFT.split(",") if each != "configmaps")
            found = self.kubectl("get", namespaced, "--all-namespaces", "--output=name")
            if found:
                self.kubectl("delete", namespaced, "--all", "--all-namespaces", "--grace-period=1", "--wait=false")
            return found

        self.cluster.eventually(left, lambda found: not found, "an empty cluster")
        for name in self.namespaces:
            self.kubectl("label", "namespace", name, *(f"pod-security.kubernetes.io/{mode}-" for mode in ("enforce", "audit", "warn")))

    def _join_anew(self) -> None:
        """The node registers again, as after its first boot: without the resource of a plugin that has gone, and with its labels and taints."""
        self.node.stop("kubelet")
        self.kubectl("delete", "node", self.name, "--wait=false")
        (self.node.folder / CHECKPOINT).unlink(missing_ok=True)
        self.node.start("kubelet")
        self.cluster.eventually(lambda: self.body, _is_ready, "a ready node")
        self.kubectl("delete", "events", "--all", "--all-namespaces", "--wait=false")

    # what the scene does to the node

    def undo(self, action: Callable[[], object]) -> None:
        """Do something at the end of the scene."""
        self._undo.callback(action)

    def hide(self, *paths: str) -> None:
        """Take files of the node's root away, which are read-only for the node itself."""
        for path in paths:
            file = self.node.root / path
            hidden = file.with_name(f"{file.name}.hidden")
            file.rename(hidden)
            self.undo(lambda file=file, hidden=hidden: hidden.rename(file))

    def hide_library(self) -> None:
        """Take the driver's library away, as on an image without the toolkit's extension."""
        folder = self.node.root / self.node.layout.libraries
        self.hide(*(f"{self.node.layout.libraries}/{each.name}" for each in sorted(folder.glob("libnvidia-ml.so*"))))

    def without_handler(self) -> None:
        """Containerd without the part of the toolkit's extension."""
        self.change_containerd(lambda text: HANDLER_TABLE.sub("", text))

    def change_containerd(self, change: Callable[[str], str]) -> None:
        """Another configuration of containerd, until the scene ends."""
        text = (self.node.root / "etc/cri/conf.d/cri.toml").read_text()
        changed = change(text)
        assert changed != text, text
        self._configure_containerd(changed)
        self.undo(lambda: self._configure_containerd(text))

    def _configure_containerd(self, text: str) -> None:
        (self.node.root / "etc/cri/conf.d/cri.toml").write_text(text)
        self.node.stop("containerd")
        self.node.start("containerd")
        ctr = ["/system/containerd/ctr", "--address", CONTAINERD, "version"]
        self.cluster.eventually(lambda: self.node.enter(ctr), bool, "containerd")

    def without_cdi_file(self) -> None:
        """The service nvidia-cdi-gen has not yet written the specification, or somebody has removed it."""
        if self.node.layout.is_legacy:
            return
        (self.node.view / "run/cdi/nvidia.yaml").unlink(missing_ok=True)
        self._has_stale_cdi = True

    def generate_cdi(self) -> None:
        """Run the service nvidia-cdi-gen to its end."""
        (self.node.view / "run/cdi/nvidia.yaml").unlink(missing_ok=True)
        log = self.node.folder / "var/log/nvidia-cdi-gen.log"
        log.write_text("")
        self.node.start("nvidia-cdi-gen")
        self.cluster.eventually(
            lambda: (self.node.view / "run/cdi/nvidia.yaml").exists() or "ERROR" in log.read_text(), bool, "the end of nvidia-cdi-gen"
        )

    def set_cards(self, *cards: Card, **driver: Any) -> None:
        """Other cards, or the same ones with faults, until the scene ends."""
        self.node.set_cards(cards, **driver)
        self.undo(lambda: self.node.set_cards(self.node.spec.cards))
        self._has_stale_cdi = not self.node.layout.is_legacy

    def without_driver(self, *cards: Card) -> None:
        """The kernel module is not loaded: no device files, nothing in /proc/driver/nvidia, no CDI specification."""
        self.set_cards(*cards, init=NO_DRIVER)
        self.node.enter(["/bin/sh", "-c", "rm -rf /dev/nvidia*"])
        (self.node.folder / "proc-driver/nvidia/version").unlink()
        self.without_cdi_file()

    def restart_kubelet(self) -> None:
        """Stop the kubelet and start it again."""
        self.node.stop("kubelet")
        self.node.start("kubelet")

    # what the scene does to the cluster, and sees of it; with the names of the laboratory's Scene

    def apply(self, manifests: Iterable[Mapping[str, Any]]) -> None:
        """Apply the objects; the namespaces are those that are printed."""
        manifests = list(manifests)
        first = [each for each in manifests if each["kind"] in ("Namespace", "RuntimeClass")]
        for each in first:
            if each["kind"] == "Namespace" and each["metadata"]["name"] not in self.namespaces:
                self.namespaces.append(each["metadata"]["name"])
        if first:
            self.cluster.apply(first)
        self.cluster.eventually(lambda: [self.cluster.get("serviceaccount", "default", name) for name in self.namespaces], _is_read)
        if others := [each for each in manifests if each not in first]:
            self.cluster.apply(others)

    def kubectl(self, *arguments: str) -> str:
        """The real kubectl."""
        return self.cluster.kubectl(*arguments)

    def until(self, question: Callable[[], Any], what: str = "") -> None:
        """Wait for a state; a scene that does not reach it shows nothing."""
        try:
            self.cluster.eventually(question, bool, what or question.__name__)
        except NamespaceError as error:
            states = [f"{each['metadata']['name']}: {json.dumps(each['status'])[:1500]}" for each in self.cluster.list("Pod")]
            events = [each.get("message", "") for each in self.cluster.list("Event")]
            raise AssertionError("\n".join([str(error), *states, *events])) from error

    def patch(self, kind: str, name: str, body: Mapping[str, Any], namespace: str = "", *options: str) -> None:
        """`kubectl patch`."""
        where = ["--namespace", namespace] if namespace else []
        self.kubectl("patch", kind, name, *where, "--type=merge", *options, f"--patch={json.dumps(body)}")

    @property
    def body(self) -> dict[str, Any]:
        """The Node."""
        return self.cluster.get("Node", self.name)

    def offers(self, capacity: int, allocatable: int | None = None, resource: str = GPU) -> bool:
        """Whether the node offers so many devices, of which so many are healthy."""
        status = self.body["status"]
        wanted = (str(capacity), str(capacity if allocatable is None else allocatable))
        return (status["capacity"].get(resource, "0"), status["allocatable"].get(resource, "0")) == wanted

    def pods(self, name: str) -> list[dict[str, Any]]:
        """The pods whose names begin so."""
        return [each for each in self.cluster.list("Pod") if each["metadata"]["name"].startswith(name)]

    def runs(self, name: str) -> bool:
        """Whether pods of this name exist, and all run."""
        pods = self.pods(name)
        return bool(pods) and all(each.get("ready") for pod in pods for each in pod["status"].get("containerStatuses") or ({},))

    def crashes(self, name: str) -> bool:
        """Whether the container of this pod waits in CrashLoopBackOff, and the kubelet has told so."""
        waiting = [_waiting(each).get("reason") for each in self.pods(name)]
        return bool(waiting) and set(waiting) == {"CrashLoopBackOff"} and self.reported("Back-off restarting failed container")

    def waits(self, name: str, words: str) -> bool:
        """Whether the container of this pod waits, with these words about it."""
        return any(
            words in f"{_waiting(each).get('reason')}: {_waiting(each).get('message')}" for each in self.pods(name)
        ) and self.reported(words.partition(": ")[2])

    def pending(self, name: str, words: str) -> bool:
        """Whether the scheduler has said these words about a pod."""
        conditions = [condition for each in self.pods(name) for condition in each["status"].get("conditions", ())]
        reported = [each["message"] for each in self.cluster.list("Event") if each["reason"] == "FailedScheduling"]
        return any(words in each.get("message", "") for each in conditions) and any(words in each for each in reported)

    def reported(self, words: str) -> bool:
        """Whether an event has these words."""
        return any(words in each.get("message", "") for each in self.cluster.list("Event"))

    def log(self, name: str) -> str:
        """What the containers of a pod have printed."""
        pod = self.pods(name)[0]["metadata"]
        return self.kubectl("logs", "--namespace", pod["namespace"], pod["name"], "--all-containers")


def _is_read(found: object) -> bool:
    """Whether something could be read at all, be it nothing."""
    return found is not None


def _waiting(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    statuses = pod["status"].get("containerStatuses") or ({},)
    found: Mapping[str, Any] = statuses[0].get("state", {}).get("waiting", {})
    return found


def _is_ready(node: Mapping[str, Any]) -> bool:
    """Whether the kubelet is ready, and the node lifecycle controller has taken its taint away."""
    taints = {each["key"] for each in node["spec"].get("taints", ())}
    ready = any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"].get("conditions", ()))
    return ready and "node.kubernetes.io/not-ready" not in taints
