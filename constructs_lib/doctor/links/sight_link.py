"""The link `seen` of a GPU pod: the program sees the GPU, as far as its log tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..evidence import Evidence
from ..fault import Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..link import Broken, Healthy, Link, NotSeen, State
from ..live_pod import LivePod
from ..log import Log
from ..message_symptoms import message_fault
from ..symptom_faults import symptom_fault
from .container_faults import sight_evidence, sight_matches
from .injection_faults import certain_faults, likely_fault


def seen(cluster: GpuCluster, pod: LivePod, broken: Mapping[str, Link]) -> State:
    """The state of the link of a pod. `broken` has the GPU nodes whose own chain is broken, with the broken link."""
    if not pod.node or not any(_has_run(status) for _, status in pod.statuses):
        return NotSeen(command="kubectl logs POD --namespace NAMESPACE --all-containers")
    node = cluster.node(pod.node)
    logs = cluster.logs(pod)
    lines = sight_evidence(pod, logs)
    faults = certain_faults(pod, node) or (_fault_of_lines(pod, node, logs, lines) if lines else ())
    if faults:
        return Broken(faults=faults)
    read = sum(each.lines for each in logs)
    if not read:
        return NotSeen(
            command="kubectl logs POD --namespace NAMESPACE --all-containers   # or: kubectl exec POD --namespace NAMESPACE -- nvidia-smi"
        )
    return Healthy(evidence=Evidence(text=f"{read} lines, none of which reports a missing GPU", source=logs[0].source))


def _has_run(status: Mapping[str, object]) -> bool:
    states = [status.get(field) for field in ("state", "lastState")]
    return any(isinstance(each, Mapping) and ("running" in each or "terminated" in each) for each in states)


def _fault_of_lines(pod: LivePod, node: GpuNode | None, logs: Sequence[Log], lines: Sequence[Evidence]) -> tuple[Fault, ...]:
    """The fault behind the lines: that of the pod's own fields where they explain the lines, else that of the symptom."""
    matches = sight_matches(logs)
    names = {match.symptom.name for match, _ in matches}
    likely = likely_fault(pod, node, lines[0], names)
    if likely is not None:
        return (likely,)
    if matches:
        is_of_image = not names & _OF_THE_NODE
        return (symptom_fault(*matches[0], is_of_pod=is_of_image),)
    fault = message_fault(lines[0])
    return (fault,) if fault else ()


_OF_THE_NODE = {"no-gpu-in-pod", "nvml-missing", "nvml-unknown-error", "cuda-803"}
"""The symptoms of a program that a broken node explains, too. The others are faults of the program or of its image."""
