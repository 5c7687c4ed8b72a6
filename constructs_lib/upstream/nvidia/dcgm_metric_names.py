"""The metrics of DCGM 4.7, as dcgm-exporter exports them from 4.9 on: new names, and base units in place of percent,
MiB, MHz, mJ and ns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..version import Version


class UnitChange(NamedTuple):
    """A unit up to DCGM 4.6 and the unit from DCGM 4.7 on: a value in the new unit is the old value times `factor`,
    divided by `divisor`."""

    old: str
    new: str
    factor: int = 1
    divisor: int = 1


class DcgmField(NamedTuple):
    """A metric in DCGM 4.7.

    `name` is its name in the series. `number` is the number of DCGM's field, None for what the exporter makes itself.
    `unit` is None where the unit stays. `active` says whether the exporter's own file of counters exports the metric:
    up to 4.8 by its old name.
    """

    name: str
    number: int | None
    unit: UnitChange | None = None
    active: bool = False


_PERCENT = UnitChange("percent", "ratio from 0 to 1", divisor=100)
_MIB = UnitChange("MiB", "bytes", factor=2**20)
_MHZ = UnitChange("MHz", "hertz", factor=10**6)
_MILLIJOULES = UnitChange("millijoules", "joules", divisor=1000)
_NANOSECONDS = UnitChange("nanoseconds", "seconds", divisor=10**9)
# NVML counts KiB/s: the old field divides them by 1000, the new one multiplies them by 1024.
_NVLINK = UnitChange("MB/s", "bytes per second", factor=1000 * 1024)

DCGM_4_7: Mapping[str, DcgmField] = {
    "DCGM_FI_DEV_GPU_UTIL": DcgmField("DCGM_FI_DEV_GPU_UTIL_RATIO", 1613, _PERCENT, active=True),
    "DCGM_FI_DEV_MEM_COPY_UTIL": DcgmField("DCGM_FI_DEV_MEMORY_UTIL_RATIO", 1614, _PERCENT, active=True),
    "DCGM_FI_DEV_ENC_UTIL": DcgmField("DCGM_FI_DEV_ENC_UTIL_RATIO", 1615, _PERCENT, active=True),
    "DCGM_FI_DEV_DEC_UTIL": DcgmField("DCGM_FI_DEV_DEC_UTIL_RATIO", 1616, _PERCENT, active=True),
    "DCGM_FI_DEV_FB_TOTAL": DcgmField("DCGM_FI_DEV_FB_CAPACITY_BYTES", 1625, _MIB),
    "DCGM_FI_DEV_FB_USED": DcgmField("DCGM_FI_DEV_FB_USED_BYTES", 1627, _MIB, active=True),
    "DCGM_FI_DEV_FB_FREE": DcgmField("DCGM_FI_DEV_FB_FREE_BYTES", 1626, _MIB, active=True),
    "DCGM_FI_DEV_FB_RESERVED": DcgmField("DCGM_FI_DEV_FB_RESERVED_BYTES", 1628, _MIB, active=True),
    "DCGM_FI_DEV_GPU_TEMP": DcgmField("DCGM_FI_DEV_GPU_TEMP_CELSIUS", 150, active=True),
    "DCGM_FI_DEV_MEMORY_TEMP": DcgmField("DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", 140, active=True),
    "DCGM_FI_DEV_SLOWDOWN_TEMP": DcgmField("DCGM_FI_DEV_GPU_TEMP_SLOWDOWN_CELSIUS", 158),
    "DCGM_FI_DEV_SHUTDOWN_TEMP": DcgmField("DCGM_FI_DEV_GPU_TEMP_SHUTDOWN_CELSIUS", 159),
    "DCGM_FI_DEV_GPU_MAX_OP_TEMP": DcgmField("DCGM_FI_DEV_GPU_MAX_OP_TEMP_CELSIUS", 152),
    "DCGM_FI_DEV_MEM_MAX_OP_TEMP": DcgmField("DCGM_FI_DEV_MEMORY_MAX_OP_TEMP_CELSIUS", 151),
    "DCGM_FI_DEV_FAN_SPEED": DcgmField("DCGM_FI_DEV_FAN_SPEED_RATIO", 1612, _PERCENT),
    "DCGM_FI_DEV_POWER_USAGE": DcgmField("DCGM_FI_DEV_BOARD_POWER_WATTS", 155, active=True),
    "DCGM_FI_DEV_ENFORCED_POWER_LIMIT": DcgmField("DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS", 164),
    "DCGM_FI_DEV_POWER_MGMT_LIMIT": DcgmField("DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS", 160),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": DcgmField("DCGM_FI_DEV_GPU_ENERGY_JOULES_TOTAL", 1611, _MILLIJOULES, active=True),
    "DCGM_FI_DEV_SM_CLOCK": DcgmField("DCGM_FI_DEV_SM_CLOCK_HERTZ", 1603, _MHZ, active=True),
    "DCGM_FI_DEV_MEM_CLOCK": DcgmField("DCGM_FI_DEV_MEMORY_CLOCK_HERTZ", 1604, _MHZ, active=True),
    "DCGM_FI_DEV_VIDEO_CLOCK": DcgmField("DCGM_FI_DEV_VIDEO_CLOCK_HERTZ", 1605, _MHZ),
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": DcgmField("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", 112),
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": DcgmField("DCGM_FI_DEV_PCIE_REPLAY_TOTAL", 202, active=True),
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": DcgmField("DCGM_FI_DEV_NVLINK_THROUGHPUT_BYTES_PER_SECOND", 1648, _NVLINK, active=True),
    "DCGM_FI_DEV_NVLINK_GET_STATE": DcgmField("DCGM_FI_DEV_NVLINK_LINK_STATUS", 1508),
    "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": DcgmField("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_TOTAL", 409),
    "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL": DcgmField("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_TOTAL", 419),
    "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": DcgmField("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_TOTAL", 429),
    "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL": DcgmField("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_TOTAL", 439),
    "DCGM_FI_DEV_XID_ERRORS": DcgmField("DCGM_FI_DEV_XID_ERROR", 230, active=True),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": DcgmField("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", 310),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": DcgmField("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 311),
    "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL": DcgmField("DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", 312),
    "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": DcgmField("DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", 313),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": DcgmField("DCGM_FI_DEV_ROW_REMAP_FAILED", 395, active=True),
    "DCGM_FI_DEV_ROW_REMAP_PENDING": DcgmField("DCGM_FI_DEV_ROW_REMAP_PENDING", 396),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": DcgmField("DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL", 394, active=True),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": DcgmField("DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL", 393, active=True),
    "DCGM_FI_DEV_RETIRED_PENDING": DcgmField("DCGM_FI_DEV_PAGE_RETIRED_PENDING", 392),
    "DCGM_FI_DEV_RETIRED_SBE": DcgmField("DCGM_FI_DEV_PAGE_RETIRED_SBE_TOTAL", 390),
    "DCGM_FI_DEV_RETIRED_DBE": DcgmField("DCGM_FI_DEV_PAGE_RETIRED_DBE_TOTAL", 391),
    "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION": DcgmField("DCGM_FI_DEV_GPU_RECOVERY_ACTION", 1523),
    "DCGM_FI_DEV_VGPU_LICENSE_STATUS": DcgmField("DCGM_FI_DEV_VGPU_LICENSE_STATUS", 526, active=True),
    "DCGM_FI_DEV_POWER_VIOLATION": DcgmField("DCGM_FI_DEV_GPU_POWER_THROTTLE_SECONDS_TOTAL", 1617, _NANOSECONDS),
    "DCGM_FI_DEV_THERMAL_VIOLATION": DcgmField("DCGM_FI_DEV_GPU_THERMAL_THROTTLE_SECONDS_TOTAL", 1618, _NANOSECONDS),
    "DCGM_FI_DEV_SYNC_BOOST_VIOLATION": DcgmField("DCGM_FI_DEV_GPU_SYNC_BOOST_THROTTLE_SECONDS_TOTAL", 1619, _NANOSECONDS),
    "DCGM_FI_DEV_BOARD_LIMIT_VIOLATION": DcgmField("DCGM_FI_DEV_GPU_LIMIT_THROTTLE_SECONDS_TOTAL", 1620, _NANOSECONDS),
    "DCGM_FI_DEV_LOW_UTIL_VIOLATION": DcgmField("DCGM_FI_DEV_GPU_LOW_UTIL_THROTTLE_SECONDS_TOTAL", 1621, _NANOSECONDS),
    "DCGM_FI_DEV_RELIABILITY_VIOLATION": DcgmField("DCGM_FI_DEV_GPU_RELIABILITY_THROTTLE_SECONDS_TOTAL", 1622, _NANOSECONDS),
    "DCGM_FI_DRIVER_VERSION": DcgmField("DCGM_FI_SYSTEM_DRIVER_VERSION", 1, active=True),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": DcgmField("DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", 1001, active=True),
    "DCGM_FI_PROF_SM_ACTIVE": DcgmField("DCGM_FI_PROF_SM_UTIL_RATIO", 1002),
    "DCGM_FI_PROF_SM_OCCUPANCY": DcgmField("DCGM_FI_PROF_SM_OCCUPANCY_RATIO", 1003),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": DcgmField("DCGM_FI_PROF_TENSOR_UTIL_RATIO", 1004, active=True),
    "DCGM_FI_PROF_DRAM_ACTIVE": DcgmField("DCGM_FI_PROF_DRAM_UTIL_RATIO", 1005, active=True),
    "DCGM_FI_PROF_PIPE_FP64_ACTIVE": DcgmField("DCGM_FI_PROF_FP64_UTIL_RATIO", 1006),
    "DCGM_FI_PROF_PIPE_FP32_ACTIVE": DcgmField("DCGM_FI_PROF_FP32_UTIL_RATIO", 1007),
    "DCGM_FI_PROF_PIPE_FP16_ACTIVE": DcgmField("DCGM_FI_PROF_FP16_UTIL_RATIO", 1008),
    "DCGM_FI_PROF_PCIE_TX_BYTES": DcgmField("DCGM_FI_PROF_PCIE_TX_BYTES", 1009, active=True),
    "DCGM_FI_PROF_PCIE_RX_BYTES": DcgmField("DCGM_FI_PROF_PCIE_RX_BYTES", 1010, active=True),
    "DCGM_EXP_XID_ERRORS_COUNT": DcgmField("DCGM_EXP_XID_ERRORS_COUNT", None),
    "DCGM_EXP_CLOCK_EVENTS_COUNT": DcgmField("DCGM_EXP_CLOCK_EVENTS_COUNT", None),
    "DCGM_EXP_GPU_HEALTH_STATUS": DcgmField("DCGM_EXP_GPU_HEALTH_STATUS", None),
    "DCGM_EXP_P2P_STATUS": DcgmField("DCGM_EXP_P2P_STATUS", None),
}
"""Each metric of DCGM 4.7, by the name that the metric has up to DCGM 4.6.

Names, numbers and units were read at DCGM's Go binding. The file of counters of dcgm-exporter 4.9 was not read. For the
active metrics it is 95 % sure that 4.9 exports them so: its release note counts 23 renamed metrics and 11 with another
unit, and so does this table. For the others it is 85 % sure. Nothing was read of the exporter's own metrics
(`DCGM_EXP_…`), which most likely stay.

DCGM 4.6 knows `DCGM_FI_DEV_GPU_UTIL_RATIO` as well, but as field 203, in percent: before 4.9 of the exporter a new name
says nothing of the unit. DCGM 4.7 still knows every old name, with the old unit.

Source: NVIDIA/go-dcgm pkg/dcgm/const_fields.go and legacy_fields.csv at 892ef1f8, base_unit_fields_test.go at b7fa3154;
NVIDIA/dcgm-exporter etc/default-counters.csv at 4.5.3-4.8.2; newreleases.io of dcgm-exporter 4.9.0, an excerpt
(2026-11-22)
"""

EXPORTER_RENAMED = Version(4, 9, 0)
"""The first exporter whose default counter file has the names and units of DCGM 4.7.

Source: newreleases.io of NVIDIA/dcgm-exporter, an excerpt of the release note of 4.9.0 (2026-11-20)
"""

EXPORTER_LOWER_CASE = Version(4, 8, 3)
"""The first exporter whose own label of the node is `hostname`; up to 4.8.2 the label is `Hostname`.

Source: NVIDIA/dcgm-exporter#655, internal/pkg/rendermetrics/render_metrics.go at 7ad58324 (2026-08-22)
"""


def own_node_label(exporter: Version) -> str:
    """The exporter's own label of the node."""
    return "hostname" if exporter >= EXPORTER_LOWER_CASE else "Hostname"
