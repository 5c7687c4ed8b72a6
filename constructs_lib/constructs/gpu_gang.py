"""`GpuGang`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.workload_parts import GPU_GANG
from ..manifests.queues.gang_settings import GangSettings
from ._emit import document
from ._settings import takes
from ._workload import WorkloadConstruct
from .gpu_workload import GpuWorkload


class GpuGang(WorkloadConstruct, GangSettings):
    """Work over several GPU nodes: pods that start, run and end together, as a LeaderWorkerSet (a server) or a JobSet
    (a training).

    A gang takes the arguments of `GpuWorkload` and has the same attributes: `resource` is the LeaderWorkerSet or the
    JobSet, `service` that of the leaders, and `pod_selector` are the labels of all pods of the gang. Its pods are made
    as those of `GpuWorkload`: RuntimeClass, tolerations, node selector and limits stand in the template of the leader
    and in that of the workers. LeaderWorkerSet and JobSet are controllers of their own, which must be in
    the cluster.

    The pods find one another by variables that torchrun reads, and that a command may use as `$(PET_MASTER_ADDR)`:
    `PET_MASTER_ADDR` and `PET_MASTER_PORT` (the first pod), `PET_NNODES` (`size`), `PET_NODE_RANK` and
    `PET_NPROC_PER_NODE` (`gpus`). NCCL gets NCCL_DEBUG=WARN, and without `rdma` NCCL_IB_DISABLE=1, so that it uses IP
    sockets; `env` wins over each.

    A gang restarts as a whole. In a LeaderWorkerSet the restart of one container recreates its group; in a JobSet the
    first pod that fails ends the Job, and the JobSet starts all pods again, `max_restarts` times.

    Kubernetes' scheduler places each pod by itself. Two gangs that arrive together may each get a part of the GPUs, and
    wait for the rest for ever. With `queue` Kueue admits a gang only when its quota has room for all pods. Kueue counts
    GPUs, not nodes: where `gpus` does not divide the GPUs of a node, give `KueueQueue` a `topology`, so that Kueue
    looks at each node. With `pod_group` Kubernetes 1.37 itself places all pods of the gang, or none, and takes the
    GPUs of gangs of a lower `priority_class_name` where it must. Both may stand together: the queue says when the gang
    starts, and the group that it starts whole.

    Kubernetes 1.37 has PodGroups off by default: `feature_gates` and `runtime_config` are what the cluster needs, and
    `ControlPlanePatch` is the machine configuration with them.

    Makes a LeaderWorkerSet or a JobSet; with `pod_group` a Workload and a PodGroup; with `port` a Service `<name>` of
    the leaders; a PersistentVolumeClaim `<name>-<volume>` for each `Persistent` volume, which needs
    access_mode='ReadWriteMany'; on nodes with `dra` a ResourceClaimTemplate; and with `compute_domain` a ComputeDomain.

    Args:
        image: The container's image. The container has the name of the gang.
        size: The number of pods of a gang, the leader included; at least 2.
        gpus: The number of GPUs of each pod. Default: 1.
        profile: The MIG profile of the pod's partitions. NCCL does not run between partitions. Default: none.
        gpu_memory: The memory that a pod uses on each of its GPUs, as "8Gi". Default: none.
        kind: `LeaderWorkerSet` or `JobSet`. Default: `LeaderWorkerSet`.
        leader_command: The leader's entry point in a LeaderWorkerSet. Default: `command`.
        leader_args: The leader's arguments in a LeaderWorkerSet. Default: `args`.
        rendezvous_port: The port of the first pod at which the processes meet. Default: 29500.
        network_interface: The pod's network interface for NCCL and Gloo, as "eth0", for pods with several. Default:
            none; NCCL chooses.
        rdma: The extended resources of an RDMA device plugin for each pod, such as `{"rdma/hca": 1}`. NCCL then uses
            InfiniBand or RoCE, and the container gets the capability IPC_LOCK, for which the namespace must be
            privileged. Default: none, IP sockets.
        compute_domain: Whether the pods share memory over the NVLink of several machines (GB200 or GB300 NVL72), one pod
            on each node. Makes a ComputeDomain, whose channel each pod claims. The class needs `dra`, and the `DraDriver`
            `compute_domains=True`. Default: False.
        queue: The LocalQueue of Kueue. Default: none; without `pod_group` too the pods are scheduled one by one.
        pod_group: Whether Kubernetes itself schedules the gang as one, from 1.37 on: Talos 1.14,
            LeaderWorkerSet 0.9, JobSet 0.12. A LeaderWorkerSet then has one gang. Default: False.
        disruption_mode: Whose GPUs the scheduler takes for a gang of a higher priority, with `pod_group`: those of
            `All` pods together, or of a `Single` one. Default: `All`, since the gang restarts as a whole.
        required_topology: The label of nodes, such as that of their racks or `nvidia.com/gpu.clique` (NVLink): all
            pods get nodes with one value of it. Kueue reads it where `queue` is given, as a level of the queue's
            `topology`; otherwise the PodGroup has it. Default: none.
        preferred_topology: The same as a wish: Kueue takes a wider level where no domain has room. Default: none.
        replicas: The number of gangs of a LeaderWorkerSet; None leaves the number to an autoscaler. Default: 1.
        max_restarts: How often a JobSet starts again after a failure. Default: 3.
        ttl_seconds_after_finished: The seconds after which a finished JobSet is deleted. Default: never.
        suspend: Whether a JobSet waits before it starts. Kueue sets this by itself. Default: False.
        namespace: The objects' namespace. Default: the chart's.
        command: The entry point of the workers, and without `leader_command` of the leader. Default: the image's.
        args: The arguments of the workers, and without `leader_args` of the leader. Default: the image's.
        port: The port that the leader of a LeaderWorkerSet serves; or a mapping of names to ports. Makes a Service of
            the leaders. Default: none.
        volumes: Volumes by mount path, as of `GpuWorkload`. Every pod mounts them, so a claim must be ReadWriteMany.
            Default: none.
        startup_probe: A probe, in a LeaderWorkerSet of the leader alone. Default: none.
        liveness_probe: A probe, in a LeaderWorkerSet of the leader alone. Default: none.
        readiness_probe: A probe, in a LeaderWorkerSet of the leader alone. Default: none.
        cpu: The CPU request of each pod. Default: none.
        memory: The memory request of each pod, which is also its limit. Default: none.
        shared_memory: The size of /dev/shm, as of `GpuWorkload`. Default: 1Gi for each of several whole GPUs of a pod.
        pre_stop_sleep: The seconds that a container goes on after its pod was deleted, before SIGTERM. Default: none.
        labels: Labels of the objects and the pods. Default: none.
        annotations: Annotations of the gang, the Service and the ResourceClaimTemplate, not of the pods. Default: none.
        priority_class_name: The PriorityClass of the pods, and of the PodGroup. Default: none.
        pod_annotations: Annotations of the pods. Default: none.

    Raises:
        TypeError, ValueError: For every invalid argument, as `GpuWorkload`; `'size' must be at most …` and
            `'replicas' must be at most …` for more pods than the nodes have GPUs for;
            `'volumes' must be without a claim that only one node can mount …`;
            `'nodes' must be a class whose pods have claims of their own …`;
            `'port' must be given only to a LeaderWorkerSet …` and likewise for the other arguments of one kind;
            `'pod_group' must be False on Talos 1.13 …`; `'replicas' must be 1 with 'pod_group' …`;
            `'required_topology' must be given with 'queue' or 'pod_group' …`; `'compute_domain' must be False …` on nodes
            without `dra`, with `queue`, and for more pods than nodes.

    Warns:
        TalosGpuWarning: For nodes that share their GPUs, and for partitions, between which NCCL does not run; for
            `compute_domain`, because no extension of Talos has nvidia-imex; and as `GpuWorkload`.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14", count=4, gpus_per_node=8)
        >>> serve = "vllm serve /models/llama --tensor-parallel-size 8 --pipeline-parallel-size 2 --nnodes 2"
        >>> join = f"{serve} --node-rank $(PET_NODE_RANK) --master-addr $(PET_MASTER_ADDR)"
        >>> gang = GpuGang(Chart(App(), "ai"), "vllm", nodes=nodes, image="vllm/vllm-openai:v0.28.0", size=2, gpus=8, queue="gpus", port=8000,
        ...                leader_command=join.split(), command=f"{join} --headless".split(), readiness_probe=HttpProbe("/health"))
        >>> template = gang.resource.to_json()["spec"]["leaderWorkerTemplate"]
        >>> [template[pod]["spec"]["runtimeClassName"] for pod in ("leaderTemplate", "workerTemplate")]
        ['nvidia', 'nvidia']

    https://kueue.sigs.k8s.io/docs/tasks/run/leaderworkerset/
    """

    @takes(GPU_GANG)
    def __init__(self, scope: Construct, id: str, settings: GangSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_GANG)


document(GpuGang, GpuWorkload)
