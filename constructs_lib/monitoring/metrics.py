"""The table of metrics that an exporter can export: name up to dcgm-exporter 4.8, type and unit. Dashboards and alerts use these metrics.

The names and units of DCGM 4.7 are in upstream/nvidia/dcgm_metric_names.py (NVIDIA/dcgm-exporter, DCGM dcgmlib/dcgm_fields.h).
"""

from __future__ import annotations

from typing import Self

from ..arguments.errors import wrong
from ..arguments.plain_values import text
from ..upstream.choice import Choice
from ..upstream.nvidia.dcgm_metric_names import DCGM_4_7, DcgmField


class MetricKind(Choice):
    """The type of a metric in a counter file (dcgm-exporter internal/pkg/counters)."""

    GAUGE = "gauge"
    COUNTER = "counter"
    LABEL = "label"
    """A label that the exporter adds to all other metrics."""


class Metric(Choice):
    """A metric by its name in the series up to dcgm-exporter 4.8; the name in the counter file is the same.

    `help` says its unit there. `dcgm_4_7` is the same metric in the file of counters of dcgm-exporter 4.9, as `MetricsSource` asks for it.
    """

    kind: MetricKind
    help: str
    dcgm_4_7: DcgmField

    def __new__(cls, name: str, kind: MetricKind, help: str) -> Self:  # noqa: A002
        """A member is its name, and knows the rest of its row."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.kind, member.help, member.dcgm_4_7 = kind, help, DCGM_4_7[name]
        return member

    @property
    def needs_profiling(self) -> bool:
        """Whether the metric needs SYS_ADMIN and a card that supports profiling (dcgm-exporter internal/pkg/capabilities)."""
        return self.startswith("DCGM_FI_PROF_")

    # Load. Not for single MIG instances, whose activity only profiling knows.
    GPU_UTIL = "DCGM_FI_DEV_GPU_UTIL", MetricKind.GAUGE, "GPU utilization in percent"
    MEM_COPY_UTIL = "DCGM_FI_DEV_MEM_COPY_UTIL", MetricKind.GAUGE, "Memory bandwidth utilization in percent"
    ENC_UTIL = "DCGM_FI_DEV_ENC_UTIL", MetricKind.GAUGE, "Encoder utilization in percent"
    DEC_UTIL = "DCGM_FI_DEV_DEC_UTIL", MetricKind.GAUGE, "Decoder utilization in percent"
    # Memory: used, free and reserved make the total.
    FB_USED = "DCGM_FI_DEV_FB_USED", MetricKind.GAUGE, "Memory used in MiB"
    FB_FREE = "DCGM_FI_DEV_FB_FREE", MetricKind.GAUGE, "Memory free in MiB"
    FB_RESERVED = "DCGM_FI_DEV_FB_RESERVED", MetricKind.GAUGE, "Memory reserved by the driver in MiB"
    # Temperature. Each card has its own limits, so none is a number of ours.
    GPU_TEMP = "DCGM_FI_DEV_GPU_TEMP", MetricKind.GAUGE, "GPU temperature in degrees Celsius"
    MEMORY_TEMP = "DCGM_FI_DEV_MEMORY_TEMP", MetricKind.GAUGE, "Memory temperature in degrees Celsius"
    SLOWDOWN_TEMP = "DCGM_FI_DEV_SLOWDOWN_TEMP", MetricKind.GAUGE, "Temperature in degrees Celsius at which the GPU slows down"
    FAN_SPEED = "DCGM_FI_DEV_FAN_SPEED", MetricKind.GAUGE, "Fan speed in percent"
    # Power.
    POWER_USAGE = "DCGM_FI_DEV_POWER_USAGE", MetricKind.GAUGE, "Power draw in watts"
    ENFORCED_POWER_LIMIT = "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", MetricKind.GAUGE, "Power limit in force in watts"
    TOTAL_ENERGY = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", MetricKind.COUNTER, "Energy since the driver was loaded in millijoules"
    # Clocks, and why they are low.
    SM_CLOCK = "DCGM_FI_DEV_SM_CLOCK", MetricKind.GAUGE, "SM clock in MHz"
    MEM_CLOCK = "DCGM_FI_DEV_MEM_CLOCK", MetricKind.GAUGE, "Memory clock in MHz"
    CLOCKS_EVENT_REASONS = "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", MetricKind.GAUGE, "Bitmask of what holds the clocks down"
    # Links.
    PCIE_REPLAYS = "DCGM_FI_DEV_PCIE_REPLAY_COUNTER", MetricKind.COUNTER, "PCIe retries"
    # A gauge of MB/s, which files up to 4.5.3 call a counter.
    NVLINK_BANDWIDTH = "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", MetricKind.GAUGE, "NVLink bandwidth of all links in MB/s"
    # Health. The last XID is a gauge that keeps its value until the driver restarts; events are what the exporter counts.
    XID_ERRORS = "DCGM_FI_DEV_XID_ERRORS", MetricKind.GAUGE, "Last XID error"
    XID_ERRORS_COUNT = "DCGM_EXP_XID_ERRORS_COUNT", MetricKind.GAUGE, "XID errors within the window"
    ECC_SBE = "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", MetricKind.COUNTER, "Corrected memory errors since the driver was loaded"
    ECC_DBE = "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", MetricKind.COUNTER, "Uncorrectable memory errors since the driver was loaded"
    ROW_REMAP_FAILURE = "DCGM_FI_DEV_ROW_REMAP_FAILURE", MetricKind.GAUGE, "Whether remapping of memory rows has failed"
    ROW_REMAP_PENDING = "DCGM_FI_DEV_ROW_REMAP_PENDING", MetricKind.GAUGE, "Whether memory rows are to be remapped at the next reset"
    CORRECTABLE_REMAPPED_ROWS = "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", MetricKind.COUNTER, "Memory rows remapped for corrected errors"
    UNCORRECTABLE_REMAPPED_ROWS = (
        "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
        MetricKind.COUNTER,
        "Memory rows remapped for uncorrectable errors",
    )
    RETIRED_PENDING = "DCGM_FI_DEV_RETIRED_PENDING", MetricKind.GAUGE, "Memory pages to be retired at the next reset"
    # DCGM 4.5 or newer, driver 570 or newer: 0 none, 1 reset, 2 reboot, 3 drain P2P, 4 drain and reset.
    RECOVERY_ACTION = "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", MetricKind.GAUGE, "What the driver asks for to recover the GPU"
    VGPU_LICENSE = "DCGM_FI_DEV_VGPU_LICENSE_STATUS", MetricKind.GAUGE, "Whether a vGPU has its license"
    # Nobody draws these by default; they are what the comments of upstream's file offer. Violations are in ns, though its help once said µs.
    POWER_VIOLATION = "DCGM_FI_DEV_POWER_VIOLATION", MetricKind.COUNTER, "Time held down by power in nanoseconds"
    THERMAL_VIOLATION = "DCGM_FI_DEV_THERMAL_VIOLATION", MetricKind.COUNTER, "Time held down by heat in nanoseconds"
    SYNC_BOOST_VIOLATION = "DCGM_FI_DEV_SYNC_BOOST_VIOLATION", MetricKind.COUNTER, "Time held down by sync boost in nanoseconds"
    BOARD_LIMIT_VIOLATION = "DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", MetricKind.COUNTER, "Time held down by the board in nanoseconds"
    LOW_UTIL_VIOLATION = "DCGM_FI_DEV_LOW_UTIL_VIOLATION", MetricKind.COUNTER, "Time held down for want of load in nanoseconds"
    RELIABILITY_VIOLATION = "DCGM_FI_DEV_RELIABILITY_VIOLATION", MetricKind.COUNTER, "Time held down for reliability in nanoseconds"
    ECC_SBE_AGG = "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", MetricKind.COUNTER, "Corrected memory errors in the life of the GPU"
    ECC_DBE_AGG = "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", MetricKind.COUNTER, "Uncorrectable memory errors in the life of the GPU"
    RETIRED_SBE = "DCGM_FI_DEV_RETIRED_SBE", MetricKind.COUNTER, "Memory pages retired for corrected errors"
    RETIRED_DBE = "DCGM_FI_DEV_RETIRED_DBE", MetricKind.COUNTER, "Memory pages retired for uncorrectable errors"
    NVLINK_CRC_FLIT_ERRORS = "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", MetricKind.COUNTER, "NVLink flow control CRC errors"
    NVLINK_CRC_DATA_ERRORS = "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", MetricKind.COUNTER, "NVLink data CRC errors"
    NVLINK_REPLAY_ERRORS = "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", MetricKind.COUNTER, "NVLink retries"
    NVLINK_RECOVERY_ERRORS = "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", MetricKind.COUNTER, "NVLink recoveries"
    # What the exporter makes itself: levels, not counts that grow.
    CLOCK_EVENTS_COUNT = (
        "DCGM_EXP_CLOCK_EVENTS_COUNT",
        MetricKind.GAUGE,
        "Samples within the window in which something held the clocks down",
    )
    GPU_HEALTH_STATUS = "DCGM_EXP_GPU_HEALTH_STATUS", MetricKind.GAUGE, "DCGM's verdict: 0 pass or 10 warn or 20 fail"
    P2P_STATUS = "DCGM_EXP_P2P_STATUS", MetricKind.GAUGE, "State of the NVLink to another GPU"
    DRIVER_VERSION = "DCGM_FI_DRIVER_VERSION", MetricKind.LABEL, "Driver version"
    # Profiling: ratios from 0 to 1, and bytes per second.
    GR_ENGINE_ACTIVE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", MetricKind.GAUGE, "Part of the time that the graphics engine is active"
    SM_ACTIVE = "DCGM_FI_PROF_SM_ACTIVE", MetricKind.GAUGE, "Part of the cycles that an SM has a warp"
    SM_OCCUPANCY = "DCGM_FI_PROF_SM_OCCUPANCY", MetricKind.GAUGE, "Warps resident on an SM as a part of the most"
    PIPE_TENSOR_ACTIVE = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", MetricKind.GAUGE, "Part of the cycles that the tensor pipe is active"
    DRAM_ACTIVE = "DCGM_FI_PROF_DRAM_ACTIVE", MetricKind.GAUGE, "Part of the cycles that the memory interface is active"
    PCIE_TX_BYTES = "DCGM_FI_PROF_PCIE_TX_BYTES", MetricKind.GAUGE, "Bytes per second sent over PCIe"
    PCIE_RX_BYTES = "DCGM_FI_PROF_PCIE_RX_BYTES", MetricKind.GAUGE, "Bytes per second received over PCIe"
    PIPE_FP64_ACTIVE = "DCGM_FI_PROF_PIPE_FP64_ACTIVE", MetricKind.GAUGE, "Part of the cycles that the FP64 pipe is active"
    PIPE_FP32_ACTIVE = "DCGM_FI_PROF_PIPE_FP32_ACTIVE", MetricKind.GAUGE, "Part of the cycles that the FP32 pipe is active"
    PIPE_FP16_ACTIVE = "DCGM_FI_PROF_PIPE_FP16_ACTIVE", MetricKind.GAUGE, "Part of the cycles that the FP16 pipe is active"


def known_metric(name: str) -> Metric | None:
    """The metric of a name, as in the series or as a member of `Metric`; None for an unknown name."""
    return Metric.__members__.get(name) or next((each for each in Metric if each == name), None)


def meant_metric(name: str) -> str:
    """`did you mean 'DCGM_FI_DEV_GPU_UTIL'?`, or an empty string where no name is similar. Names are compared without their common prefix."""
    import difflib  # deferred: only an error needs it

    names = [(str(each), each) for each in Metric] + [(each.dcgm_4_7.name, each) for each in Metric]
    tails = {_tail(name): str(each) for name, each in names} | {own: str(each) for own, each in Metric.__members__.items()}
    close = difflib.get_close_matches(_tail(name.upper()), tails, n=1, cutoff=0.8)
    return f"did you mean '{tails[close[0]]}'?" if close else ""


def _tail(name: str) -> str:
    for prefix in ("DCGM_FI_DEV_", "DCGM_FI_PROF_", "DCGM_FI_", "DCGM_EXP_"):
        name = name.removeprefix(prefix)
    return name


def metric(argument: str, name: object, hint: str = "") -> Metric:
    """A metric by its name; `hint` is for a name that resembles no metric."""
    rule = "a metric that this library knows"
    written = text(argument, name, rule)
    found = known_metric(written)
    if found is None:
        raise wrong(argument, rule, written, meant_metric(written) or hint)
    return found
