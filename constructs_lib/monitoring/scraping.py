"""How Prometheus has to scrape an exporter, so that a dashboard can say which node a card is in, and which pod has it.

Plain data for a ServiceMonitor's endpoint, which the VictoriaMetrics operator converts to its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import label_map
from .._arguments.plain_values import flag, given
from .._arguments.quantities import milliseconds, scrape_duration

# Of the chart's ServiceMonitor from v26.7.0 on; older ones leave it to Prometheus, which waits as long by itself.
_OPERATOR_SCRAPE_TIMEOUT = "10s"


def relabelings(*, honor_labels: bool) -> list[dict[str, Any]]:
    """What is made of a target's labels, after what the Prometheus operator itself makes of them."""
    # The exporter's own label of the node changed its case with 4.6.0-4.8.3 (NVIDIA/dcgm-exporter#655).
    rules: list[dict[str, Any]] = [{"action": "replace", "sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}]
    if honor_labels:
        # Where the exporter has no pod to name, the target's own would be kept: an idle GPU would seem to be used by the exporter.
        rules.append({"action": "labeldrop", "regex": "namespace|pod|container"})
    return rules


def sampling(interval: str) -> dict[str, str]:
    """The exporter's variable for how often it looks: each 30 s by itself, so a shorter interval would read every sample twice."""
    return {"DCGM_EXPORTER_INTERVAL": str(milliseconds(interval))}


@named_arguments()
def operator_exporter_values(
    *, interval: str = "15s", service_monitor_labels: Mapping[str, str] | None = None, honor_labels: bool = False
) -> dict[str, Any]:
    """The values that make the GPU operator's own exporter as good a source as `DcgmExporter`: for `NvidiaGpuOperator(values=…)`.

    Without them its metrics do not name their node in a way that outlives the next release, it is not scraped by most of the charts, and it
    looks half as often as it is asked. Ask for its metrics with `MetricsSource(job="nvidia-dcgm-exporter")`. It exports what its image
    lists, which has no health of the cards.

    Args:
        interval: How often it looks and is scraped, at least the chart's scrape timeout of `10s`. Default: `15s`.
        service_monitor_labels: Labels by which Prometheus finds the ServiceMonitor, such as `{"release": "kube-prometheus-stack"}`.
            Default: none.
        honor_labels: Whether Prometheus keeps the exporter's own `namespace`, `pod` and `container`; else they begin with `exported_`.
            Default: False.

    Returns:
        Values of the chart.

    Raises:
        TypeError, ValueError: `'interval' must be a duration …` and so on.

    Example:
        >>> operator_exporter_values()["dcgmExporter"]["env"]
        [{'name': 'DCGM_EXPORTER_INTERVAL', 'value': '15000'}]

    https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml
    """
    if milliseconds(scrape_duration("interval", interval)) < milliseconds(_OPERATOR_SCRAPE_TIMEOUT):
        raise wrong("interval", f"at least the chart's scrape timeout of '{_OPERATOR_SCRAPE_TIMEOUT}'", interval)
    monitor = {
        "enabled": True,  # only the newest chart has it on by itself
        "interval": interval,
        "honorLabels": flag("honor_labels", honor_labels),
        "additionalLabels": label_map("service_monitor_labels", given(service_monitor_labels)),
        "relabelings": relabelings(honor_labels=honor_labels),
    }
    variables = [{"name": name, "value": value} for name, value in sampling(interval).items()]
    return {"dcgmExporter": {"env": variables, "serviceMonitor": monitor}}
