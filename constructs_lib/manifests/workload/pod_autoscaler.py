"""The HorizontalPodAutoscaler of a workload: by its CPU, or by a metric of its pods that the prometheus-adapter serves."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ...upstream.choice import Choice
from ...upstream.programs.cluster_programs import HPA_API

CPU = "cpu"  # The one resource of metrics-server by which a GPU workload is scaled
DEFAULT_CPU = 80
"""The percentage of the CPU request that Kubernetes aims at by default.

Source: kubernetes/kubernetes pkg/apis/autoscaling/v2/defaults.go at v1.37.2, DefaultCPUUtilization (2026-11-28)
"""


class Autoscaler(Choice):
    """What chooses the number of pods."""

    KEDA = "keda"
    """KEDA: by PromQL, and from zero by waiting requests."""
    HPA = "hpa"
    """A HorizontalPodAutoscaler, which Kubernetes has itself; it reads metrics-server or the prometheus-adapter."""


def adapter_name(metric: str) -> str:
    """The name of a series in the API of custom metrics. It differs from the series' own name, by which the chart's
    rules serve DCGM's series as metrics of the exporter's pod."""
    return metric.lower().replace(":", "_")


def pod_autoscaler(workload: str, kind: str, metric: str, threshold: float, replicas: tuple[int, int]) -> tuple[str, dict[str, Any]]:
    """The API version and the spec of the HorizontalPodAutoscaler."""
    fewest, most = replicas
    target = {"apiVersion": "apps/v1", "kind": kind, "name": workload}
    return HPA_API, {
        "scaleTargetRef": target,
        "minReplicas": fewest,
        "maxReplicas": most,
        "metrics": [_cpu(workload, int(threshold)) if metric == CPU else _of_pods(metric, threshold)],
    }


def _cpu(container: str, percent: int) -> dict[str, Any]:
    # The metric of the whole pod fails as soon as one sidecar has no CPU request.
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "ContainerResource", "containerResource": {"name": CPU, "container": container, "target": target}}


def _of_pods(metric: str, threshold: float) -> dict[str, Any]:
    target = {"type": "AverageValue", "averageValue": _quantity(threshold)}
    return {"type": "Pods", "pods": {"metric": {"name": adapter_name(metric)}, "target": target}}


_SUFFIXES = ("u", "m", "", "k", "M", "G", "T", "P")


def _quantity(number: float) -> str:
    """The number as the API server writes it, such as 500m for 0.5: another spelling would differ at every sync."""
    millionths, places = int((Decimal(f"{number:.10g}") * 10**6).to_integral_value()), 0
    while millionths % 1000 == 0 and places < len(_SUFFIXES) - 1:
        millionths, places = millionths // 1000, places + 1
    return f"{max(millionths, 1)}{_SUFFIXES[places]}"
