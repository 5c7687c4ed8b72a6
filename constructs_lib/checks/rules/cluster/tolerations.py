"""Taints of GPU nodes that the pods for these nodes do not tolerate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ....observed.agents.agents import EXPORTER, GFD, NFD_WORKER, agents
from ....observed.agents.operators import operators
from ....observed.model import ChartRelease, Inputs, Path, Read, at, known_items
from ....observed.model.input_kinds import NodeTaint
from ....observed.nodes.gpu_node_configs import gpu_node_configs
from ....observed.nodes.node import HOSTNAME, Node, configured_node, described_node, live_node
from ....observed.placement.selection import selection_of
from ....observed.placement.taints import tolerates
from ....observed.pods.workloads import gpu_workloads
from ....yaml.unknown import is_unknown
from ...edit import addition
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._pods import ONE_GPU, pod

_KEEP = ". The list replaces the chart's default, so keep {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule} in the list"
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


def _targets(inputs: Inputs) -> Iterator[_Target]:
    for config in gpu_node_configs(inputs):
        yield _target(config.label if config.scope == "node" else f"the nodes of {config.label}", configured_node(config))
    for each in inputs.of_kind("Node"):
        if (node := live_node(each.body)).has_gpus:
            yield _target(f"{each.name}", node)
    for nodes in inputs.nodes:
        if nodes.passthrough is None:  # else no GPU pod runs there
            yield _target(nodes.name or "the GPU nodes", described_node(nodes, inputs.all_nodes))


def _target(name: str, node: Node) -> _Target:
    return _Target(name, node, tuple(dict.fromkeys(each for each in node.keeping_off if each.is_known and each.stays)))


_TAINTED = """\
---
machine:
  type: worker
  kernel:
    modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
  sysctls: {net.core.bpf_jit_harden: "1"}
  kubelet: {extraConfig: {registerWithTaints: [{key: dedicated, value: ai, effect: NoSchedule}]}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values:
    runtimeClassName: nvidia
    gfd: {enabled: true}
    nfd: {worker: {tolerations: [{operator: Exists}]}}
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
        yield from _of_agent(targets, spec, agent.about, path, f"{agent.label} does not tolerate", _name_of_tolerations(path), effect)
    for operator in operators(inputs):
        spec = {"tolerations": operator.value("daemonsets", "tolerations")}
        path = operator.path("daemonsets", "tolerations")
        subject = "the operator's DaemonSets do not tolerate"
        yield from _of_agent(targets, spec, operator.about, path, subject, "daemonsets.tolerations", _NO_GPU)
    yield from _of_workloads(inputs, targets)


def _name_of_tolerations(path: Path) -> str:
    return ".".join(str(part) for part in path if part not in ("spec", "values", "template"))


def _of_agent(
    targets: list[_Target], spec: Mapping[str, Any], about: Read, path: Path, subject: str, name: str, effect: str
) -> Iterator[Violation]:
    """Taints that keep an agent off a GPU node: an agent for every GPU node has to tolerate every taint."""
    kept_off = [(target, taint) for target in _selected(spec, targets) for taint in _refusing(spec, target)]
    everywhere = len({id(each) for each, _ in kept_off}) == len(targets)
    for taint in dict.fromkeys(taint for _, taint in kept_off):
        nodes = ", ".join(target.name for target, other in kept_off if other == taint)
        message = f"{subject} the taint {taint} of {nodes}. The pods do not run there, and {effect}"
        fix = f"Add {_toleration(taint)} to {name}{_KEEP if isinstance(about, ChartRelease) else ''}"
        edits = addition(taint.toleration) if about.at(*path) or not isinstance(about, ChartRelease) else ()
        yield Violation(
            Severity.ERROR if everywhere and effect == _NO_GPU else Severity.WARNING, message, about, path, fix=fix, edits=edits
        )


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
        fix = f"Add {_toleration(taint)} to the tolerations"
        edits = addition(taint.toleration, safe=False)
        yield Violation(Severity.WARNING, message, workload.about, (*workload.path, "tolerations"), fix=fix, edits=edits)


def _alike(targets: list[_Target]) -> list[_Target]:
    """The nodes, with nodes that differ only in their names merged: most clusters have many nodes of few kinds."""
    groups: dict[Any, list[_Target]] = {}
    for target in targets:
        labels = sorted((key, type(value).__name__, str(value)) for key, value in known_items(target.node.labels) if key != HOSTNAME)
        groups.setdefault((*labels, is_unknown(target.node.labels), target.taints), []).append(target)
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
    return f"{{{', '.join(f'{key}: {value}' for key, value in taint.toleration.items())}}}"
