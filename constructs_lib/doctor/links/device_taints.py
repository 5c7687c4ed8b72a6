"""The taints of devices, by their driver and by DeviceTaintRules, and the requests of a pod that do not tolerate them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...manifests.dra.claim_objects import DRIVER
from ...observed.model import at, mappings
from ...observed.model.evidence import Evidence
from ...observed.model.live_object import LiveObject
from ..gpu_cluster import GpuCluster
from ..live_pods import LivePod

Device = tuple[str, str]
"""The pool and the name of a device."""

_EFFECTS = ("NoSchedule", "NoExecute")
"""The effects that keep a claim away (k8s.io/dynamic-resource-allocation structured/internal/stable at v0.37.2)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Taint:
    """A taint of a device with its place; `is_of_rule` where a DeviceTaintRule gives it."""

    body: Mapping[str, Any]
    evidence: Evidence
    is_of_rule: bool = False


Taints = Mapping[Device, Sequence[Taint]]
_Tolerations = Sequence[Mapping[str, Any]]


def taints_of(cluster: GpuCluster, slices: Sequence[LiveObject]) -> dict[Device, list[Taint]]:
    """The taints of each device that keep claims away."""
    found: dict[Device, list[Taint]] = {}
    for each in slices:
        pool = str(each.at("spec", "pool", "name"))
        for index, device in enumerate(each.mappings("spec", "devices")):
            name = str(device.get("name"))
            own = [
                Taint(body=taint, evidence=each.evidence(_words(name, taint), f"spec.devices.{index}.taints"))
                for _, taint in mappings(device.get("taints"))
            ]
            taints = [one for one in (*own, *_of_rules(cluster, pool, name)) if one.body.get("effect") in _EFFECTS]
            if taints:
                found[pool, name] = taints
    return found


def untolerated(cluster: GpuCluster, pod: LivePod, taints: Taints) -> list[Taint]:
    """A taint for each device that some request of the pod, with all of its alternatives, does not tolerate; none where
    every request tolerates those of some device. Claims that were not read are taken for those without a toleration."""
    requests = [[*each] for each in _requests(cluster, pod)] if cluster.claims_of(pod) else [[()]]
    for alternatives in requests:
        refused = [_refused(alternatives, each) for each in taints.values()]
        if all(refused):
            return [taint for taint in refused if taint is not None]
    return []


def _of_rules(cluster: GpuCluster, pool: str, device: str) -> Iterator[Taint]:
    """The taints of the rules that select a device (k8s.io/dynamic-resource-allocation resourceslice/tracker at v0.37.2)."""
    own = {"driver": DRIVER, "pool": pool, "device": device}
    for rule in cluster.dump.of_kind("DeviceTaintRule"):
        selector, taint = rule.at("spec", "deviceSelector"), rule.at("spec", "taint")
        if (
            isinstance(selector, Mapping)
            and isinstance(taint, Mapping)
            and all(selector.get(key) in (None, value) for key, value in own.items())
        ):
            yield Taint(body=taint, evidence=rule.evidence(_words(device, taint), "spec.taint"), is_of_rule=True)


def _requests(cluster: GpuCluster, pod: LivePod) -> Iterator[Iterator[_Tolerations]]:
    """The tolerations of the alternatives of each request that takes a device, as far as the claims were read."""
    for claim in cluster.claims_of(pod):
        path = ("spec", "spec") if claim.kind == "ResourceClaimTemplate" else ("spec",)
        if claim.at("status", "allocation") is None:
            for request in claim.mappings(*path, "devices", "requests"):
                exactly = at(request, "exactly")
                parts = [each for _, each in mappings(request.get("firstAvailable"))] or [
                    exactly if isinstance(exactly, Mapping) else request
                ]
                if not any(each.get("adminAccess") is True for each in parts):
                    yield ([one for _, one in mappings(each.get("tolerations"))] for each in parts)


def _refused(alternatives: Sequence[_Tolerations], taints: Sequence[Taint]) -> Taint | None:
    """The taint by which a device is none for any alternative of a request."""
    found = [
        next((one for one in taints if not any(_tolerates(each, one.body) for each in tolerations)), None) for tolerations in alternatives
    ]
    return found[0] if all(found) else None


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Whether a toleration is for a taint (k8s.io/dynamic-resource-allocation resourceclaim/devicetoleration.go at v0.37.2)."""
    if any(toleration.get(key) and toleration.get(key) != taint.get(key) for key in ("effect", "key")):
        return False
    if toleration.get("operator") in (None, "", "Equal"):
        return (toleration.get("value") or "") == (taint.get("value") or "")
    return toleration.get("operator") == "Exists"


def _words(device: str, taint: Mapping[str, Any]) -> str:
    return f"{device}: {taint.get('key')}={taint.get('value') or ''}:{taint.get('effect')}"
