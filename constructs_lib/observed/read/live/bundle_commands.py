"""The bundle: the commands of kubectl and talosctl whose outputs are read, and the content of a file by its path.

All commands only read, and none asks for a Secret or the machine configuration. Paths are those of `--collect`, of
`talosctl support`, and of a folder that somebody wrote. The layout of the support bundle: siderolabs/go-talos-support
support/collectors at 0f784bd (2026-11-22).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ....arguments.patterns import pattern

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
    "devicetaintrules.resource.k8s.io": "DeviceTaintRule",
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
    """Whether the command fails on a cluster in order: a pod has no log from before a restart, a machine no driver, or
    not the service.
    """

    @property
    def role(self) -> str:
        """The least permission for the command, in words.

        Source: siderolabs/talos internal/app/machined/pkg/system/services/machined.go (2026-11-28)
        """
        if self.argv[0] == "talosctl":
            return talos_role(self.argv[-1])
        verb = "get on pods/log" if self.argv[1] == "logs" else "get on pods/proxy" if "--raw" in self.argv else f"list on {self.argv[2]}"
        return f"the verb {verb}, without which the report goes on"


def talos_role(subject: str) -> str:
    """The least role for a command of talosctl about a file or about anything else, in words."""
    return "the role os:admin, without which the report goes on" if subject.startswith("/") else "the role os:reader"


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


EXPORTER_PORT = 9400
"""The port of dcgm-exporter, where its pod names none (NVIDIA/dcgm-exporter pkg/cmd/app.go)."""


def metrics_command(node: str, namespace: str, pod: str, port: int | str) -> BundleCommand:
    """The command for the metrics of an exporter's pod on a node, through the proxy of the API server."""
    url = f"/api/v1/namespaces/{namespace}/pods/{pod}:{port}/proxy/metrics"
    return BundleCommand(file=f"{KUBERNETES}/metrics/{node}/{pod}.prom", argv=("kubectl", "get", "--raw", url))


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


_TALOS = pattern(r"(?:^|/)talos/(?P<node>[^/]+)/(?P<file>[^/]+|service-logs/[^/]+)$")
_LOGS = pattern(r"(?:^|/)logs/(?P<namespace>[^/]+)/(?P<pod>[^/]+?)(?:\.previous)?\.log$")
_PREVIOUS = ".previous.log"
_KUBERNETES = pattern(r"(?:^|/)kubernetes/(?P<file>[^/]+)$")
_METRICS = pattern(r"(?:^|/)kubernetes/metrics/(?P<node>[^/]+)/[^/]+\.prom$")
_SUPPORT = pattern(
    r"(?:^|/)(?P<node>[^/]+)/(?:dmesg\.log|controller-runtime\.log|dns-resolve-cache\.log|summary|devices|mounts|io|processes|dependencies\.dot"
    r"|resources/[^/]+\.yaml|service-logs/(?P<service>[^/]+)\.(?:log|state)|kubernetes-logs/(?P<namespace>[^/]+)/(?P<container>[^/]+?)(?:-exited)?\.log)$"
)
_SERVICE = pattern(
    r"(?:^|[/_.-])(?P<service>ext-nvidia-[a-z-]+[a-z]|kubelet|cri|containerd|machined|apid|trustd|etcd|udevd|auditd|syslogd|controller-runtime)(?:\.|$)"
)
_UNUSED = ("devices", "mounts", "io", "processes", "dependencies.dot", "README.md")
"""Files of a support bundle that say nothing that the doctor needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The words of a path about its content. Fields are empty where the path says nothing."""

    node: str = ""
    service: str = ""
    namespace: str = ""
    pod: str = ""
    container: str = ""
    is_previous: bool = False
    """Whether the file is the log of containers before their last restart."""
    is_unused: bool = False
    command: BundleCommand | None = None
    """The command of a bundle whose output the file is."""
    is_failed: bool = False
    """Whether the file has the words with which the command failed."""


def place_of(path: str) -> Place:
    """The words of a path about its content."""
    name = path.rpartition("/")[2]
    is_failed = path.endswith(FAILED)
    path = path.removesuffix(FAILED)
    is_previous = path.endswith(_PREVIOUS)
    if found := _METRICS.search(path):
        return Place(node="" if is_failed else found["node"], is_failed=is_failed)
    if found := _TALOS.search(path):
        command = _talos_commands().get(found["file"])
        service = found["file"].removeprefix("service-logs/").removesuffix(".log") if "service-logs/" in found["file"] else ""
        return Place(
            node=found["node"], service=service, command=command, is_failed=is_failed
        )  # fmt: skip
    if found := _KUBERNETES.search(path):
        return Place(command=_kubernetes_commands().get(found["file"]), is_failed=is_failed)
    if found := _LOGS.search(path):
        return Place(namespace=found["namespace"], pod=found["pod"], is_previous=is_previous, is_failed=is_failed)
    if found := _SUPPORT.search(path):
        return Place(
            node=found["node"], service=found["service"] or "", namespace=found["namespace"] or "", container=found["container"] or "",
            is_unused=name in _UNUSED,
        )  # fmt: skip
    service = _SERVICE.search(path)
    return Place(service=service["service"] if service else "", is_previous=is_previous, is_failed=is_failed)


@cache
def _talos_commands() -> dict[str, BundleCommand]:
    return {each.file.split("/", 2)[2]: each for each in talos_commands()}


@cache
def _kubernetes_commands() -> dict[str, BundleCommand]:
    return {each.file.split("/", 1)[1]: each for each in kubernetes_commands()}
