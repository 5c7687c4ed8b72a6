"""Every metric that is asked of an exporter, drawn or alerted on: the one table of their names, types and units.

The names are DCGM's up to 4.6, so of dcgm-exporter 4.5 to 4.8. Its 4.9 renames 23 of them and gives 11 another unit: when that is read at its
source it is one more column here, and nothing else in this library holds a name (NVIDIA/dcgm-exporter, DCGM dcgmlib/dcgm_fields.h).
"""

from __future__ import annotations

from typing import Self

from .._validate import Choice, did_you_mean, wrong


class MetricKind(Choice):
    """What a counter file says of a metric, which is the file's own choice (dcgm-exporter internal/pkg/counters)."""

    GAUGE = "gauge"
    COUNTER = "counter"
    LABEL = "label"
    """A label of all others."""


class Metric(Choice):
    """A metric by its name in the series; the name in the counter file is the same."""

    kind: MetricKind
    help: str

    def __new__(cls, name: str, kind: MetricKind, help: str) -> Self:  # noqa: A002
        """A member is its name, and knows the rest of its row."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.kind, member.help = kind, help
        return member

    @property
    def needs_profiling(self) -> bool:
        """Whether it needs SYS_ADMIN, and a card that can be profiled (dcgm-exporter internal/pkg/capabilities)."""
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
    DRIVER_VERSION = "DCGM_FI_DRIVER_VERSION", MetricKind.LABEL, "Driver version"
    # Profiling: ratios from 0 to 1, and bytes per second.
    GR_ENGINE_ACTIVE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", MetricKind.GAUGE, "Part of the time that the graphics engine is active"
    SM_ACTIVE = "DCGM_FI_PROF_SM_ACTIVE", MetricKind.GAUGE, "Part of the cycles that an SM has a warp"
    SM_OCCUPANCY = "DCGM_FI_PROF_SM_OCCUPANCY", MetricKind.GAUGE, "Warps resident on an SM as a part of the most"
    PIPE_TENSOR_ACTIVE = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", MetricKind.GAUGE, "Part of the cycles that the tensor pipe is active"
    DRAM_ACTIVE = "DCGM_FI_PROF_DRAM_ACTIVE", MetricKind.GAUGE, "Part of the cycles that the memory interface is active"
    PCIE_TX_BYTES = "DCGM_FI_PROF_PCIE_TX_BYTES", MetricKind.GAUGE, "Bytes per second sent over PCIe"
    PCIE_RX_BYTES = "DCGM_FI_PROF_PCIE_RX_BYTES", MetricKind.GAUGE, "Bytes per second received over PCIe"


def metric(argument: str, name: object) -> Metric:
    """A metric by its name."""
    rule = "a metric that this library knows"
    if isinstance(name, Metric):
        return name
    found = Metric.__members__.get(str(name)) or next((each for each in Metric if str(each) == name), None)
    if found is None:
        raise wrong(argument, rule, name, did_you_mean(str(name), [str(each) for each in Metric]))
    return found
