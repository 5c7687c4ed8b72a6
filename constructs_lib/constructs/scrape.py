"""`scrape`."""

from __future__ import annotations

from ..arguments.keywords import named_arguments
from ..clusters.side_parts import SCRAPE
from ..manifests.workload.metrics import ScrapeSettings
from ._workload_part import beside


@named_arguments(**SCRAPE.needs)
@beside(SCRAPE)
def scrape(settings: ScrapeSettings) -> None:  # noqa: D417  # its arguments are those of the settings
    """Let Prometheus scrape the metrics of a workload's server.

    Only for servers that have metrics: vLLM, SGLang, Triton, Text Embeddings Inference and llama.cpp (with `--metrics`)
    have some; Ollama and ComfyUI have none. A recipe knows the port and the path of its metrics, and the key that its
    server asks for. The series get the labels `namespace`, `pod`, `service`, and `job` with the workload's name.

    Makes a ServiceMonitor. Its CRD comes with the Prometheus operator; the VictoriaMetrics operator reads a
    ServiceMonitor too.

    Args:
        workload: The `GpuWorkload` or `Companion`, with a `port`.
        port: The name of the workload's port. Default: that of the recipe, else `http`, or the only port.
        path: The path of the metrics. Default: that of the recipe, else `/metrics`.
        interval: The time between two scrapes, as a duration of Prometheus. Default: `30s`.
        scrape_timeout: The time after which a scrape fails; at most `interval`. Default: that of Prometheus, 10s.
        name: The object's name. Default: that of the workload; for another port than the default one,
            `<workload>-<port>`.
        labels: Labels by which Prometheus selects the ServiceMonitor, such as `{"release": "kube-prometheus-stack"}`.
            Default: none.
        annotations: Annotations of the object. Default: none.

    Returns:
        A construct beside the workload, with the arguments as attributes, and with the ServiceMonitor's `ApiObject` as
        `resource`.

    Raises:
        TypeError, ValueError: `'port' must be the name of a port …`, or a TCP port; `'workload' must be …` for a Job,
            and for a recipe without metrics; `'interval' must be …`.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14")
        >>> server = GpuWorkload(Chart(App(), "ai"), "vllm", nodes=nodes, image="vllm/vllm-openai:v0.28.0", port=8000)
        >>> scrape(server, labels={"release": "kube-prometheus-stack"}).resource.to_json()["spec"]["endpoints"]
        [{'port': 'http', 'path': '/metrics', 'interval': '30s'}]

    https://prometheus-operator.dev/docs/api-reference/api/#monitoring.coreos.com/v1.ServiceMonitor
    """
