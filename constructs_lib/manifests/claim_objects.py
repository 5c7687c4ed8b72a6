"""The objects that GPU pods claim their GPUs by: a template that each gets a claim of, or one claim for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import named, settle, to_optional_namespace
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_subdomain
from .._arguments.plain_values import instance
from ..nodes.dra import Dra, DraShare, claim_name
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.gpu_resources import mig_resource
from .gpu_memory import check_gpu_memory
from .gpu_pod import check_gpus, check_profile
from .objects import Manifest, manifest

RESOURCE_API = "resource.k8s.io/v1"
# The driver's own name, and that of its class for whole GPUs (deployments/helm/dra-driver-nvidia-gpu/templates/deviceclass-gpu.yaml).
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
) -> dict[str, Any]:
    """What pods of `gpu_pod` and `request_gpus` claim their GPUs by, as plain data; `GpuClaim` emits it, and `GpuWorkload` makes its own.

    It is a ResourceClaimTemplate, of which each pod gets a claim of its own, or a ResourceClaim where `share` of the nodes' `dra` is
    `claim` or `time-slicing`. It has to be in the namespace of the pods. Kubernetes changes neither once it is made: give a changed one
    another name, or delete the old one first.

    Args:
        nodes: The class of nodes, with `dra`.
        gpus: How many GPUs each claim is for, which are different ones also where GPUs are shared. Default: 1.
        name: Its name. Default: `gpu`, with the class's name before it and the number of GPUs, if more than one, behind it.
        namespace: Its namespace. Default: none is written.
        gpu_memory: The memory of each GPU that a claim takes, where claims are `consumable`, as "8Gi". Kubernetes counts it, and nothing
            holds a pod to it. Default: none, which is the whole GPU with `shares="memory"`.
        profile: The MIG profile of which it is for that many partitions, as "1g.10gb". Default: none, whole GPUs.

    Returns:
        The object.

    Raises:
        TypeError, ValueError: `'nodes' must be …` without `dra`; `'gpus' must be …`; `'gpu_memory' must be …` where no claim is
            consumable, and when it is more than a GPU has.

    Example:
        >>> made = gpu_claim(nodes=GpuNodes(talos_version="1.14", dra=Dra()), gpus=2)
        >>> made["kind"], made["metadata"]["name"], made["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"]
        ('ResourceClaimTemplate', 'gpu-2', 2)

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """
    return gpu_claim_object(
        GpuClaimSettings(nodes=nodes, gpus=gpus, name=name, namespace=namespace, gpu_memory=gpu_memory, profile=profile)
    )


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    nodes = instance(argument, value, GpuNodes, "a GpuNodes with 'dra'")
    if nodes.dra is None:
        raise wrong(argument, "a class with 'dra'", nodes, "without it pods have limits, and no claims; such as GpuNodes(…, dra=Dra())")
    return nodes


def _to_name(value: str | None, argument: str = "") -> str:
    return "" if value is None else dns_subdomain(argument, value)


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class GpuClaimSettings:
    """The checked arguments of a claim; `gpu_claim` documents each."""

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    gpus: int = 1
    name: str = attrs.field(default=None, converter=_to_name)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    gpu_memory: str | None = None
    profile: str | None = None

    def __attrs_post_init__(self) -> None:
        check_gpus(self.gpus, self.nodes, check_profile(self.profile, self.nodes))
        settle(self, "name", claim_name(self.nodes.name, self.gpus, self.profile))
        self._check_memory()
        if self.dra.share is DraShare.TIME_SLICING and self.profile is not None:
            hint = "the driver sets the turns of whole GPUs alone, and can't prepare a claim that asks for them with a partition"
            raise wrong("profile", "left out with share='time-slicing'", self.profile, hint)

    def _check_memory(self) -> None:
        if self.gpu_memory is None:
            return
        if self.dra.share is not DraShare.CONSUMABLE:
            hint = "elsewhere a claim takes whole GPUs, with all of their memory"
            raise wrong("gpu_memory", "left out on nodes without dra=Dra(share='consumable', …)", self.gpu_memory, hint)
        if self.profile is not None:
            raise wrong("gpu_memory", "left out with 'profile'", self.gpu_memory, "a partition has the memory that its profile names")
        check_gpu_memory(self.gpu_memory, self.nodes)

    @property
    def device_class(self) -> str:
        """The class of the devices that are claimed."""
        return GPU_CLASS if self.profile is None else mig_class(self.profile)

    @property
    def dra(self) -> Dra:
        """How the GPUs are handed out."""
        return self.nodes.dra or Dra()


def gpu_claim_object(settings: GpuClaimSettings, labels: Mapping[str, str] = _NO_LABELS) -> Manifest:
    """The ResourceClaimTemplate, or the ResourceClaim where pods share one."""
    claim = {"devices": _devices(settings)}
    one = settings.dra.is_one_claim
    return manifest(
        RESOURCE_API, "ResourceClaim" if one else "ResourceClaimTemplate", settings.name, namespace=settings.namespace,
        labels=labels, spec=claim if one else {"spec": claim},
    )  # fmt: skip


def mig_class(profile: str) -> str:
    """The name of the DeviceClass of a MIG profile, which `DraDriver` makes."""
    return f"{mig_resource(profile).rpartition('/')[2]}.{DRIVER}"


def _devices(settings: GpuClaimSettings) -> dict[str, Any]:
    dra = settings.dra
    # The mode and the count are Kubernetes' defaults as well; it writes them into the object, which would then differ from ours.
    exactly: dict[str, Any] = {"deviceClassName": settings.device_class, "allocationMode": "ExactCount", "count": settings.gpus}
    if dra.selectors:
        exactly["selectors"] = [{"cel": {"expression": expression}} for expression in dra.selectors]
    if settings.gpu_memory:
        exactly["capacity"] = {"requests": {"memory": settings.gpu_memory}}
    devices: dict[str, Any] = {"requests": [{"name": _REQUEST, "exactly": exactly}]}
    if dra.share is DraShare.CONSUMABLE and settings.gpus > 1:
        # A GPU that serves several claims may serve one claim twice, unless its devices have to differ (KEP-5075).
        devices["constraints"] = [{"requests": [_REQUEST], "distinctAttribute": f"{DRIVER}/uuid"}]
    if dra.share is DraShare.TIME_SLICING:
        sharing = {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": str(dra.interval)}}
        parameters = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": sharing}
        devices["config"] = [{"requests": [_REQUEST], "opaque": {"driver": DRIVER, "parameters": parameters}}]
    return devices
