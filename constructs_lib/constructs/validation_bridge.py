"""`ValidationBridge`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from ..manifests.bridge_objects import ValidationBridgeSettings, validation_bridge
from ._emit import GpuConstruct, agent_namespace
from ._registry import BRIDGE, announce, neighbours
from ._settings import takes


@named_arguments(nodes="the bridge runs on one class of GPU nodes")
class ValidationBridge(GpuConstruct, ValidationBridgeSettings):
    """The files in /run/nvidia/validations that the GPU operator's pods wait for, on Talos 1.12 and older.

    The operator's driver and toolkit containers would write them, and on Talos both come with the OS image; its validator looks for the
    driver where this Talos has none. So every operand waits in `Init:0/1` for ever. The bridge writes `driver-ready`, with the content that
    the device plugin sources, and `toolkit-ready`, and keeps them there: a reboot empties /run, and a validator removes them.

    Label the nodes `nvidia.com/gpu.deploy.operator-validator=false`, or the validator's own pod never becomes ready.

    Makes a DaemonSet on the nodes of the class: root, because the files belong to root, and otherwise without privileges. `NvidiaGpuOperator`
    brings it by itself; use it alone beside an operator that is installed in another way.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        nodes: The class of nodes.
        name: The DaemonSet's name. Default: `nvidia-validation-bridge`, with the class's name after it.
        namespace: Its namespace, which has to be privileged: it mounts a path of the node. Default: the chart's, or `kube-system`, which
            Talos exempts from Pod Security.
        image: An image with a POSIX shell, `cmp` and `mv`. Default: busybox 1.37.0.
        interval: Seconds between two looks. Default: 30.
        driver_enabled: Whether the operator runs with `driver.enabled: true`, where its validator waits for `.driver-ctr-ready` as well.
            Default: False.

    Raises:
        TypeError, ValueError: `'nodes' must be of Talos 1.12 or older …`: from 1.13 on the validator finds the driver by itself.

    Example:
        >>> app = App()
        >>> bridge = ValidationBridge(Chart(app, "gpu"), "bridge", nodes=GpuNodes(talos_version="1.12"))
        >>> bridge.namespace
        'kube-system'

    https://github.com/NVIDIA/gpu-operator/issues/1687
    """

    namespace: str

    @takes(ValidationBridgeSettings, namespace=agent_namespace)
    def __init__(self, scope: Construct, id: str, settings: ValidationBridgeSettings) -> None:  # noqa: A002
        for other in neighbours(scope, BRIDGE):
            if settings.nodes.may_overlap(other.nodes):
                hint = f"'{other.name}' writes the same files there, and NvidiaGpuOperator brings a bridge by itself; leave this one out"
                raise wrong("nodes", "a class that no other bridge of this app has", settings.nodes, hint)
        super().__init__(scope, id, settings, validation_bridge(settings))
        announce(scope, BRIDGE, settings)
