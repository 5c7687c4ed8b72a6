"""`GpuQuota` and `KueueQueue`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.workload_parts import GPU_QUOTA, KUEUE_QUEUE
from ..manifests.queues.gpu_quota_objects import GpuQuotaSettings
from ..manifests.queues.kueue_objects import KueueQueueSettings
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


class KueueQueue(GpuConstruct, KueueQueueSettings):
    """A queue of Kueue for GPU workloads: a workload waits as a whole until the GPUs that it requests are free, and
    takes none before.

    Each class of nodes is a ResourceFlavor with the labels that pods of the class select and the taints that they
    tolerate, so Kueue gives each workload the flavor of its own nodes, and counts each class for itself, also where the
    classes have the same resource. A pod is admitted only if the queue covers everything that the pod requests. So the
    queue covers CPUs, memory and ephemeral storage too, with quotas that no cluster reaches. All queues of an app share
    the flavor of a class; give each of several queues its own part by `gpus`.

    A workload is in the queue by its label: `GpuWorkload(…, labels=queue.labels)`. Needs Kueue 0.19 in the cluster.
    Where pods claim their GPUs (`dra`), Kueue counts the devices of ResourceClaimTemplates as `nvidia.com/gpu`; put
    `device_class_mappings` into `resources.deviceClassMappings` of Kueue's Configuration.

    A queue preempts nobody, unless a policy says so. Queues of a `cohort` lend each other what they do not use; the
    policies say who gives back. `fair_sharing_weight` needs `fair_sharing` in Kueue's Configuration.

    Makes a ResourceFlavor for each class, unless another queue of the app has made it, and with `topology` its
    Topology; a ClusterQueue; and a LocalQueue in each namespace. The namespaces must exist.

    Args:
        nodes: The class of nodes, or several classes, each with a `name`.
        namespaces: The namespaces whose workloads may use the queue.
        gpus: The quota of GPUs, shares or claims: a number, or with several classes a mapping from their names.
            Default: all of the class, its `count` by what each node advertises. The quotas of MIG partitions are always
            all of the class.
        resources: The quotas of other resources in each class, such as `{"cpu": "64"}`. Default: 1M CPUs, 1Pi of memory
            and of ephemeral storage.
        topology: The labels of the nodes from the widest domain to the narrowest, such as those of blocks and racks,
            or `nvidia.com/gpu.clique` (NVLink). Kueue then finds a place for each gang, and looks at the room on each
            node: `kubernetes.io/hostname` is always the last level. An empty list is this level alone. Kueue refuses a
            changed Topology. Default: none.
        cohort: The cohort, whose queues lend each other GPUs that they do not use. Default: none.
        borrowing_limit: The most GPUs of each class that the queue borrows. Default: no limit.
        lending_limit: The most GPUs of each class that the queue lends. Default: all of its quota.
        reclaim_within_cohort: Whose workloads a workload within its own quota may preempt in the cohort: `Never`,
            `LowerPriority` or `Any`. Default: `Never`.
        borrow_within_cohort: Whose workloads a workload that borrows may preempt: `Never` or `LowerPriority`. Needs
            `reclaim_within_cohort`, and no `fair_sharing_weight`. Default: `Never`.
        max_priority_threshold: The highest priority that `borrow_within_cohort` preempts. Default: none.
        within_cluster_queue: Whose workloads a workload may preempt in its own queue: `Never`, `LowerPriority` or
            `LowerOrNewerEqualPriority`. Default: `Never`.
        fair_sharing_weight: The weight of the queue in its cohort; GPUs that nobody owns are shared by it. Default:
            none, which Kueue takes for 1.
        name: The name of the ClusterQueue and of the LocalQueues: a DNS label. Default: the id.

    Raises:
        TypeError, ValueError: `'nodes' must be classes of a known size …` without `count`, without `gpus_per_node`, and
            without `gpus`; `'nodes' must be classes that share no node …`; `'nodes' must be classes whose 'dra' …` for
            claims that Kueue can't count; `'nodes' must be classes with a 'name' or 'labels' …`, or `without 'dra'`, for a topology;
            `'gpus' must be …`; `'lending_limit' must be …`; `'reclaim_within_cohort' must be given only with 'cohort'`
            and likewise for the other arguments of a cohort.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", gpus_per_node=2, count=3, sharing=TimeSlicing(replicas=4))
        >>> queue = KueueQueue(Chart(App(), "queues"), "gpus", nodes=nodes, namespaces=["ai"])
        >>> queue.labels, queue.quotas_of(nodes)
        ({'kueue.x-k8s.io/queue-name': 'gpus'}, {'nvidia.com/gpu': 24})

    https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/
    """

    @takes(KUEUE_QUEUE)
    def __init__(self, scope: Construct, id: str, settings: KueueQueueSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, KUEUE_QUEUE)
