"""The commands of kubectl and talosctl whose outputs the doctor reads. All of them only read, and none asks for a Secret or the machine configuration."""

from __future__ import annotations

from dataclasses import dataclass

KUBERNETES = "kubernetes"
"""The folder of kubectl's outputs in a bundle."""

TALOS = "talos"
"""The folder of talosctl's outputs in a bundle, with a folder for each node."""

FAILED = ".failed"
"""The suffix of the file that has the words of a command that failed."""

NODE = "NODE"
"""The placeholder of a node's address."""

_KINDS = {
    "nodes": "Node",
    "pods": "Pod",
    "events": "Event",
    "daemonsets.apps": "DaemonSet",
    "deployments.apps": "Deployment",
    "statefulsets.apps": "StatefulSet",
    "replicasets.apps": "ReplicaSet",
    "jobs.batch": "Job",
    "cronjobs.batch": "CronJob",
    "namespaces": "Namespace",
    "resourcequotas": "ResourceQuota",
    "limitranges": "LimitRange",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "runtimeclasses.node.k8s.io": "RuntimeClass",
    "resourceslices.resource.k8s.io": "ResourceSlice",
    "resourceclaims.resource.k8s.io": "ResourceClaim",
    "resourceclaimtemplates.resource.k8s.io": "ResourceClaimTemplate",
    "deviceclasses.resource.k8s.io": "DeviceClass",
    "clusterpolicies.nvidia.com": "ClusterPolicy",
}
NODENAMES = "Nodenames.kubernetes.talos.dev"
"""The resource with the name that a machine has in Kubernetes."""

_RESOURCES = {
    NODENAMES: "nodename",
    "ExtensionStatuses.runtime.talos.dev": "extensions",
    "LoadedKernelModules.runtime.talos.dev": "loaded-modules",
    "KernelModuleStatuses.runtime.talos.dev": "module-statuses",
    "KernelModuleSpecs.runtime.talos.dev": "configured-modules",
    "KernelParamStatuses.runtime.talos.dev": "kernel-parameters",
    "SecurityStates.talos.dev": "security",
    "PCIDevices.hardware.talos.dev": "pci-devices",
    "HostnameStatuses.net.talos.dev": "hostname",
    "Members.cluster.talos.dev": "members",
}
_OTHERS = {
    "version.txt": ("version",),
    "services.txt": ("services",),
    "dmesg.log": ("dmesg",),
    "proc-modules.txt": ("read", "/proc/modules"),
    "driver-version.txt": ("read", "/proc/driver/nvidia/version"),
}
_SERVICES = ("cri", "kubelet", "ext-nvidia-persistenced", "ext-nvidia-cdi-gen", "ext-nvidia-fabricmanager")
_LONGEST_LOG = "5000"


@dataclass(frozen=True, kw_only=True, slots=True)
class BundleCommand:
    """A command, and the file of a bundle that has its output."""

    file: str
    argv: tuple[str, ...]
    lists: str = ""
    """The kind of Kubernetes or the resource of Talos of which the command lists everything."""
    may_fail: bool = False
    """Whether the command fails on a cluster in order: a pod has no log from before a restart, a machine no driver, or not the service."""


def kubernetes_commands() -> list[BundleCommand]:
    """The commands of kubectl."""
    return [
        BundleCommand(file=f"{KUBERNETES}/{name}.json", argv=("kubectl", "get", name, "--all-namespaces", "--output", "json"), lists=kind)
        for name, kind in _KINDS.items()
    ]


def log_commands(namespace: str, pod: str) -> list[BundleCommand]:
    """The commands for the logs of a pod's containers, now and before their last restart."""
    argv = ("kubectl", "logs", "--namespace", namespace, pod, "--all-containers", "--prefix", "--tail", _LONGEST_LOG)
    place = f"{KUBERNETES}/logs/{namespace}/{pod}"
    return [
        BundleCommand(file=f"{place}.log", argv=argv),
        BundleCommand(file=f"{place}.previous.log", argv=(*argv, "--previous"), may_fail=True),
    ]


def talos_commands(node: str = NODE) -> list[BundleCommand]:
    """The commands of talosctl for a node, by its name or address."""
    talosctl, folder = ("talosctl", "--nodes", node), f"{TALOS}/{node}"
    return [
        *(
            BundleCommand(file=f"{folder}/{name}.yaml", argv=(*talosctl, "get", resource, "--output", "yaml"), lists=resource)
            for resource, name in _RESOURCES.items()
        ),
        *(BundleCommand(file=f"{folder}/{file}", argv=(*talosctl, *words), may_fail="read" in words) for file, words in _OTHERS.items()),
        *(
            BundleCommand(
                file=f"{folder}/service-logs/{name}.log",
                argv=(*talosctl, "logs", name, "--tail", _LONGEST_LOG),
                may_fail=name.startswith("ext-"),
            )
            for name in _SERVICES
        ),
    ]
