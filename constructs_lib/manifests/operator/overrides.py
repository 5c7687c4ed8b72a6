"""The checks of a user's values for the GPU operator's chart: refused on Talos, or warned of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import warn, wrong, wrong_kind
from ...arguments.plain_values import choice
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.charts.gpu_operator_chart import NULL_IF_EMPTY, is_within
from ...upstream.nvidia.plugin_words import DeviceListStrategy, MigStrategy
from ...upstream.talos.generations import NRI_ENABLED, Generation
from ...upstream.version import Version
from ..charts.user_values import ABSENT, at, overridden, refuse_what_helm_misreads
from ..plugin.options import check_strategies, to_device_discovery_strategy, to_device_id_strategy

# The symptom in the cluster when a value that Talos needs is overridden.
_SYMPTOMS = {
    "driver.enabled": "no driver image for Talos exists, so the driver pods end in ImagePullBackOff (NVIDIA/gpu-operator#647)",
    "toolkit.enabled": "the operator's toolkit writes into /etc/containerd/conf.d, which is read-only on Talos (NVIDIA/gpu-operator#2382)",
    "toolkit.installDir": "on Talos only /var is writable",
    "migManager.enabled": "the MIG manager waits for systemd, which no Talos has (NVIDIA/gpu-operator#2501)",
    "hostPaths.driverInstallDir": "the validator looks for the driver only in this folder, so every operand waits in Init:0/1",
    "cdi.enabled": "with CDI the specs name libraries at paths that this Talos does not have",
    "daemonsets.tolerations": "operands are not scheduled onto nodes with taints that the operands do not tolerate",
    "operator.tolerations": "with tainted nodes only the operator stays Pending",
    "node-feature-discovery.worker.tolerations": "a node that NFD can't label gets no operand",
    "node-feature-discovery.master.tolerations": "with tainted nodes only NFD's master stays Pending, and no node gets a label",
    "node-feature-discovery.gc.tolerations": "with tainted nodes only NFD's garbage collector stays Pending, and a release that waits fails",
    "devicePlugin.config.name": "the ConfigMap of this name tells the plugin how these nodes share their GPUs",
    "migManager.config.name": "the MIG manager is off",
    "devicePlugin.config.default": "a node without the label nvidia.com/device-plugin.config shares no GPU",
    "sandboxWorkloads.enabled": "the operands for containers start on the nodes whose GPUs belong to virtual machines, and wait for a driver",
    "vfioManager.enabled": "vfio_pci has the cards from boot on, and the pod of the VFIO manager releases every card when it ends",
    "vgpuManager.enabled": "Talos has no vGPU host driver, and no image of the vGPU manager is for Talos",
    "vgpuDeviceManager.enabled": "Talos has no vGPU host driver",
    "ccManager.enabled": "the sandbox validator waits for this manager on cards with confidential computing, and from v26.3 on the manager runs beside Kata alone",
    "mig.strategy": "workloads ask for the resources of 'mig_strategy' of GpuNodes",
}
_NRI_SYMPTOM = "on this Talos only the operator's toolkit gives the operator's own pods the driver"

_STRATEGIES = {"DEVICE_ID_STRATEGY": to_device_id_strategy, "DEVICE_DISCOVERY_STRATEGY": to_device_discovery_strategy}


def refuse(values: Mapping[str, Any], effective: Mapping[str, Any], nodes: GpuNodes, version: Version) -> None:
    """Refuse values that can't work on these nodes; `effective` are the values that the chart of this version gets."""
    refuse_what_helm_misreads(values, flags=("enabled", "deployCR", "nriPluginEnabled"))
    for path, before in NULL_IF_EMPTY.items():
        if at(values, path) == "" and is_within(version, None, before):
            hint = "the chart makes null of it, and the API server refuses the ClusterPolicy under server-side apply; leave the key out"
            raise wrong(f"values[{path}]", "a text that is not empty", "", hint)
    if at(values, "mig.strategy") is not ABSENT:
        choice("values[mig.strategy]", at(values, "mig.strategy"), MigStrategy)
    if at(values, "gpuCluster.deployCR") is True:
        hint = "the operator's DRA driver looks for the driver at / and ignores hostPaths, so no pod starts; use DraDriver, the standalone chart"
        raise wrong("values", "without gpuCluster.deployCR on Talos", "gpuCluster.deployCR: true", hint)
    if at(values, "nfd.enabled") is not ABSENT:
        raise wrong("values", "without nfd.enabled", at(values, "nfd.enabled"), "set the argument 'nfd'")
    _refuse_nri(effective, nodes)
    _refuse_strategies(effective, nodes)


def _refuse_nri(effective: Mapping[str, Any], nodes: GpuNodes) -> None:
    if at(effective, "cdi.nriPluginEnabled") is not True:
        return
    argument = "values[cdi.nriPluginEnabled]"
    if nodes.talos_version.minor not in NRI_ENABLED:
        raise wrong(argument, f"False on Talos {nodes.talos_version}", True, "containerd has NRI off there (NVIDIA/gpu-operator#2384)")
    if at(effective, "toolkit.enabled") is not True or at(effective, "cdi.enabled") is False:
        hint = "the NRI plugin is a part of the operator's toolkit and injects the devices of CDI specs (NVIDIA/gpu-operator#2384)"
        raise wrong(argument, "False without toolkit.enabled and cdi.enabled", True, hint)


def _refuse_strategies(effective: Mapping[str, Any], nodes: GpuNodes) -> None:
    argument = "values[devicePlugin.env]"
    variables = at(effective, "devicePlugin.env")
    if variables is ABSENT:
        return
    rule = "a list of variables, such as [{'name': 'DEVICE_ID_STRATEGY', 'value': 'index'}]"
    if not isinstance(variables, list) or not all(isinstance(variable, Mapping) and "name" in variable for variable in variables):
        raise wrong_kind(argument, rule, variables)
    for variable in variables:
        name, value = variable["name"], variable.get("value")
        if name in _STRATEGIES:
            _STRATEGIES[name](value, f"{argument}[{name}]")
        if name == "DEVICE_LIST_STRATEGY":
            words = value.split(",") if isinstance(value, str) else [value]
            strategies = [choice(f"{argument}[{name}]", word, DeviceListStrategy) for word in words]
            check_strategies(f"{argument}[{name}]", strategies, nodes)
            if (
                nodes.generation is not Generation.LEGACY
                and DeviceListStrategy.ENVVAR in strategies
                and at(effective, "cdi.enabled") is not False
            ):
                warn(
                    f"'values' sets {name} to '{value}' beside CDI: containers fail with \"unresolvable CDI devices\" "
                    f"(NVIDIA/gpu-operator#1876); leave {name} out: the operator chooses the strategy by cdi.enabled"
                )


def warn_of_overrides(needed: Mapping[str, Any], effective: Mapping[str, Any], nodes: GpuNodes) -> None:
    """Warn of each value that these nodes need and that the user has overridden, with the symptom."""
    for name, wanted, got in overridden(needed, effective):
        if name != "devicePlugin.env":
            by_nri = nodes.generation is Generation.NRI and wanted is True
            symptom = _NRI_SYMPTOM if by_nri else _SYMPTOMS.get(name, "")
            override = f"'values' sets {name} to {got!r}, where these nodes on Talos {nodes.talos_version} need {wanted!r}"
            warn(f"{override}: {symptom}" if symptom else override)
