"""Two device plugins, or two GPU feature discoveries, on one node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....observed.agents.agents import GFD, PLUGIN, Agent, agents
from ....observed.agents.operators import operators
from ....observed.model import Answer, Inputs, any_of, at
from ....observed.nodes.node_labels import labels_of_nodes
from ....observed.objects.identities import have_one_name, is_released_by_object
from ....observed.placement.selection import are_apart, is_unrestricted
from ....upstream.charts.gpu_operator_chart import FEATURE_DISCOVERY_LABEL, OPERANDS_LABEL, PLUGIN_LABEL
from ...rule import Example, Rule, Severity, Violation, Witness
from .._causes import OTHER_CLUSTER
from .._shared import chart_release, operator_release, plugin_release


@dataclass(frozen=True, kw_only=True)
class _Service:
    """A kind of agent that runs once on a node. `component` is the operator's setting for its own one, `label` the node
    label that keeps it off."""

    kind: str
    subject: str
    component: str
    label: str
    effect: str
    sure: Severity
    unsure: Severity


_PLUGIN = _Service(
    kind=PLUGIN,
    subject="the plugin",
    component="devicePlugin",
    label=PLUGIN_LABEL,
    # pkg/kubelet/cm/devicemanager up to v1.36.3 keeps one endpoint for a resource, the newest, and drops it when the pod of either plugin
    # ends. From v1.37.0 it refuses a second plugin at the socket of the first one, which NVIDIA's plugins share, and by this refusal forgets
    # to watch the first one (connectClient of plugin/v1beta1/handler.go; seen with v1.37.2 on a node of tests/node on 2026-11-28).
    effect="Up to Kubernetes 1.36 nvidia.com/gpu drops to 0 when the pod of either plugin ends. From 1.37 on the kubelet refuses the second plugin, "
    "and when the pod of the first one ends, new GPU pods fail until the kubelet restarts",
    sure=Severity.ERROR,
    unsure=Severity.WARNING,
)
_DISCOVERY = _Service(
    kind=GFD,
    subject="GPU feature discovery",
    component="gfd",
    label=FEATURE_DISCOVERY_LABEL,
    # Both write a NodeFeature named nvidia-features-for-<node>: the same one in a namespace, or two that NFD merges in
    # the order of namespaces.
    effect="Both set the same labels of the node. Where their configs differ, labels such as nvidia.com/gpu.product and nvidia.com/gpu.replicas "
    "have the values of the wrong config, or change in turn",
    sure=Severity.WARNING,
    unsure=Severity.INFO,
)


def _overlap(service: _Service, inputs: Inputs) -> Iterator[Violation]:
    standalone = [agent for agent in agents(inputs) if agent.kind == service.kind]
    kept_off = _is_kept_off_by_labels(inputs, service)
    if not kept_off.is_yes:
        beside = [agent for agent in standalone if service is not _PLUGIN or not _is_for_partitioned_nodes(inputs, agent)]
        for operator in operators(inputs):
            is_on = operator.is_on(service.component, "enabled")
            for agent in beside if not is_on.is_no else ():
                everywhere = _is_everywhere(agent)
                how = "runs on every GPU node, like" if everywhere else "may run on the same nodes as"
                message = f"{service.subject} {how} the {service.kind} of {operator.about.label}. {service.effect}"
                fix = f"Set {service.component}.enabled: false in the operator's values, or remove this {service.subject.removeprefix('the ')}"
                severity = service.sure if everywhere else service.unsure
                doubt = "" if kept_off.is_no else _LABELS
                if not is_on.is_yes:
                    doubt = f". This holds if {service.component}.enabled is on"
                    severity = severity if operator.complete else severity.lowered
                switch = ((operator.about, operator.path(service.component, "enabled")),)
                yield Violation(severity.lowered if doubt else severity, message + doubt, agent.about, agent.base, fix=fix, related=switch)
    by_spec: dict[str, list[Agent]] = {}
    for other in standalone:
        # Of those with one placement the surest neighbour stands for all, whatever the order of the files
        near = [placed for placed in by_spec.values() if are_apart(placed[0].spec, other.spec).is_no]
        others = [each for placed in near for each in placed if _are_two(each, other)]
        if others:
            yield _same_nodes(service, min(others, key=_surest_first), other)
        placed = by_spec.setdefault(repr((at(other.spec, "nodeSelector"), at(other.spec, "affinity"))), [])
        if all(_are_two(each, other) for each in placed):
            placed[:] = sorted([*placed, other], key=_surest_first)[:2]


def _surest_first(agent: Agent) -> tuple[bool, str]:
    return not _is_everywhere(agent), agent.about.label


def _are_two(one: Agent, other: Agent) -> bool:
    """Whether two agents run: of two objects with one name (TG138) the cluster keeps one."""
    is_one = is_released_by_object(one.release) if one.release else True
    return one.about is not other.about and not (is_one and have_one_name(one.about, other.about))


def _same_nodes(service: _Service, one: Agent, other: Agent) -> Violation:
    everywhere = _is_everywhere(one) and _is_everywhere(other)
    how = "runs" if everywhere else "may run"
    message = f"{service.subject} {how} on the same nodes as the {service.kind} of {one.about.label}. {service.effect}"
    severity = service.sure if everywhere else service.unsure
    return Violation(severity, message, other.about, other.base, related=((one.about, one.base),))


def _is_everywhere(agent: Agent) -> bool:
    """Whether the agent surely runs on every GPU node."""
    return is_unrestricted(agent.spec) and agent.complete


_LABELS = ". Unless a label that could not be read keeps the operator's off these nodes"


def _is_kept_off_by_labels(inputs: Inputs, service: _Service) -> Answer:
    """Whether a label keeps the operator's agent off some nodes: a standalone agent is for these nodes."""
    labels = labels_of_nodes(inputs)
    return any_of(labels.gives(label, "false") for label in (service.label, OPERANDS_LABEL))


def _is_for_partitioned_nodes(inputs: Inputs, plugin: Agent) -> bool:
    """Whether a standalone plugin may be for the described classes that the operator's plugin is kept off.

    `MachineConfigPatch(operator=True)` gives nodes with `mig_devices` the label. A plugin for every GPU node runs on
    the other classes too.
    """
    kept_off = [each for each in inputs.nodes if each.mig_devices is not None and each.node_labels.get(PLUGIN_LABEL, "false") == "false"]
    if is_unrestricted(plugin.spec) and len(kept_off) < len(inputs.nodes):
        return False
    return any(not are_apart(plugin.spec, {"nodeSelector": each.node_selector, "affinity": each.node_affinity}).is_yes for each in kept_off)


_EVERYWHERE = "{kubernetes.io/os: linux}"


def _two(one: str, other: str) -> str:
    return f"{plugin_release(name='one', nodes=one)}---\n{plugin_release(name='other', nodes=other)}"


_BESIDE_THE_OPERATOR = f"""\
{operator_release()}    devicePlugin: {{enabled: false}}
    gfd: {{enabled: %s}}
---
{chart_release("nvidia-device-plugin", "0.20.0")}    runtimeClassName: nvidia
    affinity: null
    nodeSelector: {_EVERYWHERE}
    gfd: {{enabled: true}}
"""


@Rule(
    id="TG026",
    claim="One device plugin serves the GPUs of a node",
    symptom="device plugin already connected: /var/lib/kubelet/device-plugins/nvidia-gpu.sock, from Kubernetes 1.37 on, then UnexpectedAdmissionError of "
    "GPU pods; nvidia.com/gpu: 0 in the node's Allocatable after one of two plugins is removed, until the pod of the other one restarts (up to 1.36)",
    fix="Give the two plugins node selectors that never match the same node, or remove one plugin. From Kubernetes 1.37 on, restart the kubelet of each "
    "node that had both",
    source="kubernetes/kubernetes#121994; kubernetes/kubernetes#139338; NVIDIA/k8s-device-plugin#255",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_two(_EVERYWHERE, _EVERYWHERE)),
    passing=Example(_two("{kubernetes.io/hostname: gpu-1}", "{kubernetes.io/hostname: gpu-2}")),
    causes=(OTHER_CLUSTER,),
)
def _two_plugins(inputs: Inputs) -> Iterator[Violation]:
    return _overlap(_PLUGIN, inputs)


@Rule(
    id="TG129",
    claim="One GPU feature discovery labels a node",
    symptom="nvidia.com/gpu.product with and without -SHARED in turn; nvidia.com/gpu.replicas: 1 on a node whose GPUs are shared",
    fix="Keep the GPU feature discovery that has the config of the device plugin, and set gfd.enabled: false for the other one",
    source="NVIDIA/k8s-device-plugin internal/lm/output.go; kubernetes-sigs/node-feature-discovery pkg/nfd-master/nfd-master.go",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example(_BESIDE_THE_OPERATOR % "true", talos="1.13"),
    passing=Example(_BESIDE_THE_OPERATOR % "false", talos="1.13"),
    causes=(OTHER_CLUSTER,),
)
def _two_discoveries(inputs: Inputs) -> Iterator[Violation]:
    return _overlap(_DISCOVERY, inputs)
