"""`NvidiaRuntimeClass`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from ..manifests.runtime_class_object import RuntimeClassSettings, runtime_class
from ._emit import GpuConstruct
from ._registry import OPERATOR, RUNTIME_CLASS, announce, neighbours
from ._settings import takes


@named_arguments()
class NvidiaRuntimeClass(GpuConstruct, RuntimeClassSettings):
    """The RuntimeClass `nvidia`, by which a pod asks for NVIDIA's container runtime.

    Up to Talos 1.14 the container toolkit extension registers the handler `nvidia` with containerd. Only a pod whose RuntimeClass has this handler
    gets its GPU. The GPU operator makes the RuntimeClass by itself; with `StandaloneDevicePlugin` or `DcgmExporter` alone, make the RuntimeClass with
    this construct.

    Makes a RuntimeClass. A RuntimeClass is cluster-scoped, so the object has no namespace, even in a chart with a namespace.

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

    @takes(RuntimeClassSettings)
    def __init__(self, scope: Construct, id: str, settings: RuntimeClassSettings) -> None:
        for operator in neighbours(scope, OPERATOR):
            if settings.name == operator.runtime_class:
                raise owned_by_operator("name", settings.name, "a RuntimeClass that no NvidiaGpuOperator of this app owns")
        super().__init__(scope, id, settings, runtime_class(settings))
        announce(scope, RUNTIME_CLASS, settings)


def owned_by_operator(argument: str, name: str, rule: str) -> ValueError:
    """The error for a RuntimeClass that has the same name as the RuntimeClass of an operator in the same app."""
    hint = "the operator creates and owns its RuntimeClass; leave NvidiaRuntimeClass out, or give it another name"
    return wrong(argument, rule, name, hint)
