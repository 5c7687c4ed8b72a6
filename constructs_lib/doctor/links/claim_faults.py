"""The faults of a pod's claims (DRA): a template, a DeviceClass or a device that is not there."""

from __future__ import annotations

from collections.abc import Sequence

from ...arguments.commands import command
from ...manifests.dra.claim_objects import DRIVER
from ...observed.model.live_object import LiveObject
from ...upstream.kubernetes.scheduler_words import CLAIM_FAILED, CLAIM_MISSING, CLASS_MISSING
from ..fault import Advice, Fault
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode
from ..live_pods import LivePod
from ..scheduler_message import SchedulerMessage, event_text, last_event
from .device_taints import Taint, taints_of, untolerated

_DOCS = "https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/"
_PENDING = "The pod stays Pending"
_MOST_SHOWN = 8


def template_fault(cluster: GpuCluster, pod: LivePod) -> Fault | None:
    """The fault of a pod whose claim Kubernetes can't make from its template; None where the pod has its claims."""
    if pod.node:
        return None
    event = last_event(cluster, pod.about, CLAIM_FAILED)
    missing = [
        name
        for each in pod.claims
        if (name := str(each.get("resourceClaimTemplateName") or ""))
        and "ResourceClaimTemplate" in cluster.dump.listed
        and ("ResourceClaimTemplate", pod.about.namespace, name) not in cluster.claim_objects
    ]
    is_settled = event is not None and "not found" in event_text(event) and "ResourceClaimTemplate" in cluster.dump.listed and not missing
    if not missing and (event is None or is_settled):
        return None
    is_absent = bool(missing) or (event is not None and "not found" in event_text(event))
    evidence = [event.evidence(event_text(event), "message")] if event is not None else []
    named = [" and ".join(missing)] if missing else []
    return Fault(
        name="claim-template-missing" if is_absent else "claim-not-made",
        cause=f"{' '.join(['The ResourceClaimTemplate', *named])} of the pod does not exist in its namespace"
        if is_absent
        else "Kubernetes can't make the claim of the pod from its template",
        evidence=tuple(evidence) or (pod.about.evidence(f"resourceClaimTemplateName: {missing[0]}", "spec.resourceClaims"),),
        consequence="The pod has no claim, so the scheduler does not look for a node",
        fix=command("kubectl get resourceclaimtemplates --namespace NAMESPACE   # create the template there, then delete the pod"),
        verify=command("kubectl get resourceclaims --namespace NAMESPACE"),
        source=_DOCS,
        rules=("TG054",),
        is_of_pod=True,
    )


def claim_faults(cluster: GpuCluster, pod: LivePod, words: SchedulerMessage) -> tuple[Fault, ...]:
    """The faults of the claims that no node could mend: a claim or a DeviceClass that does not exist."""
    text = "; ".join(words.reasons)
    missing_class = CLASS_MISSING.search(text)
    if missing_class:
        return (
            Fault(
                name="device-class-missing",
                cause=f"The DeviceClass {missing_class['name']} of the pod's claim does not exist",
                evidence=(words.evidence,),
                consequence=_PENDING,
                fix=Advice(
                    "Install the DRA driver, whose chart makes the DeviceClass (resources.gpus.enabled: true, gpuResourcesEnabledOverride: true), or correct deviceClassName"
                ),
                verify=command("kubectl get deviceclasses"),
                source=_DOCS,
                rules=("TG056", "TG032"),
                is_of_pod=True,
            ),
        )
    if pod.claims and CLAIM_MISSING.search(text):
        return (
            Fault(
                name="claim-missing",
                cause="A claim of the pod does not exist",
                evidence=(words.evidence,),
                consequence=_PENDING,
                fix=command(
                    "kubectl get resourceclaims,resourceclaimtemplates --namespace NAMESPACE   # create the claim that spec.resourceClaims names"
                ),
                verify=command("kubectl describe pod POD --namespace NAMESPACE"),
                source=_DOCS,
                rules=("TG054",),
                is_of_pod=True,
            ),
        )
    return ()


def allocation_faults(cluster: GpuCluster, pod: LivePod, nodes: Sequence[GpuNode], words: SchedulerMessage) -> tuple[Fault, ...]:
    """The fault of claims that no node satisfies: no device at all, none left, or none that matches."""
    slices = [each for node in nodes for each in cluster.slices.get(node.name, ())]
    devices = {
        (str(each.at("spec", "pool", "name")), str(device.get("name"))) for each in slices for device in each.mappings("spec", "devices")
    }
    if not devices and "ResourceSlice" in cluster.dump.listed:
        return (
            Fault(
                name="no-devices-on-offer",
                cause=f"No ResourceSlice of the driver {DRIVER} offers a device of the nodes that the pod may use",
                evidence=(words.evidence,),
                consequence=_PENDING,
                fix=Advice(
                    "kubectl logs --namespace dra-driver-nvidia-gpu --selector dra-driver-nvidia-gpu-component=kubelet-plugin -c gpus"
                ),
                verify=command("kubectl get resourceslices"),
                source=_DOCS,
                rules=("TG031", "TG093"),
            ),
        )
    held = [(claim, taken) for claim in cluster.dump.of_kind("ResourceClaim") if (taken := _allocated(claim) & devices)]
    taken = set().union(*(each for _, each in held))
    tainted = taints_of(cluster, slices)
    free = devices - taken
    if free and free <= tainted.keys() and (kept := untolerated(cluster, pod, {each: tainted[each] for each in sorted(free)})):
        is_read = bool(cluster.claims_of(pod)) or not pod.claims
        return (_all_tainted(kept, is_sure=is_read),)
    is_full = bool(devices) and len(taken) >= len(devices)
    shown = tuple(
        claim.evidence(f"holds {', '.join(sorted(name for _, name in taken))}{_reserved(claim)}", "status")
        for claim, taken in held[:_MOST_SHOWN]
    )
    return (
        Fault(
            name="all-devices-held" if is_full else "no-device-matches",
            cause="Other claims hold all devices of the nodes that the pod may use"
            if is_full
            else "No free device of the nodes that the pod may use satisfies the claims of the pod: their count, selectors or capacity",
            evidence=(words.evidence, *shown),
            consequence=f"{_PENDING} until a device is free" if is_full else _PENDING,
            fix=Advice("End a pod that holds a device, or share one claim between pods (resourceClaimName)")
            if is_full
            else command("kubectl get resourceslices -o yaml   # compare the requests of the claim with the devices"),
            verify=command("kubectl get resourceclaims --all-namespaces"),
            source=_DOCS,
            is_of_pod=True,
        ),
    )


def _all_tainted(taints: Sequence[Taint], *, is_sure: bool) -> Fault:
    by_rule = any(each.is_of_rule for each in taints)
    author = "A DeviceTaintRule or the DRA driver" if by_rule else "The DRA driver"
    known = "the claim does not tolerate the taints" if is_sure else "the claim, which was not read, may not tolerate the taints"
    rules = command("kubectl get devicetaintrules -o yaml   # delete the rule when the device is well, or tolerate its taint in the claim")
    return Fault(
        name="devices-tainted",
        cause=f"{author} has tainted every free device of the nodes that the pod may use, and {known}",
        evidence=tuple(each.evidence for each in taints)[:_MOST_SHOWN],
        consequence=_PENDING,
        fix=rules
        if by_rule
        else command("talosctl --nodes ADDRESS dmesg | grep -i xid   # the error of the card: talos-gpu why tells its remedy"),
        verify=command("kubectl get devicetaintrules -o yaml") if by_rule else command("kubectl get resourceslices -o yaml"),
        source=f"{_DOCS}#device-taints-and-tolerations",
        is_sure=is_sure,
    )


def _allocated(claim: LiveObject) -> set[tuple[str, str]]:
    """The devices that a claim holds. Access for administration takes none (k8s.io/dynamic-resource-allocation structured/internal)."""
    results = claim.mappings("status", "allocation", "devices", "results")
    return {
        (str(each.get("pool")), str(each.get("device")))
        for each in results
        if each.get("driver") == DRIVER and each.get("adminAccess") is not True
    }


def _reserved(claim: LiveObject) -> str:
    names = [f"{each.get('name')}" for each in claim.mappings("status", "reservedFor")]
    return f" for {', '.join(names)}" if names else ""
