"""NVIDIA's DRA driver: its chart."""

from __future__ import annotations

from functools import partial

from ..nvidia.gpu_resources import PRESENT_LABEL
from .chart import Chart, ChartTable
from .device_plugin_chart import NVIDIA_TOLERATION, TEGRA_LABEL, any_of
from .nfd_chart import CLASS_LABELS, VENDOR_LABEL

_OF_NGC = Chart(name="nvidia-dra-driver-gpu", read_table=partial(ChartTable.of, "nvidia-dra-driver-gpu"))

DRA_DRIVER = Chart(
    name="dra-driver-nvidia-gpu",
    aliases=("nvidia-dra-driver-gpu", "nvidia-dra-driver", "k8s-dra-driver-gpu", "k8s-dra-driver"),
    repository="oci://registry.k8s.io/dra-driver-nvidia/charts",
    default_version="0.5.0",
    read_table=partial(ChartTable.of, "dra-driver-nvidia-gpu"),
    numbered_before=_OF_NGC,
    instead={
        "nodeSelector": "use kubeletPlugin.nodeSelector",
        "tolerations": "use kubeletPlugin.tolerations",
        "affinity": "use kubeletPlugin.affinity",
    },
    refused={
        "namespace": "set the namespace of the release",
        "nvidiaCtkPath": "leave it out: the driver brings its own hook",
    },
    defaults={
        "kubeletPlugin": {
            "affinity": any_of(
                (VENDOR_LABEL, "true"), *((label, "true") for label in CLASS_LABELS), (TEGRA_LABEL, "NVIDIA"), (PRESENT_LABEL, "true")
            ),
            "tolerations": [NVIDIA_TOLERATION],
        }
    },
)
"""The chart dra-driver-nvidia-gpu, which has this name and address since 0.4.0. Its versions carry no `v`.

Source: kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/{values.yaml,templates} at v0.4.1
and v0.5.0, site/content/docs/upgrade.md (2026-08-22)
"""

OWN_MEMORY_ONLY = ("25.3.0-rc.1", "25.12.0")
"""The first and the last release of the DRA driver that exit on a GPU without memory of its own, such as a GB10:
`error getting memory info for device 0: Not Supported`. They are all releases of the older chart. The next release,
v0.4.0, runs there.

Source: kubernetes-sigs/dra-driver-nvidia-gpu cmd/gpu-kubelet-plugin/nvlib.go at v25.3.0, v25.12.0 and v0.4.0
(3f2a9d48), #1073 (2026-11-22)
"""

CONSUMABLE_SINCE = "0.5.0"
"""The first version whose driver knows consumable shares.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go at v0.5.0 (2026-08-22)
"""
