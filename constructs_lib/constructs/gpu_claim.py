"""`GpuClaim`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.keywords import named_arguments
from ..manifests.claim_objects import GpuClaimSettings, gpu_claim_object
from ..manifests.objects import MAIN
from ._emit import GpuConstruct
from ._settings import takes


@named_arguments(nodes="a claim is for the GPUs of a class of nodes")
class GpuClaim(GpuConstruct, GpuClaimSettings):
    """What the pods of `gpu_pod` and `request_gpus` claim their GPUs by, on nodes with `dra`. `GpuWorkload` makes its own.

    On Talos from 1.13 on a claim's GPU is described to containerd by CDI, so that its pods need neither a RuntimeClass nor a privileged
    namespace.

    Makes a ResourceClaimTemplate, of which each pod gets a claim of its own; or a ResourceClaim, which all pods use together, where `share`
    of the nodes' `dra` is `claim` or `time-slicing`. It has to be in the namespace of the pods. Kubernetes changes neither once it is made:
    give a changed one another name, or delete the old one first.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        nodes: The class of nodes, with `dra`.
        gpus: How many GPUs each claim is for, which are different ones also where GPUs are shared. Default: 1.
        name: Its name. Default: the one that `gpu_pod` and `request_gpus` look for with the same nodes, `gpus` and
            `profile`: `gpu`, with the class's name before it and the number of GPUs, if more than one, behind it.
        namespace: Its namespace. Default: the chart's.
        gpu_memory: The memory of each GPU that a claim takes, where claims are `consumable`, as "8Gi". Kubernetes counts it, and nothing
            holds a pod to it. Default: none, which is the whole GPU with `shares="memory"`.
        profile: The MIG profile of which it is for that many partitions, as "1g.10gb"; `DraDriver` makes its DeviceClass. Default: none,
            whole GPUs.

    Raises:
        TypeError, ValueError: `'nodes' must be …` without `dra`; `'gpus' must be …`; `'gpu_memory' must be …` where no claim is
            consumable, and when it is more than a GPU has.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14", dra=Dra())
        >>> GpuClaim(Chart(App(), "ai"), "claim", nodes=nodes).name
        'gpu'
        >>> template = {"spec": {"containers": [{"name": "main", "image": "nvidia/cuda:12.5.0-base-ubuntu22.04"}]}}
        >>> gpu_pod(template, nodes=nodes)["spec"]["resourceClaims"]
        [{'name': 'main', 'resourceClaimTemplateName': 'gpu'}]

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """

    @takes(GpuClaimSettings)
    def __init__(self, scope: Construct, id: str, settings: GpuClaimSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, {MAIN: gpu_claim_object(settings)})
