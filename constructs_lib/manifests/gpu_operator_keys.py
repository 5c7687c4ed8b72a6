"""Which keys of its values the gpu-operator chart reads: what it does not read, Helm drops without a word.

Read off the templates at v25.3.4, v25.10.1, v26.3.3 and v26.7.0 (deployments/gpu-operator/templates), two levels deep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._arguments.refusals import did_you_mean, wrong, wrong_kind
from .operator_version import ChartVersion

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


class IgnoredKey(NamedTuple):
    """A key that the chart does not read: its dotted path, since or until when another version does, and the keys that it could have been."""

    path: str
    since: str = ""
    until: str = ""
    known: tuple[str, ...] = ()

    @property
    def then(self) -> str:
        """Why, or what was meant."""
        if self.since or self.until:
            return f"it came with {self.since}" if self.since else f"it went with {self.until}"
        key = self.path.rpartition(".")[2]
        return ("." in self.path and _WHY.get(key)) or did_you_mean(key, self.known)


def ignored_keys(values: Mapping[str, Any], version: ChartVersion | None) -> Iterator[IgnoredKey]:
    """Every key that this version of the chart does not read; of a version that is not known, those that none reads."""
    for component, settings in values.items():
        if component not in _KEYS and component not in _FREE:
            yield IgnoredKey(component, known=(*_KEYS, *_FREE))
            continue
        yield from _of_another_version(component, version)
        if component not in _FREE and isinstance(settings, Mapping):
            known = tuple(_KEYS[component].split())
            for key in settings:
                if key not in known:
                    yield IgnoredKey(f"{component}.{key}", known=known)
                else:
                    yield from _of_another_version(f"{component}.{key}", version)


def _of_another_version(path: str, version: ChartVersion | None) -> Iterator[IgnoredKey]:
    since = _SINCE.get(path) or _SINCE.get(f"*.{path.rpartition('.')[2]}")
    until = _UNTIL.get(path)
    if version and since and version < ChartVersion.parse("version", since):
        yield IgnoredKey(path, since=since)
    elif version and until and version >= ChartVersion.parse("version", until):
        yield IgnoredKey(path, until=until)


def check_keys(values: Mapping[str, Any], version: ChartVersion) -> None:
    """Refuse a key that this version of the chart does not read."""
    if version.is_newer_than_known:
        return
    for component, settings in values.items():
        if component in _KEYS and not isinstance(settings, Mapping):
            first = _KEYS[component].split()[0]
            raise wrong_kind(f"values[{component}]", "a mapping of the chart's own keys", settings, f"such as {{'{first}': …}}")
        for ignored in ignored_keys({component: settings}, version):
            by_version = f" {version}" if ignored.since or ignored.until else ""
            raise wrong("values", f"made of keys that the gpu-operator chart{by_version} reads", ignored.path, ignored.then)
