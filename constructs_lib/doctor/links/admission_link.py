"""The link `admitted` of a GPU pod: the API server creates the pod, nothing holds it back, and the kubelet takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...arguments.commands import command
from ...symptoms.link import Link
from ...upstream.kubernetes.scheduler_words import GATED, KUBELET_REFUSALS
from ..fault import Advice, Broken, Fault, Healthy, NotSeen, State
from ..gpu_cluster import GpuCluster
from ..live_pods import LivePod
from ..scheduler_message import event_text, last_event
from ..symptom_faults import message_fault
from .claim_faults import template_fault
from .creation_faults import creation_fault

_KUEUE_GATE = "kueue.x-k8s.io/"
_DELETE = command(
    "kubectl delete pod POD --namespace NAMESPACE   # its controller makes a new one; a pod without a controller is to be created again"
)
_UNREGISTERED = "admission-error"
"""The symptom of a pod that came before the device plugin."""
_PODS = command("kubectl get pods --namespace NAMESPACE")
_REFUSED = "A refused pod stays Failed: nothing starts it again"


def admitted(cluster: GpuCluster, pod: LivePod, broken: Mapping[str, Link]) -> State:
    """The state of the link of a pod. `broken` has the GPU nodes whose own chain is broken, with the broken link."""
    if not pod.is_made:
        event = last_event(cluster, pod.about, "FailedCreate")
        if event is None:
            return NotSeen(command=command("kubectl get events --namespace NAMESPACE --field-selector reason=FailedCreate"))
        return Broken(faults=(creation_fault(event.evidence(event_text(event), "message")),))
    fault = _kubelet_fault(pod) or _gate_fault(pod) or template_fault(cluster, pod)
    return Broken(faults=(fault,)) if fault else Healthy(evidence=pod.about.evidence(f"phase: {pod.phase}", "status"))


def _kubelet_fault(pod: LivePod) -> Fault | None:
    reason, message = str(pod.about.at("status", "reason") or ""), str(pod.about.at("status", "message") or "")
    if pod.phase != "Failed" or not reason.startswith(KUBELET_REFUSALS):
        return None
    evidence = pod.about.evidence(f"{reason}: {message}", "status")
    known = message_fault(evidence, is_of_pod="maximum request size" in message)
    if known is not None:
        return replace(known, consequence=_REFUSED, fix=_DELETE, verify=_PODS) if known.name == _UNREGISTERED else known
    return Fault(
        name="kubelet-refusal",
        cause=f"The kubelet refused the pod after the scheduler had placed it ({reason})",
        evidence=(evidence,),
        consequence=_REFUSED,
        fix=_DELETE,
        verify=command("kubectl describe node NODE"),
        source="kubernetes/kubernetes pkg/kubelet/lifecycle/predicate.go",
    )


def _gate_fault(pod: LivePod) -> Fault | None:
    gates = [str(each.get("name")) for each in pod.about.mappings("spec", "schedulingGates")]
    condition = pod.condition("PodScheduled")
    if not (gates or (condition is not None and condition.get("reason") == GATED)):
        return None
    is_kueue = any(each.startswith(_KUEUE_GATE) for each in gates)
    return Fault(
        name="scheduling-gate",
        cause=f"The scheduling gate {' and '.join(gates)} holds the pod" + (": Kueue has not admitted its workload" if is_kueue else ""),
        evidence=(pod.about.evidence(f"schedulingGates: {', '.join(gates)}", "spec"),),
        consequence="The scheduler does not look at the pod until its gates are gone",
        fix=command(
            "kubectl get workloads.kueue.x-k8s.io,localqueues.kueue.x-k8s.io --namespace NAMESPACE   # the workload's conditions name the quota that is missing"
        )
        if is_kueue
        else Advice("See the controller that sets the gate: it takes the gate away when the pod may run"),
        verify=command("kubectl get pod POD --namespace NAMESPACE -o jsonpath='{.spec.schedulingGates}'"),
        source="https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/",
        is_of_pod=True,
    )
