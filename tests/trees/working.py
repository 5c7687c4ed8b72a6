"""Clusters that work, drawn from a seed: only values that this library writes, that are upstream's defaults, or that facts of Talos require."""

from __future__ import annotations

from random import Random

from .model import App, Cluster, Node, Object, Release
from .pods import FORMS, PROGRAMS, GpuNeeds, job

NVIDIA, NVDP = "https://helm.ngc.nvidia.com/nvidia", "https://nvidia.github.io/k8s-device-plugin"
DCGM, NFD = "https://nvidia.github.io/dcgm-exporter/helm-charts", "https://kubernetes-sigs.github.io/node-feature-discovery/charts"
DRA = "oci://registry.k8s.io/dra-driver-nvidia/charts"

RELEASES = {9: "v1.9.5", 10: "v1.10.9", 11: "v1.11.6", 12: "v1.12.6", 13: "v1.13.9", 14: "v1.14.1"}
KUBERNETES = {9: "v1.32.3", 10: "v1.33.4", 11: "v1.34.2", 12: "v1.35.0", 13: "v1.36.2", 14: "v1.37.0"}
FIRST_CDI = 13
"""The first minor of Talos on which the operator and the DRA driver run without a bridge."""
OF_NFD = {"feature.node.kubernetes.io/pci-10de.present": "true"}
TAINTS: list[Object] = [
    {"key": "nvidia.com/gpu", "value": "", "effect": "NoSchedule"},
    {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
    {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
]
STARTUP: list[Object] = [
    {"key": "node.cilium.io/agent-not-ready", "value": "", "effect": "NoExecute"},
    {"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"},
    {"key": "ebs.csi.aws.com/agent-not-ready", "value": "", "effect": "NoExecute"},
]
PRIVILEGED = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}


def toleration(random: Random, taint: Object) -> Object:
    """A toleration of a taint in one of its spellings."""
    if random.random() < 0.6:
        return {"key": taint["key"], "operator": "Exists", "effect": taint["effect"]}
    if random.random() < 0.4:
        return {"key": taint["key"], "operator": "Exists"}
    return {"key": taint["key"], "operator": "Equal", "value": taint["value"], "effect": taint["effect"]}


class Draw:
    """One working cluster of a seed."""

    def __init__(
        self,
        random: Random,
        name: str,
        *,
        minor: int | None = None,
        route: str | None = None,
        has_nodes: bool = True,
        shares: bool = True,
    ) -> None:
        self.random, self.has_nodes, self.shares = random, has_nodes, shares
        minor = minor or random.choice((9, 10, 11, 12, 13, 13, 13, 14, 14))
        routes = ("plugin", "plugin", "operator", "dra") if minor >= FIRST_CDI else ("plugin",)
        self.route = route or random.choice(routes)
        self.cluster = Cluster(name, RELEASES[minor], KUBERNETES[minor])
        self.taint = random.choice(TAINTS) if random.random() < 0.4 else None
        self.label = random.choice(({"nvidia.com/gpu.present": "true"}, {"example.org/gpu": "nvidia"}, {"node.kubernetes.io/gpu": "true"}))
        if not has_nodes:
            self.label = dict(OF_NFD)
        if self.route == "operator":
            self.label = {}

    def drawn(self) -> Cluster:
        self.cluster.nodes = self.nodes()
        self.pod_security()
        self.cluster.apps += getattr(self, f"by_{self.route}")()
        needs = self.needs()
        for name in self.random.sample(sorted(PROGRAMS), self.random.randint(1, 3)):
            namespace = self.random.choice(("ai", "media", name))
            self.cluster.apps.append(self.workload(name, namespace, needs))
        if self.route != "dra" and self.random.random() < 0.3:
            self.cluster.apps.append(App("gpu-smoke-test", "default", [job("gpu-smoke-test", "default", needs)]))
        self.namespaces()
        return self.cluster

    # The nodes

    def nodes(self) -> list[Node]:
        flavour = self.random.choice(("nvidia-open-gpu-kernel-modules", "nonfree-kmod-nvidia"))
        track = self.random.choice(("production", "lts"))
        extensions = [f"siderolabs/{flavour}-{track}", f"siderolabs/nvidia-container-toolkit-{track}"]
        modules = ["nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"]
        found = [Node(f"cp-{number}", f"10.0.0.{10 + number}", True) for number in range(1, self.random.choice((1, 3)) + 1)]
        found += [Node(f"worker-{number}", f"10.0.0.{20 + number}") for number in range(1, self.random.randint(0, 2) + 1)]
        for number in range(1, self.random.choice((1, 1, 2)) + 1):
            node = Node(f"gpu-{number}", f"10.0.0.{30 + number}", extensions=list(extensions), modules=list(modules))
            node.labels = {
                **({} if self.label == OF_NFD else self.label),
                **({"example.org/zone": "rack-1"} if self.random.random() < 0.3 else {}),
            }
            node.taints = [dict(self.taint)] if self.taint else []
            if self.cluster.minor <= 11:
                node.sysctls = {"net.core.bpf_jit_harden": "1"}
            found.append(node)
        for node in found:
            if self.random.random() < 0.3:
                node.extensions += ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"]
            if self.random.random() < 0.15:
                node.taints.append(dict(self.random.choice(STARTUP)))
        return found

    def pod_security(self) -> None:
        self.cluster.pod_security = self.random.choice(("labels", "labels", "off", "exempt", "privileged")) if self.has_nodes else "labels"

    def namespaces(self) -> None:
        """The Namespace of each app; those of agents are privileged unless Pod Security is off or exempts them."""
        agents = {
            app.namespace for app in self.cluster.apps if any(each.repository in (NVIDIA, NVDP, DCGM, NFD, DRA) for each in app.releases)
        }
        self.cluster.exempt = sorted(agents)
        for name in sorted({app.namespace for app in self.cluster.apps} - {"kube-system", "default"}):
            labels = PRIVILEGED if name in agents and self.cluster.pod_security == "labels" else {}
            if self.random.random() < 0.2:
                labels = {**labels, "example.org/team": "home"}
            body: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            body["metadata"] |= {"labels": dict(labels)} if labels else {}
            next(app for app in self.cluster.apps if app.namespace == name).objects.insert(0, body)

    # The GPU stack

    def tolerations(self) -> list[Object]:
        return [toleration(self.random, self.taint)] if self.taint else []

    def needs(self) -> GpuNeeds:
        is_named = self.route == "plugin" or self.random.random() < 0.6
        selector = dict(self.label) if self.random.random() < 0.4 else {}
        return GpuNeeds("nvidia" if is_named and self.route != "dra" else None, self.tolerations(), selector, "all")

    def workload(self, name: str, namespace: str, needs: GpuNeeds) -> App:
        if self.route == "dra":
            from .claims import claimed

            return claimed(self.random, name, namespace, needs, self.cluster.minor)
        return self.random.choice(FORMS)(self.random, name, namespace, needs)

    def runtime_class(self) -> Object:
        body: Object = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
        return body

    def by_plugin(self) -> list[App]:
        random = self.random
        namespace = random.choice(("kube-system", "nvidia-device-plugin", "gpu"))
        values: Object = {"runtimeClassName": "nvidia"}
        if random.random() < 0.5:
            values["gfd"] = {"enabled": random.choice((True, False))}
        if random.random() < 0.5:
            values["affinity"] = None
        wanted = {"nodeSelector": dict(self.label)}
        if self.label != {"nvidia.com/gpu.present": "true"} or "affinity" in values:
            key, value = next(iter(self.label.items()))
            expression = {"key": key, "operator": "In", "values": [value]}
            terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
            by_affinity = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}
            values.pop("affinity", None)
            values |= by_affinity if random.random() < 0.5 else {**wanted, "affinity": None}
        if self.taint:
            values["tolerations"] = self.tolerations()
            if values.get("gfd", {}).get("enabled"):
                values["nfd"] = {"worker": {"tolerations": self.tolerations()}}
        sharing = {"timeSlicing": {"resources": [{"name": "nvidia.com/gpu", "replicas": random.randint(2, 8)}]}}
        config: Object = {"version": "v1", **random.choice(({"sharing": sharing}, {"flags": {"migStrategy": "none"}, "sharing": sharing}))}
        objects = [self.runtime_class()]
        form = random.choice(("none", "map", "name") if self.shares else ("none",))
        if form == "map":
            values["config"] = {"map": {"default": Text(config)}}
        elif form == "name":
            values["config"] = {"name": "device-plugin-config", "default": "default"}
            meta = {"name": "device-plugin-config", "namespace": namespace}
            objects.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"default": Text(config)}})
        versions = ("0.17.4", "0.18.2") if self.cluster.minor < 13 else ("0.18.2", "0.20.0", "0.19.3")
        name = random.choice(("nvidia-device-plugin", "nvdp"))
        apps = [
            App(
                "nvidia-device-plugin",
                namespace,
                objects,
                [Release("nvidia-device-plugin", NVDP, random.choice(versions), name, namespace, values)],
            )
        ]
        if random.random() < 0.3:
            apps.append(self.exporter(namespace))
        if random.random() < 0.3 or self.label == OF_NFD:
            apps.append(self.discovery())
        return apps

    def exporter(self, namespace: str) -> App:
        values: Object = {"runtimeClassName": "nvidia", "nodeSelector": dict(self.label)}
        values["resources"] = {"requests": {"memory": "512Mi"}, "limits": {"memory": "1Gi"}}
        values["serviceMonitor"] = {"enabled": self.random.choice((True, False))}
        if self.taint:
            values["tolerations"] = self.tolerations()
        return App("dcgm-exporter", namespace, [], [Release("dcgm-exporter", DCGM, "4.8.2", "dcgm-exporter", namespace, values)])

    def discovery(self) -> App:
        pci = {"deviceClassWhitelist": ["02", "0200", "0207", "0300", "0302"], "deviceLabelFields": ["vendor"]}
        worker: Object = {"config": {"sources": {"pci": pci}}, **({"tolerations": self.tolerations()} if self.taint else {})}
        values: Object = {"worker": worker}
        namespace = "node-feature-discovery"
        return App(namespace, namespace, [], [Release(namespace, NFD, "0.18.3", namespace, namespace, values)])

    def by_operator(self) -> list[App]:
        random = self.random
        namespace = random.choice(("gpu-operator", "nvidia-gpu-operator"))
        values: Object = {"driver": {"enabled": False}, "toolkit": {"enabled": False}, "hostPaths": {"driverInstallDir": "/usr/local"}}
        if random.random() < 0.7:
            values["migManager"] = {"enabled": False}
        if self.taint:
            values["daemonsets"] = {"tolerations": self.tolerations()}
            values["node-feature-discovery"] = {"worker": {"tolerations": self.tolerations()}}
        for part, odd in self.random.sample(OFF_PARTS, random.randint(0, 3)):
            values[part] = {**odd, **values.get(part, {}), "enabled": False}
        objects: list[Object] = []
        if random.random() < 0.4 and self.shares:
            sharing = {"timeSlicing": {"resources": [{"name": "nvidia.com/gpu", "replicas": random.randint(2, 6)}]}}
            meta = {"name": "time-slicing", "namespace": namespace}
            objects.append(
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"any": Text({"version": "v1", "sharing": sharing})}}
            )
            values["devicePlugin"] = {"config": {"name": "time-slicing", "default": "any"}}
        version = "v26.7.0" if self.cluster.minor >= 14 else random.choice(("v26.7.0", "v26.3.3"))
        return [App("gpu-operator", namespace, objects, [Release("gpu-operator", NVIDIA, version, "gpu-operator", namespace, values)])]

    def by_dra(self) -> list[App]:
        namespace = "nvidia-dra-driver"
        values: Object = {
            "gpuResourcesEnabledOverride": True,
            "nvidiaDriverRoot": "/usr/local",
            "resources": {"computeDomains": {"enabled": False}},
        }
        values["kubeletPlugin"] = {"affinity": None, "nodeSelector": dict(self.label)}
        if self.taint:
            values["kubeletPlugin"]["tolerations"] = self.tolerations()
        release = Release("dra-driver-nvidia-gpu", DRA, "0.4.1", "dra-driver-nvidia-gpu", namespace, values)
        apps = [App("dra-driver-nvidia-gpu", namespace, [], [release])]
        return [*apps, self.discovery()] if self.label == OF_NFD else apps


OFF_PARTS: list[tuple[str, Object]] = [
    ("migManager", {"config": {"default": "all-1g.5gb", "name": "nowhere"}, "env": [{"name": "WITH_REBOOT", "value": "true"}]}),
    ("driver", {"version": "470.57.02", "rdma": {"enabled": True}, "repository": "nvcr.io/nvidia"}),
    ("toolkit", {"installDir": "/usr/local/nvidia", "env": [{"name": "CONTAINERD_CONFIG", "value": "/etc/containerd/config.toml"}]}),
    ("dcgmExporter", {"version": "1.0.0", "resources": {"limits": {"memory": "64Mi", "nvidia.com/gpu": 1}}}),
    ("vgpuManager", {"image": "vgpu-manager", "version": "none"}),
    ("kataManager", {"config": {"artifactsDir": "/opt/nvidia-gpu-operator/artifacts/runtimeclasses"}}),
    ("gds", {"image": "nvidia-fs", "version": "2.20.5"}),
    ("gdrcopy", {"version": "v2.5.1"}),
    ("vfioManager", {"driverManager": {"env": [{"name": "ENABLE_GPU_POD_EVICTION", "value": "false"}]}}),
    ("ccManager", {"defaultMode": "on"}),
    ("sandboxWorkloads", {"defaultWorkload": "vm-vgpu"}),
]
"""Parts that are off, with settings that the chart then does not read."""


class Text(dict):  # type: ignore[type-arg]
    """A mapping that stands in its document as a text of YAML."""
