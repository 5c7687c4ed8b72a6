"""The scrape settings of an exporter, which add the node's name and the pod to its series.

The settings are plain data for the endpoint of a ServiceMonitor. The VictoriaMetrics operator converts a ServiceMonitor to its own kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arguments.errors import wrong
from ..arguments.keywords import named_arguments
from ..arguments.names import label_map
from ..arguments.plain_values import flag, given
from ..arguments.quantities import milliseconds, scrape_duration

# The scrape timeout of the chart's ServiceMonitor from v26.7.0 on. Older charts set none, and Prometheus' own default is the same.
_OPERATOR_SCRAPE_TIMEOUT = "10s"


def relabelings(*, honor_labels: bool) -> list[dict[str, Any]]:
    """The relabelings of a target, which apply after those of the Prometheus operator."""
    # The spelling of the exporter's own node label changed with 4.6.0-4.8.3 (NVIDIA/dcgm-exporter#655).
    rules: list[dict[str, Any]] = [{"action": "replace", "sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}]
    if honor_labels:
        # For an idle GPU the exporter names no pod. Prometheus would keep the target's labels, and the GPU would seem to belong to the exporter's pod.
        rules.append({"action": "labeldrop", "regex": "namespace|pod|container"})
    return rules


def sampling(interval: str) -> dict[str, str]:
    """The exporter's variable for its sampling interval. The default is 30 s, so a shorter scrape interval would read each sample twice."""
    return {"DCGM_EXPORTER_INTERVAL": str(milliseconds(interval))}


@named_arguments()
def operator_exporter_values(
    *, interval: str = "15s", service_monitor_labels: Mapping[str, str] | None = None, honor_labels: bool = False
) -> dict[str, Any]:
    """Chart values that give the metrics of the GPU operator's exporter a node label and the right interval: for `NvidiaGpuOperator(values=…)`.

    Without these values the node label depends on the exporter's version, most versions of the chart make no ServiceMonitor, and the exporter samples only every
    30 s. Ask for its metrics with `MetricsSource(job="nvidia-dcgm-exporter")`. The exporter exports the counter file of its image, which has few metrics of the
    cards' health.

    Args:
        interval: The sampling and scrape interval, as a duration; at least the chart's scrape timeout of `10s`. Default: `15s`.
        service_monitor_labels: Labels by which Prometheus selects the ServiceMonitor, such as `{"release": "kube-prometheus-stack"}`.
            Default: none.
        honor_labels: Whether Prometheus keeps the exporter's own labels `namespace`, `pod` and `container`. Otherwise Prometheus renames these labels with the
            prefix `exported_`. Default: False.

    Returns:
        Values of the chart.

    Raises:
        TypeError, ValueError: `'interval' must be a duration …`; likewise for every other argument.

    Example:
        >>> operator_exporter_values()["dcgmExporter"]["env"]
        [{'name': 'DCGM_EXPORTER_INTERVAL', 'value': '15000'}]

    https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml
    """
    if milliseconds(scrape_duration("interval", interval)) < milliseconds(_OPERATOR_SCRAPE_TIMEOUT):
        raise wrong("interval", f"at least the chart's scrape timeout of '{_OPERATOR_SCRAPE_TIMEOUT}'", interval)
    monitor = {
        "enabled": True,  # on by default only in the newest chart
        "interval": interval,
        "honorLabels": flag("honor_labels", honor_labels),
        "additionalLabels": label_map("service_monitor_labels", given(service_monitor_labels)),
        "relabelings": relabelings(honor_labels=honor_labels),
    }
    variables = [{"name": name, "value": value} for name, value in sampling(interval).items()]
    return {"dcgmExporter": {"env": variables, "serviceMonitor": monitor}}
