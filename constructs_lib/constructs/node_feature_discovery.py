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


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class _Arguments(NodeFeatureDiscoverySettings):
    delivery: Delivery = attrs.field(default=None, converter=to_delivery)

    @property
    def rule_in_worker_config(self) -> bool:
        return isinstance(self.delivery, Flux)


@named_arguments(nodes="node feature discovery tolerates the taints of the nodes")
class NodeFeatureDiscovery(GpuConstruct, _Arguments):
    """Node feature discovery with the labels that NVIDIA's charts look for, for clusters without the GPU operator, which brings its own.

    The device plugin needs none: it finds its nodes by the labels that Talos sets for its extensions. GPU feature discovery does, as its
    labels reach the node through it; so do other charts of NVIDIA's, and whoever selects nodes by `nvidia.com/gpu.present`.

    Every node with an NVIDIA device gets `feature.node.kubernetes.io/pci-10de.present=true`. With `gpu_present_rule` a node with a GPU, and
    with NVIDIA's kernel module loaded, gets `nvidia.com/gpu.present=true` too, which without the operator nothing else sets: a card that is
    passed through to a virtual machine does not count. The worker tolerates the taints of the nodes.

    Makes a privileged Namespace, as the worker mounts paths of the node; the chart by the chosen delivery (its objects, an Application, or a
    source and a HelmRelease); and a NodeFeatureRule. With `Flux` the rule is a part of the worker's config instead: Flux applies nothing of
    a folder in which it does not know one kind, and the chart has yet to bring that kind.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        nodes: The class of GPU nodes, or several.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version. Default: 0.19.0.
        namespace: Its namespace. Default: `node-feature-discovery`.
        create_namespace: Make it, privileged. Default: True.
        release_name: The Helm release's name. Default: `node-feature-discovery`.
        repository: The Helm repository, or `oci://…` of a registry. Default: the Kubernetes project's registry.
        chart: The chart's name; with `HelmTemplate` also a path. Default: `node-feature-discovery`.
        gpu_present_rule: Label GPU nodes `nvidia.com/gpu.present=true`. Default: True.
        values: Further values of the chart, deep-merged last. Default: none.

    Raises:
        TypeError, ValueError: `'version' must be …`; `'values' must be made of keys …` for what the chart would ignore; `'nfd' must be …`
            beside an operator that installs node feature discovery itself, and `'gpu_present_rule' must be …` beside any.

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
                # Argo CD would apply nothing beside a kind that the cluster does not know yet; it tries again when the chart has brought it.
                rule["metadata"]["annotations"] = {"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}
            manifests["GpuPresentRule"] = rule
        super().__init__(scope, id, settings, manifests)
        announce(scope, NODE_FEATURE_DISCOVERY, settings)


def _check_neighbours(scope: Construct, settings: NodeFeatureDiscoverySettings) -> None:
    for _ in neighbours(scope, NODE_FEATURE_DISCOVERY):
        hint = "one labels every node of the cluster; give it the classes of all nodes: nodes=[…, …]"
        raise wrong("nodes", "given to the one NodeFeatureDiscovery of this app", list(settings.nodes), hint)
    for operator in neighbours(scope, OPERATOR):
        check_beside_operator(nfd=operator.nfd, gpu_present_rule=settings.gpu_present_rule)
    check_namespace(scope, settings)
