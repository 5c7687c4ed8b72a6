"""The network of a cluster: the namespaces and addresses that NetworkPolicies name, the Gateway API, and the
controllers of Ingress objects."""

from __future__ import annotations

from ..choice import Choice
from ..talos.features import EXEMPT_NAMESPACE

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
"""The label that every namespace has, with its own name.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name (2026-11-22)
"""

DNS_NAMESPACE = EXEMPT_NAMESPACE  # The namespace of the cluster's DNS server
DNS_LABELS = {"k8s-app": "kube-dns"}  # The labels of the pods of the cluster's DNS server, CoreDNS too
"""The cluster's DNS server.

Source: https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/ (2026-11-22)
"""

PRIVATE_BLOCKS = {
    "0.0.0.0/0": ("10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"),
    "::/0": ("fc00::/7", "fe80::/10"),
}
"""The blocks of addresses that are in no public network, by the block that contains them: private, shared, link-local
and unique local addresses.

Source: https://www.iana.org/assignments/iana-ipv4-special-registry/,
https://www.iana.org/assignments/iana-ipv6-special-registry/ (2026-11-22)
"""


GATEWAY_API = "gateway.networking.k8s.io/v1"
"""The API version of HTTPRoute, TCPRoute and UDPRoute. Before Gateway API 1.6 the latter two had v1alpha2 alone, in the
experimental channel.

Source: https://kubernetes.io/blog/2026/08/03/gateway-api-v1-6-release/ (2026-11-22)
"""

HTTP2_WITHOUT_TLS = "kubernetes.io/h2c"
"""The `appProtocol` of a Service's port for HTTP/2 without TLS, such as gRPC. A Gateway takes a port without the field
for HTTP/1.1.

Source: https://gateway-api.sigs.k8s.io/geps/gep-1911/ (2026-11-22)
"""

REFERENCE_GRANT_API = "gateway.networking.k8s.io/v1beta1"
"""The API version of a ReferenceGrant, which lets a route use a Service of another namespace.

Source: https://gateway-api.sigs.k8s.io/api-types/referencegrant/ (2026-11-22)
"""

GATEWAY_DURATION = r"([0-9]{1,5}(h|m|s|ms)){1,4}"
"""The durations of the Gateway API: whole numbers alone, unlike those of Go.

Source: https://gateway-api.sigs.k8s.io/geps/gep-2257/ (2026-11-22)
"""

UNLIMITED = "0s"
"""The duration that turns a timeout of an HTTPRoute off. Without the field, the implementation decides: Envoy Gateway
ends a request after 15 s.

Source: https://gateway-api.sigs.k8s.io/geps/gep-1742/, https://gateway.envoyproxy.io/docs/tasks/traffic/http-timeouts/
(2026-11-22)
"""


class IngressController(Choice):
    """A controller of Ingress objects whose annotations for long answers are known.

    Source: INGRESS_ANNOTATIONS (2026-11-22)
    """

    INGRESS_NGINX = "ingress-nginx"
    """The community's controller, without releases since March 2026."""
    HAPROXY = "haproxy"
    """The controller of HAProxy Technologies, with annotations of haproxy.org."""


INGRESS_ANNOTATIONS = {
    IngressController.INGRESS_NGINX: {
        "nginx.ingress.kubernetes.io/proxy-read-timeout": "{seconds}",
        "nginx.ingress.kubernetes.io/proxy-send-timeout": "{seconds}",
        "nginx.ingress.kubernetes.io/proxy-buffering": "off",
        "nginx.ingress.kubernetes.io/proxy-body-size": "0",
        "nginx.ingress.kubernetes.io/proxy-next-upstream": "off",
    },
    IngressController.HAPROXY: {"haproxy.org/timeout-server": "{seconds}s"},
}
"""The annotations that keep a long answer open, by controller. The timeouts are between two reads or writes.
ingress-nginx else ends a silent answer after 60 s, takes bodies of 1 MiB, and tries another pod after an error; HAProxy
ends a silent answer after 50 s.

Source: kubernetes/ingress-nginx docs/user-guide/nginx-configuration/annotations.md, haproxytech/kubernetes-ingress
documentation/annotations.md (2026-11-22)
"""

SILENT_STREAM = "1h"
"""The time for which the annotations of an Ingress keep a silent answer open, where nobody asks for another. Unlike 0s
for an HTTPRoute, no value of these timeouts is documented to mean "for ever".

Source: INGRESS_ANNOTATIONS; http://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_read_timeout (2026-11-22)
"""
