"""The fault of a pod whose kubelet reports one of its devices unhealthy, and the rule that takes the device out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...arguments.commands import command
from ...manifests.dra.claim_objects import DRIVER
from ...manifests.dra.device_taints import TAINT_KEY
from ...observed.nodes.node_settings import minor_of
from ...upstream.kubernetes.dra_gates import TAINT_RULES_SINCE, taint_rule_api
from ..fault import Advice, Fault, Fix, quoted
from ..gpu_cluster import GpuCluster
from ..live_pods import LivePod

_CLAIM = "claim:"  # The beginning of the name of a claimed resource (k8s.io/api core/v1/types.go, ResourceStatus)
_CORDON = command("talosctl --nodes ADDRESS dmesg | grep -i xid   # the error of the card: talos-gpu why tells its remedy")


def unhealthy_devices(cluster: GpuCluster, pod: LivePod) -> tuple[Fault, ...]:
    """The faults of devices that `allocatedResourcesStatus` of the pod's containers calls unhealthy."""
    return tuple(_fault(cluster, pod, *found) for found in _unhealthy(pod))


def _unhealthy(pod: LivePod) -> Iterator[tuple[str, str, str, str]]:
    """The field of the status, the resource, the device and the driver's words of each unhealthy device."""
    for field, status in pod.statuses:
        for resource in _mappings(status.get("allocatedResourcesStatus")):
            for device in _mappings(resource.get("resources")):
                if device.get("health") == "Unhealthy":
                    words = str(device.get("message") or "")
                    yield f"{field}.allocatedResourcesStatus", str(resource.get("name", "")), str(device.get("resourceID", "")), words


def _mappings(value: object) -> list[Mapping[str, object]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _fault(cluster: GpuCluster, pod: LivePod, field: str, resource: str, device: str, words: str) -> Fault:
    said = f": {words}" if words else ""
    return Fault(
        name="device-unhealthy",
        cause=f"The {'DRA driver' if resource.startswith(_CLAIM) else 'device plugin'} reports that a device of the pod is unhealthy",
        evidence=(pod.about.evidence(f"{resource} {device}: Unhealthy{said}", field),),
        consequence="The program fails at its next use of the device, or has failed",
        fix=_taken_out(cluster, pod, resource, device) or _CORDON,
        verify=command("kubectl get pod POD --namespace NAMESPACE -o jsonpath='{.status.containerStatuses[*].allocatedResourcesStatus}'"),
        source="https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/#device-plugin-resource-health",
        is_of_pod=True,
    )


def _taken_out(cluster: GpuCluster, pod: LivePod, resource: str, device: str) -> Fix | None:
    """The DeviceTaintRule for the device of a claim; None where the device or the version of Kubernetes is not known."""
    minor = _minor(cluster, pod)
    found = _allocated(cluster, pod, resource.removeprefix(_CLAIM).partition("/")[0], device) if resource.startswith(_CLAIM) else None
    if found is None or minor is None or minor < TAINT_RULES_SINCE:
        return None
    pool, name = found
    api = taint_rule_api(minor)
    needed = f" (the cluster needs the feature gate DRADeviceTaintRules and --runtime-config={api}=true)"
    gate = "" if api.endswith("/v1") else needed
    rule = (
        f"apiVersion: {api}\nkind: DeviceTaintRule\nmetadata:\n  name: {quoted(f'{pool}-{name}')}\nspec:\n"
        f"  deviceSelector:\n    driver: {DRIVER}\n    pool: {quoted(pool)}\n    device: {quoted(name)}\n"
        f"  taint:\n    key: {TAINT_KEY}\n    effect: NoExecute"
    )
    return Advice(f"Take the device out of use{gate}, and delete the rule when it is well; NoExecute ends the pods that have it", rule)


def _minor(cluster: GpuCluster, pod: LivePod) -> int | None:
    node = cluster.node(pod.node)
    return minor_of(node.node.at("status", "nodeInfo", "kubeletVersion")) if node is not None and node.node is not None else None


def _allocated(cluster: GpuCluster, pod: LivePod, claim: str, device: str) -> tuple[str, str] | None:
    """The pool and the name of the device. The kubelet names a device by its CDI name, which ends in the driver's."""
    made = {str(each.get("name")): str(each.get("resourceClaimName")) for each in pod.about.mappings("status", "resourceClaimStatuses")}
    named = {str(each.get("name")): str(each.get("resourceClaimName")) for each in pod.claims if each.get("resourceClaimName")}
    wanted = {**named, **made}.get(claim)
    results = [
        (str(each.get("pool")), str(each.get("device")))
        for live in cluster.dump.of_kind("ResourceClaim")
        if live.namespace == pod.about.namespace and live.name == wanted
        for each in live.mappings("status", "allocation", "devices", "results")
        if each.get("driver") == DRIVER
    ]
    ending = [each for each in results if device.endswith((f"-{each[1]}", f"/{each[1]}"))]
    found = ending or results
    return found[0] if len(found) == 1 else None
