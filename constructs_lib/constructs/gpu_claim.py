"""`GpuClaim`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import GPU_CLAIM
from ..manifests.dra.claim_objects import GpuClaimSettings
from ._emit import GpuConstruct
from ._settings import takes


class GpuClaim(GpuConstruct, GpuClaimSettings):
    """A claim on GPUs for pods of `gpu_pod` and `request_gpus`, on nodes with `dra`. `GpuWorkload` makes its own claim.

    On Talos 1.13 and newer the DRA driver describes a claimed GPU to containerd by CDI. Pods with a claim therefore
    need neither a RuntimeClass nor a privileged namespace.

    Makes a ResourceClaimTemplate, from which each pod gets its own claim. Where `share` of the nodes' `dra` is `claim`
    or `time-slicing`, makes one ResourceClaim that all pods use together. The object must be in the namespace of the
    pods. Kubernetes changes neither kind after it is created: give a changed object another name, or delete the old
    object first.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes, with `dra`.
        gpus: The number of GPUs of each claim. The GPUs of one claim are always different ones, also where GPUs are
            shared. Default: 1.
        name: The object's name. Default: the name that `gpu_pod` and `request_gpus` derive from the same `nodes`,
            `gpus` and `profile`: `gpu`, with the name of the class before it, and behind it the number of GPUs if there
            are several.
        namespace: The object's namespace. Default: the chart's.
        gpu_memory: The memory that a claim takes of each GPU, as "8Gi", where claims are `consumable`. Kubernetes
            counts this memory; nothing enforces it. Default: none, which takes the whole GPU with `shares="memory"`.
        profile: The MIG profile of the claimed partitions, as "1g.10gb"; `gpus` then counts partitions. `DraDriver`
            makes the DeviceClass of the profile. Default: none, for whole GPUs.

    Raises:
        TypeError, ValueError: `'nodes' must be …` without `dra`; `'gpus' must be …`; `'gpu_memory' must be …` where
            claims are not consumable, or for more memory than a GPU has.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14", dra=Dra())
        >>> GpuClaim(Chart(App(), "ai"), "claim", nodes=nodes).name
        'gpu'
        >>> template = {"spec": {"containers": [{"name": "main", "image": "nvidia/cuda:12.5.0-base-ubuntu22.04"}]}}
        >>> gpu_pod(template, nodes=nodes)["spec"]["resourceClaims"]
        [{'name': 'main', 'resourceClaimTemplateName': 'gpu'}]

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """

    @takes(GPU_CLAIM)
    def __init__(self, scope: Construct, id: str, settings: GpuClaimSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_CLAIM)
