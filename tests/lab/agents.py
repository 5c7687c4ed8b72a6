"""The agents of the laboratory: what node feature discovery, the GPU operator and NVIDIA's agents publish, by their own configuration in the cluster.

Nothing here reads a `GpuNodes`. The agents see what upstream's code sees: the pods that run on the node, their variables and their ConfigMaps, the values
of the chart releases, the labels of the node, and the cards of the machine. `Agents.publish` is one turn; a test repeats the turn until the cluster is as
expected. Whether an operand of the operator runs follows from its values: the laboratory makes none of its DaemonSets.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from control_plane import ControlPlane
from dra_slices import publish_slices
from machines import Machine
from plugin_devices import StartError, advertised, partitioned
from selection import tolerated

from api_server import ApiError

PRESENT = "nvidia.com/gpu.present"
CONFIG = "nvidia.com/device-plugin.config"
VALIDATOR = "nvidia.com/gpu.deploy.operator-validator"
# The operator makes the RuntimeClass itself (NVIDIA/gpu-operator assets/pre-requisites).
RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
DEVICE_PREFIX = "nvidia.com/"
WORKER_CONFIG = "/etc/kubernetes/node-feature-discovery/nfd-worker.conf"
# NVIDIA/gpu-operator controllers/state_manager.go, gpuNodeLabels
OPERATORS_SIGNS = {f"feature.node.kubernetes.io/pci-{device}.present" for device in ("10de", "0302_10de", "0300_10de")}
# The defaults of NFD, and those that the operator's chart gives it (deployment/helm/node-feature-discovery, deployments/gpu-operator/values.yaml).
NFD_PCI = {"deviceClassWhitelist": ["03", "0b40", "12"], "deviceLabelFields": ["class", "vendor"]}
OPERATORS_PCI = {"deviceClassWhitelist": ["02", "0200", "0207", "0300", "0302"], "deviceLabelFields": ["vendor"]}
# What every pod of a DaemonSet tolerates, so a drain leaves the worker (kubernetes pkg/controller/daemon/util, AddOrUpdateDaemonPodTolerations).
OF_DAEMON_SETS = [
    *({"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute"} for key in ("not-ready", "unreachable")),
    *(
        {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoSchedule"}
        for key in ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
    ),
]
OPERATORS_NFD_TOLERATIONS = [{"key": each, "operator": "Exists"} for each in ("node-role.kubernetes.io/control-plane", "nvidia.com/gpu")]
NRI = 15  # from this minor of Talos on the container runtime injects the GPUs into a pod without a RuntimeClass


@dataclasses.dataclass(frozen=True)
class Release:
    """A chart that Argo CD or Flux installs."""

    chart: str
    namespace: str
    values: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Cluster:
    """What the agents of one turn read."""

    releases: list[Release]
    rules: list[dict[str, Any]]
    config_maps: dict[tuple[str, str], dict[str, str]]
    pods: list[dict[str, Any]]

    @classmethod
    def read(cls, lab: ControlPlane) -> Cluster:
        urls = {each["metadata"]["name"]: each["spec"]["url"] for each in _listed(lab, "source.toolkit.fluxcd.io/v1", "OCIRepository")}
        flux = [
            Release(_chart(spec, urls), spec.get("targetNamespace", namespace), spec.get("values", {}))
            for namespace, spec in (
                (each["metadata"]["namespace"], each["spec"]) for each in _listed(lab, "helm.toolkit.fluxcd.io/v2", "HelmRelease")
            )
        ]
        argo = [
            Release(spec["source"]["chart"], spec["destination"]["namespace"], spec["source"]["helm"].get("valuesObject", {}))
            for spec in (each["spec"] for each in _listed(lab, "argoproj.io/v1alpha1", "Application"))
        ]
        rules = [rule for each in _listed(lab, "nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule") for rule in each["spec"]["rules"]]
        maps = {(each["metadata"]["namespace"], each["metadata"]["name"]): each.get("data", {}) for each in lab.list("v1", "ConfigMap")}
        pods = [each for each in lab.list("v1", "Pod") if each["status"].get("phase") == "Running"]
        cluster = cls(flux + argo, rules, maps, [each for each in pods if "deletionTimestamp" not in each["metadata"]])
        policies = [each["spec"] for each in _listed(lab, "nvidia.com/v1", "ClusterPolicy")]
        for operator, _ in cluster.running("gpu-operator"):
            # Helm has rendered the chart elsewhere. The worker of NFD, if there is one, is a pod of its own.
            rendered = ({**spec, "nfd": {"enabled": False}} for spec in policies)
            cluster.releases.extend(Release("gpu-operator", operator["metadata"]["namespace"], values) for values in rendered)
        return cluster

    def release(self, chart: str) -> Release | None:
        return next((each for each in self.releases if each.chart == chart), None)

    def running(self, command: str, node: str | None = None) -> Iterable[tuple[dict[str, Any], dict[str, Any]]]:
        """The pods with a container of this command, on one node or on all, and this container."""
        for pod in self.pods:
            for container in pod["spec"]["containers"]:
                if node in (None, pod["spec"].get("nodeName")) and container.get("command", [""])[0] == command:
                    yield pod, container

    def file(self, pod: Mapping[str, Any], container: Mapping[str, Any], path: str) -> str:
        """The text of a file that a ConfigMap brings into a container."""
        folder, _, name = path.rpartition("/")
        mount = next(each for each in container["volumeMounts"] if each["mountPath"] == folder)
        volume = next(each for each in pod["spec"]["volumes"] if each["name"] == mount["name"])
        return self.config_maps[pod["metadata"]["namespace"], volume["configMap"]["name"]][name]


class Agents:
    """The agents of these machines; `unplugged` machines have rebooted, and no plugin has started there yet."""

    def __init__(self, lab: ControlPlane, machines: Iterable[Machine]) -> None:
        self._lab = lab
        self.machines = {machine.name: machine for machine in machines}
        self.unplugged: set[str] = set()

    def join(self) -> None:
        """Register every machine."""
        for machine in self.machines.values():
            self._lab.apply([machine.node()])
            self._lab.patch_status(machine.status())

    def publish(self) -> None:
        """One turn of every agent on every node."""
        cluster = Cluster.read(self._lab)
        if cluster.release("gpu-operator"):
            self._lab.apply([RUNTIME_CLASS])
        for node in self._lab.list("v1", "Node"):
            machine = self.machines.get(node["metadata"]["name"])
            if machine is not None:
                self._turn(cluster, machine, node)
        publish_slices(self._lab, cluster.release("dra-driver-nvidia-gpu"), self.machines.values())

    def _turn(self, cluster: Cluster, machine: Machine, node: dict[str, Any]) -> None:
        labels, taints = node["metadata"]["labels"], node["spec"].get("taints", [])
        # What the agents set before is theirs again, or goes.
        ours = {key for entry in node["metadata"]["managedFields"] if entry["manager"] == "agents" for key in _labels_of(entry)}
        labels = {key: value for key, value in labels.items() if key not in ours}
        found = discovered(cluster, machine, taints)
        found |= operators_labels(cluster, {**labels, **found})
        devices = {} if machine.name in self.unplugged else plugged(cluster, machine, {**labels, **found}, taints)
        found |= features(cluster, machine, {**labels, **found})
        if {key: node["metadata"]["labels"].get(key) for key in found} != found or ours - found.keys():
            self._label(machine, found)
        before = {key: "0" for key in node["status"].get("allocatable", {}) if key.startswith(DEVICE_PREFIX)}
        after = {**before, **{key: str(number) for key, number in devices.items()}}
        if any(node["status"].get("allocatable", {}).get(key) != number for key, number in after.items()):
            self._lab.patch_status(machine.status(**after))

    def _label(self, machine: Machine, labels: Mapping[str, str]) -> None:
        self._lab.patch({"apiVersion": "v1", "kind": "Node", "metadata": {"name": machine.name, "labels": dict(labels)}}, manager="agents")


def discovered(cluster: Cluster, machine: Machine, taints: list[dict[str, str]]) -> dict[str, str]:
    """The labels of node feature discovery, where its worker runs on the node: the PCI devices by its own config, and the rules of the cluster."""
    nfd, operator = cluster.release("node-feature-discovery"), cluster.release("gpu-operator")
    rendered = next(iter(cluster.running("nfd-worker", machine.name)), None)
    if rendered:
        config = yaml.safe_load(cluster.file(*rendered, WORKER_CONFIG))
        worker, pci, tolerations = {"config": config}, NFD_PCI, [{"operator": "Exists"}]  # the scheduler has judged the taints
    elif nfd:
        worker, pci, tolerations = nfd.values.get("worker", {}), NFD_PCI, []
    elif operator and operator.values.get("nfd", {}).get("enabled", True):
        worker = operator.values.get("node-feature-discovery", {}).get("worker", {})
        pci, tolerations = OPERATORS_PCI, OPERATORS_NFD_TOLERATIONS
    else:
        return {}
    if not tolerated(taints, [*worker.get("tolerations", tolerations), *OF_DAEMON_SETS]):
        return {}
    pci = {**pci, **worker.get("config", {}).get("sources", {}).get("pci", {})}
    devices = [{"vendor": "10de", "class": card.pci_class} for card in machine.cards]
    labels = {
        f"feature.node.kubernetes.io/pci-{'_'.join(device[field] for field in pci['deviceLabelFields'])}.present": "true"
        for device in devices
        if device["class"].startswith(tuple(pci["deviceClassWhitelist"]))
    }
    modules = [{"name": "nvidia"}] if machine.loads_driver else []
    for rule in cluster.rules:
        if all(_feature(matcher, devices, modules) for matcher in rule["matchFeatures"]):
            labels |= rule["labels"]
    return labels


def _feature(matcher: Mapping[str, Any], devices: list[dict[str, str]], modules: list[dict[str, str]]) -> bool:
    expressions = matcher["matchExpressions"]
    if matcher["feature"] == "pci.device":
        return any(all(device[field] in wanted["value"] for field, wanted in expressions.items()) for device in devices)
    assert matcher["feature"] == "kernel.loadedmodule", f"the laboratory plays no {matcher['feature']}"
    return all(any(module["name"] == name for module in modules) for name in expressions)


def operators_labels(cluster: Cluster, labels: Mapping[str, str]) -> dict[str, str]:
    """The labels of the GPU operator on a node on which NFD has found a card. A label that somebody set stays as it is."""
    operator = cluster.release("gpu-operator")
    if operator is None or not OPERATORS_SIGNS & labels.keys():
        return {}
    operands = ("device-plugin", "gpu-feature-discovery", "dcgm-exporter", "operator-validator", "container-toolkit", "driver")
    deployed = {f"nvidia.com/gpu.deploy.{operand}": "true" for operand in operands}
    return {key: value for key, value in {PRESENT: "true", **deployed}.items() if key not in labels}


def plugged(cluster: Cluster, machine: Machine, labels: Mapping[str, str], taints: list[dict[str, str]]) -> dict[str, int]:
    """The devices that device plugins advertise on the node."""
    devices: dict[str, int] = {}
    for pod, container in cluster.running("nvidia-device-plugin", machine.name):
        devices |= _standalone(cluster, machine, pod, container)
    operator = cluster.release("gpu-operator")
    if operator:
        devices |= _operators(cluster, operator, machine, labels, taints)
    return devices


def _standalone(cluster: Cluster, machine: Machine, pod: dict[str, Any], container: dict[str, Any]) -> dict[str, int]:
    variables = {each["name"]: each.get("value", "") for each in container.get("env", ())}
    if not machine.loads_driver or not _sees_driver(machine, pod):
        return {}
    config = yaml.safe_load(cluster.file(pod, container, variables["CONFIG_FILE"]))
    layout: dict[str, Any] = {}
    for first in pod["spec"].get("initContainers", ()):
        if "nvidia-mig-parted" in " ".join(first["command"]):
            layout = yaml.safe_load(cluster.file(pod, first, first["command"][-1].split("--config-file ")[1].split()[0]))
    if "mps" in config.get("sharing", {}) and not list(cluster.running("mps-control-daemon", machine.name)):
        return {}  # the plugin waits for the daemon
    cards = partitioned(machine.cards, layout)
    try:
        return advertised(config, variables.get("MIG_STRATEGY"), variables["DEVICE_LIST_STRATEGY"], cards)
    except StartError:
        return {}


def _sees_driver(machine: Machine, pod: Mapping[str, Any]) -> bool:
    return machine.minor >= NRI or pod["spec"].get("runtimeClassName") == "nvidia"


def _operators(
    cluster: Cluster, operator: Release, machine: Machine, labels: Mapping[str, str], taints: list[dict[str, str]]
) -> dict[str, int]:
    values = operator.values
    plugin = values.get("devicePlugin", {})
    runs = plugin.get("enabled", True) and labels.get("nvidia.com/gpu.deploy.device-plugin") == "true"
    # daemonsets.tolerations replaces the chart's own list (deployments/gpu-operator/values.yaml).
    chosen = values.get("daemonsets", {}).get("tolerations", [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}])
    if not (runs and machine.loads_driver and tolerated(taints, chosen) and _validated(cluster, machine, labels)):
        return {}
    config: dict[str, Any] = {}
    if name := plugin.get("config", {}).get("name"):
        entry = labels.get(CONFIG) or plugin["config"].get("default", "")
        entries = cluster.config_maps[operator.namespace, name]
        if entry not in entries:
            return {}  # the config manager fails, and the plugin's container waits for its file
        config = yaml.safe_load(entries[entry])
    strategies = [each["value"] for each in plugin.get("env", ()) if each["name"] == "DEVICE_LIST_STRATEGY"]
    try:
        # The operator gives its plugin the variable MIG_STRATEGY, which beats the file.
        return advertised(config, values.get("mig", {}).get("strategy", "single") or None, (strategies or ["envvar"])[0], machine.cards)
    except StartError:
        return {}


def _validated(cluster: Cluster, machine: Machine, labels: Mapping[str, str]) -> bool:
    """Whether the files are there for which the operator's plugin waits: the validator writes them, or with its label off a pod of the cluster."""
    if machine.minor >= 13 and labels.get(VALIDATOR) == "true":
        return True
    written = [
        container
        for pod in cluster.pods
        if pod["spec"].get("nodeName") == machine.name
        and any(volume.get("hostPath", {}).get("path") == "/run/nvidia" for volume in pod["spec"].get("volumes", ()))
        for container in pod["spec"]["containers"]
        if all(file in " ".join(container.get("command", ())) for file in ("driver-ready", "toolkit-ready"))
    ]
    return bool(written)


def features(cluster: Cluster, machine: Machine, labels: Mapping[str, str]) -> dict[str, str]:
    """The labels of GPU feature discovery. They reach the node through node feature discovery."""
    found: dict[str, str] = {}
    if not machine.loads_driver or not machine.cards or not cluster.release("node-feature-discovery"):
        return found
    for pod, container in cluster.running("gpu-feature-discovery", machine.name):
        variables = {each["name"]: each.get("value", "") for each in container.get("env", ())}
        if not _sees_driver(machine, pod):
            continue
        config = yaml.safe_load(cluster.file(pod, container, variables["CONFIG_FILE"]))
        sharing = config.get("sharing", {})
        shared = next(iter(sharing.values()), {"resources": []})
        replicas = next((each["replicas"] for each in shared["resources"] if each["name"] == "nvidia.com/gpu"), 1)
        product = machine.cards[0].product.replace(" ", "-")
        suffix = "-SHARED" if replicas > 1 and not shared["renameByDefault"] else ""
        found |= {
            "nvidia.com/gpu.count": str(len(machine.cards)),
            "nvidia.com/gpu.memory": str(machine.cards[0].memory),
            "nvidia.com/gpu.product": f"{product}{suffix}",
            "nvidia.com/gpu.replicas": str(replicas),
            "nvidia.com/gpu.sharing-strategy": {"timeSlicing": "time-slicing", "mps": "mps"}.get(next(iter(sharing), ""), "none"),
            "nvidia.com/mig.strategy": config["flags"]["migStrategy"],
            "nvidia.com/mps.capable": str("mps" in sharing).lower(),
        }
    return found


def _chart(release: Mapping[str, Any], urls: Mapping[str, str]) -> str:
    """The chart of a HelmRelease: of a HelmRepository by name, or an OCIRepository, whose address ends in the chart's name."""
    if "chartRef" in release:
        return urls[release["chartRef"]["name"]].rpartition("/")[2]
    name: str = release["chart"]["spec"]["chart"]
    return name


def _labels_of(entry: Mapping[str, Any]) -> list[str]:
    owned = entry.get("fieldsV1", {}).get("f:metadata", {}).get("f:labels", {})
    return [key.removeprefix("f:") for key in owned if key != "."]


def _listed(lab: ControlPlane, api_version: str, kind: str) -> list[dict[str, Any]]:
    try:
        return lab.list(api_version, kind)
    except ApiError as error:
        if error.code != 404:
            raise
        return []  # the cluster has no such CRD
