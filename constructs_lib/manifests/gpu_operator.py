"""What NVIDIA's GPU operator needs to be told on each generation of Talos, and the objects that belong beside it.

https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from .. import versions
from .._names import dns_label, namespace_name
from .._validate import flag, instance, mapping, named_arguments, text, wrong, wrong_kind
from ..nodes import CLASS_LABEL, RUNTIME_CLASS, GpuNodes
from ..talos_version import Generation
from .chart_version import chart_version
from .device_plugin_config import device_plugin_config_text
from .gpu_operator_keys import check_keys
from .gpu_operator_overrides import ABSENT, at, refuse, warn_of_overrides
from .namespace import CLUSTERS_OWN, NamespaceSettings, privileged_namespace
from .objects import MAIN, Manifest, Manifests, labels, manifest, merged, plain
from .validation_bridge import ValidationBridgeSettings, validation_bridge

# The values that each generation can't do without; every other value of ours is a consequence of the nodes.
_NEEDED: dict[Generation, dict[str, Any]] = {
    # Driver and toolkit are extensions of the OS image. CDI off, because specs would name libraries where this Talos has none; envvar is
    # then the operator's default, and is written all the same for those who look for it. The MIG manager waits for a systemd that no
    # Talos has (NVIDIA/gpu-operator#2501).
    Generation.LEGACY: {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "cdi": {"enabled": False},
        "devicePlugin": {"env": [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}]},
        "migManager": {"enabled": False},
    },
    # The three values of Talos' own integration test (siderolabs/talos internal/integration/api/testdata/nvidia-gpu-operator.yaml).
    Generation.CDI: {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "hostPaths": {"driverInstallDir": "/usr/local"},
        "migManager": {"enabled": False},
    },
    # The plan of Talos 1.15: the operator's toolkit, on the one writable disk, injects through containerd's NRI.
    Generation.NRI: {
        "driver": {"enabled": False},
        "toolkit": {"enabled": True, "installDir": "/var/lib/nvidia"},
        "cdi": {"enabled": True, "nriPluginEnabled": True},
        "hostPaths": {"driverInstallDir": "/usr/local"},
        "migManager": {"enabled": False},
    },
}
# The chart's own for NFD's worker, which a list of ours would replace.
_CONTROL_PLANE = {"key": "node-role.kubernetes.io/control-plane", "operator": "Equal", "value": "", "effect": "NoSchedule"}
# Helm's own limit, as what it makes is named after the release.
_LONGEST_RELEASE_NAME = 53
# The entry of the sharing config for the only class of a cluster, when it has no name.
_ONLY_CLASS = "gpu"


@named_arguments(nodes="the operator's values follow from its nodes")
@dataclass(kw_only=True, eq=False, repr=False)
class GpuOperatorSettings:
    """The checked arguments of an operator; `NvidiaGpuOperator` documents each."""

    nodes: GpuNodes | Iterable[GpuNodes]
    version: str | None = None
    namespace: str = "gpu-operator"
    create_namespace: bool = True
    release_name: str = "gpu-operator"
    nfd: bool = True
    repository: str = versions.GPU_OPERATOR_REPOSITORY
    chart: str = versions.GPU_OPERATOR_CHART
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        classes = _classes(self.nodes)
        object.__setattr__(self, "nodes", classes)
        version = chart_version(self.version, classes[0].talos_version)
        object.__setattr__(self, "version", str(version))
        namespace_name("namespace", self.namespace)
        dns_label("release_name", self.release_name, _LONGEST_RELEASE_NAME)
        for name in ("create_namespace", "nfd"):
            flag(name, getattr(self, name))
        if self.create_namespace and self.namespace in CLUSTERS_OWN:
            raise wrong("create_namespace", f"False for {self.namespace}", True, "the cluster has that namespace by itself")
        text("chart", self.chart)
        rule = "the address of a Helm repository ('https://…'), or of a registry ('oci://…')"
        if not text("repository", self.repository, rule).startswith(("https://", "http://", "oci://")):
            raise wrong("repository", rule, self.repository)
        given = plain(mapping("values", self.values, "a mapping of the chart's values"))
        object.__setattr__(self, "values", given)
        check_keys(given, version)
        oldest = min(classes, key=lambda nodes: nodes.talos_version.minor)
        refuse(given, self.chart_values, oldest)
        warn_of_overrides(self._derived(), self.chart_values, oldest)

    @property
    def classes(self) -> tuple[GpuNodes, ...]:
        """The classes of nodes."""
        return tuple(self.nodes) if isinstance(self.nodes, Iterable) else (self.nodes,)

    @property
    def generation(self) -> Generation:
        """The one generation of all its nodes."""
        return self.classes[0].generation

    @property
    def runtime_class(self) -> str | None:
        """The name of the RuntimeClass that the operator makes and owns; with NRI it makes none."""
        if self.generation is Generation.NRI:
            return None
        name = at(self.values, "operator.runtimeClass")
        return RUNTIME_CLASS if name is ABSENT else str(name)

    @property
    def runs_device_plugin(self) -> bool:
        """Whether its own device plugin advertises the GPUs."""
        return at(self.values, "devicePlugin.enabled") is not False

    @property
    def runs_dcgm_exporter(self) -> bool:
        """Whether its own exporter reads the GPUs."""
        return at(self.values, "dcgmExporter.enabled") is not False

    @property
    def driver_enabled(self) -> bool:
        """Whether the user has the operator run its own driver, against our advice."""
        return at(self.values, "driver.enabled") is True

    @property
    def config_name(self) -> str | None:
        """The name of the ConfigMap for the device plugin, where GPUs are shared."""
        return f"{self.release_name}-device-plugin" if any(nodes.sharing for nodes in self.classes) else None

    @property
    def chart_values(self) -> dict[str, Any]:
        """The values for the chart, with the user's laid on last."""
        return merged(self._derived(), self.values)

    def _derived(self) -> dict[str, Any]:
        tolerations = _united(nodes.tolerations for nodes in self.classes)
        values = merged(_NEEDED[self.generation], {"daemonsets": {"tolerations": tolerations}})
        values["mig"] = {"strategy": str(self.classes[0].mig_strategy)}
        if self.nfd:
            values["node-feature-discovery"] = {"worker": {"tolerations": _united([[_CONTROL_PLANE], tolerations])}}
        else:
            values["nfd"] = {"enabled": False}
        if self.config_name:
            # With several classes no node gets a config it did not ask for by its label.
            default = _entry(self.classes[0]) if len(self.classes) == 1 else ""
            values = merged(values, {"devicePlugin": {"config": {"name": self.config_name, "default": default}}})
        return values

    @property
    def plugin_config(self) -> Manifest | None:
        """The ConfigMap with a device-plugin config for each class, by the value of the node label that chooses it."""
        if self.config_name is None:
            return None
        return manifest(
            "v1", "ConfigMap", self.config_name, namespace=self.namespace,
            labels=labels("gpu-operator", instance=self.release_name, component="device-plugin-config"),
            data={_entry(nodes): device_plugin_config_text(nodes) for nodes in self.classes},
        )  # fmt: skip

    @property
    def namespace_object(self) -> Manifest | None:
        """The privileged namespace, where it is made here."""
        return privileged_namespace(NamespaceSettings(name=self.namespace))[MAIN] if self.create_namespace else None

    @property
    def bridges(self) -> list[ValidationBridgeSettings]:
        """A bridge for each class, on the generation that needs one."""
        if self.generation is not Generation.LEGACY:
            return []
        return [
            ValidationBridgeSettings(nodes=nodes, namespace=self.namespace, driver_enabled=self.driver_enabled) for nodes in self.classes
        ]

    @property
    def companions(self) -> Manifests:
        """What belongs beside the chart, in the order in which it is best applied."""
        companions: Manifests = {}
        if self.namespace_object:
            companions["Namespace"] = self.namespace_object
        if self.plugin_config:
            companions["DevicePluginConfig"] = self.plugin_config
        for bridge in self.bridges:
            companions["-".join(filter(None, ("ValidationBridge", bridge.nodes.name)))] = validation_bridge(bridge)[MAIN]
        return companions


def _entry(nodes: GpuNodes) -> str:
    return nodes.name or _ONLY_CLASS


def _classes(nodes: object) -> tuple[GpuNodes, ...]:
    rule = "a GpuNodes, or a list of them"
    if not isinstance(nodes, GpuNodes | Iterable) or isinstance(nodes, str | Mapping):
        raise wrong_kind("nodes", rule, nodes)
    classes = (nodes,) if isinstance(nodes, GpuNodes) else tuple(instance("nodes", each, GpuNodes, rule) for each in nodes)
    if not classes:
        raise wrong("nodes", rule, nodes, "an operator without GPU nodes has nothing to do")
    _check_alike(classes)
    names = [each.name for each in classes]
    if len(classes) > 1 and (None in names or len(set(names)) < len(names)):
        then = f"a node says by its label {CLASS_LABEL} which class it belongs to"
        raise wrong("nodes", "classes with a 'name' each, no two alike", names, then)
    for first, second in combinations(classes, 2):
        if first.may_overlap(second):
            then = "give both the same label key with different values, or leave 'labels' out: the name then tells them apart"
            raise wrong("nodes", f"classes that no node can be in twice, unlike '{first.name}' and '{second.name}'", [
                first.node_selector, second.node_selector], then)  # fmt: skip
    return classes


def _check_alike(classes: tuple[GpuNodes, ...]) -> None:
    told: dict[str, list[str]] = {
        "generation of Talos": [str(each.generation) for each in classes],
        "mig_strategy": [str(each.mig_strategy) for each in classes],
    }
    for what, values in told.items():
        if len(set(values)) > 1:
            raise wrong("nodes", f"of one {what}", values, "the operator has one set of values for the whole cluster")


def _united(lists: Iterable[list[dict[str, str]]]) -> list[dict[str, str]]:
    united: list[dict[str, str]] = []
    for items in lists:
        united += [item for item in items if item not in united]
    return united
