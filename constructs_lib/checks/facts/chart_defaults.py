"""What charts give a part of theirs where the author gives nothing: of each, what decides where and how its pods run.

NVIDIA/k8s-device-plugin deployments/helm/nvidia-device-plugin/values.yaml at v0.20.0, NVIDIA/dcgm-exporter deployment/values.yaml at 4.8.2,
kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/values.yaml at v0.4.1, NVIDIA/gpu-operator
deployments/gpu-operator/values.yaml at v26.7.0.
"""

from __future__ import annotations

from typing import Any

from ...upstream.chart_names import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, GPU_OPERATOR, NODE_FEATURE_DISCOVERY

_VENDOR = "feature.node.kubernetes.io/pci-10de.present"
_OF_A_CLASS = ("feature.node.kubernetes.io/pci-0302_10de.present", "feature.node.kubernetes.io/pci-0300_10de.present")
_TEGRA = "feature.node.kubernetes.io/cpu-model.vendor_id"
_PRESENT = "nvidia.com/gpu.present"
_GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_CONTROL_PLANE = {"key": "node-role.kubernetes.io/control-plane", "operator": "Equal", "value": "", "effect": "NoSchedule"}


def _any_of(*labels: tuple[str, str]) -> dict[str, Any]:
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]} for key, value in labels]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


DEFAULTS: dict[tuple[str, ...], dict[str, Any]] = {
    (DEVICE_PLUGIN,): {
        "affinity": _any_of((_VENDOR, "true"), (_TEGRA, "NVIDIA"), (_PRESENT, "true")),
        "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}, _GPU],
    },
    (DEVICE_PLUGIN, "nfd", "worker"): {
        "tolerations": [
            {"key": "node-role.kubernetes.io/master", "operator": "Equal", "value": "", "effect": "NoSchedule"},
            {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"},
        ],
        "config": {"sources": {"pci": {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]}}},
    },
    (DCGM_EXPORTER,): {
        "tolerations": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}],
        "resources": {"limits": {"cpu": "200m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
    },
    (DRA_DRIVER, "kubeletPlugin"): {
        "affinity": _any_of((_VENDOR, "true"), *((each, "true") for each in _OF_A_CLASS), (_TEGRA, "NVIDIA"), (_PRESENT, "true")),
        "tolerations": [_GPU],
    },
    (GPU_OPERATOR, NODE_FEATURE_DISCOVERY, "worker"): {
        "tolerations": [_CONTROL_PLANE, _GPU],
        "config": {"sources": {"pci": {"deviceClassWhitelist": ["02", "0200", "0207", "0300", "0302"], "deviceLabelFields": ["vendor"]}}},
    },
}
