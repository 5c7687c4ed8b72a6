"""The thresholds of the alerts."""

from __future__ import annotations

import re
from collections.abc import Iterable

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import ordered, text, whole_number
from ..upstream.nvidia.xid_errors import APPLICATION_XIDS, RESET_XIDS

# The pattern of the CRDs of the Prometheus operator. Unlike Go's durations, Prometheus' durations have days and no fractions.
_DURATION = r"(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?"


def _to_xids(value: Iterable[int], argument: str = "") -> tuple[int, ...]:
    rule = "a list of XIDs, such as [48, 79]"
    numbers = tuple(whole_number(argument, each) for each in ordered(argument, value, rule))
    if not numbers:
        raise wrong(argument, rule, value, "to switch the alert off, name the alert in 'disable'")
    return numbers


def _to_temperature(value: int | None, argument: str = "") -> int | None:
    return None if value is None else whole_number(argument, value, 1, 150, "the unit is °C")


def _to_rate(value: int, argument: str = "") -> int:
    return whole_number(argument, value, 0, hint="the unit is replays a minute")


def _to_percent(value: int, argument: str = "") -> int:
    return whole_number(argument, value, 1, 99, "the unit is %")


def _to_lookback(value: str, argument: str = "") -> str:
    return prometheus_duration(argument, value, zero=False)


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class AlertThresholds:
    """The thresholds at which alerts fire. Limits of the cards themselves need no threshold, because the driver knows them.

    Args:
        fatal_xids: The XIDs of GpuXidFatal; for NVLink 5 (GB200 and newer) add 144 to 150. Default: the XIDs for which NVIDIA advises a reset or a reboot:
            46, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158. GpuXidUncorrectable has 48, and is silent where 94 says that the error was
            contained.
        application_xids: The XIDs of GpuXidApplication. Default: 13, 31, 43, 45, 68, 69.
        slowdown_temperature: The temperature in °C from which GpuAtSlowdownTemperature fires, for exporters without `DCGM_FI_DEV_SLOWDOWN_TEMP`. Default:
            the slowdown temperature that each card reports.
        slowdown_share: The share of a quarter of an hour, in %, above which GpuHwThermalSlowdown, GpuHwPowerBrake, GpuSwThermalSlowdown and
            GpuAtSlowdownTemperature fire. Default: 25.
        pcie_replays: The number of PCIe replays a minute above which GpuPcieReplays fires. Default: 8.
        idle_utilization: The mean utilization of an hour, in %, below which GpuAllocatedIdle fires. Default: 1.
        memory_used: The share of a GPU's memory, in %, above which GpuMemoryNearlyFull fires. Default: 97.
        lookback: How long GpuDisappeared and GpuNodeLostGpus remember earlier GPUs, as a Prometheus duration. After a card is removed for good, both alerts
            fire for this time. Default: `6h`.

    Raises:
        TypeError, ValueError: `'pcie_replays' must be a whole number of at least 0 …`; likewise for every other argument.

    Example:
        >>> AlertThresholds(pcie_replays=20, lookback="1d").fatal_xids[:3]
        (46, 62, 64)

    https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html
    """

    fatal_xids: tuple[int, ...] = attrs.field(default=RESET_XIDS, converter=_to_xids)
    application_xids: tuple[int, ...] = attrs.field(default=APPLICATION_XIDS, converter=_to_xids)
    slowdown_temperature: int | None = attrs.field(default=None, converter=_to_temperature)
    slowdown_share: int = attrs.field(default=25, converter=_to_percent)
    pcie_replays: int = attrs.field(default=8, converter=_to_rate)
    idle_utilization: int = attrs.field(default=1, converter=_to_percent)
    memory_used: int = attrs.field(default=97, converter=_to_percent)
    lookback: str = attrs.field(default="6h", converter=_to_lookback)


def prometheus_duration(argument: str, value: object, *, zero: bool = True) -> str:
    """A duration in Prometheus' syntax."""
    rule = "a duration of Prometheus' such as '30s', '15m' or '1d'"
    written = text(argument, value, rule)
    if not re.fullmatch(_DURATION, written) or (not zero and not re.search("[1-9]", written)):
        raise wrong(argument, rule, written)
    return written
