"""`expose`."""

from __future__ import annotations

from ..arguments.keywords import named_arguments
from ..clusters.side_parts import EXPOSE
from ..manifests.workload.exposure import ExposureSettings
from ._workload_part import beside


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
