"""`NodeFeatureDiscovery`."""

from __future__ import annotations

import attrs
from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.fields import named
from .._arguments.keywords import named_arguments
from ..manifests.nfd_settings import NodeFeatureDiscoverySettings, check_beside_operator
from ..manifests.objects import Manifests
from ._chart_construct import check_namespace, delivered, to_delivery
from ._emit import GpuConstruct
from ._registry import NODE_FEATURE_DISCOVERY, OPERATOR, announce, neighbours
from ._settings import takes
from .delivery import ArgoCd, Delivery, Flux


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class _Arguments(NodeFeatureDiscoverySettings):
    delivery: Delivery = attrs.field(default=None, converter=to_delivery)

    @property
    def rule_in_worker_config(self) -> bool:
        return isinstance(self.delivery, Flux)


@named_arguments(nodes="node feature discovery tolerates the taints of the nodes")
class NodeFeatureDiscovery(GpuConstruct, _Arguments):
    """Node feature discovery with the labels that NVIDIA's charts select by, for clusters without the GPU operator.

    The GPU operator installs node feature discovery by itself. `StandaloneDevicePlugin` needs none: it selects nodes by the labels that Talos sets
    for its extensions. GPU feature discovery needs node feature discovery to publish its labels. Other charts of NVIDIA's, and workloads that select
    nodes by `nvidia.com/gpu.present`, need its labels.

    Every node with an NVIDIA device gets `feature.node.kubernetes.io/pci-10de.present=true`. With `gpu_present_rule` a node with a GPU and with
    NVIDIA's kernel module loaded also gets `nvidia.com/gpu.present=true`; without the operator nothing else sets this label. A node whose card is
    passed through to a virtual machine does not get it. The worker tolerates the taints of the nodes.

    Makes a privileged Namespace, because the worker mounts paths of the node; the chart's objects, an Argo CD Application, or a Flux source and
    HelmRelease, as `delivery` chooses; and a NodeFeatureRule. With `Flux` the rule is part of the worker's config instead: Flux applies no object of
    a folder that contains an unknown kind, and only the chart brings the CRD of NodeFeatureRule.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of GPU nodes, or several classes.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version. Default: 0.19.0.
        namespace: The namespace of node feature discovery. Default: `node-feature-discovery`.
        create_namespace: Make the namespace, privileged. Default: True.
        release_name: The name of the Helm release. Default: `node-feature-discovery`.
        repository: The Helm repository, or the `oci://…` address of a registry. Default: the Kubernetes project's registry.
        chart: The chart's name, or its `oci://…` address; with `HelmTemplate` also a path. Default: `node-feature-discovery`.
        gpu_present_rule: Label GPU nodes `nvidia.com/gpu.present=true`. Default: True.
        values: Further values of the chart, merged last. Default: none.

    Raises:
        TypeError, ValueError: `'version' must be …`; `'values' must be made of keys …` for keys that the chart ignores; `'nfd' must be …` beside an
            operator that installs node feature discovery, and `'gpu_present_rule' must be …` beside any operator.

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

    @takes(_Arguments)
    def __init__(self, scope: Construct, id: str, settings: _Arguments) -> None:  # noqa: A002
        _check_neighbours(scope, settings)
        manifests: Manifests = {}
        if settings.namespace_object:
            manifests["Namespace"] = settings.namespace_object
        manifests |= delivered(settings, "DaemonSet")
        if rule := settings.rule:
            if isinstance(settings.delivery, ArgoCd):
                # Without this option Argo CD applies nothing until the cluster knows the rule's kind, whose CRD the chart brings.
                rule["metadata"]["annotations"] = {"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}
            manifests["GpuPresentRule"] = rule
        super().__init__(scope, id, settings, manifests)
        announce(scope, NODE_FEATURE_DISCOVERY, settings)


def _check_neighbours(scope: Construct, settings: NodeFeatureDiscoverySettings) -> None:
    for _ in neighbours(scope, NODE_FEATURE_DISCOVERY):
        hint = "one NodeFeatureDiscovery labels every node of the cluster; give it all classes of nodes: nodes=[…, …]"
        raise wrong("nodes", "given to the one NodeFeatureDiscovery of this app", list(settings.nodes), hint)
    for operator in neighbours(scope, OPERATOR):
        check_beside_operator(nfd=operator.nfd, gpu_present_rule=settings.gpu_present_rule)
    check_namespace(scope, settings)
