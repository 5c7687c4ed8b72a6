"""The alerts on heat and power that slow a GPU down. Slowdowns come and go, so each alert asks for the share of a window and not for a state that lasts."""

from __future__ import annotations

from .alert import Alert, Severity
from .alert_texts import GPU, node_of
from .alert_thresholds import AlertThresholds
from .metrics import Metric
from .queries import MetricsSource

# Bits of the clock event reasons (DCGM dcgmlib/dcgm_fields.h). Bit 4, the power cap, is what a GPU at full load shows.
_SW_THERMAL, _HW_THERMAL, _HW_POWER_BRAKE = 32, 64, 128
_WINDOW = "15m"
# The interval at which `DcgmExporter` samples the GPUs by default.
_STEP = "15s"


def clock_alerts(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on heat and power that slow a GPU down."""
    node = node_of(source)
    share = f"for {{{{ $value | humanizePercentage }}}} of the last {_WINDOW}"
    often = f"for more than {thresholds.slowdown_share}% of the last {_WINDOW}"
    limit = thresholds.slowdown_temperature
    hot = f"({source.per_gpu(Metric.SLOWDOWN_TEMP)} > 0)" if limit is None else str(limit)
    cool = f"Look at the fans, the air flow and the room of {node}; nothing is to be done in software."
    return [
        Alert(
            name="GpuHwThermalSlowdown",
            expr=_often(_reason(source, _HW_THERMAL), thresholds),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"{GPU} of {node} was too hot, and halved its clocks {share}",
            description=f"The hardware protected itself from heat {often}: clocks are halved or worse. The threshold is the card's own.",
            runbook=cool,
        ),
        Alert(
            name="GpuHwPowerBrake",
            expr=_often(_reason(source, _HW_POWER_BRAKE), thresholds),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"The power supply of {node} slowed {GPU} down {share}",
            description=f"The power supply or the board told the GPU to slow down {often}: it can't deliver what the card asks for.",
            runbook=f"Look at the power supply and the power cables of {node}.",
        ),
        Alert(
            name="GpuSwThermalSlowdown",
            expr=_often(_reason(source, _SW_THERMAL), thresholds),
            for_="30m",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"{GPU} of {node} was warm, and the driver lowered its clocks {share}",
            description=f"The driver lowered the clocks {often}, because the GPU or its memory is above its operating temperature: usual in small cases.",
            runbook=cool,
        ),
        Alert(
            name="GpuAtSlowdownTemperature",
            expr=_often(f"{source.per_gpu(Metric.GPU_TEMP)} >= bool {hot}", thresholds),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"{GPU} of {node} was at {'its slowdown temperature' if limit is None else f'{limit} °C or more'} {share}",
            description=f"A GPU was at {'the temperature at which it slows down' if limit is None else f'{limit} °C or more'} {often}.",
            runbook=cool,
        ),
    ]


def _reason(source: MetricsSource, bit: int) -> str:
    return f"floor({source.per_gpu(Metric.CLOCKS_EVENT_REASONS)} / {bit}) % 2"


def _often(state: str, thresholds: AlertThresholds) -> str:
    """Whether a state of 0 or 1 held for more than the share of the window."""
    return f"avg_over_time(({state})[{_WINDOW}:{_STEP}]) > {thresholds.slowdown_share / 100:g}"
