"""A cluster of the laboratory: a control plane, its machines, their agents, and what GitOps has applied."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Self

import yaml
from agents import Agents
from control_plane import ControlPlane, states
from machines import Machine

from api_server import ApiError

CRD_GROUPS = (
    "argoproj.io", "helm.toolkit", "source.toolkit", "kustomize.toolkit", "monitoring.coreos.com", "nfd-api-crds", "gateway.networking", "keda.sh",
)  # fmt: skip
API_VERSIONS = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "Job": "batch/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
}
# A default class, and volumes of it: a claim is bound once its first pod has a node.
STORAGE_CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "local", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    "provisioner": "kubernetes.io/no-provisioner",
    "volumeBindingMode": "WaitForFirstConsumer",
}
NAME = "app.kubernetes.io/name"
VOLUMES = itertools.count()
NAMESPACES = ("argocd", "flux-system")


def volume(index: int) -> dict[str, Any]:
    """A PersistentVolume for any claim, of one node or of several."""
    spec = {
        "capacity": {"storage": "500Gi"},
        "accessModes": ["ReadWriteOnce", "ReadWriteMany"],
        "storageClassName": "local",
        "hostPath": {"path": f"/var/mnt/{index}"},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"volume-{index}"}, "spec": spec}


def furnish(lab: ControlPlane, crds: Path) -> None:
    """What a cluster has before this library's manifests come: CRDs, storage, and the namespaces of GitOps."""
    files = [path for path in sorted(crds.glob("*.yaml")) if path.name.startswith(CRD_GROUPS)]
    definitions = [crd for path in files for crd in yaml.safe_load_all(path.read_text(encoding="utf-8"))]
    lab.apply(definitions)
    for spec in (each["spec"] for each in definitions):
        stored = next(each["name"] for each in spec["versions"] if each["storage"])
        lab.eventually(partial(lab.list, f"{spec['group']}/{stored}", spec["names"]["kind"]), lambda _: True)
    lab.apply([STORAGE_CLASS, *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in NAMESPACES)])


class Site:
    """Machines that have joined a control plane, and objects that were applied to it."""

    def __init__(self, lab: ControlPlane, machines: Iterable[Machine]) -> None:
        self.lab = lab
        self.machines = list(machines)
        self.agents = Agents(lab, self.machines)
        self.objects: list[dict[str, Any]] = []
        self._volumes: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        self.agents.join()
        return self

    def __exit__(self, *_: object) -> None:
        """Delete everything, so that the next site finds the control plane as this one has found it."""
        self.clear()
        for each in reversed(self.objects):
            if each["kind"] != "Namespace":
                self._delete(each)
        for kind in ("ResourceSlice", "DeviceClass"):
            for each in self.lab.list("resource.k8s.io/v1", kind):
                self._delete({"apiVersion": "resource.k8s.io/v1", "kind": kind, **each})
        # A namespace with pods that are still to go takes some seconds.
        self.lab.eventually(lambda: self.lab.list("v1", "Pod"), lambda left: not left)
        namespaces = [each for each in self.objects if each["kind"] == "Namespace"]
        for each in [*namespaces, *self._volumes, *(machine.node() for machine in self.machines)]:
            self._delete(each)

    def _terminating(self) -> set[str]:
        return {each["metadata"]["name"] for each in self.lab.list("v1", "Namespace") if each["status"].get("phase") == "Terminating"}

    def _delete(self, manifest: Mapping[str, Any]) -> None:
        try:
            self.lab.delete(manifest)
        except ApiError as error:
            if error.code != 404:
                raise

    def apply(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Apply the objects in the given order, as GitOps does; a changed object takes the place of its former self."""
        applied = [dict(each) for each in objects]
        volumes = [volume(next(VOLUMES)) for each in applied if each["kind"] == "PersistentVolumeClaim"]
        self.lab.apply(volumes)
        self._volumes += volumes
        names = {each["metadata"]["name"] for each in applied if each["kind"] == "Namespace"}
        self.lab.eventually(self._terminating, lambda left: not names & left)  # a former site had the same names
        self.lab.apply(applied)
        named = {identity(each) for each in applied}
        self.objects = [each for each in self.objects if identity(each) not in named] + applied

    def prune(self, wanted: Iterable[Mapping[str, Any]]) -> None:
        """Delete what was applied and is not wanted any more, as Argo CD and Flux do. Namespaces stay."""
        names = {identity(each) for each in wanted}
        gone = [each for each in self.objects if each["kind"] != "Namespace" and identity(each) not in names]
        for each in gone:
            self._delete(each)
        self.objects = [each for each in self.objects if each not in gone]

    def restart(self) -> None:
        """Delete the pods of Deployments, as `kubectl rollout restart` does in the end, and wait until they are gone."""
        pods = [each for each in self.lab.list("v1", "Pod") if "ReplicaSet" in {owner["kind"] for owner in owners(each)}]
        for pod in pods:
            self._delete({"apiVersion": "v1", "kind": "Pod", **pod})
        old = {each["metadata"]["uid"] for each in pods}
        self.lab.eventually(lambda: old & {each["metadata"]["uid"] for each in self.lab.list("v1", "Pod")}, lambda left: not left)

    def replace_machines(self, machines: Iterable[Machine]) -> None:
        """The same machines with another image and another configuration."""
        self.machines = list(machines)
        self.agents.machines = {machine.name: machine for machine in self.machines}
        self.agents.join()

    def eventually(self, question: Callable[[], Any], expected: object) -> Any:
        """The answer to the question once the agents have done their part and it is as expected; after a minute the last answer."""

        def turn() -> Any:
            self.agents.publish()
            return question()

        return self.lab.eventually(turn, lambda answer: bool(answer == expected))

    def pods(self) -> dict[str, str]:
        """The state of each pod by namespace and name."""
        return states(self.lab.list("v1", "Pod"))

    def rollouts(self) -> dict[str, int]:
        """The pods of each workload that are ready and of its newest generation; nothing while an older pod is left or the controller has not looked."""
        return {f"{kind}/{each['metadata']['name']}": _ready(each) for kind, each in self._workloads()}

    def desired(self) -> dict[str, int]:
        """The pods that each workload should have: those of the manifests, and for a DaemonSet one for each machine of its class, or for each machine."""
        wanted = {}
        for each in self.objects:
            if each["kind"] in API_VERSIONS:
                number = each["spec"].get("replicas", 1)
                if each["kind"] == "DaemonSet":
                    of_class = each["spec"]["template"]["metadata"]["labels"].get("talos-gpu/class")
                    number = len(self.of_class(of_class) if of_class else self.machines)
                wanted[f"{each['kind']}/{each['metadata']['name']}"] = number
        return wanted

    def of_class(self, name: str) -> list[Machine]:
        """The machines with GPUs of a class; its name is that of their configuration, or `default`."""
        return [each for each in self.machines if each.cards and each.labels.get("nvidia.com/device-plugin.config", "default") == name]

    def _workloads(self) -> Iterable[tuple[str, dict[str, Any]]]:
        for kind, api_version in API_VERSIONS.items():
            names = {(each["metadata"]["namespace"], each["metadata"]["name"]) for each in self.objects if each["kind"] == kind}
            for each in self.lab.list(api_version, kind) if names else ():
                if (each["metadata"]["namespace"], each["metadata"]["name"]) in names:
                    yield kind, each

    def template(self, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The Deployment, StatefulSet, Job or CronJob of this name, or the Job whose name ends in a hash, and the template of its pods."""
        owners = {each["metadata"]["name"]: each for each in self.objects if each["kind"] in (*API_VERSIONS, "CronJob")}
        owner = owners.get(name) or next(each for each in owners.values() if template_of(each)["metadata"]["labels"].get(NAME) == name)
        return owner, copy.deepcopy(template_of(owner))

    def another_pod(self, workload: str, name: str) -> dict[str, Any]:
        """One more pod as those of a workload, without their volumes: a claim belongs to one pod. It is in no namespace with a quota."""
        owner, template = self.template(workload)
        limited = {each["metadata"]["namespace"] for each in self.objects if each["kind"] == "ResourceQuota"}
        namespace = owner["metadata"]["namespace"]
        spec = template["spec"]
        spec.pop("volumes", None)
        spec.pop("initContainers", None)  # they wait for what is on the volumes
        for container in spec["containers"]:
            container.pop("volumeMounts", None)
            requests = container["resources"].get("requests", {})
            for resource in container["resources"].get("limits", {}):
                requests.pop(resource, None)  # the limits are the requests
        labels = {"lab": "another"}
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default" if namespace in limited else namespace, "labels": labels},
            "spec": spec,
        }

    def filled(self, workload: str, resource: str, number: int) -> dict[str, str]:
        """The states of this many added pods as those of a workload, each with one GPU and no memory of its own, once the scheduler has judged each of them."""
        pods = [self.another_pod(workload, f"another-{workload}-{index:02}") for index in range(number)]
        for container in (each for pod in pods for each in pod["spec"]["containers"]):
            if resource in container["resources"].get("limits", {}):
                container["resources"] = {"limits": {resource: 1}}
        self.lab.apply(pods)
        names = {f"{pod['metadata']['namespace']}/{pod['metadata']['name']}" for pod in pods}

        def added() -> dict[str, str]:
            return {name: state for name, state in self.pods().items() if name in names}

        self.eventually(lambda: all(added().values()), expected=True)
        return added()

    def clear(self) -> None:
        """Delete every pod that a test has added."""
        for each in self.lab.list("v1", "Pod", "lab=another"):
            self.lab.delete({"apiVersion": "v1", "kind": "Pod", **each})
        self.lab.eventually(lambda: self.lab.list("v1", "Pod", "lab=another"), lambda answer: not answer)


def _ready(workload: Mapping[str, Any]) -> int:
    status, spec = workload.get("status", {}), workload["spec"]
    if "replicatedJobs" in spec:  # a JobSet
        return len([each for each in status.get("replicatedJobsStatus", ()) if each["succeeded"]])
    if "completions" in spec:  # a Job
        return int(status.get("succeeded", 0))
    if status.get("observedGeneration") != workload["metadata"].get("generation"):
        return -1
    if "desiredNumberScheduled" in status:
        same = {status.get(key, 0) for key in ("desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled", "numberReady")}
    else:
        same = {status.get(key, 0) for key in ("replicas", "updatedReplicas", "readyReplicas")}
    return int(same.pop()) if len(same) == 1 else -1


def template_of(workload: Mapping[str, Any]) -> dict[str, Any]:
    """The template of the pods of a workload."""
    spec = workload["spec"]
    if workload["kind"] == "JobSet":
        spec = spec["replicatedJobs"][0]["template"]["spec"]
    template: dict[str, Any] = (spec["jobTemplate"]["spec"] if workload["kind"] == "CronJob" else spec)["template"]
    return template


def owners(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The owners of an object."""
    references: list[dict[str, Any]] = manifest["metadata"].get("ownerReferences", [])
    return references


def identity(manifest: Mapping[str, Any]) -> tuple[str, str, str]:
    """Kind, namespace and name."""
    metadata = manifest["metadata"]
    return manifest["kind"], metadata.get("namespace", ""), metadata["name"]
