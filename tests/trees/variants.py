"""Clusters that work in another way than most: what a pod or a node needs comes from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

from .beside import one
from .model import App, Cluster, Node, Object, Release
from .working import NVDP

KUBE_SYSTEM = "kube-system"


def pods(cluster: Cluster) -> Iterator[Object]:
    """The pods of plain workloads."""
    for app in cluster.apps:
        app.objects = deepcopy(app.objects)
        yield from (each["spec"]["template"]["spec"] for each in app.objects if each["kind"] in ("Deployment", "StatefulSet", "Job"))


def classless(cluster: Cluster) -> bool:
    """Take the RuntimeClass away from the plain workloads."""
    found = [pod for pod in pods(cluster) if "runtimeClassName" in pod]
    for pod in found:
        del pod["runtimeClassName"]
    return bool(found)


def class_by_policy(random: Random, cluster: Cluster) -> bool:
    """Kyverno, or a MutatingAdmissionPolicy, gives GPU pods their RuntimeClass."""
    if not classless(cluster):
        return False
    match = {"any": [{"resources": {"kinds": ["Pod"]}}]}
    rule = {"name": "class", "match": match, "mutate": {"patchStrategicMerge": {"spec": {"+(runtimeClassName)": "nvidia"}}}}
    expression = "Object{spec: Object.spec{runtimeClassName: 'nvidia'}}"
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}]
    mutation = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}
    own = {"matchConstraints": {"resourceRules": rules}, "mutations": [mutation], "reinvocationPolicy": "Never"}
    policies = (
        one("kyverno.io/v1", random.choice(("ClusterPolicy", "Policy")), "gpu-pods", spec={"rules": [rule]}),
        one("admissionregistration.k8s.io/v1beta1", "MutatingAdmissionPolicy", "gpu-pods", spec=own),
    )
    cluster.apps.append(App("policy", KUBE_SYSTEM, [random.choice(policies[: 1 if cluster.minor < 11 else 2])]))
    return True


def tolerations_by_policy(random: Random, cluster: Cluster) -> bool:
    """Kyverno gives GPU pods their tolerations."""
    found = [pod for pod in pods(cluster) if "tolerations" in pod]
    if not found:
        return False
    tolerations = found[0]["tolerations"]
    for pod in found:
        del pod["tolerations"]
    rule = {"name": "tolerate", "match": {"any": [{"resources": {"kinds": ["Pod"]}}]}}
    patch = {"patchesJson6902": "".join(f"- op: add\n  path: /spec/tolerations/-\n  value: {each}\n" for each in tolerations)}
    mutate = random.choice((patch, {"patchStrategicMerge": {"spec": {"tolerations": tolerations}}}))
    cluster.apps.append(
        App("policy", KUBE_SYSTEM, [one("kyverno.io/v1", "ClusterPolicy", "tolerate", spec={"rules": [{**rule, "mutate": mutate}]})])
    )
    return True


def default_runtime(random: Random, cluster: Cluster) -> bool:
    """The nodes with GPUs run every pod by NVIDIA's runtime."""
    if not classless(cluster):
        return False
    text = '[plugins."io.containerd.cri.v1.runtime".containerd]\n  default_runtime_name = "nvidia"\n'
    for node in cluster.gpu_nodes:
        node.machine["files"] = [{"path": "/etc/cri/conf.d/20-customization.part", "op": "create", "content": text}]
    return True


def own_startup_taint(random: Random, cluster: Cluster) -> bool:
    """Cilium removes a taint with a name of the user's, once its agent runs."""
    key = random.choice(("example.org/network-not-ready", "ignore-taint.cluster-autoscaler.kubernetes.io/cilium", "node.example.org/cni"))
    values: Object = {"kubeProxyReplacement": True, "agentNotReadyTaintKey": key, "operator": {"replicas": 1}}
    cluster.apps = [each for each in cluster.apps if each.name != "cilium"]
    cluster.apps.append(
        App("cilium", KUBE_SYSTEM, [], [Release("cilium", "https://helm.cilium.io", "1.18.4", "cilium", KUBE_SYSTEM, values)])
    )
    for node in cluster.nodes:
        node.taints.append({"key": key, "value": "true", "effect": random.choice(("NoSchedule", "NoExecute"))})
    return True


def labelled_by_job(random: Random, cluster: Cluster) -> bool:
    """A Job sets the labels of the nodes."""
    labels = {key: value for node in cluster.gpu_nodes for key, value in node.labels.items()}
    if not labels:
        return False
    for node in cluster.nodes:
        node.labels = {}
    commands = [f"kubectl label node {node.name} --overwrite {key}={value}" for node in cluster.gpu_nodes for key, value in labels.items()]
    container: Object = {"name": "label", "image": "registry.k8s.io/kubectl:v1.35.0"}
    container |= random.choice(
        ({"command": ["sh", "-c", " && ".join(commands)]}, {"command": ["sh", "-ec"], "args": ["\n".join(commands) + "\n"]})
    )
    spec = {"template": {"spec": {"restartPolicy": "OnFailure", "serviceAccountName": "labeller", "containers": [container]}}}
    cluster.apps.append(App("labeller", KUBE_SYSTEM, [one("batch/v1", "Job", "label-nodes", KUBE_SYSTEM, spec=spec)]))
    return True


def plugin_as_objects(random: Random, cluster: Cluster) -> bool:
    """The device plugin as a DaemonSet, as its repository has one."""
    for app in cluster.apps:
        for release in [each for each in app.releases if each.chart == "nvidia-device-plugin"]:
            values = release.values
            if {"config", "gfd", "affinity"} & {key for key, value in values.items() if value}:
                continue
            app.releases.remove(release)
            container = {
                "name": "ctr",
                "image": "nvcr.io/nvidia/k8s-device-plugin:v0.18.2",
                "volumeMounts": [{"name": "plugins", "mountPath": "/var/lib/kubelet/device-plugins"}],
            }
            pod: Object = {"runtimeClassName": "nvidia", "priorityClassName": "system-node-critical", "containers": [container]}
            pod["volumes"] = [{"name": "plugins", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
            pod |= {key: values[key] for key in ("nodeSelector", "tolerations") if values.get(key)}
            template = {"metadata": {"labels": {"name": "nvdp"}}, "spec": pod}
            spec = {"selector": {"matchLabels": {"name": "nvdp"}}, "template": template}
            app.objects.append(one("apps/v1", "DaemonSet", "nvidia-device-plugin-daemonset", app.namespace, spec=spec))
            return True
    return False


def renamed_sharing(random: Random, cluster: Cluster) -> bool:
    """Time-slicing gives the shared GPUs another name, which the pods request."""
    plugins = [each for app in cluster.apps for each in app.releases if each.repository == NVDP and "map" in each.values.get("config", {})]
    if not plugins:
        return False
    for config in plugins[0].values["config"]["map"].values():
        config["sharing"]["timeSlicing"]["renameByDefault"] = True
    for app in cluster.apps:
        app.objects, app.releases = deepcopy(app.objects), deepcopy(app.releases)
        for part in (*app.objects, *(each.values for each in app.releases if each.repository != NVDP)):
            _rename(part, "nvidia.com/gpu", "nvidia.com/gpu.shared")
    return True


def _rename(value: Any, old: str, new: str) -> None:
    """Rename the resource in limits and requests."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("limits", "requests") and isinstance(each, dict) and old in each:
                each[new] = each.pop(old)
            _rename(each, old, new)
    elif isinstance(value, list):
        for each in value:
            _rename(each, old, new)


def partitions(random: Random, cluster: Cluster) -> bool:
    """Somebody has made MIG partitions; each kind has a resource of its own."""
    plugins = [
        each for app in cluster.apps for each in app.releases if each.chart == "nvidia-device-plugin" and "config" not in each.values
    ]
    if not plugins:
        return False
    plugins[0].values = {**plugins[0].values, "migStrategy": "mixed", "securityContext": {"privileged": True}}
    profile = random.choice(("1g.10gb", "2g.20gb", "3g.40gb"))
    for app in cluster.apps:
        app.objects, app.releases = deepcopy(app.objects), deepcopy(app.releases)
        for part in (*app.objects, *(each.values for each in app.releases)):
            _rename(part, "nvidia.com/gpu", f"nvidia.com/mig-{profile}")
    return True


def node_of_virtual_machines(random: Random, cluster: Cluster) -> bool:
    """A node gives its cards to virtual machines."""
    node = Node("vm-1", "10.0.0.41", modules=["vfio_pci", "vfio_iommu_type1"], kernel_args=["intel_iommu=on", "vfio-pci.ids=10de:2236"])
    node.extensions = ["siderolabs/iscsi-tools"]
    node.taints = [{"key": "vms", "value": "true", "effect": "NoSchedule"}] if random.random() < 0.5 else []
    cluster.nodes.append(node)
    return True


def namespaces_by_others(random: Random, cluster: Cluster) -> bool:
    """Something else makes the namespaces, and Pod Security refuses nothing in them."""
    if cluster.pod_security == "labels":
        return False
    for app in cluster.apps:
        app.objects = [each for each in app.objects if each["kind"] != "Namespace"]
    return True


VARIANTS: tuple[Callable[[Random, Cluster], bool], ...] = (
    class_by_policy, tolerations_by_policy, default_runtime, own_startup_taint, labelled_by_job, plugin_as_objects, renamed_sharing,
    partitions, node_of_virtual_machines, namespaces_by_others,
)  # fmt: skip


def vary(random: Random, cluster: Cluster, *, sets_files: bool) -> list[str]:
    """Let a cluster work in another way, or in none; the name of the way."""
    fitting = [each for each in VARIANTS if sets_files or each is not default_runtime]
    ways = random.sample(fitting, len(fitting)) if random.random() < 0.6 else []
    return [name for name in [next((way.__name__ for way in ways if way(random, cluster)), "")] if name]
