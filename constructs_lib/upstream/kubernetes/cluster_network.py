"""Facts about the network inside a cluster, for NetworkPolicies."""

from __future__ import annotations

from ..talos.features import EXEMPT_NAMESPACE

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
"""The label that every namespace has, with its own name.

Source: https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-metadata-name (2026-11-22)
"""

DNS_NAMESPACE = EXEMPT_NAMESPACE
"""The namespace of the cluster's DNS server.

Source: https://kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution/ (2026-11-22)
"""

DNS_LABELS = {"k8s-app": "kube-dns"}
"""The labels of the pods of the cluster's DNS server, CoreDNS too.

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
