"""A node with the example of a rule: what `kubectl get`, `describe` and `logs` would show of it, and whether all of it runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import charts
from node_scene import NodeScene
from rule_objects import documents

from constructs_lib.checks.rule import Example
from talos_gpu_rehearsal.build import program
from talos_gpu_rehearsal.cluster import Cluster
from talos_gpu_rehearsal.layout import merged_parts
from talos_gpu_rehearsal.machine_config import MachineConfig
from talos_gpu_rehearsal.manifest_images import images_of, load
from talos_gpu_rehearsal.manifests import missing_namespaces, pod_templates
from talos_gpu_rehearsal.namespaces import NamespaceError

PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
_OF_A_CLUSTER = ("v1", "apps/v1", "node.k8s.io/v1")
_LEFT_OUT = {
    "nvidia-device-plugin": {"gfd": {"enabled": False}, "nfd": {"enabled": False}},
    "dra-driver-nvidia-gpu": {"resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}}},
}
"""Feature discovery and compute domains are the subject of no example here: the one needs NFD, and the other IMEX channels."""
_FOLDERS = ("/var/lib/kubelet/device-plugins", "/var/run/cdi")
"""Where a plugin has its socket, and where it writes CDI specifications."""
_RESOURCE = "nvidia.com/"


class ExampleScene(NodeScene):
    """An example on a node, which stays as it is: the end of the scene only awaits that a plugin's devices are gone."""

    def __init__(self, cluster: Cluster, known: set[str]) -> None:
        super().__init__(cluster)
        self.known = known
        """The images that the cluster has."""
        self.notes: list[str] = []
        """What a play has seen."""
        self.watches: list[Callable[[], str]] = []
        """What is read from the cluster each time that something is shown."""

    def _clear(self) -> None:
        self.kubectl("delete", "services", "--all-namespaces", "--field-selector=metadata.name!=kubernetes")
        super()._clear()
        # A DeviceClass with an extendedResourceName gives nvidia.com/gpu to pods by DRA, as long as slices of a driver that has gone are there.
        self.kubectl("delete", "deviceclasses,resourceslices", "--all")

    def _join_anew(self) -> None:
        self.until(lambda: not any(map(int, self.gpus("allocatable").values())), "a node without GPUs")
        self.kubectl("delete", "events", "--all", "--all-namespaces", "--wait=false")

    # what comes into the cluster

    def bring(self, example: Example) -> None:
        """The machine configuration of an example, its objects, and what Helm makes of its releases."""
        found = documents(example.yaml)
        if machine := [each for each in found if "machine" in each]:
            self.configure(machine)
        releases = [each for each in found if each.get("kind") == "HelmRelease"]
        self.add([each for each in found if each.get("apiVersion") in _OF_A_CLUSTER] + [one for each in releases for one in charted(each)])

    def add(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Apply objects in privileged namespaces, with their images in the node."""
        wanted = [json.loads(json.dumps(each)) for each in objects]
        for each in wanted:
            complete(each)
        images = [each for each in images_of(wanted) if each.reference not in self.known]
        if images:
            self.node.import_images(load(images, self.cluster.folder / "more-images.tar", program))
            self.known.update(each.reference for each in images)
        namespaces = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each, "labels": PRIVILEGED}}
            for each in missing_namespaces(wanted)
        ]
        self.apply([*namespaces, *wanted])

    def configure(self, machine: Iterable[Mapping[str, Any]]) -> None:
        """The labels and the parts of containerd's configuration that a machine configuration has."""
        config = MachineConfig.of(tuple(machine))
        if config.labels:
            self.kubectl("label", "node", self.name, "--overwrite", *(f"{key}={value}" for key, value in config.labels.items()))
            self.undo(lambda: self.kubectl("label", "node", self.name, *(f"{key}-" for key in config.labels)))
        if config.cri_parts:
            self.change_containerd(lambda text: merged_parts([text, *config.cri_parts]))

    # what is seen

    def gpus(self, amounts: str) -> dict[str, str]:
        """The devices in `capacity` or `allocatable` of the node."""
        return {key: value for key, value in self.body["status"][amounts].items() if key.startswith(_RESOURCE)}

    def report(self, name: str, container: int = 0) -> dict[str, Any]:
        """What the stand-in in a container of a running pod sees."""
        self.until(lambda: self.runs(name), f"a running {name}")
        pod = self.pods(name)[0]
        words = ("logs", "--namespace", pod["metadata"]["namespace"], pod["metadata"]["name"])
        line = self.kubectl(*words, f"--container={pod['spec']['containers'][container]['name']}").splitlines()[0]
        report: dict[str, Any] = json.loads(line)
        return report

    def execute(self, name: str, *command: str) -> str:
        """What a command prints in the container of a running pod, also of its failure."""
        self.until(lambda: self.runs(name), f"a running {name}")
        pod = self.pods(name)[0]["metadata"]
        try:
            return self.kubectl("exec", "--namespace", pod["namespace"], pod["name"], "--", *command)
        except NamespaceError as error:
            return str(error)

    def shown(self) -> str:
        """The notes, the state of each pod, its log, what the controllers and the kubelet report, and the devices of the node."""
        pods = self.cluster.list("Pod")
        devices = [f"{amounts}: {key}: {value}" for amounts in ("capacity", "allocatable") for key, value in self.gpus(amounts).items()]
        events = [each["message"] for each in self.cluster.list("Event") if each["type"] == "Warning" and each.get("message")]
        seen = (*self.notes, *(watch() for watch in self.watches), *map(state_of, pods), *events, *devices)
        return "\n".join([*seen, *(self._log_of(each["metadata"]) for each in pods)])

    def _log_of(self, pod: Mapping[str, Any]) -> str:
        words = ("logs", "--namespace", pod["namespace"], pod["name"], "--all-containers", "--ignore-errors")
        found = []
        for more in ((), ("--previous",)):
            try:
                found.append(self.kubectl(*words, *more))
            except NamespaceError:
                continue  # the container has not started, or not before
        return "\n".join(found)

    def healthy(self) -> bool:
        """Whether pods are there, all of them run or have succeeded, and each DaemonSet has its own."""
        pods, sets = self.cluster.list("Pod"), self.cluster.list("DaemonSet")
        ready = [each["status"].get("numberReady") == each["status"].get("desiredNumberScheduled") for each in sets]
        return bool(pods) and all(ready) and all(is_well(each) for each in pods)


def charted(release: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects of a HelmRelease, of the release of the chart that the rehearsal builds."""
    chart, metadata = release["spec"]["chart"]["spec"]["chart"], release["metadata"]
    return charts.rendered(chart, metadata["name"], metadata["namespace"], {**release["spec"].get("values", {}), **_LEFT_OUT[chart]})


def complete(manifest: Mapping[str, Any]) -> None:
    """Let pods end at once, and give a device plugin its folders of the host, which short examples leave out."""
    for template in pod_templates(dict(manifest)):
        spec = template["spec"]
        spec["terminationGracePeriodSeconds"] = 1
        for container in spec["containers"]:
            if "k8s-device-plugin" in container["image"] and "command" not in container:
                container.setdefault("securityContext", {"privileged": True})
                for number, folder in enumerate(_FOLDERS):
                    name = f"folder-{number}"
                    container.setdefault("volumeMounts", []).append({"name": name, "mountPath": folder})
                    spec.setdefault("volumes", []).append({"name": name, "hostPath": {"path": folder}})


def state_of(pod: Mapping[str, Any]) -> str:
    """The phase of a pod, and why its containers wait or have ended."""
    status = pod["status"]
    states = [state for each in _containers(status) for key in ("state", "lastState") for state in each.get(key, {}).values()]
    words = [f"{each.get('reason', '')}: {each.get('message', '')}" for each in states if each.get("reason")]
    return f"{pod['metadata']['name']}: {status.get('phase')} {status.get('reason', '')}: {status.get('message', '')} {'; '.join(words)}"


def _containers(status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def is_well(pod: Mapping[str, Any]) -> bool:
    """Whether a pod has succeeded, or all its containers are ready and none has failed."""
    status = pod["status"]
    statuses = status.get("containerStatuses") or [{}]
    return status.get("phase") == "Succeeded" or all(each.get("ready") for each in statuses)
