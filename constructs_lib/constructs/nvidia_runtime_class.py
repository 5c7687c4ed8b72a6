"""`NvidiaRuntimeClass`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import NVIDIA_RUNTIME_CLASS
from ..manifests.runtime_class_object import RuntimeClassSettings
from ._emit import GpuConstruct
from ._settings import takes


class NvidiaRuntimeClass(GpuConstruct, RuntimeClassSettings):
    """The RuntimeClass `nvidia`, by which a pod asks for NVIDIA's container runtime.

    Up to Talos 1.14 the container toolkit extension registers the handler `nvidia` with containerd. Only a pod whose
    RuntimeClass has this handler gets its GPU. The GPU operator makes the RuntimeClass by itself; with
    `StandaloneDevicePlugin` or `DcgmExporter` alone, make the RuntimeClass with this construct.

    Makes a RuntimeClass. A RuntimeClass is cluster-scoped, so the object has no namespace, even in a chart with a
    namespace.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
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
