"""What node feature discovery needs to be told for GPU nodes, and the rule that marks them.

https://github.com/kubernetes-sigs/node-feature-discovery/blob/v0.19.0/deployment/helm/node-feature-discovery/values.yaml
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._arguments.refusals import flag, named_arguments, warn, wrong
from ..upstream.charts import NODE_FEATURE_DISCOVERY
from ..upstream.charts.device_plugin_chart import PRESENT_LABEL
from ..upstream.charts.nfd_chart import CARD_FIELDS
from .chart_keys import chart_version, check_keys
from .chart_settings import ChartSettings, node_classes
from .objects import Manifest, manifest, merged
from .user_values import overridden, refuse_what_helm_misreads

_RULE_NAME = "nvidia-gpu-present"
_SYMPTOMS = {
    "worker.tolerations": "a node with another taint gets no label",
    "worker.config.sources.pci.deviceClassWhitelist": "a GPU is of one of these classes, and gets no label without them",
    "worker.config.sources.pci.deviceLabelFields": "NVIDIA's charts look for pci-10de.present, the vendor alone",
    "worker.config.sources.custom": f"nothing else sets {PRESENT_LABEL}",
    "master.config.extraLabelNs": "labels of nvidia.com are published wherever others are denied",
}


@named_arguments(nodes="node feature discovery tolerates the taints of the nodes")
@dataclass(kw_only=True, eq=False, repr=False)
class NodeFeatureDiscoverySettings(ChartSettings):
    """The checked arguments of node feature discovery; `NodeFeatureDiscovery` documents each."""

    version: str | None = NODE_FEATURE_DISCOVERY.default_version
    namespace: str = "node-feature-discovery"
    release_name: str = "node-feature-discovery"
    repository: str = NODE_FEATURE_DISCOVERY.repository
    chart: str = NODE_FEATURE_DISCOVERY.name
    gpu_present_rule: bool = True
    rule_in_worker_config: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", node_classes(self.nodes, "its worker tolerates the taints of GPU nodes"))
        version = chart_version(NODE_FEATURE_DISCOVERY, self.version, pre_releases=True)
        self._check_chart()
        flag("gpu_present_rule", self.gpu_present_rule)
        refuse_what_helm_misreads(self.values)
        check_keys(NODE_FEATURE_DISCOVERY, self.values, version)
        for name, wanted, got in overridden(self._derived(), self.chart_values):
            warn(f"'values' sets {name} to {got!r}, where these nodes need {wanted!r}: {_SYMPTOMS[name]}")

    @property
    def chart_values(self) -> dict[str, Any]:
        """The values for the chart, with the user's laid on last."""
        return merged(self._derived(), self.values)

    def _derived(self) -> dict[str, Any]:
        # The classes and the field of upstream's device plugin chart: with them the label is the one that every chart of NVIDIA's waits for,
        # where NFD's own is pci-0300_10de.present.
        sources: dict[str, Any] = {"pci": {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]}}
        if self.gpu_present_rule and self.rule_in_worker_config:
            sources["custom"] = [gpu_present()]
        # The worker's list is empty in the chart, so nothing of the chart's own is replaced.
        worker = {"tolerations": self.tolerations, "config": {"sources": sources}}
        return {"worker": worker, "master": {"config": {"extraLabelNs": ["nvidia.com"]}}}

    @property
    def rule(self) -> Manifest | None:
        """The rule as an object of its own."""
        if not self.gpu_present_rule or self.rule_in_worker_config:
            return None
        return manifest("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", _RULE_NAME, spec={"rules": [gpu_present()]})


def gpu_present() -> dict[str, Any]:
    """Which nodes have an NVIDIA GPU that containers can be given.

    The PCI device alone does not tell: a card that is passed through to a virtual machine, or whose node lacks Talos' extension, has it as
    well. The kernel module does, which only a node with the extension and a configuration for it has loaded. A rule can't read the labels
    that Talos sets for its extensions (NFD matches what its own worker found).
    """
    return {
        "name": _RULE_NAME,
        "labels": {PRESENT_LABEL: "true"},
        "matchFeatures": [
            {
                "feature": "pci.device",
                # VGA controllers, and 3D controllers, as data-centre cards without a display are.
                "matchExpressions": {name: {"op": "In", "value": list(values)} for name, values in CARD_FIELDS.items()},
            },
            {"feature": "kernel.loadedmodule", "matchExpressions": {"nvidia": {"op": "Exists"}}},
        ],
    }


def check_beside_operator(*, nfd: bool, gpu_present_rule: bool) -> None:
    """Refuse what an operator in the same app does by itself."""
    if nfd:
        then = "the operator installs node feature discovery by itself, and two would label each node; leave one of them out"
        raise wrong("nfd", "False on an NvidiaGpuOperator beside a NodeFeatureDiscovery", nfd, then)
    if gpu_present_rule:
        then = "the operator sets nvidia.com/gpu.present by itself"
        raise wrong("gpu_present_rule", "False on a NodeFeatureDiscovery beside an NvidiaGpuOperator", gpu_present_rule, then)
