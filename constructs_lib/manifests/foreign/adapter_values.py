"""`adapter_values`: the values of the prometheus-adapter's chart, for the metrics of `autoscale(autoscaler="hpa")`."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import flag, given, mapping, plain_mapping, texts
from ...upstream.programs.cluster_programs import EXPORTER_METRICS
from ..workload.pod_autoscaler import CPU, adapter_name
from ..workload.scaling import to_address, to_metric


@named_arguments(prometheus="the adapter asks Prometheus")
def adapter_values(
    metrics: Iterable[str], values: Mapping[str, Any] | None = None, *, prometheus: str, honor_labels: bool = False
) -> dict[str, Any]:
    """The values of the chart prometheus-adapter, with the rules for the metrics of `autoscale(autoscaler="hpa")`.

    A rule serves a series as a metric of the pod that its labels name. The series of a workload's own server name it
    by `namespace` and `pod`, as `scrape` makes them. DCGM's series have there the exporter's pod, and the GPU's pod in
    `exported_namespace` and `exported_pod`. The chart's own rules are off: they serve every series in Prometheus.

    Args:
        metrics: The names of the metrics, as in `autoscale`.
        values: Your own values of the chart. They stay, and your rules come first. Default: none.
        prometheus: The URL of Prometheus.
        honor_labels: Whether Prometheus keeps the exporter's own labels, as in `DcgmExporter`. Default: False.

    Returns:
        New values; the given values do not change.

    Raises:
        TypeError, ValueError: `'metrics' must be without 'cpu' …`, which metrics-server serves; `'values' must be …`
            for another address of Prometheus, and for `rules.default: true`; `'prometheus' must be …`, as a user or a
            query has no place in the chart's values; two metrics to which the adapter gives one name.

    Example:
        >>> values = adapter_values(["vllm:num_requests_waiting"], prometheus="http://prometheus.monitoring.svc:9090")
        >>> values["prometheus"], values["rules"]["custom"][0]["name"]["as"]
        ({'url': 'http://prometheus.monitoring.svc', 'port': 9090, 'path': ''}, 'vllm_num_requests_waiting')

    https://github.com/kubernetes-sigs/prometheus-adapter/blob/master/docs/config.md
    """
    completed = copy.deepcopy(plain_mapping("values", given(values), "a mapping of the chart's values"))
    flag("honor_labels", honor_labels)
    written = mapping("values[prometheus]", completed.get("prometheus", {}))
    for key, value in _address(prometheus).items():
        if written.setdefault(key, value) != value:
            raise wrong("values", f"without another prometheus.{key} than that of 'prometheus', {value!r}", written[key])
    rules = mapping("values[rules]", completed.get("rules", {}))
    if rules.setdefault("default", False) is not False:
        hint = "the chart's own rules serve every series of Prometheus, and those of the exporter as metrics of its own pod"
        raise wrong("values", "without rules.default", rules["default"], hint)
    own = [] if rules.get("custom") is None else rules["custom"]
    if not isinstance(own, list):
        raise wrong("values[rules][custom]", "a list of rules", own)
    rules["custom"] = [*own, *(_rule(name, honor_labels=honor_labels) for name in _names(metrics))]
    return {**completed, "prometheus": written, "rules": rules}


def _metric(name: str) -> str:
    if name == CPU:
        raise wrong("metrics", f"without '{CPU}'", name, "metrics-server serves the CPU of pods, without a rule")
    return str(to_metric(name, "metrics"))


def _address(url: str) -> dict[str, Any]:
    """The fields of the chart, which writes the URL, the port and the path one after the other (templates/deployment.yaml)."""
    address = str(to_address(url, "prometheus"))
    rule = "the URL of Prometheus with a host, at most a port of 1 to 65535 and a path"
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise wrong("prometheus", rule, url) from error
    if not host or port == 0:
        raise wrong("prometheus", rule, url)
    if "@" in parts.netloc:
        raise wrong("prometheus", rule, "a URL with a user", "everybody who may read the Deployment reads it there")
    if parts.query or parts.fragment:
        raise wrong("prometheus", rule, url)
    host = f"[{host}]" if ":" in host else host
    return {"url": f"{parts.scheme}://{host}", "port": port or (443 if parts.scheme == "https" else 80), "path": parts.path.rstrip("/")}


def _names(metrics: Iterable[str]) -> Iterable[str]:
    """The metrics, each once, and each with another name in the API of metrics."""
    names: dict[str, str] = {}
    for name in (_metric(each) for each in texts("metrics", metrics)):
        other = names.setdefault(adapter_name(name), name)
        if other != name:
            raise wrong("metrics", f"without a second metric that the adapter names {adapter_name(name)!r}, as it does {other!r}", name)
    return names.values()


def _rule(metric: str, *, honor_labels: bool) -> dict[str, Any]:
    is_dcgm = metric.startswith(EXPORTER_METRICS)
    prefix = "exported_" if is_dcgm and not honor_labels else ""
    namespace, pod = f"{prefix}namespace", f"{prefix}pod"
    # A pod with several GPUs has a series for each; a queue of requests is the sum of those of its engines.
    total = "avg" if is_dcgm else "sum"
    return {
        "seriesQuery": f'{metric}{{{namespace}!="",{pod}!=""}}',
        "resources": {"overrides": {namespace: {"resource": "namespace"}, pod: {"resource": "pod"}}},
        "name": {"matches": f"^{re.escape(metric)}$", "as": adapter_name(metric)},
        "metricsQuery": f"{total}(<<.Series>>{{<<.LabelMatchers>>}}) by (<<.GroupBy>>)",
    }
