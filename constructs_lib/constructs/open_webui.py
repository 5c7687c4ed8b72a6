"""`OpenWebUI`."""

from __future__ import annotations

from constructs import Construct

from ..arguments.keywords import named_arguments
from ..clusters.web_front_part import OPEN_WEB_UI
from ..manifests.workload.open_webui_settings import OpenWebUISettings
from ._settings import takes
from ._workload import WorkloadConstruct


@named_arguments(**OPEN_WEB_UI.needs)
class OpenWebUI(WorkloadConstruct, OpenWebUISettings):
    """Open WebUI, a web front for Ollama and for servers with OpenAI's API: a `Companion`, which holds no GPU.

    The addresses follow from the Services of the servers, also of servers in another namespace. Open WebUI keeps the addresses of its first start in
    its database; change them later in its admin panel. The first account that registers is the administrator's, so register before others can.

    Makes what `Companion` makes: a Deployment with one pod, a Service, and a PersistentVolumeClaim for the database, the uploads and the session key.
    The image runs as root, which Pod Security's level `baseline` lets in and `restricted` does not.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree, and the name of the objects.
        ollama: The Ollama server, or a list of them, each with a `port`. Give `ollama`, `openai` or both.
        openai: The server with OpenAI's API, such as vLLM, or a list of them, each with a `port`. The `api_key` of one recipe in the same
            namespace becomes OPENAI_API_KEY; else give the keys in `env`. Default: none.
        storage: The size of the claim for the database, the uploads and the session key; None for no claim. Default: 10Gi.
        image: The image. Default: a pinned release, without CUDA.
        nodes: The classes of GPU nodes, one or a list, which the pod avoids. Default: none; only the taints of the GPU nodes keep the pod away.
        required: Whether the pod never runs on nodes of these classes. Default: False.
        kind: `Deployment`, `StatefulSet`, `Job` or `CronJob`. Default: `Deployment`.
        name: The name of the objects. Default: the id.
        namespace: The objects' namespace. Default: the chart's.
        command: The container's entry point. Default: the image's.
        args: The arguments of the entry point. Default: the image's.
        env: Further environment variables, which win over those that follow from the servers, such as `OPENAI_API_KEY` with a `SecretKey`. Default: none.
        port: The port, as for `Companion`. Default: 8080.
        service: Fields merged over the generated Service: those of its spec in Kubernetes' spelling, `annotations` and `labels`, such as
            `{"type": "LoadBalancer", "annotations": {…}}`. Ports merge by name. The selector can't change. Default: none.
        volumes: Volumes by mount path, such as `{"/data": Persistent("100Gi")}`; also `ExistingClaim`, `HostPath`, `Nfs`, `ConfigMapFiles`,
            `SecretFiles`, `Memory` and `Empty`. A volume has the given `name`, or a name derived from the path, as `root-ollama` for /root/.ollama.
            Default: none.
        startup_probe: An `HttpProbe`, `TcpProbe` or `ExecProbe`. Default: `/health`, for 5 minutes.
        liveness_probe: A probe that restarts the container when the probe fails. Default: none.
        readiness_probe: A probe that takes the pod out of the Service while the probe fails. Default: `/health`.
        cpu: The CPU request, as "500m", "2" or a number; CPU has no limit. Default: none.
        memory: The memory request, which is also the memory limit, as "16Gi". Default: none.
        shared_memory: The size of /dev/shm, as "2Gi", which counts towards the container's memory; False for no volume. Default: the container runtime's 64 MiB.
        security_context: The container's security context, in Kubernetes' spelling, merged over the capability DAC_OVERRIDE alone, by which the image's
            root reads volumes of other owners, and over `allowPrivilegeEscalation: false`, which is left out beside `privileged: true` and SYS_ADMIN. Default: none.
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
        TypeError, ValueError: `'ollama' must be given …` without a server; `'port' must be …` for a server without a TCP port; `'env' must be
            given with OPENAI_API_KEY …` for a server whose key the pod can't read; `'env[…]' must be a SecretKey …`; otherwise as `Companion`.

    Attributes:
        resource: The `ApiObject` of the Deployment.
        service: The `ApiObject` of the Service.
        service_fields: The argument `service`.
        claims: The `ApiObject` of each PersistentVolumeClaim by mount path.
        pod_selector: The labels that select the pods, as for a Service.
        volume_names: The names of the pod's volumes by mount path.

    Example:
        >>> chart = Chart(App(), "ai")
        >>> ollama = GpuWorkload(chart, "ollama", nodes=GpuNodes(talos_version="1.14"), image="ollama/ollama:0.32.15", port=11434)
        >>> OpenWebUI(chart, "chat", ollama=ollama).env["OLLAMA_BASE_URL"]
        'http://ollama:11434'

    https://docs.openwebui.com/reference/env-configuration
    """

    @takes(OPEN_WEB_UI)
    def __init__(self, scope: Construct, id: str, settings: OpenWebUISettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, OPEN_WEB_UI)
