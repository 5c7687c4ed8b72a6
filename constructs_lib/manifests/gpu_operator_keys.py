"""Which keys of its values the gpu-operator chart reads: what it does not read, Helm drops without a word.

Read off the templates at v25.3.4, v25.10.1, v26.3.3 and v26.7.0 (deployments/gpu-operator/templates), two levels deep.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._validate import did_you_mean, wrong, wrong_kind
from .chart_version import ChartVersion

_IMAGE = "enabled env image imagePullPolicy imagePullSecrets repository version args"
_COMPONENT = f"{_IMAGE} resources hostNetwork"
_KEYS = {
    "ccManager": f"{_COMPONENT} defaultMode",
    "cdi": "enabled default nriPluginEnabled",
    "clusterPolicy": "deployCR",
    "daemonsets": "annotations labels priorityClassName rollingUpdate tolerations updateStrategy",
    "dcgm": _COMPONENT,
    "dcgmExporter": f"{_COMPONENT} annotations config enablePodLabels enablePodUID hostPID hpcJobMapping podLabelAllowlistRegex service "
    "serviceMonitor",
    "devicePlugin": f"{_COMPONENT} config",
    "draDriver": "computeDomains featureGates gpus image imagePullPolicy imagePullSecrets repository version",
    "driver": f"{_COMPONENT} certConfig kernelModuleConfig kernelModuleType licensingConfig livenessProbe manager nvidiaDriverCRD rdma "
    "readinessProbe repoConfig secretEnv startupProbe upgradePolicy usePrecompiled virtualTopology",
    "gdrcopy": _IMAGE,
    "gds": _IMAGE,
    "gfd": _COMPONENT,
    "gpuCluster": "deployCR",
    "hostPaths": "driverInstallDir kubeletRootDir rootFS",
    "kataManager": f"{_COMPONENT} config",
    "kataSandboxDevicePlugin": _COMPONENT,
    "mig": "strategy",
    "migManager": f"{_COMPONENT} config gpuClientsConfig",
    "nfd": "enabled nodefeaturerules",
    "nodeStatusExporter": _COMPONENT,
    "operator": "affinity annotations cleanupCRD defaultGPUMode env image imagePullPolicy imagePullSecrets initContainer labels logging "
    "metrics nodeSelector priorityClassName repository resources runtimeClass tolerations upgradeCRD use_ocp_driver_toolkit version",
    "platform": "openshift",
    "psa": "enabled",
    "sandboxDevicePlugin": _COMPONENT,
    "sandboxWorkloads": "defaultWorkload enabled mode",
    "toolkit": "enabled env hostNetwork image imagePullPolicy imagePullSecrets installDir repository resources version",
    "validator": f"{_COMPONENT.removeprefix('enabled ')} cuda driver plugin toolkit vfioPCI vgpuDevices vgpuManager",
    "vfioManager": f"{_COMPONENT} driverManager",
    "vgpuDeviceManager": f"{_COMPONENT} config",
    "vgpuManager": f"{_COMPONENT} driverManager kernelModuleConfig",
}
# Handed on as they are: to a subchart, to Helm, or to the API server.
_FREE = {"node-feature-discovery", "global", "nameOverride", "fullnameOverride", "extraObjects"}
# A key that came later than the oldest chart that we install; `*` is any component.
_SINCE = {
    "clusterPolicy": "v26.7.0",
    "draDriver": "v26.7.0",
    "gpuCluster": "v26.7.0",
    "hostPaths.kubeletRootDir": "v26.7.0",
    "operator.env": "v26.7.0",
    "operator.metrics": "v26.7.0",
    "dcgmExporter.annotations": "v26.3.2",
    "dcgmExporter.enablePodLabels": "v26.3.2",
    "dcgmExporter.enablePodUID": "v26.3.2",
    "dcgmExporter.podLabelAllowlistRegex": "v26.3.2",
    "*.hostNetwork": "v26.3.1",
    "cdi.nriPluginEnabled": "v26.3.0",
    "extraObjects": "v26.3.0",
    "kataSandboxDevicePlugin": "v26.3.0",
    "sandboxWorkloads.mode": "v26.3.0",
    "vgpuManager.kernelModuleConfig": "v26.3.0",
    "dcgmExporter.hpcJobMapping": "v25.10.1",
    "dcgmExporter.hostPID": "v25.10.0",
    "driver.secretEnv": "v25.10.0",
}
# A key that a later chart no longer reads.
_UNTIL = {"cdi.default": "v26.7.0", "operator.initContainer": "v26.7.0"}
_WHY = {
    "nodeSelector": "the operator chooses nodes by their nvidia.com/gpu.deploy.* labels alone",
    "tolerations": "set 'taints' on GpuNodes: every operand shares daemonsets.tolerations",
    "affinity": "the operator chooses nodes by their nvidia.com/gpu.deploy.* labels alone",
    "mps": "the chart has it in its values and no template reads it",
}


def check_keys(values: Mapping[str, Any], version: ChartVersion) -> None:
    """Refuse a key that this version of the chart does not read."""
    if version.is_newer_than_known:
        return
    for component, settings in values.items():
        if component in _FREE:
            _check_since(component, version)
            continue
        if component not in _KEYS:
            raise _unknown(component, did_you_mean(component, [*_KEYS, *_FREE]))
        _check_since(component, version)
        known = _KEYS[component].split()
        if not isinstance(settings, Mapping):
            raise wrong_kind(f"values[{component}]", "a mapping of the chart's own keys", settings, f"such as {{'{known[0]}': …}}")
        for key in settings:
            if key not in known:
                raise _unknown(f"{component}.{key}", _WHY.get(key) or did_you_mean(key, known))
            _check_since(f"{component}.{key}", version)


def _unknown(path: str, then: str) -> ValueError:
    return wrong("values", "made of keys that the gpu-operator chart reads", path, then)


def _check_since(path: str, version: ChartVersion) -> None:
    rule = f"made of keys that the gpu-operator chart {version} reads"
    since = _SINCE.get(path) or _SINCE.get(f"*.{path.rpartition('.')[2]}")
    if since and version < ChartVersion.parse("version", since):
        raise wrong("values", rule, path, f"it came with {since}")
    until = _UNTIL.get(path)
    if until and version >= ChartVersion.parse("version", until):
        raise wrong("values", rule, path, f"it went with {until}")
