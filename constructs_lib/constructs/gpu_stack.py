"""`GpuStack`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constructs import Construct

from ..clusters.stack_part import GPU_STACK, GpuStackArguments, stack_contents
from ._emit import GpuConstruct
from ._registry import withdraw
from ._settings import takes
from .charts import DraDriver, NodeFeatureDiscovery, NvidiaGpuOperator
from .cluster_objects import NvidiaRuntimeClass, PrivilegedNamespace
from .dcgm_exporter import DcgmExporter
from .monitoring import GpuAlerts, GpuDashboard
from .standalone_device_plugin import StandaloneDevicePlugin

_PARTS: tuple[type[GpuConstruct], ...] = (
    DcgmExporter, DraDriver, GpuAlerts, GpuDashboard, NodeFeatureDiscovery, NvidiaGpuOperator, NvidiaRuntimeClass, PrivilegedNamespace,
    StandaloneDevicePlugin,
)  # fmt: skip
_CLASSES = {part.__name__: part for part in _PARTS}


class GpuStack(GpuConstruct, GpuStackArguments):
    """Everything that one or several node classes need in the cluster: the constructs that you would write by
    hand, in one call.

    Without the operator: a privileged namespace, the RuntimeClass, a `StandaloneDevicePlugin` for each class, one
    `DraDriver` for the classes with `dra`, and where a class shares GPUs, or is selected by a label of NVIDIA's
    discovery, GPU feature discovery and `NodeFeatureDiscovery`. With the operator: one `NvidiaGpuOperator` for all
    classes, a `StandaloneDevicePlugin` for each class with `mig_devices`, and the `DraDriver`. On Talos 1.15, where
    only the operator's toolkit injects GPUs, the operator is the default. In both cases with monitoring: a
    `DcgmExporter` for each class, `GpuAlerts` and a `GpuDashboard`. The `DcgmExporter` takes the place of the
    operator's own exporter, which lacks the counters that most alerts need; on Talos 1.15 the operator's own exporter
    stays. A class with `passthrough` belongs to virtual machines: only the operator has parts for its nodes.

    The parts are children of the stack, and attributes of it: `runtime_class`, `gpu_operator`, `device_plugins`,
    `dra_driver`, `node_feature_discovery`, `exporters`, `gpu_alerts`, `gpu_dashboard` and `privileged_namespace`.
    `device_plugins` and `exporters` hold their parts by the name of the class, or by `default` for a class without a
    name. A part that is left out is None. A part refuses wrong arguments in its own words.

    Makes the objects of its parts, the same objects as the parts by hand.

    Args:
        nodes: The node class, or several of them, each with a `name`.
        namespace: The namespace of the agents, the alerts and the dashboard, and of the operator. Default:
            `gpu-operator` with the operator; otherwise the chart's, or `kube-system`, which Talos exempts from Pod
            Security.
        create_namespace: Make this namespace, privileged. `kube-system` is there already. Default: True.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`, for the charts of the stack: the operator, the DRA driver and node
            feature discovery. Default: `HelmTemplate()`, which runs the Helm of this machine.
        operator: Whether `NvidiaGpuOperator` runs the agents; or a mapping of its arguments, such as
            `{"version": "v26.7.0"}`. Default: True for nodes with Talos 1.15, False for others.
        device_plugin: Further arguments of each `StandaloneDevicePlugin`, as a mapping; False where another plugin
            runs. Default: none.
        driver: Further arguments of the `DraDriver`, as a mapping; False where another DRA driver runs. Default: none.
        discovery: Whether GPU feature discovery and `NodeFeatureDiscovery` run; or a mapping of the arguments of
            `NodeFeatureDiscovery`. Default: True without the operator, where a class shares GPUs or has labels of
            `nvidia.com/gpu.` or `feature.node.kubernetes.io/`.
        monitoring: The default of `exporter`, `alerts` and `dashboard`. Exporter and alerts need the CRDs of the
            Prometheus operator. Default: True.
        monitoring_labels: The labels by which Prometheus selects ServiceMonitors and rules, such as
            `{"release": "kube-prometheus-stack"}`. Default: none.
        exporter: Whether each class has a `DcgmExporter`; or a mapping of its arguments, such as
            `{"service_monitor": False}`. Default: `monitoring`, and False on Talos 1.15.
        alerts: Whether there are `GpuAlerts`; or a mapping of their arguments. Default: `monitoring`.
        dashboard: Whether there is a `GpuDashboard`; or a mapping of its arguments, such as `{"folder": "GPUs"}`.
            Default: `monitoring`.

    Raises:
        TypeError, ValueError: As the parts; `'nodes' must be classes that share no node …`;
            `'nodes' must be at least one class without 'passthrough' …`; `'device_plugin[nodes]' must be left out …`.

    Warns:
        TalosGpuWarning: As the parts.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", name="rtx")
        >>> stack = GpuStack(Chart(App(), "gpu"), "gpu-stack", nodes=nodes, device_plugin={"priority_class_name": "gpu"})
        >>> stack.namespace, stack.device_plugins["rtx"].name, stack.exporters["rtx"].name
        ('kube-system', 'nvidia-device-plugin-rtx', 'dcgm-exporter-rtx')

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu
    """

    namespace: str
    privileged_namespace: PrivilegedNamespace | None
    runtime_class: NvidiaRuntimeClass | None
    gpu_operator: NvidiaGpuOperator | None
    device_plugins: Mapping[str, StandaloneDevicePlugin]
    dra_driver: DraDriver | None
    node_feature_discovery: NodeFeatureDiscovery | None
    exporters: Mapping[str, DcgmExporter]
    gpu_alerts: GpuAlerts | None
    gpu_dashboard: GpuDashboard | None

    @takes(GPU_STACK)
    def __init__(self, scope: Construct, id: str, settings: GpuStackArguments) -> None:  # noqa: A002
        super().__init__(scope, id, settings, GPU_STACK)
        try:
            parts = stack_contents(settings, self._make)
        except (TypeError, ValueError):
            withdraw(scope, self, GPU_STACK.name, id)
            raise
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    def _make(self, name: str, id: str, /, **arguments: Any) -> Any:  # noqa: A002
        return _CLASSES[name](self, id, **arguments)
