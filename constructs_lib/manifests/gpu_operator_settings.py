"""What NVIDIA's GPU operator needs to be told on each generation of Talos, and the objects that belong beside it.

https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import named, settle, to_flag, to_namespace, to_text
from .._arguments.plain_values import text
from .._arguments.talos_warnings import warn
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.mig import plain_devices
from ..nodes.talos_version import Generation
from ..upstream.charts import GPU_OPERATOR, NODE_FEATURE_DISCOVERY, gpu_operator_chart
from ..upstream.charts.device_plugin_chart import CONFIG_LABEL
from ..upstream.charts.gpu_operator_chart import PLUGIN_LABEL
from ..upstream.gpu_resources import GPU_RESOURCE
from ..upstream.talos_features import DRIVER_ROOT, RUNTIME_CLASS
from .bridge_objects import ValidationBridgeSettings, validation_bridge
from .chart_keys import check_keys
from .chart_settings import ChartSettings, to_release_name, to_repository, united
from .device_plugin_config import device_plugin_config_text
from .gpu_operator_overrides import refuse, warn_of_overrides
from .helm_release import HelmRelease
from .objects import MAIN, Manifest, Manifests, labels, manifest, merged
from .operator_version import operator_version
from .user_values import ABSENT, at

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
        "hostPaths": {"driverInstallDir": DRIVER_ROOT},
        "migManager": {"enabled": False},
    },
    # The plan of Talos 1.15: the operator's toolkit, on the one writable disk, injects through containerd's NRI.
    Generation.NRI: {
        "driver": {"enabled": False},
        "toolkit": {"enabled": True, "installDir": "/var/lib/nvidia"},
        "cdi": {"enabled": True, "nriPluginEnabled": True},
        "hostPaths": {"driverInstallDir": DRIVER_ROOT},
        "migManager": {"enabled": False},
    },
}
# The chart's own for NFD's worker, which a list of ours would replace.
_OF_NFD = gpu_operator_chart.default(NODE_FEATURE_DISCOVERY.name, "worker", "tolerations")
_WITHOUT_PLUGIN = "set devicePlugin.enabled in 'values' to False, and give the classes without 'dra' a StandaloneDevicePlugin each"
# The CRD of v25.10 and v26.3 defaults a field that no chart writes, which would show as a difference for ever (NVIDIA/gpu-operator#2795).
_DEFAULTED = ({"group": "nvidia.com", "kind": "ClusterPolicy", "jsonPointers": ["/spec/cdi/default"]},)
# The entry of the sharing config for the only class of a cluster, when it has no name.
_ONLY_CLASS = "gpu"


def _to_version(value: str | None, argument: str = "") -> str:
    # Checked with the Talos of the nodes, once that is known.
    return "" if value is None else text(argument, value, f"a version of the {GPU_OPERATOR.name} chart such as '{GPU_OPERATOR.newest}'")


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class GpuOperatorSettings(ChartSettings):
    """The checked arguments of an operator; `NvidiaGpuOperator` documents each."""

    version: str = attrs.field(default=None, converter=_to_version)
    namespace: str = attrs.field(default=GPU_OPERATOR.name, converter=to_namespace)
    release_name: str = attrs.field(default=GPU_OPERATOR.name, converter=to_release_name)
    repository: str = attrs.field(default=GPU_OPERATOR.repository, converter=to_repository)
    chart: str = attrs.field(default=GPU_OPERATOR.name, converter=to_text)
    nfd: bool = attrs.field(default=True, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        _check_classes(self.nodes)
        version = operator_version(self.version or None, self.nodes[0].talos_version)
        settle(self, "version", GPU_OPERATOR.written(version))
        self._check_chart()
        check_keys(GPU_OPERATOR, self.given_values, version)
        self._check_partitions()
        self._check_claims()
        oldest = min(self.nodes, key=lambda nodes: nodes.talos_version.minor)
        refuse(self.given_values, self.chart_values, oldest)
        warn_of_overrides(self._derived(), self.chart_values, oldest)

    def _check_partitions(self) -> None:
        for nodes in self.plugin_classes:
            if nodes.mig_devices is not None:
                hint = (
                    "nothing there partitions the cards, as the operator's MIG manager waits for systemd (NVIDIA/gpu-operator#2501): give "
                    f"them a StandaloneDevicePlugin, and either set devicePlugin.enabled in 'values' to False, or label them {PLUGIN_LABEL}=false"
                )
                rule = "classes without 'mig_devices' where the operator runs the device plugin"
                raise wrong("nodes", rule, plain_devices(nodes.mig_devices), hint)

    def _check_claims(self) -> None:
        for nodes in self.plugin_classes:
            if nodes.dra is None:
                continue
            hint = "the device plugin would hand out the GPUs that pods claim a second time"
            if at(self.values, "devicePlugin.enabled") is True:
                given = {"devicePlugin": self.given_values["devicePlugin"]}
                raise wrong("values", "without devicePlugin.enabled: True on nodes with 'dra'", given, f"{hint}; leave it out")
            rule = "classes that all have 'dra', or none"
            raise wrong("nodes", rule, [bool(each.dra) for each in self.nodes], f"{hint}; or {_WITHOUT_PLUGIN}")
        if self.plugin_classes and any(nodes.dra for nodes in self.nodes):
            # cmd/nvidia-validator/main.go validateGPUResource; it is left out where the plugin is off (controllers/object_controls.go).
            warn(
                f"where its device plugin is on, the operator's validator waits on every node for '{GPU_RESOURCE}', which nodes with 'dra' "
                f"never have: there its pods fail, and the ClusterPolicy gets never ready; {_WITHOUT_PLUGIN}"
            )

    @property
    def generation(self) -> Generation:
        """The one generation of all its nodes."""
        return self.nodes[0].generation

    @property
    def runtime_class(self) -> str | None:
        """The name of the RuntimeClass that the operator makes and owns; with NRI it makes none."""
        if self.generation is Generation.NRI:
            return None
        name = at(self.values, "operator.runtimeClass")
        return RUNTIME_CLASS if name is ABSENT else str(name)

    @property
    def plugin_classes(self) -> tuple[GpuNodes, ...]:
        """The classes whose GPUs its own device plugin advertises."""
        if at(self.chart_values, "devicePlugin.enabled") is False:
            return ()
        return tuple(nodes for nodes in self.nodes if nodes.labels.get(PLUGIN_LABEL) != "false")

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
        """The name of the ConfigMap for the device plugin, where GPUs are shared, or classes differ in their MIG strategy."""
        needed = any(nodes.sharing for nodes in self.nodes) or len(self._strategies) > 1
        return f"{self.release_name}-device-plugin" if needed else None

    @property
    def _strategies(self) -> set[str]:
        return {str(nodes.mig_strategy) for nodes in self.nodes}

    @property
    def chart_values(self) -> dict[str, Any]:
        """The values for the chart, with the user's laid on last."""
        return merged(self._derived(), self.values)

    def _derived(self) -> dict[str, Any]:
        values = merged(_NEEDED[self.generation], {"daemonsets": {"tolerations": self.tolerations}})
        # One for the cluster, which the plugin would put above its config; without one each node's config says its own
        # (controllers/object_controls.go, applyMIGConfiguration).
        values["mig"] = {"strategy": self._strategies.pop() if len(self._strategies) == 1 else ""}
        if all(nodes.dra for nodes in self.nodes):
            # Two ledgers would hand out each GPU twice.
            values["devicePlugin"] = {"enabled": False}
        if self.nfd:
            values["node-feature-discovery"] = {"worker": {"tolerations": united([_OF_NFD, self.tolerations])}}
        else:
            values["nfd"] = {"enabled": False}
        if self.config_name:
            # With several classes no node gets a config it did not ask for by its label.
            default = _entry(self.nodes[0]) if len(self.nodes) == 1 else ""
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
            data={_entry(nodes): device_plugin_config_text(nodes) for nodes in self.nodes},
        )  # fmt: skip

    @property
    def release(self) -> HelmRelease:
        """What a delivery installs."""
        return attrs.evolve(super().release, ignore_differences=_DEFAULTED)

    @property
    def bridges(self) -> list[ValidationBridgeSettings]:
        """A bridge for each class, on the generation that needs one."""
        if self.generation is not Generation.LEGACY:
            return []
        return [ValidationBridgeSettings(nodes=nodes, namespace=self.namespace, driver_enabled=self.driver_enabled) for nodes in self.nodes]

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


def _check_classes(classes: tuple[GpuNodes, ...]) -> None:
    if len({each.generation for each in classes}) > 1:
        rule = "of Talos up to 1.12, or of 1.13 and 1.14, or of 1.15"
        found = [str(each.talos_version) for each in classes]
        raise wrong("nodes", rule, found, "the operator has one set of values for the whole cluster")
    names = [each.name for each in classes]
    if len(classes) > 1 and (None in names or len(set(names)) < len(names)):
        hint = f"a node says by its label {CONFIG_LABEL} which class it belongs to"
        raise wrong("nodes", "classes with a 'name' each, no two alike", names, hint)
    for first, second in combinations(classes, 2):
        if first.may_overlap(second):
            hint = (
                f"give both the same label key with different values, such as {CONFIG_LABEL} with the class's name, or leave 'labels' out: "
                "the name then tells them apart"
            )
            raise wrong("nodes", f"classes that no node can be in twice, unlike '{first.name}' and '{second.name}'", [
                first.node_selector, second.node_selector], hint)  # fmt: skip
