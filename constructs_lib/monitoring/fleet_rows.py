"""The dashboard rows about all GPUs: use by pod, overview, allocation and inventory."""

from __future__ import annotations

from .dashboard_queries import DashboardQueries
from .kube_state import POD
from .metrics import Metric
from .panels import Column, Query, Row, Steps, bar_gauge, stat, table, timeseries

_NONE_IS_GOOD: Steps = ((None, "green"), (1, "red"))
_NONE_IS_CALM: Steps = ((None, "green"), (1, "orange"))
# Degrees are whole: below 1 the card is at its own limit.
_AT_THE_LIMIT: Steps = ((None, "red"), (1, "green"))


def who_uses_what(ask: DashboardQueries, *, profiling: bool) -> Row:
    """The pods and their GPUs, which users look for first."""
    source = ask.source
    labels = {
        "cluster": "Cluster",
        source.namespace: "Namespace",
        source.pod: "Pod",
        source.node_label: "Node",
        "gpu": "GPU",
        "modelName": "Model",
        "GPU_I_PROFILE": "MIG profile",
        "GPU_I_ID": "MIG instance",
        "UUID": "",
    }
    columns = [
        Column("Utilisation", ask.of_pod(Metric.GPU_UTIL), "percent", bar_to=100),
        Column("Memory", ask.of_pod(Metric.FB_USED), "mbytes"),
        Column("Power", ask.of_pod(Metric.POWER_USAGE), "watt"),
        Column("Temperature", ask.of_pod(Metric.GPU_TEMP), "celsius"),
    ]
    if profiling:
        columns.insert(1, Column("Engine active", ask.of_pod(Metric.GR_ENGINE_ACTIVE), "percentunit", bar_to=1))
    shared = "Pods that share a GPU show the GPU's own values, unless the exporter splits them."
    return Row(
        "Who uses what",
        [
            table("Pods with a GPU", labels, *columns, sort="Memory", description=f"{shared} Power and temperature are always the card's."),
            timeseries(
                "GPU utilisation by pod",
                Query(ask.named(ask.of_pod(Metric.GPU_UTIL)), ask.pod_name),
                unit="percent",
                top=100,
                description=shared,
            ),
            timeseries("Memory by pod", Query(ask.named(ask.of_pod(Metric.FB_USED)), ask.pod_name), unit="mbytes", description=shared),
        ],
    )


def overview(ask: DashboardQueries) -> Row:
    """The numbers of all GPUs."""
    return Row(
        "Overview",
        [
            stat("GPUs", Query(ask.gpus), description="Cards, whatever shares or instances they have."),
            stat("Allocatable", Query(f"sum({ask.allocatable})"), description="GPUs, shares and MIG instances that nodes have for pods."),
            stat("Requested", Query(f"sum({ask.requested})"), description="By pods that have a node and have not ended."),
            stat(
                "Waiting pods",
                Query(ask.waiting_pods),
                steps=_NONE_IS_CALM,
                description="Pods that ask for a GPU and have no node yet.",
            ),
            stat("Mean utilisation", Query(f"avg({ask.of_gpu(Metric.GPU_UTIL)})"), unit="percent"),
            stat(
                "Memory",
                Query(f"sum({ask.of_instance(Metric.FB_USED)})", "used"),
                Query(f"sum({ask.memory})", "all"),
                unit="mbytes",
                named=True,
                description="Without what the driver keeps for itself.",
            ),
            stat(
                "Power",
                Query(f"sum({ask.of_gpu(Metric.POWER_USAGE)})", "draw"),
                Query(f"sum({ask.of_gpu(Metric.ENFORCED_POWER_LIMIT)})", "limit"),
                unit="watt",
                named=True,
            ),
            stat("Energy", Query(f"sum({ask.energy})"), unit="kwatth", description="In the time shown."),
            stat("Hottest GPU", Query(f"topk(1, {ask.of_gpu(Metric.GPU_TEMP)})", ask.gpu_name), unit="celsius", named=True),
            stat(
                "Nearest to slowing down",
                Query(f"bottomk(1, {ask.headroom})", ask.gpu_name),
                unit="celsius",
                steps=_AT_THE_LIMIT,
                named=True,
                description="Degrees up to the temperature at which the card itself slows down.",
            ),
            stat("Slowed now", Query(ask.slowed), steps=_NONE_IS_GOOD, description="GPUs that heat or the power supply slows down."),
            stat("GPUs with XID errors", Query(ask.gpus_with_xids), steps=_NONE_IS_GOOD, description="Within 24 hours."),
        ],
    )


def allocation(ask: DashboardQueries) -> Row:
    """The allocatable, requested and missing GPUs, from kube-state-metrics."""
    return Row(
        "Allocation",
        [
            timeseries(
                "Allocatable and requested",
                Query(f"sum by (cluster, resource) ({ask.requested})", "{{cluster}} {{resource}} requested"),
                Query(f"sum by (cluster, resource) ({ask.allocatable})", "{{cluster}} {{resource}} allocatable", limit=True),
                unit="none",
                width=8,
            ),
            bar_gauge(
                "Requested by namespace",
                Query(f"sum by (cluster, namespace) ({ask.requested})", "{{cluster}} {{namespace}}"),
                unit="none",
                width=8,
            ),
            table(
                "Pods without a node",
                {"cluster": "Cluster", "namespace": "Namespace", "pod": "Pod", "resource": "Resource"},
                Column("Asks for", f"sum by ({POD}, resource) ({ask.waiting})"),
                sort="Namespace",
                descending=False,
                width=8,
            ),
        ],
    )


def inventory(ask: DashboardQueries) -> Row:
    """The list of GPUs."""
    labels = {
        "cluster": "Cluster",
        ask.source.node_label: "Node",
        "gpu": "GPU",
        "modelName": "Model",
        "GPU_I_PROFILE": "MIG profile",
        "GPU_I_ID": "MIG instance",
        "UUID": "UUID",
        "pci_bus_id": "PCI bus",
        ask.source.name(Metric.DRIVER_VERSION): "Driver",
    }
    return Row("Inventory", [table("GPUs in detail", labels, Column("", ask.inventory), sort="Node", descending=False)])
