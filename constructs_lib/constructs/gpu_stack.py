"""`GpuStack`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs
from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.fields import named, settle, to_flag, to_labels, to_optional_namespace
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import mapping
from ..manifests.chart_settings import to_separate_classes
from ..manifests.objects import merged
from ..monitoring.queries import MetricsSource
from ..nodes.gpu_nodes import CLASS_LABEL, GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.charts import GPU_OPERATOR
from ..upstream.charts.dcgm_exporter_chart import OPERATORS_JOB
from ..upstream.charts.nfd_chart import FEATURE_PREFIX
from ..upstream.gpu_resources import GPU_RESOURCE
from ..upstream.talos_features import EXEMPT_NAMESPACE
from ._chart_construct import to_delivery
from ._emit import GpuConstruct, agent_namespace
from ._registry import Maker, withdraw
from ._settings import takes
from .dcgm_exporter import DcgmExporter
from .delivery import Delivery
from .dra_driver import DraDriver
from .gpu_alerts import GpuAlerts
from .gpu_dashboard import GpuDashboard
from .node_feature_discovery import NodeFeatureDiscovery
from .nvidia_gpu_operator import NvidiaGpuOperator
from .nvidia_runtime_class import NvidiaRuntimeClass
from .privileged_namespace import PrivilegedNamespace
from .standalone_device_plugin import StandaloneDevicePlugin

# The arguments of a part that the stack itself gives.
_STACKS_OWN = ("nodes", "scope", "id")


def _to_part(value: bool | Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any] | None:
    """The arguments of a part. False, where the part is left out, and None, where the nodes decide, stay until `__attrs_post_init__`."""
    if value is None or isinstance(value, bool):
        return {} if value else value  # type: ignore[return-value]
    arguments = mapping(argument, value, "True, False, or a mapping of the part's arguments")
    for name in _STACKS_OWN:
        if name in arguments:
            raise wrong(f"{argument}[{name}]", "left out", arguments[name], f"the stack gives each part its '{name}'")
    return MappingProxyType(arguments)


def _to_operator(value: bool | Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any] | None:
    arguments = _to_part(value, argument)
    for name in ("namespace", "create_namespace", "delivery"):
        if arguments and name in arguments:
            raise wrong(f"{argument}[{name}]", "left out", arguments[name], f"give '{name}' to the GpuStack")
    return arguments


def _to_classes(value: GpuNodes | Iterable[GpuNodes], argument: str = "") -> tuple[GpuNodes, ...]:
    return to_separate_classes(value, argument)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class _Arguments:
    nodes: tuple[GpuNodes, ...] = attrs.field(converter=_to_classes)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    create_namespace: bool = attrs.field(default=True, converter=to_flag)
    delivery: Delivery = attrs.field(default=None, converter=to_delivery)
    operator: Mapping[str, Any] | None = attrs.field(default=None, converter=_to_operator)
    device_plugin: Mapping[str, Any] | None = attrs.field(default=None, converter=_to_part)
    driver: Mapping[str, Any] | None = attrs.field(default=None, converter=_to_part)
    discovery: Mapping[str, Any] | None = attrs.field(default=None, converter=_to_part)
    monitoring: bool = attrs.field(default=True, converter=to_flag)
    monitoring_labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)
    exporter: Mapping[str, Any] | None = attrs.field(default=None, converter=_to_part)
    alerts: Mapping[str, Any] | None = attrs.field(default=None, converter=_to_part)
    dashboard: Mapping[str, Any] | None = attrs.field(default=None, converter=_to_part)

    def __attrs_post_init__(self) -> None:
        if not self.container_classes and not isinstance(self.operator, Mapping):
            hint = "KubeVirt itself advertises the cards (permitted_host_devices), or the GPU operator does: operator=True"
            raise wrong("nodes", "at least one class without 'passthrough' where operator=False", list(self.nodes), hint)
        # With NRI only the operator's toolkit injects GPUs, also into the operator's own exporter.
        by_nri = any(nodes.generation is Generation.NRI for nodes in self.nodes)
        self._decide("operator", by_nri)
        self._decide("device_plugin", True)
        self._decide("driver", True)
        self._decide("discovery", self.operator is None and any(map(_needs_discovery, self.container_classes)))
        self._decide("exporter", self.monitoring and not by_nri)
        self._decide("alerts", self.monitoring)
        self._decide("dashboard", self.monitoring)

    def _decide(self, name: str, wanted: bool) -> None:
        """Set a part to its arguments, or to None where it is left out."""
        given = getattr(self, name)
        value = given if isinstance(given, Mapping) else {} if given is None and wanted else None
        object.__setattr__(self, name, value)

    @property
    def container_classes(self) -> tuple[GpuNodes, ...]:
        """The classes whose GPUs containers use."""
        return tuple(nodes for nodes in self.nodes if nodes.passthrough is None)


def _needs_discovery(nodes: GpuNodes) -> bool:
    """Whether the labels of GPU feature discovery and of node feature discovery tell or select what this class is."""
    selected = any(key.startswith((f"{GPU_RESOURCE}.", FEATURE_PREFIX)) for key in nodes.node_selector)
    return nodes.dra is None and (nodes.sharing is not None or selected)


@named_arguments(nodes="the stack follows from its nodes")
class GpuStack(GpuConstruct, _Arguments):
    """Everything that one or several classes of GPU nodes need in the cluster: the constructs that you would write by hand, in one call.

    Without the operator: a privileged namespace, the RuntimeClass, a `StandaloneDevicePlugin` for each class, one `DraDriver` for the classes with
    `dra`, and where a class shares GPUs, or is selected by a label of NVIDIA's discovery, GPU feature discovery and `NodeFeatureDiscovery`. With the
    operator: one `NvidiaGpuOperator` for all classes, a `StandaloneDevicePlugin` for each class with `mig_devices`, and the `DraDriver`. On Talos
    1.15, where only the operator's toolkit injects GPUs, the operator is the default. In both cases with monitoring: a `DcgmExporter` for each class,
    `GpuAlerts` and a `GpuDashboard`. The `DcgmExporter` takes the place of the operator's own exporter, which lacks the counters that most alerts need;
    on Talos 1.15 the operator's own exporter stays. A class with `passthrough` belongs to virtual machines: only the operator has parts for its nodes.

    The parts are children of the stack, and attributes of it: `runtime_class`, `gpu_operator`, `device_plugins`, `dra_driver`,
    `node_feature_discovery`, `exporters`, `gpu_alerts`, `gpu_dashboard` and `privileged_namespace`. `device_plugins` and `exporters` hold their parts
    by the name of the class, or by `default` for a class without a name. A part that is left out is None. A part refuses wrong arguments in its own
    words.

    Makes the objects of its parts, the same objects as the parts by hand.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes, or several classes, each with a `name`.
        namespace: The namespace of the agents, the alerts and the dashboard, and of the operator. Default: `gpu-operator` with the operator; otherwise
            the chart's, or `kube-system`, which Talos exempts from Pod Security.
        create_namespace: Make this namespace, privileged. `kube-system` is there already. Default: True.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`, for the charts of the stack: the operator, the DRA driver and node feature discovery. Default:
            `HelmTemplate()`, which runs the Helm of this machine.
        operator: Whether `NvidiaGpuOperator` runs the agents; or a mapping of its arguments, such as `{"version": "v26.7.0"}`. Default: True for
            nodes with Talos 1.15, False for others.
        device_plugin: Further arguments of each `StandaloneDevicePlugin`, as a mapping; False where another plugin runs. Default: none.
        driver: Further arguments of the `DraDriver`, as a mapping; False where another DRA driver runs. Default: none.
        discovery: Whether GPU feature discovery and `NodeFeatureDiscovery` run; or a mapping of the arguments of `NodeFeatureDiscovery`. Default: True
            without the operator, where a class shares GPUs or has labels of `nvidia.com/gpu.` or `feature.node.kubernetes.io/`.
        monitoring: The default of `exporter`, `alerts` and `dashboard`. Exporter and alerts need the CRDs of the Prometheus operator. Default: True.
        monitoring_labels: The labels by which Prometheus selects ServiceMonitors and rules, such as `{"release": "kube-prometheus-stack"}`.
            Default: none.
        exporter: Whether each class has a `DcgmExporter`; or a mapping of its arguments, such as `{"service_monitor": False}`. Default: `monitoring`,
            and False on Talos 1.15.
        alerts: Whether there are `GpuAlerts`; or a mapping of their arguments. Default: `monitoring`.
        dashboard: Whether there is a `GpuDashboard`; or a mapping of its arguments, such as `{"folder": "GPUs"}`. Default: `monitoring`.

    Raises:
        TypeError, ValueError: As the parts; `'nodes' must be classes that share no node …`; `'nodes' must be at least one class without 'passthrough' …`; `'device_plugin[nodes]' must be left out …`.

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

    @takes(_Arguments)
    def __init__(self, scope: Construct, id: str, settings: _Arguments) -> None:  # noqa: A002
        settle(settings, "namespace", GPU_OPERATOR.name if settings.operator is not None else agent_namespace(scope, id))
        super().__init__(scope, id, settings, {})
        try:
            parts = self._allocation() | self._monitoring()
        except (TypeError, ValueError):
            withdraw(scope, self, Maker(type(self).__name__, scope, id))
            raise
        for name, part in parts.items():
            object.__setattr__(self, name, part)

    def _allocation(self) -> dict[str, Any]:
        """The parts that give pods their GPUs."""
        namespace = runtime_class = operator = driver = discovery = None
        if self.operator is not None:
            operator = self._operator(dict(self.operator))
        elif self.create_namespace and self.namespace != EXEMPT_NAMESPACE:
            namespace = PrivilegedNamespace(self, "namespace", name=self.namespace)
        advertised = () if operator is None else operator.plugin_classes
        plugged = [nodes for nodes in self.container_classes if nodes.dra is None and nodes not in advertised]
        claimed = [nodes for nodes in self.container_classes if nodes.dra is not None]
        if operator is None and (plugged or self.exporter is not None):
            runtime_class = NvidiaRuntimeClass(self, "runtime-class")
        given = None if self.device_plugin is None else {"feature_discovery": self.discovery is not None, **self.device_plugin}
        plugins = self._of_each(StandaloneDevicePlugin, "device-plugin", plugged, given)
        if claimed and self.driver is not None:
            driver = DraDriver(self, "dra-driver", nodes=claimed, **{"delivery": self.delivery, **self.driver})
        if self.discovery is not None:
            discovery = NodeFeatureDiscovery(
                self, "node-feature-discovery", nodes=self.container_classes, **{"delivery": self.delivery, **self.discovery}
            )
        return {
            "privileged_namespace": namespace,
            "runtime_class": runtime_class,
            "gpu_operator": operator,
            "device_plugins": plugins,
            "dra_driver": driver,
            "node_feature_discovery": discovery,
        }

    def _operator(self, given: dict[str, Any]) -> NvidiaGpuOperator:
        if self.exporter is not None and self.container_classes:
            given["values"] = merged({"dcgmExporter": {"enabled": False}}, mapping("operator[values]", given.get("values") or {}))
        place: dict[str, Any] = {"namespace": self.namespace, "create_namespace": self.create_namespace, "delivery": self.delivery}
        return NvidiaGpuOperator(self, "gpu-operator", nodes=self.nodes, **place, **given)

    def _monitoring(self) -> dict[str, Any]:
        """The parts that show the GPUs' use and health."""
        given = None
        if self.exporter is not None:
            has_monitor = self.exporter.get("service_monitor", True) is not False
            given = {**({"service_monitor_labels": self.monitoring_labels} if has_monitor else {}), **self.exporter}
        exporters = self._of_each(DcgmExporter, "dcgm-exporter", self.container_classes, given)
        common: dict[str, Any] = {"namespace": self.namespace}
        if not exporters and self.operator is not None:
            common["source"] = MetricsSource(job=OPERATORS_JOB)
        of_alerts = {"operator": self.operator is not None, "labels": self.monitoring_labels}
        return {
            "exporters": exporters,
            "gpu_alerts": None if self.alerts is None else GpuAlerts(self, "gpu-alerts", **{**common, **of_alerts, **self.alerts}),
            "gpu_dashboard": None if self.dashboard is None else GpuDashboard(self, "gpu-dashboard", **{**common, **self.dashboard}),
        }

    def _of_each(self, part: Any, place: str, classes: Iterable[GpuNodes], given: Mapping[str, Any] | None) -> dict[str, Any]:
        """A part for each class, by the name of the class."""
        if given is None:
            return {}
        arguments = {"namespace": self.namespace, **given}
        return {
            nodes.pod_labels[CLASS_LABEL]: part(self, "-".join(filter(None, (place, nodes.name))), nodes=nodes, **arguments)
            for nodes in classes
        }
