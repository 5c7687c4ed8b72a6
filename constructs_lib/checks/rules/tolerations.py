"""Taints of GPU nodes that the pods for these nodes do not tolerate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...observed.agents.agents import EXPORTER, GFD, NFD_WORKER, agents
from ...observed.agents.operators import operators
from ...observed.model import ChartRelease, Inputs, NodeConfig, Path, Read, at, known_items
from ...observed.nodes.card_counts import HOSTNAME
from ...observed.nodes.gpu_node_configs import gpu_node_configs
from ...observed.nodes.node_settings import node_taints
from ...observed.placement.node_selection import LabelRequirement, label_value, may_tolerate, selected, terms_of
from ...observed.pods.workloads import gpu_workloads
from ..edit import addition
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import ONE_GPU, pod

_KEEP = ". The list replaces the chart's default, so keep {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule} in the list"
_KEEPING_OFF = ("NoSchedule", "NoExecute")
_NO_GPU = "the node offers no GPU"
# Effects of agents that don't run on a node; the node offers its GPUs all the same.
_WITHOUT = {
    NFD_WORKER: "the node gets no labels from NFD",
    GFD: "the node gets no labels for its GPUs",
    EXPORTER: "the node exports no GPU metrics",
}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Target:
    """A GPU node, or a class of GPU nodes: its known labels, and the taints that keep pods off."""

    name: str
    labels: Mapping[str, Any]
    taints: tuple[tuple[str, str, str], ...]


def _targets(inputs: Inputs) -> list[_Target]:
    taints: dict[int, list[tuple[str, str, str]]] = {}
    for (key, value, effect), config in node_taints(inputs):
        if isinstance(key, str) and isinstance(value, str) and isinstance(effect, str):
            taints.setdefault(id(config), []).append((key, value, effect))
    found = [
        _Target(name=_node_name(config), labels=_labels(config), taints=_keeping_off(taints.get(id(config), [])))
        for config in gpu_node_configs(inputs)
    ]
    for nodes in inputs.nodes:
        if nodes.passthrough is not None:
            continue  # no GPU pod runs there
        theirs = [(taint.key, taint.value or "", str(taint.effect)) for taint in nodes.taints]
        found.append(_Target(name=nodes.name or "the GPU nodes", labels=nodes.node_labels, taints=_keeping_off(theirs)))
    return found


def _node_name(config: NodeConfig) -> str:
    return config.label if config.scope == "node" else f"the nodes of {config.label}"


def _labels(config: NodeConfig) -> Mapping[str, Any]:
    return {**dict(known_items(config.labels)), HOSTNAME: config.name}


def _keeping_off(taints: list[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
    return tuple(each for each in dict.fromkeys(taints) if each[2] in _KEEPING_OFF)


def _not_tolerated(inputs: Inputs) -> Iterator[Violation]:
    targets = _targets(inputs)
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
    may_run = [target for target in targets if _may_select(spec, target)]
    kept_off = [(target, taint) for target in may_run for taint in target.taints if not may_tolerate(at(spec, "tolerations"), *taint)]
    everywhere = len({id(each) for each, _ in kept_off}) == len(targets)
    for taint in dict.fromkeys(taint for _, taint in kept_off):
        nodes = ", ".join(target.name for target, other in kept_off if other == taint)
        yield Violation(
            severity=Severity.ERROR if everywhere and effect == _NO_GPU else Severity.WARNING,
            message=f"{subject} the taint {_written(taint)} of {nodes}. The pods do not run there, and {effect}",
            about=about,
            path=path,
            fix=f"Add {_toleration(taint)} to {name}{_KEEP if isinstance(about, ChartRelease) else ''}",
            edits=addition(_tolerated(taint)) if about.at(*path) or not isinstance(about, ChartRelease) else (),
        )


def _of_workloads(inputs: Inputs, targets: list[_Target]) -> Iterator[Violation]:
    """Workloads that no GPU node accepts; one accepting node is enough."""
    serving = {id(agent.about) for agent in agents(inputs)}
    alike = _alike(targets)
    for workload in gpu_workloads(inputs):
        may_run = [target for target in (targets if _names_a_host(workload.spec) else alike) if _may_select(workload.spec, target)]
        kept_off = [_first_of(workload.spec, target) for target in may_run]
        if id(workload.about) in serving or not workload.complete or not kept_off or not all(kept_off):
            continue
        taint = next(each for each in kept_off if each)
        names = ", ".join(target.name for target in may_run)
        yield Violation(
            severity=Severity.WARNING,
            message=f"the pod does not tolerate the taint {_written(taint)} of {names}, and no other node with GPUs was read. The pods stay Pending",
            about=workload.about,
            path=(*workload.path, "tolerations"),
            edits=addition(_tolerated(taint), safe=False),
            fix=f"Add {_toleration(taint)} to the tolerations",
        )


def _alike(targets: list[_Target]) -> list[_Target]:
    """The nodes, with nodes that differ only in their names merged: most clusters have many nodes of few kinds."""
    groups: dict[Any, list[_Target]] = {}
    for target in targets:
        labels = sorted((key, type(value).__name__, str(value)) for key, value in target.labels.items() if key != HOSTNAME)
        groups.setdefault((*labels, target.taints), []).append(target)
    return [replace(group[0], name=", ".join(target.name for target in group)) for group in groups.values()]


def _names_a_host(spec: Mapping[str, Any]) -> bool:
    return any(key == HOSTNAME for wanted in (selected(spec), *(terms_of(spec) or ())) for key, _ in wanted)


def _first_of(spec: Mapping[str, Any], target: _Target) -> tuple[str, str, str] | None:
    return next((taint for taint in target.taints if not may_tolerate(at(spec, "tolerations"), *taint)), None)


def _may_select(spec: Mapping[str, Any], target: _Target) -> bool:
    """Whether selector and affinity let the pod onto the node, as far as the node's labels are known."""
    terms = terms_of(spec)
    return _all_hold(selected(spec), target) and (terms is None or any(_all_hold(term, target) for term in terms))


def _all_hold(wanted: list[LabelRequirement], target: _Target) -> bool:
    labels = target.labels
    return all(values is None or key not in labels or label_value(labels[key]) in (None, *values) for key, values in wanted)


def _written(taint: tuple[str, str, str]) -> str:
    key, value, effect = taint
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"


def _tolerated(taint: tuple[str, str, str]) -> dict[str, str]:
    key, value, effect = taint
    return (
        {"key": key, "operator": "Equal", "value": value, "effect": effect}
        if value
        else {"key": key, "operator": "Exists", "effect": effect}
    )


def _toleration(taint: tuple[str, str, str]) -> str:
    return f"{{{', '.join(f'{key}: {value}' for key, value in _tolerated(taint).items())}}}"


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

RULES = (
    Rule(
        **WORDS["TG053"],
        severity=Severity.ERROR,
        check=_not_tolerated,
        lists_users=True,
        failing=Example(yaml=pod(ONE_GPU, _POD) + _TAINTED, talos="1.12"),
        passing=Example(yaml=pod(ONE_GPU, _POD) + _TAINTED + _TOLERATED, talos="1.12"),
    ),
)
