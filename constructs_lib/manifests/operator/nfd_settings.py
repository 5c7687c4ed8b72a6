"""The values of node feature discovery for GPU nodes, and the rule that labels GPU nodes.

https://github.com/kubernetes-sigs/node-feature-discovery/blob/v0.19.0/deployment/helm/node-feature-discovery/values.yaml
"""

from __future__ import annotations

from typing import Any

import attrs

from ...arguments.errors import warn, wrong
from ...arguments.fields import named, to_flag, to_namespace
from ...upstream.charts import NODE_FEATURE_DISCOVERY
from ...upstream.charts.nfd_chart import CARD_FIELDS, OF_MASTER
from ...upstream.nvidia.gpu_resources import PRESENT_LABEL
from ..charts.settings import ChartSettings, to_chart, to_release_name, to_repository, united
from ..charts.user_values import chart_version, check_keys, overridden, refuse_what_helm_misreads
from ..objects import Manifest, manifest

_RULE_NAME = "nvidia-gpu-present"
_SYMPTOMS = {
    "worker.tolerations": "nodes with other taints get no labels",
    "master.tolerations": "with tainted nodes only NFD's master stays Pending, and no node gets a label",
    "gc.tolerations": "with tainted nodes only NFD's garbage collector stays Pending, and a release that waits fails",
    "worker.config.sources.pci.deviceClassWhitelist": "without these PCI classes a GPU node gets no label",
    "worker.config.sources.pci.deviceLabelFields": "NVIDIA's charts select by pci-10de.present, a label of the vendor alone",
    "worker.config.sources.custom": f"nothing else sets {PRESENT_LABEL}",
    "master.config.extraLabelNs": "where NFD denies unknown label namespaces, it drops the labels of nvidia.com without this value",
}


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class NodeFeatureDiscoverySettings(ChartSettings):
    """The checked arguments of `NodeFeatureDiscovery`, which documents each argument."""

    version: str = NODE_FEATURE_DISCOVERY.default_version
    namespace: str = attrs.field(default=NODE_FEATURE_DISCOVERY.name, converter=to_namespace)
    release_name: str = attrs.field(default=NODE_FEATURE_DISCOVERY.name, converter=to_release_name)
    repository: str = attrs.field(default=NODE_FEATURE_DISCOVERY.repository, converter=to_repository)
    chart: str = attrs.field(default=NODE_FEATURE_DISCOVERY.name, converter=to_chart)
    gpu_present_rule: bool = attrs.field(default=True, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        version = chart_version(NODE_FEATURE_DISCOVERY, self.version, pre_releases=True)
        self._check_chart()
        refuse_what_helm_misreads(self.given_values)
        check_keys(NODE_FEATURE_DISCOVERY, self.given_values, version)
        for name, wanted, got in overridden(self._derived(), self.chart_values):
            warn(f"'values' sets {name} to {got!r}, where these nodes need {wanted!r}: {_SYMPTOMS[name]}")

    @property
    def rule_in_worker_config(self) -> bool:
        """Whether the rule is part of the worker's config, not an object of its own."""
        return False

    def _derived(self) -> dict[str, Any]:
        # The PCI classes and the label field of upstream's device plugin chart. They give the label that NVIDIA's
        # charts select by; NFD's default is pci-0300_10de.present.
        sources: dict[str, Any] = {"pci": {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]}}
        if self.gpu_present_rule and self.rule_in_worker_config:
            sources["custom"] = [gpu_present()]
        # The chart's own lists of the worker and of the garbage collector are empty; a list replaces the master's own.
        # A cluster may have tainted nodes only.
        worker = {"tolerations": self.tolerations, "config": {"sources": sources}}
        master = {"tolerations": united([OF_MASTER, self.tolerations]), "config": {"extraLabelNs": ["nvidia.com"]}}
        return {"worker": worker, "master": master, "gc": {"tolerations": self.tolerations}}

    @property
    def rule(self) -> Manifest | None:
        """The NodeFeatureRule; None where there is no such object."""
        if not self.gpu_present_rule or self.rule_in_worker_config:
            return None
        return manifest("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", _RULE_NAME, spec={"rules": [gpu_present()]})


def gpu_present() -> dict[str, Any]:
    """The rule for nodes with an NVIDIA GPU that containers can use.

    The PCI device alone does not suffice: a node whose card is passed through to a virtual machine, or without Talos'
    extensions, has the PCI device too. The rule therefore also asks for the kernel module, which is loaded only on a
    node with the extension and its configuration. A rule can't read the labels that Talos sets for its extensions: NFD
    matches only features of its own worker.
    """
    return {
        "name": _RULE_NAME,
        "labels": {PRESENT_LABEL: "true"},
        "matchFeatures": [
            {
                "feature": "pci.device",
                # VGA controllers (0300) and 3D controllers (0302); data-centre cards without a display are 3D
                # controllers.
                "matchExpressions": {name: {"op": "In", "value": list(values)} for name, values in CARD_FIELDS.items()},
            },
            {"feature": "kernel.loadedmodule", "matchExpressions": {"nvidia": {"op": "Exists"}}},
        ],
    }


def check_beside_operator(*, nfd: bool, gpu_present_rule: bool) -> None:
    """Refuse labels and installations that an operator in the same app already provides."""
    if nfd:
        hint = "the operator installs node feature discovery too, and both would label each node; leave one of the two out"
        raise wrong("nfd", "False on an NvidiaGpuOperator beside a NodeFeatureDiscovery", nfd, hint)
    if gpu_present_rule:
        hint = "the operator sets nvidia.com/gpu.present by itself"
        raise wrong("gpu_present_rule", "False on a NodeFeatureDiscovery beside an NvidiaGpuOperator", gpu_present_rule, hint)
