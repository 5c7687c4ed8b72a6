"""Node feature discovery: its chart, the labels that it gives nodes, and the fields of its rules."""

from __future__ import annotations

from functools import partial

from .chart import Chart, ChartTable

NODE_FEATURE_DISCOVERY = Chart(
    name="node-feature-discovery",
    aliases=("nfd",),
    repository="oci://registry.k8s.io/nfd/charts",
    default_version="0.19.0",
    read_table=partial(ChartTable.of, "node-feature-discovery"),
)
"""The chart node-feature-discovery. Its versions carry no `v`.

Source: kubernetes-sigs/node-feature-discovery deployment/helm/node-feature-discovery/values.schema.json at v0.19.0
(2026-08-22)
"""

OF_MASTER: list[dict[str, str]] = [
    {"key": "node-role.kubernetes.io/control-plane", "operator": "Equal", "value": "", "effect": "NoSchedule"}
]
"""The chart's own tolerations of NFD's master. NFD's worker and its garbage collector have none.

Source: kubernetes-sigs/node-feature-discovery deployment/helm/node-feature-discovery/values.yaml at v0.18.2, v0.18.3
and v0.19.0 (2026-11-23)
"""

FEATURE_PREFIX = "feature.node.kubernetes.io/"  # The prefix of the labels that node feature discovery sets
# The label of a node with an NVIDIA PCI device, if the label's only field is the vendor, as NVIDIA's charts set it.
VENDOR_LABEL = f"{FEATURE_PREFIX}pci-10de.present"
DEFAULT_FIELDS = ("class", "vendor")  # The default fields of a PCI device in its label
DEFAULT_CLASSES = ("03", "0b40", "12")  # The prefixes of the classes of PCI devices that have a label by default
# The values of the fields for an NVIDIA card: class 0300 for a display controller, 0302 for a card without outputs.
CARD_FIELDS: dict[str, tuple[str, ...]] = {"vendor": ("10de",), "class": ("0300", "0302")}
# The labels of a node with an NVIDIA card, with `DEFAULT_FIELDS`.
CLASS_LABELS = (f"{FEATURE_PREFIX}pci-0302_10de.present", f"{FEATURE_PREFIX}pci-0300_10de.present")
"""The labels of PCI devices.

Source: kubernetes-sigs/node-feature-discovery source/pci/pci.go at v0.19.0, https://pci-ids.ucw.cz/read/PD/03
(2026-08-22)
"""

FEATURE_RULE_VERSION = "nfd.k8s-sigs.io/v1alpha1"
FEATURE_RULE = {
    "NodeFeatureRule": {"spec": "NodeFeatureRuleSpec"},
    "NodeFeatureRuleSpec": {"rules": "[NodeFeatureRuleRule]"},
    "NodeFeatureRuleRule": {
        **dict.fromkeys(("name", "labelsTemplate", "varsTemplate"), "string"),
        **dict.fromkeys(("labels", "annotations", "vars", "extendedResources"), "{string}"),
        "taints": "[Taint]",
        "matchFeatures": "[FeatureMatcherTerm]",
        "matchAny": "[MatchAnyElem]",
    },
    "MatchAnyElem": {"matchFeatures": "[FeatureMatcherTerm]"},
    "FeatureMatcherTerm": {"feature": "string", "matchExpressions": "{MatchExpression}", "matchName": "MatchExpression"},
    "MatchExpression": {"op": "string", "value": "[string]"},
}
"""The fields of a NodeFeatureRule, by type, as the table of Kubernetes' fields has those of a pod.

Source: kubernetes-sigs/node-feature-discovery api/nfd/v1alpha1/types.go at v0.17.3 and v0.19.0 (2026-11-28)
"""
