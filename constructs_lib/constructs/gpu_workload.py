"""`GpuWorkload`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.workload_parts import GPU_WORKLOAD
from ..manifests.workload.settings import GpuWorkloadSettings
from ._settings import takes
from ._workload import WorkloadConstruct


class GpuWorkload(WorkloadConstruct, GpuWorkloadSettings):
    """A workload on the GPUs of a node class: a Deployment, StatefulSet, Job or CronJob.

    `nodes` decides what every GPU pod on Talos needs: the RuntimeClass where containerd has its handler (up to Talos
    1.14), a toleration for each taint, the node selector, and whole GPUs as limits. No other argument can remove these fields. Further defaults suit GPU
    servers: no surge in a rollout, because the old pod holds the GPU that the new pod needs; shared memory for several
    GPUs; no Service environment variables; no ServiceAccount token; the seccomp profile RuntimeDefault. Every pod has
    the label `talos-gpu/class` with the name of the class (`default` for a class without a name), as the node agents
    have: `kubectl get pods --all-namespaces --selector talos-gpu/class=NAME` lists the pods that a drain of the class
    stops.

    Makes a Deployment, StatefulSet, Job or CronJob; with `port`, and always for a StatefulSet, a Service; and a
    PersistentVolumeClaim `<name>-<volume>` for each `Persistent` volume (a StatefulSet has a claim template in its
    place, so each replica gets its own claim). From two `replicas` on makes a PodDisruptionBudget, so that drains of
    nodes stop one pod at a time. On nodes with `dra` makes a ResourceClaimTemplate `<name>-gpu`, or the one
    ResourceClaim that all workloads of the namespace share.

    The Service of a StatefulSet is headless, and also names unready pods: peers must find each other before they are
    ready.

    Jobs under GitOps have two traps. The pod template of a Job is immutable: Argo CD and Flux fail at the next image,
    unless the Job gets another name (`hashed_name`) or is replaced
    (`argocd.argoproj.io/sync-options: Force=true,Replace=true`, `kustomize.toolkit.fluxcd.io/force: enabled`). And a
    Job that `ttl_seconds_after_finished` deletes is missing in the cluster: self-healing makes the Job again, and so
    runs it for ever.

    Args:
        nodes: The node class.
        image: The container's image. The container has the name of the workload.
        gpus: The whole number of GPUs in each pod, or of shares if `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the pod's partitions, as "1g.10gb", on nodes with mig_strategy='mixed' or with
            `dra`; `gpus` then counts partitions. Default: none.
        gpu_memory: The memory that a pod uses on each of its GPUs, as "8Gi". `consumable` claims reserve this memory,
            and the checks add it up where pods share a GPU. Nothing enforces it. Default: none.
        kind: `Deployment`, `StatefulSet`, `Job` or `CronJob`. Default: `Deployment`.
        name: The name of the objects. Default: the id.
        namespace: The objects' namespace; an unprivileged one is enough. Default: the chart's.
        command: The container's entry point. Default: the image's.
        args: The arguments of the entry point. Default: the image's.
        env: Environment variables by name; each value is a string, a `SecretKey` or a `ConfigMapKey`. Default: none.
        port: The port that the container serves, which gets the name `http`; or a mapping of names to ports. A port is
            a number, or a string such as "8555/udp". Makes a Service. Default: none.
        service: Fields merged over the generated Service: those of its spec in Kubernetes' spelling, `annotations` and
            `labels`, such as `{"type": "LoadBalancer", "annotations": {…}}`. Ports merge by name. The selector can't
            change. Default: none.
        volumes: Volumes by mount path, such as `{"/data": Persistent("100Gi")}`; also `ExistingClaim`, `HostPath`,
            `Nfs`, `OciImage`, `ConfigMapFiles`, `SecretFiles`, `Memory` and `Empty`. A volume has the given `name`, or
            a name derived from the path, as `root-ollama` for /root/.ollama. Default: none.
        startup_probe: An `HttpProbe`, `TcpProbe` or `ExecProbe`. The other probes wait until the startup probe
            succeeds, so allow for the longest start. Default: none.
        liveness_probe: A probe that restarts the container when the probe fails. Default: none.
        readiness_probe: A probe that takes the pod out of the Service while the probe fails. Default: none.
        cpu: The CPU request, as "500m", "2" or a number; CPU has no limit. Default: none.
        memory: The memory request, which is also the memory limit, as "16Gi". Default: none.
        shared_memory: The size of /dev/shm, as "2Gi", which counts towards the container's memory; False for no volume.
            Servers with several processes need it. Default: 1Gi for each of several whole GPUs, because NCCL asks for 1
            GiB in a container, and at most half of `memory`; for one GPU, and for shares and partitions, the container
            runtime's 64 MiB.
        security_context: The container's security context, in Kubernetes' spelling, merged over
            `allowPrivilegeEscalation: false`, which is left out beside `privileged: true` and SYS_ADMIN. Default: none.
        pod_security_context: The pod's security context, merged over `seccompProfile: RuntimeDefault`. Default: none.
        replicas: The number of pods; None leaves the number to an autoscaler. Default: 1.
        update_strategy: `Recreate`, or `RollingUpdate` without a surge; only for a Deployment. Default: `RollingUpdate`
            for several pods and for `replicas=None`, else `Recreate`.
        schedule: The schedule of a CronJob: five fields in cron syntax, or a macro such as "@daily". Default: none; a
            CronJob needs one.
        time_zone: The IANA time zone of the schedule, as "Europe/Berlin". Default: that of the kube-controller-manager.
        starting_deadline_seconds: The seconds after its time in which a missed run of a CronJob still starts, 10
            or more. Default: no deadline.
        parallelism: The number of pods that a Job runs at once. Default: Kubernetes' default, 1.
        completions: The number of pods of a Job that must succeed. Default: Kubernetes' default.
        completion_mode: `NonIndexed`, or `Indexed`, which gives each pod of a Job its own number and needs
            `completions`. The host name of such a pod, `<job>-<number>`, has at most 63 characters. Default:
            Kubernetes' default, `NonIndexed`.
        backoff_limit: The number of retries of a Job. Default: Kubernetes' default, 6.
        active_deadline_seconds: The seconds after which a Job is stopped and fails. Default: none.
        ttl_seconds_after_finished: The seconds after which a finished Job is deleted. Default: never.
        suspend: Whether a Job waits before it starts, as for Kueue, or a CronJob starts no Jobs. Default: False.
        hashed_name: Whether the name of a Job ends in a hash of its pod template, its `completions` and its
            `completion_mode`, so that a change makes a new Job, and GitOps prunes the old one. The other objects keep
            their names. Default: False.
        disruption_budget: Whether several pods get a PodDisruptionBudget. If `count` of the node class leaves no other
            node for the pods of a drained node, the budget allows their eviction, or is left out: the drain before an
            upgrade of Talos then ends. Default: True.
        termination_grace_period: The seconds between SIGTERM and SIGKILL. Default: Kubernetes' default, 30.
        pre_stop_sleep: The seconds that the container goes on serving after its pod was deleted, before SIGTERM: the
            time in which the Service and the gateways forget the pod. The kubelet does this sleep without an exec, from
            Kubernetes 1.30 on. A part of `termination_grace_period`. Up to Talos 1.11 the image must have the program
            `sleep`. Default: none.
        priority_class_name: The PriorityClass of the pods. Default: none.
        service_account_name: The ServiceAccount, whose token is then mounted. Default: none.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        labels: Labels of the objects, the Jobs of a CronJob and the pods, such as `kueue.x-k8s.io/queue-name`. Default:
            none.
        annotations: Annotations of the workload, the Jobs of a CronJob, the Service and the ResourceClaimTemplate, but
            not of the pods or the PersistentVolumeClaims: an annotation that replaces a Job would delete their data.
            Default: none.
        pod_annotations: Annotations of the pods. Default: none.
        init_containers: Containers in Kubernetes' spelling that run before the workload's container; with
            `restartPolicy: Always` sidecars, which run beside it. Their mounts name the workload's volumes. They see no
            GPU, unless they request one. Default: none.
        pod_spec: Fields merged over the generated pod spec, in Kubernetes' spelling. Mappings merge; lists of items
            with different names merge by name (the container has the name of the workload); other lists replace the
            generated list; None removes a field. Default: none.

    Raises:
        TypeError, ValueError: For every invalid argument. `'gpus' must be a whole number of at least 1 …`;
            `'env' must be without NVIDIA_VISIBLE_DEVICES …`, which shows the container every GPU of the node;
            `'replicas' must be …` for more pods than the nodes or the volume claim can serve; `'pod_spec' must be …`
            for fields that contradict the nodes, and for misspelt fields, values that Kubernetes does not have, and
            required fields that the merged pod lacks, as in the two security contexts. `'env[…]' must be a SecretKey …`
            and `'args' must be without a credential …` for a literal credential, wherever it stands.

    Warns:
        TalosGpuWarning: For exec probes and exec hooks on Talos 1.12, where an exec into a GPU container may fail; for
            a `profile` that the nodes' `product` is not known to support; for a field that no known version of
            Kubernetes has; for a rolling update of a Service without a `readiness_probe`; for a `time_zone` that this
            machine does not know; for an `image` without a tag, or with `latest`.

    Attributes:
        resource: The `ApiObject` of the Deployment, StatefulSet, Job or CronJob.
        service: The `ApiObject` of the Service. A workload without a Service has no such attribute.
        service_fields: The argument `service`.
        claims: The `ApiObject` of each PersistentVolumeClaim by mount path.
        pod_selector: The labels that select the pods, as for a Service, a NetworkPolicy or a PodDisruptionBudget.
        volume_names: The names of the pod's volumes by mount path.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")])
        >>> ollama = GpuWorkload(Chart(app, "ai"), "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434,
        ...                      volumes={"/root/.ollama": Persistent("100Gi")})
        >>> ollama.kind, dict(ollama.port)
        ('Deployment', {'http': 11434})

    https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    """

    @takes(GPU_WORKLOAD)
    def __init__(self, scope: Construct, id: str, settings: GpuWorkloadSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_WORKLOAD)
