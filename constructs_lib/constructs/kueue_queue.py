"""`KueueQueue`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.quota_parts import KUEUE_QUEUE
from ..manifests.queues.kueue_objects import KueueQueueSettings
from ._emit import GpuConstruct
from ._settings import takes


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

    Makes a ResourceFlavor for each class, unless another queue of the app has made it; a ClusterQueue; and a LocalQueue
    in each namespace. The namespaces must exist.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes, or several classes, each with a `name`.
        namespaces: The namespaces whose workloads may use the queue.
        gpus: The quota of GPUs, shares or claims: a number, or with several classes a mapping from their names.
            Default: all of the class, its `count` by what each node advertises. The quotas of MIG partitions are always
            all of the class.
        resources: The quotas of other resources in each class, such as `{"cpu": "64"}`. Default: 1M CPUs, 1Pi of memory
            and of ephemeral storage.
        cohort: The cohort, whose queues lend each other GPUs that they do not use. Default: none.
        name: The name of the ClusterQueue and of the LocalQueues: a DNS label. Default: the id.

    Raises:
        TypeError, ValueError: `'nodes' must be classes of a known size …` without `count`, without `gpus_per_node`, and
            without `gpus`; `'nodes' must be classes that share no node …`; `'nodes' must be classes whose 'dra' …` for
            claims that Kueue can't count; `'gpus' must be …`.

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
