"""The values of the GPU operator's chart for each generation of Talos, and the objects beside the chart.

https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import attrs

from ...arguments.errors import warn, wrong
from ...arguments.fields import named, settle, to_flag, to_namespace
from ...arguments.plain_values import text
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.charts import GPU_OPERATOR, NODE_FEATURE_DISCOVERY, gpu_operator_chart
from ...upstream.charts.gpu_operator_chart import CONFIG_NEEDS, CONFIG_NEEDS_SINCE, PLUGIN_LABEL
from ...upstream.nvidia.gpu_resources import CONFIG_LABEL, GPU_RESOURCE
from ...upstream.nvidia.plugin_words import MigStrategy
from ...upstream.nvidia.virtual_machines import PASSTHROUGH_WORKLOAD
from ...upstream.talos.features import DRIVER_ROOT, RUNTIME_CLASS
from ...upstream.talos.generations import Generation
from ...upstream.version import Version
from ..charts.helm_release import HelmRelease
from ..charts.settings import ChartSettings, to_chart, to_release_name, to_repository, united
from ..charts.user_values import ABSENT, at, check_keys
from ..objects import MAIN, Manifest, Manifests, labels, manifest, merged
from ..plugin.config import device_plugin_config_text
from .bridge_objects import ValidationBridgeSettings, validation_bridge
from .overrides import refuse, warn_of_overrides
from .version import operator_version

# The values that each generation needs. Every other value of this library follows from the nodes.
_NEEDED: dict[Generation, dict[str, Any]] = {
    # The driver and the toolkit are extensions of the OS image. CDI is off, because the plugin finds no libraries for
    # its CDI specs where this Talos has them. Without CDI envvar is the operator's default; it is written for readers of
    # the manifest. The MIG manager waits for systemd, which no Talos has (NVIDIA/gpu-operator#2501).
    Generation.LEGACY: {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "cdi": {"enabled": False},
        "devicePlugin": {"env": [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}]},
        "migManager": {"enabled": False},
    },
    # The three values of Talos' own integration test (siderolabs/talos
    # internal/integration/api/testdata/nvidia-gpu-operator.yaml).
    Generation.CDI: {
        "driver": {"enabled": False},
        "toolkit": {"enabled": False},
        "hostPaths": {"driverInstallDir": DRIVER_ROOT},
        "migManager": {"enabled": False},
    },
    # The plan of Talos 1.15: the operator's toolkit, installed in the writable /var, serves the operator's own pods
    # through containerd's NRI. Other pods get their GPU by CDI, from containerd itself.
    Generation.NRI: {
        "driver": {"enabled": False},
        "toolkit": {"enabled": True, "installDir": "/var/lib/nvidia"},
        "cdi": {"enabled": True, "nriPluginEnabled": True},
        "hostPaths": {"driverInstallDir": DRIVER_ROOT},
        "migManager": {"enabled": False},
    },
}
# Operands for nodes whose GPUs belong to virtual machines: the device plugin for KubeVirt, and the validator, which
# waits until vfio-pci has the cards. Talos binds the cards at boot; the VFIO manager would release every card when its
# pod ends (`vfio-manage unbind --all`). Talos has no vGPU host driver. The manager of confidential computing runs
# beside Kata alone from v26.3 on (sandboxWorkloads.mode), and the validator waits for it on cards with confidential
# computing (NVIDIA/gpu-operator controllers/state_manager.go and cmd/nvidia-validator/main.go at v26.7.0).
_FOR_MACHINES: dict[str, Any] = {
    "vfioManager": {"enabled": False},
    "vgpuManager": {"enabled": False},
    "vgpuDeviceManager": {"enabled": False},
    "ccManager": {"enabled": False},
}
# The chart's own tolerations of NFD's worker, and those of the operator and of NFD's master; a list in the values
# replaces them.
_OF_WORKER = gpu_operator_chart.default(NODE_FEATURE_DISCOVERY.name, "worker", "tolerations")
_OF_CONTROLLERS = gpu_operator_chart.default("operator", "tolerations")
_WITHOUT_PLUGIN = "set devicePlugin.enabled in 'values' to False, and give the classes without 'dra' a StandaloneDevicePlugin each"
# The key of the plugin's config file for the only class of a cluster, where the class has no name.
_ONLY_CLASS = "gpu"
# The key of the config file for nodes without a class: whole GPUs. The name of a class has no underscore.
_NO_CLASS = "_unlabelled"


def _to_version(value: str | None, argument: str = "") -> str:
    # The version is checked later, against the nodes' Talos version.
    return "" if value is None else text(argument, value, f"a version of the {GPU_OPERATOR.name} chart such as '{GPU_OPERATOR.newest}'")


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuOperatorSettings(ChartSettings):
    """The checked arguments of `NvidiaGpuOperator`, which documents each argument."""

    version: str = attrs.field(default=None, converter=_to_version)
    namespace: str = attrs.field(default=GPU_OPERATOR.name, converter=to_namespace)
    release_name: str = attrs.field(default=GPU_OPERATOR.name, converter=to_release_name)
    repository: str = attrs.field(default=GPU_OPERATOR.repository, converter=to_repository)
    chart: str = attrs.field(default=GPU_OPERATOR.name, converter=to_chart)
    nfd: bool = attrs.field(default=True, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        _check_classes(self.nodes)
        version = operator_version(self.version or None, self.nodes[0].talos_version)
        settle(self, "version", GPU_OPERATOR.written(version))
        self._check_chart()
        check_keys(GPU_OPERATOR, self.given_values, version)
        self._check_plugin_config(version)
        self._check_claims()
        self._check_strategies()
        oldest = min(self.nodes, key=lambda nodes: nodes.talos_version.minor)
        refuse(self.given_values, self.chart_values, oldest, version)
        warn_of_overrides(self._derived(), self.chart_values, oldest)

    def _check_plugin_config(self, version: Version) -> None:
        since = Version.parse(CONFIG_NEEDS_SINCE)
        if since is None or version < since or at(self.chart_values, "devicePlugin.config.create") is not True:
            return
        for key in CONFIG_NEEDS:
            if at(self.chart_values, f"devicePlugin.config.{key}") in (ABSENT, None, "", {}):
                rule = f"with devicePlugin.config.{key} beside devicePlugin.config.create: True"
                raise wrong("values", rule, self.given_values["devicePlugin"], "the chart does not render without it")

    def _check_claims(self) -> None:
        for nodes in self.plugin_classes:
            if nodes.dra is None:
                continue
            hint = "the device plugin would allocate the GPUs that pods claim a second time"
            if at(self.values, "devicePlugin.enabled") is True:
                given = {"devicePlugin": self.given_values["devicePlugin"]}
                raise wrong(
                    "values", "without devicePlugin.enabled: True on nodes with 'dra'", given, f"{hint}; leave devicePlugin.enabled out"
                )
            rule = "classes that all have 'dra', or none"
            raise wrong("nodes", rule, [bool(each.dra) for each in self.nodes], f"{hint}; or {_WITHOUT_PLUGIN}")
        if self.plugin_classes and any(nodes.dra for nodes in self.nodes):
            # cmd/nvidia-validator/main.go validateGPUResource; it is left out where the plugin is off
            # (controllers/object_controls.go).
            warn(
                f"where the operator's device plugin is on, its validator waits on every node for '{GPU_RESOURCE}', which nodes with 'dra' never "
                f"have: the validator's pods fail there, and the ClusterPolicy never becomes ready; {_WITHOUT_PLUGIN}"
            )

    def _check_strategies(self) -> None:
        if at(self.values, "devicePlugin.enabled") is False:
            return
        by_strategy = {nodes.mig_strategy: nodes for nodes in self._advertised_here}
        without_mps = not any(nodes.by_mps for nodes in self._advertised_here)
        if MigStrategy.MIXED not in by_strategy or (MigStrategy.SINGLE not in by_strategy and without_mps):
            return
        rule = "classes that one 'mig_strategy' fits: 'none' and 'single', or 'none' without MPS and 'mixed'"
        hint = (
            "the operator hands one strategy to its plugin on all nodes (mig.strategy of the ClusterPolicy), and the plugin's config file can't change it. "
            f"Give one of the classes the label '{PLUGIN_LABEL}': 'false' in 'extra_labels', and a StandaloneDevicePlugin"
        )
        raise wrong("nodes", rule, {nodes.name: str(nodes.mig_strategy) for nodes in self._advertised_here}, hint)

    @property
    def generation(self) -> Generation:
        """The generation of Talos that all nodes share."""
        return self.nodes[0].generation

    @property
    def runtime_class(self) -> str | None:
        """The name of the RuntimeClass that the operator makes and owns; None with NRI, where it makes none."""
        if self.nodes[0].runtime_class is None:
            return None
        name = at(self.values, "operator.runtimeClass")
        return RUNTIME_CLASS if name is ABSENT else str(name)

    @property
    def plugin_classes(self) -> tuple[GpuNodes, ...]:
        """The classes whose GPUs the operator's own device plugin advertises.

        The plugin of a class with `mig_devices` is a `StandaloneDevicePlugin`, which partitions the cards. The machine configuration of the class
        keeps the operator's plugin off the nodes by a label.
        """
        if at(self.chart_values, "devicePlugin.enabled") is False:
            return ()
        return self._advertised_here

    @property
    def _advertised_here(self) -> tuple[GpuNodes, ...]:
        """The classes that no other plugin serves."""
        return tuple(nodes for nodes in self._of_containers if nodes.mig_devices is None and nodes.node_labels.get(PLUGIN_LABEL) != "false")

    @property
    def _of_containers(self) -> tuple[GpuNodes, ...]:
        """The classes whose GPUs containers use."""
        return tuple(nodes for nodes in self.nodes if nodes.passthrough is None)

    @property
    def partitioned_classes(self) -> tuple[GpuNodes, ...]:
        """The classes whose cards a `StandaloneDevicePlugin` has to partition beside the operator's plugin."""
        if at(self.chart_values, "devicePlugin.enabled") is False:
            return ()
        return tuple(nodes for nodes in self.nodes if nodes.mig_devices is not None)

    @property
    def runs_dcgm_exporter(self) -> bool:
        """Whether the operator's own exporter runs."""
        return at(self.values, "dcgmExporter.enabled") is not False

    @property
    def driver_enabled(self) -> bool:
        """Whether the user switched on the operator's own driver, against the advice for Talos."""
        return at(self.values, "driver.enabled") is True

    @property
    def config_name(self) -> str | None:
        """The name of the ConfigMap for the device plugin; None where no GPUs are shared."""
        return f"{self.release_name}-device-plugin" if any(nodes.sharing for nodes in self.nodes) else None

    @property
    def _strategy(self) -> str:
        """The MIG strategy of the plugin on every node: whole cards are the same GPUs under all three."""
        ours = {nodes.mig_strategy for nodes in self._advertised_here}
        if ours - {MigStrategy.NONE} or any(nodes.by_mps for nodes in self._advertised_here):
            return str(max(ours, key=list(MigStrategy).index))
        return str(max((nodes.mig_strategy for nodes in self._of_containers or self.nodes), key=list(MigStrategy).index))

    @property
    def _plugin_configs(self) -> dict[str, str]:
        """The config files of the plugin by their keys; the first one is the default."""
        configs = {nodes.name or _ONLY_CLASS: device_plugin_config_text(nodes) for nodes in self._of_containers}
        if len(self.nodes) > 1:
            return {_NO_CLASS: "version: v1\n", **configs}
        from ...yaml.go_bytes import scalar  # only shared GPUs need it

        # Charts before v26.3.0 write the key without quotes: a class `on` would become true.
        return configs if all(scalar(name) == name for name in configs) else {_NO_CLASS: next(iter(configs.values())), **configs}

    def _derived(self) -> dict[str, Any]:
        values = merged(_NEEDED[self.generation], {"daemonsets": {"tolerations": self.tolerations}})
        # The chart's value holds for the whole cluster, and beats the plugin's config files: it is an argument of the
        # plugin (controllers/ object_controls.go applyMIGConfiguration; k8s-device-plugin api/config/v1/flags.go
        # UpdateFromCLIFlags).
        values["mig"] = {"strategy": self._strategy}
        if gpu_operator_chart.is_within(self._read_version, None, gpu_operator_chart.NULL_IF_EMPTY["migManager.config.name"]):
            values = merged(values, {"migManager": {"config": {"name": gpu_operator_chart.MIG_CONFIG}}})
        if all(nodes.dra for nodes in self._of_containers or self.nodes):
            # The device plugin and the DRA driver would both allocate each GPU.
            values["devicePlugin"] = {"enabled": False}
        if len(self._of_containers) < len(self.nodes):
            # A node without the label of a workload is of the default.
            default_workload = "container" if self._of_containers else PASSTHROUGH_WORKLOAD
            values = merged(values, {"sandboxWorkloads": {"enabled": True, "defaultWorkload": default_workload}, **_FOR_MACHINES})
        # A cluster may have tainted nodes only, down to a lone control plane.
        on_any_node = {"tolerations": united([_OF_CONTROLLERS, self.tolerations])}
        values["operator"] = on_any_node
        if self.nfd:
            worker = {"tolerations": united([_OF_WORKER, self.tolerations])}
            values[NODE_FEATURE_DISCOVERY.name] = {"worker": worker, "master": on_any_node, "gc": on_any_node}
        else:
            values["nfd"] = {"enabled": False}
        if self.config_name:
            # With several classes a node gets the config of its class only by its label.
            values = merged(values, {"devicePlugin": {"config": {"name": self.config_name, "default": next(iter(self._plugin_configs))}}})
        return values

    @property
    def plugin_config(self) -> Manifest | None:
        """The ConfigMap with a config file of the device plugin for each class; the key is the value of the node label
        that chooses the file."""
        if self.config_name is None:
            return None
        return manifest(
            "v1", "ConfigMap", self.config_name, namespace=self.namespace,
            labels=labels("gpu-operator", instance=self.release_name, component="device-plugin-config"),
            data=self._plugin_configs,
        )  # fmt: skip

    @property
    def release(self) -> HelmRelease:
        """The release that a delivery installs."""
        # Argo CD would show the fields that the API server adds as a difference for ever (NVIDIA/gpu-operator#2795).
        added = [
            path
            for path, limits in gpu_operator_chart.POLICY_DEFAULTS.items()
            if (path == gpu_operator_chart.OLD_DEFAULT or gpu_operator_chart.is_within(self._read_version, *limits))
            and at(self.chart_values, ".".join(path)) in (ABSENT, None, False, "")
        ]
        policy = {"group": "nvidia.com", "kind": "ClusterPolicy", "jsonPointers": [f"/spec/{'/'.join(path)}" for path in added]}
        return attrs.evolve(super().release, ignore_differences=(policy,))

    @property
    def _read_version(self) -> Version:
        version = Version.parse(self.version)
        assert version is not None  # noqa: S101  # it was written from a Version
        return version

    @property
    def bridges(self) -> list[ValidationBridgeSettings]:
        """A validation bridge for each class, on the generation that needs bridges."""
        if not self.nodes[0].talos_version.needs.has_bridge:
            return []
        return [
            ValidationBridgeSettings(nodes=nodes, namespace=self.namespace, driver_enabled=self.driver_enabled)
            for nodes in self._of_containers
        ]

    @property
    def companions(self) -> Manifests:
        """The objects beside the chart, in the order of application."""
        companions: Manifests = {}
        if self.namespace_object:
            companions["Namespace"] = self.namespace_object
        if self.plugin_config:
            companions["DevicePluginConfig"] = self.plugin_config
        for bridge in self.bridges:
            companions["-".join(filter(None, ("ValidationBridge", bridge.nodes.name)))] = validation_bridge(bridge)[MAIN]
        return companions


def _check_classes(classes: tuple[GpuNodes, ...]) -> None:
    if len({each.generation for each in classes}) > 1:
        rule = "of Talos up to 1.12, or of 1.13 and 1.14, or of 1.15"
        versions = [str(nodes.talos_version) for nodes in classes]
        raise wrong("nodes", rule, versions, "the operator has one set of values for the whole cluster")
    names = [each.name for each in classes]
    if len(classes) > 1 and (None in names or len(set(names)) < len(names)):
        hint = f"the node label {CONFIG_LABEL} names the class of a node"
        raise wrong("nodes", "classes with a different 'name' each", names, hint)
    for first, second in combinations(classes, 2):
        if first.may_overlap(second):
            hint = (
                f"give both classes the same label key with different values, such as {CONFIG_LABEL} with the class's name; or leave 'labels' "
                "out: the classes then differ by their names"
            )
            raise wrong("nodes", f"classes that share no node, unlike '{first.name}' and '{second.name}'", [
                first.node_selector, second.node_selector], hint)  # fmt: skip
