"""`isolate`."""

from __future__ import annotations

from ..arguments.keywords import named_arguments
from ..clusters.side_parts import ISOLATE
from ..manifests.workload.isolation import IsolationSettings
from ._workload_part import beside


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
