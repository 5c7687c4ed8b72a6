"""Resource claims: the DeviceClasses that they request, and the GPUs and the GPU memory that one claim takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ...arguments.patterns import pattern
from ...arguments.quantities import amount_of, byte_quantity
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, mig_resource
from ..model import (
    Inputs,
    KubernetesObject,
    Path,
    Unknown,
    at,
    equals,
    is_unknown,
    known_list,
    known_str,
    mappings,
    question,
    same_namespace,
)
from .pod_counts import whole_number
from .pod_templates import Body, Pod

GPU_CLASS = "gpu.nvidia.com"
_MIG_CLASS = "mig.nvidia.com"
# A DeviceClass of one profile, as `DraDriver` makes it, and the expression by which a request of mig.nvidia.com chooses
# a profile.
_PROFILE_CLASS = pattern(r"mig-([0-9a-z.+-]+)\.gpu\.nvidia\.com")
_PROFILE = pattern(r"""\s*device\.attributes\[(["'])gpu\.nvidia\.com\1\]\.profile\s*==\s*(["'])([0-9a-z.+]+)\2\s*""")
# Classes of NVIDIA's driver without a GPU: kubernetes-sigs/dra-driver-nvidia-gpu
# deployments/helm/dra-driver-nvidia-gpu/templates.
_NO_GPU = ("compute-domain-daemon.nvidia.com", "compute-domain-default-channel.nvidia.com")


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimRequest:
    """One request of a claim. `gpus` is the number of devices or shares of `resource`, None for an unknown number with
    its `reason`.

    `devices` is the number of devices, which the scheduler takes from as many GPUs of one node, also where a GPU has
    shares. `memory` is the memory of each GPU that the request takes, None for a whole GPU. `path` is the path below
    `devices`.
    """

    path: Path
    device_class: str
    resource: str
    gpus: int | None
    devices: int = 1
    memory: Decimal | None = None
    reason: str = ""


def claim_requests(devices: Any) -> Iterator[ClaimRequest]:
    """The requests for GPUs in the field `devices` of a claim
    (https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/)."""
    for index, request in mappings(at(devices, "requests")):
        path: Path = ("requests", index)
        if (several := at(request, "firstAvailable")) is not None:
            yield from _alternatives(several, path)
        elif (exactly := at(request, "exactly")) is not None:  # before v1beta2 the fields are in the request itself
            yield from _request(exactly, (*path, "exactly"))
        else:
            yield from _request(request, path)
    if is_unknown(at(devices, "requests")):
        yield _unknown(("requests",), "its requests can't be read")


def _alternatives(several: Any, path: Path) -> Iterator[ClaimRequest]:
    """The scheduler takes the first alternative that is free. Equal alternatives are one request."""
    options = [list(_request(each, (*path, "firstAvailable", index))) for index, each in mappings(several)]
    first = next((requests[0] for requests in options if requests), None)
    if first is None and not is_unknown(several):
        return
    same = first is not None and all(len(requests) == 1 and _amount(requests[0]) == _amount(first) for requests in options)
    if first is not None and same and len(options) == len(known_list(several)):
        yield first
    else:
        reason = "firstAvailable has different alternatives"
        yield _unknown((*path, "firstAvailable"), reason, first.device_class if first else GPU_CLASS)


def _amount(request: ClaimRequest) -> tuple[object, ...]:
    return request.resource, request.gpus, request.devices, request.memory, request.reason


def _request(request: Any, path: Path) -> Iterator[ClaimRequest]:
    written = at(request, "deviceClassName")
    name = known_str(written)
    admin = at(request, "adminAccess")
    if admin is True or (name is None and not is_unknown(written) and not is_unknown(request)):
        return  # admin access takes no device from other claims
    if name is None:
        yield _unknown(path, "its DeviceClass can't be read")
        return
    if not name.endswith("nvidia.com") or name in _NO_GPU:
        return
    resource = _resource(name, at(request, "selectors"))
    mode, count = at(request, "allocationMode"), at(request, "count")
    gpus = whole_number(1 if count is None else count)
    if resource is None:
        yield _unknown(path, f"the selectors of {name} can't be read", name)
    elif isinstance(mode, str) and mode == "All":
        yield _unknown(path, "allocationMode: All takes every device that fits", name)
    elif gpus is None or is_unknown(mode) or is_unknown(admin):
        yield _unknown(path, "the number of its devices can't be read", name)
    else:
        yield from _with_capacity(request, ClaimRequest(path=path, device_class=name, resource=resource, gpus=gpus, devices=gpus))


def _with_capacity(request: Any, whole: ClaimRequest) -> Iterator[ClaimRequest]:
    """A request for shares or for memory of a GPU (kubernetes-sigs/dra-driver-nvidia-gpu
    cmd/gpu-kubelet-plugin/consumable_shares.go)."""
    wanted = at(request, "capacity", "requests")
    written, amount = at(wanted, "shares"), at(wanted, "memory")
    shares, memory = whole_number(1 if written is None else written), _bytes(amount)
    if shares is None or whole.gpus is None or (memory is None and amount is not None):
        yield _unknown(whole.path, "the capacity that it requests can't be read", whole.device_class)
    else:
        yield replace(whole, gpus=whole.gpus * shares, memory=memory)


def _bytes(written: Any) -> Decimal | None:
    try:
        return amount_of(byte_quantity("memory", known_str(written)))
    except (TypeError, ValueError):
        return None


def _resource(name: str, selectors: Any) -> str | None:
    """The resource of the device plugin for the same devices; None for devices that only CEL expressions tell."""
    if name == GPU_CLASS:
        return GPU_RESOURCE
    if (profile := _PROFILE_CLASS.fullmatch(name)) is not None:
        return mig_resource(profile[1])
    if name == _MIG_CLASS:
        expressions = [known_str(at(each, "cel", "expression")) for each in known_list(selectors) if isinstance(each, Mapping)]
        profiles = {match[3] for each in expressions if each and (match := _PROFILE.fullmatch(each))}
        return mig_resource(profiles.pop()) if len(profiles) == 1 else None
    return None


def _unknown(path: Path, reason: str, device_class: str = GPU_CLASS) -> ClaimRequest:
    return ClaimRequest(path=path, device_class=device_class, resource=GPU_RESOURCE, gpus=None, reason=reason)


CLAIM_KINDS = {"resourceClaimTemplateName": "ResourceClaimTemplate", "resourceClaimName": "ResourceClaim"}
"""The kind of the object that each field of a pod's claim names."""


@question
def claimed_classes(inputs: Inputs) -> list[tuple[KubernetesObject, Path, str]]:
    """Every DeviceClass that a claim or a claim template requests, with its path."""
    return [(each, path, name) for each in inputs.of_kind(*CLAIM_KINDS.values()) for path, name in classes_of(each)]


def classes_of(claim: Body) -> Iterator[tuple[Path, str]]:
    """The DeviceClasses that a claim or a claim template requests, each with its path."""
    below: Path = ("spec", "spec") if claim.at("kind") == "ResourceClaimTemplate" else ("spec",)
    for index, request in mappings(claim.at(*below, "devices", "requests")):
        for path, one in _requests(request):
            name = at(one, "deviceClassName")
            if isinstance(name, str):
                yield (*below, "devices", "requests", index, *path, "deviceClassName"), name


def makes_channel(inputs: Inputs, name: object, namespace: str | Unknown | None) -> bool:
    """Whether a ComputeDomain may make the ResourceClaimTemplate of this name: of a channel of NVLink, which is no GPU."""
    for each in inputs.of_kind("ComputeDomain"):
        template = each.at("spec", "channel", "resourceClaimTemplate", "name")
        if not equals(template, name).is_no and not same_namespace(each.namespace, namespace).is_no:
            return True
    return False


def is_of_nvidia(claim: Body) -> bool:
    """Whether a claim or a claim template requests a device of NVIDIA's."""
    return any("nvidia" in name for _, name in classes_of(claim))


def claims_of(pod: Pod[Any]) -> Iterator[tuple[str, str]]:
    """The kind and the name of each claim object that a pod names."""
    for entry in pod.claims:
        for key, kind in CLAIM_KINDS.items():
            if name := known_str(at(entry, key)):
                yield kind, name


def _requests(request: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The parts of a request that name a class: the request itself, since v1beta2 `exactly`, or the entries of
    `firstAvailable`."""
    yield (), request
    if isinstance(at(request, "exactly"), Mapping):
        yield ("exactly",), request["exactly"]
    for index, one in mappings(at(request, "firstAvailable")):
        yield ("firstAvailable", index), one
