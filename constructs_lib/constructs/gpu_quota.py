"""`GpuQuota`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.quota_parts import GPU_QUOTA
from ..manifests.queues.gpu_quota_objects import GpuQuotaSettings
from ._emit import GpuConstruct
from ._settings import takes


class GpuQuota(GpuConstruct, GpuQuotaSettings):
    """The number of GPUs that the pods of one namespace may have together, and that one container may have.

    A quota counts names: `nvidia.com/gpu`, the shared and the partitioned resources of the nodes, and where pods claim
    GPUs (`dra`) the devices of each DeviceClass. Classes of nodes whose GPUs have the same name share one number;
    `KueueQueue` counts each class for itself. Every name of the nodes is in the quota: a name without a number has 0,
    so that a namespace for partitions takes no whole card. A pod above the quota is refused when it is created, and
    does not wait: a Deployment tells in its events `exceeded quota`.

    Makes a ResourceQuota, and with `gpus_per_container` a LimitRange. The LimitRange gives containers that ask for no
    GPU the limit 0. A LimitRange with a maximum alone would give each of them the maximum.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes, or several classes.
        gpus: The GPUs of all pods in the namespace together, or the shares where `nodes` shares GPUs, or the claimed
            GPUs. Default: 0, beside `profiles`.
        profiles: The MIG partitions of all pods together, by profile: `{"1g.10gb": 2}`. Default: none.
        gpus_per_container: The most GPUs, shares or partitions of one name that one container may have. Default: no
            limit.
        name: The name of the objects. Default: the id.
        namespace: The namespace. Default: the chart's.
        labels: Labels of the objects. Default: none.

    Raises:
        TypeError, ValueError: `'gpus' must be …` without a number, and where every card of the nodes is partitioned;
            `'profiles' must be …` for a profile that no class has; `'gpus_per_container' must be left out …` where all
            pods claim their GPUs.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", sharing=TimeSlicing(replicas=4, rename_by_default=True))
        >>> GpuQuota(Chart(App(), "team", namespace="team"), "gpus", nodes=nodes, gpus=2).hard
        {'requests.nvidia.com/gpu.shared': '2'}

    https://kubernetes.io/docs/concepts/policy/resource-quotas/
    """

    @takes(GPU_QUOTA)
    def __init__(self, scope: Construct, id: str, settings: GpuQuotaSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_QUOTA)
