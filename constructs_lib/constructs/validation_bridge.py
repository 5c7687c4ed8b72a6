"""`ValidationBridge`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import VALIDATION_BRIDGE
from ..manifests.operator.bridge_objects import ValidationBridgeSettings
from ._emit import GpuConstruct
from ._settings import takes


class ValidationBridge(GpuConstruct, ValidationBridgeSettings):
    """A DaemonSet that writes the files in /run/nvidia/validations that the GPU operator's pods wait for, on Talos 1.12
    and older.

    On other systems the operator's validator writes these files after it has checked the driver and the toolkit. On
    Talos the driver and the toolkit come with the OS image, and the validator looks for the driver where these Talos
    versions have none. Every operand therefore waits in `Init:0/1` for ever. The bridge writes `driver-ready`, with the
    content that the device plugin sources, and `toolkit-ready`. The bridge runs in a loop, because a reboot empties
    /run and a validator removes the files.

    Label the nodes `nvidia.com/gpu.deploy.operator-validator=false`, or the validator's own pod never becomes ready.

    Makes a DaemonSet on the nodes of the class. The container runs as root, because root owns the files, and has no
    other privilege. `NvidiaGpuOperator` brings its own bridges; use this construct for an operator that is installed in
    another way.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes.
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
