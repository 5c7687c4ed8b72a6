"""Node selectors and affinities with labels that nothing sets, and taints of GPU nodes that pods do not tolerate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from ....observed.agents.agents import EXPORTER, GFD, NFD_WORKER, PLUGIN, Agent, agents
from ....observed.agents.operators import operators
from ....observed.model import ChartRelease, Inputs, Path, Read, at, known_items
from ....observed.model.input_kinds import NodeTaint
from ....observed.nodes.node import HOSTNAME, Node, configured_node, described_node, live_node
from ....observed.nodes.node_labels import LabelSetter, NodeLabels, discoverers, label_setter, labels_of_nodes
from ....observed.nodes.node_settings import gpu_node_configs, is_image_of_another
from ....observed.nodes.startup_taints import may_be_taken_away, taken_away_by
from ....observed.placement.placements import Placement, placements
from ....observed.placement.selection import TERMS, Requirement, Term, selection_of, tolerates
from ....observed.pods.policies import doubt_of_policies
from ....observed.pods.workloads import gpu_workloads
from ....upstream.charts.nfd_chart import FEATURE_PREFIX, VENDOR_LABEL
from ....upstream.talos.extension_names import LABEL_PREFIX
from ....yaml.unknown import is_unknown
from ...halves import MOST, taint_path
from ...rule import Example, Part, Rule, Severity, Violation, Witness, addition
from .._causes import INSTALLER, STARTUP_TAINT
from .._shared import ONE_GPU, RUNTIME_CLASS, plain_release, pod

# The term of the charts' default affinity that matches only Tegra.
_TEGRA = f"{FEATURE_PREFIX}cpu-model.vendor_id"
# The plugin's chart always renders its MPS daemon, with a nodeSelector that only a plugin with MPS labels nodes for.
_NEVER_JUDGED = ("nvidia.com/mps.capable",)
_NVIDIAS_OWN = ("nvidia.com/", FEATURE_PREFIX, LABEL_PREFIX)

_CHARTS = f"""\
{RUNTIME_CLASS}---
{plain_release("nvidia-device-plugin", "0.20.0")}  values: {{runtimeClassName: nvidia}}
---
{plain_release("node-feature-discovery", "0.19.0")}"""
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
    causes=(INSTALLER,),
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
    labelled = " and ".join(label for each in discoverers(inputs) for label in each.labels) if is_proven else ""
    if is_proven:
        reason = f" (NFD here labels {f'a card {labelled}' if labelled else 'no card, by its deviceClassWhitelist'})"
    return Violation(
        severity=_severity(inputs, made, keys),
        # The same words for every user of the label: they have one cause, and are one finding.
        message=f"nothing {inputs.here} sets the node label {' or '.join(labels)}{reason}. Unless something else sets "
        f"{'the label' if len(labels) == 1 else 'one of the labels'}, pods that select it stay Pending, and a DaemonSet stays at DESIRED 0",
        about=subject.about,
        path=path,
        fix=(_VENDOR_FIX if labelled else _CLASS_FIX)
        if is_proven
        else _DISCOVERY_FIX
        if all(label_setter(key) is LabelSetter.FEATURE_DISCOVERY for key in keys)
        else None,
    )


def _severity(inputs: Inputs, made: NodeLabels, keys: list[str]) -> Severity:
    """A warning for labels that are usually set in these files: NVIDIA's beside a part of the GPU stack, a label with
    other values, and any label if node configurations were read. A patch that a tool makes outside of git may set any.
    """
    has_stack = bool(agents(inputs)) or made.operator or made.extensions is not None
    known = made.inventory or any(key in made.values for key in keys) or (has_stack and any(key.startswith(_NVIDIAS_OWN) for key in keys))
    return Severity.WARNING if known and not any(each.made for each in inputs.skipped) else Severity.INFO


def _is_proven(inputs: Inputs, plugin: Agent) -> bool:
    """Whether NFD runs, and sets none of the labels of the plugin's default affinity."""
    found = discoverers(inputs)
    is_default = plugin.complete and at(plugin.settings, "affinity") is None and "affinity" not in plugin.settings
    return is_default and bool(found) and all(each.fields is not None and VENDOR_LABEL not in each.labels for each in found)


_CLASS_FIX = (
    'Add "03" to worker.config.sources.pci.deviceClassWhitelist in the values of NFD, and set deviceLabelFields: [vendor] there, which sets '
    "feature.node.kubernetes.io/pci-10de.present"
)
_VENDOR_FIX = (
    "Set worker.config.sources.pci.deviceLabelFields: [vendor] in the values of NFD, which sets feature.node.kubernetes.io/pci-10de.present, or set "
    "the plugin chart's affinity to the labels that NFD sets"
)
_DISCOVERY_FIX = "Let GPU feature discovery set the label: gfd: {enabled: true} in the values of the chart nvidia-device-plugin. The GPU operator runs it by default"

_NO_GPU = "the node offers no GPU"
# Effects of agents that don't run on a node; the node offers its GPUs all the same.
_WITHOUT = {
    NFD_WORKER: "the node gets no labels from NFD",
    GFD: "the node gets no labels for its GPUs",
    EXPORTER: "the node exports no GPU metrics",
}


class _Target(NamedTuple):
    """A GPU node, or a class of GPU nodes, and the taints that keep pods off."""

    name: str
    node: Node
    taints: tuple[NodeTaint, ...]
    about: Read | None

    def part(self, taint: NodeTaint) -> tuple[Part, ...]:
        """The place that gives the node a taint; nothing for a described class."""
        return () if self.about is None else ((self.about, taint_path(self.about, taint)),)


def _targets(inputs: Inputs) -> Iterator[_Target]:
    for config in gpu_node_configs(inputs):
        if is_image_of_another(inputs, config):
            continue
        name = config.label if config.scope == "node" else f"the nodes of {config.label}"
        yield _target(inputs, name, configured_node(config), config)
    for each in inputs.of_kind("Node"):
        if (node := live_node(each.body)).has_gpus:
            yield _target(inputs, f"{each.name}", node, each)
    for nodes in inputs.nodes:
        if nodes.passthrough is None:  # else no GPU pod runs there
            yield _target(inputs, nodes.name or "the GPU nodes", described_node(nodes, inputs.all_nodes), None)


def _target(inputs: Inputs, name: str, node: Node, about: Read | None) -> _Target:
    """The node with the taints that stay on it, the surest first. A taint without known key and effect may be none."""
    taints = {
        repr(each): each
        for each in node.keeping_off
        if not (is_unknown(each.key) and is_unknown(each.effect)) and not taken_away_by(inputs, each.key)
    }
    return _Target(name, node, tuple(sorted(taints.values(), key=lambda each: bool(_doubt(inputs, each)))), about)


def _doubt(inputs: Inputs, taint: NodeTaint) -> str:
    """The words for a taint that may keep no pods off."""
    if may_be_taken_away(inputs, taint.key):
        return ". Unless a controller takes the taint away: a key of a taint could not be read"
    return ". This holds if the taint's effect, which could not be read, keeps pods off" if is_unknown(taint.effect) else ""


_TAINTED = f"""\
---
machine:
  type: worker
  kernel:
    modules: [{{name: nvidia}}, {{name: nvidia_uvm}}, {{name: nvidia_drm}}, {{name: nvidia_modeset}}]
  sysctls: {{net.core.bpf_jit_harden: "1"}}
  kubelet: {{extraConfig: {{registerWithTaints: [{{key: dedicated, value: ai, effect: NoSchedule}}]}}}}
---
{plain_release("nvidia-device-plugin", "0.20.0")}  values:
    runtimeClassName: nvidia
    gfd: {{enabled: true}}
    nfd: {{worker: {{tolerations: [{{operator: Exists}}]}}}}
"""
_TOLERATED = "    tolerations: [{key: dedicated, operator: Equal, value: ai, effect: NoSchedule}]\n"
_POD = "  tolerations: [{key: dedicated, operator: Exists}]\n"


@Rule(
    id="TG053",
    claim="Pods for GPU nodes tolerate the taints of these nodes",
    symptom="DESIRED 0 of the device plugin; 0/3 nodes are available: 1 node(s) had untolerated taint(s); "
    "untolerated taint {dedicated: ai}",
    fix="Add the taint's key, value and effect to tolerations",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    lists_users=True,
    failing=Example(pod(ONE_GPU, _POD) + _TAINTED, talos="1.12"),
    passing=Example(pod(ONE_GPU, _POD) + _TAINTED + _TOLERATED, talos="1.12"),
    causes=(STARTUP_TAINT,),
)
def _not_tolerated(inputs: Inputs) -> Iterator[Violation]:
    targets = list(_targets(inputs))
    if not any(target.taints for target in targets):
        return
    served: set[tuple[int, Path]] = set()  # the parts of a chart share their tolerations
    for agent in agents(inputs):
        where = (id(agent.about), agent.path("tolerations"))
        if where in served:
            continue
        served.add(where)
        spec = {key: agent.value(key) for key in ("nodeSelector", "affinity", "tolerations")}
        effect = _WITHOUT.get(agent.kind, _NO_GPU)
        path = agent.path("tolerations")
        yield from _of_agent(
            inputs, targets, spec, agent.about, path, f"{agent.label} does not tolerate", _name_of_tolerations(path), effect
        )
    for operator in operators(inputs):
        spec = {"tolerations": operator.value("daemonsets", "tolerations")}
        path = operator.path("daemonsets", "tolerations")
        subject = "the operator's DaemonSets do not tolerate"
        yield from _of_agent(inputs, targets, spec, operator.about, path, subject, "daemonsets.tolerations", _NO_GPU)
    yield from _of_workloads(inputs, targets)


def _name_of_tolerations(path: Path) -> str:
    return ".".join(str(part) for part in path if part not in ("spec", "values", "template"))


def _of_agent(
    inputs: Inputs, targets: list[_Target], spec: Mapping[str, Any], about: Read, path: Path, subject: str, name: str, effect: str
) -> Iterator[Violation]:
    """Taints that keep an agent off a GPU node: an agent for every GPU node has to tolerate every taint."""
    kept_off: dict[str, list[tuple[_Target, NodeTaint]]] = {}
    for target in _selected(spec, targets):
        for taint in _refusing(spec, target):
            kept_off.setdefault(repr(taint), []).append((target, taint))
    everywhere = len({id(target) for several in kept_off.values() for target, _ in several}) == len(targets)
    for several in kept_off.values():
        tainted, taint = [target for target, _ in several], several[-1][1]
        nodes = ", ".join(target.name for target in tainted)
        message = f"{subject} the taint {taint} of {nodes}. The pods do not run there, and {effect}"
        fix = f"Add {_toleration(taint)} to {name}{_kept_default(about, path)}"
        edits = addition(taint.toleration, safe=taint.is_known) if about.at(*path) or not isinstance(about, ChartRelease) else ()
        severity = Severity.ERROR if everywhere and effect == _NO_GPU else Severity.WARNING
        related = tuple(part for target in tainted[:MOST] for part in target.part(taint))
        found = Violation(severity, message, about, path, fix=fix, edits=edits, related=related)
        yield _as_sure_as(found, _doubt(inputs, taint))


def _as_sure_as(found: Violation, doubt: str) -> Violation:
    """The violation, one step less sure and without the toleration if the taint is in doubt."""
    if not doubt:
        return found
    return replace(found, severity=found.severity.lowered, message=found.message + doubt, fix=None, edits=())


def _of_workloads(inputs: Inputs, targets: list[_Target]) -> Iterator[Violation]:
    """Workloads that no GPU node accepts; one accepting node is enough."""
    serving = {id(agent.about) for agent in agents(inputs)}
    alike = _alike(targets)
    for workload in gpu_workloads(inputs):
        selected = _selected(workload.spec, targets if _names_a_host(workload.spec) else alike)
        kept_off = [_refusing(workload.spec, target) for target in selected]
        if id(workload.about) in serving or not workload.complete or not kept_off or not all(kept_off):
            continue
        taint = kept_off[0][0]
        names = ", ".join(target.name for target in selected)
        message = f"the pod does not tolerate the taint {taint} of {names}, and no other node with GPUs was read. The pods stay Pending"
        doubt = doubt_of_policies(inputs, "tolerations")
        fix = f"Add {_toleration(taint)} to the tolerations"
        edits = addition(taint.toleration, safe=False)
        path, related = (*workload.path, "tolerations"), tuple(part for target in selected[:MOST] for part in target.part(taint))
        found = Violation(
            Severity.INFO if doubt else Severity.WARNING, message + doubt, workload.about, path, fix=fix, edits=edits, related=related
        )
        yield _as_sure_as(found, max(_doubt(inputs, taints[0]) for taints in kept_off))


def _alike(targets: list[_Target]) -> list[_Target]:
    """The nodes, with nodes that differ only in their names merged: most clusters have many nodes of few kinds."""
    groups: dict[Any, list[_Target]] = {}
    for target in targets:
        labels = sorted((key, type(value).__name__, str(value)) for key, value in known_items(target.node.labels) if key != HOSTNAME)
        groups.setdefault((*labels, is_unknown(target.node.labels), repr(target.taints)), []).append(target)
    return [group[0]._replace(name=", ".join(target.name for target in group)) for group in groups.values()]


def _names_a_host(spec: Mapping[str, Any]) -> bool:
    return any(each.is_field or each.key == HOSTNAME for term in selection_of(spec).alternatives for each in term)


def _selected(spec: Mapping[str, Any], targets: list[_Target]) -> list[_Target]:
    """The nodes that selector and affinity let the pod onto, as far as the labels of the nodes are known."""
    selection = selection_of(spec)
    return [each for each in targets if not selection.selects(each.node).is_no]


def _refusing(spec: Mapping[str, Any], target: _Target) -> list[NodeTaint]:
    """The taints of a node that the pod does not tolerate."""
    return [each for each in target.taints if tolerates(at(spec, "tolerations"), each).is_no]


def _toleration(taint: NodeTaint) -> str:
    return _known_toleration(taint) if taint.is_known else _flow(taint.toleration)


@cache
def _known_toleration(taint: NodeTaint) -> str:
    return _flow(taint.toleration)


def _flow(toleration: Mapping[str, Any]) -> str:
    from ....yaml.block import Verbatim, flow  # only a finding needs the writer

    return flow({key: Verbatim(value) if is_unknown(value) else value for key, value in toleration.items()})


def _kept_default(about: Read, path: Path) -> str:
    """The words for the tolerations that a chart has where the values have no list: a list replaces them."""
    if not isinstance(about, ChartRelease) or about.known_chart is None or about.at(*path) is not None:
        return ""
    default = at(about.known_chart.defaults, *path[len(about.values_path) :])
    return f". The list replaces the chart's default, so keep {' and '.join(map(_flow, default))} in the list" if default else ""
