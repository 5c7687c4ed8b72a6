"""`NodeFeatureDiscovery`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.chart_parts import NODE_FEATURE_DISCOVERY_PART, DiscoveryArguments
from ._emit import GpuConstruct
from ._settings import takes


class NodeFeatureDiscovery(GpuConstruct, DiscoveryArguments):
    """Node feature discovery with the labels that NVIDIA's charts select by, for clusters without the GPU operator.

    The GPU operator installs node feature discovery by itself. `StandaloneDevicePlugin` needs none: it selects nodes by
    the labels that Talos sets for its extensions. GPU feature discovery needs node feature discovery to publish its
    labels. Other charts of NVIDIA's, and workloads that select nodes by `nvidia.com/gpu.present`, need its labels.

    Every node with an NVIDIA device gets `feature.node.kubernetes.io/pci-10de.present=true`. With `gpu_present_rule` a
    node with a GPU and with NVIDIA's kernel module loaded also gets `nvidia.com/gpu.present=true`; without the operator
    nothing else sets this label. A node whose card is passed through to a virtual machine does not get it. The worker
    tolerates the taints of the nodes.

    Makes a privileged Namespace, because the worker mounts paths of the node; the chart's objects, an Argo CD
    Application, or a Flux source and HelmRelease, as `delivery` chooses; and a NodeFeatureRule. With `Flux` the rule is
    part of the worker's config instead: Flux applies no object of a folder that contains an unknown kind, and only the
    chart brings the CRD of NodeFeatureRule.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of GPU nodes, or several classes.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version. Default: 0.19.0.
        namespace: The namespace of node feature discovery. Default: `node-feature-discovery`.
        create_namespace: Make the namespace, privileged. Default: True.
        release_name: The name of the Helm release. Default: `node-feature-discovery`.
        repository: The Helm repository, or the `oci://…` address of a registry. Default: the Kubernetes project's
            registry.
        chart: The chart's name, or its `oci://…` address; with `HelmTemplate` also a path. Default:
            `node-feature-discovery`.
        gpu_present_rule: Label GPU nodes `nvidia.com/gpu.present=true`. Default: True.
        values: Further values of the chart, merged last. Default: none.

    Raises:
        TypeError, ValueError: `'version' must be …`; `'values' must be made of keys …` for keys that the chart ignores;
            `'nfd' must be …` beside an operator that installs node feature discovery, and
            `'gpu_present_rule' must be …` beside any operator.

    Warns:
        TalosGpuWarning: When `values` overrides what GPU nodes need.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")])
        >>> discovery = NodeFeatureDiscovery(Chart(app, "nfd"), "nfd", nodes=nodes, delivery=ArgoCd())
        >>> discovery.version, discovery.chart_values["worker"]["config"]["sources"]["pci"]["deviceLabelFields"]
        ('0.19.0', ['vendor'])

    https://kubernetes-sigs.github.io/node-feature-discovery/v0.19/deployment/helm
    """

    @takes(NODE_FEATURE_DISCOVERY_PART)
    def __init__(self, scope: Construct, id: str, settings: DiscoveryArguments) -> None:  # noqa: A002
        super().__init__(scope, id, settings, NODE_FEATURE_DISCOVERY_PART)
