"""Which keys of its values each of NVIDIA's charts reads: what it does not read, Helm drops without a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..._arguments.refusals import did_you_mean
from ...manifests.gpu_operator_keys import ignored_keys
from ...upstream.chart_names import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR
from ..model import ChartRelease, Unknown
from .operators import chart_version

# Read off the templates: NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin at v0.15.0 to v0.20.0, NVIDIA/dcgm-exporter deployment
# at 3.2.0 to 4.8.2, kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm at v25.3.0 to v0.4.1. First the keys at the top, then those below.
_NAMES = "fullnameOverride nameOverride namespaceOverride global"
_TOP = {
    DEVICE_PLUGIN: f"{_NAMES} affinity allowDefaultNamespace compatWithCPUManager deviceDiscoveryStrategy deviceIDStrategy deviceListStrategy "
    "failOnInitError gdrcopyEnabled gdsEnabled imagePullSecrets migStrategy mofedEnabled namespace nfd noTimestamp nodeSelector nvidiaDevRoot "
    "nvidiaDriverRoot podAnnotations podSecurityContext priorityClassName resources runtimeClassName securityContext selectorLabelsOverride "
    "sleepInterval tolerations updateStrategy legacyDaemonsetAPI",
    DCGM_EXPORTER: f"{_NAMES} affinity arguments basicAuth customMetrics debugDump extraConfigMapVolumes extraEnv extraHostVolumes "
    "extraVolumeMounts extraVolumes hostNetwork hostPID image imagePullSecrets initContainers kubeletPath kubernetes kubernetesDRA livenessProbe "
    "nodeSelector podAnnotations podLabels podSecurityContext priorityClassName readinessProbe resources rollingUpdate runtimeClassName "
    "securityContext service serviceAccount tlsServerConfig tolerations",
    DRA_DRIVER: f"{_NAMES} allowDefaultNamespace altProcDevices consumableShares controller featureGates gpuResourcesEnabledOverride image "
    "imagePullSecrets logVerbosity maskNvidiaDriverParams namespace nvidiaCDIHookPath nvidiaCtkPath nvidiaDriverRoot resourceApiVersion "
    "selectorLabelsOverride serviceAccount webhook",
}
_BELOW = {
    DEVICE_PLUGIN: {
        "config": "name map default fallbackStrategies",
        "cdi": "nvidiaHookPath featureFlags",
        "devicePlugin": "enabled enableHostNetwork",
        # Its noTimestamp and sleepInterval are in the chart's values and in no template, which reads those at the top.
        "gfd": "enabled enableHostNetwork nameOverride namespaceOverride securityContext",
        "image": "repository pullPolicy tag",
        "mps": "root enableHostPID enableHostNetwork",
    },
    DCGM_EXPORTER: {
        "serviceMonitor": "additionalLabels apiVersion enabled honorLabels interval metricRelabelings relabelings scrapeTimeout"
    },
    DRA_DRIVER: {
        "kubeletPlugin": "affinity containers kubeletPluginsDirectoryPath kubeletRegistrarDirectoryPath metrics networkPolicy nodeSelector "
        "podAnnotations podSecurityContext priorityClassName tolerations updateStrategy",
        "resources": "gpus computeDomains",
    },
}
# What was meant, by the last key or by the whole path.
_MEANT = {
    GPU_OPERATOR: {
        "tolerations": "daemonsets.tolerations: every operand shares them",
        "nodeSelector": "the node label nvidia.com/gpu.deploy.<operand>=false where it is not to run: the operator chooses nodes by labels alone",
        "affinity": "the node label nvidia.com/gpu.deploy.<operand>=false where it is not to run: the operator chooses nodes by labels alone",
        "validator.enabled": "the node label nvidia.com/gpu.deploy.operator-validator=false where it is not to run",
        "runtimeClass": "operator.runtimeClass",
        "operator.defaultRuntime": "nothing instead: the operator finds the container runtime by itself",
    },
    DEVICE_PLUGIN: {
        "flags": "the keys at the top (migStrategy, deviceListStrategy, deviceIDStrategy, …), or a config in config.map",
        "gfd.nodeSelector": "nodeSelector at the top, which the whole chart shares",
        "gfd.tolerations": "tolerations at the top, which the whole chart shares",
        "gfd.affinity": "affinity at the top, which the whole chart shares",
        "gfd.resources": "resources at the top, which the whole chart shares",
        "gfd.runtimeClassName": "runtimeClassName at the top, which the whole chart shares",
        "gfd.noTimestamp": "noTimestamp at the top",
        "gfd.sleepInterval": "sleepInterval at the top",
        "env": "the keys at the top (migStrategy, deviceListStrategy, deviceIDStrategy, …)",
        "sharing": "a config in config.map, with sharing in it",
        "timeSlicing": "a config in config.map, with sharing.timeSlicing in it",
    },
    DCGM_EXPORTER: {"env": "extraEnv", "serviceMonitor.namespace": "nothing instead: the ServiceMonitor is in the chart's namespace"},
    DRA_DRIVER: {
        "nodeSelector": "kubeletPlugin.nodeSelector",
        "tolerations": "kubeletPlugin.tolerations",
        "affinity": "kubeletPlugin.affinity",
    },
}
# The plugin's chart had GPU feature discovery as a subchart until then.
_SUBCHART_UNTIL = (0, 15, 0)


def unread_keys(release: ChartRelease) -> Iterator[tuple[str, str]]:
    """The dotted path of each value that the chart does not read, and what to do about it."""
    if release.chart == GPU_OPERATOR:
        version = chart_version(release.version)
        if version is None or not version.is_newer_than_known:
            for ignored in ignored_keys(_known(release.values), version):
                by_version = f"Leave it out: {ignored.then}" if ignored.since or ignored.until else ""
                yield ignored.path, by_version or _instead(release.chart, ignored.path, ignored.known)
    elif release.chart in _TOP and not _is_older(release):
        for path, known in _unread(_known(release.values), release.chart):
            yield path, _instead(release.chart, path, known)


def _instead(chart: str, path: str, known: Iterable[str]) -> str:
    key = path.rpartition(".")[2]
    meant = _MEANT[chart].get(path) or (_MEANT[chart].get(key) if chart == GPU_OPERATOR else None)
    if meant:
        return f"Use {meant}"
    close = did_you_mean(key, known)
    return f"{close[0].upper()}{close[1:]}" if close else "Leave it out"


def _unread(values: Mapping[str, Any], chart: str) -> Iterator[tuple[str, list[str]]]:
    below = _BELOW[chart]
    top = [*_TOP[chart].split(), *below]
    for key, value in values.items():
        if key not in top:
            yield key, top
        elif key in below and isinstance(value, Mapping):
            inner = below[key].split()
            for each in _known(value):
                if each not in inner:
                    yield f"{key}.{each}", inner


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what can't be read, and without what is taken away."""
    return {key: value for key, value in values.items() if isinstance(key, str) and not isinstance(key, Unknown) and value is not None}


def _is_older(release: ChartRelease) -> bool:
    version = chart_version(release.version)
    return release.chart == DEVICE_PLUGIN and version is not None and version < _SUBCHART_UNTIL
