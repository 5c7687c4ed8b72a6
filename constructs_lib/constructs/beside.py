"""The functions that make objects beside a workload: `autoscale`, `expose`, `isolate`, `scrape`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from cdk8s import ApiObject

from ..arguments.errors import wrong_kind
from ..arguments.keywords import named_arguments
from ..clusters.part import Part
from ..clusters.workload_parts import AUTOSCALE, EXPOSE, ISOLATE, SCRAPE, id_beside
from ..manifests.objects import MAIN
from ..manifests.workload.exposure import ExposureSettings
from ..manifests.workload.isolation import IsolationSettings
from ..manifests.workload.metrics import ScrapeSettings
from ..manifests.workload.part_settings import PartSettings
from ..manifests.workload.scaling import ScalingSettings
from ._emit import GpuConstruct
from ._registry import place_of

_P = ParamSpec("_P")
_S = TypeVar("_S", bound=PartSettings)


class WorkloadPart(GpuConstruct, PartSettings):
    """The constructs that `expose`, `scrape`, `isolate` and `autoscale` return: their arguments as attributes, and
    `resource`, the main `ApiObject`."""

    def __init__(self, part: Part[_P, _S], settings: _S) -> None:
        workload = settings.workload
        if not isinstance(workload, GpuConstruct):
            raise wrong_kind("workload", "a GpuWorkload or a Companion", workload, "its settings alone have no place in an app")
        manifests = part.manifests(place_of(workload.scope), settings)
        super().__init__(workload.scope, id_beside(workload.node.id, manifests), settings, part, manifests)

    @property
    def resource(self) -> ApiObject:
        """The main object."""
        return self._objects[MAIN]


def beside(part: Part[_P, _S]) -> Callable[[Callable[[_S], None]], Callable[_P, WorkloadPart]]:
    """Give a function the arguments of the part's settings; it makes the objects of the part beside the workload. The
    function's own body is empty."""

    def wrap(function: Callable[[_S], None]) -> Callable[_P, WorkloadPart]:
        @functools.wraps(function)
        def with_arguments(*args: _P.args, **kwargs: _P.kwargs) -> WorkloadPart:
            return WorkloadPart(part, part.settings(*args, **kwargs))

        arguments = inspect.signature(part.settings).parameters.values()
        with_arguments.__signature__ = inspect.Signature(list(arguments), return_annotation=WorkloadPart)  # type: ignore[attr-defined]
        return with_arguments

    return wrap


@named_arguments(**AUTOSCALE.needs)
@beside(AUTOSCALE)
def autoscale(settings: ScalingSettings) -> None:  # noqa: D417  # its arguments are those of the settings
    """Let an autoscaler choose the number of a workload's pods, by a metric or by the requests that wait.

    CPU and GPU utilisation say nothing about a queue of requests. Scale by the requests that wait:
    `vllm:num_requests_waiting`, `llamacpp:requests_deferred`, `sglang:num_queue_reqs`,
    `nv_inference_pending_request_count` (Triton), `te_queue_size` (Text Embeddings Inference).

    A workload without pods has no metrics, so only a proxy that counts requests can wake it: KEDA's HTTP add-on. Let
    the requests go through the proxy with `expose(…, interceptor_namespace="keda")`, and let each proxy before it wait
    for longer than a start. The synth fails where a way in or an `OpenWebUI` calls such a workload past the proxy.

    What each needs in the cluster: `metric="cpu"` metrics-server; another `metric` with `autoscaler="hpa"` the
    prometheus-adapter with the values of `adapter_values`; everything else KEDA, and `wake_on` its HTTP add-on.

    Makes a ScaledObject, of which KEDA takes one for a workload; with `wake_on` also an InterceptorRoute; with
    `autoscaler="hpa"` a HorizontalPodAutoscaler. All have the name of the workload. The CRDs of the first two come with
    KEDA and its HTTP add-on. A `metric` is asked for with the labels that `scrape` gives the series, and DCGM's with
    those of the exporter.

    Args:
        workload: The `GpuWorkload` or `Companion`: a Deployment or a StatefulSet with `replicas=None`.
        metric: The name of a metric; its sum over the workload's pods counts. With `autoscaler="hpa"` it may be one of
            DCGM's, such as DCGM_FI_DEV_GPU_UTIL: the average over the GPUs of a pod, in DCGM's unit. "cpu" is the CPU of
            the workload's container, in per cent of its request. Default: none; give `metric`, `query` or `wake_on`.
        autoscaler: `keda`, or `hpa` for a HorizontalPodAutoscaler without KEDA. Default: `hpa` for "cpu", else `keda`.
        query: A PromQL expression in place of a metric, with one element as its answer. Default: none.
        threshold: The number for each pod: the autoscaler starts as many pods as the metric has thresholds. Default:
            80 for "cpu"; required with another metric and with a query.
        prometheus: The URL of Prometheus, for KEDA. Default: none; required with a query, and with a metric for KEDA.
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
        A construct beside the workload, with the arguments as attributes, and with the main `ApiObject` as
        `resource`.

    Raises:
        TypeError, ValueError: `'workload' must be a workload with replicas=None …`; `'max_replicas' must be at most …`
            for more pods than the nodes have GPUs for, or `… 1 …` for a claim that only one node can mount;
            `'min_replicas' must be at least 1 …` without `wake_on`, and for a workload whose Service a Job of its own
            calls; `'query' must be …` for a query whose answer has several elements; `'… must be left out with
            autoscaler='hpa' …` for KEDA's arguments.

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


@named_arguments(**EXPOSE.needs)
@beside(EXPOSE)
def expose(settings: ExposureSettings) -> None:  # noqa: D417  # its arguments are those of the settings
    """A way from outside the cluster to a workload: a route of a Gateway, an Ingress, or a Service with a load
    balancer.

    Answers of GPU servers stream for minutes. The HTTPRoute therefore has no request timeout; without one of its own,
    an implementation may end each request after seconds (Envoy Gateway: 15). The route has no retries, because a second
    try would do the work of the GPU again.

    Makes an HTTPRoute; without `hostname` a TCPRoute or a UDPRoute; with `ingress_class` an Ingress; with
    `load_balancer` a Service. For a StatefulSet also makes a Service `<name>-ready`, because its own Service names pods
    that are not ready, too. Makes no Gateway and no certificate.

    Args:
        workload: The `GpuWorkload` or `Companion`, with a `port`.
        hostname: The host name of the requests, such as "chat.example.com". Default: none, for a port that does not
            serve HTTP.
        gateway: The name of the Gateway. Give one of `gateway`, `ingress_class` and `load_balancer`.
        gateway_namespace: The namespace of the Gateway. Default: that of the workload.
        section: The name of the Gateway's listener; required without `hostname`. Default: every listener that fits.
        ingress_class: The IngressClass, in place of a Gateway. Default: none.
        ingress_controller: The controller of that class, `ingress-nginx` or `haproxy`, for the annotations that keep
            long answers open. Default: none, and no annotations.
        tls_secret: The Secret with the certificate of an Ingress. Default: none. A Gateway's listener has its own.
        load_balancer: Whether to make a Service of the type LoadBalancer, for ports such as RTSP. Default: False.
        interceptor_namespace: The namespace of KEDA's HTTP add-on, where the requests go through its proxy, which wakes
            a workload of `autoscale(min_replicas=0)`; makes a ReferenceGrant there. Default: none; requests go to the
            workload.
        port: The name of the workload's port. Default: `http`, or the only port.
        path: The prefix of the requests' paths. Default: `/`.
        timeout: The longest time of a request, as "1h"; for an Ingress the longest silence. Default: no limit for an
            HTTPRoute, 1h for the annotations of an Ingress.
        name: The object's name. Default: that of the workload; for a load balancer, and for another port than the
            default one, `<workload>-<port>`.
        labels: Further labels of the object. Default: none.
        annotations: Annotations of the object. Default: none.

    Returns:
        A construct beside the workload, with the arguments as attributes, and with the main `ApiObject` as `resource`.

    Raises:
        TypeError, ValueError: `'hostname' must be a host name …` for a URL or an IP address;
            `'port' must be the name of a port …`; `'section' must be …` for a route without a host name;
            `'timeout' must be …` for an Ingress of an unnamed controller.

    Warns:
        TalosGpuWarning: For a server that is known to have no authentication.

    Example:
        >>> chart = Chart(App(), "ai", namespace="ai")
        >>> nodes = GpuNodes(talos_version="1.14")
        >>> ollama = GpuWorkload(chart, "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434)
        >>> route = expose(ollama, "ollama.example.com", gateway="internal", gateway_namespace="network")
        >>> route.resource.kind, route.resource.to_json()["spec"]["rules"][0]["timeouts"]
        ('HTTPRoute', {'request': '0s'})

    https://gateway-api.sigs.k8s.io/api-types/httproute/
    """


@named_arguments(**ISOLATE.needs)
@beside(ISOLATE)
def isolate(settings: IsolationSettings) -> None:  # noqa: D417  # its arguments are those of the settings
    """Let only chosen pods reach a workload, and let the workload reach only what it needs.

    Most servers of models have no authentication: everybody who reaches Ollama can load, delete and copy models, and
    vLLM's key covers `/v1` alone.

    Only some network plugins of a cluster enforce a NetworkPolicy. Flannel, the default of Talos, enforces none up to
    Talos 1.12; from Talos 1.13 on it does with `cluster.network.cni.flannel.kubeNetworkPoliciesEnabled: true` in the
    machine config. Cilium and Calico always do.

    Makes a NetworkPolicy. The kubelet's probes are always let in. The pods of a `GpuGang` may always talk to one
    another, and the Job that asks a server for its `models`, as beside `Ollama` and `Whisper`, always reaches the
    server.

    Args:
        workload: The `GpuWorkload`, `GpuGang` or `Companion`.
        from_namespaces: The namespaces whose pods may reach the workload: that of the Gateway's proxies, of Prometheus,
            of the clients. Default: none.
        from_pods: The pods that may reach the workload: workloads, or mappings of labels of pods in its namespace.
            Default: none; with neither argument every pod of the workload's namespace.
        port: The name of the one port that may be reached. Default: every port of the workload.
        egress: What the workload may reach besides the cluster's DNS server: a list of workloads, labels of pods in its
            namespace, blocks of addresses such as "10.0.0.0/8" or "10.0.0.0/8:443", and "internet" for port 443 of
            public addresses, as for a download of models; True for everything. Default: nothing.
        name: The object's name. Default: that of the workload.
        labels: Further labels of the object. Default: none.
        annotations: Annotations of the object. Default: none.

    Returns:
        A construct beside the workload, with the arguments as attributes, and with the NetworkPolicy's `ApiObject` as
        `resource`.

    Raises:
        TypeError, ValueError: `'egress[0]' must be 'internet', or a block of addresses …` for a host name, which a
            NetworkPolicy can't have; `'egress' must be given …` for a server that downloads its `models` itself;
            `'from_pods' must be …`; `'port' must be the name of a port …`.

    Warns:
        TalosGpuWarning: For `egress` without the internet and blocks of addresses, and a server that downloads its
            `models` itself.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14")
        >>> ollama = GpuWorkload(Chart(App(), "ai"), "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434)
        >>> policy = isolate(ollama, from_namespaces=["chat"], egress=["internet"])
        >>> policy.resource.to_json()["spec"]["ingress"][0]["ports"]
        [{'port': 11434, 'protocol': 'TCP'}]

    https://kubernetes.io/docs/concepts/services-networking/network-policies/
    """


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
