"""`autoscale`."""

from __future__ import annotations

from ..arguments.keywords import named_arguments
from ..clusters.side_parts import AUTOSCALE
from ..manifests.workload.scaling import ScalingSettings
from ._workload_part import beside


@named_arguments(**AUTOSCALE.needs)
@beside(AUTOSCALE)
def autoscale(settings: ScalingSettings) -> None:  # noqa: D417  # its arguments are those of the settings
    """Let KEDA choose the number of a workload's pods, by a metric of Prometheus or by the requests that wait.

    CPU and GPU utilisation say nothing about a queue of requests. Scale by the requests that wait:
    `vllm:num_requests_waiting`, `llamacpp:requests_deferred`, `sglang:num_queue_reqs`,
    `nv_inference_pending_request_count` (Triton), `te_queue_size` (Text Embeddings Inference).

    A workload without pods has no metrics, so only a proxy that counts requests can wake it: KEDA's HTTP add-on. Let
    the requests go through the proxy with `expose(…, interceptor_namespace="keda")`, and let each proxy before it wait
    for longer than a start. The synth fails where a way in or an `OpenWebUI` calls such a workload past the proxy.

    Makes a ScaledObject, of which KEDA takes one for a workload; with `wake_on` also an InterceptorRoute. Both have the
    name of the workload. Their CRDs come with KEDA and its HTTP add-on. A `metric` is asked for with the labels that
    `scrape` gives the series.

    Args:
        workload: The `GpuWorkload` or `Companion`: a Deployment or a StatefulSet with `replicas=None`.
        metric: The name of a metric; its sum over the workload's pods counts. Default: none; give `metric`, `query` or
            `wake_on`.
        query: A PromQL expression in place of a metric, with one element as its answer. Default: none.
        threshold: The number for each pod: KEDA starts as many pods as the query's answer has thresholds. Default:
            none; required with a query.
        prometheus: The URL of Prometheus. Default: none; required with a query.
        wake_on: The host names of requests that wake the workload and count towards its scale, for KEDA's HTTP add-on
            of 0.14 or newer. Default: none.
        concurrency: The requests that one pod serves at the same time, for `wake_on`. Default: none; required with
            `wake_on`.
        port: The name of the port for the requests of `wake_on`. Default: `http`, or the only port.
        interceptor_namespace: The namespace of KEDA's HTTP add-on. Default: `keda`.
        max_replicas: The most pods. Default: the pods for which the class of nodes has GPUs, where that is known.
        min_replicas: The fewest pods; 0 only with `wake_on`. Default: 1.
        cooldown_period: The seconds without a request after which the last pod stops, for `min_replicas=0`. Default:
            KEDA's, 300.
        labels: Further labels of the objects. Default: none.
        annotations: Annotations of the objects. Default: none.

    Returns:
        A construct beside the workload, with the arguments as attributes, and with the ScaledObject's `ApiObject` as
        `resource`.

    Raises:
        TypeError, ValueError: `'workload' must be a workload with replicas=None …`; `'max_replicas' must be at most …`
            for more pods than the nodes have GPUs for, or `… 1 …` for a claim that only one node can mount;
            `'min_replicas' must be at least 1 …` without `wake_on`, and for a workload whose Service a Job of its own
            calls; `'query' must be …` for a query whose answer has several elements.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14", count=2, gpus_per_node=2)
        >>> chart = Chart(App(), "ai", namespace="ai")
        >>> server = GpuWorkload(chart, "vllm", nodes=nodes, image="vllm/vllm-openai:v0.28.0", port=8000, replicas=None,
        ...                      readiness_probe=HttpProbe("/health"))
        >>> scaled = autoscale(server, metric="vllm:num_requests_waiting", threshold=5, prometheus="http://prometheus.monitoring.svc:9090")
        >>> scaled.max_replicas, scaled.resource.to_json()["spec"]["triggers"][0]["metadata"]["query"]
        (4, 'sum(vllm:num_requests_waiting{namespace="ai",service="vllm"})')

    https://keda.sh/docs/latest/reference/scaledobject-spec/
    """
