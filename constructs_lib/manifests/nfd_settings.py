"""What node feature discovery needs to be told for GPU nodes, and the rule that marks them.

https://github.com/kubernetes-sigs/node-feature-discovery/blob/v0.19.0/deployment/helm/node-feature-discovery/values.yaml
"""

from __future__ import annotations

from typing import Any

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import named, to_flag, to_namespace, to_text
from .._arguments.talos_warnings import warn
from ..upstream.charts import NODE_FEATURE_DISCOVERY
from ..upstream.charts.device_plugin_chart import PRESENT_LABEL
from ..upstream.charts.nfd_chart import CARD_FIELDS
from .chart_keys import chart_version, check_keys
from .chart_settings import ChartSettings, to_release_name, to_repository
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


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class NodeFeatureDiscoverySettings(ChartSettings):
    """The checked arguments of node feature discovery; `NodeFeatureDiscovery` documents each."""

    version: str = NODE_FEATURE_DISCOVERY.default_version
    namespace: str = attrs.field(default=NODE_FEATURE_DISCOVERY.name, converter=to_namespace)
    release_name: str = attrs.field(default=NODE_FEATURE_DISCOVERY.name, converter=to_release_name)
    repository: str = attrs.field(default=NODE_FEATURE_DISCOVERY.repository, converter=to_repository)
    chart: str = attrs.field(default=NODE_FEATURE_DISCOVERY.name, converter=to_text)
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
        """Whether the rule is no object of its own, but a part of the worker's config."""
        return False

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
        hint = "the operator installs node feature discovery by itself, and two would label each node; leave one of them out"
        raise wrong("nfd", "False on an NvidiaGpuOperator beside a NodeFeatureDiscovery", nfd, hint)
    if gpu_present_rule:
        hint = "the operator sets nvidia.com/gpu.present by itself"
        raise wrong("gpu_present_rule", "False on a NodeFeatureDiscovery beside an NvidiaGpuOperator", gpu_present_rule, hint)
