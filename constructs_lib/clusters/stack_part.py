"""The part `GpuStack`: its checked arguments, and the parts that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, settle, to_flag, to_labels, to_optional_namespace
from ..arguments.plain_values import mapping
from ..manifests.charts.delivery import Delivery
from ..manifests.charts.settings import to_separate_classes
from ..manifests.objects import Manifests, merged
from ..monitoring.queries import MetricsSource
from ..nodes.gpu_nodes import CLASS_LABEL, GpuNodes
from ..upstream.charts import GPU_OPERATOR
from ..upstream.charts.dcgm_exporter_chart import OPERATORS_JOB
from ..upstream.charts.nfd_chart import FEATURE_PREFIX
from ..upstream.nvidia.gpu_resources import GPU_RESOURCE
from ..upstream.talos.features import EXEMPT_NAMESPACE
from .app_registry import STACK, Place
from .chart_parts import to_delivery
from .part import Make, Part, agent_namespace

# The arguments of a part that the stack itself gives.
_STACKS_OWN = ("nodes", "scope", "id")


def _to_part(value: bool | Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any] | None:
    """The arguments of a part. False, where the part is left out, and None, where the nodes decide, stay until
    `__attrs_post_init__`."""
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
class GpuStackArguments:
    """The checked arguments of `GpuStack`, which documents each argument."""

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
        by_nri = any(nodes.runtime_class is None for nodes in self.nodes)
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


def _manifests(place: Place, settings: GpuStackArguments) -> Manifests:
    settle(settings, "namespace", GPU_OPERATOR.name if settings.operator is not None else agent_namespace(place, ""))
    return {}


def stack_contents(settings: GpuStackArguments, make: Make) -> dict[str, Any]:
    """The parts of a stack, by attribute."""
    return _allocation(settings, make) | _monitoring(settings, make)


def _allocation(stack: GpuStackArguments, make: Make) -> dict[str, Any]:
    """The parts that give pods their GPUs."""
    namespace = runtime_class = operator = driver = discovery = None
    if stack.operator is not None:
        operator = _operator(stack, make, dict(stack.operator))
    elif stack.create_namespace and stack.namespace != EXEMPT_NAMESPACE:
        namespace = make("PrivilegedNamespace", "namespace", name=stack.namespace)
    advertised = () if operator is None else operator.plugin_classes
    plugged = [nodes for nodes in stack.container_classes if nodes.dra is None and nodes not in advertised]
    claimed = [nodes for nodes in stack.container_classes if nodes.dra is not None]
    if operator is None and (plugged or stack.exporter is not None):
        runtime_class = make("NvidiaRuntimeClass", "runtime-class")
    given = None if stack.device_plugin is None else {"feature_discovery": stack.discovery is not None, **stack.device_plugin}
    plugins = _of_each(stack, make, "StandaloneDevicePlugin", "device-plugin", plugged, given)
    if claimed and stack.driver is not None:
        driver = make("DraDriver", "dra-driver", nodes=claimed, **{"delivery": stack.delivery, **stack.driver})
    if stack.discovery is not None:
        discovery = make(
            "NodeFeatureDiscovery",
            "node-feature-discovery",
            nodes=stack.container_classes,
            **{"delivery": stack.delivery, **stack.discovery},
        )
    return {
        "privileged_namespace": namespace,
        "runtime_class": runtime_class,
        "gpu_operator": operator,
        "device_plugins": plugins,
        "dra_driver": driver,
        "node_feature_discovery": discovery,
    }


def _operator(stack: GpuStackArguments, make: Make, given: dict[str, Any]) -> Any:
    if stack.exporter is not None and stack.container_classes:
        given["values"] = merged({"dcgmExporter": {"enabled": False}}, mapping("operator[values]", given.get("values") or {}))
    place: dict[str, Any] = {"namespace": stack.namespace, "create_namespace": stack.create_namespace, "delivery": stack.delivery}
    return make("NvidiaGpuOperator", "gpu-operator", nodes=stack.nodes, **place, **given)


def _monitoring(stack: GpuStackArguments, make: Make) -> dict[str, Any]:
    """The parts that show the GPUs' use and health."""
    given = None
    if stack.exporter is not None:
        has_monitor = stack.exporter.get("service_monitor", True) is not False
        given = {**({"service_monitor_labels": stack.monitoring_labels} if has_monitor else {}), **stack.exporter}
    exporters = _of_each(stack, make, "DcgmExporter", "dcgm-exporter", stack.container_classes, given)
    common: dict[str, Any] = {"namespace": stack.namespace}
    if not exporters and stack.operator is not None:
        common["source"] = MetricsSource(job=OPERATORS_JOB)
    has_claims = any(nodes.dra is not None for nodes in stack.container_classes)
    of_alerts = {"operator": stack.operator is not None, "labels": stack.monitoring_labels, **({"dra": True} if has_claims else {})}
    return {
        "exporters": exporters,
        "gpu_alerts": None if stack.alerts is None else make("GpuAlerts", "gpu-alerts", **{**common, **of_alerts, **stack.alerts}),
        "gpu_dashboard": None if stack.dashboard is None else make("GpuDashboard", "gpu-dashboard", **{**common, **stack.dashboard}),
    }


def _of_each(
    stack: GpuStackArguments, make: Make, name: str, place: str, classes: Iterable[GpuNodes], given: Mapping[str, Any] | None
) -> dict[str, Any]:
    """A part for each class, by the name of the class."""
    if given is None:
        return {}
    arguments = {"namespace": stack.namespace, **given}
    return {
        nodes.pod_labels[CLASS_LABEL]: make(name, "-".join(filter(None, (place, nodes.name))), nodes=nodes, **arguments)
        for nodes in classes
    }


GPU_STACK = Part(
    STACK,
    GpuStackArguments,
    _manifests,
    lambda settings: [(STACK, settings.nodes)],
    needs={"nodes": "the stack follows from its nodes"},
    contents=stack_contents,
    passed_on={
        "operator": "NvidiaGpuOperator",
        "device_plugin": "StandaloneDevicePlugin",
        "driver": "DraDriver",
        "discovery": "NodeFeatureDiscovery",
        "exporter": "DcgmExporter",
        "alerts": "GpuAlerts",
        "dashboard": "GpuDashboard",
    },
)
