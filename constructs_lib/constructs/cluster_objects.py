"""`PrivilegedNamespace`, `NvidiaRuntimeClass`, `GpuClaim` and `ValidationBridge`: what the agents and the pods of GPU
nodes need of a cluster."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import GPU_CLAIM, NVIDIA_RUNTIME_CLASS, PRIVILEGED_NAMESPACE, VALIDATION_BRIDGE
from ..manifests.cluster_objects import NamespaceSettings, RuntimeClassSettings
from ..manifests.dra.claim_objects import GpuClaimSettings
from ..manifests.operator.bridge_objects import ValidationBridgeSettings
from ._emit import GpuConstruct
from ._settings import takes


class ValidationBridge(GpuConstruct, ValidationBridgeSettings):
    """A DaemonSet that writes the files in /run/nvidia/validations that the GPU operator's pods wait for, on Talos 1.12
    and older.

    On other systems the operator's validator writes these files after it has checked the driver and the toolkit. On
    Talos the driver and the toolkit come with the OS image, and the validator looks for the driver in another folder
    than that of these Talos versions. Every operand therefore waits in `Init:0/1` for ever. The bridge writes `driver-ready`, with the
    content that the device plugin sources, and `toolkit-ready`. The bridge runs in a loop, because a reboot empties
    /run and a validator removes the files.

    Label the nodes `nvidia.com/gpu.deploy.operator-validator=false`, or the validator's own pod never becomes ready.

    Makes a DaemonSet on the nodes of the class. The container runs as root, because root owns the files, and has no
    other privilege. `NvidiaGpuOperator` brings its own bridges; use this construct for an operator that is installed in
    another way.

    Args:
        nodes: The node class.
        name: The DaemonSet's name. Default: `nvidia-validation-bridge`, followed by the name of the class.
        namespace: The namespace, which must be privileged, because the bridge mounts a path of the node. Default: the
            chart's, or `kube-system`, which Talos exempts from Pod Security.
        image: An image with a POSIX shell, `cmp` and `mv`. Default: busybox 1.37.0.
        interval: The seconds between two checks of the files. Default: 30.
        driver_enabled: Whether the operator runs with `driver.enabled: true`; its validator then also waits for
            `.driver-ctr-ready`. Default: False.

    Raises:
        TypeError, ValueError: `'nodes' must be of Talos 1.12 or older …`: from 1.13 on the validator finds the driver
            by itself.

    Example:
        >>> app = App()
        >>> bridge = ValidationBridge(Chart(app, "gpu"), "bridge", nodes=GpuNodes(talos_version="1.12"))
        >>> bridge.namespace
        'kube-system'

    https://github.com/NVIDIA/gpu-operator/issues/1687
    """

    namespace: str

    @takes(VALIDATION_BRIDGE)
    def __init__(self, scope: Construct, id: str, settings: ValidationBridgeSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, VALIDATION_BRIDGE)


class GpuClaim(GpuConstruct, GpuClaimSettings):
    """A claim on GPUs for pods of `gpu_pod` and `request_gpus`, on nodes with `dra`. `GpuWorkload` makes its own claim.

    On Talos 1.13 and newer the DRA driver describes a claimed GPU to containerd by CDI. Pods with a claim therefore
    need neither a RuntimeClass nor a privileged namespace.

    Makes a ResourceClaimTemplate, from which each pod gets its own claim. Where `share` of the nodes' `dra` is `claim`
    or `time-slicing`, makes one ResourceClaim that all pods use together. The object must be in the namespace of the
    pods. Kubernetes changes neither kind after it is created: give a changed object another name, or delete the old
    object first.

    Args:
        nodes: The node class, with `dra`.
        gpus: The number of GPUs of each claim. The GPUs of one claim are always different ones, also where GPUs are
            shared. Default: 1.
        name: The object's name. Default: the name that `gpu_pod` and `request_gpus` derive from the same `nodes`,
            `gpus` and `profile`: `gpu`, with the name of the class before it, and behind it the number of GPUs if there
            are several.
        namespace: The object's namespace. Default: the chart's.
        gpu_memory: The memory that a claim takes of each GPU, as "8Gi", where claims are `consumable`. Kubernetes
            counts this memory, but does not enforce it. Default: none, which takes the whole GPU with `shares="memory"`.
        profile: The MIG profile of the claimed partitions, as "1g.10gb"; `gpus` then counts partitions. `DraDriver`
            makes the DeviceClass of the profile. Default: none, for whole GPUs.
        admin_access: Whether the claim is for a monitor: it gets every device of the class on its node, beside the
            pods that hold them. The namespace needs the label `resource.kubernetes.io/admin-access: "true"`. Default:
            False.

    Raises:
        TypeError, ValueError: `'nodes' must be …` without `dra`; `'gpus' must be …`; `'gpu_memory' must be …` where
            claims are not consumable, or for more memory than a GPU has.

    Example:
        >>> nodes = GpuNodes(talos_version="1.14", dra=Dra())
        >>> GpuClaim(Chart(App(), "ai"), "claim", nodes=nodes).name
        'gpu'
        >>> template = {"spec": {"containers": [{"name": "main", "image": "nvidia/cuda:12.5.0-base-ubuntu22.04"}]}}
        >>> gpu_pod(template, nodes=nodes)["spec"]["resourceClaims"]
        [{'name': 'main', 'resourceClaimTemplateName': 'gpu'}]

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """

    @takes(GPU_CLAIM)
    def __init__(self, scope: Construct, id: str, settings: GpuClaimSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_CLAIM)


class PrivilegedNamespace(GpuConstruct, NamespaceSettings):
    """A namespace in which Pod Security admits GPU agents.

    Talos enforces the Pod Security level `baseline` in every namespace but kube-system. Device plugins, exporters and
    the operator's operands mount paths of the node, which `baseline` refuses. A workload that only asks for a GPU needs
    no privileged namespace.

    Makes a Namespace with the labels `pod-security.kubernetes.io/enforce`, `audit` and `warn`, each `privileged`.

    Args:
        name: The namespace's name. Default: the id.
        labels: Further labels. Default: none.

    Raises:
        TypeError, ValueError: `'name' must be the name of a namespace …`; `'labels' must be …` for a label that
            contradicts Pod Security's labels.

    Example:
        >>> app = App()
        >>> PrivilegedNamespace(Chart(app, "gpu"), "nvidia-device-plugin").name
        'nvidia-device-plugin'

    https://docs.siderolabs.com/kubernetes-guides/security/pod-security
    """

    @takes(PRIVILEGED_NAMESPACE)
    def __init__(self, scope: Construct, id: str, settings: NamespaceSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, PRIVILEGED_NAMESPACE)


class NvidiaRuntimeClass(GpuConstruct, RuntimeClassSettings):
    """The RuntimeClass `nvidia`, by which a pod asks for NVIDIA's container runtime.

    Up to Talos 1.14 the container toolkit extension registers the handler `nvidia` with containerd. Only a pod whose
    RuntimeClass has this handler gets its GPU. The GPU operator makes the RuntimeClass by itself; with
    `StandaloneDevicePlugin` or `DcgmExporter` alone, make the RuntimeClass with this construct.

    Makes a RuntimeClass. A RuntimeClass is cluster-scoped, so the object has no namespace, even in a chart with a
    namespace.

    Args:
        name: The RuntimeClass' name. Workloads of this library use `nvidia`. Default: `nvidia`.

    Raises:
        ValueError: `'name' must be …` when an NvidiaGpuOperator of the same app owns a RuntimeClass of this name.

    Example:
        >>> app = App()
        >>> NvidiaRuntimeClass(Chart(app, "gpu"), "runtime-class").name
        'nvidia'

    https://kubernetes.io/docs/concepts/containers/runtime-class/
    """

    @takes(NVIDIA_RUNTIME_CLASS)
    def __init__(self, scope: Construct, id: str, settings: RuntimeClassSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, NVIDIA_RUNTIME_CLASS)
