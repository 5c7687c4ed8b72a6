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

    Up to Talos 1.14 the toolkit extension registers the handler `nvidia` with containerd, and only a pod that names a RuntimeClass for it
    is given its GPU. With the standalone device plugin the RuntimeClass is made by hand, which is what this is for; the operator makes its
    own.

    Makes a RuntimeClass. It is cluster-scoped, so it has no namespace, in a chart with a namespace neither.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        name: The name that pods use. Workloads of this library use `nvidia`. Default: `nvidia`.

    Raises:
        ValueError: `'name' must be …` when an NvidiaGpuOperator of the same app owns that RuntimeClass.

    Example:
        >>> app = App()
        >>> NvidiaRuntimeClass(Chart(app, "gpu"), "runtime-class").name
        'nvidia'

    https://kubernetes.io/docs/concepts/containers/runtime-class/
    """

    @takes(RuntimeClassSettings)
    def __init__(self, scope: Construct, id: str, settings: RuntimeClassSettings) -> None:  # noqa: A002
        for operator in neighbours(scope, OPERATOR):
            if settings.name == operator.runtime_class:
                raise owned_by_operator("name", settings.name, "a RuntimeClass that no NvidiaGpuOperator of this app owns")
        super().__init__(scope, id, settings, runtime_class(settings))
        announce(scope, RUNTIME_CLASS, settings)


def owned_by_operator(argument: str, name: str, rule: str) -> ValueError:
    """Why a RuntimeClass and an operator of one app can't share a name."""
    hint = "the operator creates and owns its RuntimeClass; leave NvidiaRuntimeClass out, or give it another name"
    return wrong(argument, rule, name, hint)
