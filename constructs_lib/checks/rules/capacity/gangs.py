"""Gangs of Kubernetes' own scheduler that never start: groups that do not exist, that wait for more pods than there are, or for
more than the nodes take at once, and an API that the cluster does not serve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....observed.model import Inputs, at, is_unknown, known_str
from ....observed.nodes.node_settings import api_server_has_gate, minor_of, serves_api
from ....observed.objects.object_names import may_have
from ....observed.usage.gpu_usage import usage
from ....observed.usage.pod_groups import PodGroup, group_name, pod_groups
from ....observed.usage.preemption import priority_class, same_priority
from ....upstream.kubernetes.pod_groups import POD_GROUP_APIS, POD_GROUP_GATE, POD_GROUPS_SINCE
from ...halves import kubernetes_of_nodes
from ...report_words import count
from ...rule import Example, Rule, Severity, Violation, Witness
from .._shared import in_deployment
from .requests import related

_NODES = 'talos: "1.14"\nnodes:\n  gpu:\n    count: 2\n    cards: 1\n'
_SERVERS = in_deployment("  replicas: 2\n  strategy: {type: Recreate}\n").replace(
    "      runtimeClassName", "      schedulingGroup: {podGroupName: gang}\n      runtimeClassName"
)
_GROUP = """\
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: gang, namespace: ollama}
spec: {schedulingPolicy: {gang: {minCount: %d}}}
"""


@Rule(
    id="TG158",
    claim="A gang of Kubernetes' own scheduler can start: its PodGroup exists, has the priority of its pods, and waits for no more pods than "
    "there are and fit",
    symptom='no matches for kind "PodGroup" in version "scheduling.k8s.io/v1beta1"; all pods in a single pod group should have the same priority as the pod '
    "group's priority; or pods of a gang that stay Pending without an event and without a condition",
    fix="Set minCount of the PodGroup to the number of pods that name it, and no more than the nodes take at once; give the PodGroup and its pods one "
    "priorityClassName",
    source="https://kubernetes.io/docs/concepts/workloads/podgroup-api/",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_SERVERS + _GROUP % 3, nodes_file=_NODES),
    passing=Example(_SERVERS + _GROUP % 2, nodes_file=_NODES),
)
def _never_starts(inputs: Inputs) -> Iterator[Violation]:
    groups = pod_groups(inputs)
    for group in groups:
        yield from _too_many(group)
        yield from _not_served(inputs, group)
        yield from _other_priority(inputs, group)
    for workload in {id(row.workload): row.workload for row in usage(inputs) if "schedulingGroup" in row.workload.spec}.values():
        name = group_name(workload)
        if isinstance(name, str) and not may_have(inputs, "PodGroup", name, workload.namespace):
            others = tuple((each, ("metadata", "name")) for each in inputs.of_kind("PodGroup"))
            message = f"nothing {inputs.here} creates the PodGroup {name}. The pods stay Pending until it exists"
            # Files with other groups are likely to have all; without one, a controller or another repository may make them.
            severity = Severity.WARNING if others else Severity.INFO
            path = (*workload.path, "schedulingGroup", "podGroupName")
            yield Violation(severity, message, workload.about, path, fix=f"Create the PodGroup {name}", related=others)


def _too_many(group: PodGroup) -> Iterator[Violation]:
    """The violation of a gang with too few pods, or with more than the nodes take at once."""
    pods, fitting, least = group.pods.most, group.fitting, group.least or 0
    if pods is not None and least > pods:
        message = f"the gang waits for {count(least, 'pod')}, but only {pods} {'names' if pods == 1 else 'name'} the group. The scheduler places none of them"
        severity = Severity.ERROR if group.is_whole else Severity.WARNING
        yield Violation(
            severity, message, group.about, group.path, fix=f"Set minCount: {pods}" if pods else None, related=related(group.rows)
        )
    elif fitting is not None and least > fitting:
        message = (
            f"the gang starts with {count(least, 'pod')} at once, but the nodes take at most {fitting}. The scheduler places none of them"
        )
        yield Violation(Severity.ERROR, message, group.about, group.path, related=related(group.rows))


def _other_priority(inputs: Inputs, group: PodGroup) -> Iterator[Violation]:
    """The violations of pods whose priority is not that of their group (kubernetes/kubernetes
    pkg/scheduler/schedule_one_podgroup.go, validatePodGroup at v1.37.2, 2026-11-28; 1.36 does not compare them)."""
    spec = group.about.at("spec")
    if known_str(group.about.api_version) not in POD_GROUP_APIS[POD_GROUPS_SINCE] or at(spec, "parentCompositePodGroupName") is not None:
        return
    for workload in group.members:
        found = same_priority(spec, workload.spec, inputs)
        if found.is_yes or any(is_unknown(priority_class(each)) for each in (workload.spec, spec)):
            continue
        theirs, its = _class_of(workload.spec), _class_of(spec)
        message = f"the pods have {theirs}, and their PodGroup {its}. The scheduler places no pod of a group with another priority"
        perhaps = "" if found.is_no else ", unless both have the same value"
        severity = Severity.ERROR if found.is_no else Severity.WARNING
        path = (*workload.path, "priorityClassName") if "priorityClassName" in workload.spec else workload.path
        yield Violation(
            severity,
            message + perhaps,
            workload.about,
            path,
            fix="Give the PodGroup and its pods one priorityClassName",
            related=((group.about, ("spec", "priorityClassName")),),
        )


def _class_of(spec: Mapping[str, Any]) -> str:
    name = priority_class(spec)
    return "no PriorityClass" if name is None else f"the PriorityClass {name}"


def _not_served(inputs: Inputs, group: PodGroup) -> Iterator[Violation]:
    """The violation of a PodGroup in a version that the cluster does not have, or serves only by a setting that was not
    read."""
    minor, written = minor_of(inputs.kubernetes_version), known_str(group.about.api_version)
    if minor is None or written is None or minor > max(POD_GROUP_APIS):
        return
    served = POD_GROUP_APIS.get(minor, ())
    if written not in served:
        message = f"Kubernetes 1.{minor} has no PodGroup in {written}. The API server answers 'no matches for kind \"PodGroup\"'"
        fix = f"Set apiVersion: {served[0]}" if served else f"Upgrade to Kubernetes 1.{min(POD_GROUP_APIS)} or newer"
        yield Violation(Severity.ERROR, message, group.about, ("apiVersion",), fix=fix, related=kubernetes_of_nodes(inputs))
        return
    gate = api_server_has_gate(inputs, POD_GROUP_GATE, "AllBeta" if minor >= POD_GROUPS_SINCE else "AllAlpha")
    is_served = serves_api(inputs, written)
    if not (is_served and gate.is_yes):
        message = f"Kubernetes 1.{minor} serves PodGroups only with the feature gate {POD_GROUP_GATE} and --runtime-config={written}=true"
        fix = "Write both into a patch of the control plane (ControlPlanePatch)"
        severity = Severity.INFO if not inputs.node_configs or (is_served and not gate.is_no) else Severity.WARNING
        yield Violation(severity, message, group.about, ("apiVersion",), fix=fix, related=kubernetes_of_nodes(inputs))
