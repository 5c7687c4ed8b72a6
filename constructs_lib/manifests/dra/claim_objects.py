"""The claims of GPU pods: a ResourceClaimTemplate with a claim for each pod, or one ResourceClaim for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named, settle, to_flag, to_object_name, to_optional_namespace
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import instance
from ...nodes.dra import Dra, DraShare, claim_name
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.nvidia.gpu_resources import mig_resource
from ..gpu_pod import check_gpu_memory, check_gpus, check_profile
from ..objects import Manifest, manifest

RESOURCE_API = "resource.k8s.io/v1"
# The driver's name, and the name of its DeviceClass for whole GPUs
# (deployments/helm/dra-driver-nvidia-gpu/templates/deviceclass-gpu.yaml).
DRIVER = GPU_CLASS = "gpu.nvidia.com"
_REQUEST = "gpu"
_NO_LABELS: Mapping[str, str] = {}


@named_arguments(nodes="a claim is for the GPUs of a class of nodes")
def gpu_claim(
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    name: str | None = None,
    namespace: str | None = None,
    gpu_memory: str | None = None,
    profile: str | None = None,
    admin_access: bool = False,
) -> dict[str, Any]:
    """A claim on GPUs for pods of `gpu_pod` and `request_gpus`, as plain data. `GpuClaim` emits the same object;
    `GpuWorkload` makes its own claim.

    The object is a ResourceClaimTemplate, from which each pod gets its own claim. Where `share` of the nodes' `dra` is
    `claim` or `time-slicing`, the object is one ResourceClaim that all pods use together. The object must be in the
    namespace of the pods. Kubernetes changes neither kind after it is created: give a changed object another name, or
    delete the old object first.

    Args:
        nodes: The class of nodes, with `dra`.
        gpus: The number of GPUs of each claim. The GPUs of one claim are always different ones, also where GPUs are
            shared. Default: 1.
        name: The object's name. Default: `gpu`, with the name of the class before it, and behind it the number of GPUs
            if there are several.
        namespace: The object's namespace. Default: none is written.
        gpu_memory: The memory that a claim takes of each GPU, as "8Gi", where claims are `consumable`. Kubernetes
            counts this memory; nothing enforces it. Default: none, which takes the whole GPU with `shares="memory"`.
        profile: The MIG profile of the claimed partitions, as "1g.10gb"; `gpus` then counts partitions. Default: none,
            for whole GPUs.
        admin_access: Whether the claim is for a monitor: it gets every device of the class on its node, beside the
            pods that hold them. The namespace needs the label `resource.kubernetes.io/admin-access: "true"`. Default:
            False.

    Returns:
        The object as a dict.

    Raises:
        TypeError, ValueError: `'nodes' must be …` without `dra`; `'gpus' must be …`; `'gpu_memory' must be …` where
            claims are not consumable, or for more memory than a GPU has.

    Example:
        >>> claim = gpu_claim(nodes=GpuNodes(talos_version="1.14", dra=Dra()), gpus=2)
        >>> claim["kind"], claim["metadata"]["name"], claim["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"]
        ('ResourceClaimTemplate', 'gpu-2', 2)

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """
    return gpu_claim_object(
        GpuClaimSettings(
            nodes=nodes, gpus=gpus, name=name, namespace=namespace, gpu_memory=gpu_memory, profile=profile, admin_access=admin_access
        )
    )


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    nodes = to_container_nodes(instance(argument, value, GpuNodes, "a GpuNodes with 'dra'"), argument)
    if nodes.dra is None:
        raise wrong(argument, "a class with 'dra'", nodes, "pods of nodes without 'dra' use limits; such as GpuNodes(…, dra=Dra())")
    return nodes


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuClaimSettings:
    """The checked arguments of `gpu_claim`, which documents each argument."""

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    gpus: int = 1
    name: str = attrs.field(default=None, converter=to_object_name)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    gpu_memory: str | None = None
    profile: str | None = None
    admin_access: bool = attrs.field(default=False, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        self._check_admin_access()
        check_gpus(self.gpus, self.nodes, check_profile(self.profile, self.nodes))
        settle(self, "name", claim_name(self.nodes.name, self.gpus, self.profile) + ("-admin" if self.admin_access else ""))
        self._check_memory()
        if self.dra.share is DraShare.TIME_SLICING and self.profile is not None:
            hint = "the driver time-slices only whole GPUs, and refuses a time-sliced claim on a partition, or ignores its sharing (Kubernetes 1.37)"
            raise wrong("profile", "left out with share='time-slicing'", self.profile, hint)

    def _check_admin_access(self) -> None:
        if not self.admin_access:
            return
        if self.gpus != 1:
            raise wrong("gpus", "left out with 'admin_access'", self.gpus, "the claim gets every device of the class")
        if self.gpu_memory is not None:
            raise wrong("gpu_memory", "left out with 'admin_access'", self.gpu_memory, "the claim takes nothing of a GPU")
        if self.dra.is_one_claim:
            hint = "one claim has the devices of one node, and a monitor runs on each"
            raise wrong("admin_access", f"False with share='{self.dra.share}'", self.admin_access, hint)

    def _check_memory(self) -> None:
        if self.gpu_memory is None:
            return
        if self.dra.share is not DraShare.CONSUMABLE:
            hint = "on other nodes a claim takes whole GPUs, with all their memory"
            raise wrong("gpu_memory", "left out on nodes without dra=Dra(share='consumable', …)", self.gpu_memory, hint)
        if self.profile is not None:
            raise wrong("gpu_memory", "left out with 'profile'", self.gpu_memory, "a partition has the memory that its profile names")
        check_gpu_memory(self.gpu_memory, self.nodes)

    @property
    def device_class(self) -> str:
        """The DeviceClass of the claimed devices."""
        return GPU_CLASS if self.profile is None else mig_class(self.profile)

    @property
    def dra(self) -> Dra:
        """The way in which the nodes share claimed GPUs."""
        return self.nodes.dra or Dra()


def gpu_claim_object(
    settings: GpuClaimSettings, labels: Mapping[str, str] = _NO_LABELS, annotations: Mapping[str, str] = _NO_LABELS
) -> Manifest:
    """The ResourceClaimTemplate, or the ResourceClaim where pods share one claim."""
    claim = {"devices": _devices(settings)}
    one = settings.dra.is_one_claim
    return manifest(
        RESOURCE_API, "ResourceClaim" if one else "ResourceClaimTemplate", settings.name, namespace=settings.namespace,
        labels=labels, annotations=annotations, spec=claim if one else {"spec": claim},
    )  # fmt: skip


def mig_class(profile: str) -> str:
    """The name of the DeviceClass that `DraDriver` makes for a MIG profile."""
    return f"{mig_resource(profile).rpartition('/')[2]}.{DRIVER}"


def _devices(settings: GpuClaimSettings) -> dict[str, Any]:
    dra = settings.dra
    # allocationMode and count equal Kubernetes' defaults. Kubernetes writes the defaults into the object, so an object
    # without them would differ.
    exactly: dict[str, Any] = {"deviceClassName": settings.device_class, "allocationMode": "ExactCount", "count": settings.gpus}
    if settings.admin_access:
        # With `All` the API server refuses a count other than 0, and takes its absence for one.
        exactly = {"deviceClassName": settings.device_class, "allocationMode": "All", "adminAccess": True}
    if dra.selectors:
        exactly["selectors"] = [{"cel": {"expression": expression}} for expression in dra.selectors]
    if settings.gpu_memory:
        exactly["capacity"] = {"requests": {"memory": settings.gpu_memory}}
    devices: dict[str, Any] = {"requests": [{"name": _REQUEST, "exactly": exactly}]}
    if dra.share is DraShare.CONSUMABLE and settings.gpus > 1:
        # Without this constraint one claim could get the same shared GPU twice (KEP-5075).
        devices["constraints"] = [{"requests": [_REQUEST], "distinctAttribute": f"{DRIVER}/uuid"}]
    if dra.share is DraShare.TIME_SLICING:
        sharing = {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": str(dra.interval)}}
        parameters = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": sharing}
        devices["config"] = [{"requests": [_REQUEST], "opaque": {"driver": DRIVER, "parameters": parameters}}]
    return devices
