"""`Companion`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.workload_parts import COMPANION
from ..manifests.workload.companion_settings import CompanionSettings
from ._settings import documented, takes
from ._workload import WorkloadConstruct
from .gpu_workload import GpuWorkload


class Companion(WorkloadConstruct, CompanionSettings):
    """A workload without a GPU beside workloads with GPUs: a web front, a proxy, a Job that downloads models.

    A companion takes the arguments of `GpuWorkload` but those of the GPUs, and never holds or sees a GPU: it has no
    RuntimeClass, no limit and no toleration of a taint of GPU nodes. On nodes whose default runtime is NVIDIA's, a
    container with a CUDA image would see every GPU, so its containers have `NVIDIA_VISIBLE_DEVICES=void`. With `nodes`
    the pods avoid the GPU nodes, so that their CPU and memory stay for the GPU workloads, and a drain of a GPU node
    stops no web front.

    Makes a Deployment, StatefulSet, Job or CronJob; with `port`, and always for a StatefulSet, a Service; a
    PersistentVolumeClaim `<name>-<volume>` for each `Persistent` volume; and from two `replicas` on a
    PodDisruptionBudget.

    Args:
        nodes: The classes of GPU nodes, one or a list, which the pods avoid. Default: none; only the taints of the GPU
            nodes keep the pods away.
        required: Whether the pods never run on nodes of these classes, and stay Pending where there is no other node;
            otherwise they prefer other nodes. Default: False.
        namespace: The objects' namespace. Default: the chart's.
        volumes: Volumes by mount path, such as `{"/data": Persistent("100Gi")}`; also `ExistingClaim`, `HostPath`,
            `Nfs`, `ConfigMapFiles`, `SecretFiles`, `Memory` and `Empty`. A volume has the given `name`, or a name
            derived from the path, as `root-ollama` for /root/.ollama. Default: none.
        shared_memory: The size of /dev/shm, as "2Gi", which counts towards the container's memory; False for no volume.
            Default: the container runtime's 64 MiB.
        disruption_budget: Whether several pods get a PodDisruptionBudget. Default: True.
        pre_stop_sleep: The seconds that the container goes on serving after its pod was deleted, before SIGTERM. A part
            of `termination_grace_period`. With nodes of Talos up to 1.11 the image must have the program `sleep`.
            Default: none.
        init_containers: Containers in Kubernetes' spelling that run before the companion's container; with
            `restartPolicy: Always` sidecars, which run beside it. Their mounts name the companion's volumes. Default:
            none.

    Raises:
        TypeError, ValueError: For every invalid argument, as `GpuWorkload`; `'pod_spec' must be without GPUs …`,
            `… without NVIDIA's RuntimeClass …` and `… without a toleration of a taint of GPU nodes …`.

    Warns:
        TalosGpuWarning: For an `image` without a tag, or with `latest`.

    Attributes:
        resource: The `ApiObject` of the Deployment, StatefulSet, Job or CronJob.
        service: The `ApiObject` of the Service. A companion without a Service has no such attribute.
        service_fields: The argument `service`.
        claims: The `ApiObject` of each PersistentVolumeClaim by mount path.
        pod_selector: The labels that select the pods, as for a Service.
        volume_names: The names of the pod's volumes by mount path.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14", labels={"role": "gpu"})
        >>> proxy = Companion(Chart(App(), "ai"), "proxy", image="ghcr.io/berriai/litellm:v1.83.10", port=4000, nodes=nodes)
        >>> affinity = proxy.resource.to_json()["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
        >>> affinity["preferredDuringSchedulingIgnoredDuringExecution"][0]["preference"]["matchExpressions"]
        [{'key': 'role', 'operator': 'NotIn', 'values': ['gpu']}]

    https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
    """

    @takes(COMPANION)
    def __init__(self, scope: Construct, id: str, settings: CompanionSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, COMPANION)


Companion.__doc__ = documented(Companion, Companion.__doc__, GpuWorkload)
