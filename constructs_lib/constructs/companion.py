"""`Companion` and `OpenWebUI`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.workload_parts import COMPANION, OPEN_WEB_UI
from ..manifests.workload.companion import CompanionSettings
from ..manifests.workload.open_webui_settings import OpenWebUISettings
from ._emit import document
from ._settings import takes
from ._workload import WorkloadConstruct
from .gpu_workload import GpuWorkload


class Companion(WorkloadConstruct, CompanionSettings):
    """A workload without a GPU beside workloads with GPUs: a web front, a proxy, a Job that downloads models.

    A companion takes the arguments of `GpuWorkload` except those for GPUs, and has the same attributes, such as
    `service` and `claims`. It never holds or sees a GPU: it has no RuntimeClass, no GPU limit and no toleration for GPU
    nodes. On nodes whose default runtime is NVIDIA's, a container with a CUDA image would see every GPU, so its
    containers have `NVIDIA_VISIBLE_DEVICES=void`. With `nodes` the pods avoid the GPU nodes, so that their CPU and
    memory stay for the GPU workloads, and a drain of a GPU node stops no web front.

    Makes a Deployment, StatefulSet, Job or CronJob; with `port`, and always for a StatefulSet, a Service; a
    PersistentVolumeClaim `<name>-<volume>` for each `Persistent` volume; and from two `replicas` on a
    PodDisruptionBudget.

    Args:
        nodes: The node classes, one or a list, which the pods avoid. Default: none; only the taints of the GPU
            nodes keep the pods away.
        required: Whether the pods must avoid nodes of these classes, and stay Pending without other nodes. Otherwise
            they only prefer other nodes. Default: False.
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


document(Companion, GpuWorkload)


class OpenWebUI(WorkloadConstruct, OpenWebUISettings):
    """Open WebUI, a web front for Ollama and for servers with OpenAI's API: a `Companion`, which holds no GPU.

    The addresses follow from the Services of the servers, also of servers in another namespace. Open WebUI keeps the
    addresses of its first start in its database; change them later in its admin panel. The first account that registers
    is the administrator's, so register before others can.

    Makes what `Companion` makes: a Deployment with one pod, a Service, and a
    PersistentVolumeClaim for the database, the uploads and the session key. The image runs as root, which Pod
    Security's level `baseline` lets in and `restricted` does not. Its attributes are those of `Companion`.

    Args:
        ollama: The Ollama server, or a list of them, each with a `port`. Give `ollama`, `openai` or both.
        openai: The server with OpenAI's API, such as vLLM, or a list of them, each with a `port`. The `api_key` of one
            recipe in the same namespace becomes OPENAI_API_KEY; else give the keys in `env`. Default: none.
        storage: The size of the claim for the database, the uploads and the session key; None for no claim. Default:
            10Gi.
        image: The image. Default: a pinned release, without CUDA.
        nodes: The node classes, one or a list, which the pod avoids. Default: none; only the taints of the GPU
            nodes keep the pod away.
        required: Whether the pod never runs on nodes of these classes. Default: False.
        env: Further environment variables, which win over those that follow from the servers, such as `OPENAI_API_KEY`
            with a `SecretKey`. Default: none.
        port: The port, as for `Companion`. Default: 8080.
        startup_probe: An `HttpProbe`, `TcpProbe` or `ExecProbe`. Default: `/health`, for 5 minutes.
        readiness_probe: A probe that takes the pod out of the Service while the probe fails. Default: `/health`.
        security_context: The container's security context, in Kubernetes' spelling, merged over the capability
            DAC_OVERRIDE alone, by which the image's root reads volumes of other owners, and over
            `allowPrivilegeEscalation: false`, which is left out beside `privileged: true` and SYS_ADMIN. Default: none.

    Raises:
        TypeError, ValueError: `'ollama' must be given …` without a server; `'port' must be …` for a server without a
            TCP port; `'env' must be given with OPENAI_API_KEY …` for a server whose key the pod can't read;
            `'env[…]' must be a SecretKey …`; otherwise as `Companion`.

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


document(OpenWebUI, Companion)
