"""`Companion`."""

from __future__ import annotations

from constructs import Construct

from ..arguments.keywords import named_arguments
from ..clusters.workload_parts import COMPANION
from ..manifests.workload.companion_settings import CompanionSettings
from ._settings import takes
from ._workload import WorkloadConstruct


@named_arguments(**COMPANION.needs)
class Companion(WorkloadConstruct, CompanionSettings):
    """A workload without a GPU beside workloads with GPUs: a web front, a proxy, a Job that downloads models.

    A companion takes the arguments of `GpuWorkload` but those of the GPUs, and never holds or sees a GPU: it has no RuntimeClass, no limit and no
    toleration of a taint of GPU nodes. On nodes whose default runtime is NVIDIA's, a container with a CUDA image would see every GPU, so its containers
    have `NVIDIA_VISIBLE_DEVICES=void`. With `nodes` the pods avoid the GPU nodes, so that their CPU and memory stay for the GPU workloads, and a drain
    of a GPU node stops no web front.

    Makes a Deployment, StatefulSet, Job or CronJob; with `port`, and always for a StatefulSet, a Service; a PersistentVolumeClaim `<name>-<volume>`
    for each `Persistent` volume; and from two `replicas` on a PodDisruptionBudget.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree, and the name of the objects.
        image: The container's image. The container has the name of the companion.
        nodes: The classes of GPU nodes, one or a list, which the pods avoid. Default: none; only the taints of the GPU nodes keep the pods away.
        required: Whether the pods never run on nodes of these classes, and stay Pending where there is no other node; otherwise they prefer other
            nodes. Default: False.
        kind: `Deployment`, `StatefulSet`, `Job` or `CronJob`. Default: `Deployment`.
        name: The name of the objects. Default: the id.
        namespace: The objects' namespace. Default: the chart's.
        command: The container's entry point. Default: the image's.
        args: The arguments of the entry point. Default: the image's.
        env: Environment variables by name; each value is a string, a `SecretKey` or a `ConfigMapKey`. Default: none.
        port: The port that the container serves, which gets the name `http`; or a mapping of names to ports. A port is a number, or a string such as
            "8555/udp". Makes a Service. Default: none.
        service: Fields merged over the generated Service: those of its spec in Kubernetes' spelling, `annotations` and `labels`, such as
            `{"type": "LoadBalancer", "annotations": {…}}`. Ports merge by name. The selector can't change. Default: none.
        volumes: Volumes by mount path, such as `{"/data": Persistent("100Gi")}`; also `ExistingClaim`, `HostPath`, `Nfs`, `ConfigMapFiles`,
            `SecretFiles`, `Memory` and `Empty`. A volume has the given `name`, or a name derived from the path, as `root-ollama` for /root/.ollama.
            Default: none.
        startup_probe: An `HttpProbe`, `TcpProbe` or `ExecProbe`. The other probes wait until the startup probe succeeds, so allow for the longest
            start. Default: none.
        liveness_probe: A probe that restarts the container when the probe fails. Default: none.
        readiness_probe: A probe that takes the pod out of the Service while the probe fails. Default: none.
        cpu: The CPU request, as "500m", "2" or a number; CPU has no limit. Default: none.
        memory: The memory request, which is also the memory limit, as "16Gi". Default: none.
        shared_memory: The size of /dev/shm, as "2Gi", which counts towards the container's memory; False for no volume. Default: the container runtime's 64 MiB.
        security_context: The container's security context, in Kubernetes' spelling, merged over `allowPrivilegeEscalation: false`, which is left out
            beside `privileged: true` and SYS_ADMIN. Default: none.
        pod_security_context: The pod's security context, merged over `seccompProfile: RuntimeDefault`. Default: none.
        replicas: The number of pods; None leaves the number to an autoscaler. Default: 1.
        update_strategy: `Recreate`, or `RollingUpdate` without a surge; only for a Deployment. Default: `RollingUpdate` for several pods and for
            `replicas=None`, else `Recreate`.
        schedule: The schedule of a CronJob: five fields in cron syntax, or a macro such as "@daily". Default: none; a CronJob needs one.
        time_zone: The IANA time zone of the schedule, as "Europe/Berlin". Default: that of the kube-controller-manager.
        starting_deadline_seconds: The seconds after its time in which a missed run of a CronJob still starts; at least 10. Default: no deadline.
        parallelism: The number of pods that a Job runs at once. Default: Kubernetes' default, 1.
        completions: The number of pods of a Job that must succeed. Default: Kubernetes' default.
        completion_mode: `NonIndexed`, or `Indexed`, which gives each pod of a Job its own number and needs `completions`. The host name of such a
            pod, `<job>-<number>`, has at most 63 characters. Default: Kubernetes' default, `NonIndexed`.
        backoff_limit: The number of retries of a Job. Default: Kubernetes' default, 6.
        active_deadline_seconds: The seconds after which a Job is stopped and fails. Default: none.
        ttl_seconds_after_finished: The seconds after which a finished Job is deleted. Default: never.
        suspend: Whether a Job waits before it starts, as for Kueue, or a CronJob starts no Jobs. Default: False.
        hashed_name: Whether the name of a Job ends in a hash of its pod template, its `completions` and its `completion_mode`, so that a change makes
            a new Job, and GitOps prunes the old one. The other objects keep their names. Default: False.
        disruption_budget: Whether several pods get a PodDisruptionBudget. Default: True.
        termination_grace_period: The seconds between SIGTERM and SIGKILL. Default: Kubernetes' default, 30.
        pre_stop_sleep: The seconds that the container goes on serving after its pod was deleted, before SIGTERM. A part of
            `termination_grace_period`. With nodes of Talos up to 1.11 the image must have the program `sleep`. Default: none.
        priority_class_name: The PriorityClass of the pods. Default: none.
        service_account_name: The ServiceAccount, whose token is then mounted. Default: none.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        labels: Labels of the objects, the Jobs of a CronJob and the pods, such as `kueue.x-k8s.io/queue-name`. Default: none.
        annotations: Annotations of the workload, the Jobs of a CronJob, the Service and the ResourceClaimTemplate, but not of the pods or the
            PersistentVolumeClaims: an annotation that replaces a Job would delete their data. Default: none.
        pod_annotations: Annotations of the pods. Default: none.
        init_containers: Containers in Kubernetes' spelling that run before the companion's container; with `restartPolicy: Always` sidecars, which run
            beside it. Their mounts name the companion's volumes. Default: none.
        pod_spec: Fields merged over the generated pod spec, in Kubernetes' spelling. Mappings merge; lists of items with different names merge by name
            (the container has the name of the workload); other lists replace the generated list; None removes a field. Default: none.

    Raises:
        TypeError, ValueError: For every invalid argument, as `GpuWorkload`; `'pod_spec' must be without GPUs …`, `… without NVIDIA's RuntimeClass …` and
            `… without a toleration of a taint of GPU nodes …`.

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
