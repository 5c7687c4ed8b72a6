"""Node selectors and required node affinities with labels that nothing sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....observed.agents.agents import PLUGIN, Agent, agents
from ....observed.agents.discoverers import discoverers
from ....observed.model import Inputs, Path, at
from ....observed.nodes.node_labels import LabelSetter, NodeLabels, label_setter, labels_of_nodes
from ....observed.placement.placements import Placement, placements
from ....observed.placement.selection import TERMS, Requirement, Term, selection_of
from ....upstream.charts.nfd_chart import FEATURE_PREFIX, VENDOR_LABEL
from ....upstream.talos.extension_names import LABEL_PREFIX
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness

# The term of the charts' default affinity that matches only Tegra.
_TEGRA = f"{FEATURE_PREFIX}cpu-model.vendor_id"
# The plugin's chart always renders its MPS daemon, with a nodeSelector that only a plugin with MPS labels nodes for.
_NEVER_JUDGED = ("nvidia.com/mps.capable",)
_NVIDIAS_OWN = ("nvidia.com/", FEATURE_PREFIX, LABEL_PREFIX)


_RUNTIME_CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
"""
_CHARTS = f"""\
{_RUNTIME_CLASS}apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: nvidia-device-plugin, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: nvidia-device-plugin, version: 0.20.0}}}}
  values: {{runtimeClassName: nvidia}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: node-feature-discovery, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: node-feature-discovery, version: 0.19.0}}}}
"""
_VENDOR_ALONE = "  values: {worker: {config: {sources: {pci: {deviceLabelFields: [vendor]}}}}}\n"


@Rule(
    id="TG007",
    claim="Something sets the labels that a node selector or a required node affinity names",
    symptom="DESIRED 0 of a DaemonSet; 0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector",
    fix="Set the label in machine.nodeLabels (Talos 1.14: labels of KubeNodeConfig) or by a NodeFeatureRule, or "
    "select a label that Talos sets: {key: extensions.talos.dev/nvidia-container-toolkit-production, operator: "
    "Exists}. The GPU operator sets nvidia.com/gpu.present; NFD and GPU feature discovery do not",
    source="NVIDIA/k8s-device-plugin#1213; "
    "https://docs.siderolabs.com/talos/v1.13/configure-your-talos-cluster/system-configuration/labels",
    severity=Severity.WARNING,  # never more: kubectl may have set the label, as in a cluster that works so
    shown_by=Witness.CONTROL_PLANE,
    lists_users=True,
    failing=Example(_CHARTS),
    passing=Example(_CHARTS + _VENDOR_ALONE),
)
def _nothing_makes(inputs: Inputs) -> Iterator[Violation]:
    made = labels_of_nodes(inputs)
    for subject in placements(inputs):
        selection = selection_of(subject.spec)
        for wanted in selection.selector:
            if _is_missing(subject, made, wanted):
                yield _no_node(inputs, made, subject, (*subject.base, "nodeSelector", wanted.key), [wanted])
        missing = _missing_terms(subject, selection.terms, made)
        if missing:
            yield _no_node(inputs, made, subject, (*subject.base, *TERMS), missing)


def _missing_terms(subject: Placement, terms: Iterable[Term], made: NodeLabels) -> list[Requirement]:
    """A label that nothing sets from every term; none if one term has no such label."""
    missing = []
    for term in terms:
        wanted = next((each for each in term if _is_missing(subject, made, each)), None)
        if wanted is None:
            return []
        missing.append(wanted)
    return missing


def _is_missing(subject: Placement, made: NodeLabels, wanted: Requirement) -> bool:
    key = wanted.key
    if not wanted.needs_label or key in _NEVER_JUDGED or not (subject.is_nvidia or key.startswith("nvidia.com/") or "10de" in key):
        return False
    return key == _TEGRA or not made.makes(key, wanted.choices)


def _no_node(inputs: Inputs, made: NodeLabels, subject: Placement, path: Path, missing: list[Requirement]) -> Violation:
    judged = [each for each in missing if each.key != _TEGRA] or missing
    keys = [each.key for each in judged]
    labels = list(dict.fromkeys(f"{each.key}={'|'.join(sorted(each.choices))}" if each.choices else each.key for each in judged))
    known = [f"{key} is only set to {' and '.join(sorted(made.values[key] or ()))}" for key in keys if key in made.values]
    reason = f" ({'; '.join(known)})" if known else ""
    is_proven = subject.agent is not None and subject.agent.kind == PLUGIN and path[-1] == TERMS[-1] and _is_proven(inputs, subject.agent)
    if is_proven:
        reason = f" (NFD here labels a card {' and '.join(label for each in discoverers(inputs) for label in each.labels)})"
    return Violation(
        severity=_severity(inputs, made, keys),
        # The same words for every user of the label: they have one cause, and are one finding.
        message=f"nothing {inputs.here} sets the node label {' or '.join(labels)}{reason}. Unless something else sets "
        f"{'the label' if len(labels) == 1 else 'one of the labels'}, pods that select it stay Pending, and a DaemonSet stays at DESIRED 0",
        about=subject.about,
        path=path,
        fix=_VENDOR_FIX
        if is_proven
        else _DISCOVERY_FIX
        if all(label_setter(key) is LabelSetter.FEATURE_DISCOVERY for key in keys)
        else None,
    )


def _severity(inputs: Inputs, made: NodeLabels, keys: list[str]) -> Severity:
    """A warning for labels that are usually set in these files: NVIDIA's beside a part of the GPU stack, a label with
    other values, and any label if node configurations were read.
    """
    has_stack = bool(agents(inputs)) or made.operator or made.extensions is not None
    known = made.inventory or any(key in made.values for key in keys) or (has_stack and any(key.startswith(_NVIDIAS_OWN) for key in keys))
    return Severity.WARNING if known else Severity.INFO


def _is_proven(inputs: Inputs, plugin: Agent) -> bool:
    """Whether NFD runs, and sets none of the labels of the plugin's default affinity."""
    found = discoverers(inputs)
    is_default = plugin.complete and at(plugin.settings, "affinity") is None and "affinity" not in plugin.settings
    return is_default and bool(found) and all(each.fields is not None and VENDOR_LABEL not in each.labels for each in found)


_VENDOR_FIX = (
    "Set worker.config.sources.pci.deviceLabelFields: [vendor] in the values of NFD, which sets feature.node.kubernetes.io/pci-10de.present, or set "
    "the plugin chart's affinity to the labels that NFD sets"
)
_DISCOVERY_FIX = "Let GPU feature discovery set the label: gfd: {enabled: true} in the values of the chart nvidia-device-plugin. The GPU operator runs it by default"
