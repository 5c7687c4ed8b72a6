"""The link `seen` of a GPU pod: the program sees the GPU, as far as its log tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...arguments.commands import command
from ...observed.model.evidence import Evidence, Log
from ...observed.pods.pod_templates import state_of
from ...observed.read.live.log_reader import shows_gpu
from ...symptoms.link import Link, Strength
from ..fault import Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..live_pods import LivePod
from ..symptom_faults import message_fault, symptom_fault
from .container_faults import visibility_evidence, visibility_matches
from .device_health import unhealthy_devices
from .injection_faults import certain_faults, likely_fault


def seen(cluster: GpuCluster, pod: LivePod, broken: Mapping[str, Link]) -> State:
    """The state of the link of a pod. `broken` has the GPU nodes whose own chain is broken, with the broken link."""
    if not pod.node or not any(_has_run(status) for _, status in pod.statuses):
        return NotSeen(command=command("kubectl logs POD --namespace NAMESPACE --all-containers"))
    shown = [(log.name, line) for log in cluster.logs(pod) if not log.is_previous and (line := _shown(log)) is not None]
    seeing = _seeing(pod, {name for name, _ in shown})
    logs = [each for each in cluster.logs(pod) if not each.is_previous or each.name not in seeing]
    lines = visibility_evidence(pod, logs, seeing)
    told = certain_faults(cluster, pod) or (_fault_of_lines(cluster, pod, logs, lines) if lines else ())
    faults = (*told, *unhealthy_devices(cluster, pod))
    if faults:
        return Broken(faults=faults)
    if shown:
        return Healthy(evidence=shown[0][1])
    is_read = any(each.lines for each in logs)
    return NotSeen(command=_SMI if is_read else _LOGS.explained(f"or: {_SMI}"))


_LOGS = command("kubectl logs POD --namespace NAMESPACE --all-containers")
_SMI = command("kubectl exec POD --namespace NAMESPACE -- nvidia-smi")


def _shown(log: Log) -> Evidence | None:
    """The line by which a program says that it uses a GPU."""
    line = next(((number, text) for number, text in log.kept if shows_gpu(text)), None)
    return Evidence(text=line[1], source=f"{log.source}:{line[0]}") if line else None


def _seeing(pod: LivePod, shown: set[str]) -> set[str]:
    """The running containers whose log shows a GPU, of which the past says nothing more. A log without the name of a
    container is that of all."""
    running = {str(status.get("name", "")) for _, status in pod.statuses if state_of(status, "running") is not None}
    seeing = running if "" in shown else running & shown
    return {*seeing, ""} if seeing else set()


def _has_run(status: Mapping[str, object]) -> bool:
    return any(state_of(status, name, field) is not None for name in ("running", "terminated") for field in ("state", "lastState"))


def _fault_of_lines(cluster: GpuCluster, pod: LivePod, logs: Sequence[Log], lines: Sequence[Evidence]) -> tuple[Fault, ...]:
    """The fault behind the lines: that of the pod's own fields where they explain the lines, else that of the
    symptom."""
    matches = visibility_matches(logs)
    names = {match.symptom.name for match, _ in matches}
    likely = likely_fault(cluster, pod, lines[0], names)
    if likely is not None:
        return (likely,)
    if matches:
        is_of_node = any(match.symptom.is_of_node for match, _ in matches if match.strength is not Strength.POSSIBLE)
        return (symptom_fault(*matches[0], is_of_pod=not is_of_node),)
    fault = message_fault(lines[0])
    return (fault,) if fault else ()
