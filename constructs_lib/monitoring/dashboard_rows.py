"""The rows of the dashboard."""

from __future__ import annotations

from .dashboard_queries import DashboardQueries
from .kube_state import POD
from .metrics import Metric
from .panels import Column, Query, Row, Steps, bar_gauge, stat, state_timeline, table, timeseries

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
            stat("Waiting pods", Query(ask.waiting_pods), steps=_NONE_IS_CALM, description="Pods that ask for a GPU and have no node yet."),
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


# The bits of DCGM_FI_DEV_CLOCKS_EVENT_REASONS (NVIDIA/DCGM dcgmlib/dcgm_fields.h).
_REASONS = {
    "0": ("nothing", "green"),
    "1": ("idle", "#6e7687"),
    "2": ("clocks as set", "semi-dark-green"),
    "4": ("power limit", "blue"),
    "8": ("hardware slowdown", "orange"),
    "16": ("sync boost", "light-blue"),
    "32": ("heat, by the driver", "semi-dark-orange"),
    "64": ("heat, by the hardware", "red"),
    "128": ("power supply", "dark-red"),
}
_YES_NO = {"0": ("no", "text"), "1": ("yes", "red")}
# What nvmlDeviceGetFieldValues gives for NVML_FI_DEV_GET_GPU_RECOVERY_ACTION (NVIDIA/DCGM dcgmlib/dcgm_nvml.h).
_RECOVERY = {
    "0": ("none", "text"),
    "1": ("reset", "red"),
    "2": ("reboot", "red"),
    "3": ("drain peer-to-peer", "orange"),
    "4": ("drain and reset", "orange"),
}


def utilisation(ask: DashboardQueries) -> Row:
    """The load of each GPU."""
    of_mig = "A partitioned GPU has none: its instances are seen by profiling alone."
    return Row(
        "Utilisation",
        [
            timeseries("GPU utilisation", Query(ask.of_gpu(Metric.GPU_UTIL), ask.gpu_name), unit="percent", top=100, description=of_mig),
            timeseries(
                "Memory bandwidth in use",
                Query(ask.of_gpu(Metric.MEM_COPY_UTIL), ask.gpu_name),
                unit="percent",
                top=100,
                description=of_mig,
            ),
        ],
    )


def memory(ask: DashboardQueries) -> Row:
    """The used and free memory of each GPU or MIG instance."""
    used, every = ask.of_instance(Metric.FB_USED), ask.memory
    return Row(
        "Memory",
        [
            timeseries("Memory used", Query(ask.named(used), ask.instance_name), unit="mbytes"),
            timeseries("Memory used, as a part", Query(ask.named(f"{used} / {every}"), ask.instance_name), unit="percentunit", top=1),
        ],
    )


def power(ask: DashboardQueries) -> Row:
    """The power draw of each GPU, and its power limit."""
    return Row(
        "Power",
        [
            timeseries(
                "Power draw",
                Query(ask.of_gpu(Metric.POWER_USAGE), ask.gpu_name),
                Query(ask.of_gpu(Metric.ENFORCED_POWER_LIMIT), f"{ask.gpu_name} limit", limit=True),
                unit="watt",
            ),
            bar_gauge("Draw as a part of the limit", Query(ask.power_ratio, ask.gpu_name), unit="percentunit", top=1),
            bar_gauge("Energy in the time shown", Query(ask.energy, ask.gpu_name), unit="kwatth"),
        ],
    )


def temperature(ask: DashboardQueries) -> Row:
    """The temperature of each GPU, and its slowdown temperature."""
    return Row(
        "Temperature",
        [
            timeseries(
                "GPU temperature",
                Query(ask.of_gpu(Metric.GPU_TEMP), ask.gpu_name),
                Query(ask.slowdown_temp, f"{ask.gpu_name} slows down", limit=True),
                unit="celsius",
                bottom=None,
            ),
            timeseries(
                "Memory temperature",
                Query(f"{ask.of_gpu(Metric.MEMORY_TEMP)} > 0", ask.gpu_name),
                unit="celsius",
                bottom=None,
                width=6,
                description="Of cards that have a sensor there.",
            ),
            timeseries("Fan speed", Query(ask.of_gpu(Metric.FAN_SPEED), ask.gpu_name), unit="percent", top=100, width=6),
        ],
    )


def clocks(ask: DashboardQueries) -> Row:
    """The clocks of each GPU, and the reasons for low clocks."""
    return Row(
        "Clocks",
        [
            timeseries("SM clock", Query(f"{ask.of_gpu(Metric.SM_CLOCK)} * 1e6", ask.gpu_name), unit="hertz"),
            state_timeline(
                "What holds the clocks down",
                Query(ask.worst_reason, ask.gpu_name),
                words=_REASONS,
                width=12,
                description="The most serious reason where there are several. A power limit is usual under full load.",
            ),
        ],
    )


def errors(ask: DashboardQueries) -> Row:
    """The errors of each GPU, and the recovery action of the driver."""
    labels = {"cluster": "Cluster", ask.source.node_label: "Node", "gpu": "GPU", "modelName": "Model", "UUID": ""}
    return Row(
        "Errors",
        [
            table(
                "XID errors in the time shown",
                {**labels, "xid": "XID"},
                Column("Most at once", ask.xids("$__range", "xid")),
                sort="Most at once",
                width=12,
                description="What each number means: https://docs.nvidia.com/deploy/xid-errors/",
            ),
            timeseries(
                "PCIe retries a minute",
                Query(ask.pcie_retries, ask.gpu_name),
                unit="none",
                description="A few are usual; many point to a card that sits badly, a riser or a cable.",
            ),
            table(
                "Memory errors and recovery",
                labels,
                Column("Uncorrectable", ask.of_gpu(Metric.ECC_DBE)),
                Column("Corrected", ask.of_gpu(Metric.ECC_SBE)),
                Column("Rows, uncorrectable", ask.of_gpu(Metric.UNCORRECTABLE_REMAPPED_ROWS)),
                Column("Rows, corrected", ask.of_gpu(Metric.CORRECTABLE_REMAPPED_ROWS)),
                Column("Rows, failed", ask.of_gpu(Metric.ROW_REMAP_FAILURE), words=_YES_NO),
                Column("Rows, pending", ask.of_gpu(Metric.ROW_REMAP_PENDING), words=_YES_NO),
                Column("Pages, pending", ask.of_gpu(Metric.RETIRED_PENDING), words=_YES_NO),
                Column("Driver asks for", ask.of_gpu(Metric.RECOVERY_ACTION), words=_RECOVERY),
                sort="Uncorrectable",
                description="Errors since the driver was loaded; rows and pages of memory that were replaced, could "
                "not be, or will be at the next reset. A card without such a counter has an empty cell.",
            ),
        ],
    )


def media_and_links(ask: DashboardQueries) -> Row:
    """The video engines and NVLink."""
    return Row(
        "Media and links",
        [
            timeseries("Encoder", Query(ask.of_gpu(Metric.ENC_UTIL), ask.gpu_name), unit="percent", top=100, width=8),
            timeseries("Decoder", Query(ask.of_gpu(Metric.DEC_UTIL), ask.gpu_name), unit="percent", top=100, width=8),
            timeseries("NVLink", Query(ask.of_gpu(Metric.NVLINK_BANDWIDTH), ask.gpu_name), unit="MBs", width=8),
        ],
        collapsed=True,
    )


def profiled(ask: DashboardQueries) -> Row:
    """The profiling metrics, also of MIG instances."""
    parts = {
        "Engine active": Metric.GR_ENGINE_ACTIVE,
        "SMs active": Metric.SM_ACTIVE,
        "SM occupancy": Metric.SM_OCCUPANCY,
        "Tensor cores active": Metric.PIPE_TENSOR_ACTIVE,
        "Memory active": Metric.DRAM_ACTIVE,
    }
    panels = [
        timeseries(title, Query(ask.named(ask.of_instance(metric)), ask.instance_name), unit="percentunit", top=1, width=8)
        for title, metric in parts.items()
    ]
    sent, received = (ask.named(ask.of_instance(metric)) for metric in (Metric.PCIE_TX_BYTES, Metric.PCIE_RX_BYTES))
    panels.append(
        timeseries("PCIe", Query(sent, f"{ask.instance_name} sent"), Query(received, f"{ask.instance_name} received"), unit="Bps", width=8)
    )
    return Row("Profiling", panels, collapsed=True)
