"""NVIDIA's DRA driver: its chart."""

from __future__ import annotations

from .chart import Chart, leaves
from .device_plugin_chart import NVIDIA_TOLERATION, PRESENT_LABEL, TEGRA_LABEL, any_of
from .nfd_chart import CLASS_LABELS, VENDOR_LABEL

DRA_DRIVER = Chart(
    name="dra-driver-nvidia-gpu",
    aliases=("nvidia-dra-driver-gpu", "nvidia-dra-driver", "k8s-dra-driver-gpu", "k8s-dra-driver"),
    repository="oci://registry.k8s.io/dra-driver-nvidia/charts",
    oldest="0.4.0",
    newest="0.5.0",
    keys={
        **leaves(
            "allowDefaultNamespace altProcDevices featureGates fullnameOverride global gpuResourcesEnabledOverride imagePullSecrets "
            "logVerbosity maskNvidiaDriverParams nameOverride namespace namespaceOverride nvidiaCDIHookPath nvidiaCtkPath nvidiaDriverRoot "
            "resourceApiVersion selectorLabelsOverride consumableShares"
        ),
        "controller": leaves(
            "affinity containers leaderElection metrics networkPolicy nodeSelector podAnnotations podSecurityContext priorityClassName replicas "
            "tolerations"
        ),
        "image": leaves("pullPolicy repository tag"),
        "kubeletPlugin": leaves(
            "affinity containers kubeletPluginsDirectoryPath kubeletRegistrarDirectoryPath metrics networkPolicy nodeSelector podAnnotations "
            "podSecurityContext priorityClassName tolerations updateStrategy"
        ),
        "resources": leaves("computeDomains gpus"),
        "serviceAccount": leaves("annotations create name"),
        "webhook": leaves(
            "affinity containerPort containers enabled failurePolicy nodeSelector podAnnotations podSecurityContext priorityClassName replicas "
            "serviceAccount servicePort strategy tls tolerations"
        ),
    },
    since={"consumableShares": "0.5.0"},
    instead={
        "nodeSelector": "use kubeletPlugin.nodeSelector",
        "tolerations": "use kubeletPlugin.tolerations",
        "affinity": "use kubeletPlugin.affinity",
    },
    defaults={
        "kubeletPlugin": {
            "affinity": any_of(
                (VENDOR_LABEL, "true"), *((label, "true") for label in CLASS_LABELS), (TEGRA_LABEL, "NVIDIA"), (PRESENT_LABEL, "true")
            ),
            "tolerations": [NVIDIA_TOLERATION],
        }
    },
    switches=("resources.gpus.enabled", "resources.computeDomains.enabled", "gpuResourcesEnabledOverride", "webhook.enabled"),
)
"""The chart dra-driver-nvidia-gpu, which has this name and address since 0.4.0. Its versions carry no `v`.

Source: kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/{values.yaml,templates} at v0.4.1 and v0.5.0,
site/content/docs/upgrade.md (2026-08-22)
"""

CONSUMABLE_SINCE = "0.5.0"
"""The first version whose driver knows consumable shares.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go at v0.5.0 (2026-08-22)
"""
