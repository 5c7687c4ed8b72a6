"""The part `NodeFeatureDiscovery`."""

from __future__ import annotations

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named
from ..manifests.charts.delivery import ArgoCd, Delivery, Flux
from ..manifests.objects import Manifests
from ..manifests.operator.nfd_settings import NodeFeatureDiscoverySettings, check_beside_operator
from .app_registry import NODE_FEATURE_DISCOVERY, OPERATOR, Place
from .chart_part import check_namespace, delivered, to_delivery
from .part import Part


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class DiscoveryArguments(NodeFeatureDiscoverySettings):
    """The checked arguments of `NodeFeatureDiscovery`, which documents each argument."""

    delivery: Delivery = attrs.field(default=None, converter=to_delivery)

    @property
    def rule_in_worker_config(self) -> bool:
        """Whether the rule is part of the worker's config."""
        return isinstance(self.delivery, Flux)


def _manifests(place: Place, settings: DiscoveryArguments) -> Manifests:
    _check_neighbours(place, settings)
    manifests: Manifests = {}
    if settings.namespace_object:
        manifests["Namespace"] = settings.namespace_object
    manifests |= delivered(settings, "DaemonSet")
    if rule := settings.rule:
        if isinstance(settings.delivery, ArgoCd):
            # Without this option Argo CD applies nothing until the cluster knows the rule's kind, whose CRD the chart
            # brings.
            rule["metadata"]["annotations"] = {"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}
        manifests["GpuPresentRule"] = rule
    return manifests


def _check_neighbours(place: Place, settings: NodeFeatureDiscoverySettings) -> None:
    for _ in place.neighbours(NODE_FEATURE_DISCOVERY):
        hint = "one NodeFeatureDiscovery labels every node of the cluster; give it all classes of nodes: nodes=[…, …]"
        raise wrong("nodes", "given to the one NodeFeatureDiscovery of this app", list(settings.nodes), hint)
    for operator in place.neighbours(OPERATOR):
        check_beside_operator(nfd=operator.nfd, gpu_present_rule=settings.gpu_present_rule)
    check_namespace(place, settings)


NODE_FEATURE_DISCOVERY_PART = Part(
    "NodeFeatureDiscovery",
    DiscoveryArguments,
    _manifests,
    lambda settings: [(NODE_FEATURE_DISCOVERY, settings)],
    needs={"nodes": "node feature discovery tolerates the taints of the nodes"},
)
