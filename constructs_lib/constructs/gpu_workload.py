"""`GpuWorkload`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.keywords import named_arguments
from .._arguments.names import dns_label
from ..manifests.workload_objects import gpu_workload
from ..manifests.workload_settings import GpuWorkloadSettings
from ._emit import GpuConstruct
from ._registry import is_made
from ._settings import takes


@named_arguments(nodes="a GPU workload runs on a class of GPU nodes", image="say which image to run")
class GpuWorkload(GpuConstruct, GpuWorkloadSettings):
    """A workload that computes on the GPUs of a class of nodes.

    What a GPU pod on Talos can't do without follows from `nodes` and can't be lost: the RuntimeClass up to Talos 1.14, a toleration for each
    taint, the selector, and whole GPUs as limits. The rest is what GPU servers need: the old pod goes before the new one comes, because it
    holds the GPU; no Service variables; no ServiceAccount token; RuntimeDefault seccomp.

    Makes a Deployment, StatefulSet, Job or CronJob of the id's name; with `port` a Service of that name; a PersistentVolumeClaim
    `<name>-<volume>` for each `Persistent` (in a StatefulSet a claim template, for each replica its own). On nodes with `dra` a
    ResourceClaimTemplate `<name>-gpu`; or the ResourceClaim, once, that all workloads of the namespace share.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree, and of its objects.
        nodes: The class of nodes.
        image: The image. The container has the workload's name.
        gpus: GPUs for each pod, or shares of one where `nodes` shares them; whole numbers. Default: 1.
        profile: The MIG profile of which each pod gets that many partitions, as "1g.10gb", on nodes with mig_strategy='mixed' or with `dra`.
            Default: none.
        gpu_memory: The memory of each of its GPUs that a pod uses, as "8Gi": what `consumable` claims take, and what the checks add up where
            pods share a GPU. Nothing holds the pod to it. Default: none.
        kind: `Deployment`, `StatefulSet`, `Job` or `CronJob`. Default: `Deployment`.
        name: The name of its objects. Default: the id.
        namespace: Its namespace; no privileged one is needed. Default: the chart's.
        command: The entry point. Default: the image's.
        args: Its arguments. Default: the image's.
        env: Environment variables: a string, a `SecretKey` or a `ConfigMapKey` each. Default: none.
        port: The port that it serves, named `http`, or a mapping of names to ports; makes a Service. Default: none.
        volumes: What is mounted where: `{"/data": Persistent("100Gi")}`; also `ExistingClaim`, `HostPath`, `ConfigMapFiles`, `SecretFiles`,
            `Memory` and `Empty`. Default: nothing.
        startup_probe: `HttpProbe`, `TcpProbe` or `ExecProbe`: until it succeeds the others wait, so make it as long as the longest start.
            Default: none.
        liveness_probe: Restarts the container when it fails. Default: none.
        readiness_probe: Takes the pod out of the Service while it fails. Default: none.
        cpu: CPUs to reserve, as "500m", "2" or a number; not limited. Default: none.
        memory: Host memory to reserve, which is also its limit, as "16Gi". Default: none.
        shared_memory: The size of /dev/shm, as "2Gi"; it counts as memory. Servers with several processes need it. Default: the
            runtime's 64 MiB.
        security_context: The container's, as Kubernetes spells it, laid on `allowPrivilegeEscalation: false`. Default: none.
        pod_security_context: The pod's, laid on `seccompProfile: RuntimeDefault`. Default: none.
        replicas: Pods; None leaves the number to an autoscaler. Default: 1.
        update_strategy: `Recreate`, or `RollingUpdate` without a surge; for Deployments. Default: `Recreate`.
        schedule: A CronJob's schedule.
        parallelism: Pods of a Job at once. Default: Kubernetes', 1.
        completions: Pods of a Job that have to succeed. Default: Kubernetes'.
        backoff_limit: Retries of a Job. Default: Kubernetes', 6.
        ttl_seconds_after_finished: Seconds after which a finished Job is removed. Default: never.
        termination_grace_period: Seconds between SIGTERM and SIGKILL. Default: Kubernetes', 30.
        priority_class_name: Default: none.
        service_account_name: The ServiceAccount, whose token is mounted then. Default: none.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        labels: Labels of its objects and pods, such as `kueue.x-k8s.io/queue-name`. Default: none.
        pod_annotations: Annotations of its pods. Default: none.
        pod_spec: Laid on the pod spec, in Kubernetes' spelling: mappings merge, lists of named things (the container has the workload's
            name) merge by name, other lists replace, None removes. Default: none.

    Raises:
        TypeError, ValueError: For every argument. `'gpus' must be a whole number of at least 1 …`; `'env' must be without
            NVIDIA_VISIBLE_DEVICES …`, which would show every GPU of the node; `'replicas' must be …` when the nodes or the claim can't
            bear as many; `'pod_spec' must be …` when it contradicts the nodes.

    Warns:
        TalosGpuWarning: For exec probes and hooks on Talos 1.12, where an exec into a GPU container may fail; for a `profile` that the
            nodes' `product` is not known to have.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")])
        >>> ollama = GpuWorkload(Chart(app, "ai"), "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434,
        ...                      volumes={"/root/.ollama": Persistent("100Gi")})
        >>> ollama.kind, dict(ollama.port)
        ('Deployment', {'http': 11434})

    https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
    """

    @takes(GpuWorkloadSettings, name=lambda _, place: dns_label("id", place))
    def __init__(self, scope: Construct, id: str, settings: GpuWorkloadSettings) -> None:  # noqa: A002
        # The claim that workloads share comes with the first of them.
        manifests = {
            key: made for key, made in gpu_workload(settings).items() if made["kind"] != "ResourceClaim" or not is_made(scope, made)
        }
        super().__init__(scope, id, settings, manifests)
