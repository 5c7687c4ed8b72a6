"""NVIDIA's DCGM exporter: its chart and its image."""

from __future__ import annotations

from functools import partial

from ..version import Version
from .chart import Chart, ChartTable

OPERATORS_JOB = "nvidia-dcgm-exporter"
"""The Service of the GPU operator's exporter, whose name Prometheus takes for the job.

Source: NVIDIA/gpu-operator assets/state-dcgm-exporter/0600_service.yaml at v26.7.0 (2026-11-22)
"""

DCGM_EXPORTER = Chart(
    name="dcgm-exporter",
    aliases=(OPERATORS_JOB,),
    read_table=partial(ChartTable.of, "dcgm-exporter"),
    instead={
        "env": "use extraEnv",
        "serviceMonitor.namespace": "leave it out: the ServiceMonitor is in the chart's namespace",
    },
    defaults={
        "tolerations": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}],
        "resources": {"limits": {"cpu": "200m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
    },
)
"""The chart dcgm-exporter.

Source: NVIDIA/dcgm-exporter deployment/{values.yaml,templates} at 3.2.0 to 4.8.2 (2026-08-22)
"""

EXPORTER_OLDEST = Version(4, 8, 0)
"""The first exporter that knows every counter of this library. An older exporter exits at an unknown counter.

Source: NVIDIA/dcgm-exporter internal/pkg/counters at 4.7.0 and 4.8.0 (2026-08-22)
"""

EXPORTER_DRA = Version(4, 8, 3)
"""The first exporter that reads resource.k8s.io/v1. Older exporters wait for v1beta1 forever.

Source: NVIDIA/dcgm-exporter#654 (2026-08-22)
"""
